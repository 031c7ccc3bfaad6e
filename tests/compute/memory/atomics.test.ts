// Atomic operations whose lanes address equal, different or out-of-bounds words, in memory whose results are used or
// unused.
import { describe, expect, test } from 'vitest';
import { deviceOf, engines, run } from '../kit';

const zeros = (count: number): Uint32Array<ArrayBuffer> => new Uint32Array(count);
/** A function, its arguments after the pointer, and its effect on a word. */
const OPERATIONS: readonly [string, string, (before: number, id: number) => number][] = [
  ['atomicAdd', 'id.x * 3u', (before, id) => before + id * 3],
  ['atomicSub', 'id.x', (before, id) => before - id],
  ['atomicAnd', '~(1u << (id.x % 32u))', (before, id) => before & ~(1 << (id % 32))],
  ['atomicOr', '1u << (id.x % 32u)', (before, id) => before | (1 << (id % 32))],
  ['atomicXor', 'id.x * 77u', (before, id) => before ^ (id * 77)],
  ['atomicMin', 'id.x * 0x9000000u', (before, id) => Math.min(before, Math.imul(id, 0x9000000) >>> 0)],
  ['atomicMax', 'id.x * 0x9000000u', (before, id) => Math.max(before, Math.imul(id, 0x9000000) >>> 0)],
  ['atomicExchange', 'id.x + 9u', (_, id) => id + 9],
];

/** Address space, invocations, words. */
const PLACES = [
  ['storage', 64, 5],
  ['storage', 7, 1],
  ['workgroup', 64, 8],
  ['workgroup', 33, 3],
] as const;

describe.each(Object.keys(engines))('%s', (name) => {
  test.each(OPERATIONS)('%s', async (call, value, become) => {
    for (const [where, size, length] of PLACES) {
      const isStorage = where === 'storage';
      const start = Uint32Array.from({ length }, (_, i) => Math.imul(i + 1, 0x9e3779b1));
      const [words, found] = await run(await deviceOf(name), {
        wgsl: `
          @group(0) @binding(0) var<storage, read_write> words: array<${isStorage ? 'atomic<u32>' : 'u32'}>;
          @group(0) @binding(1) var<storage, read_write> found: array<u32>;
          ${isStorage ? '' : `var<workgroup> own: array<atomic<u32>, ${length}>;`}
          @compute @workgroup_size(${size}) fn main(@builtin(global_invocation_id) id: vec3u) {
            ${isStorage ? '' : `if (id.x < ${length}u) { atomicStore(&own[id.x], words[id.x]); } workgroupBarrier();`}
            if (id.x % 5u != 2u) {
              found[id.x] = ${call}(&${isStorage ? 'words' : 'own'}[(id.x / 2u) * 3u % 11u], ${value});
            }
            ${isStorage ? '' : `workgroupBarrier(); if (id.x < ${length}u) { words[id.x] = atomicLoad(&own[id.x]); }`}
          }`,
        buffers: [start, zeros(size)],
        groups: [1],
      });
      const wanted = start.slice();
      const seen = zeros(size);
      for (let id = 0; id < size; id++) {
        if (id % 5 === 2) continue;
        const at = Math.min(((id >> 1) * 3) % 11, length - 1);
        seen[id] = wanted[at]!;
        wanted[at] = become(wanted[at]!, id);
      }
      expect([words, found], `${where}, ${size} lanes`).toEqual([wanted, seen]);
    }
  });

  test('signed operations, and atomicCompareExchangeWeak', async () => {
    const [words, found] = await run(await deviceOf(name), {
      wgsl: `
        @group(0) @binding(0) var<storage, read_write> words: array<atomic<i32>>;
        @group(0) @binding(1) var<storage, read_write> found: array<i32>;
        var<workgroup> own: array<atomic<i32>, 4>;
        @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {
          let x = (i32(id.x) * 7) % 13 - 6;
          atomicMin(&words[0], x); atomicMax(&words[1], x); atomicMin(&own[0], x); atomicMax(&own[1], x);
          let a = atomicCompareExchangeWeak(&words[2], i32(id.x), i32(id.x) + 1);
          let b = atomicCompareExchangeWeak(&own[2], i32(id.x) / 2, i32(id.x) / 2 + 1);
          found[id.x] = a.old_value * 100 + b.old_value * 2 + i32(b.exchanged) + i32(a.exchanged) * 10000;
          workgroupBarrier();
          if (id.x < 3u) { atomicStore(&words[id.x + 3u], atomicLoad(&own[id.x])); }
        }`,
      buffers: [zeros(6), zeros(32)],
      groups: [1],
    });
    expect(Array.from(new Int32Array(words!.buffer))).toEqual([-6, 6, 32, -6, 6, 16]);
    let own = 0;
    expect(Array.from(found!)).toEqual(
      Array.from({ length: 32 }, (_, id) => {
        const before = own;
        const half = id >> 1;
        const exchanged = own === half;
        if (exchanged) own++;
        return id * 100 + before * 2 + Number(exchanged) + 10000;
      })
    );
  });
});
