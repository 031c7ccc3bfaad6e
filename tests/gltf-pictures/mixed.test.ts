// Materials with several extensions and lights of the file, together with what the renderer offers beside them: other
// engines, shading rates, a lens, and images that are read page by page.
/// <reference types="@webgpu/types" />
import type { Document, Material } from '@gltf-transform/core';
import type * as X from '@gltf-transform/extensions';
import { encode } from 'fast-png';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workshop } from '../cli/program';
import { meanDifference } from '../support/mean-difference';
import { draw, openDevice, type Drawing } from './kit';
import { ballModel, MATERIALS } from './models';

const SIZE = 64;
const workshop = new Workshop();
afterAll(() => workshop.remove());

const all =
  (...names: string[]) =>
  (material: Material, document: Document): void => {
    for (const name of names) MATERIALS[`KHR_materials_${name}`](material, document);
    material.setBaseColorFactor([0.8, 0.7, 0.5, 1]).setRoughnessFactor(0.3);
  };

/** An image of 64 × 64 pixels whose channels are patterns of their own. */
function pattern(document: Document): ReturnType<Document['createTexture']> {
  const data = new Uint8Array(64 * 64 * 4);
  for (let i = 0; i < 64 * 64; i++) data.set([(i * 3) & 255, (i >> 3) & 255, 128 + (i & 127), 255], i * 4);
  return document
    .createTexture('pattern')
    .setMimeType('image/png')
    .setImage(encode({ width: 64, height: 64, channels: 4, data }));
}

const MODELS: Record<string, (material: Material, document: Document) => void> = {
  'coat, fabric, film and brushed metal': all('clearcoat', 'sheen', 'iridescence', 'anisotropy'),
  'glass with dispersion and coloured reflections': all('specular', 'dispersion', 'volume'),
  'textures of extensions': (material, document) => {
    all('clearcoat', 'sheen')(material, document);
    const texture = pattern(document);
    material.setBaseColorTexture(texture);
    material.getExtension<X.Clearcoat>('KHR_materials_clearcoat')!.setClearcoatTexture(texture);
    material.getExtension<X.Sheen>('KHR_materials_sheen')!.setSheenRoughnessTexture(texture);
  },
};
const NAMES = Object.keys(MODELS);
const models = new Map<string, Uint8Array>();
beforeAll(async () => {
  for (const name of NAMES) models.set(name, await ballModel(MODELS[name]));
});

const drawBall = (name: string, more: Drawing = {}): Promise<Uint8Array> =>
  draw(models.get(name)!, { width: SIZE, height: SIZE, view: { fileCamera: 'front' }, ...more });

describe.each(NAMES)('%s', (name) => {
  it.each([
    { engine: 'interpreter', threads: 2 },
    { engine: 'jit', threads: 0 },
  ] as const)('has the same bits with $engine on $threads threads', async (options) => {
    const device = await openDevice(options);
    const pixels = await drawBall(name, { device });
    device.destroy();
    expect(pixels).toEqual(await drawBall(name));
  });

  it('is nearly the same at a quarter of the shading', async () => {
    const size = { width: 192, height: 192 };
    const whole = await drawBall(name, size);
    const coarse = await drawBall(name, { ...size, shadingRate: { everywhere: '2x2' } });
    const difference = meanDifference(whole, coarse);
    expect(difference).toBeGreaterThan(0.1);
    expect(difference).toBeLessThan(5);
  });

  it('is sharp behind a pinhole, and blurred behind a wide lens', async () => {
    const whole = await drawBall(name);
    const blurredBy = async (diameter: number): Promise<number> =>
      meanDifference(whole, await drawBall(name, { lens: { aperture: { diameter }, focus: 4.2 } }));
    expect(await blurredBy(1e-4)).toBeLessThan(0.2);
    expect(await blurredBy(0.5)).toBeGreaterThan(1);
  });
});

it('a volume is as thick as its instance or its node is scaled', async () => {
  const drawScaled = async (scale: number, instanced: boolean): Promise<Uint8Array> =>
    draw(await ballModel(MATERIALS.KHR_materials_volume, { scale, instanced }), {
      width: SIZE,
      height: SIZE,
      view: { fileCamera: 'front' },
    });
  const byNode = await drawScaled(0.4, false);
  expect(meanDifference(await drawScaled(0.4, true), byNode)).toBeLessThan(0.02);
  // A volume of 0.8 · 0.4 units fades light less than one of 0.8 units.
  const centre = 4 * ((SIZE / 2) * SIZE + SIZE / 2);
  const unscaled = await drawScaled(1, true);
  expect(unscaled[centre]).toBeLessThan(byNode[centre] - 20);
});

it('the picture of textures of extensions is the same when they are read page by page', async () => {
  workshop.write('model.glb', models.get('textures of extensions')!);
  const picture = ['render', 'model.glb', '--size', '128x128', '--camera', 'file', '--quiet'];
  expect(await workshop.run(...picture, '-o', 'whole.png')).toMatchObject({ code: 0, err: '' });
  expect(await workshop.run('tile', 'model.glb', '-o', 'tiles')).toMatchObject({ code: 0 });
  expect(await workshop.run(...picture, '-o', 'pages.png', '--stream', 'tiles')).toMatchObject({ code: 0, err: '' });
  expect(workshop.picture('pages.png').data).toEqual(workshop.picture('whole.png').data);
});
