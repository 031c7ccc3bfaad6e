// Moves tiles between single-sample surfaces, which are stored in rows, and tile contexts: load, clear, store, and
// fills of tiles without draws. A tile at the right or bottom edge has only part of its rows. For multisampled
// surfaces, see encode.ts and decode.ts. Depth is f32 in the context, and depth16unorm is converted on the way. Both
// builds copy whole pixels.

import { Attachment, FORMAT_DEPTH16UNORM, Pass, Tile } from '../layout';
import { highHalves, lowHalves } from '../simd/lanes';
import { pixelAt } from '../simd/positions';
import { storeTexel, texelBytes } from '../surface/formats';
import { quantise } from '../surface/numbers';
import { copyTexel, repeatWords } from '../surface/texel-same';

// Direction of a copy, passed as a type argument: `texel` is in rows, `at` in the context.

@unmanaged export class Load {

  @inline get loads(): bool {
    return true;
  }


  @inline move<T extends number>(texel: usize, at: usize): void {
    store<T>(at, load<T>(texel));
  }


  @inline moveTexel(bytes: i32, texel: usize, at: usize): void {
    copyTexel(bytes, at, texel);
  }
  /** depth16unorm: 16 bits in the surface, f32 in the context. */
  @inline moveDepth16(texel: usize, at: usize): void {
    store<f32>(at, widenDepth16(load<u16>(texel)));
  }
}


@unmanaged export class Store {

  @inline get loads(): bool {
    return false;
  }


  @inline move<T extends number>(texel: usize, at: usize): void {
    store<T>(texel, load<T>(at));
  }


  @inline moveTexel(bytes: i32, texel: usize, at: usize): void {
    copyTexel(bytes, texel, at);
  }


  @inline moveDepth16(texel: usize, at: usize): void {
    store<u16>(texel, quantise(load<f32>(at), 65535));
  }
}

/** Bytes of a texel in the surface. (A combined depth-stencil format has two surfaces.) */
function surfaceTexelBytes(tile: Tile, attachment: Attachment): i32 {
  return attachment == tile.pass.stencil ? 1 : texelBytes(attachment.format);
}

/** Whether depth has 16 bits in the surface and is f32 only in the context. */
export function isNarrow(tile: Tile, attachment: Attachment): bool {
  return attachment == tile.pass.depth && attachment.format == FORMAT_DEPTH16UNORM;
}

/** Address in the rows at which a tile begins. */
function cornerOf(tile: Tile, rows: usize, rowBytes: u32, bytes: i32): usize {
  return rows + tile.y * rowBytes + tile.x * bytes;
}

/** Copies a tile's plane between rows and the context, where its address is `held`. */
export function movePlane<M>(tile: Tile, attachment: Attachment, held: usize): void {
  const bytes = surfaceTexelBytes(tile, attachment);
  const rowBytes = attachment.rowBytes;
  const corner = cornerOf(tile, attachment.address, rowBytes, bytes);
  if (!isNarrow(tile, attachment)) {
    moveRows<M>(corner, rowBytes, held, bytes, tile.width, tile.height);
    return;
  }
  for (let row = 0; row < tile.height; row++) {
    for (let column = 0; column < tile.width; column++)
      changetype<M>(0).moveDepth16(corner + row * rowBytes + (column << 1), held + (pixelAt(column, row) << 2));
  }
}

export function widenDepth16(depth: u16): f32 {
  return <f32>depth / 65535;
}

/** Converts depths from 32 bits to 16 bits in place, into the first half of their plane. */
export function narrowDepths(plane: usize, texels: i32): void {
  for (let i = 0; i < texels; i++) changetype<Store>(0).moveDepth16(plane + (i << 1), plane + (i << 2));
}

/** Converts depths from 16 bits to 32 bits in place, from the last, so that no unread depth is overwritten. */
export function widenDepths(plane: usize, texels: i32): void {
  for (let i = texels - 1; i >= 0; i--) changetype<Load>(0).moveDepth16(plane + (i << 1), plane + (i << 2));
}

/** Fills a tile's rectangle of the rows at `rows` with the clear value. */
export function clearRows(tile: Tile, attachment: Attachment, rows: usize, rowBytes: u32): void {
  const bytes = surfaceTexelBytes(tile, attachment);
  clearTexel(tile.pass, attachment, tile.texels, false);
  repeat(tile.texels, bytes, 16);
  fillRows(tile.texels, cornerOf(tile, rows, rowBytes, bytes), rowBytes, tile.width * bytes, tile.height);
}

/** Fills a tile's rectangle of an attachment's rows with a texel of the surface, which is repeated to 16 bytes. */
export function fillPlane(tile: Tile, attachment: Attachment, texel: usize): void {
  const bytes = surfaceTexelBytes(tile, attachment);
  const rowBytes = attachment.rowBytes;
  const corner = cornerOf(tile, attachment.address, rowBytes, bytes);
  fillRows(texel, corner, rowBytes, tile.width * bytes, tile.height);
}

