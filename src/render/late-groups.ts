// A dispatch that reads streamed textures. Workgroups write as they go: so all that a job of them may write is copied
// before it begins. Where they have read pages that are not there, what they did is taken back, and the job is run
// again when these have come, with the same bits as if they had always been there. A job whose pages do not fit into
// the textures' budgets is cut in half.
import { Misses, Statistics } from '../../build/layout';
import type { IrResource } from '../ir';
import type { Allocator } from '../memory';
import type { CommandMemory } from './command-memory';
import { LateTiles } from './late-tiles';
import type { LateCounts, Stream } from './streams';
import type { BoundGroup } from './types';
import type { View } from './views';
import type { Workspace } from './workspace';

/** Pages that a worker notes in a job; others are found when it is run again. */
const MOST_PAGES = 4096;
/** What waits: all workgroups of the job under way. */
const JOB = 0;

export interface LateGroupsParts {
  readonly memory: WebAssembly.Memory;
  readonly allocator: Allocator;
  readonly workspace: Workspace;
  readonly late: LateCounts;
}

/** Bytes of device memory, and where they are copied. */
interface Copy { readonly from: number; readonly bytes: number; readonly to: number }

export class LateGroups {
  readonly pages: LateTiles;
  private copies: readonly Copy[] = [];
  private misses: readonly number[] = [];

  constructor(private readonly parts: LateGroupsParts, readonly streams: readonly Stream[], pass: number) {
    this.pages = new LateTiles(parts.memory, streams, parts.late, 'one workgroup');
    for (const stream of streams) stream.begin(pass);
  }

  /** A MISSES record for each worker: address of the first, and bytes from one to the next. */
  provide(commands: CommandMemory): { readonly address: number; readonly bytes: number } {
    const bytes = (Misses.bytes + MOST_PAGES * 4 + 63) & ~63, { threads } = this.parts.workspace;
    const address = commands.take(threads * bytes);
    this.misses = Array.from({ length: threads }, (_, index) => address + index * bytes);
    return { address, bytes };
  }

  /** A job begins. `copies`: it is not run again, and may write to these resources. Throws OutOfMemoryError. */
  begin(resources: readonly IrResource[], groups: readonly (BoundGroup | null)[]): void {
    const { memory, allocator } = this.parts;
    if (this.copies.length === 0)
      this.copies = written(resources, groups).map(([from, bytes]) => ({
        from, bytes, to: allocator.allocate(bytes, 'what a dispatch that waits for pages takes back'),
      }));
    const all = new Uint8Array(memory.buffer), words = new Uint32Array(memory.buffer);
    if (!this.pages.isWaiting) for (const { from, bytes, to } of this.copies) all.copyWithin(to, from, from + bytes);
    for (const misses of this.misses) {
      words[(misses + Misses.waits) >>> 2] = words[(misses + Misses.count) >>> 2] = 0;
      words[(misses + Misses.most) >>> 2] = MOST_PAGES;
    }
    this.pages.reads();
  }

  /** The job has been run; false: what it did was taken back. */
  ended(): boolean {
    const { pages, misses, copies, parts: { memory, workspace } } = this, words = new Uint32Array(memory.buffer);
    const entries = new Set<number>();
    let waits = false;
    for (const record of misses) {
      if (words[(record + Misses.waits) >>> 2] !== 0) waits = true;
      const first = (record + Misses.entries) >>> 2;
      for (const entry of words.subarray(first, first + words[(record + Misses.count) >>> 2]!)) entries.add(entry);
    }
    if (waits) pages.note(JOB, [...entries]);
    else for (const entry of entries) pages.noteWish(entry);
    pages.jobEnded();
    if (!waits) return true;
    const all = new Uint8Array(memory.buffer);
    for (const { from, bytes, to } of copies) all.copyWithin(from, to, to + bytes);
    for (let index = 0; index < workspace.threads; index++)
      all.fill(0, workspace.statisticsOf(index), workspace.statisticsOf(index) + Statistics.flags);
    return false;
  }

  /** The dispatch is done, or has failed. */
  end(): void {
    for (const { to } of this.copies) this.parts.allocator.free(to);
    this.copies = [];
    this.pages.end();
  }
}

/** Address and bytes of whatever a program may write. */
function written(
  resources: readonly IrResource[], groups: readonly (BoundGroup | null)[]
): (readonly [number, number])[] {
  const all = new Map<number, number>();
  for (const resource of resources) {
    const writes = resource.kind === 'image' || (resource.kind === 'storage' && resource.writable);
    if (!writes) continue;
    const bound = groups[resource.group]!, found = bound.group.entries.get(resource.binding)!;
    if (found.kind === 'image') {
      const { plane, shape: { baseMipLevel, baseArrayLayer, arrayLayerCount, dimension } } = found.view as View;
      const { offset, layers, layerBytes } = plane.levels[baseMipLevel]!;
      const count = dimension === '3d' ? layers : arrayLayerCount;
      all.set(plane.address + offset + baseArrayLayer * layerBytes, count * layerBytes);
    } else if (found.kind === 'buffer') {
      const from = found.buffer.address + found.offset + (bound.dynamicOffsets?.get(resource.binding) ?? 0);
      all.set(from, Math.max(all.get(from) ?? 0, found.size));
    }
  }
  return [...all].filter(([, bytes]) => bytes > 0);
}
