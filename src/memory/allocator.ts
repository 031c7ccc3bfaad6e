// The allocator of device memory. Its bookkeeping is outside that memory, so that no shader can reach it.
//
// Free ranges are in lists by power-of-two class, with maps from their starts and ends to merge adjacent ranges.

import { assert } from '../base/assert';
import { OutOfMemoryError } from './errors';
import { PAGE_BYTES, type DeviceMemory } from './memory';

/** Cache line size: no two resources share a line. */
const ALIGNMENT = 64;
const CLASSES = 33;

interface MemoryStatistics {
  /** Bytes currently allocated or reserved, without pages that are freed as soon as memory is short. */
  readonly bytesUsed: number;
  /** Size of the WebAssembly.Memory in bytes. */
  readonly bytesReserved: number;
  readonly bytesBudget: number;
}

const sizeClass = (bytes: number): number => 31 - Math.clz32(bytes >>> 0);

const sizeOf = (bytes: number): number => Math.max(ALIGNMENT, Math.ceil(bytes / ALIGNMENT) * ALIGNMENT);

export class Allocator {
  private readonly lists: Set<number>[] = Array.from({ length: CLASSES }, () => new Set<number>());
  private readonly freeByStart = new Map<number, number>();
  private readonly freeByEnd = new Map<number, number>();
  private readonly used = new Map<number, number>();
  private bytesUsed = 0;
  /** Bytes reserved for surfaces, and bytes allocated for their pages. */
  private reserved = 0;
  private pooled = 0;
  /** First address that was never allocated; everything from here on is still zero. */
  private top: number;
  /** Everything from here on has never been written. */
  private untouched: number;

  /**
   * Called repeatedly when memory is short, until there is enough: frees what can be recreated, and returns whether it
   * freed anything.
   */
  reclaim: () => boolean = () => false;
  /** Called before device memory grows: frees pages that surfaces do not hold, and returns whether there were any. */
  trimPages: () => boolean = () => false;
  /** Returns the bytes of pages held by surfaces without a reservation. */
  unreserved: () => number = () => 0;

