// Counts what the 8×8 blocks of a finished tile hold, for statistics: how much of a picture needed work per block, per
// pixel or per sample. Blocks within the pass are counted each time their tile is run, if STAT_FLAG_BLOCKS is set. A
// block counts as the first of these that applies:
//   plane    one triangle covered all its samples when the tile's flush began: it was shaded as one warp
//   clear    no colour was written to it: all targets hold their clear value as a state (never for targets with one
//            sample that the pass loads)
//   sample   multisampled, and some target stores a pixel with one texel per sample
//   pixel    all others: one colour per pixel
// In a pass without colour targets, depth decides: one triangle's plane, the clear value, otherwise by the number of
// samples.
import {
  DEPTH_CLEAR,
  DEPTH_STORED,
  MAX_COLOR_TARGETS,
  STAT_FLAG_BLOCKS,
  Statistics,
  Tile,
  TILE_BLOCKS,
} from '../layout';

function asked(tile: Tile): bool {
  return (tile.pass.statistics.flags & STAT_FLAG_BLOCKS) != 0;
}

function add(tile: Tile, counter: i32): void {
  const at = changetype<usize>(tile.pass.statistics) + counter;
  store<u32>(at, load<u32>(at) + 1);
}

/** Called before the tile's flush: records the blocks that one triangle covers. */
export function notePlanes(tile: Tile): void {
  if (!asked(tile)) return;
  let planes: u64 = 0;
  for (let block = 0; block < TILE_BLOCKS; block++) {
    planes |= (<u64>(load<u32>(tile.blockIds + (block << 2)) != 0)) << block;
  }
  tile.planeBlocks = planes;
}

/** Called after the flush, before blocks are expanded for storing: counts all blocks. */
export function countBlocks(tile: Tile): void {
  if (!asked(tile)) return;
  const width = (tile.width + 7) >> 3;
  const height = (tile.height + 7) >> 3;
  const planes = tile.planeBlocks;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const block = (y << 3) + x;
      add(tile, (planes >> block) & 1 ? offsetof<Statistics>('blocksPlane') : stateOf(tile, block));
      if (tile.depth) add(tile, depthStateOf(tile, block));
    }
  }
}

function stateOf(tile: Tile, block: i32): i32 {
  let targets = 0;
  let clear = 0;
  let separate = 0;
  for (let i = 0; i < MAX_COLOR_TARGETS; i++) {
    const plane = tile.plane(i);
    if (!plane.samples) continue;
    targets++;
    clear += plane.isClear(block);
    separate |= load<u64>(plane.bits(block)) != 0;
  }
  if (!targets) return depthOnlyState(tile, block, tile.layerSamples != 1);
  if (clear == targets) return offsetof<Statistics>('blocksClear');
  return separate ? offsetof<Statistics>('blocksSample') : offsetof<Statistics>('blocksPixel');
}

function depthOnlyState(tile: Tile, block: i32, perSample: bool): i32 {
  if (tile.depth) {
    const state = depthStateOf(tile, block);
    if (state == offsetof<Statistics>('depthClear')) return offsetof<Statistics>('blocksClear');
    if (state == offsetof<Statistics>('depthPlane')) return offsetof<Statistics>('blocksPlane');
  }
  return perSample ? offsetof<Statistics>('blocksSample') : offsetof<Statistics>('blocksPixel');
}

function depthStateOf(tile: Tile, block: i32): i32 {
  const source = tile.depthBlock(block).source;
  return source == DEPTH_CLEAR
    ? offsetof<Statistics>('depthClear')
    : source == DEPTH_STORED
      ? offsetof<Statistics>('depthStored')
      : offsetof<Statistics>('depthPlane');
}
