// What the render targets hold goes into the input registers of a program that reads them (layout/destinations.ts):
// for each lane of a warp the texel of its pixel, of the sample that stands for its set where it has several. One
// function a format, chosen when the pipeline is made; depth and stencil as they are stored.

import {
  Destination, Destinations, LAYER_WORDS, Packer, PACKER_PIXELS, Plane, REGISTER_BYTES, STENCIL_STORED, Tile,
  TILE_PIXELS,
} from '../layout';
import { canonicalBits } from '../math/scalar';
import { canonicalNaN } from '../simd/lanes';
import { isBlueFirst, visitDrawn, visitIntegers } from '../surface/formats';
import { spreadDepth } from '../tile/depth-blocks';
import { stencilOf } from '../tile/stencil-blocks';

/** Chooses the function of a target that is read, in the order of whose bits the registers are then. */
export function prepareDestination(destination: Destination, format: i32): void {
  if (isBlueFirst(format)) {
    const first = destination.register(0);
    store<i32>(destination.registers, destination.register(2));
    store<i32>(destination.registers + 8, first);
  }
  const integer = visitIntegers<Loading>(format, 0, 0, 0);
  destination.slot = integer ? integer : visitDrawn<Loading>(format, 0, 0, 0);
}

@unmanaged class Loading {
  of<C>(a: usize, b: usize, c: usize): usize {
    return ((tile: Tile, packer: Packer, destination: Destination, index: i32, from: usize, texels: usize): void => {
      if (ASC_FEATURE_SIMD) if (texels) {
        putWords<C>(packer, destination, texels, tile.registers);
        return;
      }
      loadTarget<C>(tile, packer, destination, index, from);
    }).index;
  }
}

/**
 * Fills the registers for the entries of a packer. `from`: u8 a lane (a quad's four, or a pixel's one), the sample
 * whose values it finds. `texels`: where those of quads already lie, four words each, of the one target that is read;
 * or 0.
 */
export function loadDestinations(tile: Tile, packer: Packer, from: usize, texels: usize): void {
  const destinations = changetype<Destinations>(packer.draw.destinations);
  for (let rest = destinations.targets; rest; rest &= rest - 1) {
    const index = ctz(rest);
    const destination = destinations.destination(index);
    call_indirect<void>(destination.slot, tile, packer, destination, index, from, texels);
  }
  const depth = destinations.depthRegister;
  const stencil = destinations.stencilRegister;
  if (depth >= 0) loadDepths(tile, packer, tile.registers + depth * REGISTER_BYTES, from);
  if (stencil >= 0) loadStencils(tile, packer, tile.registers + stencil * REGISTER_BYTES, from);
}

/** Texels of quads that lie side by side. */
function putWords<C>(packer: Packer, destination: Destination, texels: usize, out: usize): void {
  for (const end = texels + (packer.count << 4); texels < end; texels += 16) {
    putFour<C>(destination, texels, out);
    out += 16;
  }
}

function loadTarget<C>(tile: Tile, packer: Packer, destination: Destination, index: i32, from: usize): void {
  const plane = tile.plane(index);
  const bytes = changetype<C>(0).bytes;
  const single = tile.layerSamples == 1;
  const pixels = packer.kind == PACKER_PIXELS;
  const addresses = tile.output.terms;
  const count = packer.count;
  let out = tile.registers;
  for (let i = 0; i < count; i += pixels ? 4 : 1) {
    const quad = pixels ? 0 : packer.entry(i).quad;
    if (pixels) {
      for (let lane = 0; lane < 4; lane++) {
        const at = min<i32>(i + lane, count - 1);
        store<usize>(addresses + (lane << 2), addressOf(plane, packer.entry(at).pixel, load<u8>(from + at)));
      }
    } else if (plane.isClear(quad >> 4) || (!single && plane.perSampleOf(quad))) {
      findTexels(plane, addresses, quad, from + (i << 2));
    } else {
      const at = plane.pixels + 4 * quad * bytes;
      if (ASC_FEATURE_SIMD) {
        putFour<C>(destination, at, out);
        out += 16;
        continue;
      }
      for (let lane = 0; lane < 4; lane++) store<usize>(addresses + (lane << 2), at + lane * bytes);
    }
    if (ASC_FEATURE_SIMD) putGathered<C>(destination, addresses, tile.output.source, out);
    else putEach<C>(destination, addresses, out);
    out += 16;
  }
}

