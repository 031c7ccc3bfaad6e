// What the render targets hold goes into the input registers of a program that reads them (layout/destinations.ts): for
// each quad of a warp the texels of its four pixels, of the sample that its entry names where they have several. One
// function a format, chosen when the pipeline is made. Nothing of the tile is changed by it.

import { Destination, Destinations, Packer, Plane, REGISTER_BYTES, Tile } from '../layout';
import { canonicalNaN } from '../simd/lanes';
import { isBlueFirst, visitBlended, visitIntegers } from '../surface/formats';

/** Chooses the function of a target that is read, in the order of whose bits the registers are then. */
export function prepareDestination(destination: Destination, format: i32): void {
  if (isBlueFirst(format)) {
    const first = destination.register(0);
    store<i32>(destination.registers, destination.register(2));
    store<i32>(destination.registers + 8, first);
  }
  const integer = visitIntegers<Loading>(format, 0, 0, 0);
  destination.slot = integer ? integer : visitBlended<Loading>(format, 0, 0, 0);
}

@unmanaged class Loading {
  of<C>(a: usize, b: usize, c: usize): usize {
    return ((tile: Tile, packer: Packer, destination: Destination, index: i32): void => {
      loadTarget<C>(tile, packer, destination, index);
    }).index;
  }
}

/** Fills the registers for the entries of a packer of quads, or a block. */
export function loadDestinations(tile: Tile, packer: Packer): void {
  const destinations = changetype<Destinations>(packer.draw.destinations);
  for (let rest = destinations.targets; rest; rest &= rest - 1) {
    const index = ctz(rest);
    const destination = destinations.destination(index);
    call_indirect<void>(destination.slot, tile, packer, destination, index);
  }
}

function loadTarget<C>(tile: Tile, packer: Packer, destination: Destination, index: i32): void {
  const plane = tile.plane(index);
  const bytes = changetype<C>(0).bytes;
  const registers = tile.registers;
  const single = tile.layerSamples == 1;
  const count = packer.count;
  for (let i = 0; i < count; i++) {
    const entry = packer.entry(i);
    const quad = entry.quad;
    const out = registers + (i << 4);
    if (plane.isClear(quad >> 4) || (!single && plane.perSampleOf(quad))) {
      findTexels(plane, tile.output.terms, quad, entry.from);
      if (ASC_FEATURE_SIMD) putGathered<C>(destination, tile.output.terms, tile.output.source, out);
      else putEach<C>(destination, tile.output.terms, out);
    } else {
      const at = plane.pixels + 4 * quad * bytes;
      if (ASC_FEATURE_SIMD) putFour<C>(destination, at, out);
      else {
        for (let lane = 0; lane < 4; lane++) store<usize>(tile.output.terms + (lane << 2), at + lane * bytes);
        putEach<C>(destination, tile.output.terms, out);
      }
    }
  }
}

/** Addresses of the texels of a quad's pixels, in a sample of those that have several. */
function findTexels(plane: Plane, addresses: usize, quad: i32, sample: i32): void {
  const clear = plane.isClear(quad >> 4);
  if (!clear && plane.perSampleOf(quad) == 15 && !plane.pairsOfQuad(quad)) {
    let at = plane.sampleAt(plane.sample(quad << 2), sample);
    for (let lane = 0; lane < 16; lane += 4) {
      store<usize>(addresses + lane, at);
      at += 4 * plane.texelBytes;
    }
    return;
  }
  for (let lane = 0; lane < 4; lane++) {
    const pixel = (quad << 2) + lane;
    const at = clear ? plane.clear : texelOf(plane, pixel, sample);
    store<usize>(addresses + (lane << 2), at);
  }
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
