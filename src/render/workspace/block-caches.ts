// Allocates the workers' BLOCK CACHEs (layout/texture/block-texture.ts). They hold decoded pages of compressed textures
// that are not decoded as a whole.
import { alignUp } from '../../base/bits';
import { BLOCK_PAGE_STEP, MIN_BLOCK_PAGES } from '../../../assembly/layout/texture/texture-stream-codes';
import { BlockCache, Job } from '../../../build/layout';
import type { Allocator } from '../../memory';
import type { WorkerCaches } from '../../surface';
import type { Workspace } from './workspace';

/** Bytes of a cache with this many pages. */
const bytesOf = (pages: number): number => alignUp(BlockCache.bytes + pages * 4, 64) + pages * BLOCK_PAGE_STEP;

export class BlockCaches {
  /** Addresses of all workers' caches. Empty if there are none. */
  addresses: WorkerCaches = [];
  /** Total bytes of all workers' caches. */
  bytes = 0;

  constructor(
    private readonly allocator: Allocator,
    private readonly memory: WebAssembly.Memory,
    private readonly workspace: Workspace
  ) {}

  get isAllocated(): boolean {
    return this.bytes > 0;
  }

  /** Bytes that the caches take from a budget: all that fits, but never less than their minimum. */
  bytesWithin(budget: number): number {
    return this.workspace.threads * bytesOf(this.pagesWithin(budget));
  }

  private pagesWithin(budget: number): number {
    const each = Math.floor(budget / this.workspace.threads);
    return Math.max(MIN_BLOCK_PAGES, Math.floor((each - bytesOf(0) - 64) / (BLOCK_PAGE_STEP + 4)));
  }

  /** Allocates the caches unless they exist. Throws OutOfMemoryError. */
  provide(budget: number): void {
    if (this.isAllocated) return;
    const { workspace, allocator } = this;
    const { threads } = workspace;
    const count = this.pagesWithin(budget);
    const each = bytesOf(count);
    const first = allocator.allocate(threads * each, 'pages of compressed textures');
    const u32 = new Uint32Array(this.memory.buffer);
    this.bytes = threads * each;
    this.addresses = Array.from({ length: threads }, (_, worker) => first + worker * each);
    for (const cache of this.addresses) {
      u32[(cache + BlockCache.count) >>> 2] = count;
      u32[(cache + BlockCache.pages) >>> 2] = cache + each - count * BLOCK_PAGE_STEP;
    }
    workspace.put(Job.blockCaches, first);
    workspace.put(Job.blockCacheBytes, each);
  }

  /** Frees the caches. No worker may be running, and no texture may have pages. */
  release(): void {
    if (!this.isAllocated) return;
    this.allocator.free(this.addresses[0]!);
    this.addresses = [];
    this.bytes = 0;
    this.workspace.put(Job.blockCaches, 0);
  }
}