  /** `base`: first address after the kernel's own data. `budget`: bytes that may be allocated. */
  constructor(
    private readonly device: DeviceMemory,
    base: number,
    readonly budget: number
  ) {
    this.top = this.untouched = (base + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /**
   * Allocates zeroed bytes, aligned to 64 bytes.
   * @throws OutOfMemoryError naming `what`, if `reclaim` cannot free enough
   */
  allocate(bytes: number, what: string): number {
    const size = sizeOf(bytes);
    return this.orReclaim(() => {
      this.check(this.bytesUsed + size + this.forSurfaces, bytes, what);
      const address = this.place(size, what);
      this.bytesUsed += size;
      this.zero(address, size);
      return address;
    });
  }

  /** Frees an allocation. */
  free(address: number): void {
    this.bytesUsed -= this.returnPages(address);
  }

  /**
   * Counts bytes as used; pages will be allocated from them as needed.
   * @throws OutOfMemoryError
   */
  reserve(bytes: number, what: string): void {
    this.orReclaim(() =>
      this.check(this.bytesUsed + Math.max(this.pooled, this.reserved + bytes + this.unreserved()), bytes, what)
    );
    this.reserved += bytes;
  }

  release(bytes: number): void {
    this.reserved -= bytes;
  }

  /**
   * Allocates bytes for pages of surfaces, with their old contents. They are charged to reservations as far as these
   * reach.
   * @throws OutOfMemoryError
   */
  allocatePages(bytes: number, what: string): number {
    const size = sizeOf(bytes);
    return this.orReclaim(() => {
      this.check(this.bytesUsed + Math.max(this.pooled + size, this.reserved + this.unreserved()), bytes, what);
      const address = this.place(size, what);
      this.pooled += size;
      this.untouched = Math.max(this.untouched, address + size);
      return address;
    });
  }

  freePages(address: number): void {
    this.pooled -= this.returnPages(address);
  }

  /** Bytes of pages beyond what reservations and surfaces without a reservation account for. */
  get idlePages(): number {
    return this.pooled - this.reserved - this.unreserved();
  }

  /** Bytes that neither resources nor reservations nor surfaces without a reservation account for. */
  get uncommitted(): number {
    return Math.max(0, this.budget - this.bytesUsed - this.reserved - this.unreserved());
  }

  private get forSurfaces(): number {
    return Math.max(this.pooled, this.reserved + this.unreserved());
  }

  private orReclaim<T>(act: () => T): T {
    for (;;) {
      try {
        return act();
      } catch (error) {
        if (!(error instanceof OutOfMemoryError) || !this.reclaim()) throw error;
      }
    }
  }

  private check(total: number, bytes: number, what: string): void {
    if (total <= this.budget) return;
    throw new OutOfMemoryError(
      `${what} needs ${bytes} bytes; ${this.bytesUsed + this.forSurfaces} of the device's ${this.budget} `
        + 'are in use: destroy what is no longer needed, or create the device with a larger memoryBudget'
    );
  }

  private place(size: number, what: string): number {
    let address = this.takeFree(size);
    if (address === null && this.idlePages > 0 && this.trimPages()) address = this.takeFree(size);
    address ??= this.takeTop(size, what);
    this.used.set(address, size);
    return address;
  }

  private zero(address: number, size: number): void {
    const dirtyEnd = Math.min(address + size, this.untouched);
    // In shared memory, V8 stores element by element. Both ends are multiples of ALIGNMENT.
    if (dirtyEnd > address) new BigUint64Array(this.device.memory.buffer, address, (dirtyEnd - address) / 8).fill(0n);
    this.untouched = Math.max(this.untouched, address + size);
  }

  private returnPages(address: number): number {
    const size = this.used.get(address);
    assert(size !== undefined, 'free of an address that is not allocated');
    this.used.delete(address);
    let start = address;
    let end = address + size;
    const before = this.freeByEnd.get(start);
    if (before !== undefined) {
      this.unlink(before);
      start = before;
    }
    const after = this.freeByStart.get(end);
    if (after !== undefined) {
      this.unlink(end);
      end += after;
    }
    if (end === this.top) this.top = start;
    else this.link(start, end - start);
    return size;
  }

  statistics(): MemoryStatistics {
    return {
      bytesUsed: this.bytesUsed + this.reserved + this.unreserved(),
      bytesReserved: this.device.memory.buffer.byteLength,
      bytesBudget: this.budget,
    };
  }

  private takeFree(size: number): number | null {
    // Sizes beyond the address space have no class.
    if (size >= 2 ** 32) return null;
    // The request's own class may contain ranges that are too small; every range of a higher class is large enough.
    for (let c = sizeClass(size); c < CLASSES; c++) {
      for (const start of this.lists[c]!) {
        const length = this.freeByStart.get(start)!;
        if (length < size) continue;
        this.unlink(start);
        if (length > size) this.link(start + size, length - size);
        return start;
      }
    }
    return null;
  }

  private takeTop(size: number, what: string): number {
    const address = this.top;
    const end = address + size;
    const have = this.device.memory.buffer.byteLength;
    if (end > have) this.grow(end - have, have, what);
    this.top = end;
    return address;
  }

  private grow(missing: number, have: number, what: string): void {
    // Growing by an additional eighth keeps the number of calls small; the exact need is the fallback.
    const generous = Math.min(missing + (have >>> 3), this.device.maximumBytes - have);
    for (const bytes of [generous, missing]) {
      if (bytes < missing) continue;
      try {
        this.device.memory.grow(Math.ceil(bytes / PAGE_BYTES));
        return;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
    }
    throw new OutOfMemoryError(
      `${what}: the engine refused to grow device memory by ${missing} bytes from ${have} (at most `
        + `${this.device.maximumBytes}): destroy what is no longer needed`
    );
  }

  private link(start: number, size: number): void {
    this.freeByStart.set(start, size);
    this.freeByEnd.set(start + size, start);
    this.lists[sizeClass(size)]!.add(start);
  }

  private unlink(start: number): void {
    const size = this.freeByStart.get(start)!;
    this.freeByStart.delete(start);
    this.freeByEnd.delete(start + size);
    this.lists[sizeClass(size)]!.delete(start);
  }
}
