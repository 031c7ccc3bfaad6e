// Buffers that shaders view as other types (the language extension buffer_view), checked by value on all engines.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { roundToHalf } from '../../wgsl-accuracy/halves';
import { deviceOf, engines, read, run, storage, USAGE } from '../kit';

const zeros = (count: number): Uint32Array<ArrayBuffer> => new Uint32Array(count);
const numbers = (count: number): Uint32Array<ArrayBuffer> => zeros(count).map((_, k) => 100 + k);

describe.each(Object.keys(engines))('%s', (name) => {
  test('several types over the same bytes, read and written', async () => {
    const [bytes, out] = await run(await deviceOf(name), {
      wgsl: `requires buffer_view;
        struct Head { count: u32, scale: f32, at: vec2u, rest: array<vec2u> }
        @group(0) @binding(0) var<storage, read_write> bytes: buffer;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        fn sum(p: ptr<storage, array<u32>, read_write>) -> u32 {
          var all = 0u;
          for (var i = 0u; i < arrayLength(p); i++) { all += (*p)[i]; }
          return all;
        }
        fn third(b: ptr<storage, buffer, read_write>) -> u32 { return *bufferView<u32>(b, 8); }
        @compute @workgroup_size(1) fn main() {
          out[0] = bufferLength(&bytes);
          *bufferView<f32>(&bytes, 4) = 1.5;
          out[1] = *bufferView<u32>(&bytes, 4);
          let head = bufferView<Head>(&bytes, 0);
          out[2] = u32(head.scale * 10);
          out[3] = arrayLength(&head.rest);
          head.rest[1] = vec2u(7, 8);
          out[4] = third(&bytes);
          let part = bufferArrayView<array<u32>>(&bytes, 16, 12);
          out[5] = arrayLength(part);
          out[6] = sum(part);
          out[7] = sum(bufferView<array<u32>>(&bytes, 40));
          bufferView<vec4u>(&bytes, 32).y += 1000;
          let m = bufferView<array<vec3f, 2>>(&bytes, 0);
          (*m)[1].z = 2;
          out[8] = bitcast<u32>(bufferArrayView<Head>(&bytes, 8, 32).scale);
          out[9] = arrayLength(&bufferArrayView<Head>(&bytes, 8, 32).rest);
        }`,
      buffers: [numbers(12), zeros(10)],
      groups: [1],
    });
    const words = numbers(12);
    const view = new Float32Array(words.buffer);
    view[1] = 1.5;
    const bits = words[1];
    words.set([7, 8], 6);
    const expected = [48, bits, 15, 4, words[2], 3, words[4]! + words[5]! + words[6]!, words[10]! + words[11]!];
    words[9]! += 1000;
    view[6] = 2;
    expect([...out!]).toEqual([...expected, words[3], 2]);
    expect(bytes).toEqual(words);
  });

  test('offsets and sizes known only at run time', async () => {
    const device = await deviceOf(name);
    const size = 64;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.oneof(fc.nat(80), fc.constantFrom(-4, -1, 0x7fffffff)), fc.nat(80)), {
          minLength: 8,
          maxLength: 8,
        }),
        async (asked) => {
          const [, out] = await run(device, {
            wgsl: `struct Tail { a: u32, b: array<u32> }
            @group(0) @binding(0) var<storage, read_write> bytes: buffer;
            @group(0) @binding(1) var<storage, read_write> out: array<array<u32, 4>>;
            @group(0) @binding(2) var<storage> asked: array<vec2i>;
            @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
              let first = asked[i].x; let size = u32(asked[i].y);
              out[i][0] = *bufferView<u32>(&bytes, u32(first));
              out[i][1] = arrayLength(bufferView<array<vec2u>>(&bytes, first));
              out[i][2] = arrayLength(bufferArrayView<array<u32>>(&bytes, first, size));
              let tail = bufferArrayView<Tail>(&bytes, first, size);
              out[i][3] = arrayLength(&tail.b);
            }`,
            buffers: [numbers(size / 4), zeros(32), Int32Array.from(asked.flat())],
            groups: [1],
          });
          asked.forEach(([from, bytes], k) => {
            const at = (align: number): number => Math.min(size, (from >>> 0) - ((from >>> 0) % align));
            const left = size - at(4);
            const whole = Math.min(left, Math.max(bytes, 4));
            const least = Math.min(left, Math.max(bytes, 8));
            expect([...out!.subarray(4 * k, 4 * k + 4)]).toEqual([
              // Out of bounds, the last word is read.
              100 + Math.min(at(4), size - 4) / 4,
              Math.floor((size - at(8)) / 8),
              Math.floor(whole / 4),
              Math.max(0, Math.floor((least - 4) / 4)),
            ]);
          });
        }
      ),
      { numRuns: 12 }
    );
  });

  test('workgroup memory: writes through views stay in bounds', async () => {
    const [out] = await run(await deviceOf(name), {
      wgsl: `override words = 4u;
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        var<workgroup> before: array<u32, 4>;
        var<workgroup> bytes: buffer<words * 4>;
        var<workgroup> behind: array<u32, 4>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
          before[i] = 1; behind[i] = 1;
          workgroupBarrier();
          *bufferView<u32>(&bytes, i * 4) = i + 10;
          workgroupBarrier();
          let all = bufferView<array<u32>>(&bytes, 0);
          out[i] = (*all)[3 - i];
          out[4 + i] = arrayLength(all) + bufferLength(&bytes);
          workgroupBarrier();
          *bufferView<vec2u>(&bytes, out[12] + 1000 * i) = vec2u(77);
          let far = bufferArrayView<array<u32>>(&bytes, out[12] + 8, out[12] + 400);
          (*far)[1000] = 78;
          workgroupBarrier();
          out[8 + i] = before[i] + behind[i] + (*all)[i] * 10;
        }`,
      buffers: [zeros(13)],
      groups: [1],
    });
    expect([...out!.subarray(0, 12)]).toEqual([13, 12, 11, 10, 20, 20, 20, 20, 772, 772, 772, 782]);
  });

  test('uniform buffers', async () => {
    const device = await deviceOf(name);
    const out = storage(device, zeros(8));
    const uniform = device.createBuffer({ size: 64, usage: USAGE.UNIFORM | USAGE.COPY_DST });
    device.queue.writeBuffer(uniform, 0, numbers(16));
    const module = device.createShaderModule({
      code: `requires buffer_view;
      struct Pair { a: u32, b: vec2u }
      @group(0) @binding(0) var<uniform> bytes: buffer<64>;
      @group(0) @binding(1) var<storage, read_write> out: array<u32>;
      fn second(b: ptr<uniform, buffer<64>>, at: u32) -> u32 { return (*bufferView<vec2u>(b, at)).y; }
      @compute @workgroup_size(1) fn main() {
        let zero = out[7];
        out[0] = bufferLength(&bytes);
        out[1] = *bufferView<u32>(&bytes, 60 + zero);
        out[2] = bufferView<array<vec4u, 2>>(&bytes, 16)[1 + zero].z;
        out[3] = bufferView<Pair>(&bytes, 8 + zero).b.y;
        out[4] = second(&bytes, 40);
        // It begins at a multiple of 16, and what is beyond the end is the last word.
        out[5] = (*bufferView<vec4u>(&bytes, 20 + zero)).x;
        out[6] = *bufferView<u32>(&bytes, 64 + zero);
      }`,
    });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [uniform, out].map((buffer, binding) => ({ binding, resource: { buffer } })),
      })
    );
    pass.dispatchWorkgroups(1);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const word = (k: number): number => 100 + k;
    expect([...(await read(device, out))]).toEqual([64, word(15), word(10), word(5), word(11), word(4), word(15), 0]);
  });

  test('f16: scalars, vectors, arrays and members, read and written', async () => {
    // 1, 2, 3 … as half floats, two per word.
    const bytes = new Uint32Array(new Uint16Array(Array.from({ length: 16 }, (_, k) => roundToHalf(k + 1))).buffer);
    const [written, out] = await run(await deviceOf(name), {
      wgsl: `enable f16; requires buffer_view;
        struct Mixed { a: f16, b: vec3h, c: u32 }
        @group(0) @binding(0) var<storage, read_write> bytes: buffer;
        @group(0) @binding(1) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(1) fn main() {
          let zero = u32(out[7]);
          out[0] = f32(*bufferView<f16>(&bytes, 6 + zero));
          out[1] = f32(bufferView<vec4h>(&bytes, 8 + zero).w);
          out[2] = f32(bufferView<array<vec2h>>(&bytes, 4)[3 + zero].y);
          out[3] = f32(arrayLength(bufferArrayView<array<f16>>(&bytes, 2 + zero, 10 + zero)));
          out[4] = f32(bufferView<Mixed>(&bytes, 8).b.z);
          // It begins at the even byte before; what is beyond the end is the last word, of which this is the first
          // half.
          out[5] = f32(*bufferView<f16>(&bytes, 11 + zero));
          out[6] = f32(*bufferView<f16>(&bytes, 32 + zero));
          *bufferView<f16>(&bytes, 26 + zero) = 0.5h;
          bufferView<vec2h>(&bytes, 28).x = -1.5h;
        }`,
      buffers: [bytes, zeros(8)],
      groups: [1],
    });
    expect([...new Float32Array(out!.buffer)]).toEqual([4, 8, 10, 5, 11, 6, 15, 0]);
    const halves = new Uint16Array(bytes.slice().buffer);
    halves.set([roundToHalf(0.5), roundToHalf(-1.5)], 13);
    expect(new Uint16Array(written!.slice().buffer)).toEqual(halves);
  });

  test('a view that is read by a continuing block', async () => {
    const [out] = await run(await deviceOf(name), {
      wgsl: `@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @group(0) @binding(1) var<storage> bytes: buffer<64>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
          var sum = 0u;
          var k = 0u;
          loop {
            if (k >= 4) { break; }
            let p = bufferView<vec2u>(&bytes, 16 * k + 8 * (i & 1));
            let q = bufferArrayView<array<u32>>(&bytes, 16 * k, 8);
            if (k != i) { sum += p.x; }
            continuing { sum += p.y + arrayLength(q); k++; }
          }
          out[i] = sum;
        }`,
      buffers: [zeros(4), numbers(16)],
      groups: [1],
    });
    const word = (k: number): number => 100 + k;
    expect([...out!]).toEqual(
      [0, 1, 2, 3].map((i) => {
        let sum = 0;
        for (let k = 0; k < 4; k++)
          sum += (k === i ? 0 : word(4 * k + 2 * (i & 1))) + word(4 * k + 2 * (i & 1) + 1) + 2;
        return sum;
      })
    );
  });
});

