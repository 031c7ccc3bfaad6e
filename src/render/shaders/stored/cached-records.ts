// The shader cache in a page's Cache API (https://w3c.github.io/ServiceWorker/#cache-interface), which answers later,
// while WebGPU creates pipelines at once. So all records are read when the first device is created. Reading an entry
// takes about as long as compiling a small shader, so an entry is a pack of many records.
//
//   https://rasterloom.invalid/<build>/<time of use>-<bytes>-<random number> → Map<name, { bytes, used }>
//
// The size and the time of use in the address allow pages to drop packs that they do not read.
import { BUILD_ID } from '../../../base/build-id';
import { clockMs, startTimer, stopTimer } from '../../../base/clock';
import { decodeGraph, encodeGraph } from '../../../base/graph-codec';
import { openedRecord, sealedRecord } from '../../../base/sealed-record';
import { sha256 } from '../../../base/sha256';
import type { RecordStore } from './shader-cache';

/** The members of `Cache` that are used. */
export interface RecordCache {
  keys(): Promise<readonly { readonly url: string }[]>;
  match(url: string): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | undefined>;
  put(url: string, response: object): Promise<unknown>;
  delete(url: string): Promise<boolean>;
}
/** The member of `CacheStorage` that is used. */
export interface RecordCaches {
  open(name: string): Promise<RecordCache>;
}

const CACHE_NAME = 'rasterloom-shaders';
const ORIGIN = 'https://rasterloom.invalid/';
const PACK = /^https:\/\/rasterloom\.invalid\/([\w-]+)\/(\d+)-(\d+)-\d+$/;
/** Milliseconds that a device waits for records. A page without them is slower, but it is not stuck. */
const OPEN_MS = 1000;
/** Milliseconds from the first new record until records are made, and between further ones. */
const IDLE_MS = 1000;
const SLICE_GAP_MS = 20;
/** Milliseconds from a change until it is written, which collects the records of several slices in one pack. */
const SAVE_MS = 250;
/** Packs from which on they are merged. */
const MAX_PACKS = 8;
/** The part of the limit to which records are dropped. */
const TRIMMED_PART = 7 / 8;
const HOUR = 3_600_000;

interface CachedRecord {
  /** With a hash (sealed-record.ts). */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The time of use, in milliseconds since 1970. */
  used: number;
}
interface Pack {
  readonly url: string;
  readonly build: string;
  readonly used: number;
  readonly bytes: number;
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/** Lists the packs of all builds. */
async function packsIn(cache: RecordCache): Promise<Pack[]> {
  return (await cache.keys()).flatMap(({ url }) => {
    const [, build, used, bytes] = PACK.exec(url) ?? [];
    return build === undefined ? [] : [{ url, build, used: Number(used), bytes: Number(bytes) }];
  });
}

/** The records of a pack; none if it cannot be read. */
async function recordsOf(cache: RecordCache, { url }: Pack): Promise<Map<string, CachedRecord>> {
  try {
    const response = await cache.match(url);
    const records = decodeGraph(new Uint8Array(await response!.arrayBuffer())) as Map<string, CachedRecord>;
    return new Map([...records].filter(([, { bytes, used }]) => bytes instanceof Uint8Array && Number.isFinite(used)));
  } catch {
    return new Map();
  }
}

function digest(parts: readonly (string | Uint8Array)[]): string {
  const encoded = parts.map((part) => (typeof part === 'string' ? new TextEncoder().encode(part) : part));
  if (encoded.length === 1) return sha256(encoded[0]!);
  const all = new Uint8Array(sum(encoded.map(({ length }) => length)));
  let at = 0;
  for (const part of encoded) {
    all.set(part, at);
    at += part.length;
  }
  return sha256(all);
}

class CachedRecords implements RecordStore {
  /** The packs that this store has read or written, oldest first, and the records in them. */
  private packs: Pack[] = [];
  private readonly records = new Map<string, CachedRecord>();
  /** Names of the records that are in no pack. */
  private readonly unsaved = new Set<string>();
  /** Whether the times of use in the packs are too old. */
  private isOutdated = false;
  private saving: Promise<void> | null = null;
  private saveTimer: ReturnType<typeof setTimeout> | null = null;
  /** When records were made last, in milliseconds of the clock. */
  private acted = -Infinity;

  constructor(
    private readonly cache: RecordCache,
    private readonly maxBytes: number
  ) {}

  async load(): Promise<this> {
    const own = (await packsIn(this.cache)).filter(({ build }) => build === BUILD_ID);
    own.sort((a, b) => a.used - b.used);
    let total = sum(own.map(({ bytes }) => bytes));
    for (; total > this.maxBytes; total -= own.shift()!.bytes);
    this.packs = own;
    const all = await Promise.all(this.packs.map((pack) => recordsOf(this.cache, pack)));
    // A record in a later pack replaces one that was damaged.
    for (const records of all) for (const [name, record] of records) this.records.set(name, record);
    return this;
  }

