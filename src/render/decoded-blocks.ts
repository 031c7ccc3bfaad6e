// Decides which compressed textures are kept decoded. A texture is stored as its blocks. Decoded texels are a cache
// within a budget, and are dropped first when memory is short. The output does not depend on them.
//
// A pass registers its textures here before it begins. A texture that fits is decoded as a whole, and is then sampled
// like an uncompressed one, at no extra cost. A texture that does not fit gets pages, which workers decode when they
// read them (block-caches.ts). That costs as much as a streamed texture with all pages resident, plus the decoding.
// Using pages for all textures would always have that cost. A cache of single blocks would need a lookup for each of
// the four or eight taps of a sample.
import { BLOCK_SCRATCH } from '../../assembly/layout/texture/block-codes';
import { OutOfMemoryError, type Allocator } from '../memory';
import type { Kernel } from '../kernels';
import { BlockMemory, BlockPages, type DecodeRow } from '../surface';
import { BlockCaches } from './workspace/block-caches';
import type { BoundResource, TextureShape } from './types';
import { Texture, type View } from './resources/views';
import type { Workspace } from './workspace/workspace';

/** A decoded texture that has not been read in this many passes or jobs may be dropped for another one. */
const STALE_AFTER = 256;
/** Fraction of the budget that pages take once there are any. */
const PAGES_SHARE = 0.5;

/** The state of one compressed texture. */
interface Held {
  readonly texture: Texture;
  readonly memory: BlockMemory;
  pages: BlockPages | null;
  /** Number of the last pass that read it. */
  used: number;
}

interface DecodedParts {
  readonly allocator: Allocator;
  readonly memory: WebAssembly.Memory;
  readonly exports: Kernel['exports'];
  readonly workspace: Workspace;
  /** Limit for the bytes of decoded texels, in whole textures and in pages. */
  readonly budget: number;
}

export class DecodedBlocks {
  private readonly held = new Map<Texture, Held>();
  private readonly caches: BlockCaches;
  /** Pages of textures that were destroyed while workers may have been running. */
  private readonly gone: BlockPages[] = [];
  private decodedBytes = 0;
  private pass = 0;
  /** Whether a pass has begun that is not ready yet. */
  private isUnready = false;
  private isProviding = false;
  private scratch = 0;
  private readonly decodeRow: DecodeRow = (code, from, to, rowBytes, extent) => {
    this.parts.exports.decodeBlocks(code, from, to, rowBytes, extent, this.scratch);
  };

  constructor(private readonly parts: DecodedParts) {
    this.caches = new BlockCaches(parts.allocator, parts.memory, parts.workspace);
  }

  /** Bytes of decoded texels. */
  get bytes(): number {
    return this.decodedBytes + this.caches.bytes;
  }

  /** Returns the decoder of a row of blocks. Throws OutOfMemoryError. */
  rowDecoder(): DecodeRow {
    this.scratch ||= this.parts.allocator.allocate(BLOCK_SCRATCH, 'scratch memory for decoding compressed textures');
    return this.decodeRow;
  }

  /** Creates a compressed texture filled with zeros. Throws OutOfMemoryError. */
  create(shape: TextureShape): Texture {
    const memory = new BlockMemory(this.parts.allocator, shape, shape.label, () => this.forget(texture));
    const texture: Texture = new Texture(shape, memory);
    this.held.set(texture, { texture, memory, pages: null, used: 0 });
    return texture;
  }

  /** Must be called when blocks of a texture were written: rows of blocks in layers of a mip level. */
  written(texture: Texture, level: number, layers: readonly [number, number], rows: readonly [number, number]): void {
    const { memory, pages } = this.held.get(texture)!;
    memory.written(level, layers, rows);
    pages?.written(level, layers, rows);
  }

  /**
   * Prepares the compressed textures in `resources` for a pass or job, until the deadline. Returns whether they are
   * ready; if not, the method must be called again. If they are, the caller must begin the pass or job immediately.
   * Throws OutOfMemoryError.
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

  /** Returns the smallest textures first, so that as many as possible are decoded. */
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
    this.rowDecoder();
    if (wanted.every((one) => one.memory.isDecoded || this.decode(one))) return;
    const { budget, allocator } = this.parts;
    const share = budget * PAGES_SHARE;
    if (!this.caches.isAllocated) {
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

  /** Decodes a texture as a whole. Returns false if there is no room. */
  private decode(one: Held): boolean {
    const { allocator, budget } = this.parts;
    const { memory } = one;
    const bytes = memory.decodedBytes;
    const room = budget - this.bytes;
    // A texture that takes no more than its pages would may claim memory that other caches have to give back.
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

  /** Decoded textures, least recently read first. */
  private get decoded(): Held[] {
    return [...this.held.values()].filter(({ memory }) => memory.isDecoded).sort((a, b) => a.used - b.used);
  }

  /**
   * Drops decoded textures that have not been read for long, if they free at least `bytes`. Returns whether they do.
   */
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

  /** Drops decoded textures until at most `most` bytes are left. */
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

  /** Memory is short: frees something that the current pass does not need. Returns whether there was anything. */
  reclaim(): boolean {
    const isBusy = this.isProviding || this.parts.workspace.busy;
    const one = this.decoded.find(({ used }) => !isBusy || used !== this.pass);
    if (one) {
      this.drop(one);
      return true;
    }
    if (isBusy || !this.caches.isAllocated) return false;
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

  /**
   * Frees the entries of destroyed textures. No worker may be running, because the entries lead to the workers' pages.
   */
  private collectGone(): void {
    for (const pages of this.gone.splice(0)) pages.destroy();
    if (![...this.held.values()].some(({ pages }) => pages !== null)) this.caches.release();
  }
}
