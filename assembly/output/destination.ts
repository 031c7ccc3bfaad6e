// Framebuffer fetch: loads what the render targets hold into the input registers of a shader that reads them
// (layout/pass/destinations.ts). Each lane of a warp gets the texel of its pixel, or of the sample that represents its
// set. There is one function per format, chosen when the pipeline is created. Depth and stencil are loaded as they are
// stored.

import {
  Destination,
  Destinations,
  Entry,
  LAYER_WORDS,
  Packer,
  PACKER_PIXELS,
  PACKER_TEXELS,
  Plane,
  REGISTER_BYTES,
  STENCIL_STORED,
  Tile,
  TILE_PIXELS,
} from '../layout';
import { canonicalBits } from '../math/scalar';
import { canonicalNaN, splat0, transposeColumn0 } from '../simd/lanes';
import { quadX, quadY } from '../simd/positions';
import { firstTexel, lanesOf, signBits16, splat1, splat2, splat3 } from '../simd/texels';
import { isBlueFirst, visitRenderable, visitIntegers } from '../surface/formats';
import { listTexel } from '../surface/lists';
import { expandDepth } from '../tile/depth-blocks';
import { stencilOf } from '../tile/stencil-blocks';
import { keepFirstSets } from './word-sets';

/** Chooses the function of a target that is read. Registers are reordered to the order of the texel's bits. */
export function prepareDestination(destination: Destination, format: i32): void {
  if (isBlueFirst(format)) {
    const first = destination.register(0);
    store<i32>(destination.registers, destination.register(2));
    store<i32>(destination.registers + 8, first);
  }
  const integer = visitIntegers<Loading>(format, 0, 0, 0);
  destination.slot = integer ? integer : visitRenderable<Loading>(format, 0, 0, 0);
}


@unmanaged class Loading {
  of<C>(a: usize, b: usize, c: usize): usize {
    return ((tile: Tile, packer: Packer, destination: Destination, index: i32, from: usize): i32 => {
      if (ASC_FEATURE_SIMD) {
        if (changetype<C>(0).bytes == 4) {
          if (packer.kind == PACKER_TEXELS) {
            copyTexels(packer, registerAt(tile, destination, 0));
            spreadWords<C>(tile, (packer.count + 3) >> 2, destination);
            return 0;
          }
          if (!from) return splitWords<C>(tile, packer, destination, index);
          if (tile.layerSamples == 1 && packer.kind != PACKER_PIXELS) {
            loadWords<C>(tile, packer, destination, tile.plane(index));
            return 0;
          }
        }
      }
      loadTarget<C>(tile, packer, destination, index, from);
      return 0;
    }).index;
  }
}

/**
 * Fills the registers for the entries of a packer. `from` has a u8 per lane (four per quad, one per single pixel): the
 * sample whose values the lane gets.
 */
export function loadDestinations(tile: Tile, packer: Packer, from: usize): void {
  const destinations = changetype<Destinations>(packer.draw.destinations);
  for (let rest = destinations.targets; rest; rest &= rest - 1) {
    const index = ctz(rest);
    const destination = destinations.destination(index);
    call_indirect<i32>(destination.slot, tile, packer, destination, index, from);
  }
  const depth = destinations.depthRegister;
  const stencil = destinations.stencilRegister;
  if (depth >= 0) loadDepths(tile, packer, tile.registers + depth * REGISTER_BYTES, from);
  if (stencil >= 0) loadStencils(tile, packer, tile.registers + stencil * REGISTER_BYTES, from);
  if (hasBeyond(tile, packer)) clearBeyond(tile, packer, destinations);
}

/** Whether a quad may extend beyond the target's last column or row. */
export function hasBeyond(tile: Tile, packer: Packer): bool {
  return ((tile.width | tile.height) & 1) != 0 && packer.kind != PACKER_PIXELS;
}

/**
 * Clears helper lanes beyond the target's last column or row. The tile context has no texels for them: it holds what
 * another tile or pass left there, which derivatives would reveal.
 */
function clearBeyond(tile: Tile, packer: Packer, destinations: Destinations): void {
  const count = packer.count;
  for (let i = 0; i < count; i++) {
    const quad = packer.entry(i).quad;
    const lanes = (quadX(quad) + 1 == tile.width ? 10 : 0) | (quadY(quad) + 1 == tile.height ? 12 : 0);
    for (let rest = lanes; rest; rest &= rest - 1) clearLane(tile, destinations, (i << 2) + ctz(rest));
  }
}

