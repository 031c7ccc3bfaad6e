// A shader in device memory: the PROGRAM record (layout/program/program.ts), its bytecode and its constants, in one
// allocation.
import { PROGRAM_FLAG_NO_MASKS } from '../../../assembly/layout/program/program-codes';
import { Program } from '../../../build/layout';
import { WORD } from '../../base/bits';
import type { EncodedProgram } from '../../codegen';
import type { Allocator } from '../../memory';
import type { StageSlots } from '../../mpipe';

/** The functions of a compiled shader, and its texture reads (layout/program/program.ts). */
export interface CompiledFunctions {
  readonly slots: StageSlots;
  readonly sites: number;
  readonly siteCount: number;
  /** Whether the function for quads reads execution masks. */
  readonly quadsMasks: boolean;
}

/** Writes compiled functions into a PROGRAM record. */
export function writeFunctions(
  u32: Uint32Array,
  program: number,
  { slots, sites, siteCount, quadsMasks }: CompiledFunctions
): void {
  const put = (field: number, value: number): void => {
    u32[(program + field) / WORD] = value;
  };
  put(Program.slot, slots.registers);
  put(Program.quadsSlot, slots.quads);
  put(Program.sites, sites);
  put(Program.siteCount, siteCount);
  if (slots.quads !== 0 && !quadsMasks) u32[(program + Program.flags) / WORD]! |= PROGRAM_FLAG_NO_MASKS;
}

export class ProgramMemory {
  readonly address: number;
  /** Words in a draw call's uniform block: constants, then uniforms. */
  readonly uniformWords: number;
  readonly registers: number;
  readonly bytes: number;
  /** Address of its constants. All draw calls use it as their uniform block, if no prologue computes uniforms. */
  readonly constants: number;
  readonly hasPrologue: boolean;
  private alive = true;

  /** Throws OutOfMemoryError. */
  constructor(
    private readonly allocator: Allocator,
    private readonly memory: WebAssembly.Memory,
    encoded: EncodedProgram,
    label: string
  ) {
    const words = encoded.code.length + encoded.prologue.length + encoded.constants.length;
    this.bytes = Program.bytes + words * WORD;
    this.address = allocator.allocate(this.bytes, label);
    this.uniformWords = encoded.constants.length + encoded.uniforms;
    this.registers = encoded.registers;
    const code = this.address + Program.bytes;
    const prologue = code + encoded.code.length * WORD;
    const constants = (this.constants = prologue + encoded.prologue.length * WORD);
    this.hasPrologue = encoded.prologue.length > 0 || encoded.uniforms > 0;
    const u32 = new Uint32Array(this.memory.buffer);
    u32.set(encoded.code, code / WORD);
    u32.set(encoded.prologue, prologue / WORD);
    u32.set(encoded.constants, constants / WORD);
    const put = (field: number, value: number): void => {
      u32[(this.address + field) / WORD] = value;
    };
    put(Program.code, code);
    put(Program.prologue, encoded.prologue.length ? prologue : 0);
    put(Program.inputs, encoded.inputs);
    put(Program.outputs, encoded.outputs);
    put(Program.constants, encoded.constants.length);
    put(Program.uniforms, encoded.uniforms);
    put(Program.constantData, constants);
    put(Program.flags, encoded.flags);
    put(Program.registers, encoded.registers);
    put(Program.surfaces, encoded.surfaces);
  }

  /** Lets warps run in these functions from now on. No warp of the shader may be in flight. */
  runCompiled(functions: CompiledFunctions): void {
    writeFunctions(new Uint32Array(this.memory.buffer), this.address, functions);
  }

  destroy(): void {
    if (!this.alive) return;
    this.alive = false;
    this.allocator.free(this.address);
  }
}
