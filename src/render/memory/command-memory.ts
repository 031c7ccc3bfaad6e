// Bump allocator for records that live as long as one pass: DRAW records, resource tables, uniform blocks. Its memory
// blocks are reused by the next pass.
import type { Allocator } from '../../memory';

const BLOCK_BYTES = 64 * 1024;

export class CommandMemory {
  private readonly blocks: { readonly address: number; readonly bytes: number }[] = [];
  private block = 0;
  private cursor = 0;

  constructor(private readonly allocator: Allocator) {}

  /** Allocates 16-byte aligned memory. Its contents are undefined. */
  take(bytes: number): number {
    const size = (bytes + 15) & ~15;
    while (this.block < this.blocks.length) {
      const current = this.blocks[this.block]!;
      if (this.cursor + size <= current.bytes) {
        const address = current.address + this.cursor;
        this.cursor += size;
        return address;
      }
      this.block++;
      this.cursor = 0;
    }
    const blockBytes = Math.max(BLOCK_BYTES, size);
    this.blocks.push({ address: this.allocator.allocate(blockBytes, 'render pass records'), bytes: blockBytes });
    this.cursor = size;
    return this.blocks[this.block]!.address;
  }

  reset(): void {
    this.block = 0;
    this.cursor = 0;
  }

  destroy(): void {
    for (const block of this.blocks) this.allocator.free(block.address);
    this.blocks.length = 0;
    this.reset();
  }
}
