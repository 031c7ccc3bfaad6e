// Arrays of functions that are called repeatedly: calls are inlined, and the memory of arrays whose scopes have ended
// is reused, zeroed again.
import { describe, expect, test } from 'vitest';
import { deviceOf, engines, run } from '../kit';

const WORDS = 2048;
const INVOCATIONS = 64;

/** Each call writes to its array where earlier calls have written, and returns the sum of all elements. */
const program = (calls: number): string => `
  @group(0) @binding(0) var<storage, read_write> to: array<u32>;
  fn note(seed: u32, times: u32) -> u32 {
    var a: array<u32, ${WORDS}>;
    var sum = 0u;
    for (var k = 0u; k < times; k++) {
      let at = (seed * 7u + k * 13u) % ${WORDS}u;
      sum = sum * 31u + a[at] + a[(at + 13u) % ${WORDS}u];
      a[at] = seed + k;
    }
    return sum;
  }
  @compute @workgroup_size(${INVOCATIONS}) fn main(@builtin(local_invocation_index) i: u32) {
    var sum = 0u;
    ${Array.from({ length: calls }, (_, n) =>
      n % 3 === 1
        ? `if ((i & 1u) == 0u) { sum = sum * 17u + note(i + ${n}u, 5u); }`
        : `sum = sum * 17u + note(i, ${n}u);`
    ).join('\n')}
    for (var n = 0u; n < 3u; n++) { sum = sum * 17u + note(i, n + 4u); }
    to[i] = sum;
  }`;

function note(seed: number, times: number): number {
  const a = new Uint32Array(WORDS);
  let sum = 0;
  for (let k = 0; k < times; k++) {
    const at = (seed * 7 + k * 13) % WORDS;
    sum = (Math.imul(sum, 31) + a[at]! + a[(at + 13) % WORDS]!) >>> 0;
    a[at] = seed + k;
  }
  return sum;
}

function expected(calls: number): Uint32Array {
  return Uint32Array.from({ length: INVOCATIONS }, (_, i) => {
    let sum = 0;
    for (let n = 0; n < calls; n++) {
      if (n % 3 !== 1) sum = (Math.imul(sum, 17) + note(i, n)) >>> 0;
      else if (i % 2 === 0) sum = (Math.imul(sum, 17) + note(i + n, 5)) >>> 0;
    }
    for (let n = 0; n < 3; n++) sum = (Math.imul(sum, 17) + note(i, n + 4)) >>> 0;
    return sum;
  });
}

describe.each(Object.keys(engines))('%s', (name) => {
  // Each call has an 8 KiB array; shaders have room for 32 at a time.
  test.each([2, 100])('%i calls with arrays of 8 KiB', async (calls) => {
    const [found] = await run(await deviceOf(name), {
      wgsl: program(calls),
      buffers: [new Uint32Array(INVOCATIONS)],
      groups: [1],
    });
    expect(found).toEqual(expected(calls));
  });

  test('the longest array of each type in scopes of one function', async () => {
    const scope = (type: string, n: number): string => `{
      var a: array<${type}, 3000>;
      sum += u32(a[(i + ${n}u) % 3000u]) + u32(a[i]);
      a[i] = ${type}(i + ${n}u);
      a[i + 1u] = ${type}(1);
      sum += u32(a[i]) * 3u + u32(a[i + 1u]);
    }`;
    const types = ['u32', 'f32', 'i32', 'bool', 'f32', 'u32', 'bool', 'i32', 'u32', 'u32'];
    const [found] = await run(await deviceOf(name), {
      wgsl: `@group(0) @binding(0) var<storage, read_write> to: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
          var sum = 0u;
          ${types.map(scope).join('\n')}
          to[i] = sum;
        }`,
      buffers: [new Uint32Array(64)],
      groups: [1],
    });
    expect(found).toEqual(
      Uint32Array.from({ length: 64 }, (_, i) =>
        types.reduce((sum, type, n) => sum + (type === 'bool' ? Number(i + n > 0) : i + n) * 3 + 1, 0)
      )
    );
  });
});
