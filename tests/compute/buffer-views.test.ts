// Buffers that programs view as other types (the language extension buffer_view), by values on all engines.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deviceOf, engines, run } from './kit';

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
      buffers: [numbers(12), zeros(10)], groups: [1],
    });
    const words = numbers(12), view = new Float32Array(words.buffer);
    view[1] = 1.5;
    const bits = words[1];
    words.set([7, 8], 6);
    const expected = [48, bits, 15, 4, words[2], 3, words[4]! + words[5]! + words[6]!, words[10]! + words[11]!];
    words[9]! += 1000;
    view[6] = 2;
    expect([...out!]).toEqual([...expected, words[3], 2]);
    expect(bytes).toEqual(words);
  });

  test('offsets and sizes that are known when it runs', async () => {
    const device = await deviceOf(name), size = 64;
    await fc.assert(fc.asyncProperty(
      fc.array(
        fc.tuple(fc.oneof(fc.nat(80), fc.constantFrom(-4, -1, 0x7fffffff)), fc.nat(80)), { minLength: 8, maxLength: 8 }
      ),
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
          buffers: [numbers(size / 4), zeros(32), Int32Array.from(asked.flat())], groups: [1],
        });
        asked.forEach(([from, bytes], k) => {
          const at = (align: number): number => Math.min(size, (from >>> 0) - (from >>> 0) % align);
          const left = size - at(4), whole = Math.min(left, Math.max(bytes, 4));
          const least = Math.min(left, Math.max(bytes, 8));
          expect([...out!.subarray(4 * k, 4 * k + 4)]).toEqual([
            // What is beyond is the last word.
            100 + Math.min(at(4), size - 4) / 4, Math.floor((size - at(8)) / 8), Math.floor(whole / 4),
            Math.max(0, Math.floor((least - 4) / 4)),
          ]);
        });
      }
    ), { numRuns: 12 });
  });

  test('a workgroup\'s bytes: what views write stays within them', async () => {
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
      buffers: [zeros(13)], groups: [1],
    });
    expect([...out!.subarray(0, 12)]).toEqual([13, 12, 11, 10, 20, 20, 20, 20, 772, 772, 772, 782]);
  });

  test('a view that a continuing block reads', async () => {
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
      buffers: [zeros(4), numbers(16)], groups: [1],
    });
    const word = (k: number): number => 100 + k;
    expect([...out!]).toEqual([0, 1, 2, 3].map((i) => {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += (k === i ? 0 : word(4 * k + 2 * (i & 1))) + word(4 * k + 2 * (i & 1) + 1) + 2;
      return sum;
    }));
  });
});
