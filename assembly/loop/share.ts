// A tile that several workers share (layout/job/share.ts). Nothing is deferred in it: each packet's visible pixels of a
// block are shaded and written before the worker leaves the block. So sharing only pays where little would be deferred,
// and for large triangles: for example, when many layers are blended in few tiles. tile.ts runs a tile with one worker.
//
// Tried for ordered draw calls: packets of one triangle that follow each other through the blocks. With more threads
// than cores, a worker that was not running blocked all others: 3.7 times the time of one worker for short shaders, and
// never faster.

import { modeOf, loadDrawState } from '../fragment/draw-state';
import { flushGathered } from '../fragment/gather';
import { flushTile, warpsShaded } from '../fragment/pack';
import { resumeAll } from '../fragment/shade';
import { drainOrdered } from '../fragment/slots';
import {
  BinBlock,
  BLOCK_SIZE,
  Draw,
  DRAW_FLAG_DECLARED_UNORDERED,
  MAX_COLOR_TARGETS,
  MIN_PACKET,
  MODE_DEFERRED,
  MODE_ORDERED,
  MAX_PACKET,
  PacketCursor,
  PART_OUTSIDE,
  PART_RASTER,
  PART_SHADE,
  Plane,
  Share,
  SHARE_TIMED_OUT,
  SHARE_MISSED,
  SHARE_TRIANGLES,
  sizeOf,
  STATUS_DONE,
  STATUS_TIMEOUT,
  STATUS_WAITS,
  STATUS_YIELD,
  Tile,
  TILE_BLOCKS,
  TILE_CALL_WARPS,
  TILE_PHASE_FLUSH,
  TILE_PHASE_WALK,
  Triangle,
} from '../layout';
import { loadRest } from '../tile/attachments';
import { keepPlanes, moveTo, tileContextInit } from '../tile/begin';
import { notePlanes } from '../tile/block-states';
import {
  copyBlock,
  tryLockBlock,
  unlockBlock,
  openShare,
  claimNext,
  addMissFlags,
  remainingWork,
  missFlags,
} from '../tile/share';
import { beginWarps } from '../tile/warps';
import { enterPart } from '../warp/clock';
import { headOf, nextList } from '../raster/bin';
import { beginQuery, endQuery } from './query';
import { clearDrawReferences } from './tile';
import { runInBlock } from './work';

/**
 * Minimum number of triangles for which a tile is opened. EXAMINED_TRIANGLES of them are examined to decide whether
 * sharing pays.
 */
const MIN_SHARED_TRIANGLES: u32 = 16;
/**
 * The same minimum for a tile that could be kept until pages arrive: a tile that misses pages while it is open must be
 * replayed.
 */
const MIN_STREAMED_TRIANGLES: u32 = 256;
const EXAMINED_TRIANGLES: u32 = 16;
/** Pixels in a triangle's bounding box from which sharing pays. */
const LARGE_PIXELS: i32 = 256;
/** Number of times that a worker looks for a free block before it reports that it waits: about 20 µs. */
const MAX_BLOCK_SEARCHES = 500;
/** Packets per worker for unordered draw calls. */
const PACKETS_PER_WORKER: u32 = 8;
/** Packets that a call takes, unless shading limits it. */
const CALL_PACKETS = 1024;

/**
 * Opens a context's tile to other workers (Share.users becomes 1). Does nothing if sharing does not pay or if parked
 * warps wait for pages; `always` skips the check whether it pays. Called between two calls of tileRun. Returns
 * STATUS_*, as tileClose.
 */
export function tileOpen(tile: Tile, share: Share, workers: u32, always: i32): i32 {
  // A part of a tile belongs to one worker.
  if (tile.isPart) return STATUS_DONE;
  if (tile.phase != TILE_PHASE_WALK || (tile.parks != 0 && tile.parkedCount != 0) || !isTriangle(tile))
    return STATUS_DONE;
  if (!always && !sharingPays(tile)) return STATUS_DONE;
  findRun(tile, share);
  if (!always && share.count < (tile.parks ? MIN_STREAMED_TRIANGLES : MIN_SHARED_TRIANGLES)) return STATUS_DONE;
  const statistics = tile.pass.statistics;
  enterPart(statistics, PART_SHADE);
  beginWarps(tile);
  notePlanes(tile);
  const flushed = flushTile(tile, u32.MAX_VALUE);
  const status = flushed == STATUS_DONE ? resumeAll(tile) : flushed;
  enterPart(statistics, PART_OUTSIDE);
  if (status == STATUS_TIMEOUT && tile.pool.hasMissed) return endTile(tile);
  if (status != STATUS_DONE || tile.parkedCount != 0) return status;
  share.missed = tile.pool.hasMissed ? SHARE_MISSED : 0;
  share.parks = share.missed ? 0 : tile.parks;
  share.missCount = 0;
  tile.parks = 0;
  share.tile = tile;
  share.workers = workers;
  share.packet = share.unordered ? unorderedPacketSize(share) : <u32>MAX_PACKET;
  share.left = share.unordered ? packetsOf(share) : TILE_BLOCKS;
  for (let index = 0; index < TILE_BLOCKS; index++) {
    const block = share.block(index);
    block.lock = 0;
    block.left = share.count;
    copyCursor(share.first, block.cursor);
  }
  beginShare(tile, share);
  statistics.tilesShared += 1;
  loadRest(tile);
  openShare(share);
  return STATUS_DONE;
}

