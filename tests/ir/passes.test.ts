import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countNodes,
  dropUnused,
  findConstantOutputs,
  findMissingAlphas,
  findQuadUniform,
  forEachInstruction,
  writesOutside,
  optimize,
  print,
  validate,
  type Instruction,
  type IrNode,
  type IrProgram,
} from '../../src/ir';
import { mapInstructions } from '../../src/ir/walk';
import { arrangeOutputs } from '../../src/mpipe';
import { Random } from '../support/random';
import { arbitraryProgram } from './arbitrary';
import { BUFFER_BYTES } from './arbitrary.resources';
import { randomBits } from './arbitrary.writer';
import { evaluate, hostMath, sameOutputs, type Environment } from './evaluate';
import { f32 } from './words';

/** Fixed, so that a run of the suite is repeatable; RASTERLOOM_SEED tries others. */
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 20261120);

/** Replaces derivatives, which a single lane does not have: any function will do. */
const sameValues = (_: unknown, args: readonly number[]): readonly number[] => args;

/** Inputs by meaning, so that programs with other input lists get the same values. */
function environmentFor(
  program: IrProgram,
  all: IrProgram,
  inputs: readonly number[],
  buffer: Uint8Array
): Environment {
  const key = (input: IrProgram['inputs'][number]): string => JSON.stringify(input);
  const values = new Map(all.inputs.map((input, k) => [key(input), inputs[k]!]));
  return {
    inputs: program.inputs.map((input) => values.get(key(input))!),
    buffers: new Map([[0, buffer]]),
    math: hostMath,
    texture: sameValues,
    surfaceSize: ({ op }) => op.length,
  };
}

/** A NaN of any sign and payload. */
const randomNaN = (random: Random): number =>
  ((random.bits() & 0x80000000) | 0x7f800000 | (random.below(0x7fffff) + 1)) >>> 0;

function expectSame(program: IrProgram, changed: IrProgram, seed: number): void {
  const random = new Random(seed ^ 0x5bd1e995);
  for (let round = 0; round < 6; round++) {
    const inputs = program.inputs.map(({ type }) => randomBits(random, type));
    const buffer = Uint8Array.from({ length: BUFFER_BYTES }, () => random.below(256));
    const before = evaluate(program, environmentFor(program, program, inputs, buffer));
    const after = evaluate(changed, environmentFor(changed, program, inputs, buffer));
    if (!sameOutputs(program, before, after)) {
      throw new Error(
        `inputs ${inputs.join(' ')}: ${JSON.stringify(before)} became ${JSON.stringify(after)}\n`
          + `${print(program)}\n\n${print(changed)}`
      );
    }
  }
}

