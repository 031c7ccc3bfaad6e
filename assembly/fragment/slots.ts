// Packers of a tile: the one of draws that are shaded in order, and slots of what is deferred, each of draws that are
// shaded alike, with a packer of quads and, where the program takes no derivatives, one of single pixels. What goes
// into them: pack.ts.

import {
  COARSE_PACKERS, DEFERRED_PACKERS, Draw, DRAW_FLAG_ACCESSES, DRAW_FLAG_APART, DRAW_FLAG_UNORDERED, DRAW_FLAG_WRITES,
  Entry, entryHead, Packer, PACKER_PIXELS, PACKER_QUADS, PROGRAM_FLAG_DERIVATIVES, PROGRAM_FLAG_TURNS, RATE_SAMPLE,
  SampleSets, sizeOf, STATUS_DONE, STATUS_TIMEOUT, Tile, Triangle, WARP_QUADS,
} from '../layout';
import { claim, claimHeld, claimOf, claimsOf, releaseClaims } from '../tile/claims';
import { anyLayer, bitsOfSample, isLayered, pixelMask, samplesOf } from '../tile/layers';
import { shadeCoarse } from './coarse';
import { dividedIn, dividesPixels } from './divided';
import { coveredBits, pixelsOf } from './masks';
import { isInterpreted } from '../warp/run';
import { shadingOf } from './bind';
import { shadeWarp } from './shade';
import { runWaiting, waitingIn } from './waiting';

/** The packer of the draw that is walked, of those that are shaded in the order of their primitives. */
export function orderedPacker(tile: Tile): Packer {
  return tile.orderedPacker;
}

/**
 * Runs the entries that wait where the quad of a draw that accesses surfaces may have to follow them. Returns STATUS_*.
 */
// @ts-ignore: decorator
@inline
function awaitTurn(tile: Tile, packer: Packer, quad: i32): i32 {
  return packer.draw.flags & DRAW_FLAG_ACCESSES ? awaitQuad(tile, packer, quad) : STATUS_DONE;
}

/**
 * Runs the entries of the ordered packer if the quad is among them: what a program loads from a surface, it must find
 * as the triangles before left it. (Quads, not pixels or samples: what is equal in a pixel shows, too.) Returns
 * STATUS_*.
 */
function awaitQuad(tile: Tile, packer: Packer, quad: i32): i32 {
  if (packer != orderedPacker(tile)) return STATUS_DONE;
  let entry = packer.entries;
  for (const end = entry + packer.count * sizeOf<Entry>(); entry < end; entry += sizeOf<Entry>()) {
    if (changetype<Entry>(entry).quad == quad) return drainOrdered(tile);
  }
  return STATUS_DONE;
}

/**
 * Whether a quad is a warp of its own: programs that write see each other's writes in the order of quads. Compiled ones
 * take the quads of a warp in that order; the interpreter does an instruction for all of them, which can be seen of
 * some (PROGRAM_FLAG_TURNS), and sets of samples come after all quads.
 */
// @ts-ignore: decorator
@inline
export function goesAlone(tile: Tile, packer: Packer): bool {
  const draw = packer.draw;
  return (draw.flags & DRAW_FLAG_WRITES) != 0 && (draw.sets != 0 || takesTurns(tile, draw));
}

/** Where pixels write in the order in which pages come, turns are nothing that is asked for. */
function takesTurns(tile: Tile, draw: Draw): bool {
  const program = draw.fragment.program;
  if (!(program.flags & PROGRAM_FLAG_TURNS) || draw.flags & DRAW_FLAG_APART || !isInterpreted(program)) return false;
  return !tile.parks || !tile.parked.synchronises;
}

/** The same for quads (tile/claims.ts) of a block, of a draw that reads the targets, which claims them. STATUS_*. */
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

/** Appends an entry of a draw that reads the targets, likewise. Returns STATUS_*. */
export function appendReading(tile: Tile, packer: Packer, triangle: Triangle, quad: i32, mask: u64): i32 {
  const own = claimOf(tile, quad);
  if (packer.draw.flags & DRAW_FLAG_UNORDERED && claimsOf(tile, quad >> 4) & own)
    return hold(tile, triangle, quad, mask);
  const status = awaitClaims(tile, quad >> 4, own);
  return status != STATUS_DONE ? status : appendOrdered(tile, packer, triangle, quad, mask, -1);
}

