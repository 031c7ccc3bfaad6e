// The JIT: compiles the IR to a WebAssembly SIMD module per program. Its functions take the same WARP record as the
// interpreter and produce the same bits. Suggested reading order:
//
// - ../control.ts and analysis/needs.ts analyse the program before code is written.
// - analysis/chains.ts decides whether two quads run together.
// - frame.ts writes the loop over quads.
// - values.ts, body.ts and instructions.ts write an iteration of that loop.
// - quads.ts computes inputs from planes.
// - sites.ts reads textures.
// - common.ts inlines functions with rare cases.
// - analysis/repeats.ts leaves out what a quad has in common with the one before it.

import { REGISTER_BYTES } from '../../../assembly/layout/limits';
import { Warp } from '../../../build/layout';
import { defaultShaderLimits } from '../../base/shader-limits';
import { finish, type Steps } from '../../base/steps';
import {
  accessUse,
  readsOtherLanes,
  countNodes,
  forEachInstruction,
  forEachNode,
  hasLoop,
  isAtomic,
  ProgramParts,
  readsTexture,
  type IrProgram,
} from '../../ir';
import type { EncodedProgram } from '../encode';
import { emitted, i32, v128, type Local } from '../wasm/expression';
import type { Inlines } from '../wasm/inlines';
import { FunctionWriter, ModuleWriter } from '../wasm/writer';
import { Body } from './body';
import { findFacts, uniformWordsOf, type Facts } from './analysis/facts';
import { CodeBudget } from './budget';
import { hasChain, isStraightChain } from './analysis/chains';
import { Constants, Frame, type Imports } from './frame';
import { canInterpolate, QuadInputs } from './quads';
import { Words } from './scalars';
import { Sites } from './sites';
import { wholeFunctions } from './common';
import { Values } from './values';

/** A linked, optimised program, and the bytecode whose uniform block and registers it shares. */
export interface JitStage {
  readonly program: IrProgram;
  readonly encoded: EncodedProgram;
}
interface JitOptions {
  /** The kernel's own functions. */
  readonly inlines: Inlines;
  readonly sharedMemory: boolean;
  /** ShaderLimits.codeBytes. */
  readonly codeBytes?: number;
  /** Overrides the number of quads that run together. Tests set it to cover both cases. */
  readonly width?: 1 | 2;
}
/**
 * `registers` reads its inputs from the register file and works for all packers. `quads` computes the inputs itself and
 * is for packers of quads or blocks.
 */
export type JitExport = 'registers' | 'quads';
export interface JitModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Words that env.constants points at, in device memory, 16-byte aligned. */
  readonly constants: Uint32Array;
  readonly exports: readonly JitExport[];
  /** SITE_DESCRIPTIONs (assembly/layout/warp/site.ts). */
  readonly sites: Uint32Array;
  /** Size in bytes of the required register file: inputs, outputs, texture sites and lane arrays. */
  readonly fileBytes: number;
  /** Whether `quads` reads the warp's masks. */
  readonly quadsMasks: boolean;
}

/** Maximum number of nodes for running two quads together. For larger programs V8's compile time exceeds the gain. */
const MAX_PAIRED_NODES = 3000;

/**
 * Whether two quads run through a program together. In a loop with a dependency chain, the processor executes
 * operations of the other quad in the meantime: ray marching in a distance field takes 0.65 of the time. Three quads
 * take 1.08 of the time of two, and four take 0.98, for twice the code.
 *
 * In other loops the processor already finds independent operations ahead, and two quads would only execute each
 * other's branches: with sixty lights that mostly do not reach a quad, the factor was 1.16. The following also
 * exclude pairs:
 *
 * - Texture reads in loops, which are calls per quad and cost more than the chain.
 * - Accesses to memory that other invocations write, which must happen in the order of the quads. In compute shaders,
 *   only atomic operations and accesses to images and surfaces count.
 * - Quad operations: lanes agree on the result within one quad only.
 */
function canPairQuads(program: IrProgram): boolean {
  if (countNodes(program.body) > MAX_PAIRED_NODES) return false;
  if (!hasLoop(program.body)) return canPairStraight(program);
  if (!hasChain(program)) return false;
  let calls = program.kind === 'compute' ? ordersInvocations(program) : accessUse(program).accesses;
  forEachNode(program.body, (node) => {
    if (node.kind !== 'loop' || calls) return;
    forEachInstruction(node.body, ({ op }) => {
      calls ||= readsTexture(op);
    });
  });
  return !calls;
}

