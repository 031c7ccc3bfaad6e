// Binning: which 64×64 tiles a triangle touches, and the lists that tell them so: one a tile and unit of geometry, in the order of the
// triangles. A tile walks those of all units in the units' order, so that whoever made them need not have done so in order, and nothing has to be
// merged. Integer control: no four-lane body.
import { TILE_SHIFT } from '../layout/limits';
import { layersOf } from '../simd/positions';
import { ARENA_CURSOR, ARENA_END, BIN_BLOCK_BYTES, BIN_BLOCK_CAPACITY, BIN_BLOCK_COUNT, BIN_BLOCK_ENTRIES, BIN_BLOCK_NEXT, BIN_BYTES, BIN_HEAD, BIN_TAIL, PASS_BINS, PASS_LIST_COUNT, PASS_LISTS, PASS_SAMPLES, PASS_TILES_X } from '../layout/pass';
import { SETUP_SAMPLE_FIRST, SETUP_SAMPLE_LAST } from '../layout/packet';
import {
  TRI_COVER, TRI_EDGE_A, TRI_EDGE_B, TRI_EDGE_BYTES, TRI_EDGE_C, TRI_EDGES, TRI_MAX_X, TRI_MAX_Y, TRI_MIN_X, TRI_MIN_Y,
} from '../layout/triangle';

/** First block of a tile's list of the unit `list`; 0 where it has none. A unit without triangles has no BINs. */
export function headOf(pass: usize, list: u32, tile: i32): usize {
  const bins = <usize>load<u32>(<usize>load<u32>(pass + PASS_LISTS) + (<usize>list << 2));
  return bins ? <usize>load<u32>(bins + <usize>tile * BIN_BYTES + BIN_HEAD) : 0;
}

/** The first list of the tile, from `list` on, that is not empty; PASS_LIST_COUNT when there is none. */
export function nextList(pass: usize, list: u32, tile: i32): u32 {
  const count = load<u32>(pass + PASS_LIST_COUNT);
  while (list < count && !headOf(pass, list, tile)) list++;
  return list;
}

/** Whether the arena holds a triangle of `bytes` and a new list block for each of `tiles` tiles. */
export function arenaHolds(arena: usize, bytes: usize, tiles: i32): bool {
  return <u64>load<u32>(arena + ARENA_CURSOR) + <u64>bytes + <u64>tiles * BIN_BLOCK_BYTES <= <u64>load<u32>(arena + ARENA_END);
}

/** Puts a triangle on a tile's list. */
export function append(arena: usize, bin: usize, triangle: usize): void {
  let block = <usize>load<u32>(bin + BIN_TAIL);
  if (!block || load<i32>(block + BIN_BLOCK_COUNT) == BIN_BLOCK_CAPACITY) {
    const fresh = <usize>load<u32>(arena + ARENA_CURSOR);
    store<u32>(arena + ARENA_CURSOR, <u32>fresh + BIN_BLOCK_BYTES);
    store<u32>(fresh + BIN_BLOCK_NEXT, 0);
    store<i32>(fresh + BIN_BLOCK_COUNT, 0);
    store<u32>(block ? block + BIN_BLOCK_NEXT : bin + BIN_HEAD, <u32>fresh);
    store<u32>(bin + BIN_TAIL, <u32>fresh);
    block = fresh;
  }
  const count = load<i32>(block + BIN_BLOCK_COUNT);
  store<u32>(block + BIN_BLOCK_ENTRIES + (<usize>count << 2), <u32>triangle);
  store<i32>(block + BIN_BLOCK_COUNT, count + 1);
}

// Whether an edge leaves some sample position of the tile inside: its value at the corner that is farthest on the inner side.
// @ts-ignore: decorator
@inline function reaches(edge: usize, left: i64, top: i64, extent: i64): bool {
  const a = <i64>load<i32>(edge + TRI_EDGE_A);
  const b = <i64>load<i32>(edge + TRI_EDGE_B);
  return a * (a > 0 ? left + extent : left) + b * (b > 0 ? top + extent : top) + load<i64>(edge + TRI_EDGE_C) >= 0;
}

