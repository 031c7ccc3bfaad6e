// IR → a WebAssembly SIMD module: the JIT. One module a pipeline; its functions take the WARP record that the
// interpreter takes, and give the same bits. What to read: ../control.ts and needs.ts (what is known beforehand),
// frame.ts (the loop over quads), values.ts and body.ts (a quad), quads.ts (inputs from planes), sites.ts (textures),
// common.ts (functions with rare cases).

import { REGISTER_BYTES } from '../../../assembly/layout/limits';
import { ProgramTooLargeError } from '../../base/lost';
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
export type JitExport = 'vertex' | 'fragment' | 'quads';
export interface JitModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Words that env.constants points at: device memory, 16-byte aligned. */
  readonly constants: Uint32Array;
  /**
   * `quads` finds the inputs of a packer of quads or a block itself; `fragment` reads them from the register file, for
   * all packers.
   */
  readonly exports: readonly JitExport[];
  /** SITE_DESCRIPTIONs (assembly/layout/site.ts) of each stage. */
  readonly vertexSites: Uint32Array;
  readonly fragmentSites: Uint32Array;
  /** Bytes of the register file that each stage needs: inputs, outputs, texture sites, lane arrays. */
  readonly vertexBytes: number;
  readonly fragmentBytes: number;
  /** Whether `quads` looks at the warp's masks. */
  readonly quadsMasks: boolean;
}

/** V8's limits (wasm-limits.h): bytes of a function's body, its locals. */
const MOST_BODY_BYTES = 7_600_000;
const MOST_LOCALS = 50_000;

/** Compiles a pipeline's programs. Throws ProgramTooLargeError where engines would not take the module. */
export function emitModule(vertex: JitStage | null, fragment: JitStage | null, options: JitOptions): JitModule {
  const module = new ModuleWriter();
  const { imports, constants } = declare(module, options);
  const exports: JitExport[] = [];
  const add = (name: JitExport, writer: FunctionWriter, program: IrProgram): void => {
    check(writer, program);
    module.add(writer, name);
    exports.push(name);
  };
  const vertexSites = vertex && newSites(vertex);
  if (vertex && vertexSites)
    add(
      'vertex', registersFunction(vertex, new Frame(constants, imports), options.inlines, vertexSites), vertex.program
    );
  let fragmentSites: Sites | null = null;
  const quads = new Frame(constants, imports);
  if (fragment) {
    const interpolates = canInterpolate(fragment.program);
    if (interpolates)
      add(
        'quads', quadsFunction(fragment, quads, options.inlines, (fragmentSites = newSites(fragment))), fragment.program
      );
    // Warps of single pixels are for programs without derivatives.
    if (!interpolates || !fragment.program.usesDerivatives)
      add(
        'fragment',
        registersFunction(
          fragment, new Frame(constants, imports), options.inlines, (fragmentSites = newSites(fragment))
        ),
        fragment.program
      );
  }
  const bytesOf = (
    stage: JitStage | null, sites: Sites | null
  ): number => (stage && sites ? (stage.encoded.inputs + stage.encoded.outputs) * REGISTER_BYTES + sites.bytes : 0);
  return {
    bytes: module.bytes(), constants: constants.array(), exports,
    vertexSites: vertexSites?.words() ?? new Uint32Array(), fragmentSites: fragmentSites?.words() ?? new Uint32Array(),
    vertexBytes: bytesOf(vertex, vertexSites), fragmentBytes: bytesOf(fragment, fragmentSites),
    quadsMasks: quads.usesMasks,
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
    `the ${program.stage} program '${program.name}' is too large to be compiled: ${writer.code.length} bytes of code (limit ${MOST_BODY_BYTES}), ${writer.locals.length} locals (limit ${MOST_LOCALS}); use smaller functions or fewer unrolled statements`
  );
}
