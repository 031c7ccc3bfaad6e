// Placement of 4-byte texels at one or four samples (quads.ts): whole words, without a detour through memory. Used for
// shaders with framebuffer fetch, and for the sets of a quad's samples, which are consecutive entries of a warp. If
// these are all samples of a quad, at four samples or more, their texels are transposed to the order of the
// sample plane.

import { Entry, LAYER_WORDS, OutputScratch, Packer, Plane, sizeOf } from '../layout';
import { splat0, storeColumns, transposeColumn0 } from '../simd/lanes';
import { lanesOf, splat1, splat2, splat3 } from '../simd/texels';
import { clamp01 } from '../surface/numbers';
import { fillPixels, leaveQuad } from '../surface/plane';
import { samplesOf, samplesOfPixels } from '../tile/layers';
import { putPixels } from './pixels';
import { Sources } from './sources';

/** Writes 4-byte texels at one or four samples, for a shader with framebuffer fetch. */
export function writeWords<C, S>(packer: Packer, plane: Plane, scratch: OutputScratch): void {
  const end = (<usize>packer.count) << 4;
  for (let offset: usize = 0; ;) {
    offset = putEntries<C, S>(packer, plane, scratch, offset);
    if (offset >= end) return;
    const quad = changetype<Entry>(packer.entries + offset).quad;
    if (plane.isClear(quad >> 4)) fillPixels(plane, quad >> 4);
    else offset = writeSets<C>(packer, plane, scratch, offset) + 16;
  }
}

/**
 * Writes the entries from `offset` (bytes of a register) on. It stops at an entry whose block is clear or, at four
 * samples, whose quad continues in the next entry, because V8 would keep every vector in memory around a call in the
 * loop. Returns where it stopped. Partly covered entries are unpredictable for branches, so they are listed and
 * processed last. Tried: skipping sets whose texels do not change (particles took 3 % longer), and a shortcut for fully
 * covered quads (no effect).
 */
function putEntries<C, S>(packer: Packer, plane: Plane, scratch: OutputScratch, offset: usize): usize {
  const end = (<usize>packer.count) << 4;
  const states = plane.states;
  const r0 = scratch.register(0);
  const r1 = scratch.register(1);
  const r2 = scratch.register(2);
  const r3 = scratch.register(3);
  const codec = changetype<C>(0);
  const none = i32x4.splat(0);
  const most = codec.isFourBytes ? codec.most : none;
  const half = codec.isFourBytes ? codec.half : none;
  const second = codec.isFourBytes ? codec.second : none;
  const whole = codec.isFourBytes ? codec.whole : none;
  const lowWords = codec.isFourBytes ? codec.lowWords : none;
  const words = scratch.words;
  const written = v128.load(scratch.target.written);
  let partial: usize = 0;
  for (; offset < end; offset += 16) {
    const entry = changetype<Entry>(packer.entries + offset);
    const quad = entry.quad;
    if (load<u8>(states + (quad >> 4))) break;
    if (samplesOf<S>() != 1)
      if (offset + 16 < end && changetype<Entry>(packer.entries + offset + 16).quad == quad) break;
    const mask = <i32>entry.mask;
    if (!mask) continue;
    let texels: v128;
    if (codec.isFourBytes) {
      const red = codec.byteBy(clamp01(v128.load(r0 + offset)), most, half);
      const green = codec.byteBy(clamp01(v128.load(r1 + offset)), most, half);
      const low = codec.pairBy(red, green, second, whole);
      const blue = codec.byteBy(clamp01(v128.load(r2 + offset)), most, half);
      const high = codec.isOpaque
        ? f32x4.add(blue, codec.opaque)
        : codec.pairBy(blue, codec.byteBy(clamp01(v128.load(r3 + offset)), most, half), second, whole);
      texels = codec.joinBy(low, high, lowWords);
    } else
      texels = codec.encode(
        0,
        v128.load(r0 + offset),
        v128.load(r1 + offset),
        v128.load(r2 + offset),
        v128.load(r3 + offset)
      );
    if (samplesOf<S>() == 1) {
      codec.size.merge(plane.pixels + (quad << 4), texels, 0, mask, written);
      continue;
    }
    const rest = putPixels(plane, quad, mask, texels);
    store<u32>(words + partial, ((<u32>offset) << 4) | rest);
    v128.store(scratch.wordTexels + (partial << 2), texels);
    partial += (<usize>(rest != 0)) << 2;
  }
  for (let at: usize = 0; at < partial; at += 4) {
    const word = load<u32>(words + at);
    const entry = changetype<Entry>(packer.entries + (word >> 4));
    const mask = (<i32>entry.mask) & (<i32>samplesOfPixels(word & 15, 4));
    putWords(plane, entry.quad, mask, v128.load(scratch.wordTexels + (at << 2)));
  }
  return offset;
}

/**
 * Writes 4-byte texels of all consecutive entries of one quad from `offset` (bytes of a register) on, at four samples;
 * the entries are sets of the quad's samples. Returns the offset of the last one.
 */
