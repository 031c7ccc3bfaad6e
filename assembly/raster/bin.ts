// Binning: finds the 64×64 tiles that a triangle touches and puts it on their lists. There is one list per tile and
// geometry task, in the order of the triangles. A tile walks the lists of all tasks in task order, so tasks can be
// processed in any order and no lists have to be merged. This is integer control code without a SIMD version.
import {
  Arena,
  Bin,
  BIN_BLOCK_CAPACITY,
  BinBlock,
  Pass,
  Setup,
  sizeOf,
  TILE_SHIFT,
  TRI_FLAG_SMALL,
  Triangle,
  TriangleEdge,
} from '../layout';
import { layersOf } from '../simd/positions';

/** First block of a tile's list of task `list`, or 0 if there is none. A task without triangles has no BINs. */
export function headOf(pass: Pass, list: u32, tile: i32): usize {
  const bins = load<usize>(pass.lists + (list << 2));
  return bins ? changetype<usize>(changetype<Bin>(bins + tile * sizeOf<Bin>()).head) : 0;
}

/** The tile's first list from `list` on that is not empty, or Pass.listCount if there is none. */
export function nextList(pass: Pass, list: u32, tile: i32): u32 {
  const count = pass.listCount;
  while (list < count && !headOf(pass, list, tile)) list++;
  return list;
}

/** Whether the arena holds a triangle of `bytes` bytes and a new list block for each of `tiles` tiles. */
export function arenaHolds(arena: Arena, bytes: usize, tiles: i32): bool {
  return <u64>arena.cursor + <u64>bytes + <u64>tiles * sizeOf<BinBlock>() <= <u64>arena.end;
}

/** Appends a triangle to a tile's list. */
export function append(arena: Arena, bin: Bin, triangle: Triangle): void {
  let block = bin.tail;
  if (!block || block.count == BIN_BLOCK_CAPACITY) {
    const fresh = changetype<BinBlock>(arena.cursor);
    arena.cursor += sizeOf<BinBlock>();
    fresh.next = changetype<BinBlock>(0);
    fresh.count = 0;
    if (block) block.next = fresh;
    else bin.head = fresh;
    bin.tail = fresh;
    block = fresh;
  }
  const count = block.count;
  store<u32>(block.entries + (count << 2), changetype<usize>(triangle));
  block.count = count + 1;
}

// Whether some sample position of the tile can be inside an edge: evaluates the edge at the tile corner that is
// farthest on its inner side.
function reaches(edge: TriangleEdge, left: i64, top: i64, extent: i64): bool {
  const a = <i64>edge.a;
  const b = <i64>edge.b;
  return a * (a > 0 ? left + extent : left) + b * (b > 0 ? top + extent : top) + edge.c >= 0;
}

/**
 * Appends a triangle to the lists of the tiles that it touches. The arena must have room for them (`arenaHolds`).
 * Returns their number.
 */
export function binTriangle(setup: Setup, triangle: Triangle): i32 {
  const pass = setup.pass;
  const x = triangle.minX >> TILE_SHIFT;
  const y = triangle.minY >> TILE_SHIFT;
  if (x == (triangle.maxX - 1) >> TILE_SHIFT && y == (triangle.maxY - 1) >> TILE_SHIFT) {
    append(pass.arena, pass.bin(y * pass.tilesX + x), triangle);
    return 1;
  }
  return triangle.flags & TRI_FLAG_SMALL ? binSmall(pass, triangle) : binLarge(pass, setup, triangle);
}

function binSmall(pass: Pass, triangle: Triangle): i32 {
  const shift = pass.samples > 1 ? 2 : 0;
  let touched = 0;
  let cover = load<u64>(triangle.cover);
  for (let layer = layersOf(pass.samples) - 1; layer > 0; layer--) cover |= load<u64>(triangle.cover - (layer << 3));
  for (; cover; cover &= cover - 1) {
    const pixel = (<i32>ctz(cover)) >> shift;
    const x = (triangle.minX + (pixel & 3)) >> TILE_SHIFT;
    const y = (triangle.minY + (pixel >> 2)) >> TILE_SHIFT;
    const bin = pass.bin(y * pass.tilesX + x);
    if (isListed(bin, triangle)) continue;
    append(pass.arena, bin, triangle);
    touched++;
  }
  return touched;
}

/** Whether a triangle is the last entry of a list. */
function isListed(bin: Bin, triangle: Triangle): bool {
  const block = bin.tail;
  if (!block) return false;
  return load<usize>(block.entries + ((block.count - 1) << 2)) == changetype<usize>(triangle);
}

function binLarge(pass: Pass, setup: Setup, triangle: Triangle): i32 {
  const first = <i64>setup.sampleFirst;
  const extent = <i64>(63 * 256) + <i64>setup.sampleLast - first;
  const lastX = (triangle.maxX - 1) >> TILE_SHIFT;
  const lastY = (triangle.maxY - 1) >> TILE_SHIFT;
  let touched = 0;
  const firstX = triangle.minX >> TILE_SHIFT;
  for (let y = triangle.minY >> TILE_SHIFT; y <= lastY; y++)
    for (let x = firstX; x <= lastX; x++) {
      const left = ((<i64>x) << (TILE_SHIFT + 8)) + first;
      const top = ((<i64>y) << (TILE_SHIFT + 8)) + first;
      if (
        !reaches(triangle.edge(0), left, top, extent)
        || !reaches(triangle.edge(1), left, top, extent)
        || !reaches(triangle.edge(2), left, top, extent)
      )
        continue;
      append(pass.arena, pass.bin(y * pass.tilesX + x), triangle);
      touched++;
    }
  return touched;
}
