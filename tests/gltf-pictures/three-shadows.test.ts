// Shadows beside those of three.js on this package: the same model, camera, lights and sizes of maps.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ssim } from '../../src/cli/compare/ssim';
import { DEFAULT_LIGHT } from '../../src/gltf/light/settings';
import { draw } from './kit';
import { Stage, towards, type LightSpec, type Point } from './stage';

const SIZE = 200;
const folder = mkdtempSync(join(tmpdir(), 'rasterloom-three-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LIGHTS: Record<string, LightSpec> = {
  directional: { type: 'directional', intensity: 3, direction: [-1, -1.2, -0.5] },
  // All is inside the cone, whose edge three.js draws by another curve than the specification recommends.
  spot: { type: 'spot', intensity: 60, position: [3, 4, 2], direction: [-3, -4, -2], inner: 1.2, outer: 1.25 },
  point: { type: 'point', intensity: 30, position: [1.5, 2.2, 1.5] },
};

/** Boxes on a floor. */
function boxes(light: LightSpec): Promise<Uint8Array> {
  const stage = new Stage();
  stage.plate({ middle: [0, 0, 0], u: [0, 0, 3], v: [3, 0, 0] });
  const box = ([x, y, z]: Point, [w, h, d]: Point): void => {
    for (const side of [1, -1]) {
      stage.plate({ middle: [x + side * w, y, z], u: [0, h, 0], v: [0, 0, side * d] });
      stage.plate({ middle: [x, y + side * h, z], u: [0, 0, d], v: [side * w, 0, 0] });
      stage.plate({ middle: [x, y, z + side * d], u: [w, 0, 0], v: [0, side * h, 0] });
    }
  };
  box([0, 0.5, 0], [0.5, 0.5, 0.5]);
  box([1.2, 1, 0.6], [0.06, 1, 0.06]);
  box([-1.3, 0.8, 1], [0.5, 0.1, 0.3]);
  const node = stage.light(light);
  // three.js draws the map of a directional light from its place.
  if (light.type === 'directional') node.setTranslation([6, 7.2, 3]);
  const camera = stage.document.createCamera('front').setType('perspective').setYFov(0.6).setZNear(0.5).setZFar(30);
  stage
    .add()
    .setCamera(camera.setAspectRatio(1))
    .setName('front')
    .setTranslation([3, 6, 7.5])
    .setRotation(towards([-3, -6, -7.5]));
  return stage.glb();
}

const theirs = new Map<string, Uint8Array>();

beforeAll(async () => {
  const files = Object.keys(LIGHTS).map((name) => join(folder, `${name}.glb`));
  for (const [i, light] of Object.values(LIGHTS).entries()) writeFileSync(files[i], await boxes(light));
  const script = fileURLToPath(new URL('three-pictures.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, String(SIZE), ...files], {
    encoding: 'utf8',
    env: { ...process.env, SHADOWS: '1' },
  });
  expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
  for (const [i, name] of Object.keys(LIGHTS).entries())
    theirs.set(name, new Uint8Array(readFileSync(`${files[i]}.rgba`)));
});

describe('shadows of', () => {
  it.each(Object.keys(LIGHTS))('a %s light are like those of three.js', async (name) => {
    const model = await boxes(LIGHTS[name]);
    const drawing = { width: SIZE, height: SIZE, view: { fileCamera: 'front' }, lit: false, samples: 4 } as const;
    const ours = await draw(model, drawing);
    const without = await draw(model, { ...drawing, light: { ...DEFAULT_LIGHT, shadowSize: undefined } });
    const likeness = ssim(ours, theirs.get(name)!, SIZE, SIZE);
    expect(likeness).toBeGreaterThan(0.97);
    console.log(name, likeness, ssim(without, theirs.get(name)!, SIZE, SIZE));
    // Without shadows, they are far from alike.
    expect(ssim(without, theirs.get(name)!, SIZE, SIZE)).toBeLessThan(0.95);
  });
});
