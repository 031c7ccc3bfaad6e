// Runs a tile: load or clear, walk the tile's list in order, shade what is visible, resolve and store. The exports are the pixel side's
// face to src/kernels. Start reading here; then walk.ts (coverage), accept.ts (what a covered quad means), fragment/pack.ts (shading).

import {
  CTX_BOUND_DRAW, CTX_COLOR_PIXELS, CTX_COLORS, CTX_CURSOR_BLOCK, CTX_CURSOR_ENTRY, CTX_CURSOR_LIST, CTX_DEPTH, CTX_DRAW, CTX_ENCODES, CTX_IDS, CTX_LAYERS, CTX_PACKER_LAST, CTX_PACKER_NEXT, CTX_PACKERS, CTX_PASS, CTX_PHASE, CTX_PLANES, CTX_POSITIONS, CTX_POSITIONS_OF_LAYERS,
  CTX_REGISTERS, CTX_SAMPLE_COUNT, CTX_SAMPLES, CTX_STAGE, CTX_STENCIL, CTX_TILE_X, CTX_TILE_Y, CTX_UNIT, CTX_WARP, DEFERRED_PACKERS,
  PACKER_BYTES, PACKER_DRAW, POSITION_SHIFT, SAMPLES_SHIFT, SAMPLES_X16, SAMPLES_Y, SAMPLES_Y16, TILE_PHASE_FLUSH, TILE_PHASE_NONE, TILE_PHASE_WALK,
} from '../layout/context';
import { FORMAT_NONE } from '../layout/formats';
import { LOOP_CHECK_INTERVAL, TILE_CALL_TRIANGLES, TILE_CALL_WARPS, TILE_SHIFT } from '../layout/limits';
import {
  ATTACHMENT_FORMAT, BIN_BLOCK_COUNT, BIN_BLOCK_ENTRIES, BIN_BLOCK_NEXT, PASS_DEPTH, PASS_ENCODES, PASS_LIST_COUNT, PASS_SAMPLES, PASS_STATISTICS, PASS_STENCIL,
  PASS_TILES_X, PASS_TILE_STATES, PASS_UNIT,
  PART_OUTSIDE, PART_RASTER, PART_RESOLVE, PART_SHADE, STAT_TILES_RUN, TILE_FLAG_LAST,
} from '../layout/pass';
import { WARP_LOOP_BUDGET } from '../layout/program';
import { STATUS_DONE, STATUS_YIELD } from '../layout/status';
import { STAGE_BYTES } from '../layout/surface';
import { TILE_PIXELS } from '../layout/tile';
import { TRI_COVER, TRI_W_DY, TRI_DRAW } from '../layout/triangle';
import { flushTile, warpsShaded } from '../fragment/pack';
import { layersOf, quadX, quadY, samplesOfLayer, sampleX, sampleY } from '../simd/positions';
import { texelBytes } from '../surface/texel';
import { surfaceFlush } from '../surface/unit';
import { enterPart } from '../warp/clock';
import { colorAttachment, colorCount, fillAttachments, finishAttachments, finishIdle } from './attachments';
import { countBlocks, notePlanes } from './block-states';
import { headOf, nextList } from './bin';
import { beginDraw } from './draw';
import { rasterTriangle } from './walk';

/** Bytes that a tile context needs for the pass's formats and samples. */
export function tileContextBytes(pass: usize): i32 {
  return <i32>(planesEnd(0, pass, false));
}

/**
 * Prepares a tile context (16-byte aligned, tileContextBytes(pass)) for a pass. `registers`: address of a register file large enough
 * for any fragment program of the pass. Needed again when the pass, or its formats, change, and after STATUS_TIMEOUT.
 */
export function tileContextInit(context: usize, pass: usize, registers: usize): void {
  memory.fill(context, 0, CTX_PLANES);
  store<u32>(context, <u32>pass, CTX_PASS);
  store<u32>(context, <u32>registers, CTX_REGISTERS);
  const samples = load<i32>(pass + PASS_SAMPLES);
  store<i32>(context, samples, CTX_SAMPLE_COUNT);
  store<i32>(context, samplesOfLayer(samples), CTX_SAMPLES);
  store<i32>(context, layersOf(samples), CTX_LAYERS);
  store<i32>(context, load<i32>(pass + PASS_ENCODES), CTX_ENCODES);
  store<u32>(context, load<u32>(pass + PASS_UNIT), CTX_UNIT);
  noteSamplePositions(context, samples);
  store<u32>(context, <u32>(context + CTX_PACKERS), CTX_PACKER_LAST);
  store<i32>(context, LOOP_CHECK_INTERVAL, CTX_WARP + WARP_LOOP_BUDGET);
  planesEnd(context, pass, true);
  notePositions(context);
  memory.fill(load<usize>(context + CTX_IDS), 0, TILE_PIXELS * samplesOfLayer(samples) * layersOf(samples) * 4);
}

