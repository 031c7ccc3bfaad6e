// DRAW CALL: what one of many small draw calls has for itself. A SEGMENT_CALLS runs an array of them, so a draw call
// costs the calling thread a few words. The DRAW record, to which triangles point, is either shared by draw calls with
// equal state, or a part of a block that the worker makes from a DRAW PATTERN.

import { Draw } from '../pass/draw';
import { Prologue } from '../program/program';

/**
 * DRAW PATTERN: draw calls that only differ in their counts and dynamic offsets have equal blocks, except for addresses
 * in them. A block consists of a DRAW record, its resource tables and its uniform blocks.
 */
@unmanaged
export class DrawPattern {
  /** The block to copy, and its size. */
  block: usize;
  blockBytes: u32;
  /** Address of u32 offsets in the block, of addresses that point into the block, and their number. */
  moves: usize;
  moveCount: u32;
  /** Address of pairs of u32: offset in the block of an address, and which dynamic offset is added to it. */
  offsets: usize;
  offsetCount: u32;
  /** PROLOGUEs that fill the uniform blocks of `block`. They run for each copy instead. */
  prologues: Prologue;
  prologueCount: u32;
}

/** DRAW CALL: see the top of the file. Fields with the names of Draw's replace those. */
@unmanaged
export class DrawCall {
  /** The record that triangles point to. With a pattern, the address of the block to be filled. */
  draw: Draw;
  /** 0: `draw` is complete, except for the counts, which other draw calls share it with. */
  pattern: DrawPattern;
  /** Address of the u32 dynamic offsets, with a pattern. */
  offsets: usize;
  /** Primitives of all instances, for dividing the work. */
  weight: u32;
  indexBytes: u32;
  indexAddress: usize;
  indexLimit: u32;
  count: u32;
  baseVertex: u32;
  firstInstance: u32;
  instanceCount: u32;
  rangeFirst: u32;
  rangeCount: u32;
  distinct: u32;
}
