// Uniformity of derivatives: shaders in which all pixels of a quad reach them, and the severities that diagnostic
// filters give to others.
import { expect, test } from 'vitest';
import { checkModule, parseModule } from '../../src/wgsl';
import { simpleMath } from './simple-math';

const DECLARED = `
  @group(0) @binding(0) var t: texture_2d<f32>;
  @group(0) @binding(1) var s: sampler;
  @group(0) @binding(2) var<uniform> u: vec4f;
  @group(0) @binding(3) var<storage> steps: array<u32>;
  fn read(uv: vec2f) -> vec4f { return textureSample(t, s, uv); }
  fn apart(x: f32) -> f32 { if (x > 0.5) { return 1; } return 0; }`;

function severities(source: string): string[] {
  const { module, diagnostics } = parseModule(source + DECLARED);
  return [...diagnostics, ...checkModule(module, simpleMath).diagnostics].map(
    ({ code, severity }) => `${severity} ${code}`
  );
}
const main = (body: string, attributes = ''): string =>
  `
    ${attributes}
    @fragment fn main(@location(0) uv: vec2f, @builtin(position) at: vec4f) -> @location(0) vec4f { ${body} }
  `;

test.each(
  Object.entries({
    'outside of all control flow': 'return read(uv) + dpdx(u) + fwidth(at);',
    'under a condition on uniforms': 'if (u.x > 1) { return read(uv); } return vec4f(dpdy(uv.x));',
    'in loops that all leave together': `var sum = vec4f();
    for (var i = 0u; i < steps[2]; i++) {
      if (i == 3) { continue; } sum += read(uv * f32(i)); if (u.y > sum.w * 0) { break; }
    }
    return vec4f(0);`.replace('sum.w * 0', 'u.z'),
    'behind where they meet again': 'var k = 0.0; if (uv.x > 0.5) { k = 1; } else { k = 2; } return read(uv * k);',
    'behind a function that returns early': 'let a = apart(uv.x); return read(uv * a);',
    'behind a discard': 'if (uv.x > 0.5) { discard; } return read(uv);',
    'of levels that are given': `if (uv.x > 0.5) {
      return textureSampleLevel(t, s, uv, 0) + textureSampleGrad(t, s, uv, uv, uv) + textureGather(0, t, s, uv);
    }
    return vec4f();`,
    'a variable that is uniform again': 'var k = uv.x; k = u.x; if (k > 0) { return read(uv); } return u;',
  })
)('%s', (_, body) => {
  expect(severities(main(body))).toEqual([]);
});

const CODE = 'derivative-not-uniform';
test.each(
  Object.entries({
    'an input': 'if (uv.x > 0.5) { return read(uv); } return u;',
    'a built-in value': 'if (at.x > 3) { return vec4f(dpdx(uv.y)); } return u;',
    'what a texture holds': 'if (textureSample(t, s, uv).x > 0) { return vec4f(fwidth(uv), 0, 0); } return u;',
    derivatives: 'let d = dpdx(u.x); if (d > 0) { return read(uv); } return u;',
    'an early return': 'if (uv.x > 0.5) { return u; } return read(uv);',
    'a loop that some leave': 'for (var i = 0; i < i32(uv.x); i++) { if (read(uv).x > 2) { discard; } } return u;',
    'a break of some': 'loop { if (uv.x > 0.3) { break; } let a = read(uv); } return u;',
    'a variable that a function changed': `var k = 0.0; change(&k, uv.x); if (k > 0) { return read(uv); } return u;`,
    'a function that gives what differs': 'if (apart(uv.x) > 0) { return read(uv); } return u;',
    'the right side of &&': 'let b = uv.x > 0.5 && read(uv).x > 0; return vec4f(f32(b));',
    'a case of a switch': 'switch (i32(uv.x)) { case 1: { return read(uv); } default: { return u; } }',
    'a private variable': 'if (mine > 0) { return read(uv); } return u;',
  })
)('%s', (_, body) => {
  const more = 'var<private> mine: f32; fn change(p: ptr<function, f32>, x: f32) { *p = x; }';
  expect(severities(main(body) + more)).toEqual([`error ${CODE}`]);
});

test.each([
  ['diagnostic(off, derivative_uniformity);', '', []],
  ['diagnostic(warning, derivative_uniformity);', '', [`warning ${CODE}`]],
  ['diagnostic(info, derivative_uniformity);', '', [`info ${CODE}`]],
  ['', '@diagnostic(off, derivative_uniformity)', []],
  ['diagnostic(off, derivative_uniformity);', '@diagnostic(error, derivative_uniformity)', [`error ${CODE}`]],
  ['diagnostic(off, subgroup_uniformity);', '', [`error ${CODE}`]],
])('filters of the module and of a function: %s %s', (directive, attribute, wanted) => {
  const body = 'if (uv.x > 0.5) { return textureSample(t, s, uv); } return u;';
  expect(severities(`${directive}${main(body, attribute)}`)).toEqual(wanted);
});

test.each([
  '@diagnostic(A) if (uv.x > 0.5) { return textureSample(t, s, uv); }',
  'if (uv.x > 0.5) @diagnostic(A) { return textureSample(t, s, uv); }',
  'if (uv.x > 0.5) { @diagnostic(A) { return textureSample(t, s, uv); } }',
  '@diagnostic(A) switch (i32(uv.x)) { default: { if (uv.y > 0) { return textureSample(t, s, uv); } } }',
  'switch (i32(uv.x)) @diagnostic(A) { case 2: { return textureSample(t, s, uv); } default: { } }',
  'switch (i32(uv.x)) { case 2: @diagnostic(A) { return textureSample(t, s, uv); } default: { } }',
  '@diagnostic(A) loop { if (uv.x > 0.1) { break; } let a = textureSample(t, s, uv); }',
  'loop @diagnostic(A) { if (uv.x > 0.1) { break; } let a = textureSample(t, s, uv); }',
  'loop { if (uv.x > 0.1) { break; } continuing @diagnostic(A) { let a = textureSample(t, s, uv); } }',
  '@diagnostic(A) for (var i = 0.0; i < uv.x; i += 1) { let a = textureSample(t, s, uv); }',
  'for (var i = 0.0; i < uv.x; i += 1) @diagnostic(A) { let a = textureSample(t, s, uv); }',
  '@diagnostic(A) while (uv.x > 1) { let a = textureSample(t, s, uv); }',
  'while (uv.x > 1) @diagnostic(A) { let a = textureSample(t, s, uv); }',
])('filters of statements: %s', (text) => {
  for (const [severity, wanted] of [
    ['off', []],
    ['warning', [`warning ${CODE}`]],
  ] as const) {
    const found = severities(main(`${text.replace('A', `${severity}, derivative_uniformity`)} return u;`));
    expect(found.filter((one) => !one.includes('unreachable'))).toEqual(wanted);
  }
});

test("the filter at the call of the built-in counts, not the one at the function's call", () => {
  expect(
    severities(main('@diagnostic(off, derivative_uniformity) if (uv.x > 0.5) { return read(uv); } return u;'))
  ).toEqual([`error ${CODE}`]);
});

test('a function called by two entry points is reported once', () => {
  const body = 'if (uv.x > 0.5) { return read(uv); } return u;';
  expect(severities(main(body) + main(body).replace('fn main', 'fn other'))).toEqual([`error ${CODE}`]);
});
