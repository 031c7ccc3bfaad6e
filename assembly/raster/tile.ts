// Runs a tile: load or clear, walk the tile's list in order, shade what is visible, resolve and store. The exports are the pixel side's
// face to src/kernels. Start reading here; then walk.ts (coverage), accept.ts (what a covered quad means), fragment/pack.ts (shading).

import { Draw } from '../layout/draw';
import { FORMAT_NONE } from '../layout/formats';
import { LOOP_CHECK_INTERVAL, TILE_CALL_TRIANGLES, TILE_CALL_WARPS, TILE_SHIFT, TILE_SIZE } from '../layout/limits';
import { Packer } from '../layout/packer';
import { BinBlock, Pass } from '../layout/pass';
import { PART_OUTSIDE, PART_RASTER, PART_RESOLVE, PART_SHADE, TILE_FLAG_LAST } from '../layout/pass-codes';
import { Statistics } from '../layout/statistics';
import { STATUS_DONE, STATUS_YIELD } from '../layout/status';
import { STAGE_BYTES, Stage } from '../layout/surface';
import { SamplePositions, TILE_BYTES, Tile } from '../layout/tile';
import {
  DEFERRED_PACKERS, POSITION_SHIFT, TILE_PHASE_FLUSH, TILE_PHASE_NONE, TILE_PHASE_WALK,
} from '../layout/tile-codes';
import { TILE_PIXELS } from '../layout/tile-order';
import { Triangle } from '../layout/triangle';
import { flushTile, warpsShaded } from '../fragment/pack';
import { layersOf, quadX, quadY, samplesOfLayer, sampleX, sampleY } from '../simd/positions';
import { beginPlane } from '../surface/color-blocks';
import { texelBytes } from '../surface/texel';
import { surfaceFlush } from '../surface/unit';
import { enterPart } from '../warp/clock';
import { colorAttachment, colorCount, fillAttachments, finishAttachments, finishIdle } from './attachments';
import { countBlocks, notePlanes } from './block-states';
import { headOf, nextList } from './bin';
import { beginDraw } from './draw';
import { rasterTriangle } from './walk';

/** Bytes that a tile context needs for the pass's formats and samples. */
export function tileContextBytes(pass: Pass): i32 {
  return <i32>(planesEnd(changetype<Tile>(0), pass, false));
}

/**
 * Prepares a tile context (16-byte aligned, tileContextBytes(pass)) for a pass. `registers`: address of a register file large enough
 * for any fragment program of the pass. Needed again when the pass, or its formats, change, and after STATUS_TIMEOUT.
 */
export function tileContextInit(context: Tile, pass: Pass, registers: usize): void {
  memory.fill(changetype<usize>(context), 0, TILE_BYTES);
  context.pass = pass;
  context.registers = registers;
  const samples = pass.samples;
  context.samples = samples;
  context.layerSamples = samplesOfLayer(samples);
  context.layers = layersOf(samples);
  context.encodes = pass.encodes;
  context.loadStoreUnit = pass.loadStoreUnit;
  noteSamplePositions(context, samples);
  context.packerLast = changetype<Packer>(<u32>context.packers);
  context.warp.tile = changetype<usize>(context);
  context.warp.loopBudget = LOOP_CHECK_INTERVAL;
  planesEnd(context, pass, true);
  notePositions(context);
  memory.fill(context.ids, 0, TILE_PIXELS * samplesOfLayer(samples) * layersOf(samples) * 4);
}

function noteSamplePositions(context: Tile, samples: i32): void {
  for (let sample = 0; sample < layersOf(samples) * samplesOfLayer(samples); sample++) {
    const at = changetype<SamplePositions>(changetype<usize>(context.positionsOf(<usize>(sample >> 2))) + (<usize>(sample & 3) << 2));
    const x = sampleX(samples, sample);
    const y = sampleY(samples, sample);
    store<f32>(changetype<usize>(at), <f32>x * 0.0625);
    store<f32>(at.y, <f32>y * 0.0625);
    store<i32>(at.x16, x);
    store<i32>(at.y16, y);
  }
}

function notePositions(context: Tile): void {
  for (let quad = 0; quad < TILE_PIXELS >> 2; quad++) {
    const at = context.quadPositions + (<usize>quad << POSITION_SHIFT);
    store<f32>(at, <f32>quadX(quad));
    store<f32>(at, <f32>quadY(quad), 4);
  }
}

