// Cells of WGSL: operators, built-in functions, indices and control flow. Each expression is evaluated EVALUATIONS
// times per pixel, and the cost of summing its operands is subtracted.
import { BUFFER, bufferOf, COVER, makeFrame, QUADS } from './frame.mjs';

const EVALUATIONS = 8;
const each = (names, form) => Object.fromEntries(names.map((name) => [name, form(name)]));
/** Expressions by kind and name, with x and y (f32), v and w (vec3f), i and j (i32), a and b (u32). */
const EXPRESSIONS = {
  arithmetic: {
    ...each(['+', '-', '*', '/', '%'], (op) => `x ${op} y`),
    negate: '-x',
    fma: 'fma(x, y, 2.5)',
    'vec4 *': '(vec4f(x, y, x, y) * y).x',
  },
  'simple functions': {
    ...each(
      [
        'abs',
        'ceil',
        'floor',
        'fract',
        'round',
        'saturate',
        'sign',
        'sqrt',
        'trunc',
        'radians',
        'degrees',
        'inverseSqrt',
        'quantizeToF16',
      ],
      (f) => `${f}(x)`
    ),
    ...each(['max', 'min', 'step'], (f) => `${f}(x, y)`),
    clamp: 'clamp(x, 0.2, y)',
    mix: 'mix(x, y, 0.3)',
    smoothstep: 'smoothstep(0.1, y, x)',
    select: 'select(x, y, x < y)',
  },
  'transcendental functions': {
    ...each(
      [
        'sin',
        'cos',
        'tan',
        'exp',
        'exp2',
        'log',
        'log2',
        'asin',
        'acos',
        'atan',
        'sinh',
        'cosh',
        'tanh',
        'asinh',
        'atanh',
      ],
      (f) => `${f}(x)`
    ),
    acosh: 'acosh(x + 1)',
    atan2: 'atan2(x, y)',
    pow: 'pow(x, y)',
    'pow(x, 5)': 'pow(x, 5.0)',
  },
  'vector functions': {
    length: 'length(v)',
    distance: 'distance(v, w)',
    dot: 'dot(v, w)',
    cross: 'cross(v, w).x',
    normalize: 'normalize(v).y',
    reflect: 'reflect(v, w).x',
    refract: 'refract(v, w, 0.8).x',
    faceForward: 'faceForward(v, w, v).x',
    'mat4 · vec4': '(m * vec4f(v, x)).x + (m * vec4f(v, x)).w',
    'mat4 · mat4': '(m * mat4x4f(vec4f(x), vec4f(y), vec4f(v, 1), vec4f(w, 1)))[2].y',
    transpose: 'transpose(mat3x3f(v, w, v))[1].x',
    determinant: 'determinant(mat3x3f(v, w, v.zxy))',
    ldexp: 'ldexp(x, 3)',
    frexp: 'frexp(x).fract',
    modf: 'modf(x).fract',
  },
  integers: {
    ...each(['+', '-', '*', '&', '|', '^'], (op) => `f32(i ${op} j)`),
    '/ i32': 'f32(i / j)',
    '% i32': 'f32(i % j)',
    '/ u32': 'f32(a / b)',
    '% u32': 'f32(a % b)',
    '/ 7u': 'f32(a / 7u)',
    '% 8u': 'f32(a % 8u)',
    '<<': 'f32(a << (b & 7u))',
    '>>': 'f32(a >> (b & 7u))',
    '>> i32': 'f32(i >> (b & 7u))',
    ...each(
      [
        'countLeadingZeros',
        'countTrailingZeros',
        'countOneBits',
        'reverseBits',
        'firstLeadingBit',
        'firstTrailingBit',
        'abs',
      ],
      (f) => `f32(${f}(a))`
    ),
    extractBits: 'f32(extractBits(a, 3u, 5u))',
    insertBits: 'f32(insertBits(a, b, 3u, 5u))',
    'i32(f32)': 'f32(i32(x * 100))',
    'u32(f32)': 'f32(u32(x * 100))',
    bitcast: 'f32(bitcast<u32>(x) & 255u)',
  },
  packing: {
    ...each(['pack4x8unorm', 'pack4x8snorm'], (f) => `f32(${f}(vec4f(x, y, x, y)))`),
    ...each(['pack2x16unorm', 'pack2x16snorm', 'pack2x16float'], (f) => `f32(${f}(vec2f(x, y)))`),
    ...each(
      ['unpack4x8unorm', 'unpack4x8snorm', 'unpack2x16unorm', 'unpack2x16snorm', 'unpack2x16float'],
      (f) => `${f}(a & 0x3fff3fffu).y`
    ),
  },
  derivatives: each(['dpdx', 'dpdy', 'fwidth', 'dpdxFine', 'dpdyFine', 'fwidthFine', 'dpdxCoarse'], (f) => `${f}(x)`),
  indices: {
    'uniform array': 'u.list[a & 15u].x',
    'storage array': 's[a & 15u]',
    'private array': 'p[a & 15u]',
    'vector component': 'vec4f(x, y, x + 1, y + 1)[a & 3u]',
    'storage array, uniform index': 's[k]',
    'function array': 'local[a & 7u]',
    'written private array': 'put(a & 15u, x)',
    'matrix column': 'm[a & 3u].y',
  },
  'control flow': {
    call: 'called(x)',
    'uniform if': 'uniformIf(x)',
    'divergent if': 'divergentIf(x)',
    'loop of 8': 'loop8(x)',
    'loop of 1 to 8': 'loopSome(x, a)',
    'switch of 4': 'choose(x, a & 3u)',
    'loop with break': 'breaking(x)',
    'and, or': 'select(x, y, (x < 1 && y > 0.5) || x > 2)',
  },
};
/** The cell of each kind that the others are compared with. A kind that is not listed uses its first cell. */
const COMMON = {
  arithmetic: '*',
  'simple functions': 'floor',
  'transcendental functions': 'sin',
  'vector functions': 'normalize',
  packing: 'unpack4x8unorm',
  indices: 'storage array',
  'control flow': 'loop of 8',
};