describe('optimization passes', () => {
  test('generated programs are valid', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => validate(arbitraryProgram(seed))),
      { numRuns: 150, endOnFailure: true, seed: SEED }
    );
  });

  test('dead code is removed, and nothing else', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const program = arbitraryProgram(seed);
        const dropped = dropUnused(program);
        validate(dropped);
        expect(countNodes(dropped.body)).toBeLessThanOrEqual(countNodes(program.body));
        expectSame(program, dropped, seed);
      }),
      { numRuns: 150, endOnFailure: true, seed: SEED }
    );
  });

  test('an optimized program gives the same bits', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const program = arbitraryProgram(seed, { statements: 60, wide: seed % 2 === 0 });
        const optimized = optimize(program, hostMath);
        validate(optimized);
        expectSame(program, optimized, seed);
      }),
      { numRuns: 400, endOnFailure: true, seed: SEED }
    );
  });

  test('stores to surfaces and buffers are the same, in the same order', () => {
    let stores = 0;
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const options = { statements: 60, wide: seed % 2 === 0, surfaces: true, storage: seed % 3 === 0 };
        const program = arbitraryProgram(seed, options);
        validate(program);
        const optimized = optimize(program, hostMath);
        validate(optimized);
        expectSame(program, optimized, seed);
        forEachInstruction(optimized.body, ({ op }) => {
          if (writesOutside(op)) stores++;
        });
      }),
      { numRuns: 300, endOnFailure: true, seed: SEED }
    );
    expect(stores).toBeGreaterThan(300);
  });

  test('emitted vertices are the same, in the same order', () => {
    let vertices = 0;
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const program = arbitraryProgram(seed, { statements: 60, wide: seed % 2 === 0, geometry: true });
        validate(program);
        const optimized = optimize(program, hostMath);
        validate(optimized);
        expectSame(program, optimized, seed);
        forEachInstruction(optimized.body, ({ op }) => {
          if (op === 'emit') vertices++;
        });
      }),
      { numRuns: 200, endOnFailure: true, seed: SEED }
    );
    expect(vertices).toBeGreaterThan(300);
  });

  test('the sign and payload of an input NaN are never observable', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const program = arbitraryProgram(seed, { statements: 50 });
        const optimized = optimize(program, hostMath);
        const random = new Random(seed ^ 0x2545f491);
        const buffer = Uint8Array.from({ length: BUFFER_BYTES }, () => random.below(256));
        const canonical = program.inputs.map(({ type }) =>
          type === 'f32' && random.chance(60) ? 0x7fc00000 : randomBits(random, type)
        );
        const faces = canonical.map((bits, k) =>
          program.inputs[k]!.type === 'f32' && Number.isNaN(f32(bits)) ? randomNaN(random) : bits
        );
        const before = evaluate(program, environmentFor(program, program, canonical, buffer));
        for (const changed of [program, optimized]) {
          const after = evaluate(changed, environmentFor(changed, program, faces, buffer));
          if (!sameOutputs(program, before, after))
            throw new Error(
              `inputs ${faces.join(' ')}: ${JSON.stringify(before)} became ${JSON.stringify(after)}\n${print(changed)}`
            );
        }
      }),
      { numRuns: 300, endOnFailure: true, seed: SEED }
    );
  });

  test('lanes agree on values found to be unanimous', () => {
    let quadUniform = 0;
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const program = optimize(arbitraryProgram(seed, { statements: 60, wide: true }), hostMath);
        const { values } = findQuadUniform(program);
        const random = new Random(seed);
        const buffer = Uint8Array.from(
          { length: BUFFER_BYTES },
          () => random.below(256) & (random.chance(50) ? 3 : 255)
        );
        const seen = new Map<string, number>();
        for (let lane = 0; lane < 6; lane++) {
          const inputs = program.inputs.map(({ type }) => randomBits(random, type));
          const trace = (id: number, bits: number, moment: string): void => {
            if (!values.has(id)) return;
            const other = seen.get(moment);
            if (other === undefined) seen.set(moment, bits);
            else if (other !== bits) throw new Error(`%${id} at ${moment}: ${other} and ${bits}\n${print(program)}`);
            quadUniform++;
          };
          evaluate(program, { ...environmentFor(program, program, inputs, buffer), trace });
        }
      }),
      { numRuns: 400, endOnFailure: true, seed: SEED }
    );
    expect(quadUniform).toBeGreaterThan(10_000);
  });

  test('outputs found to be constant are constant', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const random = new Random(seed);
        const arbitrary = arbitraryProgram(seed, { statements: 20 });
        const [one, zero] = [arbitrary.values.length, arbitrary.values.length + 1];
        const constant = (id: number, imm: number): IrNode => ({
          kind: 'op',
          op: 'const',
          results: [id],
          args: [],
          imm,
        });
        const change = (instruction: Instruction): Instruction =>
          instruction.op === 'output' && random.chance(70)
            ? { ...instruction, args: [random.chance(80) ? one : zero] }
            : instruction;
        const program: IrProgram = {
          ...arbitrary,
          values: [...arbitrary.values, 'f32', 'f32'],
          body: [constant(one, 0x3f800000), constant(zero, 0), ...mapInstructions(arbitrary.body, change)],
        };
        const constants = findConstantOutputs(program);
        found += constants.filter((bits) => bits !== undefined).length;
        for (let round = 0; round < 4; round++) {
          const inputs = program.inputs.map(({ type }) => randomBits(random, type));
          const buffer = Uint8Array.from({ length: BUFFER_BYTES }, () => random.below(256));
          const { outputs } = evaluate(program, environmentFor(program, program, inputs, buffer));
          constants.forEach((bits, output) => {
            if (bits !== undefined) expect(outputs[output]! >>> 0).toBe(bits);
          });
        }
      }),
      { numRuns: 200, endOnFailure: true, seed: SEED }
    );
    expect(found).toBeGreaterThan(100);
  });

  test('an alpha equal to the default is removed, and no other output', () => {
    const color = (location: number, component: number, type: 'f32' | 'u32' = 'f32'): IrProgram['outputs'][number] => ({
      kind: 'color',
      location,
      component,
      type,
    });
    const op = (name: Instruction['op'], results: number[], args: number[], imm: number): Instruction => ({
      kind: 'op',
      op: name,
      results,
      args,
      imm,
    });
    const program: IrProgram = {
      name: 'main',
      kind: 'fragment',
      values: ['f32', 'f32', 'u32'],
      variables: [],
      arrays: [],
      resources: [],
      inputs: [],
      usesDiscard: false,
      usesDerivatives: false,
      // A red of 1, an opaque alpha; an alpha of 0; an integer's alpha of 1.
      outputs: [color(0, 0), color(0, 3), color(1, 3), color(2, 3, 'u32'), { kind: 'frag_depth', type: 'f32' }],
      body: [
        op('const', [0], [], 0x3f800000),
        op('const', [1], [], 0),
        op('const', [2], [], 1),
        ...[0, 0, 1, 2, 0].map((value, index) => op('output', [], [value], index)),
      ],
    };
    expect(findMissingAlphas(program)).toEqual([false, true, false, true, false]);
  });

  test('an output that is not written on every path is not constant', () => {
    const op = (name: Instruction['op'], results: number[], args: number[], imm: number): Instruction => ({
      kind: 'op',
      op: name,
      results,
      args,
      imm,
    });
    const write = op('output', [], [1], 0);
    const program = (...then: readonly IrNode[]): IrProgram => ({
      name: 'main',
      kind: 'fragment',
      values: ['bool', 'f32'],
      variables: [],
      arrays: [],
      resources: [],
      inputs: [{ kind: 'builtin', builtin: 'front_facing', type: 'bool' }],
      outputs: [{ kind: 'color', location: 0, component: 3, type: 'f32' }],
      body: [op('input', [0], [], 0), op('const', [1], [], 0x3f800000), ...then],
      usesDiscard: false,
      usesDerivatives: false,
    });
    expect(findConstantOutputs(program(write))).toEqual([0x3f800000]);
    expect(findConstantOutputs(program({ kind: 'if', condition: 0, then: [write], otherwise: [] }))).toEqual([
      undefined,
    ]);
    expect(findConstantOutputs(program())).toEqual([undefined]);
  });

  // Some lanes left an outer block, others the inner one and then the loop. The loop was considered one that all lanes
  // leave in the first iteration.
  test.each([513622, 536864])('a loop that not all lanes leave is unrolled entirely: program %d', (seed) => {
    const program = arbitraryProgram(seed, { statements: 30 + (seed % 60), wide: true });
    expectSame(program, optimize(program, hostMath), seed);
  });

  test('removing unused outputs removes their computation', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const program = optimize(arbitraryProgram(seed), hostMath);
        const kept = dropUnused(arrangeOutputs(program, [1]));
        validate(kept);
        expect(kept.outputs).toEqual([program.outputs[1]]);
        const inputs = program.inputs.map(({ type }) => randomBits(new Random(seed), type));
        const buffer = new Uint8Array(BUFFER_BYTES);
        const all = evaluate(program, environmentFor(program, program, inputs, buffer));
        const one = evaluate(kept, environmentFor(kept, program, inputs, buffer));
        expect(sameOutputs(kept, { ...all, outputs: [all.outputs[1]!] }, one)).toBe(true);
      }),
      { numRuns: 100, endOnFailure: true, seed: SEED }
    );
  });
});
