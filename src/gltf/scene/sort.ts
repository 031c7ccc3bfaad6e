// Draw order: opaque draws from front to back, then blended ones from back to front, also within each draw.
import type { Camera } from './camera';
import { dot, multiply, subtract, transformPoint, type Vec3 } from '../math';
import type { Draw } from './scene';

/** Returns the draws in the order in which they are drawn. */
export function drawOrder(draws: readonly Draw[], camera: Camera): Draw[] {
  const depths = new Map(draws.map((draw) => [draw, dot(subtract(middle(draw), camera.eye), camera.forward)]));
  const blended = (draw: Draw): boolean => draw.material.alphaMode === 'BLEND';
  const solid = draws.filter((draw) => !blended(draw)).sort((a, b) => depths.get(a)! - depths.get(b)!);
  return [...solid, ...draws.filter(blended).sort((a, b) => depths.get(b)! - depths.get(a)!)];
}

/** Centre of a draw's bounding box in world space; of its first instance if there are many. */
function middle({ geometry, matrix: world, instances }: Draw): Vec3 {
  const matrix = instances ? multiply(world, [...instances.subarray(0, 16)]) : world;
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const { positions } = geometry;
  for (let i = 0; i < positions.length; i++) {
    const c = i % 3;
    if (positions[i] < low[c]) low[c] = positions[i];
    if (positions[i] > high[c]) high[c] = positions[i];
  }
  return transformPoint(matrix, (low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2);
}

/**
 * Returns a draw's indices with the farthest triangle first, by the depth of its centre. Equal depths keep their order.
 */
export function trianglesBackToFront({ geometry, matrix }: Draw, camera: Camera): Uint32Array {
  const { positions, indices, vertexCount } = geometry;
  const depth = new Float64Array(vertexCount);
  for (let v = 0; v < vertexCount; v++) {
    depth[v] = dot(
      transformPoint(matrix, positions[v * 3], positions[v * 3 + 1], positions[v * 3 + 2]),
      camera.forward
    );
  }
  const count = indices.length / 3;
  const key = new Float64Array(count);
  for (let t = 0; t < count; t++)
    key[t] = depth[indices[t * 3]] + depth[indices[t * 3 + 1]] + depth[indices[t * 3 + 2]];
  const order = Uint32Array.from({ length: count }, (_, t) => t).sort((a, b) => key[b] - key[a] || a - b);
  const out = new Uint32Array(indices.length);
  order.forEach((t, i) => out.set(indices.subarray(t * 3, t * 3 + 3), i * 3));
  return out;
}
