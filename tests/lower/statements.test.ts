// The semantics of statements, by hand: each body returns a vec4i computed from a = 3, b = -2, c = 7 (i32) and x = 1.5,
// y = -0.25 (f32). These are inputs, so that nothing is folded.
import { describe, expect, test } from 'vitest';
import type { IrInput } from '../../src/ir';
import { bits } from '../ir/words';
import { evaluate, hostMath } from '../ir/evaluate';
import { both } from './source';

const inputs: Readonly<Record<string, number>> = {
  '0.0': 3,
  '0.1': -2 >>> 0,
  '0.2': 7,
  '1.0': bits(1.5),
  '1.1': bits(-0.25),
};
const slot = (input: IrInput): string => (input.kind === 'varying' ? `${input.location}.${input.component}` : '');

/** One buffer: u32 words 0 … 63 times 10. */
const buffer = new Uint8Array(Uint32Array.from({ length: 64 }, (_, k) => k * 10).buffer);

function run(body: string, globals: string): number[][] {
  const source = `${globals}
    @fragment fn main(@location(0) @interpolate(flat) ints: vec3i, @location(1) floats: vec2f) -> @location(0) vec4i {
      let a = ints.x; let b = ints.y; let c = ints.z; let x = floats.x; let y = floats.y;
      ${body}
    }`;
  return both(source).map((program) => {
    const environment = {
      inputs: program.inputs.map((input) => inputs[slot(input)]!),
      buffers: new Map(program.resources.map((_, k) => [k, buffer])),
      math: hostMath,
    };
    return evaluate(program, environment).outputs.map((word) => word | 0);
  });
}

