// Binning: which 64×64 tiles a triangle touches, and the lists that tell them so: one a tile and unit of geometry, in
// the order of the triangles. A tile walks those of all units in the units' order, so that whoever made them need not
// have done so in order, and nothing has to be merged. Integer control: no four-lane body.
import {
  Arena, Bin, BIN_BLOCK_CAPACITY, BinBlock, Pass, Setup, sizeOf, TILE_SHIFT, Triangle, TriangleEdge,
} from '../layout';
import { layersOf } from '../simd/positions';

/** First block of a tile's list of the unit `list`; 0 where it has none. A unit without triangles has no BINs. */
export function headOf(pass: Pass, list: u32, tile: i32): usize {
  const bins = changetype<Bin>(load<u32>(pass.lists + (list << 2)));
  return bins ? load<u32>(changetype<usize>(bins) + offsetof<Bin>('head') + tile * sizeOf<Bin>()) : 0;
}

/** The first list of the tile, from `list` on, that is not empty; Pass.listCount when there is none. */
export function nextList(pass: Pass, list: u32, tile: i32): u32 {
  const count = pass.listCount;
  while (list < count && !headOf(pass, list, tile)) list++;
  return list;
}

/** Whether the arena holds a triangle of `bytes` and a new list block for each of `tiles` tiles. */
export function arenaHolds(arena: Arena, bytes: usize, tiles: i32): bool {
  return <u64>arena.cursor + <u64>bytes + <u64>tiles * sizeOf<BinBlock>() <= <u64>arena.end;
}

/** Puts a triangle on a tile's list. */
export function append(arena: Arena, bin: Bin, triangle: Triangle): void {
  let block = bin.tail;
  if (!block || block.count == BIN_BLOCK_CAPACITY) {
    const fresh = changetype<BinBlock>(arena.cursor);
    arena.cursor = changetype<usize>(fresh) + sizeOf<BinBlock>();
    fresh.next = changetype<BinBlock>(0);
    fresh.count = 0;
    store<u32>(
      block ? changetype<usize>(block) + offsetof<BinBlock>('next') : changetype<usize>(bin) + offsetof<Bin>('head'),
      changetype<usize>(fresh)
    );
    bin.tail = fresh;
    block = fresh;
  }
  const count = block.count;
  store<u32>(block.entries + (count << 2), changetype<usize>(triangle));
  block.count = count + 1;
}

// Whether an edge leaves some sample position of the tile inside: its value at the corner that is farthest on the inner
// side.
function reaches(edge: usize, left: i64, top: i64, extent: i64): bool {
  const a = <i64>changetype<TriangleEdge>(edge).a;
  const b = <i64>changetype<TriangleEdge>(edge).b;
  return a * (a > 0 ? left + extent : left) + b * (b > 0 ? top + extent : top) + changetype<TriangleEdge>(edge).c >= 0;
}

/** Puts a small triangle on the lists of the tiles that it touches; gives their number. */
export function binSmall(pass: Pass, arena: Arena, triangle: Triangle): i32 {
  const x = triangle.minX;
  const y = triangle.minY;
  const tilesX = pass.tilesX;
  const bins = changetype<Bin>(pass.bins);
  const tileX = x >> TILE_SHIFT;
  const tileY = y >> TILE_SHIFT;
  if (tileX == (triangle.maxX - 1) >> TILE_SHIFT && tileY == (triangle.maxY - 1) >> TILE_SHIFT) {
    append(arena, changetype<Bin>(changetype<usize>(bins) + (tileY * tilesX + tileX) * sizeOf<Bin>()), triangle);
    return 1;
  }
  const many = pass.samples > 1;
  let touched = 0;
  let cover = load<u64>(triangle.cover);
  for (let layer = layersOf(pass.samples) - 1; layer > 0; layer--) cover |= load<u64>(triangle.cover - (layer << 3));
  for (; cover; cover &= cover - 1) {
    const pixel = <i32>ctz(cover) >> (many ? 2 : 0);
    const tile = ((y + (pixel >> 2)) >> TILE_SHIFT) * tilesX + ((x + (pixel & 3)) >> TILE_SHIFT);
    if (isListed(bins, tile, changetype<usize>(triangle))) continue;
    append(arena, changetype<Bin>(changetype<usize>(bins) + tile * sizeOf<Bin>()), triangle);
    touched++;
  }
  return touched;
}

/** Whether a triangle is the last on a tile's list. */
function isListed(bins: Bin, tile: i32, triangle: usize): bool {
  const block = changetype<BinBlock>(load<u32>(changetype<usize>(bins) + offsetof<Bin>('tail') + tile * sizeOf<Bin>()));
  return changetype<usize>(block) != 0 && load<u32>(block.entries + (block.count - 1 << 2)) == triangle;
}

/**
 * Puts a triangle on the lists of the tiles that it touches; the arena has room for them (`arenaHolds`). Gives their
 * number.
 */
export function binTriangle(pass: Pass, arena: Arena, setup: Setup, triangle: Triangle): i32 {
  const tileX0 = triangle.minX >> TILE_SHIFT;
  const tileY0 = triangle.minY >> TILE_SHIFT;
  const tileX1 = (triangle.maxX - 1) >> TILE_SHIFT;
  const tileY1 = (triangle.maxY - 1) >> TILE_SHIFT;
  const tilesX = pass.tilesX;
  const bins = pass.bins;
  if (tileX0 == tileX1 && tileY0 == tileY1) {
    append(arena, changetype<Bin>(bins + (tileY0 * tilesX + tileX0) * sizeOf<Bin>()), triangle);
    return 1;
  }
  const first = <i64>setup.sampleFirst;
  const extent = <i64>(63 * 256) + <i64>setup.sampleLast - first;
  const edges = triangle.edges;
  let touched = 0;
  for (let y = tileY0; y <= tileY1; y++) for (let x = tileX0; x <= tileX1; x++) {
    const left = (<i64>x << (TILE_SHIFT + 8)) + first;
    const top = (<i64>y << (TILE_SHIFT + 8)) + first;
    if (!reaches(edges, left, top, extent) || !reaches(edges + sizeOf<TriangleEdge>(), left, top, extent)
      || !reaches(edges + sizeOf<TriangleEdge>() * 2, left, top, extent))
      continue;
    append(arena, changetype<Bin>(bins + (y * tilesX + x) * sizeOf<Bin>()), triangle);
    touched++;
  }
  return touched;
}
