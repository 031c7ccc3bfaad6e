// What an entry point is compiled to, as text and in numbers: IR, the interpreter's bytecode, the JIT's WebAssembly.

import { clockMs } from '../base/clock';
import { ProgramTooLargeError } from '../base/lost';
import { countBytecode, disassemble, encodeBytecode } from '../codegen';
import { emitModule, type JitModule, type JitStage } from '../codegen/jit';
import type { Inlines } from '../codegen/wasm/inlines';
import { countInstructions, printModule, type InstructionCounts } from '../codegen/wasm/print';
import {
  countNodes, cutAtBarriers, dropUnused, gatherDispatches, hasDispatches, optimize, print, ProgramParts, type IrProgram,
} from '../ir';
import type { ConstantMath } from './front-end';
import { arrangeInputs, stageOf, type StageRate } from '../mpipe';

export interface WasmCounts {
  /** Of the whole module. */
  readonly bytes: number;
  /** Instructions of all its functions. */
  readonly instructions: number;
  /**
   * By function. `registers` finds its inputs in the register file; `quads`, which most fragments go through, computes
   * them from triangles.
   */
  readonly functions: Readonly<Record<string, InstructionCounts>>;
}

export interface ShaderCounts {
  /** What one invocation stands for. */
  readonly rate: StageRate;
  /** Of a compute stage: into how many parts its barriers cut it; 1 for others. */
  readonly parts: number;
  /** Instructions and control flow of the optimised IR. */
  readonly irNodes: number;
  /** The interpreter's instructions, of the program that runs for each warp. */
  readonly bytecode: number;
  /** The interpreter's instructions that run once a draw, for the uniform values. */
  readonly prologue: number;
  /** Registers of a warp on the interpreter, of 64 lanes each. */
  readonly registers: number;
  readonly constants: number;
  /** Values that are the same for a whole draw. */
  readonly uniformValues: number;
  /** Null where it stays on the interpreter. */
  readonly wasm: WasmCounts | null;
  /** How long it took here, the first time: to write the bytecode, and the WebAssembly (0 where there is none). */
  readonly milliseconds: { readonly encode: number; readonly emit: number };
}

/**
 * Each text is made at its first use. An entry point is compiled alone here: in a pipeline, vertex outputs that the
 * fragment stage does not read are dropped, with all that only they need. A shader that calls `dispatchSamples` is
 * compiled for pixels of four samples.
 */
export interface ShaderCode {
  /** The optimised IR, one line an instruction; of a program with barriers, each of its parts by itself. */
  readonly ir: string;
  /** The interpreter's program, one line an instruction. */
  readonly bytecode: string;
  /** The JIT's module as WebAssembly text; null where the program stays on the interpreter. */
  readonly wasm: string | null;
  /** The same as the engine gets it. */
  readonly wasmBytes: Uint8Array | null;
  /** Why it stays on the interpreter; null where it does not. */
  readonly interpreted: string | null;
  readonly counts: ShaderCounts;
}

/** What the compilers need besides a program. */
export interface CodeMaker {
  readonly math: ConstantMath;
  /** Null where the kernel has none. */
  readonly inlines: () => Inlines | null;
  readonly sharedMemory: boolean;
}

/** The value of `make` at the first call, kept. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** What `run` gives, and the milliseconds that it took. */
function timed<T>(run: () => T): readonly [T, number] {
  const began = clockMs(), value = run();
  return [value, clockMs() - began];
}

/** The module, or why there is none. */
function emit(stage: JitStage, { inlines, sharedMemory }: CodeMaker): JitModule | string {
  const functions = inlines();
  if (functions === null) return 'this kernel has no functions for compiled programs';
  const options = { inlines: functions, sharedMemory };
  try {
    return emitModule(stage, options);
  } catch (error) {
    if (error instanceof ProgramTooLargeError) return error.message;
    throw error;
  }
}

