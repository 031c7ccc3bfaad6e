// Rows of packing, unpacking and dot products of bytes.
import { bitsOf, floatOf } from '../support/kernel';
import { halfValueOf, roundToHalf } from './halves';
import {
  type IntegerRow,
  asBytes,
  bytes,
  clampBytes,
  norm,
  ofFloats,
  signed,
  unsigned,
  word,
  words16,
} from './integer-row';

export const packing: readonly IntegerRow[] = [
  { name: 'pack4xI8', types: ['vec4i'], forms: ['vec4u(pack4xI8(a))'], exact: (a) => Array<number>(4).fill(bytes(a)) },
  { name: 'pack4xU8', types: ['vec4u'], forms: ['vec4u(pack4xU8(a))'], exact: (a) => Array<number>(4).fill(bytes(a)) },
  {
    name: 'pack4xI8Clamp',
    types: ['vec4i'],
    forms: ['vec4u(pack4xI8Clamp(a))'],
    exact: (a) => Array<number>(4).fill(clampBytes(-128n, 127n, signed)(a)),
  },
  {
    name: 'pack4xU8Clamp',
    types: ['vec4u'],
    forms: ['vec4u(pack4xU8Clamp(a))'],
    exact: (a) => Array<number>(4).fill(clampBytes(0n, 255n, unsigned)(a)),
  },
  {
    name: 'unpack4xI8',
    types: ['vec4u'],
    forms: ['vec4u(unpack4xI8(a.x))'],
    exact: (a) => asBytes('I8', a[0]!).map(word),
  },
  {
    name: 'unpack4xU8',
    types: ['vec4u'],
    forms: ['vec4u(unpack4xU8(a.x))'],
    exact: (a) => asBytes('U8', a[0]!).map(word),
  },
  {
    name: 'dot4I8Packed',
    types: ['vec4u'],
    forms: ['vec4u(vec4i(dot4I8Packed(a.x, a.y)))'],
    exact: (a) =>
      Array<number>(4).fill(word(asBytes('I8', a[0]!).reduce((sum, x, k) => sum + x * asBytes('I8', a[1]!)[k]!, 0n))),
  },
  {
    name: 'dot4U8Packed',
    types: ['vec4u'],
    forms: ['vec4u(dot4U8Packed(a.x, a.y))'],
    exact: (a) =>
      Array<number>(4).fill(word(asBytes('U8', a[0]!).reduce((sum, x, k) => sum + x * asBytes('U8', a[1]!)[k]!, 0n))),
  },
  {
    name: 'pack4x8snorm',
    types: ['vec4f'],
    floats: true,
    forms: ['vec4u(pack4x8snorm(a), pack4x8snorm(a.wzyx), 0, 0)'],
    exact: ofFloats((v) => bytes(v.map((x) => norm(x, -1, 127)))),
  },
  {
    name: 'pack4x8unorm',
    types: ['vec4f'],
    floats: true,
    forms: ['vec4u(pack4x8unorm(a), pack4x8unorm(a.wzyx), 0, 0)'],
    exact: ofFloats((v) => bytes(v.map((x) => norm(x, 0, 255)))),
  },
  {
    name: 'pack2x16snorm',
    types: ['vec4f'],
    floats: true,
    forms: ['vec4u(pack2x16snorm(a.xy), pack2x16snorm(a.wz), 0, 0)'],
    exact: ofFloats((v) => words16(v.map((x) => norm(x, -1, 32767)))),
  },
  {
    name: 'pack2x16unorm',
    types: ['vec4f'],
    floats: true,
    forms: ['vec4u(pack2x16unorm(a.xy), pack2x16unorm(a.wz), 0, 0)'],
    exact: ofFloats((v) => words16(v.map((x) => norm(x, 0, 65535)))),
  },
  {
    name: 'pack2x16float',
    types: ['vec4f'],
    floats: true,
    forms: ['vec4u(pack2x16float(a.xy), pack2x16float(a.wz), 0, 0)'],
    constant: (a) => a.every((x) => Math.abs(floatOf(x)) < 65520),
    exact: ofFloats((v) => words16(v.map(roundToHalf))),
  },
  // Correctly rounded, although WGSL allows 3 ULP.
  {
    name: 'unpack4x8snorm',
    types: ['vec4u'],
    forms: ['bitcast<vec4u>(unpack4x8snorm(a.x))'],
    exact: (a) => asBytes('I8', a[0]!).map((x) => bitsOf(Math.max(-1, Number(x) / 127))),
  },
  {
    name: 'unpack4x8unorm',
    types: ['vec4u'],
    forms: ['bitcast<vec4u>(unpack4x8unorm(a.x))'],
    exact: (a) => asBytes('U8', a[0]!).map((x) => bitsOf(Number(x) / 255)),
  },
  {
    name: 'unpack2x16snorm',
    types: ['vec4u'],
    forms: ['bitcast<vec4u>(vec4f(unpack2x16snorm(a.x), unpack2x16snorm(a.y)))'],
    exact: ([x, y]) =>
      [x!, x! >>> 16, y!, y! >>> 16].map((h) => bitsOf(Math.max(-1, Number(BigInt.asIntN(16, BigInt(h))) / 32767))),
  },
  {
    name: 'unpack2x16unorm',
    types: ['vec4u'],
    forms: ['bitcast<vec4u>(vec4f(unpack2x16unorm(a.x), unpack2x16unorm(a.y)))'],
    exact: ([x, y]) => [x!, x! >>> 16, y!, y! >>> 16].map((h) => bitsOf((h & 0xffff) / 65535)),
  },
  {
    name: 'unpack2x16float',
    types: ['vec4u'],
    forms: ['bitcast<vec4u>(vec4f(unpack2x16float(a.x), unpack2x16float(a.y)))'],
    constant: (a) => a.every((x) => [x, x >>> 16].every((h) => (h & 0x7c00) !== 0x7c00)),
    exact: ([x, y]) =>
      [x!, x! >>> 16, y!, y! >>> 16].map((h) => {
        const v = halfValueOf(h & 0xffff);
        return Number.isNaN(v) ? 0x7fc00000 : bitsOf(v);
      }),
  },
];
