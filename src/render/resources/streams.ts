// A streamed texture: the memory of its pages, the loads that fill it, and notifications about them.
import { clockMs } from '../../base/clock';
import { thrown } from '../../base/printable';
import type { WaitCounts } from '../../late';
import type { Allocator } from '../../memory';
import { PageLoads, type PageCounts, type Trace } from '../../schedule';
import { EntryNumbers, layersOf, PageTable, type DecodeRow } from '../../surface';
import type { LevelRegion, PrefetchedPages, StreamShape, StreamStatistics, TextureShape } from '../types';

/** Pages for which the application waits. `arrived` is called when all of them are resident, or will not be. */
interface Wish {
  readonly entries: Set<number>;
  readonly arrived: () => void;
}

interface StreamParts {
  readonly allocator: Allocator;
  readonly memory: WebAssembly.Memory;
  /** Decodes blocks of compressed formats; null for other formats. */
  readonly decodeRow: DecodeRow | null;
  /** Shared by all textures of the device. */
  readonly numbers: EntryNumbers;
  /** Where page loads are recorded; null for nowhere. */
  readonly trace: Trace | null;
  /** Reports an error to the device's listeners. */
  fail(message: string): void;
}

type Sizes = Pick<TextureShape, 'dimension' | 'width' | 'height' | 'mipLevelCount' | 'depthOrArrayLayers'>;

/** Whether no side of a mip level is larger than a page. Such levels are always resident. */
function isInMipTail(shape: Sizes, level: number, pageSize: number): boolean {
  const { dimension, width, height } = shape;
  const depth = dimension === '3d' ? layersOf(shape, level) : 1;
  return Math.max(width >> level, height >> level, depth) <= pageSize;
}

export class Stream {
  readonly table: PageTable;
  readonly loads: PageLoads;
  readonly shape: TextureShape;
  /** Whether destroy() was called. No more pages arrive then. */
  isStopped = false;
  /** Called when pages have arrived, or never will. */
  listener: (() => void) | null = null;
  private readonly settings: StreamShape;
  private wishes: Wish[] = [];

  /** Throws OutOfMemoryError. */
  constructor(
    private readonly parts: StreamParts,
    shape: TextureShape,
    settings: StreamShape,
    private readonly released: () => void
  ) {
    const { pageSize, waits, maxConcurrentLoads, budgetBytes, timeoutMs, priority, retry } = settings;
    this.shape = shape;
    this.settings = settings;
    const table = (this.table = new PageTable(parts, { ...shape, pageSize, waits }, shape.label));
    this.loads = new PageLoads({
      memory: {
        bytesOf: (entry) => table.bytesOf(table.placeOf(entry)),
        install: (entry, texels) => this.install(entry, texels),
        evict: (entry) => table.evict(entry),
        usedAt: (entry) => table.usedAt(entry),
        get now() {
          return table.now;
        },
        nameOf: (entry) => this.nameOf(entry),
        isPermanent: (entry) => this.isInMipTail(entry),
      },
      load: (entry, signal) => this.traced(parts.trace, entry, settings.load(table.placeOf(entry), signal)),
      maxConcurrentLoads,
      budgetBytes,
      timeoutMs,
      priority: priority && ((entry) => priority(table.placeOf(entry))),
      retry,
      fallback: settings.fallback && ((entry) => this.fallback(entry)),
      changed: () => this.changed(),
    });
    for (const entry of this.tail()) this.loads.request(entry);
  }

  get waits(): boolean {
    return this.settings.waits;
  }
  /** Whether all of its pages are resident. */
  get isFullyResident(): boolean {
    return this.loads.residentCount === this.table.count;
  }
  get counts(): PageCounts {
    return this.loads.counts;
  }
  /** Bytes that its pages may still take. */
  get promisedBytes(): number {
    return Math.max(0, Math.min(this.settings.budgetBytes, this.table.maxBytes) - this.loads.heldBytes);
  }

  /**
   * Whether the page belongs to the smallest levels, which have one page, or one per slice. They are always resident
   * and replace all others when needed.
   */
  isInMipTail(entry: number): boolean {
    return isInMipTail(this.shape, this.table.placeOf(entry).level, this.settings.pageSize);
  }

