// What the load/store units of all workers have counted, for the statistics.
import {
  COUNTERS, COUNT_BYTES_READ, COUNT_BYTES_WRITTEN, COUNT_FETCHES, COUNT_LOADS, COUNT_MERGED_NEAR, COUNT_MISSES,
  COUNT_OVERTAKEN, COUNT_STORES, COUNT_WRITE_BACKS,
} from '../../assembly/layout/load-store-codes';
import { LoadStoreUnit } from '../../build/layout';

/** Counted since the device was created, for accesses of multi-sample storage textures by shaders. */
export interface LoadStoreStatistics {
  /** Accesses that were made. */
  readonly loads: number;
  readonly stores: number;
  /** Stores that took a near value of their pixel (`colorMergeThreshold`). */
  readonly mergedNear: number;
  /** Bytes of the textures' memory that were read and written for these; they are in `surfaces`' bytesMoved, too. */
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /**
   * The write-back cache: accesses that found their tile there and that did not; 8×8 blocks fetched; tiles stored, and
   * of these those that another worker had changed since a block was fetched.
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

  /** Takes what the units (addresses of LSU records) have counted, and empties them. */
  take(memory: WebAssembly.Memory, records: readonly number[]): void {
    for (const record of records) {
      const counters = new BigUint64Array(memory.buffer, record + LoadStoreUnit.counters, COUNTERS);
      for (let i = 0; i < COUNTERS; i++) this.totals[i]! += Number(counters[i]!);
      counters.fill(0n);
    }
  }

  read(): LoadStoreStatistics {
    const of = (counter: number): number => this.totals[counter]!;
    const loads = of(COUNT_LOADS), stores = of(COUNT_STORES), misses = of(COUNT_MISSES);
    return {
      loads, stores, mergedNear: of(COUNT_MERGED_NEAR), bytesRead: of(COUNT_BYTES_READ),
      bytesWritten: of(COUNT_BYTES_WRITTEN),
      cache: {
        hits: loads + stores - misses, misses, fetches: of(COUNT_FETCHES), writeBacks: of(COUNT_WRITE_BACKS),
        overtaken: of(COUNT_OVERTAKEN),
      },
    };
  }
}
