// Packers of a tile: one for draw calls that are shaded in order, and slots for deferred ones. A slot belongs to draw
// calls that are shaded alike. It has a packer of quads and, if the shader takes no derivatives, one of single pixels.
// pack.ts decides what goes into them.

import {
  COARSE_PACKERS,
  DEFERRED_PACKERS,
  Draw,
  DRAW_FLAG_ACCESSES,
  DRAW_FLAG_DISJOINT_ACCESSES,
  DRAW_FLAG_UNORDERED,
  DRAW_FLAG_WRITES,
  Entry,
  entryHead,
  Packer,
  PACKER_PIXELS,
  PACKER_QUADS,
  PROGRAM_FLAG_DERIVATIVES,
  PROGRAM_FLAG_QUADS_IN_ORDER,
  RATE_SAMPLE,
  SampleSets,
  sizeOf,
  STATUS_DONE,
  STATUS_TIMEOUT,
  Tile,
  Triangle,
  WARP_QUADS,
} from '../layout';
import { claim, claimHeld, claimOf, claimsOf, releaseClaims } from '../tile/claims';
import { anyLayer, bitsOfSample, isLayered, pixelMask, samplesOf } from '../tile/layers';
import { shadeCoarse } from './coarse';
import { dividedIn, dividesPixels } from './divided-pixels';
import { coveredBits, pixelsOf } from './lanes/masks';
import { isInterpreted } from '../warp/run';
import { shadingOf } from './lanes/bind';
import { shadeWarp } from './shade';
import { runWaiting, waitingIn } from './sets/waiting-sets';

/** Runs pending entries that a quad of a surface-accessing draw call may have to follow. Returns STATUS_*. */
// @ts-ignore: decorator
@inline
function runConflicting(tile: Tile, packer: Packer, quad: i32): i32 {
  return packer.draw.flags & DRAW_FLAG_ACCESSES ? runConflictingQuad(tile, packer, quad) : STATUS_DONE;
}

/**
 * Runs the entries of the ordered packer if the quad is among them: a load from a surface must see what earlier
 * triangles stored. Whole quads are compared rather than pixels or samples, since a load also returns which samples of
 * a pixel are equal. Returns STATUS_*.
 */
function runConflictingQuad(tile: Tile, packer: Packer, quad: i32): i32 {
  if (packer != tile.orderedPacker) return STATUS_DONE;
  let entry = packer.entries;
  for (const end = entry + packer.count * sizeOf<Entry>(); entry < end; entry += sizeOf<Entry>()) {
    if (changetype<Entry>(entry).quad == quad) return drainOrdered(tile);
  }
  return STATUS_DONE;
}

/**
 * Whether every quad must be a separate warp. Shaders that write see each other's writes in the order of quads.
 * Compiled shaders process the quads of a warp in that order. The interpreter runs each instruction for all of them,
 * which some shaders can observe (PROGRAM_FLAG_QUADS_IN_ORDER). Sample sets run after all quads.
 */
// @ts-ignore: decorator
@inline
function needsOwnWarp(tile: Tile, packer: Packer): bool {
  const draw = packer.draw;
  return (draw.flags & DRAW_FLAG_WRITES) != 0 && (draw.sets != 0 || needsQuadOrder(tile, draw));
}

/**
 * Whether a draw call's quads must run one after the other. If pixels write in the order in which pages arrive, no
 * order is required.
 */
function needsQuadOrder(tile: Tile, draw: Draw): bool {
  const program = draw.fragment.program;
  if (
    !(program.flags & PROGRAM_FLAG_QUADS_IN_ORDER)
    || draw.flags & DRAW_FLAG_DISJOINT_ACCESSES
    || !isInterpreted(program)
  )
    return false;
  return !tile.parks || !tile.parked.quadsInLockstep;
}

/**
 * Runs pending entries in some quads (tile/claims.ts) of a block before a draw call that reads the targets, then claims
 * the quads for it. Returns STATUS_*.
 */
export function awaitClaims(tile: Tile, block: i32, quads: u64): i32 {
  const waits = claimsOf(tile, block) & quads;
  if (waits) {
    tile.pass.statistics.positionHazards += <u32>popcnt(waits);
    const status = runOrdered(tile);
    if (status != STATUS_DONE) return status;
  }
  if (waitingIn(tile, block) & quads) {
    const status = runWaiting(tile);
    if (status != STATUS_DONE) return status;
  }
  claim(tile, block, quads);
  return STATUS_DONE;
}

