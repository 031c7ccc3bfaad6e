// Uniform integers and bools, which compiled shaders keep as one word: as conditions, as addresses and as operands of
// lanes, on every engine, compared with plain JavaScript. Also when two quads run together.
import { describe, expect, test } from 'vitest';
import { deviceOf, engines, run } from '../kit';

const LANES = 20;
const FIRST = -4;
const LAST = 12;
type Of<T> = (i: number, j: number) => T;

const integers: readonly (readonly [string, Of<number>])[] = [
  ['i + 3', (i) => i + 3],
  ['i - 5', (i) => i - 5],
  ['i * 7', (i) => i * 7],
  ['i & 6', (i) => i & 6],
  ['i | 9', (i) => i | 9],
  ['i ^ 5', (i) => i ^ 5],
  ['i << 2', (i) => i << 2],
  ['i >> 1', (i) => i >> 1],
  ['j >> 3', (_, j) => j >>> 3],
  ['j << u32(i & 3)', (i, j) => j << (i & 3)],
  ['-i', (i) => -i],
  ['~i', (i) => ~i],
  ['min(i, 3)', (i) => Math.min(i, 3)],
  ['max(i, 3)', (i) => Math.max(i, 3)],
  ['min(j, 5)', (_, j) => Math.min(j, 5)],
  ['max(j, 5)', (_, j) => Math.max(j, 5)],
  ['i + i32(i < 3)', (i) => i + Number(i < 3)],
  ['i + i32(j > 3)', (i, j) => i + Number(j > 3)],
  ['starts[i & 3] + i', (i) => (i & 3) + 1 + i],
];
const bools: readonly (readonly [string, Of<boolean>])[] = [
  ['i == 3', (i) => i === 3],
  ['i != 3', (i) => i !== 3],
  ['i < 2', (i) => i < 2],
  ['i <= 2', (i) => i <= 2],
  ['i > 2', (i) => i > 2],
  ['i >= 2', (i) => i >= 2],
  ['j < 2', (_, j) => j < 2],
  ['j <= 2', (_, j) => j <= 2],
  ['j > 2', (_, j) => j > 2],
  ['j >= 2', (_, j) => j >= 2],
  ['!(i > 2)', (i) => i <= 2],
  ['(i < 2) & (i > -2)', (i) => i < 2 && i > -2],
  ['(i > 2) | (i < -2)', (i) => i > 2 || i < -2],
  ['(i > 2) == (j < 7)', (i, j) => i > 2 === j < 7],
  ['(i > 2) != (j < 7)', (i, j) => i > 2 !== j < 7],
  ['(i > 2) == all(starts == vec4i(1, 2, 3, 4))', (i) => i > 2],
  ['f32(i) < 2.5', (i) => i < 2.5],
];

const programOf = (round: string, chained: boolean): string => `
  @group(0) @binding(0) var<storage, read_write> out: array<u32>;
  @group(0) @binding(1) var<storage, read> starts: vec4i;
  @group(0) @binding(2) var<storage, read> data: array<u32, 16>;
  @compute @workgroup_size(${LANES}) fn main(@builtin(local_invocation_index) lane: u32) {
    var sum = 0u; var z = f32(lane); var odd = false;
    for (var i = ${FIRST}; i < starts.x + ${LAST - 1}; i++) {
      let j = u32(i);
      ${round}
      ${chained ? 'for (var k = 0; k < 3; k++) { z = fract(sqrt(sqrt(z * z + 1) * 3) * 5) * 7; }' : ''}
      odd = !odd;
      if (odd) { sum ^= lane; }
    }
    out[lane] = sum${chained ? ' + u32(z < 0)' : ''};
  }`;

const resultOf = (round: (sum: number, i: number, j: number, lane: number) => number): number[] =>
  Array.from({ length: LANES }, (_, lane) => {
    let sum = 0;
    for (let i = FIRST, odd = true; i < LAST; i++, odd = !odd) {
      sum = round(sum, i, i >>> 0, lane) >>> 0;
      if (odd) sum = (sum ^ lane) >>> 0;
    }
    return sum;
  });

const data = Uint32Array.from({ length: 16 }, (_, k) => Math.imul(k + 1, 0x9e3779b1));
const next = (sum: number, more: number): number => Math.imul(sum, 31) + more;

describe.each(Object.keys(engines))('%s', (name) => {
  const found = async (round: string, chained: boolean): Promise<number[]> => {
    const buffers = [new Uint32Array(LANES), Int32Array.of(1, 2, 3, 4), ...(round.includes('data[') ? [data] : [])];
    const [out] = await run(await deviceOf(name), { wgsl: programOf(round, chained), buffers, groups: [1] });
    return [...out!];
  };
  test.each(integers)('%s as an address and as an operand of lanes', async (text, of) => {
    const wanted = resultOf((sum, i, j, lane) => next(next(sum, data[of(i, j) & 15]! + lane), of(i, j)));
    const round = `
      let x = u32(${text});
      sum = sum * 31 + data[x & 15] + lane;
      sum = sum * 31 + x;`;
    for (const chained of [false, true]) expect(await found(round, chained)).toEqual(wanted);
  });
  test.each(bools)('%s as a condition and as an operand of lanes', async (text, of) => {
    const wanted = resultOf((sum, i, j, lane) => {
      const more = of(i, j) ? next(sum, lane) : sum;
      return next(more, of(i, j) === lane > 3 ? 1 : 0);
    });
    const round = `
      let x = ${text};
      if (x) { sum = sum * 31 + lane; }
      sum = sum * 31 + u32(x == (lane > 3));`;
    for (const chained of [false, true]) expect(await found(round, chained)).toEqual(wanted);
  });
});
