// Workgroup memory and barriers on all engines: algorithms compared with plain TypeScript.
import { describe, expect, test } from 'vitest';
import { deviceOf, engines, run } from './kit';

const zeros = (count: number): Uint32Array<ArrayBuffer> => new Uint32Array(count);
/** Pseudo-random numbers. */
const mixed = (count: number): Uint32Array<ArrayBuffer> =>
  Uint32Array.from({ length: count }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 7);
const DATA = '@group(0) @binding(0) var<storage, read_write> data: array<u32>;';

describe.each(Object.keys(engines))('%s', (name) => {
  test('workgroup memory is zero at the start of each workgroup', async () => {
    const [result] = await run(await deviceOf(name), {
      wgsl: `${DATA}
        var<workgroup> all: array<u32, 100>; var<workgroup> flags: array<bool, 3>; var<workgroup> f: f32;
        @compute @workgroup_size(32) fn main(
          @builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) index: u32
        ) {
          var found = u32(f != 0) + u32(flags[index % 3u]);
          for (var i = index; i < 100u; i += 32u) { found += all[i]; }
          workgroupBarrier();
          for (var i = index; i < 100u; i += 32u) { all[i] = 77u; }
          if (index < 3u) { flags[index] = true; }
          f = 3;
          data[id.x] = found + 5u + u32(flags[index % 3u] && index < 3u) * 100u;
        }`,
      buffers: [zeros(32 * 50)],
      groups: [50],
    });
    expect(result).toEqual(Uint32Array.from({ length: 32 * 50 }, (_, i) => (i % 32 < 3 ? 105 : 5)));
  });

  test.each([32, 64, 100, 256])('a reduction by %i invocations', async (size) => {
    const values = mixed(size * 7);
    const [, sums] = await run(await deviceOf(name), {
      wgsl: `
        @group(0) @binding(0) var<storage, read> data: array<u32>;
        @group(0) @binding(1) var<storage, read_write> sums: array<u32>;
        var<workgroup> part: array<u32, ${size}>;
        @compute @workgroup_size(${size}) fn main(
          @builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) index: u32,
          @builtin(workgroup_id) group: vec3u
        ) {
          part[index] = data[id.x];
          workgroupBarrier();
          var left = ${size}u;
          while (left > 1u) {
            let half = (left + 1u) / 2u;
            if (index + half < left) { part[index] += part[index + half]; }
            left = half;
            workgroupBarrier();
          }
          if (index == 0u) { sums[group.x] = part[0]; }
        }`,
      buffers: [values, zeros(7)],
      groups: [7],
    });
    expect(sums).toEqual(
      Uint32Array.from({ length: 7 }, (_, group) => {
        let sum = 0;
        for (let i = 0; i < size; i++) sum = (sum + values[group * size + i]!) >>> 0;
        return sum;
      })
    );
  });

  test('a prefix sum with a return after the last barrier', async () => {
    const values = mixed(500);
    const [result] = await run(await deviceOf(name), {
      wgsl: `${DATA}
        var<workgroup> a: array<u32, 128>; var<workgroup> b: array<u32, 128>;
        @compute @workgroup_size(128) fn main(
          @builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) index: u32
        ) {
          a[index] = select(0u, data[id.x], id.x < 500u);
          workgroupBarrier();
          for (var step = 1u; step < 128u; step *= 2u) {
            b[index] = a[index];
            if (index >= step) { b[index] += a[index - step]; }
            workgroupBarrier();
            a[index] = b[index];
            workgroupBarrier();
          }
          if (id.x >= 500u) { return; }
          data[id.x] = a[index];
        }`,
      buffers: [values],
      groups: [4],
    });
    let sum = 0;
    expect(result).toEqual(values.map((value, i) => (sum = i % 128 === 0 ? value : sum + value)));
  });

  test('a bitonic sort in one workgroup', async () => {
    const values = mixed(256);
    const [result] = await run(await deviceOf(name), {
      wgsl: `${DATA}
        var<workgroup> keys: array<u32, 256>;
        @compute @workgroup_size(128) fn main(@builtin(local_invocation_index) index: u32) {
          keys[index] = data[index];
          keys[index + 128u] = data[index + 128u];
          for (var k = 2u; k <= 256u; k <<= 1u) {
            for (var j = k >> 1u; j > 0u; j >>= 1u) {
              workgroupBarrier();
              let i = (index / j) * 2u * j + index % j;
              let up = (i & k) == 0u;
              let x = keys[i];
              let y = keys[i + j];
              if ((x > y) == up) { keys[i] = y; keys[i + j] = x; }
            }
          }
          workgroupBarrier();
          data[index] = keys[index];
          data[index + 128u] = keys[index + 128u];
        }`,
      buffers: [values],
      groups: [1],
    });
    expect(result).toEqual(values.slice().sort());
  });

  test('values, variables and arrays survive barriers in uniform branches and loops', async () => {
    const groups = 6;
    const size = 40;
    const [result] = await run(await deviceOf(name), {
      wgsl: `${DATA}
        var<workgroup> shared_: array<u32, ${size}>;
        var<private> mine: array<u32, 9>;
        fn neighbour(index: u32) -> u32 {
          workgroupBarrier();
          let found = shared_[(index + 1u) % ${size}u];
          workgroupBarrier();
          return found;
        }
        @compute @workgroup_size(${size / 2}, 2) fn main(
          @builtin(local_invocation_index) index: u32, @builtin(workgroup_id) group: vec3u
        ) {
          let own = index * 7u + group.x;
          var sum = own;
          for (var i = 0u; i < 9u; i++) { mine[(i + index) % 9u] = i * own; }
          if (group.x % 2u == 0u) {
            for (var round = 0u; round < group.x + 2u; round++) {
              shared_[index] = sum;
              let next = neighbour(index);
              if (next % 3u == 0u) { sum += next; } else { sum ^= next; }
              mine[(index + round) % 9u] += sum;
              if (group.x == 4u && round == 3u) { break; }
            }
          } else {
            shared_[index] = own;
            sum = neighbour(index) + own;
          }
          data[group.x * ${size}u + index] = sum + mine[own % 9u];
        }`,
      buffers: [zeros(groups * size)],
      groups: [groups],
    });
    expect(result).toEqual(sums(groups, size));
  });

  test('workgroupUniformLoad, and atomic operations in workgroup memory', async () => {
    const values = mixed(64 * 5);
    const [result] = await run(await deviceOf(name), {
      wgsl: `${DATA}
        struct Found { count: atomic<u32>, most: atomic<u32>, least: atomic<i32> }
        var<workgroup> found: Found; var<workgroup> limit: u32;
        @compute @workgroup_size(64) fn main(
          @builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) index: u32
        ) {
          if (index == 63u) { limit = data[id.x] / 2u; }
          let most = workgroupUniformLoad(&limit);
          if (data[id.x] < most) { atomicAdd(&found.count, 1u); }
          atomicMax(&found.most, data[id.x]);
          atomicMin(&found.least, -i32(data[id.x] % 1000u));
          workgroupBarrier();
          data[id.x] = atomicLoad(&found.count) * 1000000u + atomicLoad(&found.most) % 1000u
            + u32(-atomicLoad(&found.least)) * 1000u;
        }`,
      buffers: [values],
      groups: [5],
    });
    expect(result).toEqual(
      values.map((_, i) => {
        const own = values.slice(i - (i % 64), i - (i % 64) + 64);
        const limit = Math.floor(own[63]! / 2);
        const count = own.filter((value) => value < limit).length;
        const most = Math.max(...own);
        return count * 1_000_000 + (most % 1000) + Math.max(...own.map((value) => value % 1000)) * 1000;
      })
    );
  });

  test('lanes that leave a switch and a function after the same barrier', async () => {
    const values = mixed(50 * 3);
    const [result] = await run(await deviceOf(name), {
      wgsl: `${DATA}
        var<workgroup> own: array<u32, 50>;
        fn several(x: u32) -> u32 {
          var y = x;
          switch 0 {
            default: {
              workgroupBarrier();
              if (own[x] % 3u == 0u) { return y + 100u; }
              if (own[x] % 3u == 1u) { break; }
              y += own[(x + 1u) % 50u];
            }
          }
          y *= 2u;
          return y;
        }
        @compute @workgroup_size(50) fn main(
          @builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) index: u32
        ) {
          own[index] = data[id.x];
          let found = several(index);
          workgroupBarrier();
          own[index] = found;
          workgroupBarrier();
          data[id.x] = found * 3u + own[49u - index];
        }`,
      buffers: [values],
      groups: [3],
    });
    expect(result).toEqual(
      Uint32Array.from({ length: 150 }, (_, i) => {
        const start = i - (i % 50);
        const own = values.slice(start, start + 50);
        const found = Uint32Array.from(own, (value, x) => {
          if (value % 3 === 0) return x + 100;
          return value % 3 === 1 ? x * 2 : (x + own[(x + 1) % 50]!) * 2;
        });
        return found[i % 50]! * 3 + found[49 - (i % 50)]!;
      })
    );
  });
});

/** The expected results of 'values, variables …'. */
function sums(groups: number, size: number): Uint32Array {
  const result = zeros(groups * size);
  for (let group = 0; group < groups; group++) {
    const own = Uint32Array.from({ length: size }, (_, index) => index * 7 + group);
    const sum = own.slice();
    const mine = Array.from(own, (value, index) => {
      const array = zeros(9);
      for (let i = 0; i < 9; i++) array[(i + index) % 9] = i * value;
      return array;
    });
    if (group % 2 === 1)
      own.forEach((value, i) => {
        sum[i] = own[(i + 1) % size]! + value;
      });
    else
      for (let round = 0; round < group + 2; round++) {
        const before = sum.slice();
        before.forEach((value, i) => {
          const next = before[(i + 1) % size]!;
          sum[i] = next % 3 === 0 ? value + next : value ^ next;
          mine[i]![(i + round) % 9]! += sum[i]!;
        });
        if (group === 4 && round === 3) break;
      }
    sum.forEach((value, i) => {
      result[group * size + i] = value + mine[i]![own[i]! % 9]!;
    });
  }
  return result;
}
