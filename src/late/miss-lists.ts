// The MISSES of work that several workers do together, and that waits as a whole: the geometry of a chunk, or a job of
// workgroups. Each worker has its own list.
import { Misses } from '../../build/layout';
import { alignUp, CACHE_LINE } from '../base/bits';

/** Maximum number of missed pages that a worker notes. The replay finds the others. */
const MAX_PAGES = 4096;

export class MissLists {
  static readonly BYTES = alignUp(Misses.bytes + MAX_PAGES * 4, CACHE_LINE);
  /** Addresses of the workers' MISSES. */
  readonly records: readonly number[];

  /** `address`: of BYTES bytes for each worker. */
  constructor(
    private readonly memory: WebAssembly.Memory,
    address: number,
    workers: number
  ) {
    this.records = Array.from({ length: workers }, (_, index) => address + index * MissLists.BYTES);
  }

  /** Called when the work begins. */
  clear(): void {
    const words = new Uint32Array(this.memory.buffer);
    for (const record of this.records) {
      words[(record + Misses.waits) >>> 2] = words[(record + Misses.count) >>> 2] = 0;
      words[(record + Misses.limit) >>> 2] = MAX_PAGES;
    }
  }

  /** Whether the work cannot be finished without the pages. */
  get waits(): boolean {
    const words = new Uint32Array(this.memory.buffer);
    return this.records.some((record) => words[(record + Misses.waits) >>> 2] !== 0);
  }

  /** Returns the pages that were missed, and forgets them. */
  take(): number[] {
    const words = new Uint32Array(this.memory.buffer);
    const entries = new Set<number>();
    for (const record of this.records) {
      const first = (record + Misses.entries) >>> 2;
      const count = (record + Misses.count) >>> 2;
      for (const entry of words.subarray(first, first + words[count]!)) entries.add(entry);
      words[count] = 0;
    }
    return [...entries];
  }
}
