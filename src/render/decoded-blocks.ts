// Which compressed textures are held decoded. The store of a texture is its blocks. What is decoded of it is a cache
// within a budget, and goes first when memory is short. Pictures do not depend on it.
//
// A pass brings its textures here before it begins. A texture that fits is decoded as a whole, and then sampled as any
// other texture is, at no cost. A texture that does not fit has pages, which workers decode as they read them
// (block-caches.ts): that costs what a streamed texture costs whose pages are all there, and the decoding. Pages alone,
// for all textures, would have cost that always. A cache of single blocks would have cost a look-up for each of the
// four or eight taps of a sample.
import { BLOCK_SCRATCH } from '../../assembly/layout/block-codes';
import { OutOfMemoryError, type Allocator } from '../memory';
import type { Kernel } from '../kernels';
import { BlockMemory, BlockPages, type DecodeRow } from '../surface';
import { BlockCaches } from './block-caches';
import type { BoundResource, TextureShape } from './types';
import { Texture, type View } from './views';
import type { Workspace } from './workspace';

/** A decoded texture that no pass or job has read for so many of them may go for another one. */
const STALE_AFTER = 256;
/** Part of the budget that pages take, once there are any. */
const PAGES_SHARE = 0.5;

/** How one texture is held. */
interface Held {
  readonly texture: Texture;
  readonly memory: BlockMemory;
  pages: BlockPages | null;
  /** The last pass that read it. */
  used: number;
}

export interface DecodedParts {
  readonly allocator: Allocator;
  readonly memory: WebAssembly.Memory;
  readonly exports: Kernel['exports'];
  readonly workspace: Workspace;
  /** Bytes of decoded texels, of decoded textures and pages together. */
  readonly budget: number;
}

export class DecodedBlocks {
  private readonly held = new Map<Texture, Held>();
  private readonly caches: BlockCaches;
  /** Pages of textures that went while workers may have run. */
  private readonly gone: BlockPages[] = [];
  private decodedBytes = 0;
  private pass = 0;
  /** The pass that is begun is not ready yet. */
  private isUnready = false;
  private isProviding = false;
  private scratch = 0;
  private readonly decodeRow: DecodeRow = (code, from, to, rowBytes, extent) => {
    this.parts.exports.decodeBlocks(code, from, to, rowBytes, extent, this.scratch);
  };

  constructor(private readonly parts: DecodedParts) {
    this.caches = new BlockCaches(parts.allocator, parts.memory, parts.workspace);
  }

  /** Bytes of what is decoded. */
  get bytes(): number { return this.decodedBytes + this.caches.bytes; }

  /** A compressed texture of zeros. Throws OutOfMemoryError. */
  create(shape: TextureShape): Texture {
    const memory = new BlockMemory(this.parts.allocator, shape, shape.label, () => this.forget(texture));
    const texture: Texture = new Texture(shape, memory);
    this.held.set(texture, { texture, memory, pages: null, used: 0 });
    return texture;
  }

  /** Blocks of a texture were written: rows of them, in layers of a level. */
  written(
    texture: Texture, level: number, layers: readonly [number, number], rows: readonly [number, number]
  ): void {
    const { memory, pages } = this.held.get(texture)!;
    memory.written(level, layers, rows);
    pages?.written(level, layers, rows);
  }

  /**
   * Readies the compressed textures among `resources` for a pass or job, for as long as there is time; whether they are
   * ready. It is asked again until they are, and the work begins at once then. Throws OutOfMemoryError.
   */
  provide(resources: Iterable<BoundResource>, deadline: number): boolean {
    if (this.held.size === 0) return true;
    const wanted = this.wanted(resources);
    if (wanted.length === 0) return true;
    this.collectGone();
    if (!this.isUnready) this.pass++;
    this.isProviding = true;
    try {
      for (const one of wanted) one.used = this.pass;
      this.hold(wanted);
      this.isUnready = !wanted.every(({ memory }) => !memory.isDecoded || memory.decode(this.decodeRow, deadline));
      return !this.isUnready;
    } finally {
      this.isProviding = false;
    }
  }

