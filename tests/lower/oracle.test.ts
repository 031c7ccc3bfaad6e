// Compares generated functions with wgsl_reflect's executor (1.6.0), and the interpreter with the unoptimized IR.
// Where the two executors differ, the specification decides. These mistakes of wgsl_reflect were found by the tests and
// confirmed by hand. Its input (programs.ts) avoids them:
// - Results of i32 >>, << and ~ are treated as unsigned afterwards, and so is an element read through a pointer.
// - vecNi(v) and vecNu(v) of floats keep their fractions inside longer expressions (§15.7.6: they truncate).
// - A `let` of a component or element behind a pointer is a view: it changes with later stores.
// - For `v.wxyz.yx`, only the last swizzle is applied, to v itself.
// - The third and later statements of a switch clause are skipped, and `break` in a switch leaves the enclosing loop or
//   the function.
// - Stores to m[i][j], m[i].x and to a vector inside a struct by a computed index are lost; assigning a matrix may
//   alias it.
// - A matrix product is computed with its factors swapped; transpose and extractBits throw in places.
// - A member of a call's result (`made(k).a`) keeps its first value in a loop.
// - round(x) rounds ties up (§17.5: to even), reverseBits returns a signed number, integers do not wrap around.
// The other tests of this folder and tests/wgsl-accuracy cover these.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WgslExec, WgslParser } from 'wgsl_reflect/wgsl_reflect.module.js';
import { encodeBytecode } from '../../src/codegen';
import type { IrProgram } from '../../src/ir';
import { LANES, WarpRunner } from '../codegen/warp';
import { Random } from '../support/random';
import { bits, f32 } from '../ir/words';
import { evaluate, hostMath } from '../ir/evaluate';
import { generateFunction } from './generate';
import { writeFunction } from './programs';
import { both } from './source';

/** Words of f, i and u, four each: small multiples of ¼, small integers of both signs, small unsigned integers. */
function randomInputs(seed: number): readonly number[] {
  const random = new Random(seed);
  const floats = Array.from({ length: 4 }, () => bits((random.below(81) - 40) / 4));
  const ints = Array.from({ length: 4 }, () => (random.below(41) - 20) >>> 0);
  return [...floats, ...ints, ...Array.from({ length: 4 }, () => random.below(30))];
}

const INPUTS =
  '@location(0) @interpolate(flat) f: vec4u, @location(1) @interpolate(flat) i: vec4u, '
  + '@location(2) @interpolate(flat) u: vec4u';

const wordsOf = (program: IrProgram, words: readonly number[]): number[] =>
  program.inputs.map((input) => (input.kind === 'varying' ? words[input.location * 4 + input.component]! : 0));

/** Runs `fn test(f, i, u, out)` of programs.ts. */
function oracle(text: string, words: readonly number[]): number[] {
  const source = `
    @group(0) @binding(0) var<storage, read> floats: array<vec4f>;
    @group(0) @binding(1) var<storage, read> ints: array<vec4i>;
    @group(0) @binding(2) var<storage, read> uints: array<vec4u>;
    @group(0) @binding(3) var<storage, read_write> result: array<i32>;
    ${text}
    @compute @workgroup_size(1) fn main() {
      var out: array<i32, 8>;
      test(floats[0], ints[0], uints[0], &out);
      for (var k = 0; k < 8; k++) { result[k] = out[k]; }
    }`;
  const result = new Int32Array(8);
  const buffers = {
    0: Float32Array.from(words.slice(0, 4), f32),
    1: Int32Array.from(words.slice(4, 8)),
    2: Uint32Array.from(words.slice(8)),
    3: result,
  };
  new WgslExec(new WgslParser().parse(source)).dispatchWorkgroups('main', [1, 1, 1], { 0: buffers });
  return [...result];
}

const fragmentOfPrograms = (text: string): string => `${text}
  struct Results { @location(0) a: vec4i, @location(1) b: vec4i }
  @fragment fn main(${INPUTS}) -> Results {
    var out: array<i32, 8>;
    test(bitcast<vec4f>(f), bitcast<vec4i>(i), u, &out);
    return Results(vec4i(out[0], out[1], out[2], out[3]), vec4i(out[4], out[5], out[6], out[7]));
  }`;

const fragment = (text: string): string => `${text}
  @fragment fn main(${INPUTS}) -> @location(0) vec4u { return test(bitcast<vec4f>(f), bitcast<vec4i>(i), u); }`;

const runner = new WarpRunner();

/**
 * 64 lanes with individual inputs: the interpreter and its scalar twin run the optimized program with the semantics of
 * the unoptimized one.
 */
function expectSameOnInterpreter([lowered, fast]: readonly IrProgram[], seed: number): void {
  const lanes = Array.from({ length: LANES }, (_, lane) => randomInputs(seed * LANES + lane));
  const encoded = encodeBytecode(fast!);
  const perLane = lanes.map((words) => wordsOf(fast!, words));
  const inputs = fast!.inputs.map((_, k) => perLane.map((words) => words[k]!));
  for (const scalar of [false, true]) {
    const result = runner.run(encoded, inputs, new Map(), { scalar });
    lanes.forEach((words, lane) => {
      const expected = evaluate(lowered!, {
        inputs: wordsOf(lowered!, words),
        math: hostMath,
        maxRounds: 100_000,
      }).outputs;
      expect(result.outputs.map((register) => register[lane])).toEqual(expected);
    });
  }
}

const choiceLists = fc.array(fc.nat(2 ** 20), { maxLength: 160, size: 'max' });

describe('generated functions', () => {
  test('give the results of wgsl_reflect', () => {
    fc.assert(
      fc.property(choiceLists, fc.nat(), (choices, seed) => {
        const text = writeFunction(choices);
        const words = randomInputs(seed);
        const expected = oracle(text, words);
        for (const program of both(fragmentOfPrograms(text))) {
          const outputs = evaluate(program, {
            inputs: wordsOf(program, words),
            math: hostMath,
            maxRounds: 100_000,
          }).outputs.map((word) => word | 0);
          if (expected.some((word, k) => word !== outputs[k]))
            throw new Error(
              `inputs ${words.join(' ')}: wgsl_reflect ${expected.join(' ')}, here ${outputs.join(' ')}\n${text}`
            );
        }
      }),
      { numRuns: 60, seed: 7 }
    );
  });

  test("with all kinds of values give the IR's results on the interpreter", () => {
    fc.assert(
      fc.property(choiceLists, fc.nat(), (choices, seed) =>
        expectSameOnInterpreter(both(fragmentOfPrograms(writeFunction(choices))), seed)
      ),
      { numRuns: 10, seed: 2 }
    );
  });

  test("with every jump give the IR's results on the interpreter", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => expectSameOnInterpreter(both(fragment(generateFunction(seed))), seed)),
      { numRuns: 20, endOnFailure: true, seed: 5 }
    );
  });
});
