// Subgroup operations on all engines, compared with plain TypeScript: every operation and type, inactive lanes, and
// random shaders. A subgroup is four consecutive invocations.
import { describe, expect, test } from 'vitest';
import { deviceOf, engines, run } from './kit';
import { BUILTINS, HEAD, SIZE, type Scalar, callOf, namesOf, oracle, rounded } from './subgroups.kit';

const floats = new Float32Array(1);
const words = new Uint32Array(floats.buffer);
const bitsOf = (type: Scalar, value: number): number => {
  if (type !== 'f32') return value >>> 0;
  floats[0] = value;
  return words[0]!;
};

/** Pseudo-random numbers. Floats are small integers and half-integers, whose sums and products are exact. */
const numbers = (type: Scalar, count: number): number[] =>
  Array.from({ length: count }, (_, i) => {
    const mixed = Math.imul(i + 1, 0x9e3779b1) >>> 3;
    return type === 'f32' ? ((mixed % 33) - 16) / 2 : rounded[type](mixed * (i % 3 ? 1 : 97) - (i % 5) * 77777777);
  });

describe.each(Object.keys(engines))('%s', (engine) => {
  // All lanes; those in a mask of their subgroup.
  test.each<[Scalar, number]>([
    ['i32', 1],
    ['u32', 1],
    ['f32', 1],
    ['i32', 3],
    ['f32', 4],
    ['u32', 2],
  ])('%s × %i', async (type, width) => {
    const names = namesOf(type);
    const count = 68;
    const given = numbers(type, count * width);
    const shaped = width === 1 ? type : `vec${width}<${type}>`;
    const read = Array.from({ length: width }, (_, k) => `bitcast<${type}>(given[id.x * ${width}u + ${k}u])`).join();
    const parts = ['x', 'y', 'z', 'w'].slice(0, width);
    const wgsl = `${HEAD}
      @compute @workgroup_size(${count}) fn main(${BUILTINS}) {
        let value = ${width === 1 ? read : `${shaped}(${read})`};
        let by = (id.x * 7u + id.x / 4u) % 5u;
        let there = id.x / 4u % 16u;
        ${names
          .map(
            (name, k) => `
          if (there == 0u || ((there >> lane) & 1u) != 0u) {
            let result = ${callOf(name, 'value', 'by')};
            let at = (${k}u * ${count}u + id.x) * ${width}u;
            ${parts
              .map((part, i) => `out[at + ${i}u] = bitcast<u32>(result${width === 1 ? '' : `.${part}`});`)
              .join('\n')}
          }`
          )
          .join('')}
      }`;
    const data = Uint32Array.from(given, (value) => bitsOf(type, value));
    const [, found] = await run(await deviceOf(engine), {
      wgsl,
      buffers: [data, new Uint32Array(names.length * count * width)],
      groups: [1],
    });
    names.forEach((name, k) => {
      for (let quad = 0; quad < count; quad += SIZE) {
        const mask = (quad / SIZE) % 16;
        const lanes = [0, 1, 2, 3];
        const there = (lane: number): boolean => mask === 0 || ((mask >> lane) & 1) !== 0;
        for (let part = 0; part < width; part++) {
          const values = lanes.map((lane) => (there(lane) ? given[(quad + lane) * width + part]! : null));
          const by = lanes.map((lane) => ((quad + lane) * 7 + quad / SIZE) % 5);
          const results = oracle(name, type, values, by);
          for (const lane of lanes) {
            const at = (k * count + quad + lane) * width + part;
            // The order and sign of zeros in minima and maxima is unspecified.
            const wanted = there(lane) ? bitsOf(type, results[lane]! + 0) : 0;
            const bits = found![at]!;
            const plain = (word: number): number => (word === 0x80000000 && type === 'f32' ? 0 : word);
            const what = `${name} of ${values.join()} by ${by.join()} in lane ${lane}`;
            expect(plain(bits), what).toBe(plain(wanted));
          }
        }
      }
    });
  });

  test('lane numbers of type i32: literals and negative ones', async () => {
    const [, out] = await run(await deviceOf(engine), {
      wgsl: `${HEAD}
        @compute @workgroup_size(4) fn main(${BUILTINS}) {
          let own = vec2u(given[0] + l, l + 11);
          let shuffled = subgroupShuffle(own, 2);
          out[l * 5] = shuffled.x;
          out[l * 5 + 1] = shuffled.y;
          out[l * 5 + 2] = subgroupShuffle(own.x, 2 - i32(l));
          out[l * 5 + 3] = subgroupBroadcast(own.x, 3);
          out[l * 5 + 4] = quadBroadcast(own.x, 1);
        }`,
      buffers: [Uint32Array.of(1), new Uint32Array(20)],
      groups: [1],
    });
    expect([...out!]).toEqual([3, 2, 1, 0].flatMap((own) => [3, 13, own, 4, 2]));
  });

  test('votes, the elected lane, and the built-in values', async () => {
    const count = 64;
    const given = Uint32Array.from(numbers('u32', count));
    const [, out] = await run(await deviceOf(engine), {
      wgsl: `${HEAD}
        @compute @workgroup_size(8, 4) fn main(${BUILTINS}, @builtin(workgroup_id) w: vec3u) {
          let at = w.x * 32u + l;
          let there = (at / 4u) % 16u;
          var all = (subgroupBallot(true).x << 24u) | (size << 16u) | (lane << 20u);
          if (((there >> lane) & 1u) != 0u) {
            let yes = given[at] % 3u == 0u;
            let votes = subgroupBallot(yes);
            all |= votes.x | ((votes.y + votes.z + votes.w) << 4u) | (u32(subgroupAll(yes)) << 5u);
            all |= (u32(subgroupAny(yes)) << 6u) | (u32(subgroupElect()) << 7u) | (subgroupBallot(true).x << 8u);
          }
          out[at] = all;
        }`,
      buffers: [given, new Uint32Array(count)],
      groups: [2],
    });
    expect(out).toEqual(
      Uint32Array.from({ length: count }, (_, at) => {
        const lane = at % 4;
        const quad = at - lane;
        const there = (quad / 4) % 16;
        const always = ((15 << 24) | (4 << 16) | (lane << 20)) >>> 0;
        if (((there >> lane) & 1) === 0) return always;
        const yes = [0, 1, 2, 3].filter((k) => ((there >> k) & 1) !== 0 && given[quad + k]! % 3 === 0);
        const votes = yes.reduce((bits, k) => bits | (1 << k), 0);
        const first = Math.log2(there & -there);
        const all = Number(votes === there) << 5;
        const any = Number(votes !== 0) << 6;
        const elected = Number(lane === first) << 7;
        return (always | votes | all | any | elected | (there << 8)) >>> 0;
      })
    );
  });

  test.each(['1', '2', '3', '5', '1, 1, 2', '66'])(
    'workgroups of %s, whose last subgroups are not full',
    async (size) => {
      const invocations = size.split(', ').reduce((product, extent) => product * Number(extent), 1);
      const groups = 9;
      const [, out] = await run(await deviceOf(engine), {
        wgsl: `${HEAD}
        @compute @workgroup_size(${size}) fn main(${BUILTINS}, @builtin(workgroup_id) w: vec3u) {
          out[w.x * ${invocations}u + l] = subgroupAdd(w.x * 100u + l) + (subgroupBallot(true).x << 16u) + given[0];
        }`,
        buffers: [Uint32Array.of(0), new Uint32Array(groups * invocations)],
        groups: [groups],
      });
      expect(out).toEqual(
        Uint32Array.from({ length: groups * invocations }, (_, i) => {
          const group = Math.floor(i / invocations);
          const first = (i % invocations) - ((i % invocations) % SIZE);
          const lanes = Math.min(SIZE, invocations - first);
          let sum = 0;
          for (let k = 0; k < lanes; k++) sum += group * 100 + first + k;
          return sum + (((1 << lanes) - 1) << 16);
        })
      );
    }
  );

  test('f16 operations', async () => {
    const count = 12;
    const given = Uint32Array.from({ length: count }, (_, i) => i * 3 + 1);
    const [, out] = await run(await deviceOf(engine), {
      wgsl: `enable f16; ${HEAD}
        @compute @workgroup_size(${count}) fn main(${BUILTINS}) {
          let half = vec2h(f16(given[l]), f16(given[l]) / 4);
          let sum = subgroupAdd(half); let next = subgroupShuffleXor(half, 1);
          out[l] = pack2x16float(vec2f(sum)) ^ pack2x16float(vec2f(next));
        }`,
      buffers: [given, new Uint32Array(count)],
      groups: [1],
    });
    // Half floats of integers below 2048, and of quarters of them, are exact.
    const half = (value: number): number => {
      const exponent = Math.floor(Math.log2(value));
      return ((exponent + 15) << 10) | ((value / 2 ** exponent - 1) * 1024);
    };
    expect([...out!]).toEqual(
      [...given].map((_, i) => {
        const quad = [...given.slice(i - (i % SIZE), i - (i % SIZE) + SIZE)];
        const sum = quad.reduce((a, b) => a + b);
        const next = quad[(i % SIZE) ^ 1]!;
        return ((half(sum) | (half(sum / 4) << 16)) ^ (half(next) | (half(next / 4) << 16))) >>> 0;
      })
    );
  });

  test('lanes that leave loops, with barriers in between', async () => {
    const count = 96;
    const given = Uint32Array.from({ length: count }, (_, i) => Math.imul(i + 3, 0x9e3779b1) >>> 29);
    const [, out] = await run(await deviceOf(engine), {
      wgsl: `${HEAD}
        var<workgroup> own: array<u32, ${count}>;
        @compute @workgroup_size(${count}) fn main(${BUILTINS}) {
          var sum = 0u;
          for (var k = 0u; k < given[l]; k++) {
            sum += subgroupAdd(k + l) * (k + 1u);
            if (subgroupAny(k == 5u)) { sum += 1000u; continue; }
            if (k == 3u && lane == 2u) { break; }
            sum += countOneBits(subgroupBallot(k % 2u == lane % 2u).x);
          }
          own[l] = subgroupMax(sum) + sum;
          workgroupBarrier();
          out[l] = subgroupInclusiveAdd(own[(l * 5u) % ${count}u]) + sum;
        }`,
      buffers: [given, new Uint32Array(count)],
      groups: [1],
    });
    const sums = Array<number>(count).fill(0);
    for (let quad = 0; quad < count; quad += SIZE) {
      let there = [0, 1, 2, 3];
      for (let k = 0; ; k++) {
        there = there.filter((lane) => k < given[quad + lane]!);
        if (there.length === 0) break;
        const sum = there.reduce((total, lane) => total + k + quad + lane, 0) * (k + 1);
        for (const lane of there) sums[quad + lane]! += sum;
        if (k === 5) {
          for (const lane of there) sums[quad + lane]! += 1000;
          continue;
        }
        if (k === 3) there = there.filter((lane) => lane !== 2);
        const votes = there.filter((lane) => k % 2 === lane % 2).length;
        for (const lane of there) sums[quad + lane]! += votes;
      }
    }
    const own = sums.map((sum, i) => Math.max(...sums.slice(i - (i % SIZE), i - (i % SIZE) + SIZE)) + sum);
    expect([...out!]).toEqual(
      sums.map((sum, i) => {
        let scan = 0;
        for (let k = i - (i % SIZE); k <= i; k++) scan += own[(k * 5) % count]!;
        return scan + sum;
      })
    );
  });
});
