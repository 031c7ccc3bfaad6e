// Storage buffers written by fragment shaders: stores, atomic operations, their order, and which invocations have no
// effects.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { engines, HEIGHT, open, oracle, run, WIDTH, type Run } from './kit';
import { rounds } from '../support/rounds';

const PIXELS = WIDTH * HEIGHT;
const WORDS = '@group(0) @binding(0) var<storage, read_write> words: array<u32>;';
const ATOMICS = '@group(0) @binding(0) var<storage, read_write> words: array<atomic<u32>>;';
const SIGNED = '@group(0) @binding(0) var<storage, read_write> words: array<atomic<i32>>;';
const VECTORS = '@group(0) @binding(0) var<storage, read_write> words: array<vec4f>;';
const main = (body: string): string => `
  @fragment fn main(corner: Corner) -> @location(0) vec4f {
    let x = u32(corner.position.x);
    let y = u32(corner.position.y);
    let pixel = y * ${WIDTH} + x;
    ${body}
    return vec4f(0.5);
  }`;
/** The hash of a pixel, as in the shaders. */
const hash = (pixel: number): number => (Math.imul(pixel, 2654435761) ^ (pixel >>> 3)) >>> 0;
const HASH = 'let hash = (pixel * 2654435761u) ^ (pixel >> 3);';