function noteSamplePositions(context: usize, samples: i32): void {
  for (let sample = 0; sample < layersOf(samples) * samplesOfLayer(samples); sample++) {
    const at = context + CTX_POSITIONS_OF_LAYERS + (<usize>(sample >> 2) << SAMPLES_SHIFT) + (<usize>(sample & 3) << 2);
    const x = sampleX(samples, sample);
    const y = sampleY(samples, sample);
    store<f32>(at, <f32>x * 0.0625);
    store<f32>(at, <f32>y * 0.0625, SAMPLES_Y);
    store<i32>(at, x, SAMPLES_X16);
    store<i32>(at, y, SAMPLES_Y16);
  }
}

function notePositions(context: usize): void {
  for (let quad = 0; quad < TILE_PIXELS >> 2; quad++) {
    const at = context + CTX_POSITIONS + (<usize>quad << POSITION_SHIFT);
    store<f32>(at, <f32>quadX(quad));
    store<f32>(at, <f32>quadY(quad), 4);
  }
}

/** Lays out the planes behind the context's fields, noting their addresses if `note`; returns the end. */
function planesEnd(context: usize, pass: usize, note: bool): usize {
  const samples = load<i32>(pass + PASS_SAMPLES);
  const texels = <usize>(TILE_PIXELS * samplesOfLayer(samples) * layersOf(samples));
  let at = context + CTX_PLANES;
  if (note) store<u32>(context, <u32>at, CTX_IDS);
  at += texels * 4;
  if (load<i32>(pass + PASS_DEPTH + ATTACHMENT_FORMAT) != FORMAT_NONE) {
    if (note) store<u32>(context, <u32>at, CTX_DEPTH);
    at += texels * 4;
  }
  if (load<i32>(pass + PASS_STENCIL + ATTACHMENT_FORMAT) != FORMAT_NONE) {
    if (note) store<u32>(context, <u32>at, CTX_STENCIL);
    at += texels;
  }
  for (let i = 0; i < colorCount(pass); i++) {
    const format = load<i32>(colorAttachment(pass, i) + ATTACHMENT_FORMAT);
    if (format == FORMAT_NONE) continue;
    if (note) store<u32>(context + CTX_COLORS + (<usize>i << 2), <u32>at);
    if (samples > 1) at += texels * <usize>texelBytes(format);
    if (note) store<u32>(context + CTX_COLOR_PIXELS + (<usize>i << 2), <u32>at);
    at += <usize>(TILE_PIXELS * texelBytes(format));
  }
  if (samples > 1) {
    if (note) store<u32>(context, <u32>at, CTX_STAGE);
    at += STAGE_BYTES;
  }
  return at;
}

/**
 * Runs one tile of the pass: its lists, then, with TILE_FLAG_LAST, resolve and the stores that the pass asks for; without, everything
 * is stored so that the tile can go on in a later chunk. Returns STATUS_DONE; STATUS_YIELD when this
 * call's share (TILE_CALL_*) is done, to be called again with the same arguments; STATUS_NEEDS_MEMORY when there is no page for what is to
 * be stored (the stored tile keeps what it held, and the pass is then lost); or STATUS_TIMEOUT when a program ran past its deadline (the pass is then lost).
 */
export function tileRun(context: usize, pass: usize, tileIndex: i32, flags: i32): i32 {
  const statistics: usize = load<usize>(pass + PASS_STATISTICS);
  enterPart(statistics, PART_RESOLVE);
  const status = runTile(context, pass, statistics, tileIndex, flags);
  enterPart(statistics, PART_OUTSIDE);
  return status;
}

/**
 * Runs the tiles from `first` up to `end` of a pass in which nothing was drawn: a call for each would take a third of its time. Returns as tileRun does,
 * but never STATUS_YIELD.
 */
export function tilesRun(context: usize, pass: usize, first: i32, end: i32, flags: i32): i32 {
  let status: i32 = STATUS_DONE;
  for (let tile = first; tile < end && status == STATUS_DONE; tile++) status = tileRun(context, pass, tile, flags);
  return status;
}

