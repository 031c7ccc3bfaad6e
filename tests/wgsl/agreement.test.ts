// Constant folding changes no bit. An expression on constants, folded by the front end, is compared with the same
// expression on variables, lowered to operations and folded one by one, as engines compute it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forEachInstruction, optimize } from '../../src/ir';
import { checkModule, parseModule } from '../../src/wgsl';
import { lowerEntryPoint } from '../../src/wgsl/lower';
import { simpleMath } from './simple-math';

/** Returns the bits of the outputs of a fragment shader that computes constants; null if it has an error. */
function outputBits(source: string): readonly number[] | null {
  const { module } = parseModule(source);
  const { hir, diagnostics } = checkModule(module, simpleMath, new Set(['shader-f16']));
  if (hir === null) {
    // Only const-expressions with a non-finite value may fail.
    expect(diagnostics.map(({ code }) => code)).toSatisfy((codes: string[]) =>
      codes.every((code) =>
        ['not-finite', 'half-range', 'invalid-constant-arguments', 'division-by-zero', 'not-representable'].includes(
          code
        )
      )
    );
    return null;
  }
  const program = optimize(lowerEntryPoint(hir, 0), simpleMath);
  const constants = new Map<number, number>();
  const bits: number[] = [];
  forEachInstruction(program.body, (instruction) => {
    if (instruction.op === 'const') constants.set(instruction.results[0]!, instruction.imm >>> 0);
    if (instruction.op === 'output') bits.push(constants.get(instruction.args[0]!)!);
  });
  return bits;
}

type Kind = 'f32' | 'f16' | 'vec3h' | 'mat3x3h' | 'vec3f' | 'i32' | 'u32' | 'mat3x3f' | 'vec4f' | 'vec2f' | 'vec2i';
const COUNT: Readonly<Record<Kind, number>> = {
  f32: 1,
  f16: 1,
  vec3h: 3,
  mat3x3h: 9,
  vec2f: 2,
  vec3f: 3,
  vec4f: 4,
  i32: 1,
  u32: 1,
  mat3x3f: 9,
  vec2i: 2,
};

const float = fc.oneof(
  fc.float({ noNaN: true, noDefaultInfinity: true, min: -100, max: 100 }),
  fc.constantFrom(0, -0, 1, -1, 0.5, 2.5, -1.5, 3, 1e-30, 1e20, 16777217)
);
const int = fc.oneof(fc.integer({ min: -0x7fffffff, max: 0x7fffffff }), fc.integer({ min: -40, max: 40 }));

const isHalf = (kind: Kind): boolean => kind === 'f16' || kind === 'vec3h' || kind === 'mat3x3h';
const written = (kind: Kind, value: number): string => {
  if (kind === 'u32') return `${value >>> 0}u`;
  if (kind === 'i32' || kind === 'vec2i') return `i32(${value})`;
  if (isHalf(kind)) return `f16(${Math.abs(value) > 60000 ? 7 : value})`;
  return Object.is(value, -0) ? '-0.0f' : `${Math.fround(value)}f`;
};

function argument(kind: Kind): fc.Arbitrary<string> {
  const integer = kind === 'i32' || kind === 'u32' || kind === 'vec2i';
  return fc
    .array(integer ? int : float, { minLength: COUNT[kind], maxLength: COUNT[kind] })
    .map((values) => `${kind}(${values.map((value) => written(kind, value)).join(', ')})`);
}

type Result = 'f32' | 'vec2f' | 'vec3f' | 'vec4f' | 'i32' | 'u32';
/** The bits of a result as four words. */
const WORDS: Readonly<Record<Result, string>> = {
  f32: 'vec4u(bitcast<u32>(r))',
  i32: 'vec4u(bitcast<u32>(r))',
  u32: 'vec4u(r)',
  vec2f: 'vec4u(bitcast<vec2u>(r), 0, 0)',
  vec3f: 'vec4u(bitcast<vec3u>(r), 0)',
  vec4f: 'bitcast<vec4u>(r)',
};

type Case = readonly [text: string, kinds: readonly Kind[], result: Result];
const all = (texts: readonly string[], kinds: readonly Kind[], result: Result): Case[] =>
  texts.map((text) => [text, kinds, result]);