function wasmCounts(bytes: Uint8Array): WasmCounts {
  const functions = countInstructions(bytes);
  return { bytes: bytes.length, instructions: Object.values(functions)
    .reduce((sum, { total }) => sum + total, 0), functions };
}

/** Of a geometry stage there is the IR alone: what it is compiled to follows from the maxVertices of its slot. */
function onlyIr(program: IrProgram): ShaderCode {
  const ir = lazy(() => print(program));
  return {
    get ir() { return ir(); },
    bytecode: '', wasm: null, wasmBytes: null,
    interpreted: 'what geometry stages are compiled to follows from the maxVertices of their slot',
    counts: {
      rate: stageOf(program).rate, parts: 1, irNodes: countNodes(program.body), bytecode: 0, prologue: 0, registers: 0,
      constants: 0, uniformValues: 0, wasm: null, milliseconds: { encode: 0, emit: 0 },
    },
  };
}

/** Corners that a control program reads, as far as the last of them. */
const cornersOf = ({ inputs }: IrProgram): number =>
  inputs.reduce((most, input) => Math.max(most, input.kind === 'attribute' ? (input.corner ?? 0) + 1 : 0), 0);

/** Samples of the pixels that a shader with `dispatchSamples` is compiled for here; its pipeline may have others. */
const DISPATCHED_SAMPLES = 4;

/** A pipeline keeps what `dispatchSamples` sends until the shader ends, and so does the code that is shown. */
const sendingAtItsEnd = (program: IrProgram, { math }: CodeMaker): IrProgram => (
  hasDispatches(program) ? optimize(gatherDispatches(program, DISPATCHED_SAMPLES).program, math) : program
);

function irText(program: IrProgram): string {
  const { parts } = program;
  if (parts === undefined) return print(program);
  const each = new ProgramParts(program);
  return Array.from({ length: parts }, (_, part) => (
    `;; part ${part + 1} of ${parts}\n${print(dropUnused(each.part(part).program))}`
  )).join('\n');
}

/** Compiles for the interpreter at once, for the JIT on request. @throws ProgramTooLargeError */
export function inspectCode(lowered: IrProgram, maker: CodeMaker): ShaderCode {
  if (lowered.kind === 'geometry') return onlyIr(lowered);
  const program = lowered.kind === 'compute'
    ? cutAtBarriers(lowered)
    : arrangeInputs(sendingAtItsEnd(lowered, maker), lowered.kind === 'tess_control' ? cornersOf(lowered) : 0);
  const [encoded, encode] = timed(() => encodeBytecode(program));
  const emission = lazy(() => timed(() => emit({ program, encoded }, maker)));
  const emitted = (): JitModule | string => emission()[0];
  const wasmBytes = (): Uint8Array | null => {
    const module = emitted();
    return typeof module === 'string' ? null : module.bytes;
  };
  const ifCompiled = <T>(make: (bytes: Uint8Array) => T) => lazy((): T | null => {
    const bytes = wasmBytes();
    return bytes && make(bytes);
  });
  const wasm = ifCompiled(printModule), counted = ifCompiled(wasmCounts);
  const ir = lazy(() => irText(program)), bytecode = lazy(() => disassemble(encoded));
  return {
    get ir() { return ir(); },
    get bytecode() { return bytecode(); },
    get wasm() { return wasm(); },
    get wasmBytes() { return wasmBytes(); },
    get interpreted() {
      const module = emitted();
      return typeof module === 'string' ? module : null;
    },
    get counts() {
      const { registers, uniforms, constants } = encoded;
      const { body, prologue } = countBytecode(encoded);
      return {
        rate: stageOf(program).rate, parts: program.parts ?? 1, irNodes: countNodes(program.body), bytecode: body,
        prologue, registers, constants: constants.length, uniformValues: uniforms, wasm: counted(),
        milliseconds: { encode, emit: counted() === null ? 0 : emission()[1] },
      };
    },
  };
}
