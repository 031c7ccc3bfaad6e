// Texture sampling for a warp. Flat textures of common formats are read level by level for runs of quads, from the taps
// that taps.ts computes. A v128 holds the channels of one pixel; the results are transposed at the end. All other reads
// go through quad.ts.
//
// Twin: sample.scalar.ts.
import {
  Access,
  DIMENSION_2D,
  DIMENSION_2D_ARRAY,
  Footprint,
  MODE_IMPLICIT,
  QUAD_WORDS_BYTES,
  ReadRun,
  sizeOf,
  Texture,
  VECTOR_BYTES,
} from '../layout';
import { isSplat, madd, transposeColumn0, transposeColumn1, transposeColumn2, transposeColumn3 } from '../simd/lanes';
import {
  BYTE_SCALE,
  channelsOf,
  CLASS_BYTES1,
  CLASS_BYTES2,
  CLASS_BYTES4,
  CLASS_HALF4,
  CLASS_SRGB,
  classOf,
  isBlueFirst,
  RUN_LINEAR,
  RUN_MIXES,
} from './texels/classes';
import { bilinear, decodeTexel, texelShift } from './texels/filter';
import { sampleEllipse } from './ellipse';
import { hasEllipse } from './footprints';
import { needsLod } from './level';
import { implicitLods, lodsOfQuad } from './lods';
import { sampleQuad, storeChannels } from './quad';
import { sampleWarpScalar } from './sample.scalar';
import { forgetTaps, haveTaps, rememberTaps, tapsAt, tapsOfWarp } from './taps';
import { prepareTexels } from './texels/texels';

// Filters the four texels of one pixel; `taps` is the footprint of its quad, moved on by the pixel's lane.
// @ts-ignore: decorator
@inline function footprint<C>(base: usize, taps: Footprint): v128 {
  const row0 = base + load<u32>(taps.row0);
  const row1 = base + load<u32>(taps.row1);
  const x0 = load<u32>(taps.x0);
  const x1 = load<u32>(taps.x1);
  const across = v128.load32_splat(isInteger<C>() ? taps.weights : taps.fx);
  return bilinear<C>(row0 + x0, row0 + x1, row1 + x0, row1 + x1, across, v128.load32_splat(taps.fy));
}

// Shift that turns the offset of a quad's v128 in a register into that of its word in an array of words.
// @ts-ignore: decorator
@inline const WORD_SHIFT = 2;
// Offsets at Access.result.
// @ts-ignore: decorator
@inline const RESULT_GREEN = sizeof<u32>();
// @ts-ignore: decorator
@inline const RESULT_ALPHA = 3 * sizeof<u32>();

function nearest<C>(base: usize, taps: Footprint): v128 {
  return decodeTexel<C>(base + load<u32>(taps.row0) + load<u32>(taps.x0));
}

// Writes or mixes one channel of a quad. Channels that the format lacks are written elsewhere, once.
function put(result: usize, quad: usize, v: v128, scale: v128, mix: bool, fractions: v128): void {
  if (!result) return;
  if (mix) {
    const a = v128.load(result + quad);
    v = madd(f32x4.sub(v, a), fractions, a);
  }
  v128.store(result + quad, f32x4.mul(v, scale));
}

/**
 * Reads one level of a run of quads. `next`: the run's second level, mixed into the results by the quads' fractions.
 * Byte classes are scaled with the last level that a quad needs.
 *
 * Tried: touching a run's texels before filtering, to overlap cache misses; level<u32> became 20 % slower
 * (helmet scene: 38 → 46 ms per frame).
 */
function level<C>(access: Access, run: ReadRun, next: usize, swap: usize): void {
  const linear = (run.flags & RUN_LINEAR) != 0;
  const index = run.level + next;
  const base = access.texture.level(index).address;
  const result0 = load<u32>(access.result + (swap << alignof<u32>()));
  const result1 = load<u32>(access.result + RESULT_GREEN);
  const result2 = load<u32>(access.result + ((swap ^ 2) << alignof<u32>()));
  const result3 = load<u32>(access.result + RESULT_ALPHA);
  const fullScale: f32 = isInteger<C>() ? BYTE_SCALE : 1;
  const mix = next != 0;
  const end = run.end;
  for (let quad = run.first; quad < end; quad += VECTOR_BYTES) {
    const fraction = load<f32>(access.quadFractions + (quad >> WORD_SHIFT));
    if (mix && fraction == 0) continue;
    const taps = tapsAt(access, next, quad);
    const a = linear ? footprint<C>(base, taps) : nearest<C>(base, taps);
    const b = linear ? footprint<C>(base, taps.lane(1)) : nearest<C>(base, taps.lane(1));
    const c = linear ? footprint<C>(base, taps.lane(2)) : nearest<C>(base, taps.lane(2));
    const d = linear ? footprint<C>(base, taps.lane(3)) : nearest<C>(base, taps.lane(3));
    const fractions = f32x4.splat(fraction);
    const scale = f32x4.splat(mix || fraction == 0 ? fullScale : 1);
    put(result0, quad, transposeColumn0(a, b, c, d), scale, mix, fractions);
    if (!isInteger<C>() || sizeof<C>() >= 2) put(result1, quad, transposeColumn1(a, b, c, d), scale, mix, fractions);
    if (!isInteger<C>() || sizeof<C>() == 4) {
      put(result2, quad, transposeColumn2(a, b, c, d), scale, mix, fractions);
      put(result3, quad, transposeColumn3(a, b, c, d), scale, mix, fractions);
    }
  }
}

