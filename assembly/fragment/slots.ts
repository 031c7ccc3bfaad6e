// Packers of a tile: the one of draws that are shaded in order, and slots of what is deferred, each of draws that are shaded alike, with a
// packer of quads and, where the program takes no derivatives, one of single pixels. What goes into them: pack.ts.

import {
  DEFERRED_PACKERS, Draw, DRAW_FLAG_PER_SAMPLE, DRAW_FLAG_SURFACES, Entry, entryHead, Packer, PACKER_PIXELS,
  PIXEL_PACKER_BYTES, PROGRAM_FLAG_DERIVATIVES, sizeOf, STATUS_DONE, STATUS_TIMEOUT, Tile, Triangle, WARP_QUADS,
} from '../layout';
import { anyLayer, isLayered, pixelMask, samplesOf } from '../tile/layers';
import { coveredBits, pixelsOf } from './masks';
import { shadeWarp, shadingOf } from './shade';


/** The packer of draws that are shaded in the order of their primitives. */
// @ts-ignore: decorator
@inline
export function orderedPacker(context: Tile): Packer {
  return context.orderedPacker;
}

/** One of `count` samples of all pixels of a quad: one of two stands for two of its layer's four. */
// @ts-ignore: decorator
@inline
export function bitsOfSample(count: i32, sample: i32): u64 {
  return count == 2 ? <u64>(0x5555 << sample) : <u64>(0x1111 << (sample & 3)) << <u64>((sample >> 2) << 4);
}

/** Runs the entries that wait where the quad of a draw that accesses surfaces may have to follow them. Returns STATUS_*. */
// @ts-ignore: decorator
@inline
function awaitTurn(context: Tile, packer: Packer, quad: i32): i32 {
  return packer.draw.flags & DRAW_FLAG_SURFACES ? awaitQuad(context, packer, quad) : STATUS_DONE;
}

/**
 * Runs the entries of the ordered packer if the quad is among them: what a program loads from a surface, it must find as the triangles before
 * left it. (Quads, not pixels or samples: what is equal in a pixel shows, too.) Returns STATUS_*.
 */
function awaitQuad(context: Tile, packer: Packer, quad: i32): i32 {
  if (packer != orderedPacker(context)) return STATUS_DONE;
  let entry = packer.entries;
  for (const end = entry + (<usize>packer.count * sizeOf<Entry>()); entry < end; entry += sizeOf<Entry>()) {
    if (changetype<Entry>(entry).quad == quad) return drainOrdered(context);
  }
  return STATUS_DONE;
}

/** Appends an entry to a packer; runs the warp when it is full. Returns STATUS_*. */
// @ts-ignore: decorator
@inline
export function append(context: Tile, packer: Packer, triangle: Triangle, quad: i32, mask: u64, sample: i32): i32 {
  const before = awaitTurn(context, packer, quad);
  if (before != STATUS_DONE) return before;
  const count = packer.count;
  const entry = packer.entry(<usize>count);
  entry.put(entryHead(triangle, quad, sample), mask);
  packer.count = count + 1;
  if (count + 1 < WARP_QUADS) return STATUS_DONE;
  return packer == orderedPacker(context) ? drainOrdered(context) : shadeWarp(context, packer);
}

/** Empties all packers at the end of a draw: what is deferred first, since the ordered packer's quads may lie over it. Returns STATUS_*. */
export function drainOrdered(context: Tile): i32 {
  const status = drainDeferred(context);
  return status != STATUS_DONE ? status : shadeWarp(context, orderedPacker(context));
}

