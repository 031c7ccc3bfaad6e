// The page pool of multisampled surfaces (layout/surface/surface.ts). The main thread allocates slabs of pages and
// frees them, between passes; the kernels hand the pages out.
import { PAGE_SHIFT, PAGE_SIZE } from '../../assembly/layout/surface/surface-codes';
import { Pool } from '../../build/layout';
import type { KernelExports } from '../kernels';
import { OutOfMemoryError, type Allocator } from '../memory';

/** Pages of the largest slab: 1 MiB. */
const SLAB_PAGES = 256;
/** Links are allocated in steps of this many pages: 64 MiB of memory. */
const LINKS_STEP = 16384;

interface Slab {
  readonly address: number;
  readonly pages: number;
}
const pagesOf = ({ address, pages }: Slab): number[] =>
  Array.from({ length: pages }, (_, i) => address + i * PAGE_SIZE);
export interface PoolParts {
  readonly allocator: Allocator;
  readonly memory: WebAssembly.Memory;
  readonly exports: KernelExports;
}

export class SurfacePool {
  private record = 0;
  private links = 0;
  private linkCount = 0;
  /** Sorted by address. */
  private slabs: Slab[] = [];
  private providing = false;

  constructor(readonly parts: PoolParts) {}

  /** Address of the POOL record. */
  get address(): number {
    this.record ||= this.parts.allocator.allocate(Pool.bytes, 'pages of multisampled textures');
    return this.record;
  }

  get freePages(): number {
    return this.record === 0 ? 0 : this.get(Pool.free);
  }
  get pages(): number {
    return this.slabs.reduce((sum, slab) => sum + slab.pages, 0);
  }

  /** Address of the SURFACE that lacked a page; 0 if none did. */
  get missed(): number {
    return this.record === 0 ? 0 : this.get(Pool.missed);
  }

  /**
   * Ensures that at least `pages` pages are free. Pages that were allocated before a failure stay in the pool.
   * @throws OutOfMemoryError naming `what`
   */
  provide(pages: number, what: string): void {
    let missing = pages - this.freePages;
    if (missing <= 0) return;
    // Slabs must not be freed to pay for other slabs.
    this.providing = true;
    const added: Slab[] = [];
    try {
      for (; missing > 0; missing -= SLAB_PAGES) added.push(this.addSlab(Math.min(missing, SLAB_PAGES), what));
    } finally {
      this.providing = false;
      // Pages that were used before come first: untouched pages take no physical memory yet.
      this.link([...this.freeList(), ...added.flatMap(pagesOf)]);
    }
  }

  /** As `provide`, as far as memory allows. */
  provideSome(pages: number, what: string): void {
    try {
      this.provide(pages, what);
    } catch (error) {
      if (!(error instanceof OutOfMemoryError)) throw error;
    }
  }

  /** Frees slabs whose pages are all free. Returns whether there were any. Must not be called while kernels run. */
  trim(): boolean {
    if (this.providing || this.slabs.length === 0) return false;
    const free = this.freeList();
    const counts = new Map<Slab, number>();
    for (const page of free) {
      const slab = this.slabOf(page);
      counts.set(slab, (counts.get(slab) ?? 0) + 1);
    }
    const whole = new Set([...counts].filter(([slab, count]) => count === slab.pages).map(([slab]) => slab));
    if (whole.size === 0) return false;
    this.link(free.filter((page) => !whole.has(this.slabOf(page))));
    this.slabs = this.slabs.filter((slab) => !whole.has(slab));
    for (const slab of whole) this.parts.allocator.freePages(slab.address);
    return true;
  }

  /** Allocates a slab. Its pages are not in the free list yet. */
  private addSlab(pages: number, what: string): Slab {
    const address = this.parts.allocator.allocatePages(pages * PAGE_SIZE, what);
    try {
      this.linkUpTo(address + pages * PAGE_SIZE, what);
    } catch (error) {
      this.parts.allocator.freePages(address);
      throw error;
    }
    const slab = { address, pages };
    const at = this.slabs.findIndex((other) => other.address > address);
    this.slabs.splice(at < 0 ? this.slabs.length : at, 0, slab);
    return slab;
  }

  /** Ensures that links exist for all pages below `end`. */
  private linkUpTo(end: number, what: string): void {
    const count = Math.ceil(Math.ceil(end / PAGE_SIZE) / LINKS_STEP) * LINKS_STEP;
    if (count <= this.linkCount) return;
    const { allocator, memory } = this.parts;
    const links = allocator.allocate(count * 4, what);
    if (this.linkCount > 0) {
      new Uint8Array(memory.buffer).copyWithin(links, this.links, this.links + this.linkCount * 4);
      allocator.free(this.links);
    }
    this.links = links;
    this.linkCount = count;
    this.put(Pool.links, links);
  }

  /** Free pages, in the order in which they are taken. */
  private freeList(): number[] {
    const words = this.words();
    const pages: number[] = [];
    for (let page = this.get(Pool.head); page !== 0; page = words[(this.links >>> 2) + (page >>> PAGE_SHIFT)]!)
      pages.push(page);
    return pages;
  }

  private link(pages: readonly number[]): void {
    const words = this.words();
    pages.forEach((page, i) => {
      words[(this.links >>> 2) + (page >>> PAGE_SHIFT)] = pages[i + 1] ?? 0;
    });
    this.put(Pool.head, pages[0] ?? 0);
    this.put(Pool.free, pages.length);
  }

  private slabOf(page: number): Slab {
    let low = 0;
    let high = this.slabs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.slabs[middle]!.address <= page) low = middle;
      else high = middle - 1;
    }
    return this.slabs[low]!;
  }

  private get(field: number): number {
    return this.words()[(this.record + field) >>> 2]!;
  }
  private put(field: number, value: number): void {
    this.words()[(this.address + field) >>> 2] = value;
  }
  private words(): Uint32Array {
    return new Uint32Array(this.parts.memory.buffer);
  }
}