export function writeSets<C>(packer: Packer, plane: Plane, scratch: OutputScratch, offset: usize): usize {
  const end = (<usize>packer.count) << 4;
  const quad = changetype<Entry>(packer.entries + offset).quad;
  if (plane.isClear(quad >> 4)) fillPixels(plane, quad >> 4);
  const divided = lanesOf(plane.perSampleOf(quad));
  const pixels = plane.pixels + (quad << 4);
  const samples = plane.samples + (quad << 6);
  const held = v128.load(pixels);
  let p0 = v128.bitselect(v128.load(samples), splat0(held), splat0(divided));
  let p1 = v128.bitselect(v128.load(samples, 16), splat1(held), splat1(divided));
  let p2 = v128.bitselect(v128.load(samples, 32), splat2(held), splat2(divided));
  let p3 = v128.bitselect(v128.load(samples, 48), splat3(held), splat3(divided));
  do {
    const mask = <i32>changetype<Entry>(packer.entries + offset).mask;
    const texels = changetype<Sources<C>>(0).encode(scratch, offset);
    p0 = v128.bitselect(splat0(texels), p0, lanesOf(mask & 15));
    p1 = v128.bitselect(splat1(texels), p1, lanesOf((mask >> 4) & 15));
    p2 = v128.bitselect(splat2(texels), p2, lanesOf((mask >> 8) & 15));
    p3 = v128.bitselect(splat3(texels), p3, lanesOf((mask >> 12) & 15));
    offset += 16;
  } while (offset < end && changetype<Entry>(packer.entries + offset).quad == quad);
  v128.store(samples, p0);
  v128.store(samples, p1, 16);
  v128.store(samples, p2, 32);
  v128.store(samples, p3, 48);
  // Pixels whose samples are equal hold one texel.
  const alike = alikeLanes(p0, p1, p2, p3);
  v128.store(pixels, v128.bitselect(transposeColumn0(p0, p1, p2, p3), held, alike));
  plane.divide(quad, ~i32x4.bitmask(alike) & 15);
  return offset - 16;
}

/**
 * Writes four 4-byte texels to the samples of `mask` of a quad, at four samples. Pixels whose samples are then equal
 * hold one texel.
 */
// @ts-ignore: decorator
@inline
function putWords(plane: Plane, quad: i32, mask: i32, texels: v128): void {
  const at = plane.perSample + ((<usize>quad) >> 1);
  const shift = (quad & 1) << 2;
  const byte = <i32>load<u8>(at);
  const divided = lanesOf((byte >> shift) & 15);
  const pixels = plane.pixels + (quad << 4);
  const samples = plane.samples + (quad << 6);
  const held = v128.load(pixels);
  const p0 = v128.bitselect(
    splat0(texels),
    v128.bitselect(v128.load(samples), splat0(held), splat0(divided)),
    lanesOf(mask & 15)
  );
  const p1 = v128.bitselect(
    splat1(texels),
    v128.bitselect(v128.load(samples, 16), splat1(held), splat1(divided)),
    lanesOf((mask >> 4) & 15)
  );
  const p2 = v128.bitselect(
    splat2(texels),
    v128.bitselect(v128.load(samples, 32), splat2(held), splat2(divided)),
    lanesOf((mask >> 8) & 15)
  );
  const p3 = v128.bitselect(
    splat3(texels),
    v128.bitselect(v128.load(samples, 48), splat3(held), splat3(divided)),
    lanesOf((mask >> 12) & 15)
  );
  v128.store(samples, p0);
  v128.store(samples, p1, 16);
  v128.store(samples, p2, 32);
  v128.store(samples, p3, 48);
  const alike = alikeLanes(p0, p1, p2, p3);
  v128.store(pixels, v128.bitselect(transposeColumn0(p0, p1, p2, p3), held, alike));
  store<u8>(at, (byte & ~(15 << shift)) | ((~i32x4.bitmask(alike) & 15) << shift));
}

/** All ones in the lanes of pixels whose four texels are equal. */
// @ts-ignore: decorator
@inline
function alikeLanes(p0: v128, p1: v128, p2: v128, p3: v128): v128 {
  const low = i16x8.narrow_i32x4_s(i32x4.eq(p0, splat0(p0)), i32x4.eq(p1, splat0(p1)));
  const high = i16x8.narrow_i32x4_s(i32x4.eq(p2, splat0(p2)), i32x4.eq(p3, splat0(p3)));
  return i32x4.eq(i8x16.narrow_i16x8_s(low, high), i32x4.splat(-1));
}

/** The first sample of each pixel of a quad, in the format of a quad's mask. */
const FIRST_SAMPLES = 0x1111;

/**
 * Whether the entries from `offset` (bytes of a register) on are all samples of one quad, each covered at all four
 * pixels, in the order of the samples.
 */
export function isEverySample(packer: Packer, layers: i32, offset: usize): bool {
  const first = packer.entries + offset;
  const end = first + (layers << 6);
  if (end > packer.entries + ((<usize>packer.count) << 4)) return false;
  const quad = changetype<Entry>(first).quad;
  let shift: u64 = 0;
  for (let at = first; at < end; at += sizeOf<Entry>()) {
    const entry = changetype<Entry>(at);
    if (entry.quad != quad || entry.mask != (<u64>FIRST_SAMPLES) << shift) return false;
    // Four samples are adjacent bits; the next layer begins 16 bits after the first of them.
    shift += (shift & 3) == 3 ? 13 : 1;
  }
  return true;
}

/** Writes the texels of such entries. Returns the offset of the last one. */
export function writeEverySample<C>(packer: Packer, plane: Plane, scratch: OutputScratch, offset: usize): usize {
  const quad = changetype<Entry>(packer.entries + offset).quad;
  if (plane.isClear(quad >> 4)) fillPixels(plane, quad >> 4);
  const texels = changetype<Sources<C>>(0);
  let to = plane.samples + (quad << 6);
  for (let layer = plane.layers; layer > 0; layer--) {
    storeColumns(
      to,
      16,
      texels.encode(scratch, offset),
      texels.encode(scratch, offset + 16),
      texels.encode(scratch, offset + 32),
      texels.encode(scratch, offset + 48)
    );
    to += LAYER_WORDS;
    offset += 64;
  }
  leaveQuad(plane, quad);
  return offset - 16;
}