/**
 * Number of triangles in a packet of unordered draw calls: few enough for each worker to get several packets, but not
 * too few to fill warps.
 */
function unorderedPacketSize(share: Share): u32 {
  const few = share.count / (share.workers * PACKETS_PER_WORKER);
  return min<u32>(max<u32>(few, MIN_PACKET), MAX_PACKET);
}

function packetsOf(share: Share): u32 {
  return (share.count + share.packet - 1) / share.packet;
}

/** Whether a triangle is left. If so, the cursor points at it. */
function isTriangle(tile: Tile): bool {
  while (tile.cursorEntry >= tile.cursorBlock.count) {
    tile.cursorEntry = 0;
    const block = tile.cursorBlock.next;
    if (block) {
      tile.cursorBlock = block;
      continue;
    }
    const list = nextList(tile.pass, tile.cursorList + 1, tile.number);
    if (list == tile.pass.listCount) {
      // The walk must find the end of the lists as it left it.
      tile.cursorEntry = tile.cursorBlock.count;
      return false;
    }
    tile.cursorList = list;
    tile.cursorBlock = changetype<BinBlock>(headOf(tile.pass, list, tile.number));
  }
  return true;
}

function triangleAt(tile: Tile): Triangle {
  return changetype<Triangle>(load<usize>(tile.cursorBlock.entries + (tile.cursorEntry << 2)));
}

function isUnordered(draw: Draw): bool {
  return (draw.flags & DRAW_FLAG_DECLARED_UNORDERED) != 0;
}

/**
 * Whether most of the next triangles are large and would be shaded immediately anyway. Unordered opaque triangles could
 * be shaded by any worker, but 2000 of them, from far to near, took 12 times as long that way.
 */
function sharingPays(tile: Tile): bool {
  const block = tile.cursorBlock;
  const end = min<u32>(block.count, tile.cursorEntry + EXAMINED_TRIANGLES);
  let more = 0;
  for (let entry = tile.cursorEntry; entry < end; entry++) {
    const triangle = changetype<Triangle>(load<usize>(block.entries + (entry << 2)));
    more += isLarge(triangle) && modeOf(triangle.draw) == MODE_ORDERED ? 1 : -1;
  }
  return more > 0;
}

function isLarge(triangle: Triangle): bool {
  return (triangle.maxX - triangle.minX) * (triangle.maxY - triangle.minY) >= LARGE_PIXELS;
}

/** Finds the longest run of triangles that all need order, or all need none. The cursor does not move. */
function findRun(tile: Tile, share: Share): void {
  const unordered = isUnordered(triangleAt(tile).draw);
  saveCursor(tile, share.first);
  let count: u32 = 0;
  do {
    if (isUnordered(triangleAt(tile).draw) != unordered) break;
    tile.cursorEntry += 1;
    count += 1;
  } while (count < <u32>SHARE_TRIANGLES && isTriangle(tile));
  saveCursor(tile, share.end);
  loadCursor(tile, share.first);
  share.unordered = i32(unordered);
  share.count = count;
}

function saveCursor(tile: Tile, cursor: PacketCursor): void {
  cursor.list = tile.cursorList;
  cursor.block = tile.cursorBlock;
  cursor.entry = tile.cursorEntry;
}

function loadCursor(tile: Tile, cursor: PacketCursor): void {
  tile.cursorList = cursor.list;
  tile.cursorBlock = cursor.block;
  tile.cursorEntry = cursor.entry;
}

function copyCursor(from: PacketCursor, to: PacketCursor): void {
  to.list = from.list;
  to.block = from.block;
  to.entry = from.entry;
}

/**
 * Adds a context to a tile that another context holds: it uses the holder's planes until tileLeave. Share.users already
 * includes its worker.
 */
