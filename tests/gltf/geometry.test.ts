import { describe, expect, it } from 'vitest';
import { expandTriangles } from '../../src/gltf/scene/geometry';
import { loadModel } from '../../src/gltf/files/load';
import { flattenScene, type FlatScene } from '../../src/gltf/scene/scene';
import { oneMesh, TRIANGLE, type Builder } from './build';

const flatten = async (bytes: Uint8Array): Promise<FlatScene> => flattenScene(await loadModel(bytes));
const geometryOf = async (describeIt: (b: Builder) => Record<string, unknown>, more: Record<string, unknown> = {}) =>
  (await flatten(oneMesh(describeIt, more))).draws[0].geometry;

const QUAD = new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]);

describe('triangles', () => {
  it('reverses every second triangle of a strip', () => {
    expect([...expandTriangles(Uint32Array.of(0, 1, 2, 3, 4), true)]).toEqual([0, 1, 2, 1, 3, 2, 2, 3, 4]);
  });

  it('shares the first vertex of a fan', () => {
    expect([...expandTriangles(Uint32Array.of(5, 1, 2, 3), false)]).toEqual([5, 1, 2, 5, 2, 3]);
    expect(expandTriangles(Uint32Array.of(0, 1), false)).toHaveLength(0);
  });

  it.each([
    [5, 6],
    [6, 6],
    [4, 3],
  ])('of mode %d become a list', async (mode, count) => {
    const geometry = await geometryOf((b) => ({
      mode,
      attributes: { POSITION: b.accessor('VEC3', QUAD), NORMAL: b.accessor('VEC3', QUAD) },
    }));
    expect(geometry.indices).toHaveLength(count);
  });

  it('are drawn beside points and lines', async () => {
    const scene = await flatten(
      oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }), {
        meshes: [{ primitives: [undefined, 1, 0].map((mode) => ({ mode, attributes: { POSITION: 0 } })) }],
      })
    );
    expect(scene.draws.map(({ geometry }) => geometry.topology)).toEqual(['triangles', 'lines', 'points']);
    expect(scene.triangles).toBe(1);
    expect(scene.warnings).toEqual([]);
  });
});

describe('attributes', () => {
  it('unpack normalized integers', async () => {
    const geometry = await geometryOf(
      (b) => ({
        attributes: {
          POSITION: b.accessor('VEC3', Int16Array.of(32767, -32768, 0, 16384, 0, 0, 0, 0, 0), { normalized: true }),
          NORMAL: b.accessor('VEC3', Int8Array.of(127, 0, -128, 0, 127, 0, 0, 0, 127), { normalized: true }),
          TEXCOORD_0: b.accessor('VEC2', Uint8Array.of(255, 0, 51, 0, 0, 0), { normalized: true }),
          COLOR_0: b.accessor('VEC3', Uint16Array.of(65535, 0, 13107, 0, 0, 0, 0, 0, 0), { normalized: true }),
        },
      }),
      { extensionsUsed: ['KHR_mesh_quantization'], extensionsRequired: ['KHR_mesh_quantization'] }
    );
    expect([...geometry.positions.subarray(0, 3)]).toEqual([1, -1, 0]);
    expect(geometry.positions[3]).toBeCloseTo(0.50002, 5);
    expect([...geometry.normals.subarray(0, 3)]).toEqual([1, 0, -1]);
    expect(geometry.uvs[0]![0]).toBe(1);
    expect(geometry.uvs[0]![2]).toBeCloseTo(0.2, 6);
    expect([...geometry.colors!.subarray(0, 4)].map((x) => Math.round(x * 10) / 10)).toEqual([1, 0, 0.2, 1]);
  });

  it('keep integers unchanged', async () => {
    const geometry = await geometryOf(
      (b) => ({ attributes: { POSITION: b.accessor('VEC3', Uint8Array.of(200, 0, 0, 0, 7, 0, 0, 0, 1)) } }),
      { extensionsUsed: ['KHR_mesh_quantization'] }
    );
    expect([...geometry.positions.subarray(0, 3)]).toEqual([200, 0, 0]);
  });

  it('missing normals become flat, with separate vertices', async () => {
    const geometry = await geometryOf((b) => ({
      attributes: { POSITION: b.accessor('VEC3', QUAD) },
      indices: b.accessor('SCALAR', Uint8Array.of(0, 1, 2, 2, 1, 0)),
    }));
    expect(geometry.vertexCount).toBe(6);
    expect([...geometry.indices]).toEqual([0, 1, 2, 3, 4, 5]);
    expect([...geometry.normals.subarray(0, 3)]).toEqual([0, 0, 1]);
    expect([...geometry.normals.subarray(9, 12)]).toEqual([0, -0, -1]);
  });

  it('non-finite values become zero, except for positions', async () => {
    const geometry = await geometryOf((b) => ({
      attributes: {
        POSITION: b.accessor('VEC3', TRIANGLE),
        TEXCOORD_0: b.accessor('VEC2', Float32Array.of(NaN, 1, Infinity, 2, 3, 4)),
      },
    }));
    expect([...geometry.uvs[0]!]).toEqual([0, 1, 0, 2, 3, 4]);
  });

  it('sparse values are filled in', async () => {
    const geometry = await geometryOf((b) => {
      const POSITION = b.accessor('VEC3', TRIANGLE);
      b.json.accessors[POSITION].sparse = {
        count: 1,
        indices: { bufferView: b.view(Uint8Array.of(2)), componentType: 5121 },
        values: { bufferView: b.view(Float32Array.of(7, 8, 9)) },
      };
      return { attributes: { POSITION } };
    });
    expect([...geometry.positions.subarray(6, 9)]).toEqual([7, 8, 9]);
  });

  it('a degenerate triangle has a normal, too', async () => {
    const geometry = await geometryOf((b) => ({ attributes: { POSITION: b.accessor('VEC3', new Float32Array(9)) } }));
    expect([...geometry.normals]).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 1]);
  });
});

