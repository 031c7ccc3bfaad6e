// Computes where the quads of a warp read a flat texture: levels, texel offsets and weights, without fetching texels.
// The textures of a material mostly share coordinates, size and sampler, so the results for one are reused for the next
// (the helmet scene's five textures: 1.3× faster overall).
//
//   RUNS   the size in bytes of what follows; per run of quads of one level: first, end (byte offsets in registers),
//          level, RUN_*
//   TAPS   for each of two levels and 16 quads, one v128 each: byte offsets x0, x1, row0, row1; weights of bytes;
//          fractions x, y
import { Access, Footprint, ReadRun, sizeOf, Texture, TextureLevel } from '../layout';
import { firstIndices, secondIndices, tapsOfQuad, wholeInts } from './addresses/axis';
import { RUN_LINEAR, RUN_MIXES } from './texels/classes';
import { byteWeights } from './texels/filter';
import { isLinear, levelPosition } from './level';

/** A quad's taps in the first (`next` 0) or second level of its run. */
export function tapsAt(access: Access, next: usize, quad: usize): Footprint {
  return changetype<Footprint>(access.footprints + (next * 16 + (quad >> 4)) * sizeOf<Footprint>());
}

// The byte offset of each pixel's array layer.
function layerOffsets(access: Access, texture: Texture, record: TextureLevel, quad: usize): v128 {
  const register = access.layer;
  if (!register) return i32x4.splat(0);
  const last = i32x4.splat(texture.layers - 1);
  const layers = i32x4.max_s(i32x4.min_s(v128.load(register + quad), last), i32x4.splat(0));
  return i32x4.mul(layers, i32x4.splat(record.layerBytes));
}

/**
 * Computes the taps of a run's quads in its level, or in the next level for the quads that have a fraction of it.
 * `shift` is log2 of the bytes per texel.
 */
function tapsInLevel(access: Access, shift: i32, run: ReadRun, next: usize): void {
  const texture = access.texture;
  const sampler = access.sampler;
  const linear = (run.flags & RUN_LINEAR) != 0;
  const index = run.level + next;
  const record = texture.level(index);
  const width = max<i32>(1, texture.width >> index);
  const height = max<i32>(1, texture.height >> index);
  const modeU = sampler.addressU;
  const modeV = sampler.addressV;
  const offsetX = access.offsetX;
  const offsetY = access.offsetY;
  const us = access.u;
  const vs = access.v;
  const center: f32 = linear ? 0.5 : 0;
  const shiftX = f32x4.splat(<f32>offsetX - center);
  const shiftY = f32x4.splat(<f32>offsetY - center);
  const widths = f32x4.splat(<f32>width);
  const heights = f32x4.splat(<f32>height);
  const lastX = i32x4.splat(width - 1);
  const lastY = i32x4.splat(height - 1);
  const rowBytes = i32x4.splat(record.rowBytes);
  const one = i32x4.splat(1);
  const end = run.end;
  for (let quad = run.first; quad < end; quad += 16) {
    if (next && load<f32>(access.quadFractions + (quad >> 2)) == 0) continue;
    const taps = tapsAt(access, next, quad);
    const x = tapsOfQuad(v128.load(us + quad), widths, modeU, shiftX, offsetX != 0);
    const y = tapsOfQuad(v128.load(vs + quad), heights, modeV, shiftY, offsetY != 0);
    const wholeX = f32x4.floor(x);
    const wholeY = f32x4.floor(y);
    const i = wholeInts(wholeX);
    const j = wholeInts(wholeY);
    const layers = layerOffsets(access, texture, record, quad);
    v128.store(taps.x0, i32x4.shl(firstIndices(i, lastX, modeU), shift));
    v128.store(taps.row0, i32x4.add(layers, i32x4.mul(firstIndices(j, lastY, modeV), rowBytes)));
    if (!linear) continue;
    const fx = f32x4.sub(x, wholeX);
    v128.store(taps.x1, i32x4.shl(secondIndices(i32x4.add(i, one), lastX, modeU), shift));
    v128.store(taps.row1, i32x4.add(layers, i32x4.mul(secondIndices(i32x4.add(j, one), lastY, modeV), rowBytes)));
    v128.store(taps.weights, byteWeights(fx));
    v128.store(taps.fx, fx);
    v128.store(taps.fy, f32x4.sub(y, wholeY));
  }
}

