// Programmed blending in place. If a triangle covers a block whose pixels hold one value, two texels or a list
// (layout/surface/plane.ts), the shader runs for these values where they are: the first part for the first values, the
// second part for the further ones, in the order in which they are stored. Results replace the values; masks stay as
// they are. No sets are searched for, and no pixel is expanded to its samples.
//
// This applies to shaders that read one target of four-byte texels and write just that one, all bits of it, without
// anything else that distinguishes samples. Only builds with SIMD do it.

import {
  bitsOf,
  BLOCK_PIXELS,
  Destinations,
  Draw,
  DRAW_FLAG_ACCESSES,
  DRAW_FLAG_LATE_DEPTH,
  DRAW_FLAG_WRITES,
  entryHead,
  Packed,
  Packer,
  PACKER_BLOCK,
  PACKER_PIXELS,
  PACKER_QUADS,
  PACKER_TEXELS,
  Plane,
  REGISTER_BYTES,
  SampleSets,
  someOf,
  STAT_FLAG_STAGES,
  STATUS_DONE,
  sumOf,
  Tile,
  Triangle,
  Warp,
  WARP_QUADS,
} from '../../layout';
import { hasBeyond, loadTexels } from '../../output/destination';
import { writeTarget } from '../../output/output';
import { differentTexels } from '../../surface/compare';
import { hasEqual, spreadLists } from '../../surface/lists';
import { samplesOfPixels } from '../../tile/layers';
import { endOutput, endProgram, startWarp } from '../../warp/clock';
import { bind } from '../lanes/bind';
import { countInvocations, countRun } from '../lanes/counts';
import { sameResults } from './merge';
import { addSets, runPart } from './part';
import { passLinks } from './remaining-sets';
import { countedResults, runWaiting } from './waiting-sets';

/** The plane of the only target, if a packer's block can be shaded in place; else 0. */
export function planeInPlace(tile: Tile, packer: Packer, sets: SampleSets): Plane {
  const none = changetype<Plane>(0);
  if (packer.kind != PACKER_BLOCK || tile.layerSamples == 1 || tile.coarse || hasBeyond(tile, packer)) return none;
  const draw = packer.draw;
  if (draw.flags & (DRAW_FLAG_LATE_DEPTH | DRAW_FLAG_ACCESSES | DRAW_FLAG_WRITES)) return none;
  if (!sets.secondPart || sets.apart | sets.byQuads | sets.needsQuadOrder || sets.dispatches > 1) return none;
  if (draw.sampleMaskInRegister >= 0 || sets.secondPart.sampleMaskInRegister >= 0) return none;
  const plane = planeOfOnly(tile, draw, changetype<Destinations>(draw.destinations));
  if (!plane) return none;
  const block = packer.entry(0).quad >> 4;
  if (plane.isClear(block)) return none;
  const divided = load<u64>(plane.bits(block));
  return !divided || divided == plane.listedOf(block) || divided == plane.pairsOf(block) ? plane : none;
}

/** The plane of the only target that a draw call reads and writes, or 0. */
function planeOfOnly(tile: Tile, draw: Draw, destinations: Destinations): Plane {
  const none = changetype<Plane>(0);
  if (!destinations || destinations.depthRegister >= 0 || destinations.stencilRegister >= 0) return none;
  const index = ctz(destinations.targets);
  if (destinations.targets != 1 << index) return none;
  const targets = draw.targetCount;
  for (let i = 0; i < targets; i++) if (i != index && draw.target(i).slot) return none;
  const target = draw.target(index);
  const plane = tile.plane(index);
  return target.slot && !target.blend && target.writesAll && plane.texelBytes == 4 && plane.pixels ? plane : none;
}

