// Addresses that are contiguous, strided, equal or out of bounds: every engine is compared with a plain executor. By
// default, an engine executes a third of the shaders of each test, and the next engine the next third.
import { describe, expect, test } from 'vitest';
import { inTurn } from '../../support/combinations';
import { deviceOf, engines, run } from '../kit';

const zeros = (count: number): Uint32Array<ArrayBuffer> => new Uint32Array(count);
const words = (count: number): Uint32Array<ArrayBuffer> =>
  Uint32Array.from({ length: count }, (_, i) => Math.imul(i + 1, 0x9e3779b1));
/** Where an out-of-bounds index goes. */
const clamped = (index: number, length: number): number => Math.min(index >>> 0, length - 1);

/** Indices of a lane's load and store, as WGSL and as plain functions. */
const INDICES: readonly [string, (id: number) => number][] = [
  ['id.x', (id) => id],
  ['id.x * 2u', (id) => id * 2],
  ['id.x + 3u', (id) => id + 3],
  ['id.x - 2u', (id) => id - 2],
  ['63u - id.x', (id) => 63 - id],
  ['id.x / 3u', (id) => Math.floor(id / 3)],
  ['id.x & ~3u', (id) => id & ~3],
  ['id.x * 0x40000000u', (id) => Math.imul(id, 0x40000000)],
  ['id.x + 4294967290u', (id) => id + 4294967290],
  ['min(id.x, 9u)', (id) => Math.min(id, 9)],
  ['id.x ^ 1u', (id) => id ^ 1],
  ['u32(i32(id.x) - 30)', (id) => id - 30],
  ['7u', () => 7],
];

/**
 * Where rows of words begin, as WGSL and as plain functions: in bounds, clamped from some lane on, and far out of
 * bounds.
 */
const BASES: readonly [string, (i: number, stride: number) => number][] = [
  ['i * STRIDE', (i, stride) => i * stride],
  ['i * STRIDE + 2u', (i, stride) => i * stride + 2],
  ['(i + 4294967290u) * STRIDE', (i, stride) => Math.imul(i + 4294967290, stride)],
  ['i * STRIDE - 5u', (i, stride) => i * stride - 5],
  ['(63u - i) * STRIDE', (i, stride) => Math.imul(63 - i, stride)],
  ['(i ^ 3u) * STRIDE', (i, stride) => (i ^ 3) * stride],
];

/** A third of them, in turn. */
const thirdOf = <T>(values: readonly T[], turn: number): readonly T[] =>
  inTurn(values, turn * Math.ceil(values.length / 3), Math.ceil(values.length / 3));

/** Orders in which a lane stores four words. */
const ORDERS: readonly (readonly number[])[] = [
  [0, 1, 2, 3],
  [0, 3, 1, 2],
  [3, 2, 1, 0],
  [0, 1, 1, 2, 3],
];

