// Collects the further sample sets (sets.ts) of several warps, so that the second part of the shader runs for many sets
// at once. Most warps leave two or three further sets, and a warp for these alone takes ten times as long as its lanes
// need. While sets wait, their quads are claimed (SetRoom.claims). Before a later warp with entries in these quads, the
// sets run. This only applies to draw calls with ordered framebuffer fetch whose samples differ just by the targets'
// contents, and that test nothing after the shader.

import {
  Draw,
  DRAW_FLAG_ACCESSES,
  DRAW_FLAG_LATE_DEPTH,
  DRAW_FLAG_READS,
  DRAW_FLAG_UNORDERED,
  Entry,
  MAX_COLOR_TARGETS,
  Packer,
  PACKER_PIXELS,
  REGISTER_BYTES,
  SampleSets,
  SetRoom,
  STAT_FLAG_STAGES,
  STATUS_DONE,
  Tile,
  Warp,
  WARP_QUADS,
} from '../../layout';
import { destinationsOf } from '../../output/equal-samples';
import { putWordSets } from '../../output/word-sets';
import { claimOf } from '../../tile/claims';
import { pixelMask } from '../../tile/layers';
import { endOutput, endProgram, startWarp } from '../../warp/clock';
import { bind } from '../lanes/bind';
import { countRun } from '../lanes/counts';
import { sameResults } from './merge';
import { putPixel } from './remaining-sets';
import { countSets, runPart, sendWarp } from './part';

/** Whether a draw call's further sets may wait. */
export function canWaitForMoreSets(tile: Tile, draw: Draw, sets: SampleSets): bool {
  const flags = draw.flags;
  if ((flags & (DRAW_FLAG_READS | DRAW_FLAG_UNORDERED | DRAW_FLAG_ACCESSES | DRAW_FLAG_LATE_DEPTH)) != DRAW_FLAG_READS)
    return false;
  if (sets.apart | sets.byQuads || sets.dispatches > 1 || tile.coarse) return false;
  // Later triangles may write depth and stencil before their shaders run.
  const destinations = destinationsOf(draw, sets);
  return destinations.depthRegister < 0 && destinations.stencilRegister < 0;
}

/** Stores the remaining sets of a packer's quads, after the tile's warp has run the first part. Returns STATUS_*. */
export function storeWaitingSets(tile: Tile, packer: Packer, sets: SampleSets): i32 {
  const room = tile.setRoom;
  const out = room.packer;
  if (!room.waiting) beginWaiting(room, sets);
  for (let rest = room.some; rest; rest &= rest - 1) {
    const i = <i32>ctz(rest);
    const left = room.samplesLeft(i);
    // The number of samples left bounds the number of sets.
    if (out.count + <i32>popcnt(left) > 4 * WARP_QUADS) {
      const status = runWaiting(tile);
      if (status != STATUS_DONE) return status;
      beginWaiting(room, sets);
    }
    const entry = packer.entry(i);
    const quad = entry.quad;
    const from = out.count;
    putSets(tile, sets, entry, left, i);
    const claims = room.claimsOf(quad >> 4);
    store<u64>(claims, load<u64>(claims) | claimOf(tile, quad));
    keepRegisters(tile, packer, sets, from);
  }
  return STATUS_DONE;
}

/** Appends the sets of a quad's entry, each as an entry of a pixel. */
function putSets(tile: Tile, sets: SampleSets, entry: Entry, left: u64, i: i32): void {
  const room = tile.setRoom;
  const words = room.words;
  if (ASC_FEATURE_SIMD) {
    if (words)
      if (!words.secondTexels) {
        putWordSets(words, room, entry, <i32>left, i << 2);
        return;
      }
  }
  for (let pixel = 0; pixel < 4; pixel++) {
    const samples = pixelMask(left, pixel);
    if (samples) putPixel(tile, sets, entry.triangle, (entry.quad << 2) + pixel, samples, (i << 2) + pixel);
  }
}

