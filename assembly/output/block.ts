// Warps of a block that one triangle covers at all samples. Where all pixels of a triangle have the same results (PROGRAM_FLAG_SAME) the program is
// run for one quad, and who writes them takes one texel for all; who can't has entries and results laid out for all quads first.

import { REGISTER_BYTES, WARP_QUADS } from '../layout/limits';
import { ENTRY_BYTES, Entry, Packer } from '../layout/packer';
import { Tile } from '../layout/tile';
import { PACKER_BLOCK } from '../layout/tile-codes';
import { repeatWords } from '../surface/texel-same';
import { isLayered, upperMask } from './layers';

/** Writes the entries of a packer for the first `count` quads of a block, from quad `first` on. */
export function putEntries(context: Tile, packer: Packer, triangle: usize, first: i32, count: i32): void {
  let entry = packer.entries;
  // Triangle and quad, mask and sample (-1), two words at a time.
  const layered = isLayered(context);
  const mask = layered ? -1 : context.layerSamples != 1 ? 0xffff : 15;
  const maskWord = <u64><u32>mask | 0xffffffff00000000;
  // Two layers lie in the entry's own mask.
  if (context.layers > 2) memory.fill(upperMask(context, entry), 0xff, <usize>count << 2);
  for (let quad = first; quad < first + count; quad++) {
    store<u64>(entry, <u64>triangle | <u64>quad << 32, offsetof<Entry>('triangle'));
    store<u64>(entry, maskWord, offsetof<Entry>('mask'));
    entry += ENTRY_BYTES;
  }
}

/** Makes a PACKER_SAME a PACKER_BLOCK. */
export function layOutSame(context: Tile, packer: Packer): void {
  const entry = changetype<Entry>(packer.entries);
  putEntries(context, packer, changetype<usize>(entry.triangle), entry.quad, WARP_QUADS);
  packer.kind = PACKER_BLOCK;
  packer.count = WARP_QUADS;
  const program = packer.draw.fragmentProgram;
  let at = context.registers + <usize><i32>program.inputs * REGISTER_BYTES;
  for (const end = at + <usize><i32>program.outputs * REGISTER_BYTES; at < end; at += REGISTER_BYTES) {
    repeatWords(at, load<u64>(at), load<u64>(at, 8), REGISTER_BYTES);
  }
}