// Fills the channels that the format lacks: green and blue are 0, alpha is 1.
function fillMissing(access: Access, channels: i32, end: usize): void {
  for (let c = channels; c < 4; c++) {
    const result = load<u32>(access.result + (c << alignof<u32>()));
    if (!result) continue;
    const value = f32x4.splat(c == 3 ? 1 : 0);
    for (let quad: usize = 0; quad < end; quad += VECTOR_BYTES) v128.store(result + quad, value);
  }
}

// Prepares the QUAD READ record for quads that take the general path (quad.ts).
function prepareGeneral(access: Access, swap: usize): void {
  const read = access.quadRead;
  let wanted = 0;
  for (let c: usize = 0; c < 4; c++) {
    if (load<u32>(access.result + (c << alignof<u32>()))) wanted |= 1 << i32(c & 1 ? c : c ^ swap);
  }
  read.wanted = wanted;
  read.format = read.own;
  prepareTexels(read.own, access.texture.format, false);
}

// Reads one quad through the general path.
function general(access: Access, quad: usize, lods: v128, swap: usize): void {
  const read = access.quadRead;
  sampleQuad(access, read, quad, lods);
  storeChannels(access, read, quad, swap);
}

// Samples a flat texture. Quads with a single level of detail use the code for class `C` (filter.ts).
function sampleFlat<C>(access: Access, texture: Texture, swap: usize): void {
  const sampler = access.sampler;
  const lods = access.quadLods;
  const end = access.quads << 4;
  const shift = texelShift<C>();
  if (access.mode == MODE_IMPLICIT || !needsLod(texture, sampler)) {
    if (!haveTaps(access, shift, end)) {
      if (needsLod(texture, sampler)) implicitLods(access, end, lods);
      else memory.fill(lods, 0, QUAD_WORDS_BYTES);
      tapsOfWarp(access, shift, 0xffff, end);
      rememberTaps(access, shift, end);
    }
  } else {
    prepareGeneral(access, swap);
    let single = 0;
    for (let quad: usize = 0; quad < end; quad += VECTOR_BYTES) {
      const own = lodsOfQuad(access, quad);
      if (isSplat(own)) {
        single |= 1 << (quad >> 4);
        store<f32>(lods + (quad >> WORD_SHIFT), f32x4.extract_lane(own, 0));
      } else general(access, quad, own, swap);
    }
    tapsOfWarp(access, shift, single, end);
    forgetTaps(access);
  }
  const last = load<u32>(access.runs);
  for (let at: usize = 0; at < last; at += sizeOf<ReadRun>()) {
    const run = changetype<ReadRun>(access.runs + sizeOf<ReadRun>() + at);
    level<C>(access, run, 0, swap);
    if (run.flags & RUN_MIXES) level<C>(access, run, 1, swap);
  }
}

// Samples any texture through the general path.
function sampleGeneral(access: Access, texture: Texture, swap: usize): void {
  prepareGeneral(access, swap);
  const derive = needsLod(texture, access.sampler);
  const end = access.quads << 4;
  if (hasEllipse(access)) {
    const read = access.quadRead;
    for (let quad: usize = 0; quad < end; quad += VECTOR_BYTES) {
      sampleEllipse(access, read, quad);
      storeChannels(access, read, quad, swap);
    }
    return;
  }
  for (let quad: usize = 0; quad < end; quad += VECTOR_BYTES)
    general(access, quad, derive ? lodsOfQuad(access, quad) : f32x4.splat(0), swap);
}

function sampleQuads(access: Access): void {
  const texture = access.texture;
  const format = texture.format;
  const textureClass = classOf(format);
  const swap: usize = isBlueFirst(format) ? 2 : 0;
  const dimension = texture.dimension;
  if ((dimension != DIMENSION_2D && dimension != DIMENSION_2D_ARRAY) || texture.stream || hasEllipse(access)) {
    sampleGeneral(access, texture, swap);
    return;
  }
  switch (textureClass) {
    case CLASS_BYTES4:
      sampleFlat<u32>(access, texture, swap);
      break;
    case CLASS_BYTES2:
      sampleFlat<u16>(access, texture, swap);
      break;
    case CLASS_BYTES1:
      sampleFlat<u8>(access, texture, swap);
      break;
    case CLASS_SRGB:
      sampleFlat<f32>(access, texture, swap);
      break;
    case CLASS_HALF4:
      sampleFlat<f64>(access, texture, swap);
      break;
    default:
      sampleGeneral(access, texture, swap);
      return;
  }
  fillMissing(access, channelsOf(textureClass), access.quads << 4);
}

/** Executes the ACCESS record for all quads of its warp. */
export function sampleWarp(access: Access): void {
  if (ASC_FEATURE_SIMD) sampleQuads(access);
  else sampleWarpScalar(access);
}
