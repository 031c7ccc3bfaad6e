// Divergent control flow of the interpreter: handwritten bytecode, both engines, partly filled warps.
import { describe, expect, it } from 'vitest';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import {
  OP_BUFFER_LOAD,
  OP_DISCARD,
  OP_ELSE,
  OP_END,
  OP_F32_MUL,
  OP_IF,
  OP_IF_NOT,
  OP_INT_ADD,
  OP_JUMP,
  OP_JUMP_UNLESS,
  OP_LEAVE,
  OP_LEAVE_IF,
  OP_LEAVE_UNLESS,
  OP_LOOP_END,
  OP_MOVE,
  OP_RESTORE_EXEC,
  OP_RESTORE_EXEC_OR_JUMP,
  OP_SAVE_EXEC,
  OP_SET,
  OP_U32_LE,
} from '../../assembly/layout/program/opcodes';
import { STATUS_DONE, STATUS_TIMEOUT } from '../../assembly/layout/status';
import { Warp } from '../../build/layout';
import { TestKernel } from '../support/kernel';
import { LANES, ON, pair, TestProgram } from '../support/program';

const kernel = new TestKernel();
const engines = ['interpret', 'interpretScalar'] as const;
const lanes = (quads: number): number[] => Array.from({ length: quads * 4 }, (_, i) => i);
/**
 * Runs both engines over warps of different sizes, requires equal registers of the lanes in use, and checks one
 * register.
 */
function check(program: TestProgram, shown: number, prepare: () => void, expected: (lane: number) => number): void {
  for (const quads of [1, 3, 4, 7, 16]) {
    const results = engines.map((engine) => {
      for (let i = 0; i < 32; i++) program.register(i).fill(0);
      program.start(quads);
      prepare();
      expect(program.run(engine)).toBe(STATUS_DONE);
      expect([...program.register(shown).subarray(0, quads * 4)], `${engine}, ${quads} quads`).toEqual(
        lanes(quads).map(expected)
      );
      return program.contents(quads);
    });
    expect(results[0]).toEqual(results[1]);
  }
}

// Registers: 0 lane number, 1 condition, 2 value a, 3 value b, 4 result, 5… saved masks.
describe('if and else', () => {
  const code = [
    pair(OP_IF, 5),
    1,
    7,
    pair(OP_SET, 4),
    2,
    pair(OP_JUMP, 0),
    7,
    pair(OP_ELSE, 5),
    1,
    12,
    pair(OP_SET, 4),
    3,
    pair(OP_RESTORE_EXEC, 5),
    pair(OP_SET, 6),
    2,
    OP_END,
  ];
  it.each([
    ['some', (i: number) => i % 3 === 0],
    ['all', () => true],
    ['none', () => false],
  ])('%s lanes take the branch', (_, condition) => {
    const program = new TestProgram(code, { kernel });
    const prepare = (): void => {
      for (let i = 0; i < LANES; i++) {
        program.register(1)[i] = condition(i) ? ON : 0;
        program.register(2)[i] = 100 + i;
        program.register(3)[i] = 200 + i;
      }
    };
    check(program, 4, prepare, (i) => (condition(i) ? 100 : 200) + i);
    check(program, 6, prepare, (i) => 100 + i);
  });

  it('if-not takes the other lanes, and initially inactive lanes stay inactive', () => {
    const program = new TestProgram(
      [pair(OP_IF_NOT, 5), 1, 5, pair(OP_SET, 4), 2, pair(OP_RESTORE_EXEC, 5), pair(OP_SET, 6), 2, OP_END],
      { kernel }
    );
    const prepare = (): void => {
      program.register(2).fill(9);
      for (let i = 0; i < LANES; i++) {
        program.register(1)[i] = i % 2 ? ON : 0;
        program.exec()[i] = i % 4 === 2 ? 0 : ON;
      }
    };
    check(program, 4, prepare, (i) => (i % 2 === 0 && i % 4 !== 2 ? 9 : 0));
    check(program, 6, prepare, (i) => (i % 4 !== 2 ? 9 : 0));
  });
});