function runTile(context: usize, pass: usize, statistics: usize, tileIndex: i32, flags: i32): i32 {
  const state = load<usize>(pass + PASS_TILE_STATES) + <usize>tileIndex;
  const tilesX = load<i32>(pass + PASS_TILES_X);
  const x = (tileIndex % tilesX) << TILE_SHIFT;
  const y = (tileIndex / tilesX) << TILE_SHIFT;
  const last = (flags & TILE_FLAG_LAST) != 0;
  if (load<i32>(context + CTX_PHASE) == TILE_PHASE_NONE) {
    const list = nextList(pass, 0, tileIndex);
    if (list == load<u32>(pass + PASS_LIST_COUNT)) {
      if (!last) return STATUS_DONE;
      const status = finishIdle(context, pass, tileIndex, x, y, load<u8>(state) != 0);
      if (status == STATUS_DONE) store<u8>(state, 1);
      return status;
    }
    beginTile(context, pass, tileIndex, x, y, load<u8>(state) == 0);
    store<u32>(context, list, CTX_CURSOR_LIST);
    store<u32>(context, <u32>headOf(pass, list, tileIndex), CTX_CURSOR_BLOCK);
    store<u32>(context, 0, CTX_CURSOR_ENTRY);
    store<i32>(context, TILE_PHASE_WALK, CTX_PHASE);
  }
  const limit = warpsShaded(context) + TILE_CALL_WARPS;
  if (load<i32>(context + CTX_PHASE) == TILE_PHASE_WALK) {
    enterPart(statistics, PART_RASTER);
    const walked = walkLists(context, pass, tileIndex, limit);
    if (walked != STATUS_DONE) return walked;
    store<i32>(context, TILE_PHASE_FLUSH, CTX_PHASE);
    notePlanes(context);
  }
  enterPart(statistics, PART_SHADE);
  const flushed = flushTile(context, limit);
  if (flushed != STATUS_DONE) return flushed;
  enterPart(statistics, PART_RESOLVE);
  // Before they are laid out to be stored.
  countBlocks(context);
  // What programs stored is there for who runs the next tile.
  const written = surfaceFlush(context);
  if (written != STATUS_DONE) return written;
  const finished = finishAttachments(context, pass, tileIndex, last);
  if (finished != STATUS_DONE) return finished;
  store<i32>(context, TILE_PHASE_NONE, CTX_PHASE);
  store<u8>(state, 1);
  store<u32>(statistics, load<u32>(statistics, STAT_TILES_RUN) + 1, STAT_TILES_RUN);
  return STATUS_DONE;
}

/**
 * Rasterises the triangles of the tile's lists, in order, from the cursor on. Returns STATUS_*; STATUS_YIELD when the call's share is done.
 * Tried: the next triangle's record read while one is walked, for the cache: within 1 % on particles and teapots.
 */
function walkLists(context: usize, pass: usize, tile: i32, limit: u32): i32 {
  const lists = load<u32>(pass + PASS_LIST_COUNT);
  let list = load<u32>(context, CTX_CURSOR_LIST);
  let block: usize = load<usize>(context + CTX_CURSOR_BLOCK);
  let entry = load<u32>(context + CTX_CURSOR_ENTRY);
  let left = TILE_CALL_TRIANGLES;
  while (true) {
    for (const count = load<u32>(block + BIN_BLOCK_COUNT); entry < count; entry++) {
      if (left-- == 0 || warpsShaded(context) >= limit) {
        store<u32>(context, list, CTX_CURSOR_LIST);
        store<u32>(context, <u32>block, CTX_CURSOR_BLOCK);
        store<u32>(context, entry, CTX_CURSOR_ENTRY);
        return STATUS_YIELD;
      }
      const triangle: usize = load<usize>(block + BIN_BLOCK_ENTRIES + (<usize>entry << 2));
      if (entry % 10 == 0) readAhead(block + BIN_BLOCK_ENTRIES + (<usize>entry << 2), min<u32>(10, count - entry));
      const draw: usize = load<usize>(triangle + TRI_DRAW);
      if (draw != load<usize>(context + CTX_DRAW)) {
        const status = beginDraw(context, draw);
        if (status != STATUS_DONE) return status;
      }
      const status = rasterTriangle(context, triangle);
      if (status != STATUS_DONE) return status;
    }
    entry = 0;
    block = load<usize>(block + BIN_BLOCK_NEXT);
    if (block) continue;
    list = nextList(pass, list + 1, tile);
    if (list == lists) return STATUS_DONE;
    block = headOf(pass, list, tile);
  }
}

function readAhead(entries: usize, count: u32): void {
  for (const end = entries + (<usize>count << 2); entries < end; entries += 4) {
    const triangle = load<usize>(entries);
    load<u32>(triangle + TRI_COVER);
    load<u32>(triangle + TRI_W_DY);
  }
}

/** Forgets the draws of the last tile (their records may be gone); loads the planes, or notes that their blocks are clear. */
function beginTile(context: usize, pass: usize, tile: i32, x: i32, y: i32, first: bool): void {
  store<i32>(context, x, CTX_TILE_X);
  store<i32>(context, y, CTX_TILE_Y);
  store<u32>(context, 0, CTX_DRAW);
  store<u32>(context, 0, CTX_BOUND_DRAW);
  store<i32>(context, 0, CTX_PACKER_NEXT);
  for (let i: usize = 0; i < <usize>DEFERRED_PACKERS; i++) store<u32>(context + CTX_PACKERS + i * PACKER_BYTES, 0, PACKER_DRAW);
  fillAttachments(context, pass, tile, first);
}
