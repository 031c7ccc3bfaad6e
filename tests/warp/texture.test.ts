// Texture instructions: operands reach the ACCESS record and results come back, in both engines. For filtering see
// tests/texture.
import { describe, expect, it } from 'vitest';
import { FORMAT_RGBA8UNORM } from '../../assembly/layout/texture/formats';
import { OPERAND_NONE, OP_END, OP_TEXTURE_LOAD, OP_TEXTURE_SAMPLE } from '../../assembly/layout/program/opcodes';
import { DIMENSION_2D, MODE_LEVEL } from '../../assembly/layout/texture/texture-codes';
import { Access, Sampler, Texture, Warp } from '../../build/layout';
import { writeLevel } from '../../src/render/resources/level';
import { TestKernel } from '../support/kernel';
import { LANES, pair, TestProgram } from '../support/program';

const kernel = new TestKernel();
const NONE = OPERAND_NONE;

/** A 4×4 texture whose red is x · 10, green y · 10. */
function gradient(): number {
  const texels = kernel.alloc(64);
  for (let i = 0; i < 16; i++) kernel.u8(texels + i * 4, 4).set([(i % 4) * 10, (i >> 2) * 10, 7, 255]);
  const record = kernel.alloc(Texture.bytes);
  const fields: [number, number][] = [
    [Texture.format, FORMAT_RGBA8UNORM],
    [Texture.dimension, DIMENSION_2D],
    [Texture.width, 4],
    [Texture.height, 4],
    [Texture.depth, 1],
    [Texture.layers, 1],
    [Texture.levelCount, 1],
    [Texture.samples, 1],
  ];
  for (const [offset, value] of fields) kernel.u32(record + offset, 1)[0] = value;
  writeLevel(
    new DataView(kernel.memory.buffer, record),
    0,
    { width: 4, height: 4, layers: 1, rowBytes: 16, layerBytes: 64 },
    texels
  );
  return record;
}

describe('texture instructions', () => {
  it.each(['interpret', 'interpretScalar'] as const)('a load by integer coordinates: %s', (engine) => {
    const program = new TestProgram(
      [
        pair(OP_TEXTURE_LOAD, 0),
        pair(1, NONE),
        0,
        pair(0, 1),
        pair(NONE, NONE),
        pair(2, NONE),
        pair(NONE, NONE),
        pair(NONE, NONE),
        pair(NONE, NONE),
        pair(4, 5),
        pair(NONE, 6),
        OP_END,
      ],
      { kernel }
    );
    program.bind(1, gradient(), 0);
    for (let i = 0; i < LANES; i++) {
      program.register(0)[i] = i % 4;
      program.register(1)[i] = (i >> 2) % 4;
    }
    program.run(engine);
    for (let i = 0; i < LANES; i++) {
      expect(program.float(4)[i] * 255).toBeCloseTo((i % 4) * 10, 3);
      expect(program.float(5)[i] * 255).toBeCloseTo(((i >> 2) % 4) * 10, 3);
      expect(program.float(6)[i]).toBe(1);
    }
  });

  it.each(['interpret', 'interpretScalar'] as const)('a sample at a level, with an offset in texels: %s', (engine) => {
    const program = new TestProgram(
      [
        pair(OP_TEXTURE_SAMPLE, MODE_LEVEL),
        pair(0, 1),
        pair(1 | (0xff << 8), 3),
        pair(0, 1),
        pair(NONE, NONE),
        pair(2, NONE),
        pair(NONE, NONE),
        pair(NONE, NONE),
        pair(NONE, NONE),
        pair(4, 5),
        pair(6, 7),
        OP_END,
      ],
      { kernel }
    );
    program.bind(0, gradient(), 0);
    // Zeros: nearest, clamped, level 0.
    program.bind(1, kernel.alloc(Sampler.bytes), 0);
    program.float(0).fill(0.375);
    program.float(1).fill(0.625);
    program.run(engine);
    // Texel (1, 2) moved by (1, −1).
    expect([...program.float(4)].map((x) => Math.round(x * 255))).toEqual(Array<number>(LANES).fill(20));
    expect([...program.float(5)].map((x) => Math.round(x * 255))).toEqual(Array<number>(LANES).fill(10));
    const access = program.warp + Warp.access;
    expect([...kernel.i32(access + Access.offsetX, 3)]).toEqual([1, -1, 3]);
    expect(kernel.u32(access + Access.w, 1)[0]).toBe(0);
  });
});
