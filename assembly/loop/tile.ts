// Runs a tile: loads or clears it, walks the tile's lists in order, shades what is visible, resolves and stores.
// src/kernels calls the exports of this file for the pixel side. Start reading here, then continue with work.ts, which
// shows the way of a sample from its triangle to its colour.

import { flushTile, warpsShaded } from '../fragment/pack';
import { makeParkingRoom, endStall, resumeAll } from '../fragment/shade';
import { runWaiting } from '../fragment/sets/waiting-sets';
import {
  BinBlock,
  DEFERRED_PACKERS,
  Draw,
  UNORDERED_PACKERS,
  PART_OUTSIDE,
  PART_RASTER,
  PART_RESOLVE,
  PART_SHADE,
  Pass,
  Statistics,
  STATUS_DONE,
  STATUS_PARKED,
  STATUS_TIMEOUT,
  STATUS_WAITS,
  STATUS_YIELD,
  Tile,
  TILE_CALL_TRIANGLES,
  TILE_CALL_WARPS,
  TILE_FLAG_BEGIN,
  TILE_FLAG_LAST,
  TILE_FLAG_PARKS,
  TILE_PHASE_FLUSH,
  TILE_PHASE_NONE,
  TILE_PHASE_PARKED,
  TILE_PHASE_WALK,
  TRI_FLAG_SMALL,
  Triangle,
} from '../layout';
import { surfaceFlush } from '../surface/unit';
import { fillAttachments, finishAttachments, finishIdle, loadRest } from '../tile/attachments';
import { moveTo, tileContextInit } from '../tile/begin';
import { countBlocks, notePlanes } from '../tile/block-states';
import { discardParked, watchMisses } from '../late/states';
import { beginWarps, unbindWarps } from '../tile/warps';
import { enterPart } from '../warp/clock';
import { headOf, nextList } from '../raster/bin';
import { isWalkedByQuads } from '../raster/walk';
import { beginDraw } from './draw';
import { beginQuery, endQuery } from './query';
import { runTriangle } from './work';

/** Number of list entries whose records are prefetched together. */
const PREFETCHED_ENTRIES = 16;

/**
 * Runs one tile of the pass: its lists and then, with TILE_FLAG_LAST, the resolves and stores that the pass requests.
 * Without that flag, everything is stored so that the tile can continue in a later chunk. Returns:
 * - STATUS_DONE;
 * - STATUS_YIELD when this call's share (TILE_CALL_*) is done: call again with the same arguments;
 * - STATUS_NEEDS_MEMORY when there is no page for the tile to be stored: the stored tile keeps its contents, and the
 *   pass is lost;
 * - STATUS_TIMEOUT when a shader ran past its deadline: the pass is lost;
 * - STATUS_WAITS when the tile has read non-resident pages, or only ran to find them: only the pool's MISSES have
 *   changed, and the tile must be replayed;
 * - STATUS_PARKED (with TILE_FLAG_PARKS) when only some of its warps have missed pages: call again with the same
 *   context, which resumes these warps and runs the rest.
 */
export function tileRun(tile: Tile, pass: Pass, tileIndex: i32, flags: i32): i32 {
  const statistics = pass.statistics;
  enterPart(statistics, PART_RESOLVE);
  beginWarps(tile);
  const status = runTile(tile, pass, statistics, tileIndex, flags);
  // The worker has only one room for waiting sets, so none may be left when the call ends within a tile.
  const whole = status == STATUS_YIELD ? runWaiting(tile) : STATUS_DONE;
  enterPart(statistics, PART_OUTSIDE);
  const ended = whole == STATUS_DONE ? status : whole;
  // A loop may not terminate on the zeros of missing pages.
  if (ended != STATUS_WAITS && !(ended == STATUS_TIMEOUT && tile.pool.hasMissed)) return ended;
  if (tile.phase == TILE_PHASE_PARKED) return STATUS_PARKED;
  const entryCount = tile.entryCount;
  const byQuads = tile.byQuads;
  tileContextInit(tile, pass, tile.pool);
  tile.entryCount = entryCount;
  tile.byQuads = byQuads;
  return STATUS_WAITS;
}

