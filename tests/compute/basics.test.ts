// Compute shaders without barriers, on all engines.
import { describe, expect, test } from 'vitest';
import { deviceOf, engines, run } from './kit';

const zeros = (count: number): Uint32Array<ArrayBuffer> => new Uint32Array(count);
const counted = (count: number): Uint32Array<ArrayBuffer> => Uint32Array.from({ length: count }, (_, i) => i);

describe.each(Object.keys(engines))('%s', (name) => {
  test.each([
    [1, 1, 1],
    [2, 1, 1],
    [3, 1, 1],
    [4, 1, 1],
    [5, 3, 1],
    [8, 8, 1],
    [64, 1, 1],
    [7, 5, 3],
    [256, 1, 1],
  ])('built-in values of workgroups of %i × %i × %i', async (x, y, z) => {
    const groups = [3, 2, 2] as const;
    const [gx, gy, gz] = groups;
    const size = x * y * z;
    const count = gx * gy * gz * size;
    const [result] = await run(await deviceOf(name), {
      wgsl: `
          @group(0) @binding(0) var<storage, read_write> out: array<array<u32, 16>>;
          @compute @workgroup_size(${x}, ${y}, ${z}) fn main(
            @builtin(local_invocation_id) local: vec3u, @builtin(local_invocation_index) index: u32,
            @builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u,
            @builtin(num_workgroups) all: vec3u
          ) {
            let at = ((group.z * all.y + group.y) * all.x + group.x) * ${size}u + index;
            out[at] = array<u32, 16>(
              local.x, local.y, local.z, index, id.x, id.y, id.z, group.x, group.y, group.z, all.x, all.y, all.z, 1, 0,
                0
            );
          }`,
      buffers: [zeros(count * 16)],
      groups,
    });
    const wanted = zeros(count * 16);
    for (let at = 0; at < count; at++) {
      const index = at % size;
      const group = Math.floor(at / size);
      const lx = index % x;
      const ly = Math.floor(index / x) % y;
      const lz = Math.floor(index / x / y);
      const wx = group % gx;
      const wy = Math.floor(group / gx) % gy;
      const wz = Math.floor(group / gx / gy);
      wanted.set([lx, ly, lz, index, wx * x + lx, wy * y + ly, wz * z + lz, wx, wy, wz, gx, gy, gz, 1, 0, 0], at * 16);
    }
    expect(result).toEqual(wanted);
  });

  test('workgroup bools are contiguous', async () => {
    const [result] = await run(await deviceOf(name), {
      wgsl: `
        struct Told { is_odd: bool, count: u32, signs: vec3<bool>, rest: array<bool, 2> }
        @group(0) @binding(0) var<storage, read_write> out: array<array<u32, 8>>;
        var<workgroup> flags: array<bool, 66>;
        var<workgroup> told: array<Told, 66>;
        @compute @workgroup_size(66) fn main(@builtin(local_invocation_index) i: u32) {
          let to = (i + 6u) % 66u;
          flags[to] = true;
          told[to] = Told(to % 2u == 1u, to, vec3(to > 9u, to > 19u, to > 29u), array(to > 39u, to > 49u));
          workgroupBarrier();
          // Each takes away its own.
          let mine = flags[i];
          flags[i] = false;
          let t = told[i];
          out[i] = array<u32, 8>(
            u32(mine), u32(t.is_odd), t.count, u32(t.signs.x), u32(t.signs.y), u32(t.signs.z), u32(t.rest[i & 0u]),
            u32(t.rest[1u])
          );
        }`,
      buffers: [zeros(66 * 8)],
      groups: [1],
    });
    const wanted = (to: number): number[] => [1, to % 2, to, ...[9, 19, 29, 39, 49].map((k) => Number(to > k))];
    expect([...result!]).toEqual(Array.from({ length: 66 }, (_, to) => wanted(to)).flat());
  });

  test('divergent loops and branches', async () => {
    const [result] = await run(await deviceOf(name), {
      wgsl: `
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
          if (id.x >= arrayLength(&data)) { return; }
          var n = data[id.x];
          var steps = 0u;
          while (n > 1u) {
            if (n % 2u == 0u) { n = n / 2u; } else { n = 3u * n + 1u; }
            steps++;
          }
          data[id.x] = steps;
        }`,
      buffers: [counted(1000)],
      groups: [16],
    });
    expect(result).toEqual(
      Uint32Array.from({ length: 1000 }, (_, i) => {
        let n = i;
        let steps = 0;
        for (; n > 1; steps++) n = n % 2 === 0 ? n / 2 : 3 * n + 1;
        return steps;
      })
    );
  });

  test('atomic operations of all workgroups', async () => {
    const [result] = await run(await deviceOf(name), {
      wgsl: `
        @group(0) @binding(0) var<storage, read_write> sums: array<atomic<u32>, 8>;
        @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {
          atomicAdd(&sums[id.x % 8u], id.x);
        }`,
      buffers: [zeros(8)],
      groups: [100],
    });
    const wanted = zeros(8);
    for (let i = 0; i < 3200; i++) wanted[i % 8]! += i;
    expect(result).toEqual(wanted);
  });

  test('a dispatch sees the writes of the previous one', async () => {
    const [result] = await run(await deviceOf(name), {
      wgsl: `
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3u) {
          data[id.x] = data[id.x] * 3u + data[(id.x / 64u) * 64u] * 0u + 1u;
        }`,
      buffers: [counted(64)],
      groups: [4],
      times: 5,
    });
    expect(result).toEqual(
      counted(64).map((value) => {
        let x = value;
        for (let k = 0; k < 5; k++) x = x * 3 + 1;
        return x;
      })
    );
  });

  test('overrides in the workgroup size', async () => {
    const [result] = await run(await deviceOf(name), {
      wgsl: `
        override width: u32 = 4; @id(7) override height = 1u;
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(width, height) fn main(@builtin(local_invocation_index) index: u32) {
          out[index] = index + width * 100u;
        }`,
      buffers: [zeros(32)],
      groups: [1],
      constants: { width: 5, 7: 3 },
    });
    expect(result).toEqual(Uint32Array.from({ length: 32 }, (_, i) => (i < 15 ? i + 500 : 0)));
  });
});
