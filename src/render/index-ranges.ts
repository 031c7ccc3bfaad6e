// What index buffers hold, looked at once for each version of them: which draws may shade their vertices as one range
// of indices, instead of sorting out the distinct ones batch by batch. These are indexed triangle lists whose indices
// leave out few numbers between the least and the greatest. A range may shade vertices that no index names, whose
// results nobody sees.
import type { KernelExports } from '../kernels';
import type { BufferStore } from './types';

/** Numbers in the range for each index that is used, at the most. */
const WASTE = 1.3;
/** A range is no longer than this: the vertices of one take less than 64 MiB where they have few varyings. */
const MOST_VERTICES = 1 << 20;
/** Looking at more indices than these would hold the event loop for too long: four million take about 8 ms, once. */
const MOST_INDICES = 1 << 22;
/** Ranges remembered of one buffer. */
const MOST_ENTRIES = 4096;

/**
 * How many different indices there are; the least of them, and the number from it to the greatest, 0 if that is not to
 * be shaded as a range.
 */
export interface IndexUse { readonly distinct: number; readonly first: number; readonly count: number }

export class IndexRanges {
  /** By `keyOf`. */
  private readonly known = new WeakMap<BufferStore, Map<number, IndexUse | null>>();

  /** `scratch` gives device memory of so many bytes until its next call; 0 where memory is short. */
  constructor(
    private readonly memory: WebAssembly.Memory, private readonly exports: KernelExports,
    private readonly scratch: (bytes: number) => number
  ) {}

  /**
   * The buffer was written: what is known of it is out of date. The kernel trusts a range, so whatever writes to
   * buffers says so here.
   */
  written(buffer: BufferStore): void {
    this.known.delete(buffer);
  }

  /** What `count` indices of `bytes` at `offset` (all of them readable) are; null where that is not known. */
  of(buffer: BufferStore, offset: number, count: number, bytes: 2 | 4): IndexUse | null {
    const whole = count - (count % 3);
    if (whole === 0 || whole > MOST_INDICES) return null;
    let entries = this.known.get(buffer);
    if (!entries || entries.size >= MOST_ENTRIES) this.known.set(buffer, entries = new Map());
    const key = keyOf(offset, whole, bytes);
    let use = entries.get(key);
    if (use === undefined) {
      use = this.find(buffer.address + offset, whole, bytes);
      // Not found for want of memory: perhaps another time.
      if (use === undefined) return null;
      entries.set(key, use);
    }
    return use;
  }

  /** Undefined where memory is short. */
  private find(address: number, count: number, bytes: 2 | 4): IndexUse | null | undefined {
    const out = this.scratch(8);
    if (out === 0) return undefined;
    this.exports.indexBounds(address, count, bytes, out);
    const bounds = new Uint32Array(this.memory.buffer, out, 2);
    const first = bounds[0]!;
    const range = bounds[1]! - first + 1;
    // More numbers than that cannot all be used.
    if (range > count * WASTE || range > MOST_VERTICES) return null;
    const bitmap = this.scratch(Math.floor((range + 63) / 64) * 8);
    if (bitmap === 0) return undefined;
    const distinct = this.exports.countDistinct(address, count, bytes, first, range, bitmap) >>> 0;
    return { distinct, first, count: range <= distinct * WASTE ? range : 0 };
  }
}

/** Offsets are even and less than 2³², triangles fewer than 2²¹: 53 bits. */
const keyOf = (offset: number, whole: number, bytes: 2 | 4): number => (
  (offset / 2 * 2 ** 21 + whole / 3) * 2 + (bytes === 2 ? 0 : 1)
);
