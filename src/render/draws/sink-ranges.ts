// The parts of stream output buffers that belong to draw calls, and their fields in DRAW records.
import { Draw } from '../../../build/layout';

/** Value of Draw.sinkEnd if every primitive that begins in the buffer also ends there. */
const NO_END = 0xffff_ffff;

/** The part of a stream output buffer that belongs to one draw call. */
export interface SinkRange {
  /** Byte offset in the buffer. */
  start: number;
  /** Value of Draw.sinkUnit. */
  readonly unitBytes: number;
  /** Maximum number of vertices; after a counting run, their exact number. */
  vertices: number;
  /** Maximum number of assembled primitives. */
  readonly primitives: number;
  /**
   * Values of Draw.sinkShare, Draw.sinkCounts and Draw.sinkCounted. There are no counts if each primitive produces
   * exactly one.
   */
  readonly share: number;
  counts: number;
  counted: number;
  /** Value of Draw.sinkStarts. */
  starts: number;
  /** Value of Draw.sinkCursor. Consecutive unordered draw calls share it. */
  readonly cursor: number;
  /** DRAW records that refer to this room, one for each path to the sink. */
  readonly records: number[];
}

/** Writes the room into a DRAW record. The sink's buffer has `size` bytes at `address`. */
export function putSinkRange(u32: Uint32Array, record: number, room: SinkRange, address: number, size: number): void {
  const start = Math.min(size, room.start);
  u32[(record + Draw.sink) >>> 2] = address + start;
  u32[(record + Draw.sinkBytes) >>> 2] = size - start;
  u32[(record + Draw.sinkShare) >>> 2] = room.share;
  u32[(record + Draw.sinkUnit) >>> 2] = room.unitBytes;
  u32[(record + Draw.sinkEnd) >>> 2] = NO_END;
  u32[(record + Draw.sinkCounts) >>> 2] = room.counts;
  u32[(record + Draw.sinkCounted) >>> 2] = room.counted;
  u32[(record + Draw.sinkStarts) >>> 2] = room.starts;
  u32[(record + Draw.sinkCursor) >>> 2] = room.cursor;
}