/**
 * Runs the tiles `first` … `end` - 1 of a pass in which nothing was drawn. With a separate call for each tile, the
 * calls would take a third of the pass's time. Returns the same statuses as tileRun, but never STATUS_YIELD.
 */
export function tilesRun(tile: Tile, pass: Pass, first: i32, end: i32, flags: i32): i32 {
  let status: i32 = STATUS_DONE;
  for (let index = first; index < end && status == STATUS_DONE; index++) status = tileRun(tile, pass, index, flags);
  return status;
}

function runTile(tile: Tile, pass: Pass, statistics: Statistics, tileIndex: i32, flags: i32): i32 {
  const state = pass.tileStates + tileIndex;
  const last = (flags & TILE_FLAG_LAST) != 0;
  if (tile.phase == TILE_PHASE_NONE) {
    const list = nextList(pass, 0, tileIndex);
    if (list == pass.listCount) {
      if (!last) return STATUS_DONE;
      if (tile.pool.isDry) return STATUS_WAITS;
      moveTo(tile, tileIndex);
      const status = finishIdle(tile, load<u8>(state) != 0);
      if (status == STATUS_DONE) store<u8>(state, 1);
      return status;
    }
    moveTo(tile, tileIndex);
    beginTile(tile, load<u8>(state) == 0);
    discardParked(tile);
    tile.parks = i32((flags & TILE_FLAG_PARKS) != 0);
    tile.stalls = 0;
    tile.cursorList = list;
    tile.cursorBlock = changetype<BinBlock>(headOf(pass, list, tileIndex));
    tile.cursorEntry = 0;
    tile.endBlock = changetype<BinBlock>(0);
    if (tile.isPart) beginPart(tile, pass, list);
    tile.phase = TILE_PHASE_WALK;
    if (flags & TILE_FLAG_BEGIN) return STATUS_YIELD;
  }
  watchMisses(tile);
  if (tile.stalls) {
    const taken = endStall(tile);
    if (taken != STATUS_DONE) return taken;
  }
  const limit = warpsShaded(tile) + TILE_CALL_WARPS;
  if (tile.phase == TILE_PHASE_WALK) {
    enterPart(statistics, PART_RASTER);
    // Other tiles are counted between calls.
    beginQuery(tile);
    const walked = walkLists(tile, pass, tileIndex, limit);
    endQuery(tile);
    if (walked != STATUS_DONE) return walked;
    tile.phase = TILE_PHASE_FLUSH;
    notePlanes(tile);
  }
  enterPart(statistics, PART_SHADE);
  if (tile.phase == TILE_PHASE_FLUSH) {
    const flushed = flushTile(tile, limit);
    if (flushed != STATUS_DONE) return flushed;
  }
  const whole = resumeAll(tile);
  if (whole != STATUS_DONE) return whole;
  if (tile.pool.hasMissed) return STATUS_WAITS;
  if (tile.parkedCount) {
    if (tile.phase == TILE_PHASE_FLUSH) statistics.tilesParked += 1;
    tile.phase = TILE_PHASE_PARKED;
    return STATUS_PARKED;
  }
  enterPart(statistics, PART_RESOLVE);
  if (tile.samples > 1) loadRest(tile);
  // Counted before the blocks are laid out for storing.
  countBlocks(tile);
  // Makes the shaders' stores visible to the next tile, on any worker.
  const written = surfaceFlush(tile.loadStoreUnit);
  if (written != STATUS_DONE) return written;
  const finished = finishAttachments(tile, last);
  if (finished != STATUS_DONE) return finished;
  tile.phase = TILE_PHASE_NONE;
  store<u8>(state, 1);
  statistics.tilesRun += 1;
  return STATUS_DONE;
}

/**
 * Rasterises the triangles of the tile's lists, in order, from the cursor on. Returns STATUS_*, with STATUS_YIELD when
 * the call's share is done. Tried: prefetching only the next triangle's record: within 1 % on particles and teapots.
 */
