// Device memory that grows as passes need it.
import type { Allocator } from '../../memory';

/** A scratch allocation that outlives passes and grows on demand. Its contents are not preserved. */
export class ScratchBuffer {
  address = 0;
  bytes = 0;
  constructor(
    private readonly allocator: Allocator,
    private readonly what: string
  ) {}

  /** Throws OutOfMemoryError. The allocation is then empty. */
  reserve(bytes: number): number {
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