/** Writes RUNS and TAPS of the quads whose bit is set in `single`, from their levels of detail at Access.quadLods. */
export function tapsOfWarp(access: Access, shift: i32, single: i32, end: usize): void {
  const texture = access.texture;
  const sampler = access.sampler;
  const lods = access.quadLods;
  let bytes: u32 = 0;
  let quad: usize = 0;
  while (quad < end) {
    if (!((single >> (quad >> 4)) & 1)) {
      quad += 16;
      continue;
    }
    const run = changetype<ReadRun>(access.runs + sizeOf<ReadRun>() + bytes);
    const first = quad;
    const linear = isLinear(sampler, load<f32>(lods + (quad >> 2)));
    let index = 0;
    let mixes = false;
    for (; quad < end && (single >> (quad >> 4)) & 1; quad += 16) {
      const lod = load<f32>(lods + (quad >> 2));
      const position = levelPosition(texture, sampler, lod);
      const whole = floor<f32>(position);
      if (quad == first) index = <i32>whole;
      else if (<i32>whole != index || isLinear(sampler, lod) != linear) break;
      store<f32>(access.quadFractions + (quad >> 2), position - whole);
      mixes = mixes || position != whole;
    }
    run.first = first;
    run.end = quad;
    run.level = index;
    run.flags = (linear ? RUN_LINEAR : 0) | (mixes ? RUN_MIXES : 0);
    tapsInLevel(access, shift, run, 0);
    if (mixes) tapsInLevel(access, shift, run, 1);
    bytes += sizeOf<ReadRun>();
  }
  store<u32>(access.runs, bytes);
}

// The inputs of the taps besides the coordinates, as 16 words: the read and its level, the texture, the sampler.
function keyFirst(access: Access, shift: i32, end: usize): v128 {
  const v = i32x4.replace_lane(i32x4.splat(access.texture.level(0).rowBytes), 1, end);
  return i32x4.replace_lane(i32x4.replace_lane(v, 2, (access.offsetX << 8) | shift), 3, access.offsetY);
}

function keySize(texture: Texture): v128 {
  const size = v128.load64_zero(changetype<usize>(texture) + offsetof<Texture>('width'));
  return i32x4.replace_lane(size, 2, texture.levelCount);
}

/** Invalidates the taps, so that the next read does not reuse them. */
export function forgetTaps(access: Access): void {
  store<i32>(access.key + 4, 0);
}

/** Whether RUNS and TAPS are valid for this read, whose levels of detail are implicit. */
export function haveTaps(access: Access, shift: i32, end: usize): bool {
  if (access.layer) return false;
  const key = access.key;
  const sampler = changetype<usize>(access.sampler);
  let different = v128.xor(keyFirst(access, shift, end), v128.load(key));
  different = v128.or(different, v128.xor(keySize(access.texture), v128.load(key, 16)));
  different = v128.or(different, v128.xor(v128.load(sampler), v128.load(key, 32)));
  different = v128.or(different, v128.xor(v128.load(sampler, 16), v128.load(key, 48)));
  if (v128.any_true(different)) return false;
  const us = access.u;
  const vs = access.v;
  for (let quad: usize = 0; quad < end; quad += 16) {
    const u = v128.xor(v128.load(us + quad), v128.load(access.keyU + quad));
    if (v128.any_true(v128.or(u, v128.xor(v128.load(vs + quad), v128.load(access.keyV + quad))))) return false;
  }
  return true;
}

/** Stores the inputs of the taps for comparison with the next read. */
export function rememberTaps(access: Access, shift: i32, end: usize): void {
  if (access.layer) {
    forgetTaps(access);
    return;
  }
  v128.store(access.key, keyFirst(access, shift, end));
  v128.store(access.key, keySize(access.texture), 16);
  memory.copy(access.key + 32, changetype<usize>(access.sampler), 32);
  memory.copy(access.keyU, access.u, end);
  memory.copy(access.keyV, access.v, end);
}