describe('blocks and leaving them', () => {
  it('lanes that leave two blocks at once are inactive in both', () => {
    // outer block 5 { inner block 6 { leave 5 and 6 where the condition holds; r4 = a } r7 = a } r8 = a
    const program = new TestProgram(
      [
        pair(OP_SAVE_EXEC, 5),
        pair(OP_SAVE_EXEC, 6),
        pair(OP_LEAVE_IF, 2),
        1,
        8,
        pair(6, 5),
        pair(OP_SET, 4),
        2,
        pair(OP_RESTORE_EXEC_OR_JUMP, 6),
        12,
        pair(OP_SET, 7),
        2,
        pair(OP_RESTORE_EXEC, 5),
        pair(OP_SET, 8),
        2,
        OP_END,
      ],
      { kernel }
    );
    const leaves = (i: number): boolean => i % 5 < 2;
    const prepare = (): void => {
      program.register(2).fill(7);
      // Block 5 is restored at its end from a mask saved outside of it.
      for (let i = 0; i < LANES; i++) program.register(1)[i] = leaves(i) ? ON : 0;
    };
    check(program, 4, prepare, (i) => (leaves(i) ? 0 : 7));
    check(program, 7, prepare, (i) => (leaves(i) ? 0 : 7));
    check(program, 8, prepare, (i) => (leaves(i) ? 0 : 7));
  });

  it('leave-unless, and a leave of all lanes', () => {
    const program = new TestProgram(
      [
        pair(OP_SAVE_EXEC, 5),
        pair(OP_SAVE_EXEC, 6),
        pair(OP_LEAVE_UNLESS, 1),
        1,
        8,
        pair(6, 0),
        pair(OP_SET, 4),
        2,
        pair(OP_RESTORE_EXEC, 6),
        pair(OP_LEAVE, 1),
        pair(6, 0),
        pair(OP_SET, 7),
        2,
        pair(OP_RESTORE_EXEC_OR_JUMP, 6),
        17,
        pair(OP_SET, 8),
        2,
        pair(OP_RESTORE_EXEC, 5),
        pair(OP_SET, 9),
        2,
        OP_END,
      ],
      { kernel }
    );
    const stays = (i: number): boolean => i % 3 === 1;
    const prepare = (): void => {
      program.register(2).fill(7);
      for (let i = 0; i < LANES; i++) program.register(1)[i] = stays(i) ? ON : 0;
    };
    check(program, 4, prepare, (i) => (stays(i) ? 7 : 0));
    check(program, 7, prepare, () => 0);
    check(program, 8, prepare, () => 0);
    check(program, 9, prepare, () => 7);
  });
});

describe('loops', () => {
  // do { r4 += 1; if (r4 >= r1) leave } : r1 iterations in each lane, at least one.
  const loop = [
    pair(OP_SAVE_EXEC, 5),
    pair(OP_SAVE_EXEC, 6),
    pair(OP_INT_ADD, 10),
    pair(4, 3),
    pair(OP_SET, 4),
    10,
    pair(OP_U32_LE, 7),
    pair(1, 4),
    pair(OP_LEAVE_IF, 1),
    7,
    12,
    pair(6, 0),
    pair(OP_LOOP_END, 5),
    2,
    OP_END,
  ];
  it('every lane runs its own number of iterations', () => {
    const program = new TestProgram(loop, { kernel });
    const rounds = (i: number): number => ((i * 7) % 13) + 1;
    check(
      program,
      4,
      () => {
        program.register(3).fill(1);
        for (let i = 0; i < LANES; i++) program.register(1)[i] = rounds(i);
      },
      rounds
    );
  });

  it('lanes inactive before the loop stay unchanged', () => {
    const program = new TestProgram(loop, { kernel });
    check(
      program,
      4,
      () => {
        program.register(3).fill(1);
        program.register(1).fill(5);
        for (let i = 0; i < LANES; i++) program.exec()[i] = i % 2 ? ON : 0;
      },
      (i) => (i % 2 ? 5 : 0)
    );
  });

  it.each(engines)('checks the clock when the budget is used up, and ends at once: %s', (engine) => {
    let looks = 0;
    const timed = new TestKernel({ timeExpired: () => (++looks === 3 ? 1 : 0) });
    const program = new TestProgram(
      [pair(OP_SAVE_EXEC, 5), pair(OP_INT_ADD, 4), pair(4, 3), pair(OP_LOOP_END, 5), 1, OP_END],
      { kernel: timed }
    );
    program.register(3).fill(1);
    program.start(1, 10);
    expect(program.run(engine)).toBe(STATUS_TIMEOUT);
    expect(looks).toBe(3);
    expect(program.register(4)[0]).toBe(10 + 2 * 65536);
  });

  it('the loop ends if only unused quads are active', () => {
    const program = new TestProgram(loop, { kernel });
    program.start(1);
    program.register(4).fill(0);
    program.register(3).fill(1);
    // Lanes of quads beyond the first would run forever.
    program.register(1).fill(0xffffffff);
    program.register(1).subarray(0, 4).fill(2);
    expect(program.run()).toBe(STATUS_DONE);
    expect([...program.register(4).subarray(0, 4)]).toEqual([2, 2, 2, 2]);
  });
});