const cases: readonly Case[] = [
  ...all(
    [
      'abs',
      'ceil',
      'floor',
      'trunc',
      'round',
      'fract',
      'sqrt',
      'sign',
      'saturate',
      'degrees',
      'radians',
      'sin',
      'cos',
      'exp2',
      'log2',
      'inverseSqrt',
      'length',
      'quantizeToF16',
    ].map((name) => `${name}(A)`),
    ['f32'],
    'f32'
  ),
  ...all(
    [
      'A + B',
      'A - B',
      'A * B',
      'A / B',
      'A % B',
      'min(A, B)',
      'max(A, B)',
      'pow(A, B)',
      'pow(A, 3.0)',
      'pow(A, 5.0)',
      'step(A, B)',
      'atan2(A, B)',
      'modf(A).fract + modf(B).whole',
      'frexp(A).fract * f32(frexp(B).exp)',
      'f32(A < B)',
      'f32(A == B)',
      '-A - B',
    ],
    ['f32', 'f32'],
    'f32'
  ),
  ...all(
    ['mix(A, B, C)', 'smoothstep(A, B, C)', 'clamp(A, min(B, C), max(B, C))', 'fma(A, B, C)'],
    ['f32', 'f32', 'f32'],
    'f32'
  ),
  ...all(['ldexp(A, B % 60)'], ['f32', 'i32'], 'f32'),
  ...all(
    [
      'abs',
      'ceil',
      'floor',
      'trunc',
      'round',
      'fract',
      'sqrt',
      'sign',
      'saturate',
      'degrees',
      'radians',
      'sin',
      'cos',
      'exp2',
      'log2',
      'inverseSqrt',
      'length',
    ].map((name) => `f32(${name}(A))`),
    ['f16'],
    'f32'
  ),
  ...all(
    [
      'A + B',
      'A - B',
      'A * B',
      'A / B',
      'A % B',
      'min(A, B)',
      'max(A, B)',
      'pow(A, B)',
      'pow(A, 3.0h)',
      'step(A, B)',
      'atan2(A, B)',
      'modf(A).fract + modf(B).whole',
      'frexp(A).fract * f16(frexp(B).exp)',
      '-A - B',
      'f16(A < B)',
      'mix(A, B, 0.3h)',
      'fma(A, B, A)',
      'smoothstep(A, B, 0.5h)',
      'ldexp(A, -3)',
    ].map((text) => `f32(${text})`),
    ['f16', 'f16'],
    'f32'
  ),
  ...all(['f32(f16(A))', 'f32(vec2h(vec2f(A, 1)).x)'], ['f32'], 'f32'),
  ...all(['f32(f16(A % 60000))'], ['i32'], 'f32'),
  ...all(['i32(A)'], ['f16'], 'i32'),
  ...all(
    ['dot(A, B)', 'distance(A, B)', 'length(A - B)'].map((text) => `f32(${text})`),
    ['vec3h', 'vec3h'],
    'f32'
  ),
  ...all(
    ['cross(A, B)', 'normalize(A)', 'reflect(A, B)', 'mix(A, B, 0.3h)'].map((text) => `vec3f(${text})`),
    ['vec3h', 'vec3h'],
    'vec3f'
  ),
  ...all(['vec3f(A * B)'], ['mat3x3h', 'vec3h'], 'vec3f'),
  ...all(['f32(determinant(A))'], ['mat3x3h'], 'f32'),
  ...all(['vec3f((A * B)[1])', 'vec3f(transpose(A)[2])'], ['mat3x3h', 'mat3x3h'], 'vec3f'),
  ...all(['bitcast<u32>(A.xy)', 'bitcast<vec2u>(A.xyzz).y'], ['vec3h'], 'u32'),
  ...all(['vec2f(bitcast<vec2h>(A & 0x7bff7bffu))'], ['u32'], 'vec2f'),
  ...all(['dot(A, B)', 'distance(A, B)', 'length(A - B)'], ['vec3f', 'vec3f'], 'f32'),
  ...all(
    [
      'cross(A, B)',
      'normalize(A)',
      'reflect(A, B)',
      'refract(A, B, 0.7f)',
      'faceForward(A, B, A)',
      'mix(A, B, 0.3f)',
      'min(A, B)',
      'A / B',
    ],
    ['vec3f', 'vec3f'],
    'vec3f'
  ),
  ...all(['A * B'], ['mat3x3f', 'vec3f'], 'vec3f'),
  ...all(['A * B'], ['vec3f', 'mat3x3f'], 'vec3f'),
  ...all(['(A * B)[1]', '(A + B)[2]', '(A * 3)[0]', 'transpose(A)[2]'], ['mat3x3f', 'mat3x3f'], 'vec3f'),
  ...all(['determinant(A)'], ['mat3x3f'], 'f32'),
  ...all(
    [
      'A + B',
      'A - B',
      'A * B',
      'A & B',
      'A | B',
      'A ^ B',
      'min(A, B)',
      'max(A, B)',
      'abs(A)',
      'sign(A)',
      '~A',
      '-A',
      'A >> 3u',
      'A / (B | 1)',
      'A % (B | 1)',
      'countOneBits(A)',
      'firstLeadingBit(A)',
      'countLeadingZeros(A)',
      'extractBits(A, 3u, 9u)',
      'insertBits(A, B, 5u, 7u)',
      'i32(A < B)',
      'select(A, B, A < B)',
    ],
    ['i32', 'i32'],
    'i32'
  ),
  ...all(
    [
      'A + B',
      'A * B',
      'A - B',
      'A / (B | 1u)',
      'A % (B | 1u)',
      'A >> 7u',
      'max(A, B)',
      'firstLeadingBit(A)',
      'firstTrailingBit(A)',
      'countTrailingZeros(A)',
      'reverseBits(A)',
      'extractBits(A, 3u, 9u)',
      'dot4U8Packed(A, B)',
      'u32(dot4I8Packed(A, B))',
      'u32(A > B)',
      'A % 16u',
    ],
    ['u32', 'u32'],
    'u32'
  ),
  ...all(['pack4x8unorm(A)', 'pack4x8snorm(A)'], ['vec4f'], 'u32'),
  ...all(['pack2x16unorm(A)', 'pack2x16snorm(A)', 'pack2x16float(A)'], ['vec2f'], 'u32'),
  ...all(['unpack4x8unorm(A)', 'unpack4x8snorm(A)', 'vec4f(unpack4xI8(A))', 'vec4f(unpack4xU8(A))'], ['u32'], 'vec4f'),
  ...all(['unpack2x16unorm(A)', 'unpack2x16snorm(A)', 'unpack2x16float(A & 0x7bff7bffu)'], ['u32'], 'vec2f'),
  ...all(['f32(A)', 'f32(i32(A))', 'bitcast<f32>(A & 0x7effffffu)'], ['u32'], 'f32'),
  ...all(['i32(A)', 'i32(A * 1e10f)'], ['f32'], 'i32'),
  ...all(['u32(A)', 'u32(A * 1e10f)', 'bitcast<u32>(A)'], ['f32'], 'u32'),
  ...all(['dot(A, B)'], ['vec2i', 'vec2i'], 'i32'),
];

describe('constant folding agrees with the engines', () => {
  it.each(cases)('%s of %j', (text, kinds, result) => {
    let compared = 0;
    const on = (names: readonly string[]): string =>
      text.replace(/\b[ABC]\b/g, (letter) => names['ABC'.indexOf(letter)]!);
    const main = (body: string): string =>
      `enable f16; @fragment fn main() -> @location(0) vec4u { ${body} return ${WORDS[result]}; }`;
    fc.assert(
      fc.property(fc.tuple(...kinds.map(argument)), (args) => {
        const variables = args.map((arg, i) => `var v${i} = ${arg};`).join(' ');
        const folded = outputBits(main(`const k = ${on(args)}; let r: ${result} = k;`));
        const computed = outputBits(main(`${variables} let r = ${on(args.map((_, i) => `v${i}`))};`));
        if (folded === null || computed === null) return;
        compared++;
        expect(folded).toHaveLength(4);
        expect(folded).not.toContain(undefined);
        expect(folded).toEqual(computed);
      }),
      { numRuns: 20, seed: 7 }
    );
    expect(compared).toBeGreaterThan(5);
  });
});