/** Appends an entry to the ordered packer, when it is its turn; runs the warp when it is full. Returns STATUS_*. */
// @ts-ignore: decorator
@inline
export function appendOrdered(tile: Tile, packer: Packer, triangle: Triangle, quad: i32, mask: u64, sample: i32): i32 {
  const before = awaitTurn(tile, packer, quad);
  return before != STATUS_DONE ? before : append(tile, packer, triangle, quad, mask, sample);
}

/** Appends an entry to a packer; runs the warp when it is full. Returns STATUS_*. */
// @ts-ignore: decorator
@inline
function append(tile: Tile, packer: Packer, triangle: Triangle, quad: i32, mask: u64, sample: i32): i32 {
  const count = packer.count;
  const entry = packer.entry(count);
  entry.put(entryHead(triangle, quad, sample), mask);
  packer.count = count + 1;
  if (count + 1 < WARP_QUADS && !goesAlone(tile, packer)) return STATUS_DONE;
  return packer == orderedPacker(tile) ? runOrdered(tile) : shadeWarp(tile, packer);
}

/**
 * Keeps a quad of a draw without order that the ordered packer has already: it goes into a warp of its own kind,
 * whenever that is run. Returns STATUS_*.
 */
export function hold(tile: Tile, triangle: Triangle, quad: i32, mask: u64): i32 {
  const held = tile.held;
  if (claimHeld(tile, quad)) {
    tile.pass.statistics.positionHazards += 1;
    const status = runHeld(tile);
    if (status != STATUS_DONE) return status;
    claimHeld(tile, quad);
  }
  held.draw = orderedPacker(tile).draw;
  held.kind = PACKER_QUADS;
  held.divided = 0;
  held.entry(held.count++).put(entryHead(triangle, quad, -1), mask);
  return held.count < WARP_QUADS ? STATUS_DONE : runHeld(tile);
}

/** Runs what is held. Returns STATUS_*. */
function runHeld(tile: Tile): i32 {
  const status = drainDeferred(tile);
  if (status != STATUS_DONE) return status;
  releaseClaims(tile, tile.held, tile.heldClaims);
  return shadeWarp(tile, tile.held);
}

/**
 * Empties all packers at the end of a draw: what is deferred first, since the ordered packer's quads may lie over it.
 * Returns STATUS_*.
 */
export function drainOrdered(tile: Tile): i32 {
  let status = runOrdered(tile);
  if (status == STATUS_DONE && tile.held.count) status = runHeld(tile);
  return status == STATUS_DONE ? runWaiting(tile) : status;
}

/** The same, but for what is held of a draw without order. */
export function runOrdered(tile: Tile): i32 {
  const status = drainDeferred(tile);
  if (status != STATUS_DONE) return status;
  const packer = orderedPacker(tile);
  if (tile.hasClaims) releaseClaims(tile, packer, tile.claims);
  const shaded = shadeWarp(tile, packer);
  return shaded == STATUS_DONE && tile.coarse ? drainCoarse(tile, 1) : shaded;
}

/** Whether quads of a draw that is shaded in order wait. */
export function holdsOrdered(tile: Tile): bool {
  if (orderedPacker(tile).count || tile.holdsIndependent || tile.held.count || tile.setRoom.waiting) return true;
  const room = tile.coarse;
  if (room) for (let i = 0; i < COARSE_PACKERS; i++) {
    const coarse = room.packer(i);
    if (coarse.ordered && coarse.packer.count) return true;
  }
  return false;
}

/** Runs the coarse packers of draws that are shaded in order (1), or later (0). Returns STATUS_*. */
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

/** Runs the deferred packers, full or not: a draw that is shaded in order asks at each warp. Returns STATUS_*. */
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

/** The packer of pixels of the slot whose packer of quads is `quads`. */
function pixelPacker(tile: Tile, quads: Packer): Packer {
  return tile.pixelPacker((changetype<usize>(quads) - tile.packers) / sizeOf<Packer>());
}

/** Runs both packers of a slot. Returns STATUS_*. */
function shadeSlot(tile: Tile, quads: Packer): i32 {
  const status = shadeWarp(tile, quads);
  return status != STATUS_DONE ? status : shadeWarp(tile, pixelPacker(tile, quads));
}

