// Runs warps of shaders that are partly run per sample set (layout/tile/sample-sets.ts; US 9,082,212, "sample-based
// passes"). The first part runs for all pixels, with the first set of each. The second part then runs for the remaining
// sets (remaining-sets.ts), or later for those of several warps at once (waiting-sets.ts). Sets with equal results are
// written together. The render targets' contents are compared here, when the warp runs. No other pending warp has
// entries in its quads or in quads with waiting sets (tile/claims.ts).

import {
  Destinations,
  Draw,
  Entry,
  entryHead,
  Packer,
  PACKER_BLOCK,
  PACKER_PIXELS,
  PACKER_QUADS,
  Plane,
  PROGRAM_FLAG_DERIVATIVES,
  REGISTER_BYTES,
  SampleSets,
  SetRoom,
  STAT_FLAG_STAGES,
  STATUS_DONE,
  Tile,
} from '../../layout';
import { loadFirstWords } from '../../output/destination';
import { destinationsOf, equalTo, isUniform } from '../../output/equal-samples';
import { wordPlane } from '../../output/word-sets';
import { uniteEqual } from '../../surface/plane';
import { pixelMask, quadMask } from '../../tile/layers';
import { endOutput, endProgram, startWarp } from '../../warp/clock';
import { bind } from '../lanes/bind';
import { countRun } from '../lanes/counts';
import { planeInPlace, shadeInPlace } from './in-place';
import { runRemainingSets } from './remaining-sets';
import { countLanes } from '../lanes/lanes';
import { countSets, runPart, sendWarp } from './part';
import { storeWaitingSets, canWaitForMoreSets, runWaiting } from './waiting-sets';

/** Runs a packer's quads or pixels and empties it. Returns STATUS_*. */
export function shadeSets(tile: Tile, packer: Packer): i32 {
  const draw = packer.draw;
  const sets = changetype<SampleSets>(draw.sets);
  const room = tile.setRoom;
  if (room.waiting && room.waiting != sets) {
    const status = runWaiting(tile);
    if (status != STATUS_DONE) return status;
  }
  const destinations = destinationsOf(draw, sets);
  if (destinations && tile.pass.blends) uniteBlocks(tile, packer, destinations.targets);
  if (ASC_FEATURE_SIMD) {
    const plane = planeInPlace(tile, packer, sets);
    if (plane) return shadeInPlace(tile, packer, sets, plane);
  }
  const statistics = tile.pass.statistics;
  const began = startWarp(statistics);
  const warp = tile.warp;
  bind(tile, warp, draw);
  const words = sets.secondPart && !sets.apart ? wordPlane(tile, destinations) : changetype<Plane>(0);
  room.words = words;
  const hasRemainingSets = !sets.secondPart
    ? false
    : words
      ? loadFirstWords(tile, packer)
      : keepFirstSets(tile, packer, destinations, sets.apart != 0);
  // The block is then not written as a whole.
  if (hasRemainingSets && packer.kind == PACKER_BLOCK) packer.kind = PACKER_QUADS;
  const isPacked = sets.apart && packPixels(tile, packer, sets);
  room.packed = i32(isPacked);
  const status = isPacked
    ? runPart(tile, room.packer, draw, false, room.from)
    : runPart(tile, packer, draw, sets.byQuads != 0, words ? 0 : room.from);
  if (status != STATUS_DONE) return status;
  statistics.pixelRuns += warp.lanes;
  statistics.warpsFragment += 1;
  statistics.quadsShaded += warp.quadCount;
  if (statistics.flags & STAT_FLAG_STAGES) countRun(tile, draw.fragment);
  const isWhole = sets.apart == 0;
  const killed = outputOf(tile, draw, sets.killedRegister);
  const masks = outputOf(tile, draw, sets.maskRegister);
  if (isWhole) countSets(tile, packer, sets, warp.lanes, killed);
  if (hasRemainingSets) {
    if (killed | masks) dropDiscardedSamples(tile, packer, killed, masks);
    const ended = canWaitForMoreSets(tile, draw, sets)
      ? storeWaitingSets(tile, packer, sets)
      : runRemainingSets(tile, packer, sets);
    if (ended != STATUS_DONE) return ended;
  }
  const programEnded = endProgram(statistics, began);
  if (isWhole) sendWarp(tile, packer, sets, 0);
  endOutput(statistics, programEnded);
  packer.count = 0;
  return STATUS_DONE;
}

/** Lets no pixel of a packer's blocks hold a value twice in the targets of a mask. Each value is one set. */
function uniteBlocks(tile: Tile, packer: Packer, targets: i32): void {
  const shift = packer.kind == PACKER_PIXELS ? 6 : 4;
  const count = packer.kind == PACKER_BLOCK ? 1 : packer.count;
  let last = -1;
  for (let i = 0; i < count; i++) {
    const block = packer.entry(i).quad >> shift;
    if (block == last) continue;
    last = block;
    for (let rest = targets; rest; rest &= rest - 1) uniteEqual(tile.plane(ctz(rest)), block);
  }
}