/** Runs a shader on all values of a packer's block, whose pixels are in `plane`, and empties it. Returns STATUS_*. */
export function shadeInPlace(tile: Tile, packer: Packer, sets: SampleSets, plane: Plane): i32 {
  const block = packer.entry(0).quad >> 4;
  const divided = load<u64>(plane.bits(block));
  bind(tile, tile.warp, packer.draw);
  const wholes = BLOCK_PIXELS - <i32>popcnt(divided);
  let status = runTexels(tile, packer, plane.texel(block << 6), BLOCK_PIXELS, wholes);
  if (status != STATUS_DONE) return status;
  const statistics = tile.pass.statistics;
  statistics.pixelRuns += BLOCK_PIXELS;
  if (divided) status = runFurther(tile, packer, sets, plane, block);
  packer.count = 0;
  return status;
}

/**
 * Runs the part of a packer's draw call in the tile's warp, and writes its results over the `count` texels at `texels`,
 * one per lane. `wholes` of the lanes stand for all samples of their pixel. Returns STATUS_*.
 */
function runTexels(tile: Tile, packer: Packer, texels: usize, count: i32, wholes: u32): i32 {
  const draw = packer.draw;
  const statistics = tile.pass.statistics;
  const began = startWarp(statistics);
  const inPlace = tile.setRoom.inPlace;
  inPlace.draw = draw;
  inPlace.kind = PACKER_TEXELS;
  inPlace.texels = texels;
  inPlace.count = count;
  loadTexels(tile, inPlace);
  const status = runPart(tile, packer, draw, false, 0);
  if (status != STATUS_DONE) return status;
  const warp = tile.warp;
  statistics.warpsFragment += 1;
  statistics.quadsShaded += warp.quadCount;
  countInvocations(tile, packer);
  if (statistics.flags & STAT_FLAG_STAGES) {
    countRun(tile, draw.fragment);
    addSets(statistics, warp.lanes, wholes);
    statistics.dispatches += warp.lanes;
  }
  const ended = endProgram(statistics, began);
  const index = ctz(changetype<Destinations>(draw.destinations).targets);
  writeTarget(tile, inPlace, draw.target(index), index);
  endOutput(statistics, ended);
  return STATUS_DONE;
}

/** Runs the second part for the further values of a block's pixels. Returns STATUS_*. */
function runFurther(tile: Tile, packer: Packer, sets: SampleSets, plane: Plane, block: i32): i32 {
  // Waiting sets of other blocks are in the packer that is needed.
  const waited = runWaiting(tile);
  if (waited != STATUS_DONE) return waited;
  const first = tile.warp;
  const second = tile.pool.secondPart;
  const room = tile.setRoom;
  room.packer.draw = sets.secondPart;
  room.packed = 0;
  second.tile = changetype<usize>(tile);
  tile.use(second);
  bind(tile, second, sets.secondPart);
  const triangle = packer.entry(0).triangle;
  const status = plane.pairsOf(block)
    ? runPairs(tile, sets, triangle, plane, block)
    : runLists(tile, sets, triangle, plane, block);
  tile.use(first);
  return status;
}

/** Runs the second part for the second texels of a block. Pixels whose texels become equal hold one. */
function runPairs(tile: Tile, sets: SampleSets, triangle: Triangle, plane: Plane, block: i32): i32 {
  const room = tile.setRoom;
  const out = room.packer;
  const pairs = plane.pairsOf(block);
  const texels = plane.texel(block << 6);
  const second = plane.second(block << 6);
  out.kind = PACKER_QUADS;
  out.count = WARP_QUADS;
  for (let quad = 0; quad < WARP_QUADS; quad++) {
    const pixels = (<i32>(pairs >> (<u64>(quad << 2)))) & 15;
    out.entry(quad).put(entryHead(triangle, (block << 4) + quad, -1), samplesOfPixels(pixels, tile.samples));
    store<u8>(room.lanes + quad, quad);
  }
  passLinks(room, sets, tile.pool.first, tile.warp);
  const status = runTexels(tile, out, second, BLOCK_PIXELS, 0);
  if (status != STATUS_DONE) return status;
  const equal = pairs ^ differentTexels(4, texels, second, pairs);
  store<u64>(plane.bits(block), pairs ^ equal);
  if (!equal || !(tile.pass.statistics.flags & STAT_FLAG_STAGES)) return status;
  const first = resultsOf(tile.pool.first);
  const own = resultsOf(tile.warp);
  let merged: u32 = 0;
  for (let rest = equal; rest; rest &= rest - 1) {
    const lane = (<usize>ctz(rest)) << 2;
    merged += u32(sameResults(first + lane, own + lane, countedResults(sets)));
  }
  countMerged(tile, merged);
  return status;
}

