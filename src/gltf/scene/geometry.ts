// Converts a glTF primitive to triangles, lines or points: floats per vertex, and indices that are all in range.
import type { Accessor, Primitive } from '@gltf-transform/core';
import type { ModelBudget } from '../budget';
import { ModelError } from '../errors';
import { determinant3, normalMatrix, type Mat4 } from '../math';

export type Topology = 'triangles' | 'lines' | 'points';

/**
 * Vertices and how they form triangles, lines or points. Each array except `indices` has a fixed number of floats per
 * vertex.
 */
export interface Geometry {
  topology: Topology;
  vertexCount: number;
  /** x, y, z. */
  positions: Float32Array;
  /** x, y, z; not always of unit length. */
  normals: Float32Array;
  /** x, y, z and the sign of the bitangent. */
  tangents: Float32Array | undefined;
  /** u, v for each set of texture coordinates in the primitive. */
  uvs: (Float32Array | undefined)[];
  /** Linear r, g, b, a. */
  colors: Float32Array | undefined;
  /** Three indices per triangle, two per line, or one per point. */
  indices: Uint32Array;
  /** x, y, z in the next frame, for the motion of the vertices. */
  next?: Float32Array;
}

/** Joint matrices of a skin in the order of its joints. They transform mesh vertices to world space. */
type Joints = readonly Mat4[];

/** Number of sets of texture coordinates that are read. */
export const MAX_UV_SETS = 4;

const MODE = {
  POINTS: 0,
  LINES: 1,
  LINE_LOOP: 2,
  LINE_STRIP: 3,
  TRIANGLES: 4,
  TRIANGLE_STRIP: 5,
  TRIANGLE_FAN: 6,
} as const;

/** Bytes of a vertex for flat shading: position, normal, two sets of texture coordinates, a colour and an index. */
const FLAT_VERTEX_BYTES = 15 * 4;

/** Reads parts of a primitive and counts their memory. */
interface Reader {
  readonly primitive: Primitive;
  readonly name: string;
  readonly floats: (accessor: Accessor, size: number, what: string) => Float32Array;
  readonly spend: (bytes: number) => void;
}

/** Capitalises a message that begins with the name of a primitive. */
const fromUpper = (message: string): string => message.charAt(0).toUpperCase() + message.slice(1);

function fail(message: string): never {
  throw new ModelError(fromUpper(message));
}

const topologyOf = (mode: number): Topology =>
  mode >= MODE.TRIANGLES ? 'triangles' : mode === MODE.POINTS ? 'points' : 'lines';

/** Indices per triangle, line or point. */
export const CORNERS: Record<Topology, number> = { triangles: 3, lines: 2, points: 1 };

/**
 * Reads a primitive in its pose.
 * @param name of the primitive in messages
 * @param weights of the morph targets
 * @param joints of the skin if the node has one; the vertices are then in world space
 * @param budget memory account of the model
 */
export function readGeometry(
  primitive: Primitive,
  name: string,
  weights: readonly number[],
  joints: Joints | undefined,
  budget: ModelBudget
): Geometry | undefined {
  const reader: Reader = {
    primitive,
    name,
    floats: (accessor, size, what) => {
      budget.spend(accessor.getCount() * size * 4, fromUpper(what));
      return readFloats(accessor, size, what);
    },
    spend: (bytes) => budget.spend(bytes, fromUpper(name)),
  };
  const position = primitive.getAttribute('POSITION');
  if (!position) return undefined;
  const vertexCount = position.getCount();
  const attribute = (semantic: string, size: number): Float32Array | undefined => {
    const accessor = primitive.getAttribute(semantic);
    if (!accessor) return undefined;
    if (accessor.getCount() !== vertexCount)
      fail(`${name} has ${vertexCount} positions but ${accessor.getCount()} of ${semantic}.`);
    const values = reader.floats(accessor, size, `${semantic} of ${name}`);
    if (semantic !== 'POSITION') replaceNonFinite(values);
    return values;
  };
  const topology = topologyOf(primitive.getMode());
  const geometry: Geometry = {
    topology,
    vertexCount,
    positions: attribute('POSITION', 3)!,
    normals: attribute('NORMAL', 3) ?? new Float32Array(0),
    tangents: attribute('TANGENT', 4),
    uvs: Array.from({ length: MAX_UV_SETS }, (_, i) => attribute(`TEXCOORD_${i}`, 2)),
    colors: attribute('COLOR_0', 4),
    indices: readIndices(reader, vertexCount),
  };
  if (geometry.indices.length === 0) return undefined;
  morph(geometry, reader, weights);
  if (joints) skin(geometry, reader, joints);
  if (!areFinite(geometry.positions)) fail(`${name} has positions that are not finite numbers.`);
  if (geometry.normals.length > 0 || topology !== 'triangles') return geometry;
  reader.spend(geometry.indices.length * FLAT_VERTEX_BYTES);
  return withFlatNormals(geometry);
}