export function tileJoin(tile: Tile, share: Share): void {
  const holder = share.tile;
  moveTo(tile, holder.number);
  tile.depth = holder.depth;
  tile.stencil = holder.stencil;
  tile.parks = 0;
  memory.copy(tile.planes, holder.planes, MAX_COLOR_TARGETS * sizeOf<Plane>());
  clearDrawReferences(tile);
  beginShare(tile, share);
  tile.pass.statistics.tilesJoined += 1;
}

export function tileLeave(tile: Tile): void {
  if (tile.pool.hasMissed) tileContextInit(tile, tile.pass, tile.pool);
  else keepPlanes(tile);
}

/** Resets the context: no draw call is current, and nothing is pending. */
function beginShare(tile: Tile, share: Share): void {
  tile.draw = changetype<Draw>(0);
  tile.orderedPacker = tile.inOrderPacker;
  tile.shareBlock = -1;
  tile.packetBlocks = 0;
  tile.packetFirst = 0;
  const first = share.first;
  tile.packetList = first.list;
  tile.packetBlock = first.block;
  tile.packetEntry = first.entry;
}

/**
 * Works on an open tile as worker number `worker`. Returns:
 * - STATUS_DONE when nothing is left for this worker. For the context that holds the tile, this means that all work is
 *   done, and it may continue after the shared triangles;
 * - STATUS_YIELD when the call's share is done: call again;
 * - STATUS_WAITS when other workers must continue first: call again;
 * - an error status.
 */
export function tileShare(tile: Tile, share: Share, worker: u32): i32 {
  if (missFlags(share) & SHARE_TIMED_OUT) return STATUS_DONE;
  const statistics = tile.pass.statistics;
  enterPart(statistics, PART_RASTER);
  beginWarps(tile);
  // Other tiles are counted between calls.
  beginQuery(tile);
  const status = share.unordered ? runUnordered(tile, share, worker) : runOrdered(tile, share, worker);
  endQuery(tile);
  enterPart(statistics, PART_OUTSIDE);
  // A loop may not terminate on the zeros of missing pages.
  if (status != STATUS_TIMEOUT || !tile.pool.hasMissed) return status;
  addMissFlags(share, SHARE_MISSED | SHARE_TIMED_OUT);
  return STATUS_DONE;
}

/**
 * Ends sharing after all other workers have left: the context that holds the tile continues alone. Returns STATUS_DONE,
 * or STATUS_WAITS if the tile must be replayed and goes no further (as tileRun).
 */
export function tileClose(tile: Tile, share: Share): i32 {
  tile.draw = changetype<Draw>(0);
  loadCursor(tile, share.end);
  if (!isTriangle(tile)) tile.phase = TILE_PHASE_FLUSH;
  const missed = missFlags(share);
  if (!missed) tile.parks = share.parks;
  else tile.pool.misses.waits = 1;
  return missed & SHARE_TIMED_OUT ? endTile(tile) : STATUS_DONE;
}

function endTile(tile: Tile): i32 {
  tileContextInit(tile, tile.pass, tile.pool);
  return STATUS_WAITS;
}

/** In order: takes packets into free blocks, one after the other. */
function runOrdered(tile: Tile, share: Share, worker: u32): i32 {
  const limit = warpsShaded(tile) + TILE_CALL_WARPS;
  for (let calls = CALL_PACKETS; calls > 0 && warpsShaded(tile) < limit; calls--) {
    const index = unfinishedBlock(tile, share, worker);
    if (index < 0) {
      // The workers that are in the last blocks finish them.
      if (tile != share.tile || !remainingWork(share)) return STATUS_DONE;
      tile.pass.statistics.blockWaits += 1;
      return STATUS_WAITS;
    }
    const block = share.block(index);
    const count = min<u32>(block.left, share.packet);
    loadCursor(tile, block.cursor);
    const status = runPacket(tile, share, index, count);
    if (status != STATUS_DONE) return status;
    saveCursor(tile, block.cursor);
    block.left -= count;
    if (!block.left) claimNext(share);
    unlockBlock(block);
  }
  return STATUS_YIELD;
}

/**
 * Enters a block that is free and unfinished: the worker's last block, or the next one. Each worker starts at a
 * different block. Returns -1 if there is none.
 */
function unfinishedBlock(tile: Tile, share: Share, worker: u32): i32 {
  const first = tile.shareBlock < 0 ? firstBlock(share, worker) : tile.shareBlock;
  for (let i = 0; i < TILE_BLOCKS; i++) {
    const index = (first + i) & (TILE_BLOCKS - 1);
    const block = share.block(index);
    if (!block.left || !tryLockBlock(block)) continue;
    if (block.left) {
      tile.shareBlock = index;
      return index;
    }
    unlockBlock(block);
  }
  return -1;
}

