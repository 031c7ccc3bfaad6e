// Shows the code that an entry point is compiled to, and its size: IR, interpreter bytecode, and WebAssembly of the
// JIT.

import { clockMs } from '../base/clock';
import { ProgramTooLargeError } from '../base/errors';
import { countBytecode, disassemble, encodeBytecode } from '../codegen';
import { emitModule, type JitModule, type JitStage } from '../codegen/jit';
import type { Inlines } from '../codegen/wasm/inlines';
import { countInstructions, printModule, type InstructionCounts } from '../codegen/wasm/print';
import {
  countNodes,
  cutAtBarriers,
  dropUnused,
  gatherDispatches,
  hasDispatches,
  optimize,
  print,
  ProgramParts,
  type IrProgram,
} from '../ir';
import type { ConstantMath } from './front-end';
import { arrangeInputs, stageOf, type StageRate } from '../mpipe';

/** Size of a WebAssembly module. */
export interface WasmCounts {
  /** Size of the whole module in bytes. */
  readonly bytes: number;
  /** Number of instructions in all its functions. */
  readonly instructions: number;
  /**
   * Instruction counts by function. `registers` reads its inputs from the register file. `quads` interpolates them from
   * triangles; most fragments use it.
   */
  readonly functions: Readonly<Record<string, InstructionCounts>>;
}

/** Size and cost of an entry point's code. */
export interface ShaderCounts {
  /** What one invocation is run for, for example a vertex or a pixel. */
  readonly rate: StageRate;
  /** Number of parts into which barriers divide a compute shader; 1 for other stages. */
  readonly parts: number;
  /** Number of instructions and control flow nodes in the optimised IR. */
  readonly irNodes: number;
  /** Number of interpreter instructions that run for each warp. */
  readonly bytecode: number;
  /** Number of interpreter instructions that run once per draw call, to compute uniform values. */
  readonly prologue: number;
  /** Registers that a warp needs on the interpreter. Each holds 64 lanes. */
  readonly registers: number;
  readonly constants: number;
  /** Number of values that are constant during a draw call. */
  readonly uniformValues: number;
  /** Null if the shader stays on the interpreter. */
  readonly wasm: WasmCounts | null;
  /** Time of the first code generation, in milliseconds: the bytecode, and the WebAssembly (0 if there is none). */
  readonly milliseconds: { readonly encode: number; readonly emit: number };
}

/**
 * The code that an entry point is compiled to. Each text is made at its first use.
 *
 * The entry point is compiled without a pipeline. In a pipeline, vertex outputs that the fragment stage does not read
 * are removed, together with all code that only they need. A shader that calls `dispatchSamples` is compiled for four
 * samples per pixel.
 */
export interface ShaderCode {
  /** The optimised IR with one instruction per line. A shader with barriers is shown as separate parts. */
  readonly ir: string;
  /** The interpreter's bytecode with one instruction per line. */
  readonly bytecode: string;
  /** The JIT's module as WebAssembly text; null if the shader stays on the interpreter. */
  readonly wasm: string | null;
  /** The JIT's module in binary form; null if the shader stays on the interpreter. */
  readonly wasmBytes: Uint8Array | null;
  /** Reason why the shader stays on the interpreter; null if it does not. */
  readonly interpreted: string | null;
  readonly counts: ShaderCounts;
}

/** What the code generators need in addition to a program. */
export interface CompilerEnvironment {
  readonly math: ConstantMath;
  /** Null if the kernel contains no functions for inlining. */
  readonly inlines: () => Inlines | null;
  readonly sharedMemory: boolean;
}

/** Caches the result of the first call of `make`. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** Returns the result of `run`, and the milliseconds that it took. */
function timed<T>(run: () => T): readonly [T, number] {
  const began = clockMs();
  const value = run();
  return [value, clockMs() - began];
}

/** Returns the module, or the reason why there is none. */
function emit(stage: JitStage, { inlines, sharedMemory }: CompilerEnvironment): JitModule | string {
  const functions = inlines();
  if (functions === null) return 'this kernel build does not support compiled shaders';
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
  return {
    bytes: bytes.length,
    instructions: Object.values(functions).reduce((sum, { total }) => sum + total, 0),
    functions,
  };
}

