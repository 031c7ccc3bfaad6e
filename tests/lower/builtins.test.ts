import { expect, test } from 'vitest';
import { SIGNATURES } from '../../src/wgsl/builtin-table';
import { loweredBuiltins, loweredTextureBuiltins } from '../../src/wgsl/lower';
import { bits, f32 } from '../ir/words';
import { evaluate, hostMath } from '../ir/evaluate';
import { both } from './source';

test('every builtin with a signature is lowered', () => {
  const lowered = new Set([...loweredBuiltins, ...loweredTextureBuiltins]);
  expect([...SIGNATURES.keys()].filter((name) => !lowered.has(name))).toEqual([]);
});

/** x = 0.3, y = −1.7, n = 2.5: expressions and their values in double precision. */
const [x, y, n] = [Math.fround(0.3), Math.fround(-1.7), 2.5];
const cases: [string, number][] = [
  ['mix(x, y, n)', x * (1 - n) + y * n],
  ['smoothstep(y, n, x)', ((t) => t * t * (3 - 2 * t))((x - y) / (n - y))],
  ['step(x, y)', 0],
  ['fma(x, y, n)', x * y + n],
  ['length(vec3f(x, y, n))', Math.hypot(x, y, n)],
  ['distance(vec2f(x, y), vec2f(n))', Math.hypot(x - n, y - n)],
  ['normalize(vec3f(x, y, n)).y', y / Math.hypot(x, y, n)],
  ['cross(vec3f(x, y, n), vec3f(n, x, y)).z', x * x - y * n],
  ['reflect(vec2f(x, y), vec2f(0, 1)).y', -y],
  ['refract(vec2f(x, y), vec2f(0, 1), 1.0).x', x],
  ['faceForward(vec2f(x, y), vec2f(n, 1), vec2f(1, n)).x', -x],
  ['determinant(mat3x3f(x, 1, 2, y, 3, 1, n, 0, 1))', x * 3 + (n - 2 * 3 * n) - y],
  ['transpose(mat2x3f(x, y, n, 1, 2, 3))[1].x', y],
  ['pow(n, 5.0)', n ** 5],
  ['pow(n, 11.0)', n ** 11],
  ['pow(n, 48.0) / pow(n, 46.0)', n * n],
  ['pow(x, 255.5)', 0],
  ['pow(n, 0.5)', Math.sqrt(n)],
  ['pow(n, x)', n ** x],
  ['degrees(x)', (x * 180) / Math.PI],
  ['radians(n)', (n * Math.PI) / 180],
  ['modf(y).fract', y + 1],
  ['modf(y).whole', -1],
  ['frexp(n).fract', 0.625],
  ['ldexp(x, 3)', x * 8],
  ['saturate(y)', 0],
  ['fract(y)', y + 2],
  ['unpack2x16float(pack2x16float(vec2f(n, y))).x', n],
  ['unpack4x8snorm(pack4x8snorm(vec4f(x, y, 0, 1))).y', -1],
  ['unpack2x16unorm(pack2x16unorm(vec2f(x, y))).x', Math.floor(0.5 + 65535 * x) / 65535],
  ['f32(dot4I8Packed(pack4xI8(vec4i(-1, 2, 3, i32(n))), 0x01020304u))', -4 + 6 + 6 + 2],
  ['f32(extractBits(-200, 4u, 8u))', ((-200 >> 4) << 24) >> 24],
  ['f32(firstLeadingBit(i32(n) - 5))', 1],
  ['f32(insertBits(0u, u32(n), 3u, 2u))', 16],
  ['f32(countOneBits(pack4xU8(vec4u(u32(n) + 1))))', 8],
];
test.each(cases)('%s', (expression, expected) => {
  const source = `
    @fragment fn main(@location(0) v: vec3f) -> @location(0) f32 {
      let x = v.x; let y = v.y; let n = v.z; return ${expression};
    }
  `;
  for (const program of both(source)) {
    const inputs = program.inputs.map((input) => bits([x, y, n][input.kind === 'varying' ? input.component : 0]!));
    expect(f32(evaluate(program, { inputs, math: hostMath }).outputs[0]!)).toBeCloseTo(
      expected,
      5 - Math.ceil(Math.log10(Math.max(1, Math.abs(expected))))
    );
  }
});
