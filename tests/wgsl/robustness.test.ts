// Invalid input of any kind gives errors: no exception, no hang, and spans within the text.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderDiagnostics } from '../../src/base/diagnostics';
import { checkModule, parseModule } from '../../src/wgsl';
import { simpleMath } from './simple-math';

const shader = `
struct U { vp: mat4x4f, eye: vec4f, lights: array<vec4f, 4> };
@group(0) @binding(0) var<uniform> u: U; @group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var t: texture_2d<f32>;
struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f };
fn shade(n: vec3f, uv: vec2f) -> vec3f {
  var c = vec3(0.0);
  for (var i = 0u; i < 4; i++) { if u.lights[i].w > 0 { c += u.lights[i].rgb * max(dot(n, u.lights[i].xyz), 0); } }
  switch i32(uv.x) { case 0, 1: { c *= 2; } default: { c = -c; } }
  return c * textureSample(t, s, uv).rgb;
}
@fragment fn fs(v: V) -> @location(0) vec4f { let p = &u; return vec4f(shade((*p).eye.xyz, v.uv), 1); }`;

function check(source: string): number {
  const { module, diagnostics } = parseModule(source);
  const all = [...diagnostics, ...checkModule(module, simpleMath).diagnostics];
  for (const { span, message } of all) {
    expect(span.start).toBeGreaterThanOrEqual(0);
    expect(span.end).toBeLessThanOrEqual(source.length);
    expect(span.end).toBeGreaterThanOrEqual(span.start);
    expect(message).not.toContain('undefined');
  }
  renderDiagnostics(source, all);
  return all.length;
}

const words = shader.match(/\w+|[^\w\s]/g)!;

describe('robustness', () => {
  it('accepts the shader that the rest of these tests break', () => expect(check(shader)).toBe(0));

  it('handles the removal of any one token', () => {
    const pieces = [...shader.matchAll(/\w+|[^\w\s]/g)];
    for (const piece of pieces) check(shader.slice(0, piece.index) + shader.slice(piece.index + piece[0].length));
  });

  it('handles truncation at any place', () => {
    for (let end = 0; end < shader.length; end += 3) check(shader.slice(0, end));
  });

  it('handles words in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 40 }), (list) => void check(list.join(' '))),
      { numRuns: 500, seed: 3 }
    );
  });

  it('handles an inserted token at any place', () => {
    const place = fc.nat(shader.length);
    fc.assert(
      fc.property(
        place,
        fc.constantFrom(...words, '<', '>', '"', '\0', '\ud800', '😀'),
        (at, word) => void check(`${shader.slice(0, at)} ${word} ${shader.slice(at)}`)
      ),
      { numRuns: 500, seed: 4 }
    );
  });

  it.each([
    ['parentheses', (n: number) => `const a = ${'('.repeat(n)}1${')'.repeat(n)};`],
    ['unary operators', (n: number) => `const a = ${'- '.repeat(n)}1;`],
    ['sums', (n: number) => `const a = 1${' + 1'.repeat(n)};`],
    ['blocks', (n: number) => `fn f() { ${'{'.repeat(n)}${'}'.repeat(n)} }`],
    ['else if', (n: number) => `fn f() { if true { } ${'else if true { } '.repeat(n)} }`],
    ['members', (n: number) => `fn f(a: vec4f) { _ = a${'.xyzw'.repeat(n)}; }`],
    ['template lists', (n: number) => `alias A = ${'array<'.repeat(n)}f32${', 1>'.repeat(n)};`],
    ['opened brackets', (n: number) => `fn f() { a${'['.repeat(n)}`],
    ['opened template lists', (n: number) => `${'a<'.repeat(n)}`],
  ])('nested %s end in an error, not in a stack overflow', (_, write) => {
    expect(check(write(100_000))).toBeGreaterThan(0);
  });

  it('accepts nesting that a person or a generator would write', () => {
    expect(
      check(
        `
          const a = ${'('.repeat(100)}1${')'.repeat(100)}; const b = 1${' + 1'.repeat(500)};
          fn f() { if true { } ${'else if true { } '.repeat(50)} }
        `
      )
    ).toBe(0);
  });

  it('finishes quickly if every line has an error', () => {
    const start = performance.now();
    expect(check(`fn f() {\n${'  let a = b + ;\n  x.y = unknown(1);\n'.repeat(2000)}}`)).toBeGreaterThan(10);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
