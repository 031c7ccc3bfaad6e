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
const slots = (vertices: number, threads: number): number => ((vertices + 3) & ~3) + threads * EXTRA_VERTICES;

/** Bytes that a range of `vertices` takes in the pool. */
export function sharedRangeBytes(vertices: number, varyings: number, threads: number): number {
  const all = slots(vertices, threads);
  return (
    all * (strideOf(varyings) + POSITION_BYTES) + alignUp(all * Corner.bytes, 16) + alignUp(all * OUTCODE_BYTES, 16)
  );
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
  put(VertexRange.outcodes, corners + alignUp(all * Corner.bytes, 16));
  put(VertexRange.extra, (vertices + 3) & ~3);
}

/**
 * Maximum bytes for shared ranges; bytes that a pass uses if it has enough ranges, so that workers need not wait for
 * each other between them.
 */
const MOST_POOL_BYTES = 64 << 20;
const POOL_BYTES = 16 << 20;

interface SharedRangeDraw {
  /** Number of vertices in the draw call's shared range; 0 or undefined if it has none. */
  readonly sharedRange?: number;
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
    if (!draw.sharedRange || !draw.counts) continue;
    const bytes = sharedRangeBytes(draw.sharedRange, draw.varyings, threads);
    if (bytes > most) continue;
    longest = Math.max(longest, bytes);
    all += bytes * draw.counts.instanceCount;
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