/** Puts a small triangle on the lists of the tiles that it touches; gives their number. */
export function binSmall(pass: usize, arena: usize, triangle: usize): i32 {
  const x = load<i32>(triangle + TRI_MIN_X);
  const y = load<i32>(triangle + TRI_MIN_Y);
  const tilesX = load<i32>(pass + PASS_TILES_X);
  const bins = <usize>load<u32>(pass + PASS_BINS);
  const tileX = x >> TILE_SHIFT;
  const tileY = y >> TILE_SHIFT;
  if (tileX == (load<i32>(triangle + TRI_MAX_X) - 1) >> TILE_SHIFT && tileY == (load<i32>(triangle + TRI_MAX_Y) - 1) >> TILE_SHIFT) {
    append(arena, bins + <usize>((tileY * tilesX + tileX) * BIN_BYTES), triangle);
    return 1;
  }
  const many = load<i32>(pass + PASS_SAMPLES) > 1;
  let touched = 0;
  let cover = load<u64>(triangle + TRI_COVER);
  for (let layer = layersOf(load<i32>(pass + PASS_SAMPLES)) - 1; layer > 0; layer--) cover |= load<u64>(triangle + TRI_COVER - (<usize>layer << 3));
  for (; cover; cover &= cover - 1) {
    const pixel = <i32>ctz(cover) >> (many ? 2 : 0);
    const tile = ((y + (pixel >> 2)) >> TILE_SHIFT) * tilesX + ((x + (pixel & 3)) >> TILE_SHIFT);
    if (isListed(bins, tile, triangle)) continue;
    append(arena, bins + <usize>(tile * BIN_BYTES), triangle);
    touched++;
  }
  return touched;
}

/** Whether a triangle is the last on a tile's list. */
function isListed(bins: usize, tile: i32, triangle: usize): bool {
  const block = <usize>load<u32>(bins + <usize>(tile * BIN_BYTES) + BIN_TAIL);
  return block != 0 && <usize>load<u32>(block + BIN_BLOCK_ENTRIES + <usize>(load<i32>(block + BIN_BLOCK_COUNT) - 1 << 2)) == triangle;
}

/** Puts a triangle on the lists of the tiles that it touches; the arena has room for them (`arenaHolds`). Gives their number. */
export function binTriangle(pass: usize, arena: usize, setup: usize, triangle: usize): i32 {
  const tileX0 = load<i32>(triangle + TRI_MIN_X) >> TILE_SHIFT;
  const tileY0 = load<i32>(triangle + TRI_MIN_Y) >> TILE_SHIFT;
  const tileX1 = (load<i32>(triangle + TRI_MAX_X) - 1) >> TILE_SHIFT;
  const tileY1 = (load<i32>(triangle + TRI_MAX_Y) - 1) >> TILE_SHIFT;
  const tilesX = load<i32>(pass + PASS_TILES_X);
  const bins = <usize>load<u32>(pass + PASS_BINS);
  if (tileX0 == tileX1 && tileY0 == tileY1) {
    append(arena, bins + <usize>((tileY0 * tilesX + tileX0) * BIN_BYTES), triangle);
    return 1;
  }
  const first = <i64>load<i32>(setup + SETUP_SAMPLE_FIRST);
  const extent = <i64>(63 * 256) + <i64>load<i32>(setup + SETUP_SAMPLE_LAST) - first;
  const edges = triangle + TRI_EDGES;
  let touched = 0;
  for (let y = tileY0; y <= tileY1; y++) for (let x = tileX0; x <= tileX1; x++) {
    const left = (<i64>x << (TILE_SHIFT + 8)) + first;
    const top = (<i64>y << (TILE_SHIFT + 8)) + first;
    if (!reaches(edges, left, top, extent) || !reaches(edges + TRI_EDGE_BYTES, left, top, extent) || !reaches(edges + TRI_EDGE_BYTES * 2, left, top, extent)) continue;
    append(arena, bins + <usize>((y * tilesX + x) * BIN_BYTES), triangle);
    touched++;
  }
  return touched;
}
