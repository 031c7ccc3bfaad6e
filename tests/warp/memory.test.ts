// Buffers, lane arrays and texture queries: every access is clamped to its own resource, in both engines.
import { describe, expect, it } from 'vitest';
import {
  OPERAND_NONE,
  OP_ARRAY_LOAD,
  OP_ARRAY_STORE,
  OP_BUFFER_LOAD,
  OP_BUFFER_LOAD4,
  OP_BUFFER_SIZE,
  OP_END,
  OP_TEXTURE_DIMENSIONS,
  OP_TEXTURE_LAYERS,
  OP_TEXTURE_LEVELS,
  OP_TEXTURE_SAMPLES,
} from '../../assembly/layout/program/opcodes';
import { DIMENSION_2D_ARRAY, DIMENSION_3D, DIMENSION_CUBE_ARRAY } from '../../assembly/layout/texture/texture-codes';
import { Texture } from '../../build/layout';
import { randomWords } from '../support/floats';
import { TestKernel } from '../support/kernel';
import { LANES, ON, pair, TestProgram } from '../support/program';

const kernel = new TestKernel();
const engines = ['interpret', 'interpretScalar'] as const;
/** Words of a buffer that encode their positions, between other words. */
function buffer(words: number): number {
  const address = kernel.alloc((words + 16) * 4) + 32;
  kernel.u32(address - 32, words + 16).fill(0xdeadbeef);
  kernel.u32(address, words).forEach((_, i, all) => {
    all[i] = 1000 + i;
  });
  return address;
}
/** The result of BUFFER_LOAD: the word at the clamped offset. */
const word = (offset: number, immediate: number, size: number): number =>
  size < 4 ? 0 : 1000 + (Math.min((offset + immediate) >>> 0, size - 4) >>> 2);
/** Offsets in bounds, at the ends and far out of bounds. */
function offsets(size: number, seed: number): number[] {
  const random = randomWords(seed);
  return Array.from(
    { length: LANES },
    () =>
      [(random() % (size + 1)) & ~3, (size & ~3) - 4, size, 0xfffffffc, 0x80000000, random() & ~3, 0][random() % 7]
      >>> 0
  );
}

describe('buffer loads', () => {
  const sizes = [0, 3, 4, 8, 15, 16, 20, 64, 400];
  it.each(sizes)('one word, %d bytes bound', (size) => {
    for (const immediate of [0, 4, 12, 0x7ffffffc, 0xfffffff0]) {
      const program = new TestProgram(
        [pair(OP_BUFFER_LOAD, 1), pair(0, 2), immediate, pair(OP_BUFFER_SIZE, 2), 2, OP_END],
        { kernel }
      );
      program.bind(2, buffer(128), size);
      for (const engine of engines) {
        const from = offsets(size, immediate + size + 1);
        program.register(0).set(from);
        program.run(engine);
        expect([...program.register(1)]).toEqual(from.map((o) => word(o, immediate, size)));
        expect([...program.register(2)]).toEqual(Array<number>(LANES).fill(size));
      }
    }
  });

  it.each(sizes)('four words, %d bytes bound', (size) => {
    for (const [immediate, inside] of [
      [0, false],
      [16, false],
      [0, true],
      [0xfffffff8, false],
    ] as const) {
      const program = new TestProgram(
        [OP_BUFFER_LOAD4, pair(0, 1), immediate, pair(1, 2), pair(OPERAND_NONE, 4), OP_END],
        { kernel }
      );
      program.bind(1, buffer(128), size);
      const from = inside
        ? Array.from({ length: LANES }, (_, i) => (i * 16) % Math.max(size & ~15, 16))
        : offsets(size, size + 5);
      for (const engine of engines) {
        program.register(0).set(from);
        program.register(3).fill(77);
        program.run(engine);
        for (const [register, at] of [
          [1, 0],
          [2, 4],
          [4, 12],
        ])
          expect([...program.register(register)], `${engine} +${at}`).toEqual(
            from.map((o) => word(o, immediate + at, size))
          );
        expect([...program.register(3)]).toEqual(Array<number>(LANES).fill(77));
      }
    }
  });

  it('a constant offset, or one uniform in a quad', () => {
    const program = new TestProgram(
      [
        pair(OP_BUFFER_LOAD, 2),
        pair(1, 0),
        4,
        OP_BUFFER_LOAD4,
        pair(1, 0),
        0,
        pair(3, 4),
        pair(5, 6),
        pair(OP_BUFFER_LOAD, 7),
        pair(0, 0),
        0,
        OP_END,
      ],
      { kernel, inputs: 1, constants: [16] }
    );
    program.bind(0, buffer(64), 256);
    for (const engine of engines) {
      program.register(1).fill(16);
      for (let i = 0; i < LANES; i++) program.register(0)[i] = (i >> 2) * 4;
      program.run(engine);
      for (const [register, value] of [
        [2, 1005],
        [3, 1004],
        [4, 1005],
        [5, 1006],
        [6, 1007],
      ])
        expect([...program.register(register)]).toEqual(Array<number>(LANES).fill(value));
      expect([...program.register(7)]).toEqual(Array.from({ length: LANES }, (_, i) => 1000 + (i >> 2)));
    }
  });
});

