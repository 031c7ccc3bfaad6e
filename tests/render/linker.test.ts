// Programs that are used together are linked and encoded once, however many pipelines have them.
import { expect, test } from 'vitest';
import { Linker } from '../../src/render/linker';
import { hostMath } from '../ir/evaluate';
import { both } from '../lower/source';

const optimized = (source: string) => both(source)[1]!;
const VERTEX = optimized(`struct V { @builtin(position) p: vec4f, @location(0) a: f32, @location(1) b: f32 }
  @vertex fn main(@location(0) x: f32) -> V { return V(vec4f(x), x + 1, sin(x)); }`);
const fragment = (result: string) => optimized(
  `@fragment fn main(@location(0) a: f32, @location(1) b: f32) -> @location(0) f32 { return ${result}; }`
);
const BOTH = fragment('a * b');
const FIRST = fragment('a * 2');

test('the same pair is linked once', () => {
  const linker = new Linker(hostMath);
  expect(linker.link(VERTEX, BOTH)).toBe(linker.link(VERTEX, BOTH));
  expect(linker.link(VERTEX, null)).toBe(linker.link(VERTEX, null));
  expect(linker.link(VERTEX, FIRST)).not.toBe(linker.link(VERTEX, BOTH));
});

test('what the fragment program does not read is not computed', () => {
  const linker = new Linker(hostMath);
  const computes = (partner: typeof BOTH | null) =>
    linker.link(VERTEX, partner).linked.vertex.body.flatMap((node) => (node.kind
      === 'op'
      && /sin|add/.test(node.op)
      ? [node.op]
      : []));
  expect(computes(BOTH)).toEqual(['f32.add', 'f32.sin']);
  expect(computes(FIRST)).toEqual(['f32.add']);
  expect(computes(null)).toEqual([]);
});

test('a program that breaks a rule is not encoded', () => {
  const broken = { ...FIRST, body: FIRST.body.filter((node) => node.kind !== 'op' || node.op !== 'input') };
  expect(() => new Linker(hostMath).link(VERTEX, broken)).toThrow(/ir: main: %\d+ is visible where/);
});
