// Memory for the geometry of one chunk: its tasks, segments and tile lists, and the arena for its triangles. A pass has
// one. It has a second one while tiles of a chunk wait for pages and the geometry of the next chunk runs.
import { GeometryTask, Segment } from '../../../build/layout';
import type { Allocator } from '../../memory';
import { MAX_SEGMENTS, MAX_TASKS } from '../draws/geometry-plan';
import { ScratchBuffer } from '../memory/scratch-buffer';

const SEGMENTS_AT = MAX_TASKS * GeometryTask.bytes;
const LISTS_AT = SEGMENTS_AT + MAX_SEGMENTS * Segment.bytes;

export class ChunkMemory {
  private readonly records: ScratchBuffer;
  private readonly arena: ScratchBuffer;

  constructor(allocator: Allocator) {
    this.records = new ScratchBuffer(allocator, 'tasks of geometry');
    this.arena = new ScratchBuffer(allocator, 'triangle arena');
  }

  /** Addresses of MAX_TASKS TASK records, of MAX_SEGMENTS SEGMENTs, and of Job.lists. */
  get tasks(): number {
    return this.records.address;
  }
  get segments(): number {
    return this.tasks + SEGMENTS_AT;
  }
  get lists(): number {
    return this.tasks + LISTS_AT;
  }
  /** Address of the first slab. */
  get slabs(): number {
    return this.arena.address;
  }
  get arenaBytes(): number {
    return this.arena.bytes;
  }

  /** Ensures that the memory exists and the arena has this size. Throws OutOfMemoryError. */
  reserve(arenaBytes: number): void {
    this.records.reserve(LISTS_AT + MAX_TASKS * 4);
    this.arena.reserve(arenaBytes);
  }

  /** Frees the memory. Returns whether there was any. */
  release(): boolean {
    const some = this.arena.release();
    return this.records.release() || some;
  }
}
