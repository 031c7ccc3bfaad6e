// Dispatches to the decoder of each compressed texture format. Textures that are stored decoded are decoded one row of
// blocks at a time; others are decoded page by page (texture/addresses/block-pages.ts).
import {
  BLOCK_ASTC,
  BLOCK_ASTC_SRGB,
  BLOCK_BC1,
  BLOCK_BC2,
  BLOCK_BC3,
  BLOCK_BC4_SNORM,
  BLOCK_BC4_UNORM,
  BLOCK_BC5_SNORM,
  BLOCK_BC5_UNORM,
  BLOCK_BC6_SIGNED,
  BLOCK_BC6_UNSIGNED,
  BLOCK_BC7,
  BLOCK_CODES,
  BLOCK_EAC_R_SNORM,
  BLOCK_EAC_R_UNORM,
  BLOCK_EAC_RG_SNORM,
  BLOCK_EAC_RG_UNORM,
  BLOCK_ETC2_RGB,
  BLOCK_ETC2_RGBA1,
  BLOCK_ETC2_RGBA8,
  BLOCK_SCRATCH,
} from '../layout';
import { astc } from './astc';
import { bc1, bc2, bc3, bcSnorm, bcUnorm } from './bc';
import { bc6 } from './bc6';
import { bc7 } from './bc7';
import { eacAlpha, eacSnorm, eacUnorm, etc2 } from './etc';
import { Sink, SINK_BYTES } from './image';

/** Bytes per block. */
export function blockBytes(code: i32): usize {
  switch (code) {
    case BLOCK_BC1:
    case BLOCK_BC4_UNORM:
    case BLOCK_BC4_SNORM:
    case BLOCK_ETC2_RGB:
    case BLOCK_ETC2_RGBA1:
    case BLOCK_EAC_R_UNORM:
    case BLOCK_EAC_R_SNORM:
      return 8;
    default:
      return 16;
  }
}

/** Bytes per decoded texel. */
function decodedBytes(code: i32): i32 {
  switch (code) {
    case BLOCK_BC4_UNORM:
    case BLOCK_BC4_SNORM:
    case BLOCK_EAC_R_UNORM:
    case BLOCK_EAC_R_SNORM:
      return 2;
    case BLOCK_BC6_UNSIGNED:
    case BLOCK_BC6_SIGNED:
      return 8;
    default:
      return 4;
  }
}

/**
 * Decodes a row of blocks at `from` to rows of texels at `to`. `format` is the code and block size
 * (layout/texture/block-codes.ts). `extent` is the row's width in texels, plus its number of texel rows × 2^16.
 * `scratch` has BLOCK_SCRATCH bytes.
 */
export function decodeBlocks(format: i32, from: usize, to: usize, rowBytes: u32, extent: i32, scratch: usize): void {
  const code = format & BLOCK_CODES;
  const width = extent & 0xffff;
  const blockWidth = (format >> 8) & 255;
  const bytes = blockBytes(code);
  const step = <usize>(decodedBytes(code) * blockWidth);
  const sink = changetype<Sink>(scratch);
  sink.at = to;
  sink.rowBytes = rowBytes;
  sink.height = extent >> 16;
  for (let left = width; left > 0; left -= blockWidth) {
    sink.width = left;
    decodeBlock(code, from, sink, scratch + SINK_BYTES, format);
    sink.at += step;
    from += bytes;
  }
}

/**
 * Decodes the texels of a block from column `left` and row `top` on, limited by the sink's size and the block's. The
 * first one goes to Sink.at. The sink must be at the start of BLOCK_SCRATCH bytes.
 */
export function decodeFrom(format: i32, block: usize, sink: Sink, left: i32, top: i32): void {
  const code = format & BLOCK_CODES;
  const scratch = changetype<usize>(sink) + SINK_BYTES;
  if (!(left | top)) {
    decodeBlock(code, block, sink, scratch, format);
    return;
  }
  const blockWidth = (format >> 8) & 255;
  const blockHeight = format >> 16;
  const bytes = decodedBytes(code);
  const to = sink.at;
  const rowBytes = sink.rowBytes;
  const height = min<i32>(sink.height, blockHeight - top);
  const lineBytes = min<i32>(sink.width, blockWidth - left) * bytes;
  const whole = sink.height;
  // The decoders use less than half of their scratch.
  const from = changetype<usize>(sink) + BLOCK_SCRATCH / 2;
  sink.at = from;
  sink.rowBytes = blockWidth * bytes;
  sink.width = blockWidth;
  sink.height = blockHeight;
  decodeBlock(code, block, sink, scratch, format);
  const first = from + top * sink.rowBytes + left * bytes;
  for (let y = 0; y < height; y++) memory.copy(to + y * rowBytes, first + y * sink.rowBytes, lineBytes);
  sink.rowBytes = rowBytes;
  sink.height = whole;
}

function decodeBlock(code: i32, block: usize, sink: Sink, scratch: usize, format: i32): void {
  switch (code) {
    case BLOCK_BC1:
      return bc1(block, sink, scratch, true);
    case BLOCK_BC2:
      return bc2(block, sink, scratch);
    case BLOCK_BC3:
      return bc3(block, sink, scratch);
    case BLOCK_BC4_UNORM:
      return bcUnorm(block, sink, scratch, 0, 1);
    case BLOCK_BC4_SNORM:
      return bcSnorm(block, sink, scratch, 0, 1);
    case BLOCK_BC5_UNORM:
      bcUnorm(block, sink, scratch, 0, 2);
      return bcUnorm(block + 8, sink, scratch, 1, 2);
    case BLOCK_BC5_SNORM:
      bcSnorm(block, sink, scratch, 0, 2);
      return bcSnorm(block + 8, sink, scratch, 1, 2);
    case BLOCK_BC6_UNSIGNED:
      return bc6(block, sink, scratch, false);
    case BLOCK_BC6_SIGNED:
      return bc6(block, sink, scratch, true);
    case BLOCK_BC7:
      return bc7(block, sink, scratch);
    case BLOCK_ETC2_RGB:
      return etc2(block, sink, scratch, false);
    case BLOCK_ETC2_RGBA1:
      return etc2(block, sink, scratch, true);
    case BLOCK_ETC2_RGBA8:
      etc2(block + 8, sink, scratch, false);
      return eacAlpha(block, sink);
    case BLOCK_EAC_R_UNORM:
      return eacUnorm(block, sink, 0, 1);
    case BLOCK_EAC_R_SNORM:
      return eacSnorm(block, sink, 0, 1);
    case BLOCK_EAC_RG_UNORM:
      eacUnorm(block, sink, 0, 2);
      return eacUnorm(block + 8, sink, 1, 2);
    case BLOCK_EAC_RG_SNORM:
      eacSnorm(block, sink, 0, 2);
      return eacSnorm(block + 8, sink, 1, 2);
    case BLOCK_ASTC:
      return astc(block, sink, scratch, format, false);
    case BLOCK_ASTC_SRGB:
      return astc(block, sink, scratch, format, true);
  }
}
