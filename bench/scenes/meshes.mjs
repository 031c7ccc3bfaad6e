// Procedural meshes: positions and normals in one array, and triangle indices (counter-clockwise seen from outside).
import { BUFFER, floats, round, upload } from './kit.mjs';

/** Vertex layout of these meshes. */
export const POSITION_NORMAL = floats([3, 3]);

/** Vertices in `rings` + 1 rows of 2·`rings` + 1 on a unit ball, displaced by `bumpOf` (unit vector → factor). */
export function ball(rings, bumpOf = () => 1) {
  const across = rings * 2;
  const data = [];
  const index = [];
  for (let r = 0; r <= rings; r++)
    for (let a = 0; a <= across; a++) {
      const [z, s] = round((r / rings) * 2);
      const [x, y] = round((a / across) * 4);
      const bump = bumpOf(x, y, z, s);
      data.push(x * s * bump, z * bump, y * s * bump, x * s, z, y * s);
      if (r === rings || a === across) continue;
      const k = r * (across + 1) + a;
      index.push(k, k + 1, k + across + 1, k + 1, k + across + 2, k + across + 1);
    }
  return { data: Float32Array.from(data), index: Uint32Array.from(index) };
}

/** A ball with bumps. Avoids trigonometric functions, so that the mesh is the same everywhere. */
export function bumpyBall(rings) {
  const wave = (t) => {
    const u = Math.abs(t - Math.floor(t) - 0.5) * 2;
    return u * u * (3 - 2 * u);
  };
  return ball(rings, (x, y, z, s) => 1 + 0.15 * wave(x * s * 2.5) * wave(y * s * 2.5 + z));
}

/** A box of −1…1 in x and z, and 0…2 in y, so that it rests on the ground. */
export function box() {
  const data = [];
  const index = [];
  for (let face = 0; face < 6; face++) {
    const axis = face >> 1;
    const sign = face & 1 ? -1 : 1;
    const u = (axis + 1) % 3;
    const v = (axis + 2) % 3;
    for (const [a, b] of [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ]) {
      const p = [0, 0, 0];
      const n = [0, 0, 0];
      p[axis] = n[axis] = sign;
      p[u] = a * sign;
      p[v] = b;
      data.push(p[0], p[1] + 1, p[2], ...n);
    }
    index.push(...[0, 1, 2, 0, 2, 3].map((k) => face * 4 + k));
  }
  return { data: Float32Array.from(data), index: Uint32Array.from(index) };
}

/** The square −half…half of the ground, divided into cells² squares. */
export function ground(half, cells = 1) {
  const data = [];
  const index = [];
  for (let z = 0; z <= cells; z++)
    for (let x = 0; x <= cells; x++) {
      data.push(((x / cells) * 2 - 1) * half, 0, ((z / cells) * 2 - 1) * half, 0, 1, 0);
      if (x === cells || z === cells) continue;
      const k = z * (cells + 1) + x;
      index.push(k, k + cells + 1, k + 1, k + 1, k + cells + 1, k + cells + 2);
    }
  return { data: Float32Array.from(data), index: Uint32Array.from(index) };
}

/** Uploads a mesh. `draw` draws a number of instances, starting at `first`. */
export function meshOf(device, { data, index }) {
  const vertices = upload(device, data, BUFFER.VERTEX);
  const indices = upload(device, index, BUFFER.INDEX);
  return {
    draw(pass, instances = 1, first = 0) {
      pass.setVertexBuffer(0, vertices);
      pass.setIndexBuffer(indices, 'uint32');
      pass.drawIndexed(index.length, instances, 0, 0, first);
    },
  };
}