/**
 * Leaves each entry the first set of each pixel and stores the remaining samples in SET ROOM. If `apart`, every sample
 * is a separate set regardless of the targets, and all samples remain. Returns whether any remain.
 */
function keepFirstSets(tile: Tile, packer: Packer, destinations: Destinations, apart: bool): bool {
  const room = tile.setRoom;
  const count = packer.count;
  let some: u64 = 0;
  for (let i = 0; i < count; i++) {
    const entry = packer.entry(i);
    let left: u64 = 0;
    if (apart) left = entry.mask;
    else if (!isUniform(tile, destinations, entry.quad)) left = keepFirstSet(tile, room, destinations, entry, i << 2);
    else store<u32>(room.from + (i << 2), 0);
    store<u64>(room.left + (i << 3), left);
    some |= u64(left != 0) << u64(i);
  }
  room.some = some;
  return some != 0;
}

/** keepFirstSets for one entry. Returns the remaining samples. */
function keepFirstSet(tile: Tile, room: SetRoom, destinations: Destinations, entry: Entry, lane: i32): u64 {
  const mask = entry.mask;
  const quad = entry.quad;
  let first: u64 = 0;
  for (let pixel = 0; pixel < 4; pixel++) {
    const samples = pixelMask(mask, pixel);
    const from = samples ? ctz(samples) : 0;
    store<u8>(room.from + lane + pixel, from);
    if (samples) first |= quadMask(samples & equalTo(tile, destinations, (quad << 2) + pixel, from), pixel);
  }
  entry.mask = first;
  return mask & ~first;
}

/**
 * Moves the covered pixels of quads to SetRoom.packer if that fills at least a quarter fewer lanes; small triangles
 * cover about two pixels of a quad. Only for shaders whose first part has no results but links, which may be at any
 * lane. Not after coarse stages, whose links are ordered by quads. Returns whether it did.
 */
function packPixels(tile: Tile, packer: Packer, sets: SampleSets): bool {
  const count = packer.count;
  if (packer.kind != PACKER_QUADS || tile.warp == tile.pool.pixels) return false;
  const flags = packer.draw.fragment.program.flags | sets.secondPart.fragment.program.flags;
  if (flags & PROGRAM_FLAG_DERIVATIVES) return false;
  const covered = countLanes(tile, packer, count);
  if (covered > 3 * count) return false;
  const room = tile.setRoom;
  const out = room.packer;
  const multisampled = tile.layerSamples != 1;
  out.draw = packer.draw;
  out.kind = PACKER_PIXELS;
  out.count = covered;
  let lane = 0;
  for (let i = 0; i < count; i++) {
    const entry = packer.entry(i);
    const mask = entry.mask;
    for (let pixel = 0; pixel < 4; pixel++) {
      const samples = multisampled ? pixelMask(mask, pixel) : (<i32>(mask >> (<u64>pixel))) & 1;
      if (!samples) continue;
      out.entry(lane).put(entryHead(entry.triangle, (entry.quad << 2) + pixel, entry.sample), samples);
      store<u8>(room.pixelLanes + (i << 2) + pixel, lane++);
    }
  }
  return true;
}

/** Address of an output register of the part that the tile's warp has run, or 0 if there is none. */
function outputOf(tile: Tile, draw: Draw, register: i32): usize {
  return register < 0 ? 0 : tile.registers + (draw.fragment.program.inputs + register) * REGISTER_BYTES;
}

/**
 * Removes samples that the first part discarded or left out of its sample mask: they have no further sets. `killed` and
 * `masks` are the addresses of the registers with this information, or 0.
 */
function dropDiscardedSamples(tile: Tile, packer: Packer, killed: usize, masks: usize): void {
  const room = tile.setRoom;
  const pixels = packer.kind == PACKER_PIXELS;
  for (let rest = room.some; rest; rest &= rest - 1) {
    const i = <i32>ctz(rest);
    let left = room.samplesLeft(i);
    if (pixels) left &= keptSamples(tile, killed, masks, i);
    else
      for (let pixel = 0; pixel < 4; pixel++) {
        const all = quadMask(0xffff, pixel);
        if (!(left & all)) continue;
        const lane = room.packed ? room.pixelLane((i << 2) + pixel) : (i << 2) + pixel;
        left &= ~all | quadMask(keptSamples(tile, killed, masks, lane), pixel);
      }
    store<u64>(room.left + (i << 3), left);
    if (!left) room.some &= ~((<u64>1) << u64(i));
  }
}

/**
 * The samples of a pixel that the first part keeps, encoded as in Entry.mask. `lane` is the pixel's lane in the first
 * part.
 */
function keptSamples(tile: Tile, killed: usize, masks: usize, lane: i32): i32 {
  if (killed && load<u32>(killed + (lane << 2))) return 0;
  const mask = masks ? load<i32>(masks + (lane << 2)) & 0xffff : 0xffff;
  // With two samples, bits 2 and 3 repeat bits 0 and 1.
  return tile.samples == 2 ? (mask & 3) * 5 : mask;
}
