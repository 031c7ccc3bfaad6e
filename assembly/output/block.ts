// Warps of a block that one triangle covers at all samples. Where all pixels of a triangle have the same results (PROGRAM_FLAG_SAME) the program is
// run for one quad, and who writes them takes one texel for all; who can't has entries and results laid out for all quads first.

import {
  CTX_LAYERS, CTX_REGISTERS, CTX_SAMPLES, ENTRY_MASK, ENTRY_QUAD, ENTRY_SHIFT, ENTRY_TRIANGLE, PACKER_BLOCK, PACKER_COUNT, PACKER_DRAW, PACKER_ENTRIES, PACKER_KIND,
} from '../layout/context';
import { DRAW_FRAGMENT_PROGRAM } from '../layout/draw';
import { REGISTER_BYTES, WARP_QUADS } from '../layout/limits';
import { PROGRAM_INPUTS, PROGRAM_OUTPUTS } from '../layout/program';
import { repeatWords } from '../surface/texel-same';
import { isLayered, upperMask } from './layers';

/** Writes the entries of a packer for the first `count` quads of a block, from quad `first` on. */
export function putEntries(context: usize, packer: usize, triangle: usize, first: i32, count: i32): void {
  let entry = packer + PACKER_ENTRIES;
  // Triangle and quad, mask and sample (-1), two words at a time.
  const layered = isLayered(context);
  const mask = layered ? -1 : load<i32>(context + CTX_SAMPLES) != 1 ? 0xffff : 15;
  const maskWord = <u64><u32>mask | 0xffffffff00000000;
  // Two layers lie in the entry's own mask.
  if (load<i32>(context, CTX_LAYERS) > 2) memory.fill(upperMask(context, entry), 0xff, <usize>count << 2);
  for (let quad = first; quad < first + count; quad++) {
    store<u64>(entry, <u64>triangle | <u64>quad << 32, ENTRY_TRIANGLE);
    store<u64>(entry, maskWord, ENTRY_MASK);
    entry += 1 << ENTRY_SHIFT;
  }
}

/** Makes a PACKER_SAME a PACKER_BLOCK. */
export function layOutSame(context: usize, packer: usize): void {
  const entry = packer + PACKER_ENTRIES;
  putEntries(context, packer, load<usize>(entry, ENTRY_TRIANGLE), load<i32>(entry, ENTRY_QUAD), WARP_QUADS);
  store<i32>(packer, PACKER_BLOCK, PACKER_KIND);
  store<i32>(packer, WARP_QUADS, PACKER_COUNT);
  const program: usize = load<usize>(load<usize>(packer + PACKER_DRAW) + DRAW_FRAGMENT_PROGRAM);
  let at = load<usize>(context + CTX_REGISTERS) + <usize>load<i32>(program, PROGRAM_INPUTS) * REGISTER_BYTES;
  for (const end = at + <usize>load<i32>(program, PROGRAM_OUTPUTS) * REGISTER_BYTES; at < end; at += REGISTER_BYTES) {
    repeatWords(at, load<u64>(at), load<u64>(at, 8), REGISTER_BYTES);
  }
}
