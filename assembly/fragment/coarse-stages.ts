// Runs the pixel stages that follow a warp of coarse pixels (layout/pass/coarse-stages.ts), in a separate warp. This
// warp has the pixels that the coarse lanes stand for, quad by quad, and each pixel reads the links of its coarse lane.
// In deferred draw calls, quads run as single pixels if they are partly covered or a coarse stage discarded some of
// their pixels.

import {
  CoarsePacker,
  CoarseStages,
  DEFERRED_PACKERS,
  DRAW_FLAG_LATE_DEPTH,
  DRAW_FLAG_READS,
  Entry,
  entryHead,
  FineEntry,
  Packer,
  PACKER_BLOCK,
  PACKER_PIXELS,
  PACKER_QUADS,
  REGISTER_BYTES,
  SampleSets,
  sizeOf,
  SOURCE_BLOCK,
  SOURCE_GROUP,
  STATUS_DONE,
  Tile,
  Warp,
  WARP_QUADS,
} from '../layout';
import { anyLayer, pixelMask, samplesOfPixels } from '../tile/layers';
import { orderOf, spreadQuad } from './inputs/coarse-shapes';
import { pixelsOf } from './lanes/masks';
import { shadeWarp } from './shade';

/** Runs the stages after the coarse stages of the tile's warp, for a packer's fine entries. Returns STATUS_*. */
export function runPixels(tile: Tile, coarse: CoarsePacker, stages: CoarseStages): i32 {
  const first = tile.warp;
  const second = tile.pool.pixels;
  second.tile = changetype<usize>(tile);
  const draw = stages.pixels;
  if (draw.flags & DRAW_FLAG_LATE_DEPTH) dropKilled(tile, coarse, first);
  const links = first.registers + stages.coarse.fragment.program.inputs * REGISTER_BYTES;
  const sets = changetype<SampleSets>(draw.sets);
  const apart = !coarse.ordered && !stages.byQuads && !(sets && sets.byQuads);
  tile.use(second);
  let status = runPixelStageQuads(tile, coarse, stages, links, apart);
  if (status == STATUS_DONE && apart) status = runSinglePixels(tile, coarse, stages, links);
  tile.use(first);
  return status;
}

/** Removes the samples that a coarse stage discarded from the masks of fine entries. */
function dropKilled(tile: Tile, coarse: CoarsePacker, first: Warp): void {
  let fine = coarse.fine;
  for (const end = fine + coarse.fineCount * sizeOf<FineEntry>(); fine < end; fine += sizeOf<FineEntry>()) {
    const source = changetype<FineEntry>(fine).source;
    let killed = 0;
    for (let pixel = 0; pixel < 4; pixel++)
      killed |= i32(load<u32>(first.killed + laneOf(source, pixel)) != 0) << pixel;
    if (killed) changetype<FineEntry>(fine).mask &= ~samplesOfPixels(killed, tile.samples);
  }
}

/** The pixels (four bits) of a quad that have samples in a mask. */
function pixelsIn(tile: Tile, mask: u64): i32 {
  return tile.layerSamples == 1 ? <i32>mask : pixelsOf(anyLayer(mask));
}

/**
 * Runs quads, sixteen at a time. `links` is the address of the coarse lanes' links; with `apart`, partly covered quads
 * are skipped.
 */
