// Runs one part of a shader that is split by sample sets (sets.ts) on a warp, counts it, and sends its results to
// output.

import {
  Draw,
  DRAW_FLAG_ACCESSES,
  DRAW_FLAG_LATE_DEPTH,
  Packer,
  PACKER_BLOCK,
  PACKER_PIXELS,
  PROGRAM_FLAG_DERIVATIVES,
  PROGRAM_FLAG_NO_MASKS,
  SampleSets,
  SETS_EVERY_SAMPLE,
  STAT_FLAG_STAGES,
  Statistics,
  Tile,
  WARP_QUADS,
} from '../../layout';
import { loadDestinations } from '../../output/destination';
import { outputWarp } from '../../output/output';
import { repeatWords } from '../../surface/texel-same';
import { allSamples, samplesOfPixels, wholeQuad } from '../../tile/layers';
import { runQuads, runWarp } from '../../warp/run';
import { killHelpers, startPixels } from '../lanes/bind';
import { countInvocations, countPixels } from '../lanes/counts';
import { outputDispatches } from './dispatches';
import { interpolateWarp } from '../inputs/interpolate';
import { countLanes, startLanes } from '../lanes/lanes';
import { putSampleMasks } from '../inputs/sample-masks';

/**
 * Runs a shader on the entries of a packer. `from` is the argument of loadDestinations, which loads what the shader
 * reads of its targets; 0 means that it is already loaded. Returns STATUS_*.
 */
export function runPart(tile: Tile, packer: Packer, draw: Draw, byQuads: bool, from: usize): i32 {
  const warp = tile.warp;
  const program = draw.fragment.program;
  const count = packer.count;
  const kind = packer.kind;
  const pixels = kind == PACKER_PIXELS;
  const groups = pixels ? (count + 3) >> 2 : count;
  const block = kind == PACKER_BLOCK;
  const quads = pixels ? 0 : program.quadsSlot;
  const flags = draw.flags;
  const helpers = byQuads || (program.flags & PROGRAM_FLAG_DERIVATIVES) != 0;
  // If another part accesses surfaces, the killed lanes follow from the execution mask (killHelpers).
  const needsMasks = !(program.flags & PROGRAM_FLAG_NO_MASKS) || (flags & DRAW_FLAG_ACCESSES) != 0;
  warp.quadCount = groups;
  warp.lanes =
    quads && !needsMasks
      ? block
        ? 4 * WARP_QUADS
        : countLanes(tile, packer, count)
      : pixels || block
        ? startPixels(warp, pixels ? count : count << 2)
        : startLanes(tile, packer, count, helpers && !(flags & DRAW_FLAG_ACCESSES));
  if (flags & DRAW_FLAG_ACCESSES) killHelpers(changetype<usize>(warp), groups, helpers);
  else if (flags & DRAW_FLAG_LATE_DEPTH) repeatWords(warp.killed, 0, 0, groups << 4);
  if (from && draw.destinations) loadDestinations(tile, packer, from);
  if (!quads) {
    interpolateWarp(tile, packer);
    return runWarp(warp);
  }
  putSampleMasks(tile, packer);
  warp.packer = packer;
  return runQuads(warp, quads);
}

/**
 * Sends the results of the tile's warp to output. (Output removes samples that fail late tests from the masks.)
 * `merged`: number of sets that others have taken over.
 */
export function sendWarp(tile: Tile, packer: Packer, sets: SampleSets, merged: u32): void {
  countInvocations(tile, packer);
  if (sets.dispatches > 1) {
    outputDispatches(tile, packer, sets);
    return;
  }
  outputWarp(tile, packer);
  const statistics = tile.pass.statistics;
  if (!(statistics.flags & STAT_FLAG_STAGES)) return;
  const late = packer.draw.flags & DRAW_FLAG_LATE_DEPTH;
  statistics.dispatches += late ? countPixels(tile, packer) : tile.warp.lanes - merged;
}

/**
 * Counts the sample sets of a warp's lanes. `killed` is the address of a register, or 0. Its lane is nonzero where the
 * pixel stages discarded the pixel, which then has no set.
 */
export function countSets(tile: Tile, packer: Packer, sets: SampleSets, lanes: u32, killed: usize): void {
  const statistics = tile.pass.statistics;
  if (!(statistics.flags & STAT_FLAG_STAGES)) return;
  const single = packer.kind == PACKER_PIXELS;
  const whole = single ? <u64>allSamples(tile) : wholeQuad(tile);
  let wholes: u32 = 0;
  // A sample of several is never a whole pixel.
  const count = sets.apart & SETS_EVERY_SAMPLE && tile.samples > 1 ? 0 : packer.count;
  for (let i = 0; i < count; i++) {
    let mask = packer.entry(i).mask;
    if (killed)
      for (let pixel = 0; pixel < 4; pixel++) {
        const samples = samplesOfPixels(1 << pixel, tile.samples) & mask;
        if (!samples || !load<u32>(killed + (i << 4) + (pixel << 2))) continue;
        mask &= ~samples;
        lanes -= 1;
      }
    wholes += single ? u32(mask == whole) : wholePixels(mask, whole);
  }
  addSets(statistics, lanes, wholes);
}

/** Counts the sample sets that lanes have run for, and those among them that are whole pixels. */
export function addSets(statistics: Statistics, lanes: u32, wholes: u32): void {
  statistics.sampleSets += lanes;
  statistics.sampleRuns += lanes;
  statistics.lanesShaded += lanes;
  statistics.wholeSets += wholes;
}

/** Number of pixels of a quad whose samples are all in a mask. `whole`: all samples of the quad. */
function wholePixels(mask: u64, whole: u64): u32 {
  if (whole == 15) return popcnt(<i32>mask);
  // Bits of layers that the tile lacks count as set.
  const layers = mask | ~whole;
  const halves = layers & (layers >> 32);
  const all = <i32>(halves & (halves >> 16));
  const pairs = all & (all >> 1);
  return popcnt(pairs & (pairs >> 2) & 0x1111);
}