  /** Called when a pass that reads the texture begins. `pass` grows with each pass. */
  begin(pass: number): void {
    this.table.now = pass;
    // A failed pass may have left it set.
    this.loads.read = false;
    this.loads.beginPass();
    for (const entry of this.tail()) this.loads.request(entry);
  }

  /** Called when a pass has ended that used smaller levels in place of these pages. Loads them for the next pass. */
  requestSubstituted(entries: ReadonlySet<number>): void {
    const { missing } = this.settings;
    for (const entry of entries) this.loads.request(entry);
    if (!missing) return;
    const arrived = new Promise<void>((resolve) => {
      this.wishes.push({ entries: new Set(entries), arrived: resolve });
    });
    const failed = (verb: string, error: unknown): void =>
      this.parts.fail(`${this.shape.label}: onMissing ${verb}: ${thrown(error)}`);
    try {
      // An async callback reports failure by a rejected promise.
      const answer = missing(
        [...entries].map((entry) => this.table.placeOf(entry)),
        arrived
      );
      Promise.resolve(answer).catch((error: unknown) => failed('rejected', error));
    } catch (error) {
      failed('threw', error);
    }
    this.settleWishes();
  }

  /**
   * Loads the pages of a region, as many as the budget could hold. Resolves when they have arrived or will not, with
   * the number of resident pages and of the others.
   */
  async prefetch(region: LevelRegion): Promise<PrefetchedPages> {
    const [entries, all] = this.pagesOf(region);
    for (const entry of entries) this.loads.prefetch(entry);
    await new Promise<void>((resolve) => {
      this.wishes.push({ entries: new Set(entries), arrived: resolve });
      this.settleWishes();
    });
    const resident = entries.filter((entry) => this.loads.isResident(entry)).length;
    return { resident, missing: all - resident };
  }

  /** The entries of a region's pages, as many as the budget could hold, and the number of all of its pages. */
  private pagesOf({ level, origin, size }: LevelRegion): readonly [readonly number[], number] {
    const { table } = this;
    const { pageSize } = this.settings;
    const [x, y, layer] = origin;
    const columns = Math.ceil((x + size[0]) / pageSize) - Math.floor(x / pageSize);
    const rows = Math.ceil((y + size[1]) / pageSize) - Math.floor(y / pageSize);
    const all = columns * rows * size[2];
    const entries: number[] = [];
    let bytes = 0;
    for (let i = 0; i < all; i++) {
      const place = {
        level,
        x: Math.floor(x / pageSize) + (i % columns),
        y: Math.floor(y / pageSize) + (Math.floor(i / columns) % rows),
        layer: layer + Math.floor(i / (columns * rows)),
      };
      bytes += table.bytesOf(place);
      if (bytes > this.loads.budgetBytes) break;
      entries.push(table.entryOf(place));
    }
    return [entries, all];
  }

  stop(): void {
    if (this.isStopped) return;
    this.isStopped = true;
    this.loads.close();
    for (const { arrived } of this.wishes.splice(0)) arrived();
    this.listener?.();
  }

  /** Frees the memory. No queued work may read it. */
  destroy(): void {
    this.stop();
    this.table.destroy();
    this.released();
  }

  private changed(): void {
    this.settleWishes();
    this.listener?.();
  }

  private settleWishes(): void {
    this.wishes = this.wishes.filter(({ entries, arrived }) => {
      for (const entry of entries) if (!this.loads.isPending(entry)) entries.delete(entry);
      if (entries.size === 0) arrived();
      return entries.size > 0;
    });
  }

  private traced<T>(trace: Trace | null, entry: number, loading: T): T | Promise<Awaited<T>> {
    if (!trace) return loading;
    const began = clockMs();
    return Promise.resolve(loading).finally(() =>
      trace.passed('load page', 'page', began, { page: this.nameOf(entry) })
    );
  }

  private nameOf(entry: number): string {
    const { level, x, y, layer } = this.table.placeOf(entry);
    const { dimension, depthOrArrayLayers: layers } = this.shape;
    const noun = dimension === '3d' ? 'slice' : 'layer';
    const ofLayer = layers > 1 ? `, ${noun} ${layer}` : '';
    return `${this.shape.label}: page (${x}, ${y}) of level ${level}${ofLayer}`;
  }

