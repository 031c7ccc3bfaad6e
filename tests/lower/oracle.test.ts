// Generated functions against wgsl_reflect's executor (1.6.0). Where the two differ, the specification decides. What the
// oracle gets wrong, found by these tests and settled by hand, is kept out of the text that it is given:
// - a negative i32 given by bitcast<u32> or u32() to a vector constructor becomes 0;
// - i32(x) of a float in a longer expression keeps the float's bits;
// - `a >> b` beside a `<` is read as a template list, and negative values lose their sign in nested shifts;
// - abs, min and max of variables that hold negative i32 values can take them as unsigned;
// - assigning to a vector component of a struct by a dynamic index throws;
// - some loops with break, continue or switch never end.
// Those parts of the language are compared on the interpreter with the unoptimised IR (below) and by hand (statements.test.ts).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WgslExec, WgslParser } from 'wgsl_reflect/wgsl_reflect.module.js';
import { encodeBytecode } from '../../src/codegen';
import { LANES, WarpRunner } from '../codegen/warp';
import { Random } from '../ir/arbitrary';
import { bits, evaluate, hostMath } from '../ir/evaluate';
import { generateFunction } from './generate';
import { both } from './source';

interface Inputs { readonly words: readonly number[] }

function randomInputs(seed: number): Inputs {
  const random = new Random(seed);
  const floats = Array.from({ length: 4 }, () => bits((random.below(81) - 40) / 4));
  const ints = Array.from({ length: 4 }, () => (random.below(41) - 20) >>> 0);
  return { words: [...floats, ...ints, ...Array.from({ length: 4 }, () => random.below(30))] };
}

const compute = (text: string): string => `
  @group(0) @binding(0) var<storage, read> input: array<vec4u>;
  @group(0) @binding(1) var<storage, read_write> result: array<u32>;
  ${text}
  @compute @workgroup_size(1) fn main() {
    let r = test(bitcast<vec4f>(input[0]), bitcast<vec4i>(input[1]), input[2]);
    result[0] = r.x; result[1] = r.y; result[2] = r.z; result[3] = r.w;
  }`;

const fragment = (text: string): string => `${text}
  @fragment fn main(@location(0) @interpolate(flat) f: vec4u, @location(1) @interpolate(flat) i: vec4u, @location(2) @interpolate(flat) u: vec4u) -> @location(0) vec4u {
    return test(bitcast<vec4f>(f), bitcast<vec4i>(i), u);
  }`;

function oracle(text: string, { words }: Inputs): number[] {
  const exec = new WgslExec(new WgslParser().parse(compute(text)));
  const result = new Uint32Array(4);
  exec.dispatchWorkgroups('main', [1, 1, 1], { 0: { 0: Uint32Array.from(words), 1: result } });
  return [...result];
}

const runner = new WarpRunner();

describe('generated functions', () => {
  test('mean here what they mean to wgsl_reflect', () => {
    fc.assert(fc.property(fc.nat(), (seed) => {
      const text = generateFunction(seed, true);
      const inputs = randomInputs(seed);
      const expected = oracle(text, inputs);
      for (const program of both(fragment(text))) {
        const environment = { inputs: program.inputs.map((input) => (input.kind === 'varying' ? inputs.words[input.location * 4 + input.component]! : 0)), math: hostMath };
        const { outputs } = evaluate(program, environment);
        if (expected.some((word, k) => word !== outputs[k])) throw new Error(`inputs ${inputs.words.join(' ')}: wgsl_reflect ${expected.join(' ')}, here ${outputs.join(' ')}\n${text}`);
      }
    }), { numRuns: 60, seed: 1, endOnFailure: true });
  });

  test('and do on the interpreter what the IR says', () => {
    fc.assert(fc.property(fc.nat(), (seed) => {
      const [plain, fast] = both(fragment(generateFunction(seed)));
      const lanes = Array.from({ length: LANES }, (_, lane) => randomInputs(seed * LANES + lane).words);
      const encoded = encodeBytecode(fast!);
      const word = (program: typeof plain, lane: number): number[] => program!.inputs.map((input) => (input.kind === 'varying' ? lanes[lane]![input.location * 4 + input.component]! : 0));
      const inputs = fast!.inputs.map((_, k) => Array.from({ length: LANES }, (__, lane) => word(fast, lane)[k]!));
      const result = runner.run(encoded, inputs, new Map());
      for (let lane = 0; lane < LANES; lane++) {
        const expected = evaluate(plain!, { inputs: word(plain, lane), math: hostMath }).outputs;
        expect(result.outputs.map((register) => register[lane])).toEqual(expected);
      }
    }), { numRuns: 40, endOnFailure: true });
  });
});
