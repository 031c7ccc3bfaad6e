// Analyses the contents of index buffers, once per version of a buffer. The result tells which draw calls may shade
// their vertices as one range of indices, instead of finding the distinct ones batch by batch. These are indexed
// triangle lists whose indices skip few numbers between the smallest and the largest. Vertices in a range that no index
// refers to are shaded too, but their results are never used.
import type { KernelExports } from '../../kernels';
import type { BufferStore } from '../types';

/** Maximum ratio of the range's length to the number of distinct indices. */
const WASTE = 1.3;
/** Maximum length of a range. The vertices of one take less than 64 MiB if they have few varyings. */
const MAX_VERTICES = 1 << 20;
/**
 * Maximum number of indices to analyse. More would block the event loop for too long: four million take about 8 ms,
 * once.
 */
const MOST_INDICES = 1 << 22;
/** Maximum number of results kept per buffer. */
const MAX_ENTRIES = 4096;

/**
 * The number of distinct indices, the smallest index, and the number of vertices from it to the largest. The last one
 * is 0 if they should not be shaded as a range.
 */
export interface IndexUse {
  readonly distinct: number;
  readonly first: number;
  readonly count: number;
}

export class IndexRanges {
  /** Results by `keyOf`. */
  private readonly known = new WeakMap<BufferStore, Map<number, IndexUse | null>>();

  /**
   * `scratch` returns the address of that many bytes of device memory, valid until its next call; 0 if memory is short.
   */
  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly exports: KernelExports,
    private readonly scratch: (bytes: number) => number
  ) {}

  /**
   * Must be called when a buffer is written, because the results are then stale. The kernel relies on ranges without
   * checking them.
   */
  written(buffer: BufferStore): void {
    this.known.delete(buffer);
  }

  /**
   * Analyses `count` indices of `bytes` each at `offset`, all of which must be readable. Returns null if nothing is
   * known.
   */
  of(buffer: BufferStore, offset: number, count: number, bytes: 2 | 4): IndexUse | null {
    const whole = count - (count % 3);
    if (whole === 0 || whole > MOST_INDICES) return null;
    let entries = this.known.get(buffer);
    if (!entries || entries.size >= MAX_ENTRIES) this.known.set(buffer, (entries = new Map()));
    const key = keyOf(offset, whole, bytes);
    let use = entries.get(key);
    if (use === undefined) {
      use = this.find(buffer.address + offset, whole, bytes);
      // Memory was short. A later call may succeed.
      if (use === undefined) return null;
      entries.set(key, use);
    }
    return use;
  }

  /** Returns undefined if memory is short. */
  private find(address: number, count: number, bytes: 2 | 4): IndexUse | null | undefined {
    const out = this.scratch(8);
    if (out === 0) return undefined;
    this.exports.indexBounds(address, count, bytes, out);
    const bounds = new Uint32Array(this.memory.buffer, out, 2);
    const first = bounds[0]!;
    const range = bounds[1]! - first + 1;
    // At most `count` of these numbers can be in use.
    if (range > count * WASTE || range > MAX_VERTICES) return null;
    const bitmap = this.scratch(Math.floor((range + 63) / 64) * 8);
    if (bitmap === 0) return undefined;
    const distinct = this.exports.countDistinct(address, count, bytes, first, range, bitmap) >>> 0;
    return { distinct, first, count: range <= distinct * WASTE ? range : 0 };
  }
}

/** Offsets are even and less than 2³², and there are fewer than 2²¹ triangles, so keys fit in 53 bits. */
const keyOf = (offset: number, whole: number, bytes: 2 | 4): number =>
  ((offset / 2) * 2 ** 21 + whole / 3) * 2 + (bytes === 2 ? 0 : 1);