/**
 * Appends an entry of a draw call that reads the targets, after pending entries in its quad have run. Returns STATUS_*.
 */
export function appendReading(tile: Tile, packer: Packer, triangle: Triangle, quad: i32, mask: u64): i32 {
  const own = claimOf(tile, quad);
  if (packer.draw.flags & DRAW_FLAG_UNORDERED && claimsOf(tile, quad >> 4) & own)
    return hold(tile, triangle, quad, mask);
  const status = awaitClaims(tile, quad >> 4, own);
  return status != STATUS_DONE ? status : appendOrdered(tile, packer, triangle, quad, mask, -1);
}

/**
 * Appends an entry to the ordered packer after the entries that it must follow. Runs the warp when it is full. Returns
 * STATUS_*.
 */
// @ts-ignore: decorator
@inline
export function appendOrdered(tile: Tile, packer: Packer, triangle: Triangle, quad: i32, mask: u64, sample: i32): i32 {
  const before = runConflicting(tile, packer, quad);
  return before != STATUS_DONE ? before : append(tile, packer, triangle, quad, mask, sample);
}

/** Appends an entry to a packer. Runs the warp when it is full. Returns STATUS_*. */
// @ts-ignore: decorator
@inline
function append(tile: Tile, packer: Packer, triangle: Triangle, quad: i32, mask: u64, sample: i32): i32 {
  const count = packer.count;
  const entry = packer.entry(count);
  entry.put(entryHead(triangle, quad, sample), mask);
  packer.count = count + 1;
  if (count + 1 < WARP_QUADS && !needsOwnWarp(tile, packer)) return STATUS_DONE;
  return packer == tile.orderedPacker ? runOrdered(tile) : shadeWarp(tile, packer);
}

/**
 * Holds back a quad of an unordered draw call if the ordered packer already contains one at the same position. The quad
 * goes into a separate warp (Tile.held), which runs later. Returns STATUS_*.
 */
export function hold(tile: Tile, triangle: Triangle, quad: i32, mask: u64): i32 {
  const held = tile.held;
  if (claimHeld(tile, quad)) {
    tile.pass.statistics.positionHazards += 1;
    const status = runHeld(tile);
    if (status != STATUS_DONE) return status;
    claimHeld(tile, quad);
  }
  held.draw = tile.orderedPacker.draw;
  held.kind = PACKER_QUADS;
  held.divided = 0;
  held.entry(held.count++).put(entryHead(triangle, quad, -1), mask);
  return held.count < WARP_QUADS ? STATUS_DONE : runHeld(tile);
}

/** Runs the held quads. Returns STATUS_*. */
function runHeld(tile: Tile): i32 {
  const status = drainDeferred(tile);
  if (status != STATUS_DONE) return status;
  releaseClaims(tile, tile.held, tile.heldClaims);
  return shadeWarp(tile, tile.held);
}

/**
 * Empties all packers at the end of a draw call. Deferred quads run first, since the ordered packer's quads may be
 * blended over them. Returns STATUS_*.
 */
export function drainOrdered(tile: Tile): i32 {
  let status = runOrdered(tile);
  if (status == STATUS_DONE && tile.held.count) status = runHeld(tile);
  return status == STATUS_DONE ? runWaiting(tile) : status;
}

/** drainOrdered without the held quads of an unordered draw call. */
export function runOrdered(tile: Tile): i32 {
  const status = drainDeferred(tile);
  if (status != STATUS_DONE) return status;
  const packer = tile.orderedPacker;
  if (tile.hasClaims) releaseClaims(tile, packer, tile.claims);
  const shaded = shadeWarp(tile, packer);
  return shaded == STATUS_DONE && tile.coarse ? drainCoarse(tile, 1) : shaded;
}

/** Whether quads of draw calls that are shaded in order are pending. */
export function holdsOrdered(tile: Tile): bool {
  if (tile.orderedPacker.count || tile.holdsUnordered || tile.held.count || tile.setRoom.waiting) return true;
  const room = tile.coarse;
  if (room)
    for (let i = 0; i < COARSE_PACKERS; i++) {
      const coarse = room.packer(i);
      if (coarse.ordered && coarse.packer.count) return true;
    }
  return false;
}

