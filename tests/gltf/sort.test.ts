import { describe, expect, it } from 'vitest';
import { placeCamera } from '../../src/gltf/scene/camera';
import { loadModel } from '../../src/gltf/files/load';
import { flattenScene } from '../../src/gltf/scene/scene';
import { drawOrder, trianglesBackToFront } from '../../src/gltf/scene/sort';
import { oneMesh, TRIANGLE } from './build';

const FRONT = { azimuth: 0, elevation: 0, distance: 5 };

describe('drawOrder', () => {
  it('puts opaque draw calls first, near to far, then blended ones, far to near', async () => {
    const scene = flattenScene(
      await loadModel(
        oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }), {
          materials: [{ alphaMode: 'BLEND' }, { alphaMode: 'MASK' }],
          meshes: [undefined, 0, 1].map((material) => ({ primitives: [{ attributes: { POSITION: 0 }, material }] })),
          scenes: [{ nodes: [0, 1, 2, 3, 4, 5] }],
          nodes: [
            [1, 2],
            [0, -3],
            [1, -2],
            [0, 3],
            [2, 1],
            [0, -1],
          ].map(([mesh, z]) => ({ mesh, translation: [0, 0, z] })),
        })
      )
    );
    const order = drawOrder(scene.draws, placeCamera(scene, FRONT, 1, 1));
    expect(order.map((draw) => [draw.material.alphaMode, draw.matrix[14]])).toEqual([
      ['OPAQUE', 3],
      ['MASK', 1],
      ['OPAQUE', -1],
      ['OPAQUE', -3],
      ['BLEND', -2],
      ['BLEND', 2],
    ]);
  });
});

describe('trianglesBackToFront', () => {
  it('sorts by depth and keeps the order of equal ones', async () => {
    const at = (z: number) => [0, 0, z, 1, 0, z, 0, 1, z];
    const scene = flattenScene(
      await loadModel(
        oneMesh((b) => ({
          attributes: { POSITION: b.accessor('VEC3', Float32Array.from([...at(0), ...at(2), ...at(-1), ...at(0)])) },
        }))
      )
    );
    const indices = trianglesBackToFront(scene.draws[0], placeCamera(scene, FRONT, 1, 1));
    expect([...indices].filter((_, i) => i % 3 === 0)).toEqual([6, 0, 9, 3]);
  });
});
