// Const-expressions: each line is a const_assert that the front end must evaluate to true.

import { describe, expect, it } from 'vitest';
import { checkModule, parseModule } from '../../src/wgsl';
import { simpleMath } from './simple-math';

function codesOf(source: string): string[] {
  const { module, diagnostics } = parseModule(source);
  return [...diagnostics, ...checkModule(module, simpleMath).diagnostics].map((d) => `${d.code}: ${d.message}`);
}

const assertions: Readonly<Record<string, readonly string[]>> = {
  literals: [
    '0x10 == 16', '0xFFu == 255u', '1e3 == 1000.0', '.5 == 0.5', '1. == 1', '0x1p4 == 16.0', '0x.8p1 == 1.0',
    '0x1.8p1f == 3.0f', '1f == 1.0', '0xffi == 255i', '9223372036854775807 > 0', '1e-3f < 1.0', '0X1P-1 == 0.5',
    '0 == 0i', 'true != false', '0x1.fffffep+127f > 3.4e38f',
  ],
  'abstract integers': [
    '7 / 2 == 3', '-7 / 2 == -3', '-7 % 2 == -1', '7 % -3 == 1', '1 << 40 == 1099511627776', '-1 >> 3 == -1',
    '((5 & 3) | 8) == 9', '~0 == -1', '(5 ^ 1) == 4', '2147483648 - 1 == 2147483647i', '4294967295 == 4294967295u',
  ],
  'concrete integers wrap': [
    '2147483647i + 1i == -2147483648', '4294967295u + 1u == 0u', '0u - 1u == 4294967295u', '65536i * 65536i == 0i',
    '-7i / 2i == -3i', '7u % 4u == 3u', '(1u << 31u) == 2147483648u', '-8i >> 1u == -4i', '0x80000000u >> 31u == 1u',
    '-(-2147483647i - 1i) == -2147483648',
  ],
  floats: [
    '0.1 + 0.2 != 0.3', '0.1f + 0.2f == 0.3f', '7.5 % 2.0 == 1.5', '-7.5f % 2.0f == -1.5f', '1.0 / 4.0 == 0.25',
    '16777216.0f + 1.0f == 16777216.0f', '16777217 == 16777217.0', 'f32(16777217) == 16777216.0f',
  ],
  conversions: [
    'i32(2.9) == 2', 'i32(-2.9) == -2', 'u32(3.99f) == 3', 'i32(3e9f) == 2147483520', 'u32(1e20f) == 4294967040',
    'u32(-1.0f) == 0', 'u32(-1i) == 4294967295u', 'i32(4294967295u) == -1', 'f32(true) == 1.0', 'bool(0.0) == false',
    'bool(2)', 'i32(false) == 0', 'f32(3u) == 3.0', 'all(vec2i(vec2f(1.5, -1.5)) == vec2i(1, -1))',
    'all(vec3<bool>(vec3u(0, 1, 2)) == vec3<bool>(false, true, true))',
  ],
  vectors: [
    'all(vec3(1, 2, 3) + 1 == vec3(2, 3, 4))', 'all(vec2f(1, 2) * vec2f(3, 4) == vec2f(3, 8))',
    'vec4(1, 2, 3, 4).w == 4', 'all(vec4f(vec2f(1, 2), 3, 4).wzyx == vec4f(4, 3, 2, 1))', 'vec3(1, 2, 3)[1] == 2',
    'all(vec3f(2) == vec3f(2, 2, 2))', 'all(vec2(1, 2.5) == vec2f(1, 2.5))', 'any(vec2(1, 2) > vec2(1, 1))',
    'all((vec2(true, false) & vec2(true)) == vec2(true, false))', 'all(vec3().rgb == vec3i())',
    'all(-vec2(1, -2) == vec2(-1, 2))', 'all(!vec2(true, false) == vec2(false, true))',
    'all((vec2u(1, 2) << vec2u(1, 2)) == vec2u(2, 8))',
  ],
  matrices: [
    'all(mat2x2f(1, 2, 3, 4) * vec2f(1, 1) == vec2f(4, 6))', 'all(vec2f(1, 1) * mat2x2f(1, 2, 3, 4) == vec2f(3, 7))',
    'all((mat2x2f(1, 2, 3, 4) * mat2x2f(0, 1, 1, 0))[0] == vec2f(3, 4))', 'mat3x2(1, 2, 3, 4, 5, 6)[2][1] == 6',
    'all((mat2x2f(1, 2, 3, 4) * 2)[1] == vec2f(6, 8))',
    'all(transpose(mat3x2f(1, 2, 3, 4, 5, 6))[1] == vec3f(2, 4, 6))', 'determinant(mat2x2f(1, 2, 3, 4)) == -2',
    'determinant(mat3x3f(2, 0, 0, 0, 3, 0, 0, 0, 4)) == 24',
    'determinant(mat4x4f(1, 0, 2, 0, 0, 1, 0, 3, 4, 0, 1, 0, 0, 5, 0, 1)) == 98',
    'all((mat2x2f(1, 2, 3, 4) - mat2x2f(1, 1, 1, 1))[0] == vec2f(0, 1))',
    'all(mat2x2f(vec2f(1, 2), vec2f(3, 4))[1] == vec2f(3, 4))', 'mat4x4f()[3][3] == 0',
  ],
  'abstract floats are doubles': [
    'exp(100.0) > 2.688117141816e43 && exp(100.0) < 2.688117141817e43', 'log(1e300) > 690.775527898 && log(1e300) < 690.7755279',
    'pow(10.0, 100.0) > 9.9999999999e99', 'acosh(1e200) > 461.2 && acosh(1e200) < 461.3', 'exp2(1000.0) == 0x1p1000',
    'ldexp(1.0, 1023) == 0x1p1023', 'ldexp(0x1p-1000, 1024) == 0x1p24', 'frexp(0x1p1000).fract == 0.5',
    'frexp(0x1p1000).exp == 1001', 'frexp(1e-310).exp == -1029', 'modf(1e15 + 0.25).fract == 0.25',
    'modf(-1e15 - 0.5).whole == -1e15', 'all(modf(vec2(1.5, -2.25)).fract == vec2(0.5, -0.25))', 'log2(0x1p-1000) == -1000.0',
    'sqrt(0x1p1000) == 0x1p500', 'length(vec2(3e100, 4e100)) > 4.9e100', 'abs(sin(1e-20) - 1e-20) < 1e-34',
    'atan2(1e-30, 1.0) > 9.99e-31', 'frexp(1.5f).exp == 1i', 'modf(vec3f(1.5)).whole.z == 1f',
  ],
  // Each of these exceeds f32's range in an intermediate result, or differs from its neighbor by less than f32
  // resolves.
  'abstract floats through every other built-in function': [
    'abs(-1e300) == 1e300', 'min(1e300, 2e300) == 1e300', 'max(1e300, 2e300) == 2e300', 'clamp(3e300, 1e300, 2e300) == 2e300',
    'sign(-1e300) == -1.0', 'sign(1e-300) == 1.0', 'saturate(1e-300) == 1e-300', 'floor(4503599627370495.5) == 4503599627370495.0',
    'ceil(4503599627370494.5) == 4503599627370495.0', 'round(4503599627370494.5) == 4503599627370494.0',
    'trunc(-1e300) == -1e300', 'fract(4503599627370495.5) == 0.5', 'step(1e300, 1.0000001e300) == 1.0',
    'mix(1e300, -1e300, 0.5) == 0.0', 'mix(0.0, 1e300, 0.25) == 0.25e300', 'smoothstep(1e300, 3e300, 2e300) == 0.5',
    'select(1e300, 2e300, true) == 2e300', 'fma(1e150, 1e150, 1e300) > 1.9e300', 'degrees(1e300) > 5.7295e301',
    'radians(1e300) > 1.7453e298', 'exp(-700.0) > 9.8e-305', 'cosh(500.0) > 7e216', 'sinh(-500.0) < -7e216',
    'abs(tanh(1e-30) - 1e-30) < 1e-44', 'abs(sinh(1e-30) - 1e-30) < 1e-44', 'asinh(1e300) > 691.46 && asinh(1e300) < 691.47',
    'abs(asinh(1e-30) - 1e-30) < 1e-44', 'atanh(0.99999999999) > 13.01 && atanh(0.99999999999) < 13.02',
    'abs(atanh(1e-30) - 1e-30) < 1e-44', 'abs(asin(1e-30) - 1e-30) < 1e-44', 'acos(1.0 - 1e-14) > 1e-7 && acos(1.0 - 1e-14) < 2e-7',
    'abs(atan(1e-30) - 1e-30) < 1e-44', 'abs(tan(1e-30) - 1e-30) < 1e-44', 'cos(1e-5) < 1.0 - 4e-11', 'sqrt(1e-300) > 9.9e-151',
    'inverseSqrt(1e-300) > 9.9e149', 'log(1e-300) < -690.77', 'distance(1e200, -1e200) == 2e200',
    'distance(vec2(3e100, 0), vec2(0, 4e100)) > 4.9e100', 'length(-1e300) == 1e300', 'dot(vec2(1e150), vec2(1e150)) > 1.9e300',
    'cross(vec3(1e100, 0, 0), vec3(0, 1e100, 0)).z > 9.9e199', 'abs(normalize(vec2(3e100, 4e100)).y - 0.8) < 1e-15',
    'all(faceForward(vec2(1e100), vec2(1e100), vec2(1e100)) == vec2(-1e100))', 'reflect(vec2(1e100, 1), vec2(1, 0)).x == -1e100',
    'refract(vec2(0, -1), vec2(0, 1), 1e-200).y == -1.0', 'determinant(mat2x2(1e150, 0, 0, 1e150)) > 9.9e299',
    'transpose(mat2x2(1, 1e300, 2, 3))[1].x == 1e300', '(mat2x2(1e150, 0, 0, 1e150) * vec2(1e150, 0)).x > 9.9e299',
    'quantizeToF16(1.0009765625 + 1e-12) == 1.0009765625', '1e300 % 1e299 < 1e299',
  ],
  'abstract integers wrap where they negate': [
    '-(-9223372036854775807 - 1) < 0', 'abs(-9223372036854775807 - 1) == -9223372036854775807 - 1', 'abs(-5) == 5',
  ],
  'conversions of abstract floats end at the range': [
    'i32(1e20) == 2147483647', 'i32(-1e300) == -2147483648', 'u32(1e20) == 4294967295u', 'u32(-7.5) == 0u',
    'i32(2147483646.7) == 2147483646',
  ],
  'arrays and structs': [
    'array(1, 2, 3)[2] == 3', 'array<f32, 2>(1, 2)[1] == 2.0', 'array(vec2f(1, 2), vec2f(3, 4))[1].y == 4',
    'array(1, 2.5)[0] == 1.0', 'S(1, vec2i(2, 3)).b.y == 3', 'S().a == 0.0',
    'array(S(1, vec2i()), S(2, vec2i()))[1].a == 2',
  ],
  'short circuits': [
    'true || 1 / 0 == 1', '!(false && array(1, 2)[2] == 1)', 'true || (1 << 99u) == 0 || false', 'false || true',
  ],
  'common functions': [
    'abs(-3) == 3', 'abs(-2.5) == 2.5', 'abs(-2147483647i - 1i) == -2147483648', 'min(1, 2.0) == 1.0',
    'max(3u, 2u) == 3u', 'clamp(5, 0, 3) == 3', 'sign(-2.5) == -1.0', 'sign(0) == 0', 'saturate(1.5) == 1.0',
    'mix(1.0, 3.0, 0.5) == 2.0', 'step(1.0, 0.5) == 0.0', 'step(0.5, 0.5) == 1.0', 'smoothstep(0.0, 2.0, 1.0) == 0.5',
    'select(1, 2, true) == 2', 'all(select(vec2(1, 2), vec2(3, 4), vec2(false, true)) == vec2(1, 4))',
    'fma(2.0, 3.0, 1.0) == 7.0', 'floor(-0.5) == -1.0', 'ceil(0.5) == 1.0', 'round(2.5) == 2.0', 'round(3.5) == 4.0',
    'round(-0.5) == 0.0', 'trunc(-2.7) == -2.0', 'fract(-0.25) == 0.75', 'sqrt(16.0) == 4.0', 'inverseSqrt(4.0) == 0.5',
    'pow(2.0, 10.0) == 1024.0', 'exp2(3.0) == 8.0', 'log2(8.0) == 3.0', 'cos(0.0) == 1.0', 'atan2(0.0, 1.0) == 0.0',
    'degrees(0.0) == 0.0', 'ldexp(1.5, 4) == 24.0', 'frexp(6.0).fract == 0.75', 'frexp(6.0).exp == 3',
    'modf(-2.5).whole == -2.0', 'modf(-2.5).fract == -0.5', 'modf(vec2f(1.5, 2.25)).fract.y == 0.25',
    'quantizeToF16(1.0009765625) == 1.0009765625', 'quantizeToF16(1.0001) == 1.0',
  ],
  geometry: [
    'dot(vec3(1, 2, 3), vec3(4, 5, 6)) == 32', 'dot(vec2f(0.5, 2), vec2f(2, 1)) == 3',
    'all(cross(vec3f(1, 0, 0), vec3f(0, 1, 0)) == vec3f(0, 0, 1))', 'length(vec2f(3, 4)) == 5', 'length(-2.0) == 2.0',
    'distance(vec2f(1, 1), vec2f(4, 5)) == 5', 'all(normalize(vec2f(0, 2)) == vec2f(0, 1))',
    'all(reflect(vec2f(1, -1), vec2f(0, 1)) == vec2f(1, 1))',
    'all(refract(vec2f(0, -1), vec2f(0, 1), 1.0) == vec2f(0, -1))',
    'all(faceForward(vec2f(0, 1), vec2f(0, 1), vec2f(0, 1)) == vec2f(0, -1))',
  ],
  bits: [
    'countOneBits(255u) == 8u', 'countLeadingZeros(1i) == 31', 'countTrailingZeros(0u) == 32',
    'firstLeadingBit(-1i) == -1', 'firstLeadingBit(16u) == 4', 'firstTrailingBit(8u) == 3',
    'firstTrailingBit(0i) == -1', 'reverseBits(1u) == 0x80000000u', 'extractBits(0xABCDu, 4u, 8u) == 0xBCu',
    'extractBits(-1i, 0u, 4u) == -1', 'insertBits(0u, 15u, 4u, 4u) == 0xF0u', 'extractBits(5u, 0u, 32u) == 5u',
    'insertBits(1u, 7u, 0u, 32u) == 7u', 'bitcast<u32>(1.0f) == 0x3f800000u', 'bitcast<f32>(0x40490fdbu) > 3.14',
    'bitcast<i32>(4294967295u) == -1', 'all(bitcast<vec2u>(vec2f(1, 2)) == vec2u(0x3f800000, 0x40000000))',
    'bitcast<i32>(7) == 7',
  ],
  packing: [
    'pack4x8unorm(vec4f(1, 0, 0.5, 1)) == 0xff8000ffu', 'pack4x8snorm(vec4f(1, -1, 0, 0)) == 0x0000817fu',
    'pack2x16unorm(vec2f(1, 0)) == 0xffffu', 'pack2x16float(vec2f(1, -2)) == 0xc0003c00u',
    'all(unpack2x16float(0x3c00c000u) == vec2f(-2, 1))', 'unpack4x8unorm(0xffu).x == 1.0',
    'unpack4x8snorm(0x81u).x == -1.0', 'pack4xU8(vec4u(1, 2, 3, 260)) == 0x04030201u',
    'pack4xI8Clamp(vec4i(-200, 200, 0, 0)) == 0x00007f80u', 'all(unpack4xI8(0x000080ffu) == vec4i(-1, -128, 0, 0))',
    'dot4I8Packed(0x01ffu, 0x0202u) == 0', 'dot4U8Packed(0x01ffu, 0x0202u) == 512u',
    'unpack2x16float(pack2x16float(vec2f(5.960464477539063e-8, 0))).x == 5.960464477539063e-8f',
    'pack2x16float(vec2f(65504, 6.103515625e-5)) == 0x04007bffu',
  ],
};

