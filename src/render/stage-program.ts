// A stage on a device: its bytecode in device memory and, once they are there, its compiled functions. All pipelines of
// the device that have the stage share it.
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import { PROGRAM_FLAG_TURNS } from '../../assembly/layout/program-codes';
import { SiteDescription } from '../../build/layout';
import { countBytecode, type EncodedProgram } from '../codegen';
import { mostOperations, type IrInput, type IrOutput, type IrProgram, type IrResource } from '../ir';
import type {
  CoarseLinks, Emission, LoadedStage, PatchStage, SetLinks, StageKind, StageRate, StageSlots,
} from '../mpipe';
import type { Compiled } from './compiled';
import type { EncodedStage } from './linker';
import { ModuleDirectory } from './module-directory';
import type { CompiledFunctions, ProgramMemory } from './program-memory';
import type { StageStatistics, StageTimes } from './types';

/**
 * The most operations, of warps, that the calling thread runs where workers could: some 20 ms on the interpreter. A
 * loop without a constant bound exceeds it.
 */
export const MOST_ALONE = 200_000;

/** Memory that a compiled program takes in all, by that of its bytecode. */
const CODE_FACTOR = 10;

export class StageProgram implements LoadedStage {
  /** Pipelines that have it. */
  users = 0;
  /** Draws that it took part in. */
  runs = 0;
  /** That ran it, of passes that are done; of render pipelines, where statistics ask. */
  warps = 0;
  /** Too large to be compiled, or no memory for its code. */
  staysInterpreted = false;
  readonly times: { -readonly [Step in keyof StageTimes]: number } = {
    emit: 0, compile: 0, instantiate: 0, warmUp: 0,
  };
  private ready: Compiled | null = null;
  private bound: number | null = null;
  private counts: ReturnType<typeof countBytecode> | null = null;
  /** Warps run in compiled functions. */
  private changedOver = false;

  constructor(
    readonly encodedStage: EncodedStage, readonly memory: ProgramMemory,
    private readonly unused: (program: StageProgram) => void
  ) {}

  get program(): IrProgram { return this.encodedStage.program; }
  get encoded(): EncodedProgram { return this.encodedStage.encoded; }
  get kind(): StageKind { return this.encodedStage.kind; }
  get rate(): StageRate { return this.encodedStage.rate; }
  get inputs(): readonly IrInput[] { return this.encodedStage.inputs; }
  get outputs(): readonly IrOutput[] { return this.encodedStage.outputs; }
  get resources(): readonly IrResource[] { return this.encodedStage.resources; }
  get emission(): Emission | null { return this.encodedStage.emission; }
  get patch(): PatchStage | null { return this.encodedStage.patch; }
  get sets(): SetLinks | null { return this.encodedStage.sets; }
  get coarse(): CoarseLinks | null { return this.encodedStage.coarse; }
  /** Its quads take turns where they access elements of buffers that others may. */
  get takesTurns(): boolean { return (this.encoded.flags & PROGRAM_FLAG_TURNS) !== 0; }
  /** The most operations that a warp runs; Infinity where a loop has no constant bound. */
  get mostOperations(): number { return this.bound ??= mostOperations(this.program); }
  get uniforms(): number { return this.memory.uniformWords; }
  get slots(): StageSlots | null { return this.ready?.slots ?? null; }

  get registers(): number {
    const { registers } = this.memory;
    return this.ready ? Math.max(registers, compiledRegisters(this.ready)) : registers;
  }

  /** It is compiled, or never will be. */
  get isSettled(): boolean { return this.ready !== null || this.staysInterpreted; }

  /** Its functions, once they are there. */
  get compiled(): Compiled | null { return this.ready; }

  /** Bytecode, and some ten times as much of WebAssembly and native code. */
  get bytes(): number { return CODE_FACTOR * this.memory.bytes; }

  /** Its functions are there: it changes over at the next chance. */
  compiledTo(compiled: Compiled): void {
    compiled.users++;
    this.ready = compiled;
  }

  /**
   * Changes over to compiled functions, if they are there, have not been taken yet, and find `registers` enough for
   * their file. No warp of the program may be under way, and what was bound in register files is out of date: the
   * engines use them differently. Whether it did.
   */
  changeOver(registers: number): boolean {
    const compiled = this.ready;
    if (!compiled || this.changedOver || compiledRegisters(compiled) > registers) return false;
    this.memory.runCompiled(functionsOf(compiled));
    return this.changedOver = true;
  }

  /** `compiles`: the device compiles programs. */
  statistics(compiles: boolean): StageStatistics {
    const { body, prologue } = this.counts ??= countBytecode(this.encoded);
    const compiled = this.ready !== null, waits = compiles && !this.staysInterpreted;
    return {
      name: this.program.name, kind: this.kind, rate: this.rate, pipelines: this.users, runs: this.runs,
      warps: this.warps, state: compiled ? 'compiled' : waits ? 'waiting' : 'interpreted', instructions: body, prologue,
      registers: this.registers,
      moduleBytes: this.ready ? ModuleDirectory.bytesOf(this.ready.variant.emitted) : 0, times: { ...this.times },
    };
  }

  /** One pipeline less has it; the last one gives everything back. */
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

/** What a PROGRAM record says of compiled functions. */
export function functionsOf({ slots, records, variant: { emitted } }: Compiled): CompiledFunctions {
  const { sites, quadsMasks } = emitted;
  return { slots, sites: records.sites, siteCount: sites.byteLength / SiteDescription.bytes, quadsMasks };
}