/** Scales of normalised integers by component type (glTF 2.0 §3.11); signed values are clamped at −1. */
const NORMALIZED_SCALE: Record<number, number> = { 5120: 127, 5121: 255, 5122: 32767, 5123: 65535 };

/** Converts an accessor's elements to floats, cut or extended (with 1) to `size` components. */
function readFloats(accessor: Accessor, size: number, name: string): Float32Array {
  const array = accessor.getArray();
  const components = accessor.getElementSize();
  const count = accessor.getCount();
  if (!array || components > 4) fail(`${name} is not a list of vectors.`);
  if (components < Math.min(size, 3)) fail(`${name} has ${components} components, but must have ${size}.`);
  const divisor = accessor.getNormalized() ? NORMALIZED_SCALE[accessor.getComponentType()] : undefined;
  const out = new Float32Array(count * size);
  // Most accessors have as many components as are read. A copy is twenty times as fast as the loop below.
  if (components === size) {
    out.set(array.subarray(0, out.length));
    if (divisor !== undefined) for (let i = 0; i < out.length; i++) out[i] = Math.max(-1, out[i] / divisor);
    return out;
  }
  for (let i = 0; i < count; i++) {
    for (let c = 0; c < size; c++) {
      const raw = c < components ? array[i * components + c] : undefined;
      out[i * size + c] = raw === undefined ? 1 : divisor ? Math.max(-1, raw / divisor) : raw;
    }
  }
  return out;
}

function areFinite(values: Float32Array): boolean {
  // NaN and infinity times 0 are NaN, so that the sum of the products tells.
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] * 0;
  return sum === 0;
}

/**
 * Replaces NaN and infinity by 0, in attributes other than positions. There they only affect the look of single
 * triangles.
 */
function replaceNonFinite(values: Float32Array): void {
  if (areFinite(values)) return;
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) values[i] = 0;
}

function readIndices({ primitive, name, spend }: Reader, vertexCount: number): Uint32Array {
  const accessor = primitive.getIndices();
  const mode = primitive.getMode();
  // Each index of a strip, loop or fan, except the first ones, makes a triangle or line.
  spend((accessor?.getCount() ?? vertexCount) * 4 * (mode === MODE.TRIANGLES || mode <= MODE.LINES ? 1 : 4));
  if (!accessor)
    return separate(
      Uint32Array.from({ length: vertexCount }, (_, i) => i),
      mode
    );
  const array = accessor.getArray();
  if (!array || accessor.getElementSize() !== 1) fail(`The indices of ${name} are not single numbers.`);
  const parts = splitAtRestart(new Uint32Array(array), RESTART[accessor.getComponentType()], mode);
  for (const part of parts) {
    for (let i = 0; i < part.length; i++)
      if (part[i] >= vertexCount) fail(`${name} has an index out of range: ${part[i]}, of ${vertexCount} vertices.`);
  }
  return parts.length === 1 ? separate(parts[0], mode) : join(parts.map((part) => separate(part, mode)));
}

/** The index that begins a strip, loop or fan anew, by component type (KHR_mesh_primitive_restart). */
const RESTART: Record<number, number> = { 5121: 0xff, 5123: 0xffff, 5125: 0xffffffff };

function splitAtRestart(list: Uint32Array, restart: number | undefined, mode: number): Uint32Array[] {
  if (restart === undefined || mode === MODE.POINTS || mode === MODE.LINES || mode === MODE.TRIANGLES) return [list];
  const parts: Uint32Array[] = [];
  let start = 0;
  for (let at = list.indexOf(restart); at >= 0; at = list.indexOf(restart, start)) {
    parts.push(list.subarray(start, at));
    start = at + 1;
  }
  return [...parts, list.subarray(start)];
}