  read(name: string): Uint8Array<ArrayBuffer> | null {
    const record = this.records.get(name);
    if (!record) return null;
    const now = Date.now();
    if (now - record.used > HOUR) {
      this.isOutdated = true;
      this.saveSoon();
    }
    record.used = now;
    return openedRecord(name, record.bytes, digest);
  }

  write(records: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): void {
    for (const [name, bytes] of records) {
      // It would drop most other records.
      if (bytes.length > this.maxBytes / 2) continue;
      this.records.set(name, { bytes: sealedRecord(name, bytes, digest), used: Date.now() });
      this.unsaved.add(name);
    }
    this.saveSoon();
  }

  private saveSoon(): void {
    this.saveTimer ??= startTimer(() => this.save(), SAVE_MS);
    unref(this.saveTimer);
  }

  /** Writes what has changed. Failures are ignored: the next page compiles what it does not find. */
  private save(): void {
    if (this.saveTimer !== null) stopTimer(this.saveTimer);
    this.saveTimer = null;
    if (this.saving) {
      this.saveSoon();
      return;
    }
    this.saving = this.put()
      .catch(() => undefined)
      .finally(() => (this.saving = null));
  }

  private async put(): Promise<void> {
    const listed = await packsIn(this.cache);
    const fresh = sum([...this.unsaved].map((name) => this.records.get(name)!.bytes.length));
    const isFull = sum(listed.map(({ bytes }) => bytes)) + fresh > this.maxBytes;
    const merges = isFull || this.isOutdated || this.packs.length >= MAX_PACKS;
    const others = listed.filter(({ url }) => !this.packs.some((pack) => pack.url === url));
    const dropped = isFull ? this.trim(others) : [];
    const names = merges ? [...this.records.keys()] : [...this.unsaved];
    this.unsaved.clear();
    this.isOutdated = false;
    const replaced = merges ? this.packs.splice(0) : [];
    if (names.length > 0) this.packs.push(await this.putPack(names));
    // Another page may have deleted them, or may read them now: then it has records twice, or reads fewer.
    await Promise.all([...replaced, ...dropped].map(({ url }) => this.cache.delete(url)));
  }

  /** Drops records, and returns packs of other builds or pages to drop, those first that were not used for longest. */
  private trim(others: readonly Pack[]): Pack[] {
    const dropped: Pack[] = [];
    const parts = [
      ...others.map((pack) => ({ ...pack, drop: (): unknown => dropped.push(pack) })),
      ...[...this.records].map(([name, { bytes, used }]) => ({
        used,
        bytes: bytes.length,
        drop: () => this.records.delete(name),
      })),
    ];
    let total = sum(parts.map(({ bytes }) => bytes));
    for (const { bytes, drop } of parts.sort((a, b) => a.used - b.used)) {
      if (total <= this.maxBytes * TRIMMED_PART) break;
      drop();
      total -= bytes;
    }
    return dropped;
  }

  private async putPack(names: readonly string[]): Promise<Pack> {
    const records = new Map(names.map((name) => [name, this.records.get(name)!]));
    const used = Math.max(...[...records.values()].map((record) => record.used));
    const body = encodeGraph(records);
    const [random] = crypto.getRandomValues(new Uint32Array(1));
    const pack = {
      url: `${ORIGIN}${BUILD_ID}/${used}-${body.length}-${random}`,
      build: BUILD_ID,
      used,
      bytes: body.length,
    };
    await this.cache.put(pack.url, new Response(body));
    return pack;
  }

  readonly digest = digest;

  /** A page that is hidden may end without another event. */
  whenIdle(act: (isEnd: boolean) => void): void {
    const page = (globalThis as { document?: Document }).document;
    const run = (isEnd: boolean): void => {
      stopTimer(timer);
      page?.removeEventListener('visibilitychange', onHidden);
      this.acted = clockMs();
      act(isEnd);
      if (isEnd) this.save();
    };
    const onHidden = (): void => {
      if (page!.visibilityState === 'hidden') run(true);
    };
    const timer = startTimer(() => run(false), clockMs() - this.acted < IDLE_MS ? SLICE_GAP_MS : IDLE_MS);
    unref(timer);
    page?.addEventListener('visibilitychange', onHidden);
  }
}

/** In Node, a timer does not keep the process alive. */
function unref(timer: unknown): void {
  if (typeof timer === 'object') (timer as { unref(): void }).unref();
}

/**
 * Opens the shader cache in the Cache API. Resolves to null if it is unavailable, as in a private window, or does not
 * answer in a second.
 */
export async function openCachedRecords(
  place: RecordCaches | RecordCache,
  maxBytes: number
): Promise<RecordStore | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<null>((done) => (timer = startTimer(() => done(null), OPEN_MS)));
  const opening = async (): Promise<RecordStore> => {
    const cache = 'open' in place ? await place.open(CACHE_NAME) : place;
    return new CachedRecords(cache, maxBytes).load();
  };
  try {
    return await Promise.race([opening(), tooLate]);
  } catch {
    return null;
  } finally {
    stopTimer(timer);
  }
}
