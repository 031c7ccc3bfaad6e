// `rasterloom info` as a process: what it says of models made here.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneMesh } from '../gltf/build';
import { Workshop } from './program';

const TRIANGLE = new Float32Array([0, 0, 0, 2, 0, 0, 0, 3, 0]);

describe('rasterloom info', () => {
  let workshop: Workshop;
  beforeAll(() => {
    workshop = new Workshop();
    workshop.write(
      'triangle.glb',
      oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }), {
        extensionsUsed: ['KHR_materials_sheen', 'KHR_xmp_json_ld', 'X_unknown'],
      })
    );
  });
  afterAll(() => workshop.remove());

  it('prints sizes, counts and what happens to extensions', async () => {
    const { code, out } = await workshop.run('info', 'triangle.glb');
    expect(code).toBe(0);
    expect(out).toMatch(/^size {8}2 × 3 × 0 units$/m);
    expect(out).toMatch(/^triangles {3}1$/m);
    expect(out).toMatch(/^animations {2}none$/m);
    expect(out).toMatch(/^extensions {2}KHR_materials_sheen: drawn$/m);
    expect(out).toMatch(/^ {12}KHR_xmp_json_ld: no effect on pictures$/m);
    expect(out).toMatch(/^ {12}X_unknown: not supported$/m);
  });

  it('prints the same as JSON', async () => {
    const { code, out } = await workshop.run('info', 'triangle.glb', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      model: 'triangle.glb',
      triangles: 1,
      draws: 1,
      images: 0,
      lights: 0,
      bounds: { min: [0, 0, 0], max: [2, 3, 0] },
      extensions: { used: ['KHR_materials_sheen', 'KHR_xmp_json_ld', 'X_unknown'], required: [] },
    });
  });

  it('refuses what is not there, and wrong arguments', async () => {
    expect(await workshop.run('info', 'gone.glb')).toMatchObject({
      code: 3,
      err: 'rasterloom: The model "gone.glb" does not exist.\n',
    });
    expect(await workshop.run('info')).toMatchObject({
      code: 2,
      err: 'rasterloom: A model is missing: rasterloom info model.glb\n',
    });
  });
});
