// Tiles between surfaces of one sample, which lie in rows, and tile contexts: load, clear, store, and the fills of
// tiles that nothing drew to. A tile at the right or bottom edge has only a part of its rows. Multisampled surfaces:
// encode.ts and decode.ts. Depth is f32 in the context; depth16unorm is converted on the way. Copies are moved as whole
// pixels in both builds alike.

import { Attachment, FORMAT_DEPTH16UNORM, Tile } from '../layout';
import { highHalves, lowHalves } from '../simd/lanes';
import { pixelAt } from '../simd/positions';
import { storeTexel, texelBytes } from '../surface/formats';
import { quantise } from '../surface/numbers';
import { copyWords } from '../surface/texel-same';

/** Which plane of an attachment is meant: a combined depth-stencil format names two. */
export const PLANE_COLOR = 0;
export const PLANE_DEPTH = 1;
export const PLANE_STENCIL = 2;

/** Bytes of a texel in the surface. */
function surfaceTexelBytes(attachment: Attachment, plane: i32): i32 {
  return plane == PLANE_STENCIL ? 1 : texelBytes(attachment.format);
}

/** Bytes of a texel in the tile context. */
function contextTexelBytes(attachment: Attachment, plane: i32): i32 {
  return plane == PLANE_DEPTH ? 4 : surfaceTexelBytes(attachment, plane);
}

/** Fills a context plane of `texels` with the attachment's clear value. */
export function clearPlane(attachment: Attachment, plane: i32, to: usize, texels: i32): void {
  const bytes = contextTexelBytes(attachment, plane);
  clearTexel(attachment, plane, to, true);
  repeat(to, bytes, texels * bytes);
}

/** Loads a tile's plane from rows into the context at `to`. */
export function loadPlane(tile: Tile, attachment: Attachment, plane: i32, to: usize): void {
  movePlane(tile, attachment, plane, to, true);
}

/** Stores a tile's plane from the context at `from` to rows. */
export function storePlane(tile: Tile, attachment: Attachment, plane: i32, from: usize): void {
  movePlane(tile, attachment, plane, from, false);
}

function movePlane(tile: Tile, attachment: Attachment, plane: i32, held: usize, loads: bool): void {
  const narrow = plane == PLANE_DEPTH && attachment.format == FORMAT_DEPTH16UNORM;
  const bytes = surfaceTexelBytes(attachment, plane);
  const rowBytes = attachment.rowBytes;
  const corner = attachment.address + tile.y * rowBytes + tile.x * bytes;
  if (!narrow) {
    moveRows(corner, rowBytes, held, bytes, tile.width, tile.height, loads);
    return;
  }
  for (let row = 0; row < tile.height; row++) {
    for (let column = 0; column < tile.width; column++) {
      moveDepth16(corner + row * rowBytes + (column << 1), held + (pixelAt(column, row) << 2), loads);
    }
  }
}

/** One texel of depth16unorm: 16 bits in the surface, f32 in the context. */
function moveDepth16(texel: usize, at: usize, loads: bool): void {
  if (loads) store<f32>(at, widenDepth16(load<u16>(texel)));
  else store<u16>(texel, quantise(load<f32>(at), 65535));
}

export function widenDepth16(depth: u16): f32 {
  return <f32>depth / 65535;
}

/** In place: depths of 32 bits become 16 bits each, in the first half of their plane. */
export function narrowDepths(plane: usize, texels: i32): void {
  for (let i: usize = 0; i < <usize>texels; i++) moveDepth16(plane + (i << 1), plane + (i << 2), false);
}

/** In place: depths of 16 bits become 32 bits each: from the last, whose place no other needs. */
export function widenDepths(plane: usize, texels: i32): void {
  for (let i = texels - 1; i >= 0; i--) moveDepth16(plane + (i << 1), plane + (i << 2), true);
}

/** Fills a tile's rectangle of the rows at `surface` with the clear value. */
export function clearRows(tile: Tile, attachment: Attachment, plane: i32, surface: usize, rowBytes: u32): void {
  const bytes = surfaceTexelBytes(attachment, plane);
  const corner = surface + tile.y * rowBytes + tile.x * bytes;
  clearTexel(attachment, plane, corner, false);
  fillRows(corner, bytes, corner, rowBytes, tile.width, tile.height);
}

/** Fills a rectangle of rows whose first texel is at `corner` with the one at `texel`, which may be that. */
export function fillRows(texel: usize, bytes: i32, corner: usize, rowBytes: u32, width: i32, height: i32): void {
  if (texel != corner) memory.copy(corner, texel, bytes);
  const length = width * bytes;
  repeat(corner, bytes, length);
  for (let row = 1; row < height; row++) {
    const to = corner + row * rowBytes;
    // A call of memory.copy takes longer than most rows.
    if (!(length & 15)) copyWords(to, corner, length);
    else memory.copy(to, corner, length);
  }
}

/** One texel with the clear value, as the context (`inContext`) or the surface holds it. */
export function clearTexel(attachment: Attachment, plane: i32, to: usize, inContext: bool): void {
  const value = attachment.clearValue;
  if (plane == PLANE_STENCIL) {
    store<u8>(to, load<u32>(value));
  } else if (plane == PLANE_COLOR) {
    storeTexel(attachment.format, to, value);
  } else if (attachment.format != FORMAT_DEPTH16UNORM) {
    store<f32>(to, load<f32>(value));
  } else if (inContext) {
    store<f32>(to, <f32>quantise(load<f32>(value), 65535) / 65535);
  } else {
    store<u16>(to, quantise(load<f32>(value), 65535));
  }
}