/**
 * canPairQuads for programs without loops. With texture reads, two quads take about as long as single ones (0.93 to
 * 1.06), and a page that one of them misses would make both wait.
 */
function canPairStraight(program: IrProgram): boolean {
  if (program.kind !== 'fragment' || accessUse(program).accesses || !isStraightChain(program)) return false;
  return !textureReads(program);
}

/** Whether a compute program has accesses that must be done one quad after another. */
function ordersInvocations(program: IrProgram): boolean {
  let found = false;
  forEachInstruction(program.body, ({ op, imm }) => {
    found ||= (isAtomic(op) && program.resources[imm]!.kind !== 'counters') || /^(image|surface)\./.test(op);
  });
  return found;
}

/** Number of quads that run together. */
const widthOf = (program: IrProgram, { width }: JitOptions): 1 | 2 =>
  readsOtherLanes(program) ? 1 : (width ?? (canPairQuads(program) ? 2 : 1));

const budgetOf = (program: IrProgram, { codeBytes = defaultShaderLimits.codeBytes }: JitOptions): CodeBudget =>
  new CodeBudget(program, codeBytes);

/** Compiles a program. Throws ProgramTooLargeError if engines would reject the module. */
export const emitModule = (stage: JitStage, options: JitOptions): JitModule => finish(emittingModule(stage, options));

/** Same as `emitModule`, in steps. */
export function* emittingModule(stage: JitStage, options: JitOptions): Steps<JitModule> {
  const { program, encoded } = stage;
  const module = new ModuleWriter();
  const { imports, constants } = declare(module, options);
  const exports: JitExport[] = [];
  const budget = budgetOf(program, options);
  const add = (name: JitExport, writer: FunctionWriter): void => {
    budget.check(writer);
    module.add(writer, name);
    exports.push(name);
  };
  if (program.parts !== undefined) return yield* emittingParts(stage, options, { module, imports, constants }, budget);
  const width = widthOf(program, options);
  const facts = findFacts(program, uniformWordsOf(stage), options.inlines, width);
  // Both functions number their sites in the same way.
  let sites = newSites(stage);
  let memoryBytes = 0;
  const quads = new Frame(constants, imports, width);
  const used = inputsRead(program);
  const interpolates = canInterpolate(program, used);
  if (interpolates) {
    add('quads', quadsFunction(facts, quads, { inlines: options.inlines, sites, budget }, used));
    memoryBytes = sites.bytes;
  }
  // Only programs without derivatives run in warps of single pixels.
  if (!interpolates || !program.usesDerivatives) {
    yield;
    sites = newSites(stage);
    const frame = new Frame(constants, imports, width);
    add('registers', registersFunction(facts, frame, { inlines: options.inlines, sites, budget }));
    memoryBytes = Math.max(memoryBytes, sites.bytes);
  }
  yield;
  return {
    bytes: module.bytes(),
    constants: constants.array(),
    exports,
    sites: sites.words(),
    fileBytes: (encoded.inputs + encoded.outputs) * REGISTER_BYTES + memoryBytes,
    quadsMasks: quads.usesMasks,
  };
}

/** Emits a function for each part of a program that is cut at its barriers, and one that calls the requested part. */
function* emittingParts(
  stage: JitStage,
  options: JitOptions,
  { module, imports, constants }: WebGpuType,
  budget: CodeBudget
): Steps<JitModule> {
  const { program, encoded } = stage;
  const sites = newSites(stage);
  const parts: number[] = [];
  const each = new ProgramParts(program);
  const uniformWords = uniformWordsOf(stage);
  for (let part = 0; part < program.parts!; part++) {
    const { program: own, values } = each.part(part);
    const width = widthOf(own, options);
    const frame = new Frame(constants, imports, width);
    const ownWords = Int32Array.from(values, (id) => uniformWords[id]!);
    const facts = findFacts(own, ownWords, options.inlines, width);
    const writer = registersFunction(facts, frame, { inlines: options.inlines, sites, budget });
    budget.add(writer);
    parts.push(module.add(writer));
    yield;
  }
  const input = program.inputs.findIndex((each) => each.kind === 'builtin' && each.builtin === 'part');
  module.add(chooser(parts, input * REGISTER_BYTES), 'registers');
  return {
    bytes: module.bytes(),
    constants: constants.array(),
    exports: ['registers'],
    sites: sites.words(),
    fileBytes: (encoded.inputs + encoded.outputs) * REGISTER_BYTES + sites.bytes,
    quadsMasks: true,
  };
}

