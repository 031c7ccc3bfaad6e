// Where the geometry of a chunk lies: its tasks, with their parts of draws and their lists, and the arena of their
// triangles. A pass has one, and a second one while tiles of a chunk wait for pages and the next one's geometry is run.
import { GeometryTask, Segment } from '../../build/layout';
import type { Allocator } from '../memory';
import { MOST_SEGMENTS, MOST_TASKS } from './geometry-plan';
import { Piece } from './piece';

const SEGMENTS_AT = MOST_TASKS * GeometryTask.bytes, LISTS_AT = SEGMENTS_AT + MOST_SEGMENTS * Segment.bytes;

export class ChunkMemory {
  private readonly records: Piece;
  private readonly arena: Piece;

  constructor(allocator: Allocator) {
    this.records = new Piece(allocator, 'tasks of geometry');
    this.arena = new Piece(allocator, 'triangle arena');
  }

  /** Addresses of MOST_TASKS TASK records and MOST_SEGMENTS SEGMENTs, and of Job.lists. */
  get tasks(): number { return this.records.address; }
  get segments(): number { return this.tasks + SEGMENTS_AT; }
  get lists(): number { return this.tasks + LISTS_AT; }
  /** Address of the first slab. */
  get slabs(): number { return this.arena.address; }
  get arenaBytes(): number { return this.arena.bytes; }

  /** Throws OutOfMemoryError. */
  atLeast(arenaBytes: number): void {
    this.records.atLeast(LISTS_AT + MOST_TASKS * 4);
    this.arena.atLeast(arenaBytes);
  }

  /** Whether there was any. */
  release(): boolean {
    const some = this.arena.release();
    return this.records.release() || some;
  }
}
