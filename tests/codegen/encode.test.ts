import { describe, expect, test } from 'vitest';
import { ProgramTooLargeError } from '../../src/base/errors';
import { disassemble, encodeBytecode } from '../../src/codegen';
import { optimize } from '../../src/ir';
import { hostMath } from '../ir/evaluate';
import { lower } from '../lower/source';

const encode = (source: string): string => disassemble(encodeBytecode(optimize(lower(source), hostMath)));

describe('encodeBytecode', () => {
  test('fuses products and sums, hoists uniform loads, writes outputs in place', () => {
    const text = encode(`@group(0) @binding(0) var<uniform> u: vec3f;
      @fragment fn main(@location(0) n: vec3f) -> @location(0) f32 { return saturate(dot(n, u)); }`);
    expect(text).toBe(`c0 = 00000000
prologue:
   0  u0 = buffer_load resource 0, c0 + 0
   3  u1 = buffer_load resource 0, c0 + 4
   6  u2 = buffer_load resource 0, c0 + 8
   9  end
body:
   0  r0 = f32_dot3 i0 u0 i1 u1 i2 u2
   4  o0 = f32_saturate r0
   6  end`);
  });

  test('a loop with a divergent end has one saved mask', () => {
    const text = encode(`@fragment fn main(@location(0) @interpolate(flat) n: u32) -> @location(0) u32 {
      var x = 1u; for (var i = 0u; i < n; i++) { x *= 3u; } return x; }`);
    expect(text.match(/save_exec/g)).toHaveLength(1);
    expect(text).toMatch(/leave_unless r\d+ → \d+/);
  });

  test('a uniform condition is a jump', () => {
    const text = encode(`
        @group(0) @binding(0) var<uniform> u: u32; @group(0) @binding(1) var t: texture_2d<f32>;
        @group(0) @binding(2) var s: sampler;
      @fragment fn main(@location(0) uv: vec2f) -> @location(0) vec4f {
        if (u == 1u) { return textureSampleLevel(t, s, uv, 0.0); } return vec4f(0.0);
      }`);
    expect(text).toContain('jump_unless u0');
    expect(text).not.toContain('save');
  });

  test('a program with too many registers is rejected with a message', () => {
    const source = `
      @fragment fn main(@location(0) @interpolate(flat) n: u32) -> @location(0) u32 {
        var e: array<u32, 65535>; e[n] = n; return e[n / 2u];
      }
    `;
    expect(() => encodeBytecode(optimize(lower(source), hostMath))).toThrow(ProgramTooLargeError);
  });
});
