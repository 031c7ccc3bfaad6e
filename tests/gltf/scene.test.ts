import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/gltf/files/load';
import { flattenScene } from '../../src/gltf/scene/scene';
import { oneMesh, TRIANGLE } from './build';

const triangle = (more: Record<string, unknown>) =>
  loadModel(oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }), more)).then(flattenScene);

describe('flattenScene', () => {
  it('multiplies transforms down the tree', async () => {
    const scene = await triangle({
      nodes: [
        { children: [1], translation: [1, 2, 3], scale: [2, 2, 2] },
        { mesh: 0, rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2], translation: [10, 0, 0] },
      ],
    });
    const { matrix, mirrored } = scene.draws[0];
    expect(matrix.slice(12, 15)).toEqual([21, 2, 3]);
    expect(matrix[0]).toBeCloseTo(0, 12);
    expect(matrix[1]).toBeCloseTo(2, 12);
    expect(mirrored).toBe(false);
  });

  it('keeps the shear of a matrix', async () => {
    const sheared = [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 4, 0, 0, 1];
    expect((await triangle({ nodes: [{ mesh: 0, matrix: sheared }] })).draws[0].matrix).toEqual(sheared);
  });

  it('detects mirrored draw calls', async () => {
    const scene = await triangle({
      scenes: [{ nodes: [0, 1] }],
      nodes: [
        { mesh: 0, scale: [-1, 1, 1] },
        { mesh: 0, scale: [-1, -1, 1] },
      ],
    });
    expect(scene.draws.map((draw) => draw.mirrored)).toEqual([true, false]);
  });

  it('shares the geometry of a mesh used in several places', async () => {
    const scene = await triangle({
      scenes: [{ nodes: [0, 1, 2] }],
      nodes: [{ mesh: 0 }, { mesh: 0, translation: [0, 5, 0] }, { mesh: 0 }],
    });
    expect(new Set(scene.draws.map((draw) => draw.geometry)).size).toBe(1);
    expect(scene.triangles).toBe(3);
    expect(scene.center).toEqual([0.5, 3, 0]);
    expect(scene.radius).toBeCloseTo(Math.hypot(0.5, 3), 10);
  });

  it('uses the default scene, or the first, or all nodes', async () => {
    const nodes = [{ mesh: 0 }, { mesh: 0, translation: [7, 0, 0] }];
    expect((await triangle({ nodes, scene: 1, scenes: [{ nodes: [0] }, { nodes: [1] }] })).draws[0].matrix[12]).toBe(7);
    expect(
      (await triangle({ nodes, scene: undefined, scenes: [{ nodes: [0] }, { nodes: [1] }] })).draws[0].matrix[12]
    ).toBe(0);
    expect((await triangle({ nodes, scene: undefined, scenes: undefined })).draws).toHaveLength(2);
  });

  it('omits invisible nodes with their descendants', async () => {
    const scene = await triangle({
      extensionsUsed: ['KHR_node_visibility'],
      scenes: [{ nodes: [0, 2] }],
      nodes: [
        { children: [1], extensions: { KHR_node_visibility: { visible: false } } },
        { mesh: 0 },
        { mesh: 0, translation: [3, 0, 0] },
      ],
    });
    expect(scene.draws.map((draw) => draw.matrix[12])).toEqual([3]);
  });

  it('follows a chain of ten thousand nodes', async () => {
    const nodes: Record<string, unknown>[] = Array.from({ length: 10_000 }, (_, i) => ({
      translation: [1, 0, 0],
      ...(i < 9_999 ? { children: [i + 1] } : { mesh: 0 }),
    }));
    expect((await triangle({ nodes })).draws[0].matrix[12]).toBe(10_000);
  });

  it('warns of extensions that are not drawn as specified', async () => {
    const scene = await triangle({
      extensionsUsed: ['KHR_materials_unknown', 'KHR_materials_sheen', 'KHR_xmp_json_ld', 'EXT_unknown'],
    });
    expect(scene.warnings).toEqual([
      'KHR_materials_unknown is not drawn: materials that use it look simpler than they should.',
      'EXT_unknown is not supported: what it describes is left out.',
    ]);
  });

  it('gives a model without extent a radius', async () => {
    const scene = await loadModel(
      oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', new Float32Array(9)) } }))
    ).then(flattenScene);
    expect(scene.radius).toBe(1);
  });
});
