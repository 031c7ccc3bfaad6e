// Shades one warp of coarse pixels. The warp is bound and run as usual (shade.ts), at the centres of its coarse pixels.
// Its results are then copied to the quads of pixels that they stand for and written, sixteen quads at a time. If finer
// stages follow, they run for these quads and read the coarse results (coarse-stages.ts).

import {
  CoarsePacker,
  CoarseStages,
  DEFERRED_PACKERS,
  DRAW_FLAG_LATE_DEPTH,
  Entry,
  FineEntry,
  Packer,
  PACKER_BLOCK,
  PACKER_PIXELS,
  PACKER_QUADS,
  PROGRAM_FLAG_DERIVATIVES,
  RATE_1X1,
  REGISTER_BYTES,
  sizeOf,
  SOURCE_BLOCK,
  STAT_FLAG_STAGES,
  Statistics,
  STATUS_DONE,
  Tile,
  Warp,
  WARP_QUADS,
} from '../layout';
import { outputWarp } from '../output/output';
import { copyLanes } from '../simd/texels';
import { repeatWords } from '../surface/texel-same';
import { anyLayer } from '../tile/layers';
import { setCentres } from '../tile/begin';
import { endOutput, endProgram, startWarp } from '../warp/clock';
import { runQuads, runWarp } from '../warp/run';
import { heightOf, spreadQuad, widthOf } from './inputs/coarse-shapes';
import { runPixels } from './coarse-stages';
import { countInvocations, countRun } from './lanes/counts';
import { interpolateWarp } from './inputs/interpolate';
import { coveredBits } from './lanes/masks';
import { bind, startPixels } from './lanes/bind';
import { writeMasks } from './rates/write-masks';
import { resumeAllOrReplay } from './shade';

/** Shades a packer's coarse pixels and empties it. Does nothing if the packer is empty. Returns STATUS_*. */
export function shadeCoarse(tile: Tile, coarse: CoarsePacker): i32 {
  const packer = coarse.packer;
  if (!packer.count) return STATUS_DONE;
  const taken = resumeAllOrReplay(tile);
  if (taken != STATUS_DONE) return taken;
  const statistics = tile.pass.statistics;
  const began = startWarp(statistics);
  const warp = tile.warp;
  const whole = packer.draw;
  const stages = changetype<CoarseStages>(whole.stages);
  const draw = stages ? stages.coarse : whole;
  bind(tile, warp, draw);
  const rate = coarse.rate;
  setCentres(tile, rate);
  packer.draw = draw;
  const helpers = stages ? stages.byQuads != 0 : (draw.fragment.program.flags & PROGRAM_FLAG_DERIVATIVES) != 0;
  const status = run(tile, warp, packer, helpers);
  packer.draw = whole;
  setCentres(tile, RATE_1X1);
  if (status != STATUS_DONE) return status;
  const ended = endProgram(statistics, began);
  let pixels: u32;
  if (stages) {
    pixels = countPixels(tile, coarse.fine, coarse.fineCount);
    const behind = runPixels(tile, coarse, stages);
    if (behind != STATUS_DONE) return behind;
  } else {
    pixels = writeResults(tile, coarse);
    endOutput(statistics, ended);
  }
  packer.count = 0;
  coarse.fineCount = 0;
  memory.fill(coarse.areas, 0, 32);
  statistics.quadsShaded += warp.quadCount;
  statistics.lanesShaded += warp.lanes;
  statistics.warpsFragment += 1;
  countRate(statistics, rate, warp.lanes, pixels);
  if (statistics.flags & STAT_FLAG_STAGES) countRun(tile, draw.fragment);
  return STATUS_DONE;
}

/** Counts for one of the six coarse rates: 1×2, 2×1, 2×2, 2×4, 4×2, 4×4. */
function countRate(statistics: Statistics, rate: i32, threads: u32, pixels: u32): void {
  const index = heightOf(rate) ? (widthOf(rate) << 1) + heightOf(rate) - 1 : 1;
  const at = changetype<usize>(statistics) + (index << 2);
  add(at + offsetof<Statistics>('invocations1x2'), threads);
  add(at + offsetof<Statistics>('warps1x2'), 1);
  add(at + offsetof<Statistics>('pixels1x2'), pixels);
}

function add(at: usize, count: u32): void {
  store<u32>(at, load<u32>(at) + count);
}