/** Runs the second part for the lists of a block, for as many quads at a time as their values fit into a warp. */
function runLists(tile: Tile, sets: SampleSets, triangle: Triangle, plane: Plane, block: i32): i32 {
  const out = tile.setRoom.packer;
  const packed = plane.packed(block);
  let anyEqual = false;
  out.kind = PACKER_PIXELS;
  for (let quad = 0; quad < WARP_QUADS;) {
    const next = putLists(tile, triangle, packed, block, quad);
    if (out.count) {
      passLinks(tile.setRoom, sets, tile.pool.first, tile.warp);
      const status = runTexels(tile, out, packed.values + (packed.startOf(quad) << 2), out.count, 0);
      if (status != STATUS_DONE) return status;
      if (hasEqual(plane, block, quad, next)) {
        anyEqual = true;
        countEqual(tile, sets);
      }
    }
    quad = next;
  }
  // Equal values are one set from now on.
  if (anyEqual) spreadLists(plane, block);
  return STATUS_DONE;
}

/**
 * Fills the packer of further sets with the values in a block's lists from `quad` on. Returns the first quad whose
 * values do not fit.
 */
function putLists(tile: Tile, triangle: Triangle, packed: Packed, block: i32, quad: i32): i32 {
  const room = tile.setRoom;
  const out = room.packer;
  const lanes = room.lanes;
  const masks = packed.masks + (packed.startOf(quad) << 1);
  let count = 0;
  for (; quad < WARP_QUADS; quad++) {
    let counts = packed.countsOf(quad);
    if (count + sumOf(counts) > 4 * WARP_QUADS) break;
    while (counts) {
      const some = someOf(counts);
      for (let bits = bitsOf(some); bits; bits &= bits - 1) {
        const lane = (quad << 2) + ctz(bits);
        const mask = load<u16>(masks + ((<usize>count) << 1));
        out.entry(count).put(entryHead(triangle, (block << 6) + lane, -1), mask);
        store<u8>(lanes + count, lane);
        count++;
      }
      counts -= some;
    }
  }
  out.count = count;
  return quad;
}

/** Counts the values of lists that a warp has run for, and that have the same results as another of their pixel. */
function countEqual(tile: Tile, sets: SampleSets): void {
  if (!(tile.pass.statistics.flags & STAT_FLAG_STAGES)) return;
  const room = tile.setRoom;
  const first = resultsOf(tile.pool.first);
  const own = resultsOf(tile.warp);
  const results = countedResults(sets);
  const count = room.packer.count;
  let merged: u32 = 0;
  for (let lane = 0; lane < count; lane++) {
    const at = own + (lane << 2);
    const pixel = room.lane(lane);
    let found = sameResults(first + (pixel << 2), at, results);
    // The values of a quad's pixels alternate.
    for (let other = lane - 1; !found && other >= 0 && room.lane(other) >> 2 == pixel >> 2; other--)
      found = room.lane(other) == pixel && sameResults(own + (other << 2), at, results);
    merged += u32(found);
  }
  countMerged(tile, merged);
}

function countMerged(tile: Tile, merged: u32): void {
  const statistics = tile.pass.statistics;
  statistics.mergedDispatches += merged;
  statistics.dispatches -= merged;
}

/** Address of the results of the part that a warp has run. */
function resultsOf(warp: Warp): usize {
  return warp.registers + warp.program.inputs * REGISTER_BYTES;
}
