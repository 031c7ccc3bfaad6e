// The material extensions beside three.js on this package: the same model, camera, lights and tone mapping.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ssim } from '../../src/cli/compare/ssim';
import { DEFAULT_LIGHT } from '../../src/gltf/light/settings';
import { meanDifference } from '../support/mean-difference';
import { draw } from './kit';
import { BALL_SIZE, ballModel, MATERIALS, without } from './models';

const SIZE = BALL_SIZE;
const folder = mkdtempSync(join(tmpdir(), 'rasterloom-three-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Light as in three.js by default. */
const UNSHADOWED = { ...DEFAULT_LIGHT, shadowSize: undefined };
const drawBall = (model: Uint8Array): Promise<Uint8Array> =>
  draw(model, { width: SIZE, height: SIZE, view: { fileCamera: 'front' }, lit: false, samples: 4, light: UNSHADOWED });

/*
 * What differs from three.js, and why:
 * - Unlit colours are drawn as they are; three.js applies tone mapping to them.
 * - Sheen dims the layer below by a constant share; three.js by a table for each angle.
 * - Refracted light is filtered linearly within and between levels; three.js filters it by cubic splines.
 * - A mirror has at least a roughness of 0.05. three.js widens highlights by the curvature in a pixel, too, which is
 *   less in larger pictures.
 */

/** Extensions that three.js's loader does not read. */
const UNREAD = ['KHR_materials_diffuse_transmission', 'KHR_materials_pbrSpecularGlossiness'];
const SHARED = Object.keys(MATERIALS).filter((name) => !UNREAD.includes(name));
/** By which a picture differs at least from that without the extension: the mean of all channels, 0 to 255. */
const LEAST_DIFFERENCE = 1;
const theirs = new Map<string, Uint8Array>();

beforeAll(async () => {
  for (const name of SHARED) writeFileSync(join(folder, `${name}.glb`), await ballModel(MATERIALS[name]));
  const script = fileURLToPath(new URL('three-pictures.mjs', import.meta.url));
  const files = SHARED.map((name) => join(folder, `${name}.glb`));
  const { status, stderr } = spawnSync(process.execPath, [script, String(SIZE), ...files], { encoding: 'utf8' });
  expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
  for (const name of SHARED) theirs.set(name, new Uint8Array(readFileSync(join(folder, `${name}.glb.rgba`))));
});

describe('the picture', () => {
  it.each(SHARED)('of %s is like that of three.js', async (name) => {
    const ours = await drawBall(await ballModel(MATERIALS[name]));
    const other = theirs.get(name)!;
    expect(ssim(ours, other, SIZE, SIZE)).toBeGreaterThan(0.97);
  });

  it.each(Object.keys(MATERIALS))('of %s differs from one without it', async (name) => {
    const bare = await drawBall(await ballModel(without(name)));
    const difference = meanDifference(await drawBall(await ballModel(MATERIALS[name])), bare);
    expect(difference).toBeGreaterThan(LEAST_DIFFERENCE);
  });
});
