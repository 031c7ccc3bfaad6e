// Where the quads of a warp read a flat texture: levels, texel offsets and weights, apart from the texels themselves. Textures of one
// material mostly share coordinates, size and sampler: what was worked out for one serves the next (the helmet's five: 1.3× in all).
//
//   RUNS     count, then for each run of quads with one level: first, end (byte offsets in registers), level, RUN_*
//   PLACES   for each of two levels and 16 quads, a v128 each: byte offsets x0, x1, row0, row1; weights of bytes; fractions x, y
import { ACCESS_LAYER, ACCESS_OFFSET_X, ACCESS_OFFSET_Y, ACCESS_SAMPLER, ACCESS_TEXTURE, ACCESS_U, ACCESS_V } from '../layout/program';
import * as T from '../layout/texture';
import { firstIndices, placeQuad, secondIndices, wholeInts } from './axis';
import { PLACED_KEY, PLACED_U, PLACED_V, PLACES, PLACE_BYTES, PLACE_FX, PLACE_FY, PLACE_ROW0, PLACE_ROW1, PLACE_WEIGHTS, PLACE_X0, PLACE_X1, RUNS, RUN_BYTES, RUN_END, RUN_FIRST, RUN_FLAGS, RUN_LEVEL, RUN_LINEAR, RUN_MIXES, SCRATCH_QUAD_FRACTIONS, SCRATCH_QUAD_LODS } from './classes';
import { byteWeights } from './filter';
import { isLinear, levelPosition } from './level';

/** Address of a quad's place in the first (`next` 0) or second level of its run. */
// @ts-ignore: decorator
@inline export function placeOf(access: usize, next: usize, quad: usize): usize { return access + PLACES + (next * 16 + (quad >> 4)) * PLACE_BYTES; }

// Byte offset of each pixel's layer.
// @ts-ignore: decorator
@inline function layerOffsets(access: usize, texture: usize, record: usize, quad: usize): v128 {
  const register = <usize>load<u32>(access + ACCESS_LAYER);
  if (!register) return i32x4.splat(0);
  const last = i32x4.splat(load<i32>(texture + T.TEXTURE_LAYERS) - 1);
  const layers = i32x4.max_s(i32x4.min_s(v128.load(register + quad), last), i32x4.splat(0));
  return i32x4.mul(layers, i32x4.splat(load<i32>(record + T.LEVEL_LAYER_BYTES)));
}

/** Places of the quads first … end in one level; `shift`: bytes of a texel. In the second level, of those that have a fraction of it. */
function placeLevel(access: usize, shift: i32, first: usize, end: usize, index: i32, linear: bool, next: usize): void {
  const texture = <usize>load<u32>(access + ACCESS_TEXTURE);
  const sampler = <usize>load<u32>(access + ACCESS_SAMPLER);
  const record = texture + T.TEXTURE_LEVEL0 + <usize>(index * T.TEXTURE_LEVEL_BYTES);
  const width = max<i32>(1, load<i32>(texture + T.TEXTURE_WIDTH) >> index);
  const height = max<i32>(1, load<i32>(texture + T.TEXTURE_HEIGHT) >> index);
  const modeU = load<i32>(sampler + T.SAMPLER_ADDRESS_U);
  const modeV = load<i32>(sampler + T.SAMPLER_ADDRESS_V);
  const offsetX = load<i32>(access + ACCESS_OFFSET_X);
  const offsetY = load<i32>(access + ACCESS_OFFSET_Y);
  const us = <usize>load<u32>(access + ACCESS_U);
  const vs = <usize>load<u32>(access + ACCESS_V);
  const center: f32 = linear ? 0.5 : 0;
  const shiftX = f32x4.splat(<f32>offsetX - center);
  const shiftY = f32x4.splat(<f32>offsetY - center);
  const widths = f32x4.splat(<f32>width);
  const heights = f32x4.splat(<f32>height);
  const lastX = i32x4.splat(width - 1);
  const lastY = i32x4.splat(height - 1);
  const rowBytes = i32x4.splat(load<i32>(record + T.LEVEL_ROW_BYTES));
  const one = i32x4.splat(1);
  for (let quad = first; quad < end; quad += 16) {
    if (next && load<f32>(access + SCRATCH_QUAD_FRACTIONS + (quad >> 2)) == 0) continue;
    const place = placeOf(access, next, quad);
    const x = placeQuad(v128.load(us + quad), widths, modeU, shiftX, offsetX != 0);
    const y = placeQuad(v128.load(vs + quad), heights, modeV, shiftY, offsetY != 0);
    const wholeX = f32x4.floor(x);
    const wholeY = f32x4.floor(y);
    const i = wholeInts(wholeX);
    const j = wholeInts(wholeY);
    const layers = layerOffsets(access, texture, record, quad);
    v128.store(place, i32x4.shl(firstIndices(i, lastX, modeU), shift), PLACE_X0);
    v128.store(place, i32x4.add(layers, i32x4.mul(firstIndices(j, lastY, modeV), rowBytes)), PLACE_ROW0);
    if (!linear) continue;
    const fx = f32x4.sub(x, wholeX);
    v128.store(place, i32x4.shl(secondIndices(i32x4.add(i, one), lastX, modeU), shift), PLACE_X1);
    v128.store(place, i32x4.add(layers, i32x4.mul(secondIndices(i32x4.add(j, one), lastY, modeV), rowBytes)), PLACE_ROW1);
    v128.store(place, byteWeights(fx), PLACE_WEIGHTS);
    v128.store(place, fx, PLACE_FX);
    v128.store(place, f32x4.sub(y, wholeY), PLACE_FY);
  }
}