describe('storage buffers written by fragment shaders', () => {
  let devices: (readonly [string, GPUDevice])[];
  let plain: GPUDevice;
  beforeAll(async () => {
    devices = await Promise.all(Object.entries(engines).map(async ([name, o]) => [name, await open(o)] as const));
    plain = await open(oracle);
  });
  afterAll(() => [plain, ...devices.map(([, device]) => device)].forEach((device) => device.destroy()));

  /** The result, which must be the same on all engines. */
  async function byAll(program: Run): Promise<Uint32Array> {
    const [first, ...others] = await Promise.all(devices.map(([, device]) => run(device, program)));
    others.forEach((other, i) => expect([devices[i + 1]![0], [...other]]).toEqual([devices[i + 1]![0], [...first!]]));
    return first!;
  }
  /** The same if the order of quads makes no difference. */
  async function byOracleToo(program: Run): Promise<Uint32Array> {
    const found = await byAll(program);
    expect([...(await run(plain, program))]).toEqual([...found]);
    return found;
  }

  test('a word per pixel', async () => {
    const found = await byOracleToo({ wgsl: WORDS + main('words[pixel] = pixel * 3 + 1;'), words: PIXELS + 1 });
    expect([...found]).toEqual([...Array.from({ length: PIXELS }, (_, i) => i * 3 + 1), 0]);
  });

  test('vectors, matrices and structs, at their offsets', async () => {
    const wgsl = `
      struct S { a: u32, v: vec3f, m: mat2x3f, b: array<vec2i, 2> };
      struct All { count: u32, list: array<S> };
      @group(0) @binding(0) var<storage, read_write> all: All;
      fn put(at: ptr<storage, S, read_write>, f: f32) { (*at).v = vec3f(f, f + 1, f + 2); (*at).m[1].y = f * 2; }
      ${main(`
        if (pixel < 3) {
          put(&all.list[pixel], f32(pixel));
          all.list[pixel].b[pixel & 1] = vec2i(-1, i32(pixel));
          all.list[pixel].a += 7;
          all.count = arrayLength(&all.list);
        }`)}`;
    const stride = 80;
    const words = (16 + 3 * stride) / 4;
    const initial = new Uint32Array(words);
    for (let i = 0; i < 3; i++) initial[(16 + i * stride) / 4] = 100 * i;
    const found = await byOracleToo({ wgsl, words, initial });
    const floats = new Float32Array(found.buffer);
    expect(found[0]).toBe(3);
    for (let i = 0; i < 3; i++) {
      const at = 4 + i * 20;
      expect(found[at]).toBe(100 * i + 7);
      expect([...floats.subarray(at + 4, at + 7)]).toEqual([i, i + 1, i + 2]);
      expect(floats[at + 13]).toBe(i * 2);
      expect([...found.subarray(at + 16 + (i & 1) * 2, at + 18 + (i & 1) * 2)]).toEqual([0xffffffff, i]);
    }
  });

  test('an out-of-bounds index is clamped', async () => {
    const found = await byAll({ wgsl: WORDS + main('words[pixel * 1000003u] = 9; words[0xffffffffu] = 5;'), words: 4 });
    expect(found[3]).toBe(5);
    expect([...found].every((word) => [0, 5, 9].includes(word))).toBe(true);
  });

  const folds: Record<string, [string, (words: number, value: number) => number, number]> = {
    atomicAdd: [ATOMICS, (a, b) => a + b, 0],
    atomicSub: [ATOMICS, (a, b) => a - b, 0],
    atomicMin: [ATOMICS, (a, b) => Math.min(a >>> 0, b >>> 0), 0xffffffff],
    atomicMax: [ATOMICS, (a, b) => Math.max(a >>> 0, b >>> 0), 0],
    atomicAnd: [ATOMICS, (a, b) => a & b, 0xffffffff],
    atomicOr: [ATOMICS, (a, b) => a | b, 0],
    atomicXor: [ATOMICS, (a, b) => a ^ b, 0],
  };
  test.each(Object.keys(folds))('%s of all pixels', async (name) => {
    const [declaration, fold, start] = folds[name]!;
    const program = { words: 5, initial: new Uint32Array(5).fill(start) };
    const wgsl = declaration + main(`${HASH} ${name}(&words[pixel % 5], hash);`);
    const found = await byOracleToo({ ...program, wgsl });
    const expected = new Uint32Array(5).fill(start);
    for (let i = 0; i < PIXELS; i++) expected[i % 5] = fold(expected[i % 5]!, hash(i)) >>> 0;
    expect([...found]).toEqual([...expected]);
  });
  test.each([
    ['atomicMin', Math.min],
    ['atomicMax', Math.max],
  ] as const)('%s of signed numbers', async (name, fold) => {
    const wgsl = SIGNED + main(`${HASH} ${name}(&words[pixel % 5], bitcast<i32>(hash));`);
    const found = await byOracleToo({ wgsl, words: 5 });
    const expected = new Int32Array(5);
    for (let i = 0; i < PIXELS; i++) expected[i % 5] = fold(expected[i % 5]!, hash(i) | 0);
    expect([...new Int32Array(found.buffer)]).toEqual([...expected]);
  });

  test('results of atomic operations: each number is returned once, in the same order on all engines', async () => {
    const wgsl = `struct S { count: atomic<u32>, list: array<u32> };
      @group(0) @binding(0) var<storage, read_write> s: S;
      ${main('let i = atomicAdd(&s.count, 1); s.list[i] = pixel | (corner.id << 16);')}`;
    const triangles = [
      [0, 0, 90, 5, 20, 70],
      [0, 0, 100, 0, 0, 70],
      [50, 20, 99, 60, 10, 69],
    ] as const;
    const found = await byAll({ wgsl, words: 1 + 3 * PIXELS, triangles });
    const list = [...found.subarray(1, 1 + found[0]!)];
    expect(new Set(list).size).toBe(list.length);
    // Those of a pixel are in the order of the draw calls.
    const last = new Map<number, number>();
    for (const entry of list) {
      const pixel = entry & 0xffff;
      const id = entry >>> 16;
      expect(id).toBeGreaterThan(last.get(pixel) ?? -1);
      last.set(pixel, id);
    }
    expect(last.size).toBeGreaterThan(3000);
  });

  test('exchange and compare-exchange', async () => {
    const wgsl =
      ATOMICS
      + main(`
      let before = atomicExchange(&words[0], pixel + 1);
      atomicAdd(&words[1], before);
      let taken = atomicCompareExchangeWeak(&words[2], 0, pixel + 1);
      if (taken.exchanged) { atomicAdd(&words[3], 1); } else { atomicMax(&words[4], taken.old_value); }
      atomicStore(&words[5], atomicLoad(&words[2]));`);
    const found = await byAll({ wgsl, words: 6 });
    // All values that were put in came out again, except for the last.
    expect((found[0]! + found[1]!) >>> 0).toBe((PIXELS * (PIXELS + 1)) / 2);
    expect(found[3]).toBe(1);
    expect([found[4], found[5]]).toEqual([found[2], found[2]]);
  });

  test('discarded, helper and uncovered lanes have no effects', async () => {
    const wgsl =
      ATOMICS
      + main(`
      let slope = dpdx(corner.position.x * f32(x & 3));
      atomicAdd(&words[0], 1);
      if ((x + y) % 3 == 0) { discard; }
      atomicAdd(&words[1], 1);
      if (slope > 1e9) { atomicAdd(&words[2], 1); }
      atomicMax(&words[3], atomicAdd(&words[1], 0));`);
    const triangles = [[3, 2, 97, 30, 40, 68]] as const;
    const found = await byAll({ wgsl, words: 4, triangles });
    const covered = await byOracleToo({ wgsl: WORDS + main('words[pixel] = 1;'), words: PIXELS, triangles });
    const pixels = [...covered.keys()].filter((pixel) => covered[pixel] === 1);
    const left = pixels.filter((pixel) => ((pixel % WIDTH) + Math.floor(pixel / WIDTH)) % 3 !== 0);
    expect([...found]).toEqual([pixels.length, left.length, 0, left.length]);
  });

  test('once per multisampled pixel, also if not all samples are covered', async () => {
    const triangles = [[3, 2, 97, 30, 40, 68]] as const;
    const wgsl = ATOMICS + main('atomicAdd(&words[pixel], 1);');
    const found = await byOracleToo({ wgsl, words: PIXELS, triangles, samples: 4 });
    expect(new Set(found)).toEqual(new Set([0, 1]));
    expect([...found].filter(Boolean).length).toBeGreaterThan(
      [...(await byAll({ wgsl, words: PIXELS, triangles }))].filter(Boolean).length
    );
  });

  test('fragments that fail the depth test write, too', async () => {
    const program = { wgsl: ATOMICS + main('atomicAdd(&words[corner.id], 1);'), words: 3 };
    const all = [0, 0, 2 * WIDTH, 0, 0, 2 * HEIGHT] as const;
    const found = await byOracleToo({ ...program, triangles: [all, all, all], depths: [0.25, 0.5, 0.125] });
    expect([...found]).toEqual([PIXELS, PIXELS, PIXELS]);
  });

  test('random shaders on per-pixel words give the expected results', async () => {
    const operation = fc.tuple(
      fc.constantFrom('store', 'add', 'min', 'max', 'xor', 'exchange', 'compare'),
      fc.nat(3),
      fc.nat(3),
      fc.constantFrom('always', 'odd', 'loop')
    );
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 12 }), async (operations) => {
        const lines = operations.map(([op, slot, by, when]) => {
          const at = `&words[(pixel % 500) * 4 + ${slot}]`;
          const value = `(a ^ ${by * 77}u)`;
          const statement =
            op === 'store'
              ? `atomicStore(${at}, ${value});`
              : op === 'compare'
                ? `a = atomicCompareExchangeWeak(${at}, a & 3u, ${value}).old_value;`
                : `a = atomic${op[0]!.toUpperCase()}${op.slice(1)}(${at}, ${value});`;
          return when === 'odd'
            ? `if ((a & 1) == 1) { ${statement} }`
            : when === 'loop'
              ? `for (var i = 0u; i < (a & 3); i++) { ${statement} }`
              : statement;
        });
        const wgsl = ATOMICS + main(`if (pixel < 500) { var a = pixel; ${lines.join('\n')} }`);
        const found = await byOracleToo({ wgsl, words: 2000 });
        expect([...found]).toEqual([...model(operations)]);
      }),
      { numRuns: rounds(15), seed: 5 }
    );
  });

  test('random shaders on shared words give the same on all engines', async () => {
    const operation = fc.record({
      op: fc.constantFrom('Add', 'Max', 'Xor', 'Exchange', 'Store', 'Load'),
      member: fc.nat(3),
      element: fc.constantFrom('3u', 'hash % 16u', 'a % 16u'),
      isUsed: fc.boolean(),
      when: fc.constantFrom('always', 'always', 'odd', 'loop'),
    });
    const triangles = [
      [0, 0, 90, 5, 20, 70],
      [0, 0, 100, 0, 0, 70],
      [50, 20, 99, 60, 10, 69],
    ] as const;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 4 }), async (operations) => {
        const lines = operations.map(({ op, member, element, isUsed, when }) => {
          const at = `&words[${element}][${member}]`;
          const call = `atomic${op}(${at}${op === 'Load' ? '' : ', a'})`;
          const statement =
            op === 'Store' || !isUsed ? `${op === 'Load' ? '_ = ' : ''}${call};` : `a = ${call} + hash;`;
          return when === 'odd'
            ? `if ((hash & 1) == 1) { ${statement} }`
            : when === 'loop'
              ? `for (var i = 0u; i < (hash & 3); i++) { ${statement} }`
              : statement;
        });
        const wgsl = `@group(0) @binding(0) var<storage, read_write> words: array<array<atomic<u32>, 4>, 16>;
        ${main(`${HASH} var a = hash ^ corner.id; ${lines.join('\n')}`)}`;
        await byAll({ wgsl, words: 64, triangles });
      }),
      { numRuns: rounds(20), seed: 11 }
    );
  });

  test.each([
    ['counts', true, ATOMICS, 'atomicAdd(&words[pixel % 5], 1); atomicAdd(&words[pixel % 3], pixel);', 5],
    ['vectors', true, VECTORS, 'words[pixel] = corner.position;', 4 * PIXELS],
    ['what was there, a word a pixel', true, WORDS, 'words[pixel] = words[pixel] * 3 + pixel;', PIXELS],
    ['what was there, one too few', false, WORDS, 'words[pixel] = words[pixel] * 3 + pixel;', PIXELS - 1],
    ['what was there, anywhere', false, WORDS, 'words[pixel / 2] = words[pixel] * 3 + pixel;', PIXELS],
  ] as const)('interpreted, quads share warps if their order is not observable: %s', async (...row) => {
    const [, shares, declaration, body, words] = row;
    const device = (await open({ engine: 'interpreter', threads: 0, extensions: true }, [
      'statistics',
    ])) as StatisticsDevice;
    expect(await run(device, { wgsl: declaration + main(body), words })).toEqual(
      await byAll({ wgsl: declaration + main(body), words })
    );
    const { fragmentWarps, quadsShaded } = device.statistics().counters as Record<string, number>;
    expect(quadsShaded).toBe(PIXELS / 4);
    // The last ones of a tile may be fewer.
    if (shares) expect(fragmentWarps).toBeLessThan(PIXELS / 4 / 12);
    else expect(fragmentWarps).toBe(PIXELS / 4);
    device.destroy();
  });
});

/** The same in JavaScript. */
function model(operations: readonly [string, number, number, string][]): Uint32Array {
  const words = new Uint32Array(2000);
  for (let pixel = 0; pixel < 500; pixel++) {
    let a = pixel;
    for (const [op, slot, by, when] of operations) {
      const at = pixel * 4 + slot;
      const act = (): void => {
        const value = (a ^ (by * 77)) >>> 0;
        const before = words[at]!;
        if (op === 'store') words[at] = value;
        else {
          if (op === 'add') words[at] = before + value;
          else if (op === 'min') words[at] = Math.min(before, value);
          else if (op === 'max') words[at] = Math.max(before, value);
          else if (op === 'xor') words[at] = before ^ value;
          else if (op === 'exchange') words[at] = value;
          else if (before === (a & 3) >>> 0) words[at] = value;
          a = before;
        }
      };
      if (when === 'always' || (when === 'odd' && (a & 1) === 1)) act();
      else if (when === 'loop') for (let i = 0; i < (a & 3) >>> 0; i++) act();
    }
  }
  return words;
}