function clearLane(tile: Tile, destinations: Destinations, lane: i32): void {
  const at = tile.registers + (lane << 2);
  for (let rest = destinations.targets; rest; rest &= rest - 1) {
    const destination = destinations.destination(ctz(rest));
    for (let channel = 0; channel < 4; channel++) {
      const register = destination.register(channel);
      if (register >= 0) store<u32>(at + register * REGISTER_BYTES, 0);
    }
  }
  const depth = destinations.depthRegister;
  const stencil = destinations.stencilRegister;
  if (depth >= 0) store<u32>(at + depth * REGISTER_BYTES, 0);
  if (stencil >= 0) store<u32>(at + stencil * REGISTER_BYTES, 0);
}

/**
 * The same for quads of a shader that reads only the target of wordPlane. Each entry is restricted to the first set of
 * each pixel; the remaining samples go to the SET ROOM. Returns whether any remain.
 */
export function loadFirstWords(tile: Tile, packer: Packer): bool {
  const destinations = changetype<Destinations>(packer.draw.destinations);
  const index = ctz(destinations.targets);
  const destination = destinations.destination(index);
  const hasRemainingSets = call_indirect<i32>(destination.slot, tile, packer, destination, index, 0) != 0;
  if (hasBeyond(tile, packer)) clearBeyond(tile, packer, destinations);
  return hasRemainingSets;
}

/** Fills the registers of the only target that a shader reads with the texels of a PACKER_TEXELS. */
export function loadTexels(tile: Tile, packer: Packer): void {
  const destinations = changetype<Destinations>(packer.draw.destinations);
  const index = ctz(destinations.targets);
  const destination = destinations.destination(index);
  call_indirect<i32>(destination.slot, tile, packer, destination, index, 0);
}

function splitWords<C>(tile: Tile, packer: Packer, destination: Destination, index: i32): i32 {
  const plane = tile.plane(index);
  const some = plane.secondTexels
    ? splitPairs<C>(tile, packer, destination, plane)
    : splitEntries<C>(tile, packer, destination, plane);
  tile.setRoom.some = some;
  return some;
}

/**
 * Version of splitWords for planes whose pixels may have two texels. Returns the entries with remaining samples, one
 * bit each.
 */
function splitPairs<C>(tile: Tile, packer: Packer, destination: Destination, plane: Plane): i32 {
  const left = tile.setRoom.left;
  const scratch = tile.output.terms;
  let r0 = registerAt(tile, destination, 0);
  let r1 = registerAt(tile, destination, 1);
  let r2 = registerAt(tile, destination, 2);
  let r3 = registerAt(tile, destination, 3);
  const count = packer.count;
  let some = 0;
  for (let i = 0; i < count; i++) {
    const entry = packer.entry(i);
    const quad = entry.quad;
    let rest = 0;
    let at = plane.clear;
    if (!plane.isClear(quad >> 4)) {
      const divided = plane.perSampleOf(quad);
      at = plane.pixels + (quad << 4);
      if (divided) {
        rest = keepFirstSets(plane, entry, divided, scratch);
        at = scratch;
      }
    }
    putFour<C>(at, r0, r1, r2, r3);
    store<u64>(left + (i << 3), rest);
    some |= i32(rest != 0) << i;
    r0 += 16;
    r1 += 16;
    r2 += 16;
    r3 += 16;
  }
  return some;
}

/**
 * The version for planes without such pixels, in loops without calls, around which V8 would keep every vector in
 * memory. Divided quads are unpredictable for branches, so they are listed and processed after the others.
 */
function splitEntries<C>(tile: Tile, packer: Packer, destination: Destination, plane: Plane): i32 {
  const some = splitTexels(tile, packer, plane, registerAt(tile, destination, 0));
  spreadWords<C>(tile, packer.count, destination);
  return some;
}

/** Loads quads at one sample per pixel. */
function loadWords<C>(tile: Tile, packer: Packer, destination: Destination, plane: Plane): void {
  const to = registerAt(tile, destination, 0);
  const clear = plane.clear;
  const end = (<usize>packer.count) << 4;
  for (let offset: usize = 0; offset < end; offset += 16) {
    const quad = changetype<Entry>(packer.entries + offset).quad;
    v128.store(to + offset, v128.load(plane.isClear(quad >> 4) ? clear : plane.pixels + (quad << 4)));
  }
  spreadWords<C>(tile, packer.count, destination);
}

