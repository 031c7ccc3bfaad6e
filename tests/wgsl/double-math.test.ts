// Functions of doubles compared with JavaScript's, which are accurate to one or two ULP in current engines.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doubleMath, scaleByPower, splitFloat } from '../../src/wgsl/double-math';

const close = (got: number, want: number, scale = 1): void => {
  if (!Number.isFinite(want)) expect(Number.isFinite(got)).toBe(false);
  else expect(Math.abs(got - want)).toBeLessThanOrEqual(Math.max(2e-14 * scale * Math.abs(want), 2e-16 * scale));
};

const DOMAINS: Readonly<Record<string, [number, number]>> = {
  exp: [-700, 709],
  exp2: [-1000, 1023],
  sin: [-1e5, 1e5],
  cos: [-1e5, 1e5],
  atan: [-1e9, 1e9],
  asin: [-1, 1],
  acos: [-1, 1],
  sinh: [-700, 700],
  cosh: [-700, 700],
  tanh: [-40, 40],
  asinh: [-1e200, 1e200],
  atanh: [-0.999, 0.999],
  acosh: [1, 1e9],
  log: [1e-300, 1e300],
  log2: [1e-300, 1e300],
};

describe('double-math', () => {
  it.each(Object.entries(DOMAINS))('%s', (name, [min, max]) => {
    const of = (Math as unknown as Record<string, (x: number) => number>)[name] ?? ((x: number) => 2 ** x);
    const inRange = fc.oneof(
      fc.double({ min, max, noNaN: true }),
      fc.double({ min: Math.max(min, -1), max: Math.min(max, 2), noNaN: true })
    );
    const cancels = /^(sin|cos)$/.test(name) ? 1e3 : /^(exp|exp2|sinh|cosh)$/.test(name) ? 50 : 1;
    const valid = inRange.filter((x) => x >= min && x <= max);
    fc.assert(fc.property(valid, (x) => close(doubleMath.unary(name, x), of(x), cancels)));
  });

  it('pow, and atan2 in every quadrant', () => {
    const any = fc.double({ min: -1e3, max: 1e3, noNaN: true });
    fc.assert(
      fc.property(
        fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
        fc.double({ min: -100, max: 100, noNaN: true }),
        (x, y) => close(doubleMath.binary('pow', x, y), x ** y, 100)
      )
    );
    fc.assert(
      fc.property(any, any, (y, x) => {
        if (x !== 0 && y !== 0) close(doubleMath.binary('atan2', y, x), Math.atan2(y, x), 2);
      })
    );
  });

  it('has no value outside the domains', () => {
    const outside = [
      ['log', -1],
      ['log', 0],
      ['acosh', 0.5],
      ['atanh', 1],
      ['asin', 1.1],
      ['exp', 711],
      ['inverseSqrt', 0],
    ] as const;
    for (const [name, x] of outside) expect(Number.isFinite(doubleMath.unary(name, x))).toBe(false);
  });

  it('splits and scales', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (x) => {
        const [fraction, exponent] = splitFloat(x);
        expect(x === 0 || (Math.abs(fraction) >= 0.5 && Math.abs(fraction) < 1)).toBe(true);
        expect(scaleByPower(fraction, exponent)).toBe(x);
      })
    );
  });
});