const DECLARATIONS = `
struct U { list: array<vec4f, 16>, m: mat4x4f }
@group(0) @binding(0) var<uniform> u: U; @group(0) @binding(1) var<storage, read> s: array<f32>;
var<private> p: array<f32, 16>;
fn put(at: u32, x: f32) -> f32 { p[at] = x; return p[at ^ 1u]; }
fn called(x: f32) -> f32 { return x * 1.5 + 0.25; }
fn uniformIf(x: f32) -> f32 { if (u.list[1].x > 0.5) { return x * 2; } return x + 3; }
fn divergentIf(x: f32) -> f32 { if (fract(x * 7) > 0.5) { return sqrt(x); } return x * x; }
fn loop8(x: f32) -> f32 { var sum = x; for (var k = 0; k < 8; k++) { sum = sum * 0.9 + 0.1; } return sum; }
fn loopSome(x: f32, a: u32) -> f32 {
  var sum = x; for (var k = 0u; k <= (a & 7u); k++) { sum = sum * 0.9 + 0.1; } return sum;
}
fn breaking(x: f32) -> f32 {
  var sum = x; for (var k = 0; k < 8; k++) { sum = sum * 1.3 + 0.1; if (sum > 3) { break; } } return sum;
}
fn choose(x: f32, a: u32) -> f32 {
  switch (a) {
    case 0u: { return x * 2; } case 1u: { return x + 2; } case 2u: { return sqrt(x); } default: { return 1 - x; }
  }
}`;

function frameOf(device, expression) {
  const block = bufferOf(
    device,
    Float32Array.from({ length: 80 }, (_, k) => (k % 7) * 0.25 + 0.1),
    BUFFER.UNIFORM
  );
  const storage = bufferOf(
    device,
    Float32Array.from({ length: 16 }, (_, k) => k * 0.37),
    BUFFER.STORAGE
  );
  return makeFrame(device, {
    code: `
      ${DECLARATIONS} ${COVER}
      @fragment fn fs(@builtin(position) f: vec4f) -> @location(0) vec4f {
        var sum = u.list[0].x + s[0]; let m = u.m; var local = array<f32, 8>(f.x, 1, 2, 3, 4, 5, 6, f.y);
      for (var n = 0; n < 16; n++) { p[n] = f32(n) * 0.11; }
      ${Array.from(
        { length: EVALUATIONS },
        (_, k) => `
          {
            let k = ${k}u; let x = fract(f.x * 0.013 + f.y * 0.0071) * 0.9 + ${0.05 + k * 0.005};
            let y = x * 0.7 + ${0.1 + k * 0.01}; let v = vec3f(x, y, x - 0.3); let w = vec3f(0.4, x, y);
            let i = i32(f.x) - ${97 + k}; let j = i32(f.y) + ${1 + k}; let a = u32(f.x) * ${k + 3}u;
            let b = u32(f.y) + ${k + 1}u;
        sum += ${expression} + f32(i + j) * 1e-6 + f32(a + b) * 1e-6 + (v.z + w.x + y) * 1e-6; }`
      ).join('\n')}
      return vec4f(fract(sum), fract(sum * 0.1), local[1] + p[2], 1); }`,
    resources: [{ buffer: block }, { buffer: storage }],
  });
}
const nothing = (device) => frameOf(device, 'x');

export function languageCells() {
  const named = Object.entries(EXPRESSIONS).flatMap(([kind, some]) => Object.keys(some).map((name) => [kind, name]));
  return named.map(([kind, name]) => {
    const expression = EXPRESSIONS[kind][name];
    const common = COMMON[kind] ?? Object.keys(EXPRESSIONS[kind])[0];
    return {
      group: `WGSL, ${kind}`,
      row: name,
      column: 'cycles',
      unit: 'quad',
      count: QUADS * EVALUATIONS,
      than: name === common ? undefined : `WGSL, ${kind}|${common}|cycles`,
      without: nothing,
      make: (device) => frameOf(device, expression),
    };
  });
}