const cases: [string, string, readonly number[], string?][] = [
  [
    'early return in a function',
    'return vec4i(pick(a), pick(b), pick(c), 0);',
    [13, -2, 17, 0],
    'fn pick(n: i32) -> i32 { if (n > 0) { return n + 10; } return n; }',
  ],
  [
    'return from a loop',
    'return vec4i(first(a), first(b), first(100), 0);',
    [2, 0, 9, 0],
    'fn first(n: i32) -> i32 { for (var i = 0; i < 9; i++) { if (i * i >= n) { return i; } } return 9; }',
  ],
  [
    'break and continue',
    `
      var n = 0; for (var i = 0; i < 10; i++) { if (i == a) { continue; } if (i == c) { break; } n += i; }
      return vec4i(n);
    `,
    [18, 18, 18, 18],
  ],
  [
    'loop with continuing and break if',
    `
      var n = 0; var i = 0; loop { if (i == 1) { i = 5; continue; } n += i; continuing { i++; break if i > c; } }
      return vec4i(n, i, 0, 0);
    `,
    [13, 8, 0, 0],
  ],
  [
    'a let of the body in continuing',
    `
      var n = 0; var i = 0;
      loop { i++; let twice = i * 2; if (i == 2) { continue; } n += 1; continuing { n += twice; break if i >= a; } }
      return vec4i(n, i, 0, 0);
    `,
    [14, 3, 0, 0],
  ],
  [
    'while',
    'var n = c; var k = 0; while (n > 1) { n = select(n * 3 + 1, n / 2, n % 2 == 0); k++; } return vec4i(k, n, 0, 0);',
    [16, 1, 0, 0],
  ],
  [
    'switch',
    'return vec4i(kind(a), kind(b), kind(c), kind(0));',
    [30, -1, 71, 5],
    `
      fn kind(n: i32) -> i32 {
        var r = 5;
        switch (n) { case 3, 4: { r = 30; break; } case 7: { r = 70; r++; } case 0: { } default: { r = -1; } }
        return r;
      }
    `,
  ],
  [
    'switch with a continue in a loop',
    `
      var n = 0;
      for (var i = 0; i < 5; i++) {
        switch (i) { case 1: { continue; } case 3: { break; } default: { n += 1; } } n += 10;
      }
      return vec4i(n);
    `,
    [43, 43, 43, 43],
  ],
  [
    'nested loops',
    `
      var n = 0; for (var i = 0; i < a; i++) { for (var j = 0; j < c; j++) { if (j > i) { break; } n += j + 1; } }
      return vec4i(n);
    `,
    [10, 10, 10, 10],
  ],
  [
    'a var in a loop starts at zero each time',
    'var n = 0; for (var i = 0; i < a; i++) { var k: i32; k += i; n += k; } return vec4i(n);',
    [3, 3, 3, 3],
  ],
  [
    'short circuit skips effects',
    'let r = (a > 5 && touch()) || (b < 0); return vec4i(i32(r), touched, 0, 0);',
    [1, 0, 0, 0],
    'var<private> touched: i32; fn touch() -> bool { touched += 1; return true; }',
  ],
  [
    'private variables with initialisers',
    'counter += 1; bump(); return vec4i(counter, table[a % 3], 0, 0);',
    [47, 5, 0, 0],
    'var<private> counter: i32 = 41; var<private> table = array<i32, 3>(5, 6, 7); fn bump() { counter += 5; }',
  ],
  [
    'pointers to variables, fields and elements',
    `
      var s = S(vec3i(a, b, c), array<i32, 2>(1, 2)); add(&s.v, 1); fill(&s.e, 9); bump(&s.e[1]);
      return vec4i(s.v.x, s.v.y, s.e[0], s.e[1]);
    `,
    [4, -1, 9, 10],
    `
      struct S { v: vec3i, e: array<i32, 2> }
      fn add(p: ptr<function, vec3i>, n: i32) { *p += vec3i(n); }
      fn fill(p: ptr<function, array<i32, 2>>, n: i32) { for (var i = 0; i < 2; i++) { (*p)[i] = n; } }
      fn bump(p: ptr<function, i32>) { *p = *p + 1; }
    `,
  ],
  [
    'a pointer keeps its index',
    'var e = array<i32, 3>(1, 2, 3); var i = 1; let p = &e[i]; i = 2; *p = 20; return vec4i(e[0], e[1], e[2], i);',
    [1, 20, 3, 2],
  ],
  [
    'dynamic indices are clamped',
    'var e = array<i32, 6>(1, 2, 3, 4, 5, 6); e[b] = 60; return vec4i(e[a], e[b], e[c], e[0]);',
    [4, 60, 60, 1],
  ],
  [
    'dynamic components',
    'var v = vec4i(1, 2, 3, 4); v[a] = 40; let w = vec4i(5, 6, 7, 8); return vec4i(v[3], w[a], v[a - 1], v.x);',
    [40, 8, 3, 1],
  ],
  [
    'dynamic columns',
    'var m = mat3x2f(1, 2, 3, 4, 5, 6); m[a - 1] = vec2f(x, y); m[0][a - 2] = 9; return vec4i(vec4f(m[2] * 4, m[0]));',
    [6, -1, 1, 9],
  ],
  [
    'constant tables',
    `
      const t = array<vec2i, 7>(vec2i(0, 1), vec2i(2, 3), vec2i(4, 5), vec2i(6, 7), vec2i(8, 9), vec2i(10, 11),
        vec2i(12, 13));
      return vec4i(t[a], t[c]);
    `,
    [6, 7, 12, 13],
  ],
  [
    'a runtime-sized array is clamped to what is bound',
    'return vec4i(i32(s.e[a]), i32(s.e[1000]), i32(arrayLength(&s.e)), i32(s.n));',
    [50, 630, 62, 0],
    'struct S { n: u32, pad: u32, e: array<u32> } @group(0) @binding(0) var<storage, read> s: S;',
  ],
  [
    'bit casts and conversions',
    'return vec4i(bitcast<i32>(x), i32(y), i32(u32(x * 3)), i32(a > b));',
    [0x3fc00000, 0, 4, 1],
  ],
  [
    'compound assignment evaluates its place once',
    'var e = array<i32, 3>(1, 2, 3); n = 0; e[next()] += 10; return vec4i(e[0], e[1], e[2], n);',
    [1, 12, 3, 1],
    'var<private> n: i32; fn next() -> i32 { n += 1; return n; }',
  ],
  [
    'compound assignment reads its place before it evaluates its value',
    'n = 5; n += next(); var e = array<i32, 6>(); e[a] += put(&e, a, 40); return vec4i(n, e[a], 0, 0);',
    [15, 1, 0, 0],
    `
      var<private> n: i32;
      fn next() -> i32 { n = 70; return 10; }
      fn put(p: ptr<function, array<i32, 6>>, k: i32, x: i32) -> i32 { (*p)[k] = x; return 1; }
    `,
  ],
  [
    'a counter that unknown branches move back',
    'var n = 0; for (var k = 0; k < 4; k++) { n++; if (n < c) { k--; } } return vec4i(n);',
    [10, 10, 10, 10],
  ],
  [
    'an array in a loop starts at zero each time',
    `
      var n = 0;
      for (var k = 0; k < c; k++) {
        var e: array<i32, 6>; e[(a + k) % 6] += 1; e[a] += 2; n += e[0] + e[1] + e[a] * 10;
      }
      return vec4i(n);
    `,
    [162, 162, 162, 162],
  ],
  [
    'a variable that is read between a value and its store',
    `
      var v = a; for (var k = 0; k < a; k++) { v += k; }
      let z = b * c; let old = v; v = z; for (var k = 0; k < a; k++) { v += k; }
      return vec4i(old, v, z, 0);
    `,
    [6, -11, -14, 0],
  ],
  [
    'a pointer with a computed index, in continuing',
    `
      var e = array<i32, 6>(1, 2, 3, 4, 5, 6); var i = 0;
      loop {
        let p = &e[i + a]; *p += 10; if (i == 1) { i += 1; continue; } i += 1; continuing { *p *= 2; break if i > 2; }
      }
      return vec4i(e[3], e[4], e[5], e[0]);
    `,
    [28, 30, 32, 1],
  ],
  [
    'matrix products',
    'let m = mat2x2f(1, 2, 3, 4); let v = vec2f(x * 2, 2); return vec4i(vec4f(m * v, v * m));',
    [9, 14, 7, 17],
  ],
  [
    'structs by value',
    'var p = make(a); let q = p; p.b.x = 100; return vec4i(q.a, q.b, p.b.x);',
    [3, 4, 5, 100],
    'struct P { a: i32, b: vec2i } fn make(n: i32) -> P { return P(n, vec2i(n + 1, n + 2)); }',
  ],
  [
    'shadowed names',
    'let n = a; { let n = b; if (n < 0) { let n = c; return vec4i(n); } } return vec4i(n);',
    [7, 7, 7, 7],
  ],
];

