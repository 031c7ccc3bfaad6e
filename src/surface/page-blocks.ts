// Pages of streamed textures in compressed formats. A page is delivered as the blocks that its texels are in, and
// decoded when it arrives. Blocks that cross the edge of a page are delivered with both pages.
import type { Allocator } from '../memory';
import type { DecodeRow } from './block-memory';
import type { BlockInfo } from './formats';

/** A page's first texel in its level, and its size. */
interface PageTexels {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The blocks that a page's texels are in: the first column and row in the level, and their numbers. */
interface PageBlocks {
  readonly column: number;
  readonly row: number;
  readonly columns: number;
  readonly rows: number;
}

export function blocksOfPage(block: BlockInfo, { left, top, width, height }: PageTexels): PageBlocks {
  const column = Math.floor(left / block.width);
  const row = Math.floor(top / block.height);
  return {
    column,
    row,
    columns: Math.ceil((left + width) / block.width) - column,
    rows: Math.ceil((top + height) / block.height) - row,
  };
}

interface DecoderParts {
  readonly allocator: Allocator;
  readonly memory: WebAssembly.Memory;
  readonly decodeRow: DecodeRow;
}

/**
 * Decodes a page's blocks to rows of texels at `to`, which are `strideBytes` apart.
 * @throws OutOfMemoryError
 */
export function decodePageBlocks(
  { allocator, memory, decodeRow }: DecoderParts,
  block: BlockInfo,
  texelBytes: number,
  texels: PageTexels,
  blocks: Uint8Array,
  { to, strideBytes }: { readonly to: number; readonly strideBytes: number }
): void {
  const { left, top, width, height } = texels;
  const { column, row, columns, rows } = blocksOfPage(block, texels);
  const skipped = left - column * block.width;
  const lineBytes = columns * block.width * texelBytes;
  // The blocks, and the decoded texels of a row of blocks that the page has only a part of.
  const from = allocator.allocate(blocks.length + lineBytes * block.height, 'blocks of a page');
  try {
    const bytes = new Uint8Array(memory.buffer);
    const lines = from + blocks.length;
    bytes.set(blocks, from);
    for (let i = 0; i < rows; i++) {
      const source = from + i * columns * block.bytes;
      const first = (row + i) * block.height - top;
      const count = Math.min(block.height, height - first);
      if (skipped === 0 && first >= 0) {
        decodeRow(block.code, source, to + first * strideBytes, strideBytes, width | (count << 16));
        continue;
      }
      decodeRow(block.code, source, lines, lineBytes, (columns * block.width) | (block.height << 16));
      for (let line = Math.max(0, -first); line < count; line++) {
        const at = lines + line * lineBytes + skipped * texelBytes;
        bytes.copyWithin(to + (first + line) * strideBytes, at, at + width * texelBytes);
      }
    }
  } finally {
    allocator.free(from);
  }
}
