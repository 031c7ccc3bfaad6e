// The compiler's steps from WGSL text to a WebAssembly module, for bench/kernels: the work of createShaderModule and
// createRenderPipeline, without a device. Bundled to build/testing/steps.js.
import { readFileSync } from 'node:fs';
import { encodeBytecode } from '../../src/codegen';
import { emitModule } from '../../src/codegen/jit';
import { parseInlines } from '../../src/codegen/wasm/inlines';
import { optimize, validate, type IrProgram } from '../../src/ir';
import {
  arrangeInputs,
  arrangeOutputs,
  linkStageTable,
  stageOf,
  type Slot,
  type Stage,
  type StageShader,
} from '../../src/mpipe';
import { checkModule, parseModule, resolveEntryPoint } from '../../src/wgsl';
import { lowerEntryPoint } from '../../src/wgsl/lower';
import { kernelMath as math } from '../support/kernel-math';

const inlineBytes = readFileSync(new URL('../../build/inlines.wasm', import.meta.url));

/** Milliseconds per step for a module with one vertex and one fragment entry point, and the resulting bytes. */
export function compileSteps(code: string): {
  readonly steps: Readonly<Record<string, number>>;
  readonly bytes: number;
} {
  const steps: Record<string, number> = {};
  const timed = <V>(name: string, step: () => V): V => {
    const began = performance.now();
    const value = step();
    steps[name] = performance.now() - began;
    return value;
  };
  const { module } = timed('parse', () => parseModule(code));
  const { entryPoints } = timed('check', () => checkModule(module, math));
  const stages = (['vertex', 'fragment'] as const).map((stage) => {
    const { name } = entryPoints.find((entry) => entry.stage === stage)!;
    const hir = timed(`resolve ${stage}`, () => resolveEntryPoint(module, { entryPoint: name, math }).hir!);
    const lowered = timed(`lower ${stage}`, () =>
      lowerEntryPoint(
        hir,
        hir.entryPoints.findIndex((entry) => entry.name === name)
      )
    );
    timed(`validate ${stage}`, () => validate(lowered));
    return timed(`optimise ${stage}`, () => optimize(lowered, math));
  });
  const { vertex, fragment } = timed('link', () => {
    const reduce = ({ program }: StageShader, outputs: readonly number[]): Stage =>
      stageOf(arrangeInputs(arrangeOutputs(program, outputs)));
    const slots = (program: IrProgram): Slot[] => [{ program, scalars: new Set(), emission: null, enabled: true }];
    const output = { kind: 'output', takes: () => true } as const;
    const behind = linkStageTable({ slots: slots(stages[1]!), source: null, sink: output }, reduce);
    const before = linkStageTable({ slots: slots(stages[0]!), source: null, sink: { kind: 'setup', behind } }, reduce);
    return { vertex: before.stages[0]!.program, fragment: behind.stages[0]!.program };
  });
  const cleaned = timed('optimise linked vertex', () => optimize(vertex, math));
  const programs = [cleaned, fragment];
  timed('validate linked', () => programs.forEach(validate));
  const encoded = timed('encode', () => programs.map(encodeBytecode));
  const inlines = timed('read inlines', () => parseInlines(inlineBytes));
  const modules = timed('emit', () =>
    programs.map((program, i) => emitModule({ program, encoded: encoded[i]! }, { inlines, sharedMemory: true }))
  );
  timed('compile', () => modules.map(({ bytes }) => new WebAssembly.Module(bytes)));
  return { steps, bytes: modules.reduce((sum, { bytes }) => sum + bytes.length, 0) };
}
