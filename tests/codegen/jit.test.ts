// Compiled programs give the bits of the interpreter.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeBytecode } from '../../src/codegen';
import {
  forEachInstruction,
  ops,
  optimize,
  validate,
  type Instruction,
  type IrProgram,
  type ScalarType,
} from '../../src/ir';
import { expectAgreement, generateCase } from './generated';
import { hostMath } from '../ir/evaluate';
import { lower } from '../lower/source';
import { compileProgram, LANES, WarpRunner, type WarpOptions } from './warp';
import { rounds } from '../support/rounds';

/**
 * Fixed, so that a run of the suite is repeatable; RASTERLOOM_SEED tries others, and `npm run fuzz` tries very many.
 */
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 20261120);

describe('interpreter and compiled code', () => {
  const runner = new WarpRunner();

  test('the generated programs contain every operation', () => {
    const found = new Set<string>();
    for (let seed = 1; seed <= 600; seed++)
      forEachInstruction(generateCase(seed).program.body, ({ op }) => found.add(op));
    const missing = Object.keys(ops).filter((op) => !found.has(op));
    // No engine runs geometry programs or barriers: passes transform them first. Programs that load samples of
    // textures are in tests/surface-programs/loads.test.ts, which needs stored surfaces.
    expect(missing).toEqual(['texture.loadSamples', 'barrier', 'emit', 'cut', 'dispatch']);
  });

  test('agree on generated programs', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => expectAgreement(runner, seed)),
      { numRuns: rounds(200), endOnFailure: true, seed: SEED }
    );
  });

  // A vector of each lane is loaded whole if all are within the binding.
  test.each([
    [16, 'words of all four lanes'],
    [12, 'three of four'],
    [16, 'the last vector, and beyond it'],
  ])('agree on vectors of a buffer, %i bytes: %s', (bytes, what) => {
    const program = vectorLoads(bytes / 4);
    const encoded = encodeBytecode(program);
    const compiled = compileProgram(program, encoded);
    const contents = Uint8Array.from({ length: 260 }, (_, i) => (i * 37 + 11) & 255);
    for (const size of [0, 4, 12, 16, 20, 256, 260]) {
      const beyond = what.includes('beyond') ? 5 : 0;
      const offsets = Array.from({ length: LANES }, (_, lane) =>
        lane === 7 && beyond ? 0xfffffff8 : ((lane + beyond) * 16 + (lane & 3)) % Math.max(size + beyond * 8, 1)
      );
      const buffers = new Map([[0, contents.slice(0, size)]]);
      const interpreted = runner.run(encoded, [offsets], buffers);
      expect(runner.run(encoded, [offsets], buffers, { compiled }).outputs, `size ${size}`).toEqual(
        interpreted.outputs
      );
    }
  });
});