/** Writes RUNS and PLACES of the quads whose bit is set in `single`, from their levels of detail at SCRATCH_QUAD_LODS. */
export function placeWarp(access: usize, shift: i32, single: i32, end: usize): void {
  const texture = <usize>load<u32>(access + ACCESS_TEXTURE);
  const sampler = <usize>load<u32>(access + ACCESS_SAMPLER);
  const lods = access + SCRATCH_QUAD_LODS;
  let run = access + RUNS + RUN_BYTES;
  let quad: usize = 0;
  while (quad < end) {
    if (!(single >> <i32>(quad >> 4) & 1)) {
      quad += 16;
      continue;
    }
    const first = quad;
    const linear = isLinear(sampler, load<f32>(lods + (quad >> 2)));
    let index = 0;
    let mixes = false;
    for (; quad < end && single >> <i32>(quad >> 4) & 1; quad += 16) {
      const lod = load<f32>(lods + (quad >> 2));
      const position = levelPosition(texture, sampler, lod);
      const whole = floor<f32>(position);
      if (quad == first) index = <i32>whole;
      else if (<i32>whole != index || isLinear(sampler, lod) != linear) break;
      store<f32>(access + SCRATCH_QUAD_FRACTIONS + (quad >> 2), position - whole);
      mixes = mixes || position != whole;
    }
    store<u32>(run, <u32>first, RUN_FIRST);
    store<u32>(run, <u32>quad, RUN_END);
    store<i32>(run, index, RUN_LEVEL);
    store<i32>(run, (linear ? RUN_LINEAR : 0) | (mixes ? RUN_MIXES : 0), RUN_FLAGS);
    placeLevel(access, shift, first, quad, index, linear, 0);
    if (mixes) placeLevel(access, shift, first, quad, index + 1, linear, 1);
    run += RUN_BYTES;
  }
  store<u32>(access + RUNS, <u32>(run - access - RUNS - RUN_BYTES));
}

// What places follow from, besides the coordinates, as 16 words.
// @ts-ignore: decorator
@inline function keyFirst(access: usize, texture: usize, shift: i32, end: usize): v128 {
  const v = i32x4.replace_lane(v128.load32_zero(texture + T.TEXTURE_LEVEL0 + T.LEVEL_ROW_BYTES), 1, <i32>end);
  return i32x4.replace_lane(i32x4.replace_lane(v, 2, load<i32>(access + ACCESS_OFFSET_X) << 8 | shift), 3, load<i32>(access + ACCESS_OFFSET_Y));
}

// @ts-ignore: decorator
@inline function keySize(texture: usize): v128 { return v128.load32_lane(texture + T.TEXTURE_LEVELS, v128.load64_zero(texture + T.TEXTURE_WIDTH), 2); }

/** Forgets the places: the next read does not follow from them. */
export function forgetPlaces(access: usize): void { store<i32>(access + PLACED_KEY, 0, 4); }

/** Whether RUNS and PLACES are those of this read, whose levels of detail are implicit. */
export function arePlaced(access: usize, texture: usize, sampler: usize, shift: i32, end: usize): bool {
  if (load<u32>(access + ACCESS_LAYER)) return false;
  const key = access + PLACED_KEY;
  let different = v128.xor(keyFirst(access, texture, shift, end), v128.load(key));
  different = v128.or(different, v128.xor(keySize(texture), v128.load(key, 16)));
  different = v128.or(different, v128.xor(v128.load(sampler), v128.load(key, 32)));
  different = v128.or(different, v128.xor(v128.load(sampler, 16), v128.load(key, 48)));
  if (v128.any_true(different)) return false;
  const us = <usize>load<u32>(access + ACCESS_U);
  const vs = <usize>load<u32>(access + ACCESS_V);
  for (let quad: usize = 0; quad < end; quad += 16) {
    const u = v128.xor(v128.load(us + quad), v128.load(access + quad, PLACED_U));
    if (v128.any_true(v128.or(u, v128.xor(v128.load(vs + quad), v128.load(access + quad, PLACED_V))))) return false;
  }
  return true;
}

/** Notes what the places were made of. */
export function rememberPlaces(access: usize, texture: usize, sampler: usize, shift: i32, end: usize): void {
  if (load<u32>(access + ACCESS_LAYER)) {
    forgetPlaces(access);
    return;
  }
  const key = access + PLACED_KEY;
  v128.store(key, keyFirst(access, texture, shift, end));
  v128.store(key, keySize(texture), 16);
  v128.store(key, v128.load(sampler), 32);
  v128.store(key, v128.load(sampler, 16), 48);
  memory.copy(access + PLACED_U, <usize>load<u32>(access + ACCESS_U), end);
  memory.copy(access + PLACED_V, <usize>load<u32>(access + ACCESS_V), end);
}
