// Warps of a block that one triangle covers at all samples. If all pixels of a triangle have the same results
// (PROGRAM_FLAG_UNIFORM_RESULTS), the shader runs for one quad only. Output then uses one texel for the whole block if
// it can; otherwise, entries and results are first expanded to all quads.

import { Entry, entryHead, Packer, PACKER_BLOCK, REGISTER_BYTES, sizeOf, Tile, Triangle, WARP_QUADS } from '../layout';
import { repeatWords } from '../surface/texel-same';
import { wholeQuad } from './layers';

/** Added to an entry's head to get the next quad's. */
export const NEXT_QUAD: u64 = 1 << 32;

/** Writes the entries of a packer for the first `count` quads of a block, from quad `first` on. */
export function putEntries(tile: Tile, packer: Packer, triangle: Triangle, first: i32, count: i32): void {
  putQuads(packer.entry(0), entryHead(triangle, first, -1), wholeQuad(tile), count);
}

/**
 * Writes the entries of `count` quads with equal masks, starting with the quad of `head`. Returns the address of the
 * next entry.
 */
export function putQuads(first: Entry, head: u64, mask: u64, count: i32): Entry {
  let entry = changetype<usize>(first);
  const end = entry + count * sizeOf<Entry>();
  if (ASC_FEATURE_SIMD) {
    let words = i64x2.replace_lane(i64x2.splat(mask), 0, head);
    const next = i64x2.replace_lane(i64x2.splat(0), 0, NEXT_QUAD);
    for (; entry < end; entry += sizeOf<Entry>()) {
      v128.store(entry, words);
      words = i64x2.add(words, next);
    }
  } else {
    for (; entry < end; entry += sizeOf<Entry>()) {
      changetype<Entry>(entry).put(head, mask);
      head += NEXT_QUAD;
    }
  }
  return changetype<Entry>(end);
}

/** Converts a PACKER_UNIFORM_BLOCK to a PACKER_BLOCK. */
export function expandUniformBlock(tile: Tile, packer: Packer): void {
  const entry = changetype<Entry>(packer.entries);
  putEntries(tile, packer, entry.triangle, entry.quad, WARP_QUADS);
  packer.kind = PACKER_BLOCK;
  packer.count = WARP_QUADS;
  const program = packer.draw.fragment.program;
  let at = tile.registers + program.inputs * REGISTER_BYTES;
  for (const end = at + program.outputs * REGISTER_BYTES; at < end; at += REGISTER_BYTES) {
    repeatWords(at, load<u64>(at), load<u64>(at, 8), REGISTER_BYTES);
  }
}
