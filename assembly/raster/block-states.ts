// What the 8×8 blocks of a finished tile hold, for the statistics: how much of a picture cost a block's work, a pixel's, a sample's.
// Counted for the blocks within the pass, once each time their tile is run, and only where STAT_FLAG_BLOCKS asks. Each block is the first of
//   plane    one triangle covered all its samples when the tile's flush began: it was shaded as one warp, without samples
//   clear    no colour was written to it: all targets hold their clear value as a state (in targets of one sample that the pass loads, never)
//   sample   several samples, and some target has a pixel that is stored one texel a sample
//   pixel    the rest: one colour a pixel
// In a pass without colour targets the depths decide: one triangle's plane, the clear value, else by the number of samples.
import {
  COLOR_CLEAR, CTX_BLOCK_IDS, CTX_COLORS, CTX_DEPTH, CTX_DEPTH_BLOCKS, CTX_PASS, CTX_PLANE_BLOCKS, CTX_SAMPLES, CTX_TILE_X, CTX_TILE_Y,
  DEPTH_BLOCK_SHIFT, DEPTH_BLOCK_SOURCE, DEPTH_CLEAR, DEPTH_STORED,
} from '../layout/context';
import { MAX_COLOR_TARGETS, TILE_BLOCKS } from '../layout/limits';
import {
  PASS_HEIGHT, PASS_STATISTICS, PASS_WIDTH, STAT_BLOCKS_CLEAR, STAT_BLOCKS_PIXEL, STAT_BLOCKS_PLANE, STAT_BLOCKS_SAMPLE, STAT_DEPTH_CLEAR,
  STAT_DEPTH_PLANE, STAT_DEPTH_STORED, STAT_FLAG_BLOCKS, STAT_FLAGS,
} from '../layout/pass';
import { colorStates, severalPixels } from '../surface/color-blocks';
import { within } from '../surface/tile';

// @ts-ignore: decorator
@inline
function asked(context: usize): bool {
  return (load<u32>(load<usize>(load<usize>(context + CTX_PASS) + PASS_STATISTICS), STAT_FLAGS) & STAT_FLAG_BLOCKS) != 0;
}

// @ts-ignore: decorator
@inline
function add(context: usize, counter: i32): void {
  const at = load<usize>(load<usize>(context + CTX_PASS) + PASS_STATISTICS) + <usize>counter;
  store<u32>(at, load<u32>(at) + 1);
}

/** Before the tile's flush: notes the blocks that one triangle covers. */
export function notePlanes(context: usize): void {
  if (!asked(context)) return;
  let planes: u64 = 0;
  for (let block = 0; block < TILE_BLOCKS; block++) {
    planes |= <u64>(load<u32>(context + CTX_BLOCK_IDS + (<usize>block << 2)) != 0) << block;
  }
  store<u64>(context, planes, CTX_PLANE_BLOCKS);
}

/** After it, before blocks are spread out to be stored: counts them all. */
export function countBlocks(context: usize): void {
  if (!asked(context)) return;
  const pass = load<usize>(context + CTX_PASS);
  const width = (within(load<i32>(context + CTX_TILE_X), load<i32>(pass + PASS_WIDTH)) + 7) >> 3;
  const height = (within(load<i32>(context + CTX_TILE_Y), load<i32>(pass + PASS_HEIGHT)) + 7) >> 3;
  const planes = load<u64>(context, CTX_PLANE_BLOCKS);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const block = (y << 3) + x;
      add(context, (planes >> block) & 1 ? STAT_BLOCKS_PLANE : stateOf(context, block));
      if (load<usize>(context + CTX_DEPTH)) add(context, depthStateOf(context, block));
    }
  }
}

function stateOf(context: usize, block: i32): i32 {
  let targets = 0;
  let clear = 0;
  let apart = 0;
  for (let i = 0; i < MAX_COLOR_TARGETS; i++) {
    if (!load<usize>(context + CTX_COLORS + (<usize>i << 2))) continue;
    targets++;
    clear += <i32>(load<u8>(colorStates(context, i) + <usize>block) == COLOR_CLEAR);
    apart |= <i32>(load<u64>(severalPixels(context, i) + (<usize>block << 3)) != 0);
  }
  if (!targets) return depthOnlyState(context, block, load<i32>(context + CTX_SAMPLES) != 1);
  if (clear == targets) return STAT_BLOCKS_CLEAR;
  return apart ? STAT_BLOCKS_SAMPLE : STAT_BLOCKS_PIXEL;
}

function depthOnlyState(context: usize, block: i32, several: bool): i32 {
  if (load<usize>(context + CTX_DEPTH)) {
    const state = depthStateOf(context, block);
    if (state == STAT_DEPTH_CLEAR) return STAT_BLOCKS_CLEAR;
    if (state == STAT_DEPTH_PLANE) return STAT_BLOCKS_PLANE;
  }
  return several ? STAT_BLOCKS_SAMPLE : STAT_BLOCKS_PIXEL;
}

function depthStateOf(context: usize, block: i32): i32 {
  const source = load<u32>(context + CTX_DEPTH_BLOCKS + (<usize>block << DEPTH_BLOCK_SHIFT), DEPTH_BLOCK_SOURCE);
  return source == DEPTH_CLEAR ? STAT_DEPTH_CLEAR : source == DEPTH_STORED ? STAT_DEPTH_STORED : STAT_DEPTH_PLANE;
}