/** Runs the shader on the packer's coarse pixels; with `helpers`, on whole coarse quads. Returns STATUS_*. */
function run(tile: Tile, warp: Warp, packer: Packer, helpers: bool): i32 {
  const draw = packer.draw;
  const program = draw.fragment.program;
  const count = packer.count;
  const single = packer.kind == PACKER_PIXELS;
  const groups = single ? (count + 3) >> 2 : count;
  warp.quadCount = groups;
  warp.lanes = single ? startPixels(warp, count) : startCoarse(warp, packer, helpers);
  if (draw.flags & DRAW_FLAG_LATE_DEPTH) repeatWords(warp.killed, 0, 0, groups << 4);
  const quads = single ? 0 : program.quadsSlot;
  if (quads) {
    warp.packer = packer;
    return runQuads(warp, quads);
  }
  interpolateWarp(tile, packer);
  return runWarp(warp);
}

/** Sets the execution mask for coarse quads, with `helpers` to all lanes. Returns the number of wanted lanes. */
function startCoarse(warp: Warp, packer: Packer, helpers: bool): i32 {
  let at = warp.exec;
  let lanes = 0;
  let entry = packer.entries;
  for (const end = entry + packer.count * sizeOf<Entry>(); entry < end; entry += sizeOf<Entry>()) {
    const mask = <i32>changetype<Entry>(entry).mask;
    lanes += popcnt(mask);
    copyLanes(at, helpers ? 15 : mask);
    at += 16;
  }
  return lanes;
}

/** Writes the results of a packer without further stages. Returns the number of pixels that received one. */
function writeResults(tile: Tile, coarse: CoarsePacker): u32 {
  if (ASC_FEATURE_SIMD) if (coarse.hasMasks) return writeMasks(tile, coarse);
  return spread(tile, coarse);
}

/** Copies the results to the quads of pixels and writes them. Returns the number of pixels that received a result. */
function spread(tile: Tile, coarse: CoarsePacker): u32 {
  const warp = tile.warp;
  const room = tile.coarse;
  const packer = coarse.packer;
  const draw = packer.draw;
  const program = draw.fragment.program;
  const inputs = program.inputs * REGISTER_BYTES;
  const results = tile.registers;
  const late = (draw.flags & DRAW_FLAG_LATE_DEPTH) != 0;
  if (late) memory.copy(room.killed, warp.killed, warp.quadCount << 4);
  const out = tile.packer(DEFERRED_PACKERS);
  out.draw = draw;
  tile.registers = room.registers - inputs;
  let pixels: u32 = 0;
  let fine = coarse.fine;
  for (const end = fine + coarse.fineCount * sizeOf<FineEntry>(); fine < end;) {
    const whole = (changetype<FineEntry>(fine).source & SOURCE_BLOCK) != 0;
    const next = whole ? fine + WARP_QUADS * sizeOf<FineEntry>() : endOfBatch(fine, end);
    // After a discard, the block is no longer covered as a whole.
    out.kind = whole && !late ? PACKER_BLOCK : PACKER_QUADS;
    out.count = <i32>((next - fine) / sizeOf<FineEntry>());
    let entry = out.entries;
    for (let at = fine, to = room.registers; at < next; at += sizeOf<FineEntry>(), to += 16) {
      spreadQuad(changetype<FineEntry>(at).source, results + inputs, to, program.outputs);
      store<u64>(entry, load<u64>(at));
      store<u64>(entry, load<u64>(at, 8), 8);
      entry += sizeOf<Entry>();
    }
    if (late)
      for (let at = fine, to = warp.killed; at < next; at += sizeOf<FineEntry>(), to += 16)
        spreadQuad(changetype<FineEntry>(at).source, room.killed, to, 1);
    pixels += countPixels(tile, out.entries, out.count);
    countInvocations(tile, out);
    outputWarp(tile, out);
    fine = next;
  }
  out.count = 0;
  tile.registers = results;
  return pixels;
}

/** End of a batch of up to sixteen fine entries. A whole block is always a separate batch. */
function endOfBatch(fine: usize, end: usize): usize {
  const last = min<usize>(end, fine + WARP_QUADS * sizeOf<FineEntry>());
  do fine += sizeOf<FineEntry>();
  while (fine < last && !(changetype<FineEntry>(fine).source & SOURCE_BLOCK));
  return fine;
}

/** Number of pixels that have samples in the given quad entries (fine entries, or a packer's). */
function countPixels(tile: Tile, entry: usize, count: i32): u32 {
  const multisampled = tile.layerSamples != 1;
  let pixels: u32 = 0;
  for (const end = entry + count * sizeOf<Entry>(); entry < end; entry += sizeOf<Entry>()) {
    const mask = anyLayer(changetype<Entry>(entry).mask);
    pixels += popcnt(multisampled ? coveredBits(mask) : mask);
  }
  return pixels;
}