/**
 * The slot (its packer of quads) of a draw: that of its like, or a free one, or one that is emptied for it; 0 if that
 * ran out of time. (Inlined by order: a comparison for most pixels. Left to the compiler, it was a call in some
 * builds.)
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

/** `divided`: as Packer has it. */
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
  // Entries of a slot take what they need of the draw from whichever was packed last: its likes say the same.
  slot.draw = draw;
  pixelPacker(tile, slot).draw = draw;
  return slot;
}

/** Whether a draw's program takes derivatives, in the part of its pixels or in that of sets. */
function wantsQuads(draw: Draw): bool {
  const sets = changetype<SampleSets>(draw.sets);
  return (draw.fragment.program.flags & PROGRAM_FLAG_DERIVATIVES) != 0 || (sets != null && sets.byQuads != 0);
}

/** Empties one slot after another by turns; 0 if that ran out of time. */
function emptySlot(tile: Tile): usize {
  const next = tile.packerNext;
  tile.packerNext = (next + 1) % DEFERRED_PACKERS;
  const slot = tile.packer(next);
  return shadeSlot(tile, slot) == STATUS_DONE ? changetype<usize>(slot) : 0;
}

/** Packs what a triangle holds of a quad, a sample at a time where its draw wants that. Returns STATUS_*. */
export function packDeferred<S>(tile: Tile, triangle: Triangle, quad: i32, mask: u64): i32 {
  const draw = triangle.draw;
  if (dividesPixels(draw)) {
    const divided = dividedIn(tile, draw, quad >> 4) >> <u64>((quad & 15) << 2) & 15;
    return packDivided<S>(tile, triangle, quad, mask, 15, divided);
  }
  const slot = slotOf(tile, draw);
  // Only an interrupted program keeps a slot from being emptied.
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

/** As a quad where all four pixels are covered or have to be run, else pixel by pixel. */
// @ts-ignore: decorator
@inline
function packSamples<S>(tile: Tile, slot: Packer, triangle: Triangle, quad: i32, mask: u64, sample: i32): i32 {
  const free = slot.free;
  const pixels = samplesOf<S>() == 1 ? <i32>mask : pixelsOf(isLayered<S>() ? anyLayer(mask) : <i32>mask);
  return pixels == 15 || !free
    ? append(tile, slot, triangle, quad, mask, sample)
    : packPixels<S>(tile, free, triangle, quad, mask, sample);
}

/** Appends the pixels of a quad of which a sample is in `mask` to a packer of pixels. Returns STATUS_*. */
function packPixels<S>(tile: Tile, packer: Packer, triangle: Triangle, quad: i32, mask: u64, sample: i32): i32 {
  let count = packer.count;
  let rest = samplesOf<S>() == 1 ? <i32>mask : coveredBits(isLayered<S>() ? anyLayer(mask) : <i32>mask);
  do {
    const pixel = samplesOf<S>() == 1 ? ctz(rest) : ctz(rest) >> 2;
    rest &= rest - 1;
    const entry = packer.entry(count);
    const covered = samplesOf<S>() == 1 ? 1 : isLayered<S>() ? pixelMask(mask, pixel)
      : (<i32>mask >> (pixel << 2)) & 15;
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
 * Packs quads from `first` on, `mask` of each. Of their pixels (bit pixel) those of several values, `divided`, go into
 * a slot of their own: lanes that go round a program's loop once do not wait for those that do so more often. Returns
 * STATUS_*.
 */
export function packDivided<S>(
  tile: Tile, triangle: Triangle, first: i32, mask: u64, pixels: u64, divided: u64
): i32 {
  const status = packPart<S>(tile, triangle, first, mask, pixels & ~divided, 0);
  return status != STATUS_DONE ? status : packPart<S>(tile, triangle, first, mask, divided, 1);
}

function packPart<S>(tile: Tile, triangle: Triangle, first: i32, mask: u64, pixels: u64, divided: i32): i32 {
  if (!pixels) return STATUS_DONE;
  const slot = slotFor(tile, triangle.draw, divided);
  if (!slot) return STATUS_TIMEOUT;
  for (let quad = first; pixels; quad++, pixels >>= 4) {
    const samples = mask & samplesOfPixels<S>(<i32>pixels & 15);
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
