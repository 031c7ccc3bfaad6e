// The shader cache: results of the compiler, kept for later devices and processes by their inputs. A record that is
// missing, damaged, or made by another build is compiled again and replaced, so nothing depends on the cache but time.
import { clockMs } from '../../../base/clock';
import { BUILD_ID } from '../../../base/build-id';
import { decodeGraph, encodeGraph, type Atoms } from '../../../base/graph-codec';

/** Where records are kept, by name. Several processes may read and write the same records. */
export interface RecordStore {
  /** Returns a record as it was written; null if there is none, or if it is damaged. Does not throw. */
  read(name: string): Uint8Array<ArrayBuffer> | null;
  /** Adds or replaces records, and may drop others. Does not throw; what cannot be written is lost. */
  write(records: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): void;
  /** A digest of at least 128 bits, in characters that names may have. */
  digest(parts: readonly (string | Uint8Array)[]): string;
  /** Calls `act` once, after a while or, with `isEnd`, when the process ends. */
  whenIdle(act: (isEnd: boolean) => void): void;
}

interface CacheCounts {
  /** Records that were found, not found, and not as expected; records that were made. */
  readonly found: number;
  readonly missing: number;
  readonly damaged: number;
  readonly written: number;
}

/** A record that will be written. */
interface NewRecord {
  readonly key: string;
  make(): object;
  readonly atoms?: Atoms;
}

/** Milliseconds that records take at a time while the process continues. */
const SLICE_MS = 4;

export class ShaderCache {
  readonly counts: { -readonly [Count in keyof CacheCounts]: number } = {
    found: 0,
    missing: 0,
    damaged: 0,
    written: 0,
  };
  /** Records that wait to be written. */
  private readonly pending: (() => NewRecord)[] = [];
  /** Keys of records that are done, until no others wait. */
  private readonly done = new Set<string>();

  private static readonly known = new WeakMap<RecordStore, ShaderCache>();
  /** The cache of all devices that use a store. */
  static of(store: RecordStore): ShaderCache {
    let cache = ShaderCache.known.get(store);
    if (!cache) ShaderCache.known.set(store, (cache = new ShaderCache(store)));
    return cache;
  }

  constructor(private readonly store: RecordStore) {}

  digest(bytes: Uint8Array): string {
    return this.store.digest([bytes]);
  }

  /** The key for a kind of record and everything that its value depends on. */
  key(kind: string, ...inputs: readonly string[]): string {
    return this.store.digest([JSON.stringify([BUILD_ID, kind, ...inputs])]);
  }

  /**
   * Returns what `restore` makes of a record; null if there is no record or it cannot be used. `restore` may throw for
   * values that are not as expected.
   */
  read<T>(key: string, restore: (value: object) => T | null, atoms?: Atoms): T | null {
    const bytes = this.store.read(key);
    if (bytes === null) {
      this.counts.missing++;
      return null;
    }
    try {
      const restored = restore(decodeGraph(bytes, atoms));
      this.counts[restored === null ? 'missing' : 'found']++;
      return restored;
    } catch {
      this.counts.damaged++;
      return null;
    }
  }

  /** Writes a record when this thread is idle. `make` and `atoms` are used then. */
  write(key: string, make: () => object, atoms?: Atoms): void {
    this.writeLater(() => ({ key, make, ...(atoms && { atoms }) }));
  }

  /** As `write`, for records whose keys take long to compute. */
  writeLater(describe: () => NewRecord): void {
    this.pending.push(describe);
    if (this.pending.length === 1) this.store.whenIdle((isEnd) => this.flush(isEnd));
  }

  /** Writes the records that wait, if the process does not end now for a short time. */
  private flush(isEnd: boolean): void {
    const records = new Map<string, Uint8Array<ArrayBuffer>>();
    const began = clockMs();
    while (this.pending.length > 0 && (isEnd || clockMs() - began < SLICE_MS)) {
      // The last record for a key has most, for example the code of a stage that was compiled meanwhile.
      const record = attempt(this.pending.pop()!);
      if (!record || this.done.has(record.key)) continue;
      this.done.add(record.key);
      const bytes = attempt(() => encodeGraph(record.make(), record.atoms));
      if (bytes) records.set(record.key, bytes);
    }
    this.counts.written += records.size;
    if (records.size > 0) this.store.write(records);
    if (this.pending.length > 0) this.store.whenIdle((end) => this.flush(end));
    else this.done.clear();
  }
}

/** Returns null if `act` throws. What cannot be stored is compiled again each time. */
function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}