  /** Small ones first: so most of them are decoded. */
  private wanted(resources: Iterable<BoundResource>): readonly Held[] {
    const wanted = new Set<Held>();
    for (const resource of resources) {
      if (resource.kind !== 'texture') continue;
      const held = this.held.get((resource.view as View).texture);
      if (held) wanted.add(held);
    }
    return [...wanted].sort((a, b) => a.memory.decodedBytes - b.memory.decodedBytes);
  }

  private hold(wanted: readonly Held[]): void {
    this.scratch ||= this.parts.allocator.allocate(BLOCK_SCRATCH, 'room for decoding compressed textures');
    if (wanted.every((one) => one.memory.isDecoded || this.decode(one))) return;
    const { budget, allocator } = this.parts, share = budget * PAGES_SHARE;
    if (!this.caches.areThere) {
      this.shrink(budget - this.caches.bytesWithin(share));
      // The pass needs memory for other things as well.
      this.caches.provide(Math.min(share, allocator.uncommitted / 2));
    }
    for (const one of wanted) if (!one.memory.isDecoded && one.pages === null) this.makePages(one);
  }

  private makePages(one: Held): void {
    const { allocator, memory } = this.parts;
    one.pages = new BlockPages(allocator, memory, one.memory, this.caches.addresses, one.texture.shape.label);
    one.texture.place(one.pages);
  }

  /** Decodes a texture as a whole, if there is room; whether there is. */
  private decode(one: Held): boolean {
    const { allocator, budget } = this.parts, { memory } = one, bytes = memory.decodedBytes;
    const room = budget - this.bytes;
    // What takes no more than pages would is worth other memory that could be given back.
    if (bytes > allocator.uncommitted && bytes > this.caches.bytesWithin(0)) return false;
    if (bytes > room && !this.makeRoom(bytes - room)) return false;
    try {
      memory.hold();
    } catch (error) {
      if (error instanceof OutOfMemoryError) return false;
      throw error;
    }
    this.decodedBytes += bytes;
    this.dropPages(one);
    one.texture.place(null);
    return true;
  }

  /** Decoded textures, the one that was read least recently first. */
  private get decoded(): Held[] {
    return [...this.held.values()].filter(({ memory }) => memory.isDecoded).sort((a, b) => a.used - b.used);
  }

  /** Gives back so many bytes of textures that nobody has read for long; whether there were as many. */
  private makeRoom(bytes: number): boolean {
    const stale: Held[] = [];
    for (const one of this.decoded) {
      if (bytes <= 0 || one.used > this.pass - STALE_AFTER) break;
      stale.push(one);
      bytes -= one.memory.decodedBytes;
    }
    if (bytes > 0) return false;
    for (const one of stale) this.drop(one);
    return true;
  }

  /** Gives back decoded textures until no more than so many bytes are left. */
  private shrink(most: number): void {
    for (const one of this.decoded) if (this.decodedBytes > most) this.drop(one);
  }

  private drop({ memory }: Held): void {
    this.decodedBytes -= memory.decodedBytes;
    memory.drop();
  }

  private dropPages(one: Held): void {
    one.pages?.destroy();
    one.pages = null;
  }

  /** Memory is short: gives back what a pass that is under way does not need; whether there was any. */
  reclaim(): boolean {
    const isBusy = this.isProviding || this.parts.workspace.busy;
    const one = this.decoded.find(({ used }) => !isBusy || used !== this.pass);
    if (one) {
      this.drop(one);
      return true;
    }
    if (isBusy || !this.caches.areThere) return false;
    this.collectGone();
    for (const paged of this.held.values()) this.dropPages(paged);
    this.caches.release();
    return true;
  }

  private forget(texture: Texture): void {
    const one = this.held.get(texture)!;
    this.held.delete(texture);
    if (one.memory.isDecoded) this.decodedBytes -= one.memory.decodedBytes;
    if (one.pages) this.gone.push(one.pages);
    if (!this.parts.workspace.busy) this.collectGone();
  }

  /** Entries of textures that went: workers, whose pages they led to, do not run. */
  private collectGone(): void {
    for (const pages of this.gone.splice(0)) pages.destroy();
    if (![...this.held.values()].some(({ pages }) => pages !== null)) this.caches.release();
  }
}
