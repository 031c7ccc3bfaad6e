// Every mode and operator of rasterloom/blends compared with an independent implementation of the specification's
// formulas (examples/blending/blend-reference.mjs): bit by bit in single precision, and approximately in double
// precision.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { referenceBlend } from '../../examples/blending/blend-reference.mjs';
import { blendFunction, blendModes, compositeOperators } from '../../src/blends';
import { engines, open } from '../storage-programs/kit';
import { mulberry32 } from '../support/floats';
import { evaluate, PAIRS, someColors, type Color } from './kit';

const next = mulberry32(7);
const sources = someColors(next, PAIRS);
const grounds = someColors(next, PAIRS * 2)
  .slice(PAIRS)
  .reverse();
const pairs = sources.map((source, i): [Color, Color] => [source, grounds[i]!]);

let device: GPUDevice;
beforeAll(async () => {
  device = await open(engines['compiled, on this thread']!);
});
afterAll(() => device.destroy());

/** Bits, with equal zeros. */
const bits = (numbers: readonly number[]): Float32Array => new Float32Array(numbers.map((x) => x + 0));

describe.each(blendModes)('%s', (mode) => {
  test.each(
    mode === 'normal' || mode === 'hue' || mode === 'multiply' ? compositeOperators : (['source-over'] as const)
  )("%s: the specification's formulas, bit by bit", async (operator) => {
    const found = await evaluate(device, blendFunction({ mode, operator }), 'blend(source, below)', pairs);
    const exact = referenceBlend(mode, operator);
    const precise = referenceBlend(mode, operator, (x) => x);
    const wrong = pairs.flatMap(([source, below], i) => {
      const want = exact(source, below);
      return bits(found[i]!).every((x, k) => x === Math.fround(want[k]!))
        ? []
        : [{ source, below, want, found: found[i] }];
    });
    expect(wrong.slice(0, 3)).toEqual([]);
    // Cases that depend on one bit of a quotient, such as whether it is ½, are rare and continuous.
    const off = pairs.map(([source, below], i) =>
      Math.max(...precise(source, below).map((x, k) => Math.abs(x - found[i]![k]!)))
    );
    expect(Math.max(...off)).toBeLessThan(2e-6);
  });
});

test('colors in 0 … 1 give results in 0 … 1, except for rounding and "lighter"', async () => {
  for (const mode of blendModes) {
    const found = await evaluate(device, blendFunction({ mode }), 'blend(source, below)', pairs);
    const all = found.flat();
    expect([mode, Math.min(...all) > -2e-6, Math.max(...all) < 1 + 2e-6]).toEqual([mode, true, true]);
  }
});

test('colors outside of 0 … 1 and tiny alphas give numbers', async () => {
  const color = (): Color =>
    [0, 1, 2, 3].map((k) =>
      k === 3 ? [0, 2 ** -120, 0.5, 1][next() % 4]! : [-0.5, 0, 0.5, 1, 1.5, 40][next() % 6]!
    ) as unknown as Color;
  // Mostly grays: there the luminosity equals every channel.
  const wide = pairs.map(([, ground], i): [Color, Color] => {
    const grey = 0.9 + next() / 2 ** 31;
    return i % 2 ? [color(), color()] : [[grey, grey, grey, 1], ground];
  });
  for (const mode of blendModes) {
    const found = await evaluate(device, blendFunction({ mode }), 'blend(source, below)', wide);
    const lost = wide.filter(
      ([source, below], i) =>
        found[i]!.some(Number.isNaN) && ![source, below].some(([, , , alpha]) => alpha === 2 ** -120)
    );
    expect([mode, lost.slice(0, 2)]).toEqual([mode, []]);
  }
});

test('function names do not collide, so a module may contain several modes', async () => {
  const functions =
    blendFunction({ mode: 'hue', name: 'one' })
    + blendFunction({ mode: 'color', name: 'two' })
    + blendFunction({ mode: 'overlay', operator: 'xor', name: 'three' });
  const found = await evaluate(device, functions, 'three(two(one(source, below), below), below)', pairs.slice(0, 100));
  const [one, two, three] = [
    referenceBlend('hue', 'source-over'),
    referenceBlend('color', 'source-over'),
    referenceBlend('overlay', 'xor'),
  ];
  expect(found.map(bits)).toEqual(
    pairs.slice(0, 100).map(([source, below]) => bits(three(two(one(source, below), below), below)))
  );
});