/** Fills rows of `length` bytes with a texel, which is repeated to 16 bytes at `texel`. */
export function fillRows(texel: usize, to: usize, rowBytes: u32, length: usize, rows: i32): void {
  const whole = length & ~15;
  for (; rows > 0; rows--) {
    repeatWords(to, load<u64>(texel), load<u64>(texel, 8), whole);
    if (length != whole) memory.copy(to + whole, texel, length - whole);
    to += rowBytes;
  }
}

/** Writes one texel with the clear value, in the format of the context (`inContext`) or of the surface. */
export function clearTexel(pass: Pass, attachment: Attachment, to: usize, inContext: bool): void {
  const value = attachment.clearValue;
  if (attachment == pass.stencil) {
    store<u8>(to, load<u32>(value));
  } else if (attachment != pass.depth) {
    storeTexel(attachment.format, to, value);
  } else if (attachment.format != FORMAT_DEPTH16UNORM) {
    store<f32>(to, load<f32>(value));
  } else {
    const depth = quantise(load<f32>(value), 65535);
    if (inContext) store<f32>(to, widenDepth16(<u16>depth));
    else store<u16>(to, depth);
  }
}

/** Repeats the texel of `bytes` bytes at `to` until `length` bytes are filled. */
export function repeat(to: usize, bytes: i32, length: i32): void {
  let filled = bytes;
  while (filled < length) {
    const more = min<i32>(length - filled, filled);
    memory.copy(to + filled, to, more);
    filled += more;
  }
}

/** Copies between rows at `rows` and a context plane. */
export function moveRows<M>(rows: usize, rowBytes: u32, plane: usize, bytes: i32, width: i32, height: i32): void {
  if (ASC_FEATURE_SIMD) {
    if (bytes == 4 && !((width | height) & 7)) {
      if (changetype<M>(0).loads) loadBlocks(rows, rowBytes, plane, width, height);
      else storeBlocks(rows, rowBytes, plane, width, height);
      return;
    }
  }
  switch (bytes) {
    case 1:
      movePixels<M, u16>(1, rows, rowBytes, plane, width, height);
      return;
    case 2:
      movePixels<M, u32>(2, rows, rowBytes, plane, width, height);
      return;
    case 4:
      movePixels<M, u64>(4, rows, rowBytes, plane, width, height);
      return;
    case 8:
      movePixels<M, u64>(8, rows, rowBytes, plane, width, height);
      return;
    default:
      movePixels<M, u64>(16, rows, rowBytes, plane, width, height);
  }
}

/** Loads whole blocks of four-byte pixels from rows, two rows at a time; each block has four quads there. */
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

/** Loads two quads from four pixels each of two rows. */
function loadQuads(texel: usize, rowBytes: u32, at: usize): void {
  const a = v128.load(texel);
  const b = v128.load(texel + rowBytes);
  v128.store(at, lowHalves(a, b));
  v128.store(at, highHalves(a, b), 16);
}

/**
 * Stores whole blocks of four-byte pixels to rows, one row after the other. The destination is rarely in a near cache
 * and should be written sequentially. (Two rows at a time, with each quad loaded once, takes 50 % longer; so does
 * storing block by block.)
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

/** Stores the upper or lower row of quads. `length` is its size in bytes. */
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

/** Copies pixels of `size` bytes, two at a time, in words of type D. Blocks are 64 pixels apart, quads 4. */
// @ts-ignore: decorator
@inline
function movePixels<M, D extends number>(
  size: i32,
  rows: usize,
  rowBytes: u32,
  plane: usize,
  width: i32,
  height: i32
): void {
  const pair = size << 1;
  const quad = size << 2;
  for (let y = 0; y < height; y++) {
    let texel = rows + y * rowBytes;
    let at = plane + pixelAt(0, y) * size;
    const last = texel + (width & ~1) * size;
    for (const end = texel + (width & ~7) * size; texel < end; texel += 4 * pair) {
      movePair<M, D>(texel, at, pair);
      movePair<M, D>(texel + pair, at + quad, pair);
      movePair<M, D>(texel + 2 * pair, at + 2 * quad, pair);
      movePair<M, D>(texel + 3 * pair, at + 3 * quad, pair);
      at += 16 * quad;
    }
    for (; texel < last; texel += pair) {
      movePair<M, D>(texel, at, pair);
      at += quad;
    }
    if (width & 1) changetype<M>(0).moveTexel(size, texel, at);
  }
}

// @ts-ignore: decorator
@inline
function movePair<M, D extends number>(texel: usize, at: usize, bytes: usize): void {
  changetype<M>(0).move<D>(texel, at);
  for (let offset: usize = sizeof<D>(); offset < bytes; offset += sizeof<D>())
    changetype<M>(0).move<D>(texel + offset, at + offset);
}