/** Repeats the texel of `bytes` at `to` until `length` bytes are filled. */
export function repeat(to: usize, bytes: i32, length: i32): void {
  let filled = bytes;
  while (filled < length) {
    const more = length - filled < filled ? length - filled : filled;
    memory.copy(to + filled, to, more);
    filled += more;
  }
}

/** Copies between rows at `rows` and a context plane. */
export function moveRows(
  rows: usize, rowBytes: u32, plane: usize, bytes: i32, width: i32, height: i32, loads: bool
): void {
  if (ASC_FEATURE_SIMD) {
    if (bytes == 4 && !((width | height) & 7)) {
      if (loads) loadBlocks(rows, rowBytes, plane, width, height);
      else storeBlocks(rows, rowBytes, plane, width, height);
      return;
    }
  }
  switch (bytes) {
    case 1: movePixels<u8, u16>(rows, rowBytes, plane, width, height, loads); return;
    case 2: movePixels<u16, u32>(rows, rowBytes, plane, width, height, loads); return;
    case 4: movePixels<u32, u64>(rows, rowBytes, plane, width, height, loads); return;
    case 8: moveWide(rows, rowBytes, plane, 8, width, height, loads); return;
    default: moveWide(rows, rowBytes, plane, 16, width, height, loads);
  }
}

/** Whole blocks of pixels of four bytes from rows: two rows at a time, of which each block has four quads. */
function loadBlocks(rows: usize, rowBytes: u32, plane: usize, width: i32, height: i32): void {
  for (let y = 0; y < height; y += 2) {
    let texel = rows + y * rowBytes;
    let at = plane + (pixelAt(0, y) << 2);
    for (const end = texel + (width << 2); texel < end; texel += 32) {
      loadQuads(texel, rowBytes, at);
      loadQuads(texel + 16, rowBytes, at + 32);
      at += 256;
    }
  }
}

/** Two quads from the four pixels of two rows that they are. */
function loadQuads(texel: usize, rowBytes: u32, at: usize): void {
  const a = v128.load(texel);
  const b = v128.load(texel + rowBytes);
  v128.store(at, lowHalves(a, b));
  v128.store(at, highHalves(a, b), 16);
}

/**
 * Whole blocks of pixels of four bytes to rows, one row after the other: the memory that is written is seldom in a near
 * cache, and wants to be written in order. (Two rows at a time, each quad loaded once, take half as long again; so do
 * blocks one after the other.)
 */
function storeBlocks(rows: usize, rowBytes: u32, plane: usize, width: i32, height: i32): void {
  const length = width << 2;
  for (let y = 0; y < height; y += 2) {
    const row = rows + y * rowBytes;
    const quads = plane + (pixelAt(0, y) << 2);
    storeRow(row, length, quads, true);
    storeRow(row + rowBytes, length, quads, false);
  }
}

/** The upper or lower row of quads; `length`: its bytes. */
function storeRow(texel: usize, length: usize, quads: usize, upper: bool): void {
  for (const end = texel + length; texel < end; texel += 32) {
    const a = v128.load(quads);
    const b = v128.load(quads, 16);
    const c = v128.load(quads, 32);
    const d = v128.load(quads, 48);
    v128.store(texel, upper ? lowHalves(a, b) : highHalves(a, b));
    v128.store(texel, upper ? lowHalves(c, d) : highHalves(c, d), 16);
    quads += 256;
  }
}

/** Pixels of type P, moved two at a time as D where both exist. */
function movePixels<P extends number, D extends number>(
  rows: usize, rowBytes: u32, plane: usize, width: i32, height: i32, loads: bool
): void {
  const size = sizeof<P>();
  for (let y = 0; y < height; y++) {
    const row = rows + y * rowBytes;
    const line = plane + pixelAt(0, y) * size;
    if (loads) moveRow<D>(row, line, size, width, true);
    else moveRow<D>(row, line, size, width, false);
    if (width & 1) {
      const texel = row + (width - 1) * size;
      const at = plane + pixelAt(width - 1, y) * size;
      if (loads) store<P>(at, load<P>(texel));
      else store<P>(texel, load<P>(at));
    }
  }
}

/**
 * Pairs of pixels (D) of one row; `line`: where the row's first pixel lies in the plane. Blocks lie 64 pixels apart,
 * quads 4.
 */
// @ts-ignore: decorator
@inline
function moveRow<D extends number>(row: usize, line: usize, size: i32, width: i32, loads: bool): void {
  let texel = row;
  let at = line;
  const end = row + (width & ~7) * size;
  const pair = size << 1;
  const quad = size << 2;
  while (texel < end) {
    movePair<D>(texel, at, loads);
    movePair<D>(texel + pair, at + quad, loads);
    movePair<D>(texel + 2 * pair, at + 2 * quad, loads);
    movePair<D>(texel + 3 * pair, at + 3 * quad, loads);
    texel += 4 * pair;
    at += 16 * quad;
  }
  for (const last = row + (width & ~1) * size; texel < last; texel += pair) {
    movePair<D>(texel, at, loads);
    at += quad;
  }
}

function movePair<D extends number>(texel: usize, at: usize, loads: bool): void {
  if (loads) store<D>(at, load<D>(texel));
  else store<D>(texel, load<D>(at));
}

/** Pixels of 8 or 16 bytes. */
function moveWide(rows: usize, rowBytes: u32, plane: usize, bytes: i32, width: i32, height: i32, loads: bool): void {
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = plane + pixelAt(x, y) * bytes;
      const texel = rows + y * rowBytes + x * bytes;
      // A bulk copy costs more than the words of one pixel.
      for (let offset: usize = 0; offset < <usize>bytes; offset += 8) {
        if (loads) store<u64>(at + offset, load<u64>(texel + offset));
        else store<u64>(texel + offset, load<u64>(at + offset));
      }
    }
  }
}
