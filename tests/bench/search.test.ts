// Random configurations of the search for slow content, and the rows of the cost map: they are reproducible, valid on
// this package, and draw something.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { make as makePass } from '../../bench/costs/pass.mjs';
import { judge } from '../../bench/costs/limits.mjs';
import { ROWS } from '../../bench/costs/rows.mjs';
import { configurationOf, traitsOf } from '../../bench/search/generate.mjs';
import { KINDS } from '../../bench/search/kinds.mjs';
import { make } from '../../bench/search/scene.mjs';
import type { Frames } from '../../bench/support/frames.mjs';
import { isBlank, likeness } from '../../bench/support/picture.mjs';
import { create } from '../../src';

const SEEDS = Array.from({ length: 16 }, (_, i) => i + 1);
/** Small pictures, so that the test is quick. */
const SIZE = [64, 40];
let device: GPUDevice;
const createPipeline = (descriptor: GPURenderPipelineDescriptor): GPURenderPipeline =>
  device.createRenderPipeline(descriptor);

beforeAll(async () => {
  const adapter = await create({ threads: 0 }).requestAdapter();
  device = await adapter!.requestDevice();
});
afterAll(() => device.destroy());

/** Draws a frame, and returns its picture. Throws validation errors. */
async function pictureOf(made: () => Promise<Frames>): Promise<Uint8Array> {
  device.pushErrorScope('validation');
  const frames = await made();
  frames.frame(2);
  const picture = await frames.picture();
  frames.destroy();
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  return picture;
}

describe('random configurations', () => {
  test('depend on their seed only', () => {
    expect(SEEDS.map(configurationOf)).toEqual(SEEDS.map(configurationOf));
    expect(new Set(SEEDS.map((seed) => JSON.stringify({ ...configurationOf(seed), seed: 0 }))).size).toBe(SEEDS.length);
  });

  test('name what they contain', () => {
    const traits = Array.from({ length: 100 }, (_, seed) => traitsOf(configurationOf(seed))).flat();
    for (const trait of ['1 sample', '4 samples', 'blend alpha', 'geometry lines', 'no texture', 'depth write'])
      expect(traits).toContain(trait);
  });

  test('of one property each are valid on this package, and draw something', async () => {
    for (const [name, configuration] of Object.entries(KINDS)) {
      const picture = await pictureOf(() => make(device, { ...configuration, size: SIZE }, createPipeline));
      expect(isBlank(picture), name).toBe(false);
    }
  });

  test('are valid on this package, and most draw something', async () => {
    let drawn = 0;
    for (const seed of SEEDS) {
      const picture = await pictureOf(() => make(device, { ...configurationOf(seed), size: SIZE }, createPipeline));
      expect(picture.length).toBe(SIZE[0]! * SIZE[1]! * 4);
      if (!isBlank(picture)) drawn++;
    }
    expect(drawn).toBeGreaterThan(SEEDS.length * 0.9);
  });
});

describe('the cost map', () => {
  test.each(Object.keys(ROWS))('%s is valid', async (row) => {
    const picture = await pictureOf(() =>
      makePass(device, { row, format: 'rgba8unorm', samples: 1, size: SIZE }, createPipeline)
    );
    expect(isBlank(picture)).toBe(row === 'empty');
  });

  test('misses a limit if the whole interval is below it', () => {
    const row = (kind: string, ratio: readonly number[]) => ({ row: 'sin ×8', kind, llvmpipe: { ratio } });
    const goals = judge({
      a: row('rgba8unorm@1', [0.8, 0.7, 0.9]),
      b: row('rgba8unorm@1', [0.9, 0.8, 1.1]),
      c: row('rgba8unorm@4', [1.2, 1.1, 1.25]),
      d: { row: 'empty', kind: 'rgba8unorm@1' },
    });
    expect(goals.map(({ what, limit, reached }) => [what, limit, reached])).toEqual([
      ['a', 1, false],
      ['b', 1, true],
      ['c', 1.3, false],
    ]);
  });
});

test('pictures are alike by the share of similar pixels', () => {
  const picture = Uint8Array.from([0, 0, 0, 255, 100, 100, 100, 255]);
  expect(likeness(picture, Uint8Array.from([8, 0, 0, 0, 100, 109, 100, 255]))).toBe(0.5);
  expect(isBlank(picture)).toBe(false);
});
