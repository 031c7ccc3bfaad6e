// Draw order: opaque draws from front to back, then blended ones from back to front, also within each draw.
import type { Camera } from './camera';
import { dot, multiply, subtract, transformPoint, type Vec3 } from '../math';
import { extendBox } from './points';
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
  const low: Vec3 = [Infinity, Infinity, Infinity];
  const high: Vec3 = [-Infinity, -Infinity, -Infinity];
  extendBox(geometry.positions, low, high);
  return transformPoint(matrix, (low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2);
}

/**
 * Returns a draw's indices with the farthest triangle first, by the depth of its centre. Equal depths keep their order.
 */
export function trianglesBackToFront({ geometry, matrix }: Draw, camera: Camera): Uint32Array {
  const { positions, indices, vertexCount } = geometry;
  const depth = new Float64Array(vertexCount);
  const [fx, fy, fz] = camera.forward;
  const m = matrix;
  for (let v = 0, i = 0; v < vertexCount; v++, i += 3) {
    const x = positions[i];
    const y = positions[i + 1];
    const z = positions[i + 2];
    depth[v] =
      (m[0] * x + m[4] * y + m[8] * z + m[12]) * fx
      + (m[1] * x + m[5] * y + m[9] * z + m[13]) * fy
      + (m[2] * x + m[6] * y + m[10] * z + m[14]) * fz;
  }
  // The farthest triangle has the least key. Depths that are not numbers would have no place.
  const keys = new Float64Array(indices.length / 3);
  for (let t = 0, i = 0; t < keys.length; t++, i += 3)
    keys[t] = -(depth[indices[i]] + depth[indices[i + 1]] + depth[indices[i + 2]]) || 0;
  const out = new Uint32Array(indices.length);
  const places = ranks(keys);
  for (let t = 0, i = 0; t < keys.length; t++, i += 3) {
    const o = 3 * places[t];
    out[o] = indices[i];
    out[o + 1] = indices[i + 1];
    out[o + 2] = indices[i + 2];
  }
  return out;
}

/**
 * The place of each key in ascending order; equal keys keep their order. Sorting the keys alone and searching for each
 * takes a fifth of the time of sorting their numbers by a function, which engines have not compiled yet.
 */
function ranks(keys: Float64Array): Uint32Array {
  const sorted = keys.slice().sort();
  const taken = new Uint32Array(keys.length);
  const places = new Uint32Array(keys.length);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    let low = 0;
    for (let high = keys.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (sorted[middle] < key) low = middle + 1;
      else high = middle;
    }
    places[i] = low + taken[low]++;
  }
  return places;
}
