// Vertices of a configuration. They depend on its seed only.
import { randomOf } from './generate.mjs';

/** Floats per vertex: x, y, z, side in pixels, and a colour. */
export const VERTEX_FLOATS = 8;

function meshOf({ side }, [width, height], random) {
  const columns = Math.ceil(width / side);
  const rows = Math.ceil(height / side);
  const vertices = [];
  for (let y = 0; y <= rows; y++)
    for (let x = 0; x <= columns; x++)
      vertices.push(
        ...[(x * side * 2) / width - 1, (y * side * 2) / height - 1, random.next(), 0],
        ...[x / columns, y / rows, random.next() * 0.2 + 0.4, 1]
      );
  const indices = [];
  const stride = columns + 1;
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++) {
      const at = y * stride + x;
      indices.push(at, at + 1, at + stride, at + 1, at + stride + 1, at + stride);
    }
  return { vertices, indices };
}

/** Offsets of a primitive's vertices from its centre, in halves of its side. */
const CORNERS = {
  points: [[0, 0]],
  sprites: [[0, 0]],
  lines: [
    [-1, -0.4],
    [1, 0.4],
  ],
  triangles: [
    [-1, -1],
    [1, -0.8],
    [0.2, 1],
  ],
};

/** Returns vertices as floats, and indices or null. */
export function verticesOf({ geometry, size, seed }) {
  const random = randomOf(seed ^ 0x5bd1e995);
  const [width, height] = size;
  const { kind, side, layers = 0, count, indexed } = geometry;
  if (kind === 'mesh') return meshOf(geometry, size, random);
  const vertices = [];
  if (kind === 'screen')
    for (let layer = 0; layer < layers; layer++) {
      const z = random.next();
      for (const [x, y] of [
        [-1, -1],
        [3, -1],
        [-1, 3],
      ])
        vertices.push(x, y, z, 0, (x + 1) / 2, (y + 1) / 2, 0.4, 1 - layer * 0.1);
    }
  else
    for (let i = 0; i < count; i++) {
      const [x, y, z, flip] = [random.next(), random.next(), random.next(), random.chance(0.5) ? 1 : -1];
      for (const [dx, dy] of CORNERS[kind])
        vertices.push(
          ...[x * 2 - 1 + (dx * side * flip) / width, y * 2 - 1 + (dy * side) / height, z, side],
          ...[x, y, z * 0.5 + 0.25, 0.6 + z * 0.3]
        );
    }
  const total = vertices.length / VERTEX_FLOATS;
  return { vertices, indices: indexed ? Array.from({ length: total }, (_, i) => i) : null };
}