/** Copies the texels of PACKER_TEXELS to a register. */
function copyTexels(packer: Packer, to: usize): void {
  let from = packer.texels;
  for (const end = to + ((<usize>packer.count) << 2); to < end; to += 16, from += 16) v128.store(to, v128.load(from));
}

/** Decodes the texels of `quads` groups of lanes, in the first of a target's registers, to all of its registers. */
function spreadWords<C>(tile: Tile, quads: i32, destination: Destination): void {
  const codec = changetype<C>(0);
  const r0 = registerAt(tile, destination, 0);
  const r1 = registerAt(tile, destination, 1);
  const r2 = registerAt(tile, destination, 2);
  const r3 = registerAt(tile, destination, 3);
  const low = codec.isFourBytes ? codec.lowBytes : i32x4.splat(0);
  const step = codec.isFourBytes ? codec.step : i32x4.splat(0);
  const rest = codec.isFourBytes ? codec.stepRest : i32x4.splat(0);
  const end = (<usize>quads) << 4;
  for (let offset: usize = 0; offset < end; offset += 16) {
    const word = v128.load(r0 + offset);
    if (codec.isFourBytes) {
      v128.store(r0 + offset, codec.valueBy(v128.and(word, low), step, rest));
      v128.store(r1 + offset, codec.valueBy(v128.and(i32x4.shr_u(word, 8), low), step, rest));
      v128.store(r2 + offset, codec.valueBy(v128.and(i32x4.shr_u(word, 16), low), step, rest));
      v128.store(r3 + offset, codec.valueBy(i32x4.shr_u(word, 24), step, rest));
    } else {
      v128.store(r0 + offset, codec.valueOf(word, 0));
      v128.store(r1 + offset, codec.channels > 1 ? codec.valueOf(word, 1) : i32x4.splat(0));
      v128.store(r2 + offset, codec.channels > 2 ? codec.valueOf(word, 2) : i32x4.splat(0));
      v128.store(r3 + offset, codec.channels > 3 ? codec.valueOf(word, 3) : i32x4.splat(codec.one));
    }
  }
}

/** Writes the texels of the first sets of entries to `to`. Returns the entries with remaining samples, one bit each. */
function splitTexels(tile: Tile, packer: Packer, plane: Plane, to: usize): i32 {
  const left = tile.setRoom.left;
  const states = plane.states;
  const perSample = plane.perSample;
  const pixels = plane.pixels;
  const samples = plane.samples;
  const clear = v128.load(plane.clear);
  const words = tile.output.words;
  const end = (<usize>packer.count) << 4;
  let listed: usize = 0;
  for (let offset: usize = 0; offset < end; offset += 16) {
    const quad = <usize>changetype<Entry>(packer.entries + offset).quad;
    if (load<u8>(states + (quad >> 4))) {
      v128.store(to + offset, clear);
      continue;
    }
    v128.store(to + offset, v128.load(pixels + (quad << 4)));
    const divided = ((<i32>load<u8>(perSample + (quad >> 1))) >> (((<i32>quad) & 1) << 2)) & 15;
    store<u32>(words + listed, (offset << 4) | divided);
    listed += (<usize>(divided != 0)) << 2;
  }
  let some = 0;
  for (let at: usize = 0; at < listed; at += 4) {
    const word = load<u32>(words + at);
    const offset = (<usize>word) >> 4;
    const entry = changetype<Entry>(packer.entries + offset);
    const mask = <i32>entry.mask;
    const four = samples + ((<usize>entry.quad) << 6);
    const held = v128.load(to + offset);
    const lanes = lanesOf((<i32>word) & 15);
    const p0 = v128.bitselect(v128.load(four), splat0(held), splat0(lanes));
    const p1 = v128.bitselect(v128.load(four, 16), splat1(held), splat1(lanes));
    const p2 = v128.bitselect(v128.load(four, 32), splat2(held), splat2(lanes));
    const p3 = v128.bitselect(v128.load(four, 48), splat3(held), splat3(lanes));
    const c0 = firstTexel(p0, mask);
    const c1 = firstTexel(p1, mask >> 4);
    const c2 = firstTexel(p2, mask >> 8);
    const c3 = firstTexel(p3, mask >> 12);
    v128.store(to + offset, transposeColumn0(c0, c1, c2, c3));
    const rest = mask & ~signBits16(i32x4.eq(p0, c0), i32x4.eq(p1, c1), i32x4.eq(p2, c2), i32x4.eq(p3, c3));
    entry.mask = mask & ~rest;
    store<u64>(left + (offset >> 1), rest);
    some |= i32(rest != 0) << i32(offset >> 4);
  }
  return some;
}

