// Attribute fetch: every vertex format compared with JavaScript's own decoding, strides, limits, registers; SIMD
// compared with scalar.
import { describe, expect, it } from 'vitest';
import {
  VERTEX_FLOAT32,
  VERTEX_FLOAT32X4,
  VERTEX_SINT32,
  VERTEX_UINT32,
  VERTEX_UNORM10_10_10_2,
  VERTEX_UNORM8X4,
  VERTEX_UNORM8X4_BGRA,
} from '../../assembly/layout/texture/formats';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import { Attribute } from '../../build/layout';
import { TestKernel } from '../support/kernel';
import { generator } from '../texture/harness';

const kernel = new TestKernel();
type Decode = (view: DataView, at: number) => number;
const half = (h: number): number => {
  const e = (h >> 10) & 31;
  const m = h & 1023;
  const sign = h & 0x8000 ? -1 : 1;
  if (e === 31) return m ? NaN : sign * Infinity;
  return sign * (e === 0 ? m * 2 ** -24 : (1 + m / 1024) * 2 ** (e - 15));
};
/** Kinds in the order of formats.ts: bytes per component, decoding, whether integer. */
const SMALL: [string, number, Decode, boolean][] = [
  ['uint8', 1, (v, a) => v.getUint8(a), true],
  ['sint8', 1, (v, a) => v.getInt8(a), true],
  ['unorm8', 1, (v, a) => v.getUint8(a) / 255, false],
  ['snorm8', 1, (v, a) => Math.max(-1, v.getInt8(a) / 127), false],
  ['uint16', 2, (v, a) => v.getUint16(a, true), true],
  ['sint16', 2, (v, a) => v.getInt16(a, true), true],
  ['unorm16', 2, (v, a) => v.getUint16(a, true) / 65535, false],
  ['snorm16', 2, (v, a) => Math.max(-1, v.getInt16(a, true) / 32767), false],
  ['float16', 2, (v, a) => half(v.getUint16(a, true)), false],
];
const WIDE: [string, number, Decode, boolean][] = [
  ['float32', VERTEX_FLOAT32, (v, a) => v.getFloat32(a, true), false],
  ['uint32', VERTEX_UINT32, (v, a) => v.getUint32(a, true), true],
  ['sint32', VERTEX_SINT32, (v, a) => v.getInt32(a, true), true],
];
interface Case {
  name: string;
  format: number;
  bytes: number;
  integer: boolean;
  components: Decode[];
}
const CASES: Case[] = [];
SMALL.forEach(([name, size, decode, integer], kind) =>
  [1, 2, 4].forEach((n, i) =>
    CASES.push({
      name: `${name}x${n}`,
      format: 1 + kind * 3 + i,
      bytes: size * n,
      integer,
      components: Array.from({ length: n }, (_, c) => (v, a) => decode(v, a + c * size)),
    })
  )
);
for (const [name, first, decode, integer] of WIDE)
  for (let n = 1; n <= 4; n++) {
    CASES.push({
      name: `${name}x${n}`,
      format: first + n - 1,
      bytes: n * 4,
      integer,
      components: Array.from({ length: n }, (_, c) => (v, a) => decode(v, a + c * 4)),
    });
  }
CASES.push({
  name: 'unorm10-10-10-2',
  format: VERTEX_UNORM10_10_10_2,
  bytes: 4,
  integer: false,
  components: [0, 10, 20, 30].map(
    (s) => (v, a) => ((v.getUint32(a, true) >>> s) & (s === 30 ? 3 : 1023)) / (s === 30 ? 3 : 1023)
  ),
});
CASES.push({
  name: 'unorm8x4-bgra',
  format: VERTEX_UNORM8X4_BGRA,
  bytes: 4,
  integer: false,
  components: [2, 1, 0, 3].map((b) => (v, a) => v.getUint8(a + b) / 255),
});

interface Request {
  format: number;
  stride: number;
  limit: number;
  registers: number[];
  elements: number[];
}
function fetch(buffer: number, request: Request, scalar: boolean): Uint32Array[] {
  const attribute = kernel.alloc(Attribute.bytes);
  kernel.i32(attribute, 9).set([buffer, request.limit, request.stride, 0, request.format, ...request.registers]);
  const elements = kernel.alloc(256);
  kernel.u32(elements, request.elements.length).set(request.elements);
  const registers = kernel.alloc(5 * REGISTER_BYTES);
  kernel.u32(registers, 5 * 64).fill(0x55555555);
  kernel.call[scalar ? 'fetchAttributeScalar' : 'fetchAttribute']!(
    attribute,
    elements,
    request.elements.length,
    registers,
    kernel.alloc(16)
  );
  return [0, 1, 2, 3, 4].map((r) => kernel.u32(registers + r * REGISTER_BYTES, 64).slice());
}

describe('attribute fetch', () => {
  for (const c of CASES)
    it(c.name, () => {
      kernel.reset();
      const random = generator(c.format);
      const bytes = 4096;
      const buffer = kernel.alloc(bytes) + 4;
      kernel.u8(buffer, bytes - 4).forEach((_, i, all) => {
        all[i] = random() * 256;
      });
      for (const stride of [0, c.bytes, 32, 36]) {
        const limit = stride * 40 + c.bytes;
        const elements = Array.from({ length: 64 }, (_, i) =>
          i % 9 === 4 ? [41, 4000000000, 0xffffffff, 134217728][i & 3]! : Math.floor(random() * 41)
        );
        const request = { format: c.format, stride, limit, registers: [2, 0, 3, 1], elements };
        const simd = fetch(buffer, request, false);
        expect(fetch(buffer, request, true)).toEqual(simd);
        const view = new DataView(kernel.memory.buffer, buffer);
        const scratch = new DataView(new ArrayBuffer(4));
        elements.forEach((element, lane) => {
          for (let i = 0; i < 4; i++) {
            const readable = element * stride + c.bytes <= limit;
            const value =
              i < c.components.length ? (readable ? c.components[i]!(view, element * stride) : 0) : i === 3 ? 1 : 0;
            if (c.integer) scratch.setInt32(0, value | 0);
            else scratch.setFloat32(0, value);
            const got = simd[request.registers[i]!]![lane]!;
            if (Number.isNaN(value)) expect((got & 0x7fffffff) > 0x7f800000).toBe(true);
            else expect(got).toBe(scratch.getUint32(0));
          }
        });
        expect(simd[4]!.every((x) => x === 0x55555555)).toBe(true);
      }
    });
  it('does not write registers of unread components', () => {
    kernel.reset();
    const buffer = kernel.alloc(1024);
    for (const format of [VERTEX_FLOAT32X4, VERTEX_UNORM8X4])
      for (const scalar of [false, true]) {
        const r = fetch(
          buffer,
          { format, stride: 16, limit: 1024, registers: [-1, 1, -1, -1], elements: [0, 1, 2, 3] },
          scalar
        );
        expect([0, 2, 3].every((n) => r[n]!.every((x) => x === 0x55555555))).toBe(true);
        expect([...r[1]!.subarray(0, 5)]).toEqual([0, 0, 0, 0, 0x55555555]);
      }
  });
});
