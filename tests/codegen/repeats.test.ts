// Detection of programs whose outputs follow from the texels of a quad alone.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { encodeBytecode } from '../../src/codegen';
import { findFacts, uniformWordsOf } from '../../src/codegen/jit/analysis/facts';
import { findRepeatPoint } from '../../src/codegen/jit/analysis/repeats';
import { parseInlines } from '../../src/codegen/wasm/inlines';
import { both } from '../lower/source';

const inlines = parseInlines(readFileSync(new URL('../../build/inlines.wasm', import.meta.url)));

const CURVE = 'c = pow(c, vec4f(0.41666)) * 1.055 - 0.055;';

/** The number of values that decide; 0 if outputs are always computed. */
test.each<[string, number, string]>([
  ['a curve', 4, CURVE],
  ['a curve of two reads', 8, `c += textureSample(t, s, p.yx); ${CURVE}`],
  ['a curve, scaled by a setting', 4, `${CURVE} c *= settings;`],
  ['a curve, and a branch that selects replace', 4, `if (c.a != 0) { c = vec4f(c.rgb / c.a, 1); } ${CURVE}`],
  ['a curve that is only a product', 0, 'c *= settings;'],
  ['a curve with a branch of its own', 0, `if (c.a != 0) { ${CURVE} }`],
  ['a curve, scaled by an input that is read afterwards', 0, `${CURVE} c *= p.x;`],
  ['a curve, scaled by an input', 0, `c *= p.x; ${CURVE}`],
  ['a curve with a discard', 0, `${CURVE} if (c.x > 0.5) { discard; }`],
  ['a curve before the read', 0, 'c = pow(p.xyxy, vec4f(0.41666)) + c;'],
])('%s: %i', (_, expected, statements) => {
  const program = both(`
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var<uniform> settings: vec4f;
@fragment fn main(@location(0) p: vec2f) -> @location(0) vec4f {
  var c = textureSample(t, s, p);
  ${statements}
  return c;
}`)[1]!;
  const uniformWords = uniformWordsOf({ program, encoded: encodeBytecode(program) });
  const point = findRepeatPoint(findFacts(program, uniformWords, inlines, 1), inlines);
  expect(point?.values.length ?? 0).toBe(expected);
  if (point !== null) expect(point.outputs).toEqual([0, 1, 2, 3]);
});