/** Lays out the planes behind the context's fields, noting their addresses if `note`; returns the end. */
function planesEnd(context: Tile, pass: Pass, note: bool): usize {
  const samples = pass.samples;
  const texels = <usize>(TILE_PIXELS * samplesOfLayer(samples) * layersOf(samples));
  let at = changetype<usize>(context) + TILE_BYTES;
  if (note) context.ids = <u32>at;
  at += texels * 4;
  if (pass.depth.format != FORMAT_NONE) {
    if (note) context.depth = <u32>at;
    at += texels * 4;
  }
  if (pass.stencil.format != FORMAT_NONE) {
    if (note) context.stencil = <u32>at;
    at += texels;
  }
  for (let i = 0; i < colorCount(pass); i++) {
    const format = colorAttachment(pass, i).format;
    if (format == FORMAT_NONE) continue;
    const planes = at;
    if (samples > 1) at += texels * <usize>texelBytes(format);
    if (note) beginPlane(context, i, planes, at, texelBytes(format));
    at += <usize>(TILE_PIXELS * texelBytes(format));
  }
  if (samples > 1) {
    if (note) context.stage = changetype<Stage>(at);
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
export function tileRun(context: Tile, pass: Pass, tileIndex: i32, flags: i32): i32 {
  const statistics = pass.statistics;
  enterPart(statistics, PART_RESOLVE);
  const status = runTile(context, pass, statistics, tileIndex, flags);
  enterPart(statistics, PART_OUTSIDE);
  return status;
}

/**
 * Runs the tiles from `first` up to `end` of a pass in which nothing was drawn: a call for each would take a third of its time. Returns as tileRun does,
 * but never STATUS_YIELD.
 */
export function tilesRun(context: Tile, pass: Pass, first: i32, end: i32, flags: i32): i32 {
  let status: i32 = STATUS_DONE;
  for (let tile = first; tile < end && status == STATUS_DONE; tile++) status = tileRun(context, pass, tile, flags);
  return status;
}

function runTile(context: Tile, pass: Pass, statistics: Statistics, tileIndex: i32, flags: i32): i32 {
  const state = pass.tileStates + <usize>tileIndex;
  const last = (flags & TILE_FLAG_LAST) != 0;
  if (context.phase == TILE_PHASE_NONE) {
    const list = nextList(pass, 0, tileIndex);
    if (list == pass.listCount) {
      if (!last) return STATUS_DONE;
      setPlace(context, pass, tileIndex);
      const status = finishIdle(context, pass, tileIndex, load<u8>(state) != 0);
      if (status == STATUS_DONE) store<u8>(state, 1);
      return status;
    }
    setPlace(context, pass, tileIndex);
    beginTile(context, pass, tileIndex, load<u8>(state) == 0);
    context.cursorList = list;
    context.cursorBlock = changetype<BinBlock>(<u32>headOf(pass, list, tileIndex));
    context.cursorEntry = 0;
    context.phase = TILE_PHASE_WALK;
  }
  const limit = warpsShaded(context) + TILE_CALL_WARPS;
  if (context.phase == TILE_PHASE_WALK) {
    enterPart(statistics, PART_RASTER);
    const walked = walkLists(context, pass, tileIndex, limit);
    if (walked != STATUS_DONE) return walked;
    context.phase = TILE_PHASE_FLUSH;
    notePlanes(context);
  }
  enterPart(statistics, PART_SHADE);
  const flushed = flushTile(context, limit);
  if (flushed != STATUS_DONE) return flushed;
  enterPart(statistics, PART_RESOLVE);
  // Before they are laid out to be stored.
  countBlocks(context);
  // What programs stored is there for who runs the next tile.
  const written = surfaceFlush(context.loadStoreUnit);
  if (written != STATUS_DONE) return written;
  const finished = finishAttachments(context, pass, tileIndex, last);
  if (finished != STATUS_DONE) return finished;
  context.phase = TILE_PHASE_NONE;
  store<u8>(state, 1);
  statistics.tilesRun += 1;
  return STATUS_DONE;
}

/**
 * Rasterises the triangles of the tile's lists, in order, from the cursor on. Returns STATUS_*; STATUS_YIELD when the call's share is done.
 * Tried: the next triangle's record read while one is walked, for the cache: within 1 % on particles and teapots.
 */
function walkLists(context: Tile, pass: Pass, tile: i32, limit: u32): i32 {
  const lists = pass.listCount;
  let list = context.cursorList;
  let block = context.cursorBlock;
  let entry = context.cursorEntry;
  let left = TILE_CALL_TRIANGLES;
  while (true) {
    for (const count = block.count; entry < count; entry++) {
      if (left-- == 0 || warpsShaded(context) >= limit) {
        context.cursorList = list;
        context.cursorBlock = block;
        context.cursorEntry = entry;
        return STATUS_YIELD;
      }
      const triangle = changetype<Triangle>(load<usize>(block.entries + (<usize>entry << 2)));
      const draw = triangle.draw;
      if (draw != context.draw) {
        const status = beginDraw(context, draw);
        if (status != STATUS_DONE) return status;
      }
      const status = rasterTriangle(context, triangle);
      if (status != STATUS_DONE) return status;
    }
    entry = 0;
    block = block.next;
    if (block) continue;
    list = nextList(pass, list + 1, tile);
    if (list == lists) return STATUS_DONE;
    block = changetype<BinBlock>(headOf(pass, list, tile));
  }
}

/** Notes where a tile lies, and how much of it the pass has. */
function setPlace(context: Tile, pass: Pass, tile: i32): void {
  const x = (tile % pass.tilesX) << TILE_SHIFT;
  const y = (tile / pass.tilesX) << TILE_SHIFT;
  context.x = x;
  context.y = y;
  context.width = min<i32>(TILE_SIZE, pass.width - x);
  context.height = min<i32>(TILE_SIZE, pass.height - y);
}

/** Forgets the draws of the last tile (their records may be gone); loads the planes, or notes that their blocks are clear. */
function beginTile(context: Tile, pass: Pass, tile: i32, first: bool): void {
  context.draw = changetype<Draw>(0);
  context.boundDraw = 0;
  context.packerNext = 0;
  for (let i: usize = 0; i < <usize>DEFERRED_PACKERS; i++) context.packer(i).draw = changetype<Draw>(0);
  fillAttachments(context, pass, tile, first);
}