describe('const-expressions', () => {
  for (const [group, lines] of Object.entries(assertions)) {
    it.each(lines)(`${group}: %s`, (line) => {
      expect(codesOf(`struct S { a: f32, b: vec2i }\nconst_assert ${line};`)).toEqual([]);
    });
  }

  it('detects a false assertion', () => {
    expect(codesOf('const_assert 0.1f + 0.2f == 0.31f;')).toEqual([
      'const-assert-failed: const_assert failed: the condition is false',
    ]);
  });

  it('checks the types of unevaluated expressions', () => {
    expect(codesOf('const a = true || 1;')).toEqual([
      "binary-operands: operator '||' cannot be applied to bool and abstract-int",
    ]);
  });

  it('keeps abstract values exact until a type is needed', () => {
    expect(
      codesOf('const a = 1.0 / 3.0; const b: f32 = a; const_assert b * 3.0f == 1.0f; const_assert a != b; ')
    ).toEqual([
      'const-assert-failed: const_assert failed: the condition is false',
    ]);
  });

  it('uses ConstantMath for functions without an exact formula', () => {
    const asked: string[] = [];
    const math = {
      unary: (name: string, x: number) => (asked.push(`${name} ${x}`), 0.5),
      binary: (name: string, x: number, y: number) => (asked.push(`${name} ${x} ${y}`), 0.25),
    };
    const { module } = parseModule('const_assert sin(1.5f) + pow(3.0f, 2.5f) + normalize(vec2f(2, 0)).x == 1.75;');
    expect(checkModule(module, math).diagnostics).toEqual([]);
    expect(asked).toEqual(['sin 1.5', 'pow 3 2.5', 'inverseSqrt 4']);
  });
});
