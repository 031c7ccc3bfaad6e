// Stream output of a pass: assigns each draw call its part of the buffers, and finishes the buffers after all draw
// calls (assembly/vertex/stream.ts).
import { Draw } from '../../../build/layout';
import type { Kernel } from '../../kernels';
import { isStrip, primitivesOf } from '../../mpipe';
import type { CommandMemory } from '../memory/command-memory';
import { orderOfSamples } from '../pipeline/draw-order';
import { putSinkRange, type SinkRange } from './sink-ranges';
import type { DrawCounts } from './draw-counts';
import type { IndexRanges } from '../resources/index-ranges';
import type { Leaf, Pipeline } from '../pipeline/pipeline';
import { OutOfMemoryError } from '../../memory';
import type { BoundSink, DrawCommand, DynamicState } from '../types';

interface SinkParts {
  readonly kernel: Kernel;
  readonly memory: WebAssembly.Memory;
  readonly commands: CommandMemory;
  readonly ranges: IndexRanges;
}

/** The part of a buffer that a draw call writes to, or that several consecutive draw calls append to. */
interface SinkWrite {
  readonly room: SinkRange;
  readonly pipeline: Pipeline;
  readonly stride: number;
  /** Vertices of a unit (Draw.sinkUnit). */
  readonly unit: number;
}

/**
 * Where the output of a draw call's primitives goes.
 * - `placed`: each primitive has a fixed place.
 * - `counted`: each primitive has room for its maximum output, and gaps are closed later.
 * - `appended`: output is appended in any order.
 */
type Way = 'placed' | 'counted' | 'appended';

const NO_ROOMS: readonly null[] = [];
/**
 * Maximum number of primitives of a draw call in a counting run. It takes 8 bytes per primitive while the pass runs.
 * Beyond it, or without that memory, output has gaps, and what does not fit is dropped.
 */
const MOST_COUNTED = 1 << 25;
/** Number of missed vertices if it is unknown. */
const UNKNOWN = 0xffff_ffff;

const isCounted = ({ room }: SinkWrite): boolean => room.counts !== 0;

export class Sinks {
  /** The writes of draw calls, in order. */
  private readonly writes = new Map<BoundSink, SinkWrite[]>();
  /** Buffers without room for gaps. A counting run determines the output of each primitive in advance. */
  private tight: readonly (readonly [BoundSink, readonly SinkWrite[]])[] = [];
  /** Addresses of the two words at Draw.sinkCursor, and their values when the chunk began. */
  private readonly cursors = new Map<number, readonly [number, number]>();

  constructor(private readonly parts: SinkParts) {}

  /** Assigns room to a draw call for each of its sinks. */
  rooms({ state, indexed }: DrawCommand, counts: DrawCounts, { orders }: DynamicState): readonly (SinkRange | null)[] {
    const pipeline = state.pipeline as Pipeline;
    const { leaves, hasOnlyBufferSinks } = pipeline;
    if (!pipeline.hasBufferSinks) return NO_ROOMS;
    const {
      primitive: { topology },
      processingOrder = {},
    } = pipeline.state;
    const primitives = primitivesOf(topology, counts.count) * counts.instanceCount;
    const rooms = new Map<number, SinkRange>();
    return leaves.map(({ state: { number, ...sink } }) => {
      const bound = state.sinks[number];
      if (sink.kind !== 'buffer' || !bound) return null;
      let room = rooms.get(number);
      if (room) return room;
      const paths = leaves.filter((leaf) => leaf.state.number === number);
      const [{ corners }] = paths as [Leaf];
      const unit = paths.every((path) => path.corners === corners) ? corners : 1;
      // The count is stored in 32 bits. With a larger one, only output of the first primitive could fit.
      const share = Math.min(
        0xffffffff,
        paths.reduce((all, path) => all + (path.share * path.corners) / unit, 0)
      );
      const emits = paths.some((path) => path.emits);
      const type = emits ? 'primitive' : 'vertex';
      // If something is drawn as well, a chunk may end inside the task, and the task would then append twice.
      const appends =
        hasOnlyBufferSinks && orderOfSamples(processingOrder[type] ?? 'auto', orders[type]) === 'independent';
      // With an emitting stage or a strip that any index may restart, the output of each primitive is not known in
      // advance.
      const varies = paths.length > 1 || emits || (indexed && isStrip(topology));
      const write = { pipeline, stride: sink.buffer.arrayStride, unit };
      room = this.take(bound, write, primitives, { share, way: appends ? 'appended' : varies ? 'counted' : 'placed' });
      rooms.set(number, room);
      return room;
    });
  }