describe('statements', () => {
  test.each(cases)('%s', (_, body, expected, globals = '') => {
    for (const outputs of run(body, globals)) expect(outputs).toEqual(expected);
  });

  test('uniform layout: matrix columns, array strides, struct offsets', () => {
    // mat2x3f: columns at 0 and 16; n at 32; e at 48, 16 bytes each; last at 112.
    const globals =
      'struct U { m: mat2x3f, n: u32, e: array<vec4u, 4>, last: u32 } @group(0) @binding(0) var<uniform> u: U;';
    const body = 'return vec4i(bitcast<i32>(u.m[1].z), i32(u.e[a].y), i32(u.last), i32(u.n));';
    // Words 6, 12 + 4 · 3 + 1, 28 and 8, times ten.
    for (const outputs of run(body, globals)) expect(outputs).toEqual([60, 250, 280, 80]);
  });

  test('a discarded fragment is marked', () => {
    const source = '@fragment fn main(@location(0) x: f32) -> @location(0) f32 { if (x > 1.0) { discard; } return x; }';
    for (const program of both(source)) {
      expect(program.usesDiscard).toBe(true);
      expect(evaluate(program, { inputs: [bits(2)], math: hostMath })).toEqual({
        outputs: [bits(2)],
        discarded: true,
        stores: [],
      });
      expect(evaluate(program, { inputs: [bits(0.5)], math: hostMath }).discarded).toBe(false);
    }
  });

  test('unused inputs are removed; all outputs remain', () => {
    const source = `struct V { @builtin(position) p: vec4f, @location(3) n: vec2f }
      @vertex fn main(@location(0) a: vec4f, @location(1) b: vec4f, @builtin(vertex_index) i: u32) -> V {
        var v: V; v.n = a.zx; return v;
      }`;
    for (const program of both(source)) {
      expect(program.inputs).toEqual([
        { kind: 'attribute', location: 0, component: 0, type: 'f32' },
        { kind: 'attribute', location: 0, component: 2, type: 'f32' },
      ]);
      expect(program.outputs.map(({ kind }) => kind)).toEqual([
        'position',
        'position',
        'position',
        'position',
        'varying',
        'varying',
      ]);
      expect(evaluate(program, { inputs: [1, 2], math: hostMath }).outputs).toEqual([0, 0, 0, 0, 2, 1]);
    }
  });
});
