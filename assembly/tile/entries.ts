// Warps of a block that one triangle covers at all samples. Where all pixels of a triangle have the same results
// (PROGRAM_FLAG_SAME) the program is run for one quad, and who writes them takes one texel for all; who can't has
// entries and results laid out for all quads first.

import { Entry, entryHead, Packer, PACKER_BLOCK, REGISTER_BYTES, Tile, Triangle, WARP_QUADS } from '../layout';
import { repeatWords } from '../surface/texel-same';

/** Writes the entries of a packer for the first `count` quads of a block, from quad `first` on. */
export function putEntries(tile: Tile, packer: Packer, triangle: Triangle, first: i32, count: i32): void {
  const mask: u64 = tile.samples == 1 ? 15 : ~(<u64>0) >> <u64>(64 - (tile.layers << 4));
  for (let i = 0; i < count; i++) packer.entry(i).put(entryHead(triangle, first + i, -1), mask);
}

/** Makes a PACKER_SAME a PACKER_BLOCK. */
export function layOutSame(tile: Tile, packer: Packer): void {
  const entry = changetype<Entry>(packer.entries);
  putEntries(tile, packer, entry.triangle, entry.quad, WARP_QUADS);
  packer.kind = PACKER_BLOCK;
  packer.count = WARP_QUADS;
  const program = packer.draw.fragmentProgram;
  let at = tile.registers + program.inputs * REGISTER_BYTES;
  for (const end = at + program.outputs * REGISTER_BYTES; at < end; at += REGISTER_BYTES) {
    repeatWords(at, load<u64>(at), load<u64>(at, 8), REGISTER_BYTES);
  }
}