/** Runs the coarse packers of draw calls that are shaded in order (1) or of deferred ones (0). Returns STATUS_*. */
function drainCoarse(tile: Tile, ordered: i32): i32 {
  const room = tile.coarse;
  if (ordered) memory.fill(room.areas, 0, 32);
  for (let i = 0; i < COARSE_PACKERS; i++) {
    const coarse = room.packer(i);
    const status = coarse.ordered == ordered ? shadeCoarse(tile, coarse) : STATUS_DONE;
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/**
 * Runs the deferred packers, even if they are not full. Must run before each warp of a draw call that is shaded in
 * order. Returns STATUS_*.
 */
export function drainDeferred(tile: Tile): i32 {
  if (!tile.holdsDeferred) return STATUS_DONE;
  for (let i = 0; i < DEFERRED_PACKERS; i++) {
    const status = shadeSlot(tile, tile.packer(i));
    if (status != STATUS_DONE) return status;
  }
  if (tile.coarse) {
    const status = drainCoarse(tile, 0);
    if (status != STATUS_DONE) return status;
  }
  tile.holdsDeferred = 0;
  return STATUS_DONE;
}

/** The packer of pixels in the slot whose packer of quads is `quads`. */
function pixelPacker(tile: Tile, quads: Packer): Packer {
  return tile.pixelPacker((changetype<usize>(quads) - tile.packers) / sizeOf<Packer>());
}

/** Runs both packers of a slot. Returns STATUS_*. */
function shadeSlot(tile: Tile, quads: Packer): i32 {
  const status = shadeWarp(tile, quads);
  return status != STATUS_DONE ? status : shadeWarp(tile, pixelPacker(tile, quads));
}

/**
 * The slot (its packer of quads) for a draw call: that of equivalent draw calls, a free one, or one that is emptied.
 * Returns 0 on timeout. Inlined explicitly, because one comparison suffices for most pixels and the compiler made it a
 * call in some builds.
 */
// @ts-ignore: decorator
@inline
function slotOf(tile: Tile, draw: Draw): Packer {
  const last = tile.packerLast;
  return last.draw == draw ? last : findSlot(tile, draw);
}

function findSlot(tile: Tile, draw: Draw): Packer {
  const slot = slotFor(tile, draw, 0);
  if (slot) tile.packerLast = slot;
  return slot;
}

/** Finds the slot for a draw call. `divided` is the value of Packer.divided. */
function slotFor(tile: Tile, draw: Draw, divided: i32): Packer {
  const shading = shadingOf(draw);
  let slot = changetype<Packer>(0);
  let free: usize = 0;
  for (let i = 0; i < DEFERRED_PACKERS; i++) {
    const quads = tile.packer(i);
    const other = quads.draw;
    if (other && shadingOf(other) == shading && quads.divided == divided) slot = quads;
    if (!quads.count && !pixelPacker(tile, quads).count) free = changetype<usize>(quads);
  }
  if (!slot) {
    slot = changetype<Packer>(free ? free : emptySlot(tile));
    if (!slot) return changetype<Packer>(0);
    const pixels = pixelPacker(tile, slot);
    slot.free = changetype<Packer>(wantsQuads(draw) ? 0 : changetype<usize>(pixels));
    slot.divided = divided;
    pixels.divided = divided;
    pixels.kind = PACKER_PIXELS;
  }
  // Entries of a slot read the draw call's state from the one that was packed last: equivalent draw calls agree on it.
  slot.draw = draw;
  pixelPacker(tile, slot).draw = draw;
  return slot;
}

/** Whether a draw call's shader takes derivatives, in its pixel part or in its sample-set part. */
function wantsQuads(draw: Draw): bool {
  const sets = changetype<SampleSets>(draw.sets);
  return (draw.fragment.program.flags & PROGRAM_FLAG_DERIVATIVES) != 0 || (sets != null && sets.byQuads != 0);
}

/** Empties the slots in turn and returns the emptied one. Returns 0 on timeout. */
function emptySlot(tile: Tile): usize {
  const next = tile.packerNext;
  tile.packerNext = (next + 1) % DEFERRED_PACKERS;
  const slot = tile.packer(next);
  return shadeSlot(tile, slot) == STATUS_DONE ? changetype<usize>(slot) : 0;
}

/** Packs what a triangle covers of a quad, one sample at a time if its draw call runs per sample. Returns STATUS_*. */
export function packDeferred<S>(tile: Tile, triangle: Triangle, quad: i32, mask: u64): i32 {
  const draw = triangle.draw;
  if (dividesPixels(draw)) {
    const divided = (dividedIn(tile, draw, quad >> 4) >> (<u64>((quad & 15) << 2))) & 15;
    return packDivided<S>(tile, triangle, quad, mask, 15, divided);
  }
  const slot = slotOf(tile, draw);
  // A slot can only fail to empty if a shader was interrupted.
  if (!slot) return STATUS_TIMEOUT;
  if (samplesOf<S>() == 1 || draw.fragment.rate != RATE_SAMPLE)
    return packSamples<S>(tile, slot, triangle, quad, mask, -1);
  const count = tile.samples;
  for (let sample = 0; sample < count; sample++) {
    const bits = mask & bitsOfSample(count, sample);
    if (!bits) continue;
    const status = packSamples<S>(tile, slot, triangle, quad, bits, sample);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Packs a quad if all four pixels are covered or must run, otherwise its pixels one by one. */
// @ts-ignore: decorator
@inline
function packSamples<S>(tile: Tile, slot: Packer, triangle: Triangle, quad: i32, mask: u64, sample: i32): i32 {
  const free = slot.free;
  const pixels = samplesOf<S>() == 1 ? <i32>mask : pixelsOf(isLayered<S>() ? anyLayer(mask) : <i32>mask);
  return pixels == 15 || !free
    ? append(tile, slot, triangle, quad, mask, sample)
    : packPixels<S>(tile, free, triangle, quad, mask, sample);
}

/** Appends the pixels of a quad that have a sample in `mask` to a packer of pixels. Returns STATUS_*. */
function packPixels<S>(tile: Tile, packer: Packer, triangle: Triangle, quad: i32, mask: u64, sample: i32): i32 {
  let count = packer.count;
  let rest = samplesOf<S>() == 1 ? <i32>mask : coveredBits(isLayered<S>() ? anyLayer(mask) : <i32>mask);
  do {
    const pixel = samplesOf<S>() == 1 ? ctz(rest) : ctz(rest) >> 2;
    rest &= rest - 1;
    const entry = packer.entry(count);
    const covered =
      samplesOf<S>() == 1 ? 1 : isLayered<S>() ? pixelMask(mask, pixel) : ((<i32>mask) >> (pixel << 2)) & 15;
    entry.put(entryHead(triangle, (quad << 2) + pixel, sample), <u64>covered);
    if (++count < WARP_QUADS * 4) continue;
    packer.count = count;
    const status = shadeWarp(tile, packer);
    if (status != STATUS_DONE) return status;
    count = 0;
  } while (rest);
  packer.count = count;
  return STATUS_DONE;
}

/**
 * Packs quads from `first` on, each with the samples of `mask`. `pixels` (bit pixel) selects pixels of the quads. Those
 * with several values, `divided`, go into a separate slot, so that lanes with one loop iteration do not wait for lanes
 * with more. Returns STATUS_*.
 */
export function packDivided<S>(tile: Tile, triangle: Triangle, first: i32, mask: u64, pixels: u64, divided: u64): i32 {
  const status = packPart<S>(tile, triangle, first, mask, pixels & ~divided, 0);
  return status != STATUS_DONE ? status : packPart<S>(tile, triangle, first, mask, divided, 1);
}

function packPart<S>(tile: Tile, triangle: Triangle, first: i32, mask: u64, pixels: u64, divided: i32): i32 {
  if (!pixels) return STATUS_DONE;
  const slot = slotFor(tile, triangle.draw, divided);
  if (!slot) return STATUS_TIMEOUT;
  for (let quad = first; pixels; quad++, pixels >>= 4) {
    const samples = mask & samplesOfPixels<S>((<i32>pixels) & 15);
    if (!samples) continue;
    const status = packSamples<S>(tile, slot, triangle, quad, samples, -1);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** The samples of some pixels of a quad. */
function samplesOfPixels<S>(pixels: i32): u64 {
  if (samplesOf<S>() == 1) return <u64>pixels;
  const samples = <u64>(((pixels | (pixels << 3) | (pixels << 6) | (pixels << 9)) & 0x1111) * 15);
  return isLayered<S>() ? samples * 0x0001000100010001 : samples;
}
