// Detection of latency-bound programs: loops whose iterations wait for each other, and straight code.
import { expect, test } from 'vitest';
import { hasChain, isStraightChain } from '../../src/codegen/jit/analysis/chains';
import { both } from '../lower/source';

const looped = (before: string, round: string): string => `
struct Light { at: vec4f, c: vec4f };
@group(0) @binding(0) var<uniform> lights: array<Light, 60>;
@fragment fn main(@location(0) p: vec3f) -> @location(0) vec4f {
  ${before}
  for (var k = 0; k < 60; k++) { ${round} }
  return vec4f(a, b, 0, 1);
}`;

test.each<[string, boolean, string, string]>([
  [
    'a point that is followed',
    true,
    'var a = p.x; var b = p.y;',
    'let s = a * a - b * b + p.x; b = 2 * a * b + p.y; a = s;',
  ],
  [
    'a ray that marches',
    true,
    'var a = 0.0; var b = 0.0;',
    'a += length(p * a) - length(p * a + 2) / 3; if (a > 9) { break; }',
  ],
  [
    'a sum over what the counter names',
    false,
    'var a = 0.0; var b = 0.0;',
    'let d = lights[k].at.xyz - p; let f = dot(d, d); a += lights[k].c.x / f; b += lights[k].c.y / sqrt(f);',
  ],
  ['a counter alone', false, 'var a = 0.0; var b = 0.0;', 'if (lights[k].at.x > p.x * p.y + p.z) { a = p.x; break; }'],
])('%s: %s', (_, expected, before, round) => {
  expect(hasChain(both(looped(before, round))[1]!)).toBe(expected);
});

const repeated = (count: number, statement: string): string => Array.from({ length: count }, () => statement).join(' ');

test.each<[string, boolean, string]>([
  ['a long chain of one value', true, `var a = p; ${repeated(40, 'a.x = a.x * p.y + p.z;')}`],
  ['a chain of sines', true, `var a = p; ${repeated(3, 'a = sin(a * 3);')}`],
  ['a chain that other quads overlap anyway', false, `var a = p; ${repeated(10, 'a.x = a.x * p.y + p.z;')}`],
  ['independent terms', false, `var a = p; ${repeated(20, 'a += p * p; a -= sin(p);')} a = p * a;`],
  [
    'a chain of many values',
    false,
    `var a = p; var b = p.yzx + a; var c = b + p; ${repeated(20, 'a = c * b + p; b = a * c + p; c = a * b + p;')}
     a += b * c;`,
  ],
  ['a chain in a branch', false, `var a = p; if (p.x > 0) { ${repeated(40, 'a.x = a.x * p.y + p.z;')} }`],
])('straight code, %s: %s', (_, expected, statements) => {
  const text = `@fragment fn main(@location(0) p: vec3f) -> @location(0) vec4f { ${statements} return vec4f(a, 1); }`;
  expect(isStraightChain(both(text)[1]!)).toBe(expected);
});

test('nested loops with many variables are analyzed in time', () => {
  const each = (count: number, write: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => write(i)).join(' ');
  const program = both(
    looped(
      `var a = 0.0; var b = 0.0; ${each(500, (i) => `var v${i} = p.x;`)}`,
      `${each(90, (i) => `for (var k${i} = 0; k${i} < i32(p.y); k${i}++) {`)}
      ${each(500, (i) => `v${i} += p.x;`)} ${'}'.repeat(90)} b = p.x${each(500, (i) => `+ v${i}`)};`
    )
  )[1]!;
  const before = process.cpuUsage();
  expect(hasChain(program)).toBe(false);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
});
