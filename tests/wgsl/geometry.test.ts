// Entry points of geometry and primitive stages as pipelines see them; for errors see errors/geometry.txt.

import { describe, expect, it } from 'vitest';
import { renderDiagnostics } from '../../src/base/diagnostics';
import { checkModule, parseModule, resolveEntryPoint, type EntryPoint } from '../../src/wgsl';
import { simpleMath } from './simple-math';

const FEATURES = new Set(['modular-pipelines']);

/** The entry points of a valid module. */
function entries(source: string, features: ReadonlySet<string> = FEATURES): readonly EntryPoint[] {
  const { module, diagnostics } = parseModule(source);
  const checked = checkModule(module, simpleMath, features);
  expect(renderDiagnostics(source, [...diagnostics, ...checked.diagnostics])).toBe('');
  return checked.hir!.entryPoints;
}

const HEAD = `enable modular_pipelines;
  struct V { @location(3) @interpolate(flat) p: vec2f, @location(0) i: vec3u }
  struct W { @location(0) c: f32, @builtin(position) @invariant position: vec4f }`;

describe('a geometry stage', () => {
  it.each([
    ['points', 'array<V, 1>', 1],
    ['lines', 'array<V, 1 + 1>', 2],
    ['triangles', 'Triangle', 3],
    ['lines with adjacency', 'array<V, 4u>', 4],
    ['triangles with adjacency', 'array<V, SIX>', 6],
  ])('of %s', (_, type, corners) => {
    const [entry] = entries(`${HEAD} alias Triangle = array<V, 3>; const SIX = 6;
      @geometry fn f(@builtin(instance_index) k: u32, v: ${type}) { emitVertex(W(1, v[k].p.xyxy)); }`);
    expect(entry).toMatchObject({ name: 'f', stage: 'geometry', corners });
    // Once for all vertices of the primitive.
    expect(
      entry!.inputs.map(({ name, io, parameter, member }) => [name, io.location ?? io.builtin, parameter, member])
    ).toEqual([
      ['k', 'instance_index', 0, -1],
      ['v.p', 3, 1, 0],
      ['v.i', 0, 1, 1],
    ]);
    expect(entry!.outputs.map(({ name, io }) => [name, io.location ?? io.builtin])).toEqual([
      ['W.c', 0],
      ['W.position', 'position'],
    ]);
  });

  it('may emit in functions that it calls, and each entry point has its own vertices', () => {
    const found = entries(`${HEAD} struct X { @location(7) a: f32 }
      fn one(p: vec4f) { emitVertex(W(0, p)); } fn both(p: vec4f) { one(p); one(-p); endStrip(); }
      @geometry fn f(v: array<V, 2>) { both(v[0].p.xyxy); }
      @geometry fn g(v: array<V, 2>) { emitVertex(X(v[1].p.x)); }
      @vertex fn h(@location(0) p: vec4f) -> W { return W(0, p); }`);
    expect(found.map(({ name, corners, outputs }) => [name, corners, outputs.map((output) => output.name)])).toEqual([
      ['f', 2, ['W.c', 'W.position']],
      ['g', 2, ['X.a']],
      ['h', 0, ['result.c', 'result.position']],
    ]);
  });

  it('emits vertices of one type to streams', () => {
    const [entry] = entries(`${HEAD} const last = 3;
      @geometry fn f(v: array<V, 2>) {
        emitVertex(W(0, v[0].p.xyxy), last - 1); endStrip(2u); emitVertex(W(), last);
      }`);
    expect(entry!.outputs.map(({ name }) => name)).toEqual(['W.c', 'W.position']);
  });

  it('takes built-in values in a struct', () => {
    const [entry] = entries(`${HEAD} struct Place { @builtin(primitive_index) i: u32, @builtin(instance_index) k: u32 }
      @geometry fn f(v: array<V, 3>, at: Place) { if (at.i < at.k) { emitVertex(W()); } }`);
    expect(entry!.inputs.map(({ name }) => name)).toEqual(['v.p', 'v.i', 'at.i', 'at.k']);
  });

  it('is resolved with the constants of a pipeline', () => {
    const { module } = parseModule(`${HEAD} override n = 2u;
      @geometry fn f(v: array<V, 3>) { for (var j = 0u; j < n; j++) { emitVertex(W(f32(n), v[j].p.xyxy)); } }`);
    const request = { entryPoint: 'f', constants: { n: 5 }, math: simpleMath, features: FEATURES };
    expect(resolveEntryPoint(module, request)).toMatchObject({ diagnostics: [], entryPoint: { corners: 3 } });
  });
});

it('names of its functions can be shadowed by declarations', () => {
  const source =
    'fn emitVertex(x: f32) -> f32 { return x; } fn endStrip() { } @fragment fn f() { _ = emitVertex(1); endStrip(); }';
  expect(entries(source, new Set())).toHaveLength(1);
});

describe('a primitive stage', () => {
  it('returns one value per primitive, or several', () => {
    const found = entries(`${HEAD} struct R { @builtin(viewport_index) n: u32, @builtin(cull_primitive) c: bool }
      @primitive fn f(@builtin(instance_index) k: u32, v: array<V, 2>, @builtin(primitive_index) i: u32) -> R {
        return R(k + i, v[1].p.x < 0);
      }
      @primitive fn g(v: array<V, 6>) -> @builtin(cull_primitive) bool { return all(v[5].i == v[4].i); }
      @primitive fn h(v: array<V, 1>) -> @builtin(viewport_index) u32 { return v[0].i.y; }`);
    expect(found.map(({ stage, corners, outputs }) => [stage, corners, outputs.map(({ io }) => io.builtin)])).toEqual([
      ['primitive', 2, ['viewport_index', 'cull_primitive']],
      ['primitive', 6, ['cull_primitive']],
      ['primitive', 1, ['viewport_index']],
    ]);
    expect(found[0]!.inputs.map(({ name }) => name)).toEqual(['k', 'v.p', 'v.i', 'i']);
  });
});
