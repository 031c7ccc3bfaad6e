// What the load/store units of all workers have counted, for the statistics.
import {
  COUNTERS, COUNT_ANALYSED, COUNT_ANALYSED_JOINED, COUNT_DISCARDED, COUNT_FLUSHES_CONFLICT, COUNT_FLUSHES_END,
  COUNT_FLUSHES_FULL, COUNT_FLUSHES_ROOM, COUNT_FORMS, COUNT_FORM_BYTES, COUNT_HITS, COUNT_LOADS, COUNT_MERGED_EXACT,
  COUNT_MERGED_NEAR, COUNT_MISSES, COUNT_OVERTAKEN, COUNT_PLAIN_BYTES, COUNT_STORES, COUNT_WRITE_BACKS, FORM_ONE_STATE,
  FORM_PER_PIXEL, FORM_REPLICATED, FORM_SUBSETS, FORM_SUB_FLUSHES,
} from '../../assembly/layout/load-store-codes';
import { LoadStoreUnit } from '../../build/layout';

/** Of a flush's forms, or of bytes by them. */
export interface ByForm {
  readonly oneState: number;
  readonly replicated: number;
  readonly subsets: number;
  readonly subFlushes: number;
  readonly perPixel: number;
}

/** Counted since the device was created, for accesses of multi-sample storage textures by shaders. */
export interface LoadStoreStatistics {
  /** Accesses that were made. */
  readonly loads: number;
  readonly stores: number;
  /**
   * Flushes of gathered 8×8 blocks, by cause: the block was covered, another needed its room, a sample came with
   * another value, the tile ended.
   */
  readonly flushes: { readonly full: number; readonly room: number; readonly conflict: number; readonly end: number };
  /**
   * The same flushes by form: all pixels in one state, values replicated for their samples, values with masks, a flush
   * a state, a state a pixel.
   */
  readonly forms: ByForm;
  /** Bytes that flushes moved: values, masks, states and tile masks. */
  readonly bytes: ByForm;
  /** What they would have moved as a value for each sample. */
  readonly bytesUncompressed: number;
  /**
   * Stores that joined an equal value of their pixel; that took a near one (`colorMergeThreshold`); that were there
   * already and were dropped.
   */
  readonly mergedExact: number;
  readonly mergedNear: number;
  readonly discarded: number;
  /** Pixels that came sample by sample and were compared when flushed; those in which samples were equal. */
  readonly analysed: number;
  readonly analysedJoined: number;
  /**
   * Tiles in the write-back cache: accesses, tiles loaded, tiles stored, and of these those that another worker had
   * changed meanwhile.
   */
  readonly cache: {
    readonly hits: number;
    readonly misses: number;
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
    const forms = (first: number): ByForm => ({
      oneState: of(first + FORM_ONE_STATE), replicated: of(first + FORM_REPLICATED), subsets: of(first + FORM_SUBSETS),
      subFlushes: of(first + FORM_SUB_FLUSHES), perPixel: of(first + FORM_PER_PIXEL),
    });
    return {
      loads: of(COUNT_LOADS), stores: of(COUNT_STORES),
      flushes: {
        full: of(COUNT_FLUSHES_FULL), room: of(COUNT_FLUSHES_ROOM), conflict: of(COUNT_FLUSHES_CONFLICT),
        end: of(COUNT_FLUSHES_END),
      },
      forms: forms(COUNT_FORMS), bytes: forms(COUNT_FORM_BYTES), bytesUncompressed: of(COUNT_PLAIN_BYTES),
      mergedExact:
        of(COUNT_MERGED_EXACT), mergedNear:
          of(COUNT_MERGED_NEAR), discarded:
            of(COUNT_DISCARDED), analysed: of(COUNT_ANALYSED), analysedJoined: of(COUNT_ANALYSED_JOINED),
      cache: {
        hits: of(COUNT_HITS), misses: of(COUNT_MISSES), writeBacks: of(COUNT_WRITE_BACKS),
        overtaken: of(COUNT_OVERTAKEN),
      },
    };
  }
}