function runPixelStageQuads(tile: Tile, coarse: CoarsePacker, stages: CoarseStages, links: usize, apart: bool): i32 {
  const draw = stages.pixels;
  const out = tile.packer(DEFERRED_PACKERS);
  const late = (draw.flags & DRAW_FLAG_LATE_DEPTH) != 0;
  const reads = (draw.flags & DRAW_FLAG_READS) != 0;
  const to = tile.registers + stages.linkTo * REGISTER_BYTES;
  out.draw = draw;
  out.kind = PACKER_QUADS;
  out.count = 0;
  let fine = coarse.fine;
  for (const end = fine + coarse.fineCount * sizeOf<FineEntry>(); fine < end; fine += sizeOf<FineEntry>()) {
    const mask = changetype<FineEntry>(fine).mask;
    if (!mask || (apart && pixelsIn(tile, mask) != 15)) continue;
    const source = changetype<FineEntry>(fine).source;
    const quad = changetype<Entry>(fine).quad;
    // After a discard, the block is no longer covered as a whole.
    const begins = (source & SOURCE_BLOCK) != 0 && !late;
    const waits = reads && holds(out, quad);
    if (waits) tile.pass.statistics.positionHazards += 1;
    if (begins || waits) {
      const status = runBatch(tile, out);
      if (status != STATUS_DONE) return status;
      if (begins) out.kind = PACKER_BLOCK;
    }
    const count = out.count;
    out.entry(count).put(entryHead(changetype<Entry>(fine).triangle, quad, -1), mask);
    spreadQuad(source, links, to + (count << 4), stages.linkCount);
    out.count = count + 1;
    if (count + 1 < WARP_QUADS) continue;
    const status = runBatch(tile, out);
    if (status != STATUS_DONE) return status;
  }
  return runBatch(tile, out);
}

/** Runs the pixels of partly covered quads, up to a warp's lanes at a time. Returns STATUS_*. */
function runSinglePixels(tile: Tile, coarse: CoarsePacker, stages: CoarseStages, links: usize): i32 {
  const out = tile.coarse.singles;
  const single = tile.layerSamples == 1;
  const to = tile.registers + stages.linkTo * REGISTER_BYTES;
  out.draw = stages.pixels;
  out.kind = PACKER_PIXELS;
  out.count = 0;
  let fine = coarse.fine;
  for (const end = fine + coarse.fineCount * sizeOf<FineEntry>(); fine < end; fine += sizeOf<FineEntry>()) {
    const mask = changetype<FineEntry>(fine).mask;
    const pixels = pixelsIn(tile, mask);
    if (pixels == 15) continue;
    const source = changetype<FineEntry>(fine).source;
    const first = changetype<Entry>(fine).quad << 2;
    for (let rest = pixels; rest; rest &= rest - 1) {
      const pixel = ctz(rest);
      const count = out.count;
      const samples = single ? 1 : <u64>pixelMask(mask, pixel);
      out.entry(count).put(entryHead(changetype<Entry>(fine).triangle, first + pixel, -1), samples);
      putLane(links + laneOf(source, pixel), to + (count << 2), stages.linkCount);
      out.count = count + 1;
      if (count + 1 < 4 * WARP_QUADS) continue;
      const status = runBatch(tile, out);
      if (status != STATUS_DONE) return status;
      out.kind = PACKER_PIXELS;
    }
  }
  return runBatch(tile, out);
}

/** Byte offset from a register to the lane from which a pixel of a fine quad takes its results. */
function laneOf(source: i32, pixel: i32): usize {
  return ((source & SOURCE_GROUP) << 4) + load<u8>(orderOf(source) + (pixel << 2));
}

/** Copies one lane of each of `count` registers. */
function putLane(from: usize, to: usize, count: i32): void {
  for (const end = from + count * REGISTER_BYTES; from < end; from += REGISTER_BYTES, to += REGISTER_BYTES)
    store<u32>(to, load<u32>(from));
}

/**
 * Whether a packer has an entry for a quad. A later entry for that quad must see the render targets as the earlier one
 * leaves them.
 */
function holds(packer: Packer, quad: i32): bool {
  for (let i = 0; i < packer.count; i++) if (packer.entry(i).quad == quad) return true;
  return false;
}

/**
 * Runs a packer of the pixel stages, whose links are in the tile's registers. Afterwards the packer holds quads again.
 * Returns STATUS_*.
 */
function runBatch(tile: Tile, out: Packer): i32 {
  if (!out.count) return STATUS_DONE;
  out.divided = 0;
  const status = shadeWarp(tile, out);
  out.kind = PACKER_QUADS;
  // shadeSets has already counted shaders with sample sets.
  if (!out.draw.sets) tile.pass.statistics.pixelRuns += tile.warp.lanes;
  return status;
}
