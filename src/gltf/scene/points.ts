// World positions of the vertices that are drawn. They come in batches, because a function that gets each vertex would
// cost more than the arithmetic as long as engines have not compiled it.
import { multiply, type Mat4, type Vec3 } from '../math';
import type { Geometry } from './geometry';

/** A geometry, and the matrices by which its instances come to world space (scene.ts). */
interface Placed {
  readonly geometry: Geometry;
  readonly matrix: Mat4;
  readonly instances?: Float32Array | undefined;
}

/** Vertices of instances above which only the corners of their boxes are visited. */
const MAX_VISITS = 4_000_000;
/** Floats of a batch. */
const BATCH = 3 * 4096;

/**
 * Calls `visit` with the world positions of all vertices that are drawn.
 * @param visit gets x, y, z of some vertices; the array is used again
 */
export function forEachBatch(draws: readonly Placed[], visit: (points: Float64Array) => void): void {
  const batch = new Float64Array(BATCH);
  for (const { geometry, matrix, instances } of draws) {
    const count = instances ? instances.length / 16 : 1;
    let points = usedPositions(geometry);
    if (count > 1 && (points.length / 3) * count > MAX_VISITS) points = boxCorners(points);
    for (let i = 0; i < count; i++) {
      const m = instances ? multiply(matrix, [...instances.subarray(16 * i, 16 * i + 16)]) : matrix;
      for (let from = 0; from < points.length; from += BATCH) {
        const part = points.subarray(from, from + BATCH);
        transform(part, m, batch);
        visit(batch.subarray(0, part.length));
      }
    }
  }
}

/** The box around all vertices that are drawn. */
export function boxOf(draws: readonly Placed[]): { low: Vec3; high: Vec3 } {
  const low: Vec3 = [Infinity, Infinity, Infinity];
  const high: Vec3 = [-Infinity, -Infinity, -Infinity];
  forEachBatch(draws, (points) => extendBox(points, low, high));
  return { low, high };
}

/** Extends a box by points. */
export function extendBox(points: Float64Array | Float32Array, low: Vec3, high: Vec3): void {
  for (let c = 0; c < 3; c++) {
    let least = low[c];
    let most = high[c];
    for (let i = c; i < points.length; i += 3) {
      const value = points[i];
      if (value < least) least = value;
      if (value > most) most = value;
    }
    low[c] = least;
    high[c] = most;
  }
}

function transform(points: Float32Array, m: Mat4, out: Float64Array): void {
  for (let i = 0; i < points.length; i += 3) {
    const x = points[i];
    const y = points[i + 1];
    const z = points[i + 2];
    out[i] = m[0] * x + m[4] * y + m[8] * z + m[12];
    out[i + 1] = m[1] * x + m[5] * y + m[9] * z + m[13];
    out[i + 2] = m[2] * x + m[6] * y + m[10] * z + m[14];
  }
}

/** Positions of the vertices that indices refer to, in the order of the vertices. */
function usedPositions({ positions, indices, vertexCount }: Geometry): Float32Array {
  const used = new Uint8Array(vertexCount);
  let count = 0;
  for (let i = 0; i < indices.length; i++) {
    const index = indices[i];
    count += 1 - used[index];
    used[index] = 1;
  }
  if (count === vertexCount) return positions;
  const out = new Float32Array(count * 3);
  for (let v = 0, o = 0; v < vertexCount; v++) {
    if (used[v] === 0) continue;
    for (let i = 3 * v; i < 3 * v + 3; i++, o++) out[o] = positions[i];
  }
  return out;
}

function boxCorners(points: Float32Array): Float32Array {
  const low: Vec3 = [Infinity, Infinity, Infinity];
  const high: Vec3 = [-Infinity, -Infinity, -Infinity];
  extendBox(points, low, high);
  return Float32Array.from({ length: 24 }, (_, i) => (Math.floor(i / 3) & (1 << (i % 3)) ? high : low)[i % 3]);
}