function loadTarget<C>(tile: Tile, packer: Packer, destination: Destination, index: i32, from: usize): void {
  const plane = tile.plane(index);
  const bytes = changetype<C>(0).bytes;
  const single = tile.layerSamples == 1;
  const pixels = packer.kind == PACKER_PIXELS;
  const addresses = tile.output.terms;
  const count = packer.count;
  let r0 = registerAt(tile, destination, 0);
  let r1 = registerAt(tile, destination, 1);
  let r2 = registerAt(tile, destination, 2);
  let r3 = registerAt(tile, destination, 3);
  for (let i = 0; i < count; i += pixels ? 4 : 1) {
    const quad = pixels ? 0 : packer.entry(i).quad;
    let side: usize = 0;
    if (pixels) {
      for (let lane = 0; lane < 4; lane++) {
        const at = min<i32>(i + lane, count - 1);
        store<usize>(addresses + (lane << 2), addressOf(plane, packer.entry(at).pixel, load<u8>(from + at)));
      }
    } else if (plane.isClear(quad >> 4) || (!single && plane.perSampleOf(quad))) {
      findTexels(plane, addresses, quad, from + (i << 2));
    } else {
      side = plane.pixels + 4 * quad * bytes;
      if (!ASC_FEATURE_SIMD) {
        for (let lane = 0; lane < 4; lane++) store<usize>(addresses + (lane << 2), side + lane * bytes);
      }
    }
    if (!ASC_FEATURE_SIMD) {
      putBits<C>(addresses, 0, r0);
      putBits<C>(addresses, 1, r1);
      putBits<C>(addresses, 2, r2);
      putBits<C>(addresses, 3, r3);
    } else if (side) {
      putFour<C>(side, r0, r1, r2, r3);
    } else {
      const texels = tile.output.source;
      changetype<C>(0).gather(addresses, texels);
      v128.store(r0, gathered<C>(texels, 0));
      v128.store(r1, gathered<C>(texels, 1));
      v128.store(r2, gathered<C>(texels, 2));
      v128.store(r3, gathered<C>(texels, 3));
    }
    r0 += 16;
    r1 += 16;
    r2 += 16;
    r3 += 16;
  }
}

/** Address of a channel's register; channels that the shader does not read go to a scratch register. */
function registerAt(tile: Tile, destination: Destination, channel: i32): usize {
  const register = destination.register(channel);
  return register < 0 ? tile.setRoom.unread : tile.registers + register * REGISTER_BYTES;
}

/** Finds the addresses of the texels of a quad's pixels, each for its sample in `from`. */
function findTexels(plane: Plane, addresses: usize, quad: i32, from: usize): void {
  for (let lane = 0; lane < 4; lane++)
    store<usize>(addresses + (lane << 2), addressOf(plane, (quad << 2) + lane, load<u8>(from + lane)));
}

/** Address of the texel of a sample. */
function addressOf(plane: Plane, pixel: i32, sample: i32): usize {
  return plane.isClear(pixel >> 6) ? plane.clear : texelOf(plane, pixel, sample);
}

/** Loads depth as it is stored. */
function loadDepths(tile: Tile, packer: Packer, out: usize, from: usize): void {
  const count = packer.count;
  const words = tile.layerSamples;
  const pixels = packer.kind == PACKER_PIXELS;
  let block = -1;
  for (let i = 0; i < count; i++) {
    const first = pixels ? packer.entry(i).pixel : packer.entry(i).quad << 2;
    if (first >> 6 != block) {
      block = first >> 6;
      expandDepth(tile, block);
    }
    let at = tile.depth + ((first * words) << 2);
    if (ASC_FEATURE_SIMD) {
      if (!pixels && words == 4) {
        v128.store(out, canonicalNaN(quadDepths(at, load<u32>(from))));
        out += 16;
        from += 4;
        continue;
      }
    }
    for (const end = out + (pixels ? 4 : 16); out < end; out += 4) {
      store<u32>(out, canonicalBits(load<f32>(at + placeOf(<i32>load<u8>(from++)))));
      at += words << 2;
    }
  }
}

