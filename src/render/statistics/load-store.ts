// Sums the counters of all workers' load/store units for the statistics.
import {
  COUNTERS,
  COUNT_BYTES_READ,
  COUNT_BYTES_WRITTEN,
  COUNT_FETCHES,
  COUNT_LOADS,
  COUNT_MERGED_NEAR,
  COUNT_MISSES,
  COUNT_OVERTAKEN,
  COUNT_STORES,
  COUNT_WRITE_BACKS,
} from '../../../assembly/layout/surface/load-store-codes';
import { LoadStoreUnit } from '../../../build/layout';

/** Accesses of shaders to multisampled storage textures since the device was created. */
export interface LoadStoreStatistics {
  /** Number of accesses. */
  readonly loads: number;
  readonly stores: number;
  /** Stores that were merged with a similar value of their pixel (`colorMergeThreshold`). */
  readonly mergedSimilar: number;
  /** Bytes of texture memory read and written by these accesses. They are included in `bytesMoved` of `surfaces`. */
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /**
   * The write-back cache: accesses that found their tile in it, and that did not; 8×8 blocks fetched; tiles stored;
   * stored tiles that another worker had changed since a block was fetched.
   */
  readonly cache: {
    readonly hits: number;
    readonly misses: number;
    readonly fetches: number;
    readonly writeBacks: number;
    readonly overtaken: number;
  };
}

export class LoadStoreCounters {
  private readonly totals = new Array<number>(COUNTERS).fill(0);

  /** Adds the counters of the units (addresses of LSU records) and resets them. */
  take(memory: WebAssembly.Memory, records: readonly number[]): void {
    for (const record of records) {
      const counters = new BigUint64Array(memory.buffer, record + LoadStoreUnit.counters, COUNTERS);
      for (let i = 0; i < COUNTERS; i++) this.totals[i]! += Number(counters[i]!);
      counters.fill(0n);
    }
  }

  read(): LoadStoreStatistics {
    const of = (counter: number): number => this.totals[counter]!;
    const loads = of(COUNT_LOADS);
    const stores = of(COUNT_STORES);
    const misses = of(COUNT_MISSES);
    return {
      loads,
      stores,
      mergedSimilar: of(COUNT_MERGED_NEAR),
      bytesRead: of(COUNT_BYTES_READ),
      bytesWritten: of(COUNT_BYTES_WRITTEN),
      cache: {
        hits: loads + stores - misses,
        misses,
        fetches: of(COUNT_FETCHES),
        writeBacks: of(COUNT_WRITE_BACKS),
        overtaken: of(COUNT_OVERTAKEN),
      },
    };
  }
}