describe('functions with a common case', () => {
  const runner = new WarpRunner();
  const bits = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0]!;
  const rare = [-2, 0, -0, NaN, Infinity, -Infinity, 1e-40, 1e30, 9000, -1e9, 3e38];
  const commonLane = (lane: number, k: number): number => 0.1 + ((lane * 7 + k * 13) % 50) / 10;
  /** Which lanes hold rare operands, in which inputs. */
  const cases: Readonly<Record<string, (lane: number, k: number) => number>> = {
    'common lanes alone': commonLane,
    'one rare lane in some quads': (lane, k) =>
      (lane >> 2) % 3 === 1 && (lane & 3) === k ? rare[(lane + k) % rare.length]! : commonLane(lane, k),
    'one rare operand of a group': (lane, k) =>
      k === 1 && lane > 20 ? rare[lane % rare.length]! : commonLane(lane, k),
    'all lanes rare': (lane, k) => rare[(lane * 3 + k) % rare.length]!,
    'exponents of 2 among others': (lane, k) => (k < 2 && lane % 3 === 0 ? 2 : commonLane(lane, k)),
    'exponents of 2 with rare lanes': (lane, k) => (k < 2 && lane % 3 > 0 ? 2 : rare[(lane + k) % rare.length]!),
  };
  for (const op of ['f32.pow', 'f32.exp2', 'f32.log2', 'f32.sin', 'f32.cos'] as const)
    test.each(Object.keys(cases))(`${op}, more than one at once: %s`, (name) => {
      const program = group(op);
      const encoded = encodeBytecode(program);
      const compiled = compileProgram(program, encoded);
      const inputs = program.inputs.map((_, k) =>
        Array.from({ length: LANES }, (__, lane) => bits(cases[name]!(lane, k)))
      );
      const interpreted = runner.run(encoded, inputs, new Map());
      const canonical = (outputs: readonly Uint32Array[]): number[][] =>
        outputs.map((words) => [...words].map((word) => ((word & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : word)));
      expect(canonical(runner.run(encoded, inputs, new Map(), { compiled }).outputs)).toEqual(
        canonical(interpreted.outputs)
      );
    });

  test.each([2, 2.2, 0, -2, NaN])('powers whose exponent is the uniform %d', (exponent) => {
    const source = `
      @group(0) @binding(0) var<uniform> u: vec2f;
      struct V { @builtin(position) p: vec4f, @location(0) q: vec4f }
      @vertex fn main(@location(0) x: vec4f, @location(1) y: vec4f) -> V {
        return V(pow(x, vec4f(u.x)), pow(y, vec4f(u.x, u.y, x.y, 2.2)));
      }`;
    const program = optimize(lower(source), hostMath);
    const encoded = encodeBytecode(program);
    const inputs = program.inputs.map((_, k) =>
      Array.from({ length: LANES }, (__, lane) =>
        bits(lane % 5 === k ? rare[(lane + k) % rare.length]! : lane % 7 === 0 ? 2 : commonLane(lane, k))
      )
    );
    const buffers = new Map([[0, new Uint8Array(Float32Array.of(exponent, 3).buffer)]]);
    const outputs = (options?: WarpOptions): number[][] =>
      runner
        .run(encoded, inputs, buffers, options)
        .outputs.map((words) => [...words].map((word) => ((word & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : word)));
    expect(outputs({ compiled: compileProgram(program, encoded) })).toEqual(outputs());
    expect(outputs({ scalar: true })).toEqual(outputs());
  });

  // The operand of the second cosine is brought forward to the first one, and used up by the sines that follow.
  test('operands that were brought forward are not computed again', () => {
    const source = `
      struct V { @builtin(position) p: vec4f, @location(0) at: vec2f, @location(1) n: vec3f, @location(2) q: vec3f }
      @vertex fn main(@builtin(vertex_index) i: u32) -> V {
        let cell = array(vec2u(0, 0), vec2u(1, 0), vec2u(0, 1), vec2u(0, 1), vec2u(1, 0), vec2u(1, 1))[i % 6];
        let at = vec2f(vec2u(i / 6 % 4, i / 24) + cell) / vec2f(4, 3);
        let ring = vec2f(cos(at.x * 6.2), sin(at.x * 6.2));
        let tube = vec2f(cos(at.y * 6.2), sin(at.y * 6.2));
        let p = vec3f(ring * (0.6 + 0.2 * tube.x), 0.2 * tube.y);
        return V(vec4f(p, 1), at, vec3f(ring * tube.x, tube.y), p);
      }`;
    const program = optimize(lower(source), hostMath);
    const encoded = encodeBytecode(program);
    const lanes = [Array.from({ length: LANES }, (_, lane) => lane)];
    const run = (options?: { compiled: ReturnType<typeof compileProgram> }): readonly Uint32Array[] =>
      runner.run(encoded, lanes, new Map(), options).outputs;
    expect(run({ compiled: compileProgram(program, encoded) })).toEqual(run());
  });
});

/** An operation on each of three inputs, on their sums, and on the result of another. */
function group(op: 'f32.pow' | 'f32.exp2' | 'f32.log2' | 'f32.sin' | 'f32.cos'): IrProgram {
  const values: ScalarType[] = [];
  const body: Instruction[] = [];
  const add = (name: Instruction['op'], args: readonly number[], imm = 0): number => {
    const results = name === 'output' ? [] : [values.push('f32') - 1];
    body.push({ kind: 'op', op: name, args, imm, results });
    return results[0] ?? -1;
  };
  const exponent = add('const', [], 0x400ccccd);
  const inputs = [0, 1, 2].map((k) => add('input', [], k));
  const of = (x: number, y: number): number => add(op, op === 'f32.pow' ? [x, y] : [x]);
  const first = inputs.map((x) => of(x, exponent));
  const sums = inputs.map((x, k) => of(add('f32.add', [x, inputs[(k + 1) % 3]!]), inputs[0]!));
  const results = [...first, ...sums, of(first[0]!, exponent), of(add('f32.mul', [sums[1]!, first[2]!]), inputs[1]!)];
  results.forEach((result, k) => add('output', [result], k));
  const place = (component: number) => ({ location: component >> 2, component: component & 3, type: 'f32' as const });
  const program: IrProgram = {
    name: op,
    kind: 'vertex',
    values,
    variables: [],
    arrays: [],
    inputs: inputs.map((_, k) => ({ kind: 'attribute', ...place(k) })),
    outputs: results.map((_, k) => ({
      kind: 'varying',
      ...place(k),
      interpolation: 'perspective',
      sampling: 'center',
    })),
    resources: [],
    body,
    usesDiscard: false,
    usesDerivatives: false,
  };
  validate(program);
  return program;
}

/** Reads `count` consecutive words at an offset per lane. */
function vectorLoads(count: number): IrProgram {
  const values: ScalarType[] = [];
  const body: Instruction[] = [];
  const add = (op: Instruction['op'], args: readonly number[], imm: number, result: ScalarType | null): number => {
    const results = result === null ? [] : [values.push(result) - 1];
    body.push({ kind: 'op', op, args, imm, results });
    return results[0] ?? -1;
  };
  const offset = add('input', [], 0, 'u32');
  const words = Array.from({ length: count }, (_, k) =>
    add(
      'buffer.load',
      [k === 0 ? offset : add('int.add', [offset, add('const', [], 4 * k, 'u32')], 0, 'u32')],
      0,
      'u32'
    )
  );
  words.forEach((word, k) => add('output', [word], k, null));
  const program: IrProgram = {
    name: 'vectors',
    kind: 'vertex',
    values,
    variables: [],
    arrays: [],
    inputs: [{ kind: 'builtin', builtin: 'vertex_index', type: 'u32' }],
    outputs: words.map((_, k) => ({
      kind: 'varying',
      location: 0,
      component: k,
      type: 'u32',
      interpolation: 'flat',
      sampling: 'center',
    })),
    resources: [{ kind: 'storage', group: 0, binding: 0, name: 'words', minSize: 4, writable: false }],
    body,
    usesDiscard: false,
    usesDerivatives: false,
  };
  validate(program);
  return program;
}
