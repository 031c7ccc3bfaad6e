// Memory layout of shaded vertices of index ranges. Short ranges are in the memory of the worker that needs them, long
// ones in a pool that all workers read.
import { alignUp } from '../../base/bits';
import { RANGE_VERTICES } from '../../../assembly/layout/vertex/geometry-codes';
import { EXTRA_VERTICES, OUTCODE_BYTES, POSITION_BYTES } from '../../../assembly/layout/vertex/setup-codes';
import { Corner, Packet, VertexRange } from '../../../build/layout';

const strideOf = (varyings: number): number => alignUp(varyings * 4 + Packet.bytes, 16);

/** Bytes that a worker needs to shade ranges of up to RANGE_VERTICES vertices with `varyings` scalars each. */
export function privateRangeBytes(varyings: number): number {
  return alignUp(
    (RANGE_VERTICES + EXTRA_VERTICES + 3) * (strideOf(varyings) + POSITION_BYTES + OUTCODE_BYTES + Corner.bytes),
    16
  );
}

/** Number of vertices in a shared range, including those that clipping adds. */
const slots = (vertices: number, threads: number): number => alignUp(vertices, 4) + threads * EXTRA_VERTICES;

/** A draw call's range that all workers read. */
export interface SharedRange {
  /** Number of vertices of an instance; 0: it has no such range. */
  readonly sharedRange: number;
  readonly varyings: number;
  /** Number of scalars of each vertex that are stored for stages that emit; null if vertices go to setup. */
  readonly stored: number | null;
}

/** Bytes that a range takes in the pool. */
export function sharedRangeBytes({ sharedRange, varyings, stored }: SharedRange, threads: number): number {
  if (stored !== null) return alignUp(sharedRange, 4) * alignUp(stored, 4) * 4;
  const all = slots(sharedRange, threads);
  return (
    all * (strideOf(varyings) + POSITION_BYTES) + alignUp(all * Corner.bytes, 16) + alignUp(all * OUTCODE_BYTES, 16)
  );
}

/** Fills a RANGE record for memory at `address`. */
export function writeSharedRange(
  u32: Uint32Array,
  range: number,
  address: number,
  { sharedRange, varyings }: SharedRange,
  threads: number
): void {
  const all = slots(sharedRange, threads);
  const positions = address + all * strideOf(varyings);
  const corners = positions + all * POSITION_BYTES;
  const put = (field: number, value: number): void => {
    u32[(range + field) >>> 2] = value;
  };
  put(VertexRange.packets, address);
  put(VertexRange.positions, positions);
  put(VertexRange.corners, corners);
  put(VertexRange.outcodes, corners + alignUp(all * Corner.bytes, 16));
  put(VertexRange.extra, alignUp(sharedRange, 4));
}

/**
 * Maximum bytes for shared ranges; bytes that a pass uses if it has enough ranges, so that workers need not wait for
 * each other between them.
 */
const MOST_POOL_BYTES = 64 << 20;
const POOL_BYTES = 16 << 20;

interface SharedRangeDraw extends Partial<SharedRange> {
  /** Whether a worker shades a range of vertices of its own for it. */
  readonly hasRange: boolean;
  readonly varyings: number;
  readonly counts?: { readonly instanceCount: number };
}

/** Bytes of the pool for the shared ranges of draw calls, at most `maxBytes`; 0 if there are none that fit. */
function sharedPoolBytes(draws: readonly SharedRangeDraw[], threads: number, maxBytes: number): number {
  let longest = 0;
  let all = 0;
  const most = Math.min(MOST_POOL_BYTES, maxBytes);
  for (const draw of draws) {
    const { sharedRange, varyings, stored, counts } = draw;
    if (!sharedRange || stored === undefined || !counts) continue;
    const bytes = sharedRangeBytes({ sharedRange, varyings, stored }, threads);
    if (bytes > most) continue;
    longest = Math.max(longest, bytes);
    all += bytes * counts.instanceCount;
  }
  return longest > 0 ? Math.max(longest, Math.min(all, POOL_BYTES, most)) : 0;
}

/** The part of a workspace that provides memory for shaded vertices. */
interface VertexWorkspace {
  readonly threads: number;
  readonly maxPoolBytes: number;
  provideRanges(varyings: number): void;
  providePool(bytes: number): { readonly address: number; readonly bytes: number } | null;
}

/** Provides the workers' private ranges for draw calls, and the pool for their shared ranges; null if there is none. */
export function provideVertexMemory(
  draws: readonly SharedRangeDraw[],
  workspace: VertexWorkspace
): { readonly address: number; readonly bytes: number } | null {
  const varyings = draws.reduce((most, draw) => Math.max(most, draw.varyings), 0);
  if (draws.some((draw) => draw.hasRange)) workspace.provideRanges(varyings);
  const bytes = sharedPoolBytes(draws, workspace.threads, workspace.maxPoolBytes);
  return bytes > 0 ? workspace.providePool(bytes) : null;
}
