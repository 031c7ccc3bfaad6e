// A stage on a device: its bytecode in device memory and, once they exist, its compiled functions. All pipelines of the
// device with this stage share it.
import { REGISTER_BYTES } from '../../../assembly/layout/limits';
import { PROGRAM_FLAG_QUADS_IN_ORDER } from '../../../assembly/layout/program/program-codes';
import { SiteDescription } from '../../../build/layout';
import { countBytecode, type EncodedProgram } from '../../codegen';
import type { IrInput, IrOutput, IrProgram, IrResource } from '../../ir';
import type {
  CoarseLinks,
  Emission,
  LoadedStage,
  PatchStage,
  SetLinks,
  StageKind,
  StageRate,
  StageSlots,
} from '../../mpipe';
import type { Compiled } from './compiled';
import type { EncodedStage } from './linker';
import { fact } from './program-facts';
import { ModuleDirectory } from './module-directory';
import type { CompiledFunctions, ProgramMemory } from './program-memory';
import type { StageStatistics, StageTimes } from '../types';

/**
 * Maximum number of operations, in warps, that the calling thread runs if workers could run them instead. They take
 * about 20 ms in the interpreter. A loop without a constant bound exceeds the limit.
 */
export const MAX_CALLER_OPERATIONS = 200_000;

/** Total memory of a compiled shader, relative to its bytecode. */
const CODE_FACTOR = 10;

export class StageProgram implements LoadedStage {
  /** Number of pipelines that use it. */
  users = 0;
  /** Number of draw calls or dispatches that used it. */
  runs = 0;
  /** Number of warps that ran it, in passes that are done. For render pipelines only if statistics are requested. */
  warps = 0;
  /** Whether the program will never be compiled, because it is too large or there is no memory for its code. */
  staysInterpreted = false;
  readonly times: { -readonly [Step in keyof StageTimes]: number } = { emit: 0, compile: 0, instantiate: 0, warmUp: 0 };
  private ready: Compiled | null = null;
  private counts: ReturnType<typeof countBytecode> | null = null;
  /** Whether warps run in compiled functions. */
  private changedOver = false;

  constructor(
    readonly encodedStage: EncodedStage,
    readonly memory: ProgramMemory,
    private readonly unused: (program: StageProgram) => void
  ) {}

  get program(): IrProgram {
    return this.encodedStage.program;
  }
  get encoded(): EncodedProgram {
    return this.encodedStage.encoded;
  }
  get kind(): StageKind {
    return this.encodedStage.kind;
  }
  get rate(): StageRate {
    return this.encodedStage.rate;
  }
  get inputs(): readonly IrInput[] {
    return this.encodedStage.inputs;
  }
  get outputs(): readonly IrOutput[] {
    return this.encodedStage.outputs;
  }
  get resources(): readonly IrResource[] {
    return this.encodedStage.resources;
  }
  get emission(): Emission | null {
    return this.encodedStage.emission;
  }
  get patch(): PatchStage | null {
    return this.encodedStage.patch;
  }
  get sets(): SetLinks | null {
    return this.encodedStage.sets;
  }
  get coarse(): CoarseLinks | null {
    return this.encodedStage.coarse;
  }
  /** Whether its quads must take turns, because they access buffer elements that other quads may access. */
  get needsQuadOrder(): boolean {
    return (this.encoded.flags & PROGRAM_FLAG_QUADS_IN_ORDER) !== 0;
  }
  /** Maximum number of operations that a warp runs; Infinity if a loop has no constant bound. */
  get maxOperations(): number {
    return fact(this.program, 'maxOperations');
  }
  get uniforms(): number {
    return this.memory.uniformWords;
  }
  get slots(): StageSlots | null {
    return this.ready?.slots ?? null;
  }

  get registers(): number {
    const { registers } = this.memory;
    return this.ready ? Math.max(registers, compiledRegisters(this.ready)) : registers;
  }

  /** Whether the program is compiled, or will never be. */
  get isSettled(): boolean {
    return this.ready !== null || this.staysInterpreted;
  }

  /** The compiled functions; null while the program is interpreted. */
  get compiled(): Compiled | null {
    return this.ready;
  }

  /** Bytes of bytecode, WebAssembly and native code; the last two are estimated. */
  get bytes(): number {
    return CODE_FACTOR * this.memory.bytes;
  }

  /** Sets the compiled functions. The stage switches over at the next opportunity. */
  setCompiled(compiled: Compiled): void {
    compiled.users++;
    this.ready = compiled;
  }

  /**
   * Switches to compiled functions, if they exist, are not in use yet, and need at most `registers` registers. Returns
   * whether it has switched. No warp of the shader may be in flight, and the contents of register files are invalid
   * afterwards, because the engines use them differently.
   */
  switchToCompiled(registers: number): boolean {
    const compiled = this.ready;
    if (!compiled || this.changedOver || compiledRegisters(compiled) > registers) return false;
    this.memory.runCompiled(functionsOf(compiled));
    return (this.changedOver = true);
  }

  /** `compiles`: whether the device compiles shaders. */
  statistics(compiles: boolean): StageStatistics {
    const { body, prologue } = (this.counts ??= countBytecode(this.encoded));
    const compiled = this.ready !== null;
    const waits = compiles && !this.staysInterpreted;
    return {
      name: this.program.name,
      kind: this.kind,
      rate: this.rate,
      pipelines: this.users,
      runs: this.runs,
      warps: this.warps,
      state: compiled ? 'compiled' : waits ? 'waiting' : 'interpreted',
      instructions: body,
      prologue,
      registers: this.registers,
      moduleBytes: this.ready ? ModuleDirectory.bytesOf(this.ready.variant.emitted) : 0,
      times: { ...this.times },
    };
  }

  /** Removes one pipeline. The last one frees everything. */
  release(): void {
    if (--this.users > 0) return;
    this.unused(this);
    this.memory.destroy();
    this.ready?.release();
  }
}

function compiledRegisters({ variant: { emitted } }: Compiled): number {
  return Math.ceil(emitted.fileBytes / REGISTER_BYTES);
}

/** The compiled functions as a PROGRAM record needs them. */
export function functionsOf({ slots, records, variant: { emitted } }: Compiled): CompiledFunctions {
  const { sites, quadsMasks } = emitted;
  return { slots, sites: records.sites, siteCount: sites.byteLength / SiteDescription.bytes, quadsMasks };
}