function join(parts: readonly Uint32Array[]): Uint32Array {
  const out = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Converts indices to separate triangles, lines or points; incomplete ones are left out. */
function separate(list: Uint32Array, mode: number): Uint32Array {
  switch (mode) {
    case MODE.POINTS:
      return list;
    case MODE.LINES:
      return list.subarray(0, list.length - (list.length % 2));
    case MODE.LINE_LOOP:
    case MODE.LINE_STRIP:
      return expandLines(list, mode === MODE.LINE_LOOP);
    case MODE.TRIANGLES:
      return list.subarray(0, list.length - (list.length % 3));
    default:
      return expandTriangles(list, mode === MODE.TRIANGLE_STRIP);
  }
}

/** Converts a strip of lines to separate lines; a loop has one more, from its last vertex to its first. */
function expandLines(list: Uint32Array, loop: boolean): Uint32Array {
  const count = list.length < 2 ? 0 : list.length - (loop ? 0 : 1);
  const out = new Uint32Array(count * 2);
  for (let i = 0; i < count; i++) {
    out[i * 2] = list[i];
    out[i * 2 + 1] = list[(i + 1) % list.length];
  }
  return out;
}

/**
 * Converts a strip or fan to separate triangles. Every second triangle of a strip is reversed, so that all have the
 * same winding (glTF 2.0 §3.7.2.1).
 */
export function expandTriangles(list: Uint32Array, strip: boolean): Uint32Array {
  const count = Math.max(0, list.length - 2);
  const out = new Uint32Array(count * 3);
  for (let i = 0; i < count; i++) {
    const odd = strip && i % 2 === 1;
    out[i * 3] = strip ? list[i] : list[0];
    out[i * 3 + 1] = list[odd ? i + 2 : i + 1];
    out[i * 3 + 2] = list[odd ? i + 1 : i + 2];
  }
  return out;
}

function morph(geometry: Geometry, { primitive, name, floats }: Reader, weights: readonly number[]): void {
  primitive.listTargets().forEach((target, t) => {
    const weight = weights[t] ?? 0;
    if (weight === 0) return;
    for (const [semantic, base, stride] of [
      ['POSITION', geometry.positions, 3],
      ['NORMAL', geometry.normals, 3],
      ['TANGENT', geometry.tangents, 4],
      ['COLOR_0', geometry.colors, 4],
      ...geometry.uvs.map((uv, i) => [`TEXCOORD_${i}`, uv, 2] as const),
    ] as const) {
      const accessor = target.getAttribute(semantic);
      if (!accessor || !base || base.length === 0) continue;
      if (accessor.getCount() !== geometry.vertexCount)
        fail(`A morph target of ${name} has the wrong number of vertices.`);
      const size = semantic === 'TANGENT' ? 3 : Math.min(stride, accessor.getElementSize());
      const delta = floats(accessor, size, `a morph target of ${name}`);
      for (let v = 0; v < geometry.vertexCount; v++) {
        for (let c = 0; c < size; c++) base[v * stride + c] += weight * delta[v * size + c];
      }
    }
  });
}

/** Linear blend skinning on the CPU. A vertex without weights is transformed by its first joint. */
function skin(geometry: Geometry, { primitive, name, floats }: Reader, joints: Joints): void {
  const sets: { joints: Float32Array; weights: Float32Array }[] = [];
  for (let set = 0; ; set++) {
    const j = primitive.getAttribute(`JOINTS_${set}`);
    const w = primitive.getAttribute(`WEIGHTS_${set}`);
    if (!j || !w) break;
    if (j.getCount() !== geometry.vertexCount || w.getCount() !== geometry.vertexCount)
      fail(`${name} has the wrong number of joints or weights.`);
    const read = {
      joints: floats(j, 4, `JOINTS_${set} of ${name}`),
      weights: floats(w, 4, `WEIGHTS_${set} of ${name}`),
    };
    // The file may store joints as floats, which may be no integers.
    if (read.joints.some((index) => joints[index] === undefined))
      fail(`${name} uses a joint that its skin does not have.`);
    replaceNonFinite(read.weights);
    sets.push(read);
  }
  if (sets.length === 0) return;
  const blended = new Array<number>(16);
  const isMirrored = new Uint8Array(geometry.vertexCount);
  for (let v = 0; v < geometry.vertexCount; v++) {
    blended.fill(0);
    let total = 0;
    for (const { joints: j, weights: w } of sets) {
      for (let k = v * 4; k < v * 4 + 4; k++) {
        if (w[k] === 0) continue;
        total += w[k];
        const m = joints[j[k]];
        for (let i = 0; i < 16; i++) blended[i] += m[i] * w[k];
      }
    }
    const m = total > 0 ? blended.map((x) => x / total) : joints[sets[0].joints[v * 4]];
    transformVertex(geometry, v, m);
    isMirrored[v] = Number(determinant3(m) < 0);
  }
  if (geometry.topology === 'triangles') reverseMirrored(geometry.indices, isMirrored);
}

/**
 * Reverses the triangles that joints mirror, since their front would become their back. The specification tells this
 * of nodes only (glTF 2.0 §3.7.4).
 */
function reverseMirrored(indices: Uint32Array, isMirrored: Uint8Array): void {
  for (let i = 0; i < indices.length; i += 3) {
    const [a, b, c] = [indices[i], indices[i + 1], indices[i + 2]];
    if (isMirrored[a] + isMirrored[b] + isMirrored[c] >= 2) indices.set([c, b], i + 1);
  }
}

function transformVertex(geometry: Geometry, v: number, m: Mat4): void {
  const { positions: p, normals: n, tangents: t } = geometry;
  turn(p, v * 3, m, 4, true);
  if (n.length > 0) turn(n, v * 3, normalMatrix(m), 3, false);
  if (!t) return;
  turn(t, v * 4, m, 4, false);
  if (determinant3(m) < 0) t[v * 4 + 3] = -t[v * 4 + 3];
}

/**
 * Multiplies the three floats at `at` by a matrix whose columns have `stride` numbers. Points are also translated by
 * the fourth column.
 */
function turn(a: Float32Array, at: number, m: readonly number[], stride: number, isPoint: boolean): void {
  const [tx, ty, tz] = isPoint ? [m[12], m[13], m[14]] : [0, 0, 0];
  const [x, y, z] = [a[at], a[at + 1], a[at + 2]];
  a[at] = m[0] * x + m[stride] * y + m[2 * stride] * z + tx;
  a[at + 1] = m[1] * x + m[stride + 1] * y + m[2 * stride + 1] * z + ty;
  a[at + 2] = m[2] * x + m[stride + 2] * y + m[2 * stride + 2] * z + tz;
}

/** Gives each triangle separate vertices with its face normal (glTF 2.0 §3.7.2.1: flat shading without normals). */
function withFlatNormals(geometry: Geometry): Geometry {
  const { indices } = geometry;
  const pick = (from: Float32Array, size: number): Float32Array => {
    const out = new Float32Array(indices.length * size);
    indices.forEach((index, i) => {
      for (let c = 0; c < size; c++) out[i * size + c] = from[index * size + c];
    });
    return out;
  };
  const positions = pick(geometry.positions, 3);
  const normals = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i += 9) {
    const p = positions.subarray(i, i + 9);
    const [ux, uy, uz, vx, vy, vz] = [p[3] - p[0], p[4] - p[1], p[5] - p[2], p[6] - p[0], p[7] - p[1], p[8] - p[2]];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const l = Math.sqrt(x * x + y * y + z * z);
    // A degenerate triangle has no normal and covers nothing, so any direction is valid.
    for (let k = i; k < i + 9; k += 3) normals.set(l > 0 ? [x / l, y / l, z / l] : [0, 0, 1], k);
  }
  return {
    topology: 'triangles',
    vertexCount: indices.length,
    positions,
    normals,
    tangents: undefined, // Tangents without normals are meaningless.
    uvs: geometry.uvs.map((uv) => uv && pick(uv, 2)),
    colors: geometry.colors && pick(geometry.colors, 4),
    indices: Uint32Array.from(indices, (_, i) => i),
  };
}