/** Bytes from a pixel's first sample to another one. */
// @ts-ignore: decorator
@inline
function placeOf(sample: i32): usize {
  return (sample >> 2) * LAYER_WORDS + ((sample & 3) << 2);
}

/** Depths of a quad's pixels, at four samples each; `from` has one byte per pixel, the sample. */
// @ts-ignore: decorator
@inline
function quadDepths(at: usize, from: u32): v128 {
  const first = v128.load32_zero(at + placeOf(from & 255));
  const second = v128.load_lane<u32>(at + placeOf((from >> 8) & 255), first, 1, 16);
  const third = v128.load_lane<u32>(at + placeOf((from >> 16) & 255), second, 2, 32);
  return v128.load_lane<u32>(at + placeOf(from >> 24), third, 3, 48);
}

function loadStencils(tile: Tile, packer: Packer, out: usize, from: usize): void {
  const lanes = lanesIn(packer);
  const bytes = tile.layerSamples;
  for (let lane = 0; lane < lanes; lane++) {
    const pixel = pixelOf(packer, lane);
    const sample = <i32>load<u8>(from + lane);
    const ofBlock = stencilOf(tile, pixel >> 6);
    const at = tile.stencil + pixel * bytes + (sample & 3) + (sample >> 2) * (TILE_PIXELS * 4);
    store<u32>(out + (lane << 2), ofBlock == STENCIL_STORED ? load<u8>(at) : ofBlock);
  }
}

function lanesIn(packer: Packer): i32 {
  return packer.kind == PACKER_PIXELS ? packer.count : packer.count << 2;
}

/** The pixel (quad·4 + pixel) of a lane. */
function pixelOf(packer: Packer, lane: i32): i32 {
  return packer.kind == PACKER_PIXELS ? packer.entry(lane).pixel : (packer.entry(lane >> 2).quad << 2) + (lane & 3);
}

/** Address of a sample's texel in a pixel of a stored block. */
function texelOf(plane: Plane, pixel: i32, sample: i32): usize {
  if (plane.layers == 1 && plane.samples == plane.pixels) return plane.texel(pixel);
  if (!plane.isPerSample(pixel)) return plane.texel(pixel);
  if ((plane.pairsOfQuad(pixel >> 2) >> (pixel & 3)) & 1)
    return (load<u16>(plane.maskAt(pixel)) >> sample) & 1 ? plane.second(pixel) : plane.texel(pixel);
  if (plane.secondTexels && (plane.listedOfQuad(pixel >> 2) >> (pixel & 3)) & 1) return listTexel(plane, pixel, sample);
  return plane.sampleAt(plane.sample(pixel), sample);
}

/** Decodes four adjacent texels. */
// @ts-ignore: decorator
@inline
function putFour<C>(at: usize, r0: usize, r1: usize, r2: usize, r3: usize): void {
  const codec = changetype<C>(0);
  v128.store(r0, codec.loadCanonical(at, 0));
  v128.store(r1, codec.channels > 1 ? codec.loadCanonical(at, 1) : i32x4.splat(0));
  v128.store(r2, codec.channels > 2 ? codec.loadCanonical(at, 2) : i32x4.splat(0));
  v128.store(r3, codec.channels > 3 ? codec.loadCanonical(at, 3) : i32x4.splat(codec.one));
}

/** One channel of four gathered texels. */
function gathered<C>(texels: usize, channel: i32): v128 {
  const codec = changetype<C>(0);
  if (channel >= codec.channels) return i32x4.splat(channel < 3 ? 0 : codec.one);
  const value = v128.load(texels + (channel << 4));
  return codec.isInteger ? value : canonicalNaN(value);
}

/** One channel of four texels whose addresses are at `addresses`; for builds without SIMD. */
function putBits<C>(addresses: usize, channel: i32, to: usize): void {
  for (let lane: usize = 0; lane < 16; lane += 4)
    store<u32>(to + lane, changetype<C>(0).loadBits(load<usize>(addresses + lane), channel));
}