/** What an entry point `main` views, and the minimum binding size. */
const LEAST: Readonly<Record<string, readonly [string, number]>> = {
  'no view': ['fn main() { _ = &b; }', 4],
  'its length': ['fn main() { _ = bufferLength(&b); }', 4],
  'one type': ['fn main() { let p = bufferView<array<u32, 16>>(&b, 0); }', 64],
  'at an offset, which does not count': ['fn main() { let p = bufferView<array<u32, 16>>(&b, 56); }', 64],
  'the larger of two': ['fn main() { let p = bufferView<vec2u>(&b, 64); let q = bufferView<S>(&b, 0); }', 32],
  'a half': ['fn main() { let p = bufferView<f16>(&b, 0); }', 4],
  'an array, of which one element counts': ['fn main() { let p = bufferView<array<S>>(&b, 0); }', 32],
  'an array behind members': ['fn main() { let p = bufferView<T>(&b, 0); }', 16],
  'an array of a size, which does not count': ['fn main() { let p = bufferArrayView<array<vec2u>>(&b, 0, 64); }', 8],
  'in a function': ['fn main() { one(); } fn one() { let p = bufferView<S>(&b, 0); }', 32],
  'in a function that nobody calls': [
    'fn main() { let p = bufferView<u32>(&b, 0); } fn one() { let p = bufferView<S>(&b, 0); }',
    4,
  ],
  'of a parameter': [
    'fn main() { let p = &b; two(p); } fn two(p: P) { three(p); } fn three(p: P) { _ = bufferView<S>(p, 16); }',
    32,
  ],
  "of another buffer's parameter": [
    `
      fn main() { one(&b); one(&other); two(&other); }
      fn one(p: P) { _ = bufferView<vec2u>(p, 0); }
      fn two(p: P) { _ = bufferView<S>(p, 0); }
    `,
    8,
  ],
};
describe('the minimum binding size', () => {
  test.each(Object.entries(LEAST))('%s', async (_, [code, bytes]) => {
    const device = await deviceOf('compiled');
    const errorOf = async (make: () => unknown): Promise<string | null> => {
      device.pushErrorScope('validation');
      make();
      return (await device.popErrorScope())?.message ?? null;
    };
    const module = device.createShaderModule({
      code: `enable f16; requires buffer_view;
      struct S { a: vec4u, b: vec2u }
      struct T { a: vec2u, b: array<u32> }
      alias P = ptr<storage, buffer, read_write>;
      @group(0) @binding(0) var<storage, read_write> b: buffer;
      @group(0) @binding(1) var<storage, read_write> other: buffer;
      @compute @workgroup_size(1) ${code}`,
    });
    const usesOther = code.includes('&other');
    const visibility = 4;
    const layoutOf = (minBindingSize: number): GPUBindGroupLayout =>
      device.createBindGroupLayout({
        entries: [
          { binding: 0, visibility, buffer: { type: 'storage', minBindingSize } },
          { binding: 1, visibility, buffer: { type: 'storage' } },
        ],
      });
    const pipelineOf = (minBindingSize: number): GPUComputePipeline =>
      device.createComputePipeline({
        layout: device.createPipelineLayout({ bindGroupLayouts: [layoutOf(minBindingSize)] }),
        compute: { module },
      });
    const groupOf = (layout: GPUBindGroupLayout, size: number, both: boolean): GPUBindGroup =>
      device.createBindGroup({
        layout,
        entries: [size, 32]
          .slice(0, both ? 2 : 1)
          .map((each, binding) => ({
            binding,
            resource: { buffer: device.createBuffer({ size: each, usage: USAGE.STORAGE }) },
          })),
      });
    // An automatic layout knows it …
    const automatic = device.createComputePipeline({ layout: 'auto', compute: { module } }).getBindGroupLayout(0);
    expect(await errorOf(() => groupOf(automatic, bytes, usesOther))).toBeNull();
    if (bytes > 4)
      expect(await errorOf(() => groupOf(automatic, bytes - 4, usesOther))).toContain(
        `size ${bytes - 4} is less than the ${bytes} bytes that the layout requires`
      );
    // … an explicit layout with a size is checked against it …
    expect(await errorOf(() => pipelineOf(bytes))).toBeNull();
    if (bytes > 4) expect(await errorOf(() => pipelineOf(bytes - 4))).toContain(`needs ${bytes} bytes`);
    // … and otherwise the bound buffer is checked.
    const dispatch = (size: number) => (): void => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipelineOf(0));
      pass.setBindGroup(0, groupOf(layoutOf(0), size, true));
      pass.dispatchWorkgroups(1);
      pass.end();
      encoder.finish();
    };
    expect(await errorOf(dispatch(bytes))).toBeNull();
    if (bytes > 4) expect(await errorOf(dispatch(bytes - 4))).toMatch(new RegExp(`${bytes} bytes`));
  });
});