describe('other instructions', () => {
  it('discard turns active lanes into helpers', () => {
    const program = new TestProgram(
      [pair(OP_IF, 5), 1, 4, OP_DISCARD, pair(OP_RESTORE_EXEC, 5), pair(OP_SET, 4), 2, OP_END],
      { kernel }
    );
    for (const engine of engines) {
      program.start(16);
      program.register(2).fill(3);
      program.register(4).fill(0);
      for (let i = 0; i < LANES; i++) program.register(1)[i] = i % 6 === 1 ? ON : 0;
      program.killed()[2] = ON;
      program.run(engine);
      expect([...program.killed()]).toEqual(Array.from({ length: LANES }, (_, i) => (i % 6 === 1 || i === 2 ? ON : 0)));
      expect([...program.register(4)]).toEqual(Array<number>(LANES).fill(3));
    }
  });

  it('jump-unless follows a uniform and keeps the mask', () => {
    const program = new TestProgram([pair(OP_JUMP_UNLESS, 1), 4, pair(OP_MOVE, 4), 2, OP_END], { kernel });
    for (const condition of [0, ON])
      check(
        program,
        4,
        () => {
          program.register(1).fill(condition);
          program.register(2).fill(5);
        },
        () => (condition ? 5 : 0)
      );
  });
});

describe('computations per draw call', () => {
  it('the prologue computes uniforms from constants and buffers; bindUniforms splats them', () => {
    const program = new TestProgram([OP_END], {
      kernel,
      inputs: 1,
      outputs: 1,
      constants: [0x40000000, 4],
      uniforms: 2,
      registers: 8,
      // r4 = buffer[c1], r5 = r4 · c0
      prologue: [pair(OP_BUFFER_LOAD, 4), pair(3, 0), 0, pair(OP_F32_MUL, 5), pair(4, 2), OP_END],
    });
    const buffer = kernel.alloc(16);
    kernel.f32(buffer, 4).set([1, 21, 3, 4]);
    program.bind(0, buffer, 16);
    const block = kernel.alloc(16);
    const scratch = kernel.alloc(Warp.bytes + 8 * REGISTER_BYTES);
    kernel.u8(scratch, Warp.bytes + 8 * REGISTER_BYTES).fill(0xcd);
    expect(kernel.call.runPrologue(program.program, program.resources, block, scratch)).toBe(STATUS_DONE);
    expect([...kernel.f32(block, 4)].filter((_, i) => i !== 1)).toEqual([2, 21, 42]);
    expect(kernel.u32(block, 2)[1]).toBe(4);
    kernel.call.bindUniforms(program.program, block, program.registers);
    for (const [register, value] of [
      [2, 2],
      [4, 21],
      [5, 42],
    ])
      expect([...program.float(register)]).toEqual(Array<number>(LANES).fill(value));
  });

  it('without a prologue there are only the constants', () => {
    const program = new TestProgram([OP_END], { kernel, constants: [7, 8], registers: 2 });
    const block = kernel.alloc(8);
    expect(kernel.call.runPrologue(program.program, program.resources, block, 0)).toBe(STATUS_DONE);
    expect([...kernel.u32(block, 2)]).toEqual([7, 8]);
  });

  it('runWarp interprets programs without a slot', () => {
    const program = new TestProgram([pair(OP_INT_ADD, 2), pair(0, 1), OP_END], { kernel });
    program.register(0).fill(20);
    program.register(1).fill(22);
    expect(program.run('runWarp')).toBe(STATUS_DONE);
    expect(program.register(2)[63]).toBe(42);
  });
});