/** Runs the deferred packers, full or not. Returns STATUS_*. */
export function drainDeferred(context: Tile): i32 {
  if (!anyDeferred(context)) return STATUS_DONE;
  for (let i = 0; i < DEFERRED_PACKERS; i++) {
    const status = shadeSlot(context, context.packer(<usize>i));
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** Whether a deferred packer holds anything: a draw that is shaded in order asks at each warp. */
// @ts-ignore: decorator
@inline
function anyDeferred(context: Tile): bool {
  let counts = 0;
  for (let i: usize = 0; i < <usize>DEFERRED_PACKERS; i++) {
    counts |= context.packer(i).count
      | load<i32>(context.pixelPackers + i * PIXEL_PACKER_BYTES + offsetof<Packer>('count'));
  }
  return counts != 0;
}

/** The packer of pixels of the slot whose packer of quads is `quads`. */
// @ts-ignore: decorator
@inline
function pixelPacker(context: Tile, quads: usize): usize {
  return context.pixelPackers + (quads - changetype<usize>(context) - changetype<usize>(changetype<Tile>(0).packers)) / sizeOf<Packer>() * PIXEL_PACKER_BYTES;
}

/** Runs both packers of a slot. Returns STATUS_*. */
function shadeSlot(context: Tile, quads: Packer): i32 {
  const status = shadeWarp(context, quads);
  return status != STATUS_DONE ? status : shadeWarp(context, changetype<Packer>(pixelPacker(context, changetype<usize>(quads))));
}

/** The slot (its packer of quads) of a draw: that of its like, or a free one, or one that is emptied for it; 0 if that ran out of time. */
// @ts-ignore: decorator
@inline
function slotOf(context: Tile, draw: Draw): Packer {
  const last = context.packerLast;
  return last.draw == draw ? last : findSlot(context, draw);
}

function findSlot(context: Tile, draw: Draw): Packer {
  const shading = shadingOf(draw);
  let slot = changetype<Packer>(0);
  let free: usize = 0;
  for (let i = 0; i < DEFERRED_PACKERS; i++) {
    const quads = context.packer(<usize>i);
    const other = quads.draw;
    if (other && shadingOf(other) == shading) slot = quads;
    if (!quads.count && !load<i32>(pixelPacker(context, changetype<usize>(quads)) + offsetof<Packer>('count'))) free = changetype<usize>(quads);
  }
  if (!slot) {
    slot = changetype<Packer>(free ? free : emptySlot(context));
    if (!slot) return changetype<Packer>(0);
    const program = draw.fragmentProgram;
    const pixels = changetype<Packer>(pixelPacker(context, changetype<usize>(slot)));
    slot.free = changetype<Packer>(program.flags & PROGRAM_FLAG_DERIVATIVES ? 0 : changetype<usize>(pixels));
    pixels.kind = PACKER_PIXELS;
  }
  // Entries of a slot take what they need of the draw from whichever was packed last: its likes say the same.
  slot.draw = draw;
  store<u32>(pixelPacker(context, changetype<usize>(slot)), changetype<usize>(draw), offsetof<Packer>('draw'));
  context.packerLast = slot;
  return slot;
}

/** Empties one slot after another by turns; 0 if that ran out of time. */
function emptySlot(context: Tile): usize {
  const next = context.packerNext;
  context.packerNext = (next + 1) % DEFERRED_PACKERS;
  const slot = context.packer(<usize>next);
  return shadeSlot(context, slot) == STATUS_DONE ? changetype<usize>(slot) : 0;
}

/** Packs what a triangle holds of a quad, a sample at a time where its draw wants that. Returns STATUS_*. */
export function packDeferred<S>(context: Tile, triangle: Triangle, quad: i32, mask: u64): i32 {
  const draw = triangle.draw;
  const slot = slotOf(context, draw);
  // Only an interrupted program keeps a slot from being emptied.
  if (!slot) return STATUS_TIMEOUT;
  if (samplesOf<S>() == 1 || !(draw.flags & DRAW_FLAG_PER_SAMPLE)) return packSamples<S>(context, slot, triangle, quad, mask, -1);
  const count = context.samples;
  for (let sample = 0; sample < count; sample++) {
    const bits = mask & bitsOfSample(count, sample);
    if (!bits) continue;
    const status = packSamples<S>(context, slot, triangle, quad, bits, sample);
    if (status != STATUS_DONE) return status;
  }
  return STATUS_DONE;
}

/** As a quad where all four pixels are covered or have to be run, else pixel by pixel. */
// @ts-ignore: decorator
@inline
function packSamples<S>(context: Tile, slot: Packer, triangle: Triangle, quad: i32, mask: u64, sample: i32): i32 {
  const free = slot.free;
  const pixels = samplesOf<S>() == 1 ? <i32>mask : pixelsOf(isLayered<S>() ? anyLayer(mask) : <i32>mask);
  return pixels == 15 || !free ? append(context, slot, triangle, quad, mask, sample) : packPixels<S>(context, free, triangle, quad, mask, sample);
}

/** Appends the pixels of a quad of which a sample is in `mask` to a packer of pixels. Returns STATUS_*. */
function packPixels<S>(context: Tile, packer: Packer, triangle: Triangle, quad: i32, mask: u64, sample: i32): i32 {
  let count = packer.count;
  let rest = samplesOf<S>() == 1 ? <i32>mask : coveredBits(isLayered<S>() ? anyLayer(mask) : <i32>mask);
  do {
    const pixel = samplesOf<S>() == 1 ? ctz(rest) : ctz(rest) >> 2;
    rest &= rest - 1;
    const entry = packer.entry(<usize>count);
    const covered = samplesOf<S>() == 1 ? 1 : isLayered<S>() ? pixelMask(mask, pixel) : (<i32>mask >> (pixel << 2)) & 15;
    entry.put(entryHead(triangle, (quad << 2) + pixel, sample), <u64>covered);
    if (++count < WARP_QUADS * 4) continue;
    packer.count = count;
    const status = shadeWarp(context, packer);
    if (status != STATUS_DONE) return status;
    count = 0;
  } while (rest);
  packer.count = count;
  return STATUS_DONE;
}