/** Geometry stages only show their IR: further compilation depends on the maxVertices of their slot. */
function irCodeOnly(program: IrProgram): ShaderCode {
  const ir = lazy(() => print(program));
  return {
    get ir() {
      return ir();
    },
    bytecode: '',
    wasm: null,
    wasmBytes: null,
    interpreted: 'the code of a geometry stage depends on maxVertices of its slot in a modular pipeline',
    counts: {
      rate: stageOf(program).rate,
      parts: 1,
      irNodes: countNodes(program.body),
      bytecode: 0,
      prologue: 0,
      registers: 0,
      constants: 0,
      uniformValues: 0,
      wasm: null,
      milliseconds: { encode: 0, emit: 0 },
    },
  };
}

/** Number of control points that a control stage reads, up to the last of them. */
const cornersOf = ({ inputs }: IrProgram): number =>
  inputs.reduce((most, input) => Math.max(most, input.kind === 'attribute' ? (input.corner ?? 0) + 1 : 0), 0);

/**
 * Samples per pixel for which a shader with `dispatchSamples` is compiled here; its pipeline may have another number.
 */
const DISPATCHED_SAMPLES = 4;

/** Collects the dispatches of `dispatchSamples` until the shader ends, as pipelines do. */
const gatherDispatchesAtEnd = (program: IrProgram, { math }: CompilerEnvironment): IrProgram =>
  hasDispatches(program) ? optimize(gatherDispatches(program, DISPATCHED_SAMPLES).program, math) : program;

function irText(program: IrProgram): string {
  const { parts } = program;
  if (parts === undefined) return print(program);
  const each = new ProgramParts(program);
  return Array.from(
    { length: parts },
    (_, part) => `;; part ${part + 1} of ${parts}\n${print(dropUnused(each.part(part).program))}`
  ).join('\n');
}

/** Generates the interpreter's code immediately, and the JIT's code on demand. @throws ProgramTooLargeError */
export function inspectCode(lowered: IrProgram, maker: CompilerEnvironment): ShaderCode {
  if (lowered.kind === 'geometry') return irCodeOnly(lowered);
  const program =
    lowered.kind === 'compute'
      ? cutAtBarriers(lowered)
      : arrangeInputs(gatherDispatchesAtEnd(lowered, maker), lowered.kind === 'tess_control' ? cornersOf(lowered) : 0);
  const [encoded, encode] = timed(() => encodeBytecode(program));
  const emission = lazy(() => timed(() => emit({ program, encoded }, maker)));
  const emitted = (): JitModule | string => emission()[0];
  const wasmBytes = (): Uint8Array | null => {
    const module = emitted();
    return typeof module === 'string' ? null : module.bytes;
  };
  const ifCompiled = <T>(make: (bytes: Uint8Array) => T) =>
    lazy((): T | null => {
      const bytes = wasmBytes();
      return bytes && make(bytes);
    });
  const wasm = ifCompiled(printModule);
  const counted = ifCompiled(wasmCounts);
  const ir = lazy(() => irText(program));
  const bytecode = lazy(() => disassemble(encoded));
  return {
    get ir() {
      return ir();
    },
    get bytecode() {
      return bytecode();
    },
    get wasm() {
      return wasm();
    },
    get wasmBytes() {
      return wasmBytes();
    },
    get interpreted() {
      const module = emitted();
      return typeof module === 'string' ? module : null;
    },
    get counts() {
      const { registers, uniforms, constants } = encoded;
      const { body, prologue } = countBytecode(encoded);
      return {
        rate: stageOf(program).rate,
        parts: program.parts ?? 1,
        irNodes: countNodes(program.body),
        bytecode: body,
        prologue,
        registers,
        constants: constants.length,
        uniformValues: uniforms,
        wasm: counted(),
        milliseconds: { encode, emit: counted() === null ? 0 : emission()[1] },
      };
    },
  };
}