/** Calls the function selected by the word at an offset of the register file. */
function chooser(functions: readonly number[], offset: number): FunctionWriter {
  const writer = new FunctionWriter(['i32'], ['i32']);
  const warp = writer.parameters[0] as Local<'i32'>;
  const part = writer.kept('i32', i32.load(i32.load(warp, Warp.registers), offset));
  const choose = (first: number, end: number): void => {
    if (end - first === 1) return writer.return(emitted<'i32'>(() => writer.run(functions[first]!, warp)));
    const middle = (first + end) >> 1;
    writer.if(i32.less(part, i32.constant(middle)), () => choose(first, middle));
    choose(middle, end);
  };
  choose(0, functions.length);
  return writer;
}

interface WebGpuType {
  readonly module: ModuleWriter;
  readonly imports: Imports;
  readonly constants: Constants;
}

function declare(
  module: ModuleWriter,
  { inlines, sharedMemory }: JitOptions
): { imports: Imports; constants: Constants } {
  module.importMemory('env', 'memory', sharedMemory);
  const constants = module.importGlobal('env', 'constants');
  const timeExpired = module.importFunction('host', 'timeExpired', [], ['i32']);
  // Does not import the table, through which it could call sites directly, because V8 (11.3) never frees an instance
  // that imports one.
  const runSite = module.importFunction('kernel', 'runSite', ['i32'], []);
  const access = (name: string): number => module.importFunction('kernel', name, ['i32', 'i32', 'i32'], []);
  const inMemory = new Constants();
  const whole = wholeFunctions(module, inlines, inMemory, constants);
  const imports = {
    constants,
    timeExpired,
    runSite,
    loadSamplesQuad: access('loadSamplesQuad'),
    loadSurfaceQuad: access('loadSurfaceQuad'),
    storeSurfaceQuad: access('storeSurfaceQuad'),
    loadImageQuad: access('loadImageQuad'),
    storeImageQuad: access('storeImageQuad'),
    accessBufferQuad: access('accessBufferQuad'),
    whole,
    isShared: sharedMemory,
  };
  return { imports, constants: inMemory };
}

function textureReads(program: IrProgram): number {
  let count = 0;
  forEachInstruction(program.body, ({ texture }) => {
    if (texture !== undefined) count++;
  });
  return count;
}

const newSites = ({ program }: JitStage): Sites => new Sites(program, textureReads(program));

/** What is needed to write functions. */
interface Parts {
  readonly inlines: Inlines;
  readonly sites: Sites;
  readonly budget: CodeBudget;
}

/** A function that reads its inputs from the register file. */
function registersFunction(facts: Facts, frame: Frame, { inlines, sites, budget }: Parts): FunctionWriter {
  if (frame.quads.length > 1) frame.pair();
  const words = new Words(facts, frame.writer);
  const values = frame.quads.map(
    (quad) =>
      new Values(facts, frame, quad, inlines, (index) => v128.load(quad.registers, index * REGISTER_BYTES), words)
  );
  new Body(values, sites, budget, facts).write();
  return frame.finish(
    () => undefined,
    () => undefined
  );
}

/** The indices of the inputs that a program reads. */
function inputsRead(program: IrProgram): number[] {
  const read = new Set<number>();
  forEachInstruction(program.body, ({ op, imm }) => {
    if (op === 'input') read.add(imm);
  });
  return [...read].sort((a, b) => a - b);
}

/** A function that computes its inputs from the planes of the packer's triangles. */
function quadsFunction(
  facts: Facts,
  frame: Frame,
  { inlines, sites, budget }: Parts,
  used: readonly number[]
): FunctionWriter {
  const { program } = facts;
  const first = new QuadInputs(program, frame, used);
  const inputs = [first];
  if (frame.quads.length > 1) {
    const second = new QuadInputs(program, frame, used, first);
    second.follow(frame.pair());
    inputs.push(second);
  }
  const words = new Words(facts, frame.writer);
  const values = inputs.map(
    (each, k) => new Values(facts, frame, frame.quads[k]!, inlines, (index) => each.value(index), words)
  );
  for (const each of inputs) each.prepare();
  new Body(values, sites, budget, facts).write();
  return frame.finish(
    () => first.start(),
    () => first.step(inputs.length)
  );
}
