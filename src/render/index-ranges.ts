// What index buffers hold, looked at once for each version of them: which draws may shade their vertices as one range of indices, instead of
// sorting out the distinct ones batch by batch. These are indexed triangle lists whose indices leave out few numbers between the least and
// the greatest. A range may shade vertices that no index names, whose results nobody sees.
import { GEOMETRY_RANGE, GEOMETRY_RANGE_BYTES, RANGE_VERTICES } from '../../assembly/layout/geometry';
import { CORNER_BYTES, EXTRA_VERTICES, OUTCODE_BYTES, PACKET_VARYINGS, POSITION_BYTES } from '../../assembly/layout/packet';
import type { KernelExports } from '../kernels';
import { OutOfMemoryError } from '../memory';
import type { BufferStore } from './types';

/** Numbers in the range for each index that is used, at the most. */
const WASTE = 1.3;
/** Vertices of one range take no more device memory than this. */
const MOST_BYTES = 64 << 20;
/** Looking at more indices than these would hold the event loop for too long: four million take about 8 ms, once. */
const MOST_INDICES = 1 << 22;
/** Ranges remembered of one buffer. */
const MOST_ENTRIES = 4096;

/** How many different indices there are; the least of them, and the number from it to the greatest, 0 if that is not to be shaded as a range. */
export interface IndexUse { readonly distinct: number; readonly first: number; readonly count: number }

/** Bytes that `vertices` shaded vertices take, with `varyings` scalars each. */
function vertexBytes(vertices: number, varyings: number): number {
  const stride = PACKET_VARYINGS + Math.ceil(varyings / 4) * 16;
  return (Math.max(vertices, RANGE_VERTICES) + EXTRA_VERTICES + 3) * (stride + POSITION_BYTES + OUTCODE_BYTES + CORNER_BYTES);
}

export class IndexRanges {
  /** A draw's geometry is under way: its vertices may lie in the memory that was reserved. */
  busy = false;
  private readonly known = new WeakMap<BufferStore, Map<string, IndexUse | null>>();

  /**
   * @param reserve gives device memory of `bytes` in place of what it gave before, whose contents need not be kept; 0 gives it back; throws
   *   OutOfMemoryError.
   * @param geometry address of the GEOMETRY record.
   */
  constructor(
    private readonly memory: WebAssembly.Memory, private readonly exports: KernelExports, private readonly reserve: (bytes: number) => number, private readonly geometry: number,
  ) {}

  /** The buffer was written: what is known of it is out of date. The kernel trusts a range, so whatever writes to buffers says so here. */
  written(buffer: BufferStore): void {
    this.known.delete(buffer);
  }

  /**
   * What `count` indices of `bytes` at `offset` (all of them readable) are; null where that is not known. Makes sure that the vertices of
   * a range have their memory.
   */
  of(buffer: BufferStore, offset: number, count: number, bytes: 2 | 4, varyings: number): IndexUse | null {
    const whole = count - (count % 3);
    if (whole === 0 || whole > MOST_INDICES) return null;
    let entries = this.known.get(buffer);
    if (!entries || entries.size >= MOST_ENTRIES) this.known.set(buffer, entries = new Map());
    const key = `${offset} ${whole} ${bytes}`;
    let use = entries.get(key);
    if (use === undefined) {
      use = this.find(buffer.address + offset, whole, bytes);
      // Not found for want of memory: perhaps another time.
      if (use === undefined) return null;
      entries.set(key, use);
    }
    return use && !this.provide(vertexBytes(use.count, varyings)) ? { ...use, count: 0 } : use;
  }

  /** Gives the vertices' memory back, if no draw needs it now; whether there was any. It comes again with the next range. */
  release(): boolean {
    if (this.busy || this.address() === 0) return false;
    this.reserve(0);
    this.note(0, 0);
    return true;
  }

  /** Undefined where memory is short. */
  private find(address: number, count: number, bytes: 2 | 4): IndexUse | null | undefined {
    if (!this.provide(vertexBytes(0, 0))) return undefined;
    let scratch = this.address();
    this.exports.indexBounds(address, count, bytes, scratch);
    const bounds = new Uint32Array(this.memory.buffer, scratch, 2);
    const first = bounds[0]!;
    const range = bounds[1]! - first + 1;
    // More numbers than that cannot all be used.
    if (range > count * WASTE || vertexBytes(range, 0) > MOST_BYTES) return null;
    if (!this.provide(vertexBytes(range, 0))) return undefined;
    scratch = this.address();
    const distinct = this.exports.countDistinct(address, count, bytes, first, range, scratch) >>> 0;
    return { distinct, first, count: range <= distinct * WASTE ? range : 0 };
  }

  private address(): number {
    return new Uint32Array(this.memory.buffer)[(this.geometry + GEOMETRY_RANGE) >>> 2]!;
  }

  private note(address: number, bytes: number): void {
    const u32 = new Uint32Array(this.memory.buffer);
    u32[(this.geometry + GEOMETRY_RANGE) >>> 2] = address;
    u32[(this.geometry + GEOMETRY_RANGE_BYTES) >>> 2] = bytes;
  }

  /** Whether the GEOMETRY record has `bytes` for vertices, now. */
  private provide(bytes: number): boolean {
    if (bytes > MOST_BYTES) return false;
    if (new Uint32Array(this.memory.buffer)[(this.geometry + GEOMETRY_RANGE_BYTES) >>> 2]! >= bytes) return true;
    // Until there is more, there is none.
    this.note(0, 0);
    try {
      this.note(this.reserve(bytes), bytes);
    } catch (error) {
      // The draw goes on in batches, which need no memory of their own.
      if (!(error instanceof OutOfMemoryError)) throw error;
      return false;
    }
    return true;
  }
}
