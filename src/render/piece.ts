// Device memory that grows as passes need it.
import type { Allocator } from '../memory';

/** Scratch that outlives passes and grows as they need it; its contents are not kept. */
export class Piece {
  address = 0;
  bytes = 0;
  constructor(private readonly allocator: Allocator, private readonly what: string) {}

  /** Throws OutOfMemoryError; then there is none. */
  atLeast(bytes: number): number {
    if (bytes > this.bytes) {
      this.release();
      this.address = this.allocator.allocate(bytes, this.what);
      this.bytes = bytes;
    }
    return this.address;
  }

  release(): boolean {
    if (this.bytes === 0) return false;
    this.allocator.free(this.address);
    this.address = this.bytes = 0;
    return true;
  }
}