function beginWaiting(room: SetRoom, sets: SampleSets): void {
  const out = room.packer;
  out.draw = sets.secondPart;
  out.kind = PACKER_PIXELS;
  out.count = 0;
  room.apart = 0;
  room.waiting = sets;
}

/**
 * Copies the first part's registers that the sets from `from` on need: links, and results if equal ones are counted.
 */
function keepRegisters(tile: Tile, packer: Packer, sets: SampleSets, from: i32): void {
  const room = tile.setRoom;
  const first = tile.warp.registers;
  const links = first + sets.linkFrom * REGISTER_BYTES;
  keep(room, links, tile.pool.secondPart.registers + sets.linkTo * REGISTER_BYTES, sets.linkCount, from);
  if (!(tile.pass.statistics.flags & STAT_FLAG_STAGES)) return;
  const results = first + packer.draw.fragment.program.inputs * REGISTER_BYTES;
  keep(room, results, room.results, countedResults(sets), from);
}

/** Number of results of a draw call that tests nothing after the shader: those of its colour targets. */
export function countedResults(sets: SampleSets): i32 {
  return min<i32>(sets.results, MAX_COLOR_TARGETS * 4);
}

function keep(room: SetRoom, from: usize, to: usize, registers: i32, first: i32): void {
  const count = room.packer.count;
  for (const end = from + registers * REGISTER_BYTES; from < end; from += REGISTER_BYTES, to += REGISTER_BYTES) {
    for (let i = first; i < count; i++) store<u32>(to + (i << 2), load<u32>(from + (room.lane(i) << 2)));
  }
}

/** Quads of a block with waiting sets. */
export function waitingIn(tile: Tile, block: i32): u64 {
  const room = tile.setRoom;
  return room.waiting ? load<u64>(room.claimsOf(block)) : 0;
}

/** Runs the waiting sets. Returns STATUS_*. */
export function runWaiting(tile: Tile): i32 {
  const room = tile.setRoom;
  const sets = room.waiting;
  if (!sets) return STATUS_DONE;
  const statistics = tile.pass.statistics;
  const began = startWarp(statistics);
  room.waiting = changetype<SampleSets>(0);
  const out = room.packer;
  const count = out.count;
  for (let i = 0; i < count; i++) store<u64>(room.claimsOf(out.entry(i).pixel >> 6), 0);
  const first = tile.warp;
  const second = tile.pool.secondPart;
  second.tile = changetype<usize>(tile);
  tile.use(second);
  bind(tile, second, out.draw);
  const status = runPart(tile, out, out.draw, false, room.secondFrom);
  if (status != STATUS_DONE) return status;
  statistics.quadsShaded += second.quadCount;
  statistics.warpsFragment += 1;
  if (statistics.flags & STAT_FLAG_STAGES) countStages(tile, out, sets);
  const ended = endProgram(statistics, began);
  sendWarp(tile, out, sets, 0);
  endOutput(statistics, ended);
  tile.use(first);
  return STATUS_DONE;
}

/** Counts the waiting sets' runs. A set with the same results as another of its pixel is not a separate dispatch. */
function countStages(tile: Tile, out: Packer, sets: SampleSets): void {
  const statistics = tile.pass.statistics;
  const second = tile.warp;
  countSets(tile, out, sets, second.lanes, 0);
  countRun(tile, out.draw.fragment);
  const equal = equalSets(tile, out, sets, second);
  statistics.mergedDispatches += equal;
  statistics.dispatches -= equal;
}

function equalSets(tile: Tile, out: Packer, sets: SampleSets, second: Warp): u32 {
  const first = tile.setRoom.results;
  const own = second.registers + out.draw.fragment.program.inputs * REGISTER_BYTES;
  const results = countedResults(sets);
  let equal: u32 = 0;
  for (let lane = 0; lane < out.count; lane++) {
    const at = own + (lane << 2);
    let found = sameResults(first + (lane << 2), at, results);
    const pixel = out.entry(lane).pixel;
    for (let other = lane - 1; !found && other >= 0 && out.entry(other).pixel == pixel; other--)
      found = sameResults(own + (other << 2), at, results);
    equal += u32(found);
  }
  return equal;
}