describe.each(Object.keys(engines).map((name, turn) => [name, turn] as const))('%s', (name, turn) => {
  test.each([
    [64, 60],
    [64, 61],
    [64, 63],
    [33, 40],
    [7, 3],
    [8, 5],
    [3, 2],
  ])(
    'workgroups of %i, bindings of %i words',
    async (size, length) => {
      for (const [i, [load, loadAt]] of INDICES.entries()) {
        for (const [store, storeAt] of thirdOf(INDICES, turn + i + length)) {
          const from = words(length);
          const wanted = zeros(length);
          const results = await run(await deviceOf(name), {
            wgsl: `
              @group(0) @binding(0) var<storage, read> from_: array<u32>;
              @group(0) @binding(1) var<storage, read_write> to: array<u32>;
              @compute @workgroup_size(${size}) fn main(@builtin(global_invocation_id) id: vec3u) {
                let x = from_[${load}];
                if ((id.x & 24u) != 8u) { to[${store}] = x + id.x; }
              }`,
            buffers: [from, zeros(length)],
            groups: [1],
          });
          // Quad by quad, and lane by lane within a quad.
          for (let quad = 0; quad < size; quad += 4) {
            const lanes = [0, 1, 2, 3].map((lane) => quad + lane).filter((id) => id < size);
            for (const id of lanes) {
              if ((id & 24) !== 8) wanted[clamped(storeAt(id), length)] = from[clamped(loadAt(id), length)]! + id;
            }
          }
          expect(results[1], `${load} → ${store}`).toEqual(wanted);
        }
      }
    },
    60_000
  );

  test.each([40, 41, 64, 67])('arrays after other members, with room for %i words', async (length) => {
    const HEAD = 3;
    for (const [index, indexAt] of INDICES) {
      const from = words(length);
      const wanted = zeros(length);
      const [, to] = await run(await deviceOf(name), {
        wgsl: `
          struct List { count: u32, last: array<u32, 2>, words: array<u32> }
          @group(0) @binding(0) var<storage, read> from_: List;
          @group(0) @binding(1) var<storage, read_write> to: List;
          @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            let x = from_.words[${index}];
            to.words[id.x + 2u] = x;
          }`,
        buffers: [from, zeros(length)],
        groups: [1],
      });
      const last = length - HEAD;
      for (let id = 0; id < 64; id++) wanted[HEAD + clamped(id + 2, last)] = from[HEAD + clamped(indexAt(id), last)]!;
      expect(to, index).toEqual(wanted);
    }
  });

  test.each<[string, (x: number) => number]>([
    ['2u >> x', (x) => 2 >>> (x & 31)],
    ['x >> (x & 1u)', (x) => x >>> (x & 1)],
    ['1u << x', (x) => 1 << (x & 31)],
    ['x >> 2u', (x) => x >>> 2],
    ['x >> 1u', (x) => x >>> 1],
  ])('%s of a fixed-size array', async (index, indexAt) => {
    const from = words(64);
    const [, found] = await run(await deviceOf(name), {
      wgsl: `
        @group(0) @binding(0) var<storage, read> from_: array<u32, 64>;
        @group(0) @binding(1) var<storage, read_write> to: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) x: u32) {
          to[x] = from_[(${index}) % 64u];
        }`,
      buffers: [from, zeros(64)],
      groups: [1],
    });
    expect(found).toEqual(Uint32Array.from(from, (_, x) => from[(indexAt(x) >>> 0) % 64]!));
  });

  test.each([
    [3, 64],
    [3, 65],
    [3, 40],
    [4, 64],
    [4, 63],
    [4, 20],
    [5, 64],
    [8, 64],
  ])(
    'loads of words at a stride of %i between lanes, in workgroups of %i',
    async (stride, size) => {
      const all = stride * size;
      for (const [j, access] of ['read', 'read_write'].entries()) {
        for (const [i, length] of [all, all - 1, all - 2, all - 3, 2 * size, 1].entries()) {
          for (const [base, baseAt] of thirdOf(BASES, turn + i + j)) {
            const from = words(length);
            const results = await run(await deviceOf(name), {
              wgsl: `
                @group(0) @binding(0) var<storage, ${access}> from_: array<u32>;
                @group(0) @binding(1) var<storage, read_write> to: array<u32>;
                @compute @workgroup_size(${size}) fn main(@builtin(local_invocation_index) i: u32) {
                  let at = ${base.replaceAll('STRIDE', `${stride}u`)};
                  let a = from_[at]; let b = from_[at + 1u]; let c = from_[at + 2u];
                  let d = ${stride > 3 ? 'from_[at + 3u]' : '0u'};
                  to[i * 4u] = a ^ d; to[i * 4u + 1u] = b; to[i * 4u + 2u] = c; to[i * 4u + 3u] = a + b + c + d;
                }`,
              buffers: [from, zeros(4 * size)],
              groups: [1],
            });
            const wanted = Uint32Array.from({ length: 4 * size }, (_, k) => {
              const at = baseAt(k >> 2, stride);
              const word = (more: number): number => from[clamped(at + more, length)]!;
              const d = stride > 3 ? word(3) : 0;
              return [word(0) ^ d, word(1), word(2), word(0) + word(1) + word(2) + d][k & 3]!;
            });
            expect(results[1], `${access}, ${length} words, ${base}`).toEqual(wanted);
          }
        }
      }
    },
    60_000
  );

  test.each([
    [4, 64],
    [4, 128],
    [8, 64],
    [4, 33],
    [5, 64],
  ])(
    'stores of words at a stride of %i between lanes, in workgroups of %i',
    async (stride, size) => {
      for (const [i, length] of [stride * size, stride * size - 1, stride * size - 3, 2 * size, 1].entries()) {
        for (const [j, order] of ORDERS.entries()) {
          for (const [base, baseAt] of thirdOf(BASES, turn + i + j)) {
            const from = words(size);
            const wanted = zeros(length);
            const [, found] = await run(await deviceOf(name), {
              wgsl: `
                @group(0) @binding(0) var<storage, read> from_: array<u32>;
                @group(0) @binding(1) var<storage, read_write> to: array<u32>;
                @compute @workgroup_size(${size}) fn main(@builtin(local_invocation_index) i: u32) {
                  let at = ${base.replaceAll('STRIDE', `${stride}u`)};
                  let x = from_[i];
                  ${order.map((k, n) => `to[at + ${k}u] = x * ${n + 1}u;`).join(' ')}
                }`,
              buffers: [from, zeros(length)],
              groups: [1],
            });
            // Which of several lanes stores last is unspecified.
            const by = new Int32Array(length).fill(-1);
            const isOpen = zeros(length);
            for (let i = 0; i < size; i++)
              order.forEach((k, n) => {
                const at = clamped(baseAt(i, stride) + k, length);
                isOpen[at] ||= Number(by[at] !== -1 && by[at] !== i);
                by[at] = i;
                wanted[at] = Math.imul(from[i]!, n + 1);
              });
            isOpen.forEach((is, at) => {
              if (is) wanted[at] = found![at]!;
            });
            expect(found, `${length} words, ${base}, ${order.join()}`).toEqual(wanted);
          }
        }
      }
    },
    60_000
  );

  test('contiguous words in branches, with stores in between', async () => {
    const SIZE = 64;
    const held = words(3 * SIZE);
    const wanted = [held.slice(), zeros(3 * SIZE)] as const;
    const [, found, out] = await run(await deviceOf(name), {
      wgsl: `
        @group(0) @binding(0) var<storage, read> from_: array<u32>;
        @group(0) @binding(1) var<storage, read_write> held: array<u32>;
        @group(0) @binding(2) var<storage, read_write> to: array<u32>;
        @compute @workgroup_size(${SIZE}) fn main(@builtin(local_invocation_index) i: u32) {
          let at = i * 3u;
          if ((from_[i] & 3u) != 1u) {
            // What a store has changed is read anew.
            let x = held[at];
            held[at + 1u] = x + 1u;
            let y = held[at + 1u]; let z = held[at + 2u];
            to[at] = x; to[at + 1u] = y; to[at + 2u] = z;
          } else {
            for (var k = 0u; k < from_[i] % 5u; k++) {
              to[at] += from_[at]; to[at + 1u] += from_[at + 1u] + k; to[at + 2u] += from_[at + 2u];
            }
          }
        }`,
      buffers: [held, held, zeros(3 * SIZE)],
      groups: [1],
    });
    for (let i = 0; i < SIZE; i++) {
      const at = 3 * i;
      const from = held;
      if ((from[i]! & 3) !== 1) {
        wanted[0][at + 1] = held[at]! + 1;
        wanted[1].set([held[at]!, wanted[0][at + 1]!, held[at + 2]!], at);
      } else {
        for (let k = 0; k < from[i]! % 5; k++)
          for (let j = 0; j < 3; j++) wanted[1][at + j]! += from[at + j]! + (j === 1 ? k : 0);
      }
    }
    expect(found).toEqual(wanted[0]);
    expect(out).toEqual(wanted[1]);
  });

  test('vectors and members of runtime-sized arrays, in and out of bounds', async () => {
    const LENGTH = 21;
    const vectors = words(4 * LENGTH);
    const items = words(4 + 3 * LENGTH);
    const to = zeros(6 * LENGTH);
    for (const [index, indexAt] of INDICES) {
      const wanted = to.slice();
      const [, , found] = await run(await deviceOf(name), {
        wgsl: `
          struct Item { a: u32, b: u32, c: u32 }
          struct Items { head: vec4u, items: array<Item> }
          @group(0) @binding(0) var<storage, read> vectors: array<vec4u>;
          @group(0) @binding(1) var<storage, read> items: Items;
          @group(0) @binding(2) var<storage, read_write> to: array<u32>;
          @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {
            let v = vectors[${index}]; let item = items.items[${index}];
            if (id.x >= ${LENGTH}u) { return; }
            to[id.x * 6u] = v.x; to[id.x * 6u + 1u] = v.y; to[id.x * 6u + 2u] = v.z + v.w;
            to[id.x * 6u + 3u] = item.a; to[id.x * 6u + 4u] = item.b; to[id.x * 6u + 5u] = item.c + items.head.w;
          }`,
        buffers: [vectors, items, to],
        groups: [1],
      });
      for (let id = 0; id < LENGTH; id++) {
        const at = clamped(indexAt(id), LENGTH);
        const [x, y, z, w] = vectors.subarray(4 * at);
        const [a, b, c] = items.subarray(4 + 3 * at);
        wanted.set([x!, y!, z! + w!, a!, b!, c! + items[3]!], 6 * id);
      }
      expect(found, index).toEqual(wanted);
    }
  });

  test('loops that lanes leave one at a time', async () => {
    const [result] = await run(await deviceOf(name), {
      wgsl: `
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {
          for (var i = id.x; i < arrayLength(&data); i += 32u) { data[i] = data[i] * 3u + i; }
        }`,
      buffers: [words(1001)],
      groups: [1],
    });
    expect(result).toEqual(words(1001).map((word, i) => Math.imul(word, 3) + i));
  });

  test('workgroup memory, rows and columns', async () => {
    const [result] = await run(await deviceOf(name), {
      wgsl: `
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        var<workgroup> tile: array<array<u32, 16>, 16>; var<workgroup> sums: array<u32, 17>;
        @compute @workgroup_size(16, 16) fn main(
          @builtin(local_invocation_id) p: vec3u, @builtin(local_invocation_index) l: u32
        ) {
          tile[p.y][p.x] = data[l];
          workgroupBarrier();
          let turned = tile[p.x][p.y];
          if (p.y == 3u) { for (var k = 0u; k < 16u; k++) { sums[p.x + 1u] += tile[k][p.x]; } }
          workgroupBarrier();
          data[l] = turned + sums[p.x + p.y] + sums[0];
        }`,
      buffers: [words(256)],
      groups: [1],
    });
    const before = words(256);
    const sums = zeros(17);
    for (let x = 0; x < 16; x++) for (let k = 0; k < 16; k++) sums[x + 1]! += before[k * 16 + x]!;
    expect(result).toEqual(
      before.map((_, l) => {
        const x = l % 16;
        const y = l >> 4;
        return before[x * 16 + y]! + sums[Math.min(x + y, 16)]! + sums[0]!;
      })
    );
  });
});