function firstBlock(share: Share, worker: u32): i32 {
  return <i32>((worker * <u32>TILE_BLOCKS) / share.workers);
}

/** For unordered draw calls: takes each packet into all blocks, in the order in which the blocks become free. */
function runUnordered(tile: Tile, share: Share, worker: u32): i32 {
  const limit = warpsShaded(tile) + TILE_CALL_WARPS;
  const first = firstBlock(share, worker);
  let looks = MAX_BLOCK_SEARCHES;
  while (warpsShaded(tile) < limit) {
    if (!tile.packetBlocks && !claimPacket(tile, share)) return STATUS_DONE;
    let rest = rotr<u64>(tile.packetBlocks, first);
    while (rest && !tryLockBlock(share.block((<i32>ctz(rest) + first) & (TILE_BLOCKS - 1)))) rest &= rest - 1;
    if (!rest) {
      if (looks == MAX_BLOCK_SEARCHES) tile.pass.statistics.blockWaits += 1;
      if (--looks == 0) return STATUS_WAITS;
      continue;
    }
    const index = (<i32>ctz(rest) + first) & (TILE_BLOCKS - 1);
    tile.cursorList = tile.packetList;
    tile.cursorBlock = tile.packetBlock;
    tile.cursorEntry = tile.packetEntry;
    const status = runPacket(tile, share, index, min<u32>(share.count - tile.packetFirst, share.packet));
    if (status != STATUS_DONE) return status;
    unlockBlock(share.block(index));
    tile.packetBlocks &= ~((<u64>1) << u64(index));
  }
  return STATUS_YIELD;
}

/** Takes the next packet, for all blocks. Returns false if there is none. */
function claimPacket(tile: Tile, share: Share): bool {
  const left = claimNext(share);
  if (left <= 0) return false;
  const number = (packetsOf(share) - left) * share.packet;
  tile.cursorList = tile.packetList;
  tile.cursorBlock = tile.packetBlock;
  tile.cursorEntry = tile.packetEntry;
  for (let at = tile.packetFirst; at < number; at++) {
    tile.cursorEntry += 1;
    isTriangle(tile);
  }
  tile.packetFirst = number;
  tile.packetList = tile.cursorList;
  tile.packetBlock = tile.cursorBlock;
  tile.packetEntry = tile.cursorEntry;
  tile.packetBlocks = u64.MAX_VALUE;
  return true;
}

/** Runs `count` triangles from the cursor on in the block that the worker has entered. Returns STATUS_*. */
function runPacket(tile: Tile, share: Share, block: i32, count: u32): i32 {
  // Other workers have drawn into the block without the pages that they missed.
  if (missFlags(share)) tile.pool.misses.waits = 1;
  copyBlock(share.tile, tile, block);
  const x = tile.x + (block & 7) * BLOCK_SIZE;
  const y = tile.y + (block >> 3) * BLOCK_SIZE;
  for (; count && isTriangle(tile); count--) {
    const triangle = triangleAt(tile);
    tile.cursorEntry += 1;
    if (triangle.minX >= x + BLOCK_SIZE || triangle.maxX <= x || triangle.minY >= y + BLOCK_SIZE || triangle.maxY <= y)
      continue;
    let status: i32 = STATUS_DONE;
    if (triangle.draw != tile.draw) status = beginDraw(tile, triangle.draw);
    if (status == STATUS_DONE) status = runInBlock(tile, triangle, block);
    if (status != STATUS_DONE) return status;
  }
  const status = runAll(tile);
  if (status == STATUS_DONE) copyBlock(tile, share.tile, block);
  if (tile.pool.hasMissed) addMissFlags(share, SHARE_MISSED);
  return status;
}

/** Starts a draw call. Opaque ones are shaded in order, too. Returns STATUS_*. */
function beginDraw(tile: Tile, draw: Draw): i32 {
  endQuery(tile);
  const status = runAll(tile);
  if (status != STATUS_DONE) return status;
  loadDrawState(tile, draw);
  if (tile.mode == MODE_DEFERRED) tile.mode = MODE_ORDERED;
  tile.defersLess = 0;
  tile.packsWholeBlocks = 0;
  tile.hasClaims = 0;
  tile.orderedPacker.draw = draw;
  beginQuery(tile);
  return STATUS_DONE;
}

/** Runs all pending work of the block. Returns STATUS_*. */
function runAll(tile: Tile): i32 {
  const gathered = flushGathered(tile);
  if (gathered != STATUS_DONE) return gathered;
  const status = drainOrdered(tile);
  return status == STATUS_DONE ? resumeAll(tile) : status;
}