describe('lane arrays', () => {
  it('load and store clamp the index, and active lanes store', () => {
    for (const engine of engines) {
      const program = new TestProgram(
        [pair(OP_ARRAY_STORE, 1), pair(0, 8), 5, pair(OP_ARRAY_LOAD, 2), pair(3, 8), 5, OP_END],
        { kernel }
      );
      for (let i = 0; i < LANES; i++) {
        program.register(0)[i] = [0, 1, 4, 5, 0xffffffff][i % 5];
        program.register(1)[i] = 500 + i;
        program.register(3)[i] = [4, 1, 0, 9, 4][i % 5];
        program.exec()[i] = i % 3 ? ON : 0;
        for (let e = 0; e < 7; e++) program.register(7 + e)[i] = e * 10;
      }
      program.run(engine);
      for (let i = 0; i < LANES; i++) {
        const model = [10, 20, 30, 40, 50];
        if (i % 3) model[[0, 1, 4, 4, 4][i % 5]] = 500 + i;
        for (let e = 0; e < 5; e++)
          expect(program.register(8 + e)[i], `${engine}, lane ${i}, element ${e}`).toBe(model[e]);
        expect(program.register(2)[i]).toBe(model[[4, 1, 0, 4, 4][i % 5]]);
        // The registers around the array are unchanged.
        expect([program.register(7)[i], program.register(13)[i]]).toEqual([0, 60]);
      }
    }
  });

  it('a constant index moves whole registers', () => {
    for (const engine of engines) {
      const program = new TestProgram(
        [pair(OP_ARRAY_STORE, 1), pair(2, 8), 4, pair(OP_ARRAY_LOAD, 4), pair(3, 8), 4, OP_END],
        { kernel, inputs: 2, constants: [2, 99] }
      );
      program.register(2).fill(2);
      program.register(3).fill(99);
      for (let i = 0; i < LANES; i++) {
        program.register(1)[i] = i;
        program.register(10)[i] = 7;
        program.register(11)[i] = 8;
        program.exec()[i] = i % 2 ? ON : 0;
      }
      program.run(engine);
      expect([...program.register(10)]).toEqual(Array.from({ length: LANES }, (_, i) => (i % 2 ? i : 7)));
      expect([...program.register(4)]).toEqual(Array<number>(LANES).fill(8));
    }
  });
});

describe('texture queries', () => {
  function record(dimension: number, [width, height, depth]: number[], layers: number, levels: number): number {
    const address = kernel.alloc(Texture.bytes);
    const fields: [number, number][] = [
      [Texture.dimension, dimension],
      [Texture.width, width],
      [Texture.height, height],
      [Texture.depth, depth],
      [Texture.layers, layers],
      [Texture.levelCount, levels],
      [Texture.samples, 4],
    ];
    for (const [offset, value] of fields) kernel.u32(address + offset, 1)[0] = value;
    return address;
  }

  it('sizes of levels, clamped to existing levels', () => {
    for (const engine of engines) {
      const program = new TestProgram([OP_TEXTURE_DIMENSIONS, pair(0, 1), pair(1, 2), 3, OP_END], { kernel });
      program.bind(1, record(DIMENSION_3D, [100, 7, 20], 1, 4), 0);
      const levels = [0, 1, 3, 4, 0xffffffff];
      for (let i = 0; i < LANES; i++) program.register(0)[i] = levels[i % 5];
      program.run(engine);
      expect([...program.register(1).subarray(0, 5)]).toEqual([100, 50, 12, 12, 12]);
      expect([...program.register(2).subarray(0, 5)]).toEqual([7, 3, 1, 1, 1]);
      expect([...program.register(3).subarray(0, 5)]).toEqual([20, 10, 2, 2, 2]);
    }
  });

  it('levels, layers (cubes of a cube array), samples; unused results', () => {
    for (const engine of engines) {
      const program = new TestProgram(
        [
          pair(OP_TEXTURE_LEVELS, 1),
          0,
          pair(OP_TEXTURE_LAYERS, 2),
          0,
          pair(OP_TEXTURE_LAYERS, 3),
          1,
          pair(OP_TEXTURE_SAMPLES, 4),
          1,
          OP_TEXTURE_DIMENSIONS,
          pair(0, 0),
          pair(OPERAND_NONE, 5),
          OPERAND_NONE,
          OP_END,
        ],
        { kernel }
      );
      program.bind(0, record(DIMENSION_CUBE_ARRAY, [8, 8, 1], 18, 3), 0);
      program.bind(1, record(DIMENSION_2D_ARRAY, [8, 8, 1], 18, 1), 0);
      program.run(engine);
      expect([1, 2, 3, 4, 5].map((r) => program.register(r)[LANES - 1])).toEqual([3, 3, 18, 4, 8]);
    }
  });
});