/** Addresses of the texels of a quad's pixels, each in its sample of `from`. */
function findTexels(plane: Plane, addresses: usize, quad: i32, from: usize): void {
  for (let lane = 0; lane < 4; lane++)
    store<usize>(addresses + (lane << 2), addressOf(plane, (quad << 2) + lane, load<u8>(from + lane)));
}

/** Where the texel of a sample lies. */
export function addressOf(plane: Plane, pixel: i32, sample: i32): usize {
  return plane.isClear(pixel >> 6) ? plane.clear : texelOf(plane, pixel, sample);
}

/** Depth as it is stored. */
function loadDepths(tile: Tile, packer: Packer, out: usize, from: usize): void {
  const lanes = lanesOf(packer);
  const words = tile.layerSamples;
  for (let lane = 0; lane < lanes; lane++) {
    const pixel = pixelOf(packer, lane);
    const sample = <i32>load<u8>(from + lane);
    spreadDepth(tile, pixel >> 6);
    const at = tile.depth + (pixel * words + (sample & 3) << 2) + (sample >> 2) * LAYER_WORDS;
    store<u32>(out + (lane << 2), canonicalBits(load<f32>(at)));
  }
}

function loadStencils(tile: Tile, packer: Packer, out: usize, from: usize): void {
  const lanes = lanesOf(packer);
  const bytes = tile.layerSamples;
  for (let lane = 0; lane < lanes; lane++) {
    const pixel = pixelOf(packer, lane);
    const sample = <i32>load<u8>(from + lane);
    const ofBlock = stencilOf(tile, pixel >> 6);
    const at = tile.stencil + pixel * bytes + (sample & 3) + (sample >> 2) * (TILE_PIXELS * 4);
    store<u32>(out + (lane << 2), ofBlock == STENCIL_STORED ? load<u8>(at) : ofBlock);
  }
}

function lanesOf(packer: Packer): i32 { return packer.kind == PACKER_PIXELS ? packer.count : packer.count << 2; }

/** The pixel (quad·4 + pixel) of a lane. */
function pixelOf(packer: Packer, lane: i32): i32 {
  return packer.kind == PACKER_PIXELS ? packer.entry(lane).pixel : (packer.entry(lane >> 2).quad << 2) + (lane & 3);
}

/** Where a sample of a pixel of a stored block lies. */
function texelOf(plane: Plane, pixel: i32, sample: i32): usize {
  if (plane.layers == 1 && plane.samples == plane.pixels) return plane.texel(pixel);
  if (!plane.isPerSample(pixel)) return plane.texel(pixel);
  if (plane.pairsOfQuad(pixel >> 2) >> (pixel & 3) & 1)
    return load<u16>(plane.maskAt(pixel)) >> sample & 1 ? plane.second(pixel) : plane.texel(pixel);
  return plane.sampleAt(plane.sample(pixel), sample);
}

/** Four texels side by side. */
function putFour<C>(destination: Destination, at: usize, out: usize): void {
  const codec = changetype<C>(0);
  put(out, destination.register(0), codec.loadCanonical(at, 0));
  put(out, destination.register(1), codec.channels > 1 ? codec.loadCanonical(at, 1) : i32x4.splat(0));
  put(out, destination.register(2), codec.channels > 2 ? codec.loadCanonical(at, 2) : i32x4.splat(0));
  put(out, destination.register(3), codec.channels > 3 ? codec.loadCanonical(at, 3) : i32x4.splat(codec.one));
}

/** Four texels whose addresses are at `addresses`. */
function putGathered<C>(destination: Destination, addresses: usize, scratch: usize, out: usize): void {
  const codec = changetype<C>(0);
  codec.gather(addresses, scratch);
  for (let channel = 0; channel < 4; channel++) {
    const missing = i32x4.splat(channel < 3 ? 0 : codec.one);
    const value = channel < codec.channels ? v128.load(scratch + (channel << 4)) : missing;
    put(out, destination.register(channel), codec.isInteger ? value : canonicalNaN(value));
  }
}

/** The same in the build without SIMD. */
function putEach<C>(destination: Destination, addresses: usize, out: usize): void {
  for (let channel = 0; channel < 4; channel++) {
    const register = destination.register(channel);
    if (register < 0) continue;
    const at = out + register * REGISTER_BYTES;
    for (let lane: usize = 0; lane < 16; lane += 4)
      store<u32>(at + lane, changetype<C>(0).loadBits(load<usize>(addresses + lane), channel));
  }
}

function put(out: usize, register: i32, value: v128): void {
  if (register >= 0) v128.store(out + register * REGISTER_BYTES, value);
}