function walkLists(tile: Tile, pass: Pass, tileIndex: i32, limit: u32): i32 {
  const lists = pass.listCount;
  let list = tile.cursorList;
  let block = tile.cursorBlock;
  let entry = tile.cursorEntry;
  let left = TILE_CALL_TRIANGLES;
  while (true) {
    for (const count = block == tile.endBlock ? tile.endEntry : block.count; entry < count; entry++) {
      const room = tile.parks ? makeParkingRoom(tile) : STATUS_DONE;
      if (left-- == 0 || warpsShaded(tile) >= limit || room != STATUS_DONE) {
        stopAt(tile, list, block, entry);
        return room != STATUS_DONE ? room : STATUS_YIELD;
      }
      const triangle = changetype<Triangle>(load<usize>(block.entries + (entry << 2)));
      if (entry % PREFETCHED_ENTRIES == 0)
        prefetchRecords(tile, block.entries + (entry << 2), min<u32>(PREFETCHED_ENTRIES, count - entry));
      const draw = triangle.draw;
      if (draw != tile.draw) {
        const status = beginDraw(tile, draw);
        if (status == STATUS_PARKED) stopAt(tile, list, block, entry);
        if (status != STATUS_DONE) return status;
      }
      const status = runTriangle(tile, triangle);
      if (status != STATUS_DONE) return status;
    }
    if (block == tile.endBlock) return STATUS_DONE;
    entry = 0;
    block = block.next;
    if (block) continue;
    list = nextList(pass, list + 1, tileIndex);
    if (list == lists) return STATUS_DONE;
    block = changetype<BinBlock>(headOf(pass, list, tileIndex));
  }
}

/** Sets the start and end of the walk to the entries of the part that is run, and counts all entries. */
function beginPart(tile: Tile, pass: Pass, firstList: u32): void {
  const first = tile.partFirst;
  const end = tile.partEnd;
  let isPlaced = false;
  let before: u32 = 0;
  for (let list = firstList; list < pass.listCount; list = nextList(pass, list + 1, tile.number)) {
    let block = changetype<BinBlock>(headOf(pass, list, tile.number));
    for (; block; block = block.next) {
      const after = before + block.count;
      if (!isPlaced && first < after) {
        stopAt(tile, list, block, first - before);
        isPlaced = true;
        const triangle = changetype<Triangle>(load<usize>(block.entries + (tile.cursorEntry << 2)));
        tile.byQuads = u32(isWalkedByQuads(tile, triangle));
      }
      if (!tile.endBlock && end <= after) {
        tile.endBlock = block;
        tile.endEntry = end - before;
      }
      before = after;
    }
  }
  tile.entryCount = before;
}

/** Sets where the walk continues. */
function stopAt(tile: Tile, list: u32, block: BinBlock, entry: u32): void {
  tile.cursorList = list;
  tile.cursorBlock = block;
  tile.cursorEntry = entry;
}

/**
 * Reads the records of several entries so that their cache misses overlap. Only for small triangles (the dragon takes 8
 * % less time) and for draw calls that take blocks in order (particles, 4 %). Many other triangles are hidden before
 * their edges are needed: teapots became 3 % slower.
 */
function prefetchRecords(tile: Tile, entries: usize, count: u32): void {
  const small = changetype<Triangle>(load<usize>(entries)).flags & TRI_FLAG_SMALL;
  if (!small && !tile.packsWholeBlocks) return;
  for (const end = entries + (count << 2); entries < end; entries += 4) {
    const triangle = changetype<Triangle>(load<usize>(entries));
    load<u32>(small ? triangle.cover : changetype<usize>(triangle));
    load<u32>(changetype<usize>(triangle) + (small ? offsetof<Triangle>('wDy') : offsetof<Triangle>('draw')));
  }
}

/** Loads the planes, or marks their blocks as clear. */
function beginTile(tile: Tile, first: bool): void {
  clearDrawReferences(tile);
  fillAttachments(tile, first);
}

/** Clears references to the last tile's draw calls, whose records may no longer exist. */
export function clearDrawReferences(tile: Tile): void {
  tile.draw = changetype<Draw>(0);
  unbindWarps(tile);
  tile.packerNext = 0;
  for (let i: usize = 0; i < <usize>DEFERRED_PACKERS; i++) tile.packer(i).draw = changetype<Draw>(0);
  for (let i: usize = 0; i < <usize>UNORDERED_PACKERS; i++) tile.unorderedPacker(i).draw = changetype<Draw>(0);
}
