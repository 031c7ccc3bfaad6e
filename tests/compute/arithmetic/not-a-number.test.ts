// `min`, `max`, `clamp` and `saturate` of a NaN. WGSL leaves the result open, GPUs return the other operand, and
// applications rely on that for constants. All engines give the same result.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deviceOf, engines, run } from '../kit';

const NAN = 0x7fc00000;
const CASES = [
  ['max(x, 0.5)', 0.5],
  ['max(0.5, x)', 0.5],
  ['min(x, 0.5)', 0.5],
  ['min(0.5, x)', 0.5],
  ['saturate(x)', 0],
  ['clamp(x, 0.25, 2.0)', 0.25],
  ['clamp(x, low, high)', 3],
  ['clamp(low, 0.25, x)', 3],
  ['clamp(high, low, x)', 4],
  ['clamp(low, x, 5.0)', 5],
  ['clamp(0.5, x, low)', 0.5],
  ['min(max(x, 0.25), 1.0)', 0.25],
  ['max(min(x, 1.0), 0.25)', 1],
  ['max(vec2f(1, x), vec2f(0.5)).y', 0.5],
  ['smoothstep(1.0, 2.0, x)', 0],
  ['f32(max(f16(x), 0.5h))', 0.5],
  ['f32(clamp(f16(x), 0.25h, 2.0h))', 0.25],
  // Named constants, and vectors that contain some.
  ['max(x, HALF)', 0.5],
  ['max(x, chosen)', 4],
  ['max(x, chosen * 2)', 8],
  ['max(x, some)', 0.75],
  ['max(x, same)', 0.75],
  ['max(vec2f(1, x), vec2f(some)).y', 0.75],
  ['max(vec2f(x), vec2f(low, some)).y', 0.75],
  ['min(vec3f(x), pair.yxy).y', 6],
  ['max(x, pair.y)', 7],
  ['max(vec2f(x, 1), vec2f(2, x)).x', 2],
  ['max(vec2f(x, 1), vec2f(2, x)).y', 1],
  ['inLoop(x)', 0.75],
  ['f32(min(f16(x), f16half))', 0.5],
] as const;

describe.each(Object.keys(engines))('%s', (name) => {
  test('with a constant, a NaN gives the constant, or the lower end of a range', async () => {
    const [found] = await run(await deviceOf(name), {
      wgsl: `enable f16;
        @group(0) @binding(0) var<storage, read_write> out: array<f32>;
        @group(0) @binding(1) var<storage> given: array<u32>;
        const HALF = 0.5;
        override chosen = 1.5;
        // A let that is kept in a variable.
        fn inLoop(x: f32) -> f32 {
          var sum = 0.0;
          loop {
            let some = 0.75;
            if (x == 1) { continue; }
            sum += x;
            continuing { sum = max(sum, some); break if true; }
          }
          return sum;
        }
        @compute @workgroup_size(1) fn main() {
          let x = bitcast<f32>(given[0]);
          let low = bitcast<f32>(given[1]);
          let high = bitcast<f32>(given[2]);
          let some = 0.75;
          let same = some;
          let pair = vec2f(6, 7);
          let f16half = 0.5h;
          ${CASES.map(([expression], i) => `out[${i}] = ${expression};`).join('\n          ')}
        }`,
      buffers: [new Uint32Array(CASES.length), Uint32Array.of(NAN, 0x40400000, 0x40800000)],
      groups: [1],
      constants: { chosen: 4 },
    });
    const values = new Float32Array(found!.buffer);
    const results = CASES.map(([expression], i) => [expression, values[i]]);
    expect(Object.fromEntries(results)).toEqual(Object.fromEntries(CASES));
  });

  test('otherwise the first operand decides, also if it turns out to be constant later', async () => {
    const expressions = [
      ['max(x, held)', NaN],
      ['max(held, x)', 0.5],
      ['most(x, 0.5)', NaN],
      ['most(0.5, x)', 0.5],
      ['max(x, fixed)', NaN],
      ['max(fixed, x)', 3],
      ['max(x, -(-some))', NaN],
      ['max(-(-some), x)', 0.75],
      ['1 / max(zero, 0.0)', Infinity],
      ['1 / max(0.0, zero)', Infinity],
      ['1 / max(zero, held - 0.5)', -Infinity],
      ['1 / max(held - 0.5, zero)', Infinity],
      ['1 / min(zero, 0.0)', Infinity],
      ['1 / clamp(zero, 0.0, 1.0)', Infinity],
      ['1 / saturate(zero)', Infinity],
      ['1 / clamp(0.0, zero, 1.0)', Infinity],
      ['1 / clamp(held - 0.5, zero, 1.0)', -Infinity],
    ] as const;
    const [found] = await run(await deviceOf(name), {
      wgsl: `
        @group(0) @binding(0) var<storage, read_write> out: array<f32>;
        @group(0) @binding(1) var<storage> given: array<f32>;
        fn most(a: f32, b: f32) -> f32 { return max(a, b); }
        @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {
          let x = given[i];
          let zero = given[i + 1];
          let fixed = given[2];
          let some = 0.75;
          var held = 0.5;
          ${expressions.map(([expression], i) => `out[${i}] = ${expression};`).join('\n          ')}
        }`,
      buffers: [new Uint32Array(expressions.length), Uint32Array.of(NAN, 0x80000000, 0x40400000)],
      groups: [1],
    });
    const values = new Float32Array(found!.buffer);
    const results = expressions.map(([expression], i) => [expression, values[i]]);
    expect(Object.fromEntries(results)).toEqual(Object.fromEntries(expressions));
  });

  test('numbers and infinities are ordered as usual', async () => {
    const float = fc.oneof(fc.float({ noNaN: true }), fc.constantFrom(0, 1, -1, Infinity, -Infinity));
    await fc.assert(
      fc.asyncProperty(fc.array(float, { minLength: 64, maxLength: 64 }), async (xs) => {
        const [found] = await run(await deviceOf(name), {
          wgsl: `
          @group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
          @group(0) @binding(1) var<storage> given: array<f32>;
          @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            let x = given[i];
            out[i] = vec4f(max(x, -0.5), min(0.75, x), clamp(x, -2.0, 3.0), saturate(x));
          }`,
          buffers: [new Uint32Array(256), Float32Array.from(xs)],
          groups: [1],
        });
        // Either zero is correct.
        const values = [...new Float32Array(found!.buffer)].map((value) => value + 0);
        expect(values).toEqual(
          xs
            .map(Math.fround)
            .flatMap((x) =>
              [Math.max(x, -0.5), Math.min(0.75, x), Math.min(Math.max(x, -2), 3), Math.min(Math.max(x, 0), 1)].map(
                (value) => value + 0
              )
            )
        );
      }),
      { numRuns: 10, seed: 20261128 }
    );
  });
});
