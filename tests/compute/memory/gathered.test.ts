// Buffers to which a dispatch applies a single commutative atomic operation: each worker has a copy and merges it at
// the end. Previous contents count, a later dispatch of the pass sees all of it, and words outside of the binding keep
// their values.
import { describe, expect, test } from 'vitest';
import { gatherResults } from './atomics.kit';
import { deviceOf, read, storage } from '../kit';
import { firstDifference } from '../../support/first-difference';

const word = (i: number): number => Math.imul(i + 1, 0x9e3779b1) >>> 0;

describe.each(['compiled', 'compiled, one worker', 'compiled, four workers', 'interpreted, four workers', 'scalar'])(
  '%s',
  (name) => {
    test.each([
      [64, 300],
      [100, 300],
      [4096, 2000],
      [5000, 2000],
      [64, 2],
    ])('sums, unions and differences in %i words, of %i workgroups, twice, and later reads', async (words, groups) => {
      const device = await deviceOf(name);
      const module = device.createShaderModule({
        code: `
        @group(0) @binding(0) var<storage, read_write> sums: array<atomic<u32>>;
        @group(0) @binding(1) var<storage, read_write> unions: array<atomic<u32>>;
        @group(0) @binding(2) var<storage, read_write> differences: array<atomic<i32>>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
          let w = (id.x + 1) * 0x9e3779b1u;
          atomicAdd(&sums[w % ${words}u], w >> 8u);
          if ((w & 0x100u) != 0) { atomicOr(&unions[(w >> 5u) % ${words}u], 1u << (w & 31u)); }
          atomicXor(&differences[(w >> 3u) % ${words}u], bitcast<i32>(w * 3));
        }`,
      });
      const count = device.createComputePipeline({ layout: 'auto', compute: { module } });
      const copying = device.createComputePipeline({
        layout: 'auto',
        compute: {
          module: device.createShaderModule({
            code: `
        @group(0) @binding(0) var<storage, read> sums: array<u32>;
        @group(0) @binding(1) var<storage, read_write> seen: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
          if (id.x < ${words}) { seen[id.x] = sums[id.x]; }
        }`,
          }),
        },
      });
      // Bindings begin after other words and end before others; both keep their values.
      const before = Uint32Array.from({ length: 64 + words + 64 }, (_, i) => word(i * 7));
      const [sums, unions, differences, seen] = [1, 2, 3, 4].map(() => storage(device, before)) as [
        GPUBuffer,
        GPUBuffer,
        GPUBuffer,
        GPUBuffer,
      ];
      const bound = (buffer: GPUBuffer, binding: number): GPUBindGroupEntry => ({
        binding,
        resource: { buffer, offset: 256, size: words * 4 },
      });
      const group = device.createBindGroup({
        layout: count.getBindGroupLayout(0),
        entries: [sums, unions, differences].map(bound),
      });
      const copies = device.createBindGroup({
        layout: copying.getBindGroupLayout(0),
        entries: [sums, seen].map(bound),
      });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      const dispatch = (pipeline: GPUComputePipeline, its: GPUBindGroup, many: number): void => {
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, its);
        pass.dispatchWorkgroups(many);
      };
      dispatch(count, group, groups);
      dispatch(copying, copies, Math.ceil(words / 64));
      dispatch(count, group, groups);
      pass.end();
      device.queue.submit([encoder.finish()]);
      const [a, b, c] = [before.slice(), before.slice(), before.slice()];
      let first = a;
      for (let time = 0; time < 2; time++) {
        for (let i = 0; i < groups * 64; i++) {
          const w = word(i);
          a[64 + (w % words)]! += w >>> 8;
          if (w & 0x100) b[64 + ((w >>> 5) % words)]! |= 1 << (w & 31);
          c[64 + ((w >>> 3) % words)]! ^= Math.imul(w, 3);
        }
        if (time === 0) first = a.slice();
      }
      for (const [buffer, wanted] of [
        [sums, a],
        [unions, b],
        [differences, c],
        [seen, first],
      ] as const) {
        const found = await read(device, buffer);
        expect(firstDifference(found, wanted)).toBe(-1);
      }
    });

    test('buffers that are read, or changed by two operations, are not copied', async () => {
      const device = await deviceOf(name);
      const groups = 400;
      const { numbers, most, both } = await gatherResults(device, groups);
      // Each number once.
      expect(numbers.toSorted()).toEqual(Uint32Array.from({ length: groups * 64 }, (_, i) => i));
      expect(most).toBe(groups * 64 - 1);
      expect(both).toBe(groups * 64 * 2 + 5);
    });
  }
);
