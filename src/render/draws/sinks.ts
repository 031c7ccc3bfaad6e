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
import type { Pipeline } from '../pipeline/pipeline';
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
  readonly corners: number;
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
 * Beyond it, output has gaps, and what does not fit is dropped.
 */
const MOST_COUNTED = 1 << 22;

const isCounted = ({ room }: SinkWrite): boolean => room.counts !== 0;

export class Sinks {
  /** The writes of draw calls, in order. */
  private readonly writes = new Map<BoundSink, SinkWrite[]>();
  /** Buffers without room for gaps. A counting run determines the output of each primitive in advance. */
  private tight: readonly (readonly [BoundSink, readonly SinkWrite[]])[] = [];
  /** Addresses of Draw.sinkCursor words, and their values when the chunk began. */
  private readonly cursors = new Map<number, number>();

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
    return leaves.map(({ state: { number, ...sink }, corners }) => {
      const bound = state.sinks[number];
      if (sink.kind !== 'buffer' || !bound) return null;
      let room = rooms.get(number);
      if (room) return room;
      const paths = leaves.filter((leaf) => leaf.state.number === number);
      // The count is stored in 32 bits. With a larger one, only output of the first primitive could fit.
      const share = Math.min(
        0xffffffff,
        paths.reduce((all, path) => all + path.share, 0)
      );
      const emits = paths.some((path) => path.emits);
      const type = emits ? 'primitive' : 'vertex';
      // If something is drawn as well, a chunk may end inside the task, and the task would then append twice.
      const appends =
        hasOnlyBufferSinks && orderOfSamples(processingOrder[type] ?? 'auto', orders[type]) === 'independent';
      // With an emitting stage or a strip that any index may restart, the output of each primitive is not known in
      // advance.
      const varies = paths.length > 1 || emits || (indexed && isStrip(topology));
      const write = { pipeline, stride: sink.buffer.arrayStride, corners };
      room = this.take(bound, write, primitives, { share, way: appends ? 'appended' : varies ? 'counted' : 'placed' });
      rooms.set(number, room);
      return room;
    });
  }

  /** `share`: maximum number of output primitives per primitive. */
  private take(
    sink: BoundSink,
    { pipeline, stride, corners }: Omit<SinkWrite, 'room'>,
    primitives: number,
    { share, way }: { readonly share: number; readonly way: Way }
  ): SinkRange {
    const writes = this.writes.get(sink) ?? [];
    const last = writes.at(-1);
    const vertices = primitives * share * corners;
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
      const fitting = Math.ceil(Math.max(0, sink.size - start) / (share * corners * stride));
      counted = Math.min(primitives, fitting);
      counts = this.zeros(counted);
    } else if (way === 'appended') {
      cursor = this.zeros(1);
      this.cursors.set(cursor, 0);
    }
    const room = { start, share, vertices, primitives, counts, counted, starts: 0, cursor, records: [] };
    writes.push({ room, pipeline, stride, corners });
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
    for (const [{ buffer, offset }, writes] of this.tight)
      for (const { room } of writes.filter(isCounted)) {
        room.counts = this.zeros(room.primitives);
        room.starts = this.zeros(room.primitives);
        room.counted = room.primitives;
        // The size is 0, so that nothing is written yet.
        this.put(room, buffer.address + offset, 0);
      }
    return this.tight.length > 0;
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
      for (const { room, stride, corners } of writes) {
        room.start = start;
        if (room.starts) room.vertices = sumUp(u32, room) * corners;
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
    for (const cursor of this.cursors.keys()) this.cursors.set(cursor, u32[cursor >>> 2]!);
  }

  /** Discards what the chunk has appended, because its geometry will be replayed. */
  restoreCursors(): void {
    const u32 = new Uint32Array(this.parts.memory.buffer);
    for (const [cursor, bytes] of this.cursors) u32[cursor >>> 2] = bytes;
  }

  /** Closes gaps, and writes the vertex counts as arguments for indirect draw calls. */
  finish(): void {
    const { kernel, memory, ranges } = this.parts;
    for (const [{ buffer, offset, size, counts }, writes] of this.writes) {
      const first = buffer.address + offset;
      let at = 0;
      let vertices = 0;
      for (const write of writes) {
        const { room, pipeline, stride, corners } = write;
        const hasGaps = room.counts !== 0 && room.starts === 0;
        const record = room.records.at(-1)!;
        const its = hasGaps
          ? corners * kernel.exports.compactSink(record, stride, first + at)
          : this.verticesIn(write, size);
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
      this.writeCounts(counts, vertices);
    }
  }

  /** Called when the pass has failed. Sets the vertex counts to 0, whatever was written. */
  fail(): void {
    for (const { buffer, counts } of this.writes.keys()) {
      this.parts.ranges.written(buffer);
      this.writeCounts(counts, 0);
    }
  }

  private writeCounts(counts: BoundSink['counts'], vertices: number): void {
    if (!counts) return;
    const { memory, ranges } = this.parts;
    new Uint32Array(memory.buffer, counts.buffer.address + counts.offset, 4).set([vertices, 1, 0, 0]);
    ranges.written(counts.buffer);
  }

  /** Number of vertices, in whole primitives, that were written without gaps to a buffer of `size` bytes. */
  private verticesIn({ room, stride, corners }: SinkWrite, size: number): number {
    if (room.cursor) return new Uint32Array(this.parts.memory.buffer)[room.cursor >>> 2]! / stride;
    return Math.min(room.vertices, Math.max(0, Math.floor((size - room.start) / (stride * corners))) * corners);
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
