// Merges sample sets of a pixel whose results are equal (sets.ts), so that they are written together and a pixel with
// one value keeps being stored as one. Most warps hold no such sets. Therefore sums of the results are compared first,
// four pixels at a time; only where two sums are equal are the results themselves compared.

import { Packer, PACKER_PIXELS, REGISTER_BYTES, SampleSets, SetRoom, Tile, VECTOR_BYTES, Warp } from '../../layout';
import { anyTrue } from '../../simd/lanes';
import { pixelMask, quadMask } from '../../tile/layers';

/**
 * Merges the further sets of a packer's entries, after the tile's warp has run them. If another set of the same pixel
 * has the same results, it takes over the samples. That set is either in the first part's entries or among the earlier
 * further ones. Returns the number of merged sets.
 */
export function mergeSets(tile: Tile, packer: Packer, sets: SampleSets, first: Warp): u32 {
  const room = tile.setRoom;
  const out = room.packer;
  const count = out.count;
  // If samples are distinguished by more than the targets, the first part has no results.
  const others = sets.apart ? 0 : first.registers + packer.draw.fragment.program.inputs * REGISTER_BYTES;
  if (out.kind == PACKER_PIXELS) return mergeLanes(tile, packer, sets, others, 0, count);
  let merged: u32 = 0;
  for (let i = 0; i < count;) {
    const entry = room.lane(i);
    let next = i + 1;
    while (next < count && room.lane(next) == entry) next++;
    const other = others ? others + (entry << 4) : 0;
    const own = ownResults(tile, sets) + (i << 4);
    if (ASC_FEATURE_SIMD ? mayHoldEqual(room.unread, other, own, next - i, sets.results) : true)
      merged += mergeLanes(tile, packer, sets, others, i << 2, next << 2);
    i = next;
  }
  return merged;
}

/** Address of the results of the second part, which the tile's warp has run. */
// @ts-ignore: decorator
@inline
function ownResults(tile: Tile, sets: SampleSets): usize {
  return tile.registers + sets.secondPart.fragment.program.inputs * REGISTER_BYTES;
}

/**
 * Whether two of `count` quads of results may be equal at a pixel. The first is at `own`. `other` is the address of
 * another quad or 0, and `sums` that of a vector for each.
 */
function mayHoldEqual(sums: usize, other: usize, own: usize, count: i32, results: i32): bool {
  const bytes: usize = results * REGISTER_BYTES;
  let end = sums;
  let like = i32x4.splat(0);
  for (let i = 0; i < count; i++) {
    const sum = sumOf(own, bytes);
    v128.store(end, sum);
    end += VECTOR_BYTES;
    own += VECTOR_BYTES;
  }
  if (other) {
    const sum = sumOf(other, bytes);
    for (let at = sums; at < end; at += VECTOR_BYTES) like = v128.or(like, i32x4.eq(sum, v128.load(at)));
  }
  return anyTrue(v128.or(like, equalAmong(sums, end)));
}

/** Lanes that are equal in two of the vectors from `at` to `end`. */
// @ts-ignore: decorator
@inline
function equalAmong(at: usize, end: usize): v128 {
  let like = i32x4.splat(0);
  // Four vectors at a time are compared with all later ones.
  for (; at + 48 < end; at += 64) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    like = v128.or(like, v128.or(i32x4.eq(a, b), i32x4.eq(a, c)));
    like = v128.or(like, v128.or(i32x4.eq(a, d), i32x4.eq(b, c)));
    like = v128.or(like, v128.or(i32x4.eq(b, d), i32x4.eq(c, d)));
    for (let later = at + 64; later < end; later += VECTOR_BYTES) {
      const e = v128.load(later);
      like = v128.or(like, v128.or(i32x4.eq(a, e), i32x4.eq(b, e)));
      like = v128.or(like, v128.or(i32x4.eq(c, e), i32x4.eq(d, e)));
    }
  }
  for (; at < end; at += VECTOR_BYTES) {
    const a = v128.load(at);
    for (let later = at + VECTOR_BYTES; later < end; later += VECTOR_BYTES)
      like = v128.or(like, i32x4.eq(a, v128.load(later)));
  }
  return like;
}

/** A sum of a quad's results in which their order matters. */
// @ts-ignore: decorator
@inline
function sumOf(at: usize, bytes: usize): v128 {
  let sum = i32x4.splat(0);
  for (const end = at + bytes; at < end; at += REGISTER_BYTES) sum = i32x4.add(i32x4.add(sum, sum), v128.load(at));
  return sum;
}

/** mergeSets for the lanes from `lane` to `end`. `others`: results of the first part, 0 if it has none. */
function mergeLanes(tile: Tile, packer: Packer, sets: SampleSets, others: usize, lane: i32, end: i32): u32 {
  const room = tile.setRoom;
  const out = room.packer;
  const own = ownResults(tile, sets);
  const results = sets.results;
  const isSingle = out.kind == PACKER_PIXELS;
  let merged: u32 = 0;
  for (; lane < end; lane++) {
    const entry = out.entry(isSingle ? lane : lane >> 2);
    const samples = isSingle ? <i32>entry.mask : pixelMask(entry.mask, lane & 3);
    if (!samples) continue;
    const source = isSingle ? room.lane(lane) : (room.lane(lane >> 2) << 2) + (lane & 3);
    if (others && sameResults(others + (source << 2), own + (lane << 2), results)) {
      const taker = packer.entry(source >> 2);
      taker.mask |= quadMask(samples, source & 3);
    } else if (!mergeEarlier(out, room, lane, samples, own, results)) continue;
    entry.mask = isSingle ? 0 : entry.mask & ~quadMask(0xffff, lane & 3);
    merged++;
  }
  return merged;
}

/** Merges a lane with an earlier one of the further sets. Returns whether one had the same results. */
function mergeEarlier(out: Packer, room: SetRoom, lane: i32, samples: i32, own: usize, results: i32): bool {
  const single = out.kind == PACKER_PIXELS;
  const step = single ? 1 : 4;
  for (let other = lane - step; other >= 0; other -= step) {
    const at = single ? other : other >> 2;
    if (room.lane(at) != room.lane(single ? lane : lane >> 2)) return false;
    const entry = out.entry(at);
    const has = single ? <i32>entry.mask : pixelMask(entry.mask, lane & 3);
    if (!has || !sameResults(own + (other << 2), own + (lane << 2), results)) continue;
    entry.mask |= single ? <u64>samples : quadMask(samples, lane & 3);
    return true;
  }
  return false;
}

/** Whether two lanes have the same bits in `count` registers. */
export function sameResults(a: usize, b: usize, count: i32): bool {
  for (const end = a + count * REGISTER_BYTES; a < end; a += REGISTER_BYTES, b += REGISTER_BYTES) {
    if (load<u32>(a) != load<u32>(b)) return false;
  }
  return true;
}