  private install(entry: number, source: Uint8Array): void {
    const { bytes, what } = this.table.sourceOf(this.table.placeOf(entry));
    if (source.length !== bytes)
      throw new Error(`loadPage returned ${source.length} bytes, but ${what} are ${bytes} bytes`);
    this.table.install(entry, source);
  }

  private fallback(entry: number): Uint8Array {
    const [width, height] = this.table.sizeOf(this.table.placeOf(entry));
    const texel = this.settings.fallback!;
    const bytes = new Uint8Array(width * height * texel.length);
    for (let at = 0; at < bytes.length; at += texel.length) bytes.set(texel, at);
    return bytes;
  }

  private *tail(): Iterable<number> {
    const {
      table,
      shape,
      settings: { pageSize },
    } = this;
    for (let level = shape.mipLevelCount - 1; level >= 0 && isInMipTail(shape, level, pageSize); level--)
      for (let layer = 0; layer < layersOf(shape, level); layer++) yield table.entryOf({ level, x: 0, y: 0, layer });
  }
}

/**
 * Minimum budget of a streamed texture: the bytes of its smallest levels, which are always resident, and of one page.
 */
export function minStreamBytes(shape: Sizes, texelBytes: number, pageSize: number): number {
  let bytes = 0;
  for (let level = 0; level < shape.mipLevelCount; level++)
    if (isInMipTail(shape, level, pageSize)) {
      const height = Math.max(1, shape.height >> level);
      bytes += (height * pageSize * texelBytes + PageTable.SLACK_BYTES) * layersOf(shape, level);
    }
  return bytes + pageSize * pageSize * texelBytes + PageTable.SLACK_BYTES;
}

/** The streamed textures of a device. */
export class Streams {
  readonly numbers = new EntryNumbers();
  private readonly streams = new Set<Stream>();
  private readonly ended: PageCounts = { requested: 0, loaded: 0, failed: 0, cancelled: 0, retried: 0, evicted: 0 };
  private passes = 0;
  readonly late: WaitCounts = {
    parked: 0,
    undone: 0,
    replayed: 0,
    waiting: 0,
    divided: 0,
    stalls: { source: 0, loadLimit: 0, room: 0 },
  };

  get some(): boolean {
    return this.streams.size > 0;
  }

  add(stream: Stream): void {
    this.streams.add(stream);
  }

  /** Called when a texture's memory is freed. */
  remove(stream: Stream): void {
    if (!this.streams.delete(stream)) return;
    for (const name of Object.keys(this.ended) as (keyof PageCounts)[]) this.ended[name] += stream.counts[name];
  }

  /** Bytes that pages may still take. */
  get promisedBytes(): number {
    return [...this.streams].reduce((bytes, stream) => bytes + stream.promisedBytes, 0);
  }

  /** Evicts the least recently read page of all textures. Returns false if none may be evicted. */
  evictPage(): boolean {
    let first: PageLoads | null = null;
    let least = Infinity;
    for (const { loads } of this.streams) {
      const { oldest } = loads;
      if (oldest >= least) continue;
      least = oldest;
      first = loads;
    }
    return first !== null && first.evictOldest();
  }

  nextPass(): number {
    return (this.passes = (this.passes + 1) >>> 0);
  }

  statistics(): StreamStatistics {
    const all = [...this.streams];
    const sum = (name: keyof PageCounts): number =>
      all.reduce((total, { counts }) => total + counts[name], this.ended[name]);
    return {
      pagesRequested: sum('requested'),
      pagesLoaded: sum('loaded'),
      pagesFailed: sum('failed'),
      pagesCancelled: sum('cancelled'),
      pagesRetried: sum('retried'),
      pagesEvicted: sum('evicted'),
      pageBytes: all.reduce((total, { loads }) => total + loads.heldBytes, 0),
      parked: this.late.parked,
      undone: this.late.undone,
      replayed: this.late.replayed,
      waiting: this.late.waiting,
      divided: this.late.divided,
      stalls: { ...this.late.stalls },
    };
  }

  stop(): void {
    for (const stream of this.streams) stream.stop();
  }
}