  /** `share`: maximum number of output units per primitive. */
  private take(
    sink: BoundSink,
    { pipeline, stride, unit }: Omit<SinkWrite, 'room'>,
    primitives: number,
    { share, way }: { readonly share: number; readonly way: Way }
  ): SinkRange {
    const writes = this.writes.get(sink) ?? [];
    const last = writes.at(-1);
    const vertices = primitives * share * unit;
    this.writes.set(sink, writes);
    if (way === 'appended' && last && last.room.cursor !== 0 && last.stride === stride) {
      last.room.vertices += vertices;
      return last.room;
    }
    const start = last ? last.room.start + last.room.vertices * last.stride : 0;
    let counts = 0;
    let counted = 0;
    let cursor = 0;
    if (way === 'counted') {
      // Indirect draw calls may have any number of primitives. Those without room need no count.
      const fitting = Math.ceil(Math.max(0, sink.size - start) / (share * unit * stride));
      counted = Math.min(primitives, fitting);
      counts = this.zeros(counted);
    } else if (way === 'appended') {
      cursor = this.zeros(2);
      this.cursors.set(cursor, [0, 0]);
    }
    const unitBytes = unit * stride;
    const room = { start, unitBytes, share, vertices, primitives, counts, counted, starts: 0, cursor, records: [] };
    writes.push({ room, pipeline, stride, unit });
    return room;
  }

  private zeros(words: number): number {
    const { commands, memory } = this.parts;
    const address = commands.take(Math.max(16, words * 4));
    new Uint32Array(memory.buffer, address, words).fill(0);
    return address;
  }

  /**
   * Called when all draw calls of the pass are known. Prepares a counting run for the buffers that are too small for
   * gaps, with the draw calls for which `needsCounting` then holds. Returns whether there are any.
   */
  beginCounting(): boolean {
    this.tight = [...this.writes].filter(([{ size }, writes]) => {
      const { room, stride } = writes.at(-1)!;
      return (
        room.start + room.vertices * stride > size
        && writes.some(isCounted)
        && writes.every((write) => !write.room.cursor && (!isCounted(write) || write.room.primitives <= MOST_COUNTED))
      );
    });
    this.tight = this.tight.filter(([sink, writes]) => this.takeCounts(sink, writes.filter(isCounted)));
    return this.tight.length > 0;
  }

  /** Takes memory for counting the output of each primitive. Returns false if there is too little. */
  private takeCounts({ buffer, offset }: BoundSink, writes: readonly SinkWrite[]): boolean {
    const taken: number[] = [];
    try {
      for (const { room } of writes) taken.push(this.zeros(room.primitives), this.zeros(room.primitives));
    } catch (error) {
      if (error instanceof OutOfMemoryError) return false;
      throw error;
    }
    writes.forEach(({ room }, i) => {
      room.counts = taken[2 * i]!;
      room.starts = taken[2 * i + 1]!;
      room.counted = room.primitives;
      // The size is 0, so that nothing is written yet.
      this.put(room, buffer.address + offset, 0);
    });
    return true;
  }

  /** Whether a draw call takes part in the counting run. */
  needsCounting(rooms: readonly (SinkRange | null)[]): boolean {
    return rooms.some((room) => room !== null && room.starts !== 0);
  }

  /** Ends the counting run. Each write now begins where the one before it ends, without gaps. */
  endCounting(): void {
    const u32 = new Uint32Array(this.parts.memory.buffer);
    for (const [{ buffer, offset, size }, writes] of this.tight) {
      let start = 0;
      for (const { room, stride, unit } of writes) {
        room.start = start;
        if (room.starts) room.vertices = sumUp(u32, room) * unit;
        start += room.vertices * stride;
        this.put(room, buffer.address + offset, size);
      }
    }
  }

  private put(room: SinkRange, address: number, size: number): void {
    const u32 = new Uint32Array(this.parts.memory.buffer);
    for (const record of room.records) putSinkRange(u32, record, room, address, size);
  }

  /** Whether there is no stream output. */
  get isEmpty(): boolean {
    return this.writes.size === 0;
  }

  saveCursors(): void {
    const u32 = new Uint32Array(this.parts.memory.buffer);
    for (const cursor of this.cursors.keys()) this.cursors.set(cursor, [u32[cursor >>> 2]!, u32[(cursor >>> 2) + 1]!]);
  }

