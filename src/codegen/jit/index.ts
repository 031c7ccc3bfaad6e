// IR → a WebAssembly SIMD module: the JIT. One module a program; its functions take the WARP record that the
// interpreter takes, and give the same bits. What to read: ../control.ts and needs.ts (what is known beforehand),
// frame.ts (the loop over quads), values.ts and body.ts (a quad), quads.ts (inputs from planes), sites.ts (textures),
// common.ts (functions with rare cases).

import { REGISTER_BYTES } from '../../../assembly/layout/limits';
import { ProgramTooLargeError } from '../../base/lost';
import { finish, type Steps } from '../../base/steps';
import { forEachInstruction, type IrProgram } from '../../ir';
import type { EncodedProgram } from '../encode';
import { v128 } from '../wasm/expression';
import type { Inlines } from '../wasm/inlines';
import { ModuleWriter, type FunctionWriter } from '../wasm/writer';
import { Body } from './body';
import { Constants, Frame, type Imports } from './frame';
import { canInterpolate, QuadInputs } from './quads';
import { Sites } from './sites';
import { wholeFunctions } from './common';
import { Values } from './values';

/** A linked, optimised program, and the bytecode whose uniform block and registers it shares. */
export interface JitStage { readonly program: IrProgram; readonly encoded: EncodedProgram }
export interface JitOptions {
  /** The kernel's own functions. */
  readonly inlines: Inlines;
  readonly sharedMemory: boolean;
}
/**
 * `registers` reads its inputs from the register file, for all packers; `quads` finds the inputs of a packer of quads
 * or a block itself.
 */
export type JitExport = 'registers' | 'quads';
export interface JitModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Words that env.constants points at: device memory, 16-byte aligned. */
  readonly constants: Uint32Array;
  readonly exports: readonly JitExport[];
  /** SITE_DESCRIPTIONs (assembly/layout/site.ts). */
  readonly sites: Uint32Array;
  /** Bytes of the register file that the program needs: inputs, outputs, texture sites, lane arrays. */
  readonly fileBytes: number;
  /** Whether `quads` looks at the warp's masks. */
  readonly quadsMasks: boolean;
}

/** V8's limits (wasm-limits.h): bytes of a function's body, its locals. */
const MOST_BODY_BYTES = 7_600_000;
const MOST_LOCALS = 50_000;

/** Compiles a program. Throws ProgramTooLargeError where engines would not take the module. */
export const emitModule = (stage: JitStage, options: JitOptions): JitModule => finish(emittingModule(stage, options));

/** `emitModule` in steps. */
export function* emittingModule(stage: JitStage, options: JitOptions): Steps<JitModule> {
  const { program, encoded } = stage;
  const module = new ModuleWriter();
  const { imports, constants } = declare(module, options);
  const exports: JitExport[] = [];
  const add = (name: JitExport, writer: FunctionWriter): void => {
    check(writer, program);
    module.add(writer, name);
    exports.push(name);
  };
  // Both functions number their sites alike.
  let sites = newSites(stage);
  const quads = new Frame(constants, imports);
  const interpolates = canInterpolate(program);
  if (interpolates) add('quads', quadsFunction(stage, quads, options.inlines, sites));
  // Warps of single pixels are for programs without derivatives.
  if (!interpolates || !program.usesDerivatives) {
    yield;
    sites = newSites(stage);
    add('registers', registersFunction(stage, new Frame(constants, imports), options.inlines, sites));
  }
  yield;
  return {
    bytes: module.bytes(), constants: constants.array(), exports, sites: sites.words(),
    fileBytes: (encoded.inputs + encoded.outputs) * REGISTER_BYTES + sites.bytes, quadsMasks: quads.usesMasks,
  };
}

function declare(
  module: ModuleWriter, { inlines, sharedMemory }: JitOptions
): { imports: Imports; constants: Constants } {
  module.importMemory('env', 'memory', sharedMemory);
  const constants = module.importGlobal('env', 'constants');
  const timeExpired = module.importFunction('host', 'timeExpired', [], ['i32']);
  // Not the table, through which it could call sites itself: V8 (11.3) never frees an instance that imports one.
  const runSite = module.importFunction('kernel', 'runSite', ['i32'], []);
  const surfaceAccess = (name: string): number => module.importFunction('kernel', name, ['i32', 'i32', 'i32'], []);
  const inMemory = new Constants();
  const whole = wholeFunctions(module, inlines, inMemory, constants);
  const imports = {
    constants, timeExpired, runSite, loadSurfaceQuad: surfaceAccess('loadSurfaceQuad'),
    storeSurfaceQuad: surfaceAccess('storeSurfaceQuad'), whole,
  };
  return { imports, constants: inMemory };
}

function textureReads(program: IrProgram): number {
  let count = 0;
  forEachInstruction(program.body, ({ op }) => { if (op === 'texture.sample' || op === 'texture.load') count++; });
  return count;
}

const newSites = ({ program }: JitStage): Sites => new Sites(program, textureReads(program));

/** Inputs come from the register file. */
function registersFunction(stage: JitStage, frame: Frame, inlines: Inlines, sites: Sites): FunctionWriter {
  const values = new Values(stage, frame, inlines, (index) => v128.load(frame.registers, index * REGISTER_BYTES));
  new Body(values, sites).write();
  return frame.finish(() => undefined, () => undefined);
}

/** Inputs come from the planes of the packer's triangles. */
function quadsFunction(stage: JitStage, frame: Frame, inlines: Inlines, sites: Sites): FunctionWriter {
  const used = new Set<number>();
  forEachInstruction(stage.program.body, ({ op, imm }) => { if (op === 'input') used.add(imm); });
  const inputs = new QuadInputs(stage.program, frame, [...used].sort((a, b) => a - b));
  const values = new Values(stage, frame, inlines, (index) => inputs.value(index));
  inputs.prepare();
  new Body(values, sites).write();
  return frame.finish(() => inputs.start(), () => inputs.step());
}

function check(writer: FunctionWriter, program: IrProgram): void {
  if (writer.code.length < MOST_BODY_BYTES && writer.locals.length < MOST_LOCALS) return;
  throw new ProgramTooLargeError(
    `the ${program.kind} program '${program.name}' is too large to be compiled: ${writer.code.length} bytes of code (limit ${MOST_BODY_BYTES}), ${writer.locals.length} locals (limit ${MOST_LOCALS}); use smaller functions or fewer unrolled statements`
  );
}
