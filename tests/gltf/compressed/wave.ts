// A wavy square that the tests compress, and what they expect of the decoded one.
import type { GLTF } from '@gltf-transform/core';
import { expect } from 'vitest';
import { ModelError } from '../../../src/gltf/errors';
import { loadModel } from '../../../src/gltf/files/load';
import type { Geometry } from '../../../src/gltf/scene/geometry';
import { flattenScene } from '../../../src/gltf/scene/scene';

const STEPS = 12;
export const WIDTH = STEPS + 1;

/** A wavy square of STEPS × STEPS cells. */
function wave(): { positions: Float32Array; normals: Float32Array; uvs: Float32Array; indices: Uint16Array } {
  const [positions, normals, uvs, indices]: number[][] = [[], [], [], []];
  for (let j = 0; j < WIDTH; j++) {
    for (let i = 0; i < WIDTH; i++) {
      const [u, v] = [i / STEPS, j / STEPS];
      positions.push(u * 2 - 1, v * 2 - 1, 0.2 * Math.sin(5 * u));
      const slope = Math.cos(5 * u) / 2;
      const length = Math.hypot(slope, 1);
      normals.push(-slope / length, 0, 1 / length);
      uvs.push(u, v);
      if (i === STEPS || j === STEPS) continue;
      const a = j * WIDTH + i;
      indices.push(a, a + 1, a + WIDTH, a + 1, a + WIDTH + 1, a + WIDTH);
    }
  }
  return {
    positions: new Float32Array(positions),
    normals: new Float32Array(normals),
    uvs: new Float32Array(uvs),
    indices: new Uint16Array(indices),
  };
}

export const WAVE = wave();

export const flatten = async (bytes: Uint8Array) => flattenScene(await loadModel(bytes));
export const geometries = async (bytes: Uint8Array): Promise<Geometry[]> =>
  (await flatten(bytes)).draws.map((draw) => draw.geometry);

/** Corners of the triangles as lists of numbers, in an order that does not depend on that of the file. */
function corners({ positions, normals, uvs, indices }: Geometry): number[][] {
  const triangles: number[][] = [];
  for (let t = 0; t < indices.length; t += 3) {
    const points = [0, 1, 2].map((k) => {
      const v = indices[t + k];
      return [
        ...positions.slice(3 * v, 3 * v + 3),
        ...normals.slice(3 * v, 3 * v + 3),
        ...uvs[0]!.slice(2 * v, 2 * v + 2),
      ];
    });
    // Triangles begin with the corner of the least u + 100 v.
    const first = [0, 1, 2].sort((a, b) => order(points[a]) - order(points[b]))[0];
    triangles.push([0, 1, 2].flatMap((k) => points[(first + k) % 3]));
  }
  return triangles.sort((a, b) => middle(a) - middle(b));
}
const order = (point: number[]): number => Math.round(point[6] * STEPS) + 100 * Math.round(point[7] * STEPS);
const middle = (triangle: number[]): number =>
  order(triangle.slice(0, 8)) * 1e4 + order(triangle.slice(8, 16)) + order(triangle.slice(16, 24)) * 100;

export function expectWave(geometry: Geometry, tolerance: number): void {
  const expected = corners({
    topology: 'triangles',
    vertexCount: WIDTH * WIDTH,
    positions: WAVE.positions,
    normals: WAVE.normals,
    uvs: [WAVE.uvs],
    indices: Uint32Array.from(WAVE.indices),
    tangents: undefined,
    colors: undefined,
  });
  const actual = corners(geometry);
  expect(actual).toHaveLength(expected.length);
  let worst = 0;
  expected.forEach((triangle, t) =>
    triangle.forEach((x, i) => {
      worst = Math.max(worst, Math.abs(x - actual[t][i]));
    })
  );
  expect(worst).toBeLessThan(tolerance);
}

/** The message with which a model is refused; '' if it is not. */
export async function refusal(bytes: Uint8Array): Promise<string> {
  const error: unknown = await flatten(bytes).then(
    () => undefined,
    (thrown: unknown) => thrown
  );
  if (error !== undefined) expect(error).toBeInstanceOf(ModelError);
  return error === undefined ? '' : (error as ModelError).message;
}

/** Splits a .glb into its JSON and its buffer. */
export function split(bytes: Uint8Array): { json: GLTF.IGLTF; binary: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = view.getUint32(12, true);
  return {
    json: JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length))) as GLTF.IGLTF,
    binary: bytes.slice(28 + length),
  };
}
