// Evaluates WGSL expressions from text to bits: front end, lowering, passes, then bytecode on the interpreter of the
// testing build, and compiled code.
import { expect } from 'vitest';
import { renderDiagnostics } from '../../src/base/diagnostics';
import { encodeBytecode, type EncodedProgram } from '../../src/codegen';
import { optimize, type IrProgram } from '../../src/ir';
import { checkModule, parseModule, resolveEntryPoint } from '../../src/wgsl';
import { lowerEntryPoint } from '../../src/wgsl/lower';
import { compileProgram, LANES, WarpRunner, type WarpOptions } from '../codegen/warp';
import { kernelMath } from '../support/kernel-math';

const runner = new WarpRunner();

/** One vec4 of bits per argument. */
export type Arguments = readonly (readonly number[])[];

function compile(source: string): readonly IrProgram[] | string {
  const { module, diagnostics } = parseModule(source);
  expect(renderDiagnostics(source, diagnostics)).toBe('');
  const checked = checkModule(module, kernelMath);
  if (!checked.valid) return checked.diagnostics.map(({ message }) => message).join('\n');
  const lowered = lowerEntryPoint(resolveEntryPoint(module, { entryPoint: 'main', math: kernelMath }).hir!, 0);
  return [lowered, optimize(lowered, kernelMath)];
}

/** Bits by output, evaluation and component. */
type Bits = number[][][];

function run(program: IrProgram, encoded: EncodedProgram, sets: readonly Arguments[], options: WarpOptions = {}): Bits {
  const results: Bits = Array.from({ length: encoded.outputs / 4 }, () => []);
  for (let first = 0; first < sets.length; first += LANES) {
    const count = Math.min(LANES, sets.length - first);
    const inputs = program.inputs.map((input) => {
      if (input.kind !== 'varying') throw new Error(`no value for ${input.kind}`);
      return Array.from(
        { length: LANES },
        (_, lane) => sets[Math.min(first + lane, sets.length - 1)]![input.location]![input.component]!
      );
    });
    const { status, outputs } = runner.run(encoded, inputs, new Map(), options);
    expect(status).toBe(0);
    for (let lane = 0; lane < count; lane++)
      results.forEach((list, k) => list.push([0, 1, 2, 3].map((c) => outputs[k * 4 + c]![lane]!)));
  }
  return results;
}

const NAMES = ['a', 'b', 'c', 'd'];

/**
 * Evaluates expressions of type vec4u in a, b, c and d, whose types are `types`, once per set of arguments. The
 * unoptimized program, the optimized one, the optimized one on the scalar interpreter and both compiled ones must give
 * the same bits.
 */
export function evaluateExpressions(
  expressions: readonly string[],
  types: readonly string[],
  sets: readonly Arguments[]
): Bits {
  const members = expressions.map((_, k) => `@location(${k}) r${k}: vec4u`).join(', ');
  const parameters = types.map((_, k) => `@location(${k}) @interpolate(flat) i${k}: vec4u`).join(', ');
  const values = types.map((type, k) => `let ${NAMES[k]!} = bitcast<${type}>(i${k});`).join(' ');
  const source = `
    struct Results { ${members} }
    @fragment fn main(${parameters}) -> Results { ${values} return Results(${expressions.join(', ')}); }
  `;
  const compiled = compile(source);
  if (typeof compiled === 'string') throw new Error(`${compiled}\n${source}`);
  const [lowered, fast] = compiled as [IrProgram, IrProgram];
  const [encodedLowered, encoded] = [encodeBytecode(lowered), encodeBytecode(fast)];
  const results = run(fast, encoded, sets);
  const others: readonly (readonly [string, Bits])[] = [
    ['lowered', run(lowered, encodedLowered, sets)],
    ['scalar', run(fast, encoded, sets, { scalar: true })],
    ['compiled', run(fast, encoded, sets, { compiled: compileProgram(fast, encoded) })],
    ['compiled lowered', run(lowered, encodedLowered, sets, { compiled: compileProgram(lowered, encodedLowered) })],
  ];
  for (const [name, bits] of others)
    results.forEach((list, k) =>
      list.forEach((vector, n) =>
        vector.forEach((word, c) => {
          const other = bits[k]![n]![c]!;
          if (word !== other)
            throw new Error(
              `${expressions[k]!} of ${showSet(sets[n]!)}, component ${c}: ${word.toString(16)}, `
                + `${name} ${other.toString(16)}`
            );
        })
      )
    );
  return results;
}

/** The value of an expression as a const-expression, or the error message. */
export function evaluateConstant(
  expression: string,
  types: readonly string[],
  set: Arguments
): readonly number[] | string {
  const constants = types
    .map((type, k) => `const ${NAMES[k]!} = bitcast<${type}>(vec4u(${set[k]!.map((word) => `${word}u`).join(', ')}));`)
    .join('\n');
  const source = `
    ${constants}\nconst value: vec4u = ${expression};\n@fragment fn main() -> @location(0) vec4u { return value; }
  `;
  const compiled = compile(source);
  return typeof compiled === 'string' ? compiled : run(compiled[1]!, encodeBytecode(compiled[1]!), [[]])[0]![0]!;
}

export const showSet = (set: Arguments): string =>
  set.map((vector) => `(${vector.map((word) => word.toString(16)).join(' ')})`).join(' ');