  /** Discards what the chunk has appended, because its geometry will be replayed. */
  restoreCursors(): void {
    const u32 = new Uint32Array(this.parts.memory.buffer);
    for (const [cursor, words] of this.cursors) u32.set(words, cursor >>> 2);
  }

  /** Closes gaps, and writes the vertex counts as arguments for indirect draw calls. */
  finish(): void {
    const { kernel, memory, ranges } = this.parts;
    for (const [{ buffer, offset, size, counts }, writes] of this.writes) {
      const first = buffer.address + offset;
      let at = 0;
      let vertices = 0;
      let missed = 0;
      for (const write of writes) {
        const { room, pipeline, stride, unit } = write;
        const hasGaps = room.counts !== 0 && room.starts === 0;
        const record = room.records.at(-1)!;
        this.joinEnds(room);
        const its = hasGaps ? unit * kernel.exports.compactSink(record, first + at) : this.verticesIn(write, size);
        missed += this.missedOf(write, its, size);
        if (hasGaps) pipeline.countMoved(new Uint32Array(memory.buffer)[(record + Draw.sinkMoved) >>> 2]!);
        else if (at !== room.start) {
          const from = first + room.start;
          new Uint8Array(memory.buffer).copyWithin(first + at, from, from + its * stride);
          pipeline.countMoved(its * stride);
        }
        at += its * stride;
        vertices += its;
      }
      ranges.written(buffer);
      this.writeCounts(counts, vertices, missed);
    }
  }

  /** Sets Draw.sinkEnd of the last path to a room to that of all paths. */
  private joinEnds({ records }: SinkRange): void {
    const u32 = new Uint32Array(this.parts.memory.buffer);
    const ends = records.map((record) => u32[(record + Draw.sinkEnd) >>> 2]!);
    u32[(records.at(-1)! + Draw.sinkEnd) >>> 2] = Math.min(...ends);
  }

  /** Number of vertices that did not fit, if `vertices` did; UNKNOWN or more if output was dropped uncounted. */
  private missedOf({ room, stride }: SinkWrite, vertices: number, size: number): number {
    if (room.cursor) return new Uint32Array(this.parts.memory.buffer)[(room.cursor >>> 2) + 1]!;
    if (room.counts === 0 || room.starts !== 0) return room.vertices - vertices;
    return room.start + room.vertices * stride > size ? UNKNOWN : 0;
  }

  /** Called when the pass has failed. Sets the vertex counts to 0, whatever was written. */
  fail(): void {
    for (const { buffer, counts } of this.writes.keys()) {
      this.parts.ranges.written(buffer);
      this.writeCounts(counts, 0, UNKNOWN);
    }
  }

  private writeCounts(counts: BoundSink['counts'], vertices: number, missed: number): void {
    if (!counts) return;
    const { memory, ranges } = this.parts;
    new Uint32Array(memory.buffer, counts.buffer.address + counts.offset, 4).set([vertices, 1, 0, 0]);
    if (counts.missed !== null)
      new Uint32Array(memory.buffer, counts.buffer.address + counts.missed, 1)[0] = Math.min(missed, UNKNOWN);
    ranges.written(counts.buffer);
  }

  /** Number of vertices, in whole primitives, that were written without gaps to a buffer of `size` bytes. */
  private verticesIn({ room, stride, unit }: SinkWrite, size: number): number {
    const u32 = new Uint32Array(this.parts.memory.buffer);
    if (room.cursor) return u32[room.cursor >>> 2]! / stride;
    const end = Math.min(size - room.start, u32[(room.records.at(-1)! + Draw.sinkEnd) >>> 2]!);
    return Math.min(room.vertices, Math.max(0, Math.floor(end / room.unitBytes)) * unit);
  }
}

/** Writes the prefix sums of the counts to Draw.sinkStarts, and resets the counts. Returns the sum. */
function sumUp(u32: Uint32Array, { counts, starts, counted }: SinkRange): number {
  let all = 0;
  for (let i = 0; i < counted; i++) {
    u32[(starts >>> 2) + i] = all;
    all += u32[(counts >>> 2) + i]!;
  }
  u32.fill(0, counts >>> 2, (counts >>> 2) + counted);
  return all;
}

/** Tells kernels whether draw calls only count what their primitives output. */
export function markCounting(
  memory: WebAssembly.Memory,
  draws: readonly { readonly record: number }[],
  counts: 0 | 1
): void {
  const u32 = new Uint32Array(memory.buffer);
  for (const draw of draws) u32[(draw.record + Draw.sinkCounting) >>> 2] = counts;
}