describe('poses', () => {
  it('morph by the weights of the mesh, or of the node', async () => {
    const make = (more: Record<string, unknown>) =>
      flatten(
        oneMesh(
          (b) => ({
            attributes: { POSITION: b.accessor('VEC3', TRIANGLE) },
            targets: [{ POSITION: b.accessor('VEC3', Float32Array.of(0, 0, 4, 0, 0, 0, 0, 0, 0)) }],
          }),
          more
        )
      );
    expect((await make({})).draws[0].geometry.positions[2]).toBe(0);
    const inMesh = await make({
      meshes: [{ weights: [0.5], primitives: [{ attributes: { POSITION: 0 }, targets: [{ POSITION: 1 }] }] }],
    });
    expect(inMesh.draws[0].geometry.positions[2]).toBe(2);
    const inNode = await make({ nodes: [{ mesh: 0, weights: [0.25] }] });
    expect(inNode.draws[0].geometry.positions[2]).toBe(1);
  });

  it("skin by the joints, regardless of the mesh's node", async () => {
    const bind = Float32Array.of(
      1,
      0,
      0,
      0,
      0,
      1,
      0,
      0,
      0,
      0,
      1,
      0,
      0,
      0,
      0,
      1,
      1,
      0,
      0,
      0,
      0,
      1,
      0,
      0,
      0,
      0,
      1,
      0,
      -10,
      0,
      0,
      1
    );
    let inverse = 0;
    const scene = await flatten(
      oneMesh(
        (b) => {
          inverse = b.accessor('MAT4', bind);
          return {
            attributes: {
              POSITION: b.accessor('VEC3', TRIANGLE),
              JOINTS_0: b.accessor('VEC4', Uint8Array.of(0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0)),
              WEIGHTS_0: b.accessor('VEC4', Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 0.5, 0.5, 0, 0)),
            },
          };
        },
        {
          scenes: [{ nodes: [0, 1, 2] }],
          nodes: [
            { mesh: 0, skin: 0, translation: [100, 100, 100] },
            { translation: [0, 0, 3] },
            { translation: [10, 5, 0] },
          ],
          skins: [{ joints: [1, 2], inverseBindMatrices: inverse }],
        }
      )
    );
    const { geometry, matrix } = scene.draws[0];
    expect(matrix.slice(12, 15)).toEqual([0, 0, 0]);
    expect([...geometry.positions]).toEqual([0, 0, 3, 1, 5, 0, 0, 3.5, 1.5]);
  });

  it('keeps the front of triangles that joints mirror', async () => {
    const skinned = (scale: number[]): Promise<FlatScene> =>
      flatten(
        oneMesh(
          (b) => ({
            attributes: {
              POSITION: b.accessor('VEC3', TRIANGLE),
              JOINTS_0: b.accessor('VEC4', new Uint8Array(12)),
              WEIGHTS_0: b.accessor('VEC4', Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)),
            },
          }),
          { scenes: [{ nodes: [0, 1] }], nodes: [{ mesh: 0, skin: 0 }, { scale }], skins: [{ joints: [1] }] }
        )
      );
    // Without normals in the file, they are those of the triangles, with their front to +Z.
    for (const scale of [
      [1, 1, 1],
      [-1, 1, 1],
      [-1, -1, 1],
    ]) {
      const { geometry } = (await skinned(scale)).draws[0];
      expect(geometry.normals[2]).toBe(1);
    }
    const inverted = (await skinned([1, 1, -1])).draws[0];
    expect(inverted.geometry.normals[2]).toBe(-1);
  });
});
