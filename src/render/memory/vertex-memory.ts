// Memory layout of shaded vertices of index ranges. Short ranges are in the memory of the worker that needs them, long
// ones in a pool that all workers read.
import { RANGE_VERTICES } from '../../../assembly/layout/vertex/geometry-codes';
import { EXTRA_VERTICES, OUTCODE_BYTES, POSITION_BYTES } from '../../../assembly/layout/vertex/setup-codes';
import { Corner, Packet, VertexRange } from '../../../build/layout';

const aligned = (bytes: number): number => (bytes + 15) & ~15;
const strideOf = (varyings: number): number => aligned(varyings * 4 + Packet.bytes);

/** Bytes that a worker needs to shade ranges of up to RANGE_VERTICES vertices with `varyings` scalars each. */
export function privateRangeBytes(varyings: number): number {
  return aligned(
    (RANGE_VERTICES + EXTRA_VERTICES + 3) * (strideOf(varyings) + POSITION_BYTES + OUTCODE_BYTES + Corner.bytes)
  );
}

/** Number of vertices in a shared range, including those that clipping adds. */
const slots = (vertices: number, threads: number): number => ((vertices + 3) & ~3) + threads * EXTRA_VERTICES;

/** Bytes that a range of `vertices` takes in the pool. */
export function sharedRangeBytes(vertices: number, varyings: number, threads: number): number {
  const all = slots(vertices, threads);
  return all * (strideOf(varyings) + POSITION_BYTES) + aligned(all * Corner.bytes) + aligned(all * OUTCODE_BYTES);
}

/** Fills a RANGE record for memory at `address`. */
export function writeSharedRange(
  u32: Uint32Array,
  range: number,
  address: number,
  vertices: number,
  varyings: number,
  threads: number
): void {
  const all = slots(vertices, threads);
  const positions = address + all * strideOf(varyings);
  const corners = positions + all * POSITION_BYTES;
  const put = (field: number, value: number): void => {
    u32[(range + field) >>> 2] = value;
  };
  put(VertexRange.packets, address);
  put(VertexRange.positions, positions);
  put(VertexRange.corners, corners);
  put(VertexRange.outcodes, corners + aligned(all * Corner.bytes));
  put(VertexRange.extra, (vertices + 3) & ~3);
}
