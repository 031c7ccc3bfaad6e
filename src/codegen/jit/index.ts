// IR → a WebAssembly SIMD module: the JIT. One module a program; its functions take the WARP record that the
// interpreter takes, and give the same bits. What to read: ../control.ts and needs.ts (what is known beforehand),
// chains.ts (whether two quads go together), frame.ts (the loop over quads), values.ts, body.ts and instructions.ts (a
// round of it), quads.ts (inputs from planes), sites.ts (textures), common.ts (functions with rare cases).

import { REGISTER_BYTES } from '../../../assembly/layout/limits';
import { Warp } from '../../../build/layout';
import { defaultShaderLimits } from '../../base/shader-limits';
import { finish, type Steps } from '../../base/steps';
import {
  accessUse, asksLanes, countNodes, forEachInstruction, forEachNode, hasLoop, isAtomic, ProgramParts, readsTexture,
  type IrProgram,
} from '../../ir';
import type { EncodedProgram } from '../encode';
import { emitted, i32, v128, type Local } from '../wasm/expression';
import type { Inlines } from '../wasm/inlines';
import { FunctionWriter, ModuleWriter } from '../wasm/writer';
import { Body } from './body';
import { CodeBudget } from './budget';
import { hasChain } from './chains';
import { Constants, Frame, type Imports } from './frame';
import { canInterpolate, QuadInputs } from './quads';
import { Words } from './scalars';
import { Sites } from './sites';
import { wholeFunctions } from './common';
import { findFacts, uniformWordsOf, Values, type Facts } from './values';

/** A linked, optimised program, and the bytecode whose uniform block and registers it shares. */
export interface JitStage { readonly program: IrProgram; readonly encoded: EncodedProgram }
export interface JitOptions {
  /** The kernel's own functions. */
  readonly inlines: Inlines;
  readonly sharedMemory: boolean;
  /** ShaderLimits.codeBytes. */
  readonly codeBytes?: number;
  /** Quads that go through the program together, if that is not for the program to say: tests want both. */
  readonly width?: 1 | 2;
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

/** Nodes of a program of which two quads are computed at a time: more would keep V8 longer than it is worth. */
const MOST_PAIRED_NODES = 3000;

/**
 * Whether two quads go through a program together. In a loop that waits for itself the processor does operations of
 * another quad meanwhile (rays that march through a field of distances: 0.65 of the time; three quads take 1.08 of the
 * time of two, four 0.98, for twice the code); elsewhere it looks far enough ahead to find others by itself, and two
 * quads would only take each other's branches (sixty lights, of which most do not reach a quad: 1.16). Texture reads
 * are calls, quad by quad: a loop with such spends more on them than it would wait. Accesses of what others write are
 * in the order of the quads; invocations of compute programs keep no order among each other, but for what atomic
 * operations give. Lanes that ask each other agree on what their quad gives, which is not the other's.
 */
function goesInPairs(program: IrProgram): boolean {
  if (!hasLoop(program.body) || countNodes(program.body) > MOST_PAIRED_NODES || !hasChain(program)) return false;
  let calls = program.kind === 'compute' ? ordersInvocations(program) : accessUse(program).accesses;
  forEachNode(program.body, (node) => {
    if (node.kind !== 'loop' || calls) return;
    forEachInstruction(node.body, ({ op }) => { calls ||= readsTexture(op); });
  });
  return !calls;
}

/** Whether a compute program has accesses that are done quad after quad. */
function ordersInvocations(program: IrProgram): boolean {
  let found = false;
  forEachInstruction(program.body, ({ op, imm }) => {
    found ||= (isAtomic(op) && program.resources[imm]!.kind !== 'counters') || /^(image|surface)\./.test(op);
  });
  return found;
}

/** How many quads go together. */
const widthOf = (program: IrProgram, { width }: JitOptions): 1 | 2 => (
  asksLanes(program) ? 1 : width ?? (goesInPairs(program) ? 2 : 1)
);

const budgetOf = (program: IrProgram, { codeBytes = defaultShaderLimits.codeBytes }: JitOptions): CodeBudget => (
  new CodeBudget(program, codeBytes)
);

/** Compiles a program. Throws ProgramTooLargeError where engines would not take the module. */
export const emitModule = (stage: JitStage, options: JitOptions): JitModule => finish(emittingModule(stage, options));

/** `emitModule` in steps. */
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
  const width = widthOf(program, options), facts = findFacts(program, uniformWordsOf(stage), options.inlines, width);
  // Both functions number their sites alike.
  let sites = newSites(stage);
  let memoryBytes = 0;
  const quads = new Frame(constants, imports, width);
  const used = inputsRead(program), interpolates = canInterpolate(program, used);
  if (interpolates) {
    add('quads', quadsFunction(facts, quads, { inlines: options.inlines, sites, budget }, used));
    memoryBytes = sites.bytes;
  }
  // Warps of single pixels are for programs without derivatives.
  if (!interpolates || !program.usesDerivatives) {
    yield;
    sites = newSites(stage);
    const frame = new Frame(constants, imports, width);
    add('registers', registersFunction(facts, frame, { inlines: options.inlines, sites, budget }));
    memoryBytes = Math.max(memoryBytes, sites.bytes);
  }
  yield;
  return {
    bytes: module.bytes(), constants: constants.array(), exports, sites: sites.words(),
    fileBytes: (encoded.inputs + encoded.outputs) * REGISTER_BYTES + memoryBytes, quadsMasks: quads.usesMasks,
  };
}

/** A function each part of a program that is cut at its barriers, and one that calls that which is asked for. */
function* emittingParts(
  stage: JitStage, options: JitOptions, { module, imports, constants }: Declared, budget: CodeBudget
): Steps<JitModule> {
  const { program, encoded } = stage, sites = newSites(stage), parts: number[] = [];
  const each = new ProgramParts(program), uniformWords = uniformWordsOf(stage);
  for (let part = 0; part < program.parts!; part++) {
    const { program: own, values } = each.part(part), width = widthOf(own, options);
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
    bytes: module.bytes(), constants: constants.array(), exports: ['registers'], sites: sites.words(),
    fileBytes: (encoded.inputs + encoded.outputs) * REGISTER_BYTES + sites.bytes, quadsMasks: true,
  };
}

/** Calls the function that the word at an offset of the register file names. */
function chooser(functions: readonly number[], offset: number): FunctionWriter {
  const writer = new FunctionWriter(['i32'], ['i32']), warp = writer.parameters[0] as Local<'i32'>;
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

interface Declared { readonly module: ModuleWriter; readonly imports: Imports; readonly constants: Constants }

function declare(
  module: ModuleWriter, { inlines, sharedMemory }: JitOptions
): { imports: Imports; constants: Constants } {
  module.importMemory('env', 'memory', sharedMemory);
  const constants = module.importGlobal('env', 'constants');
  const timeExpired = module.importFunction('host', 'timeExpired', [], ['i32']);
  // Not the table, through which it could call sites itself: V8 (11.3) never frees an instance that imports one.
  const runSite = module.importFunction('kernel', 'runSite', ['i32'], []);
  const access = (name: string): number => module.importFunction('kernel', name, ['i32', 'i32', 'i32'], []);
  const inMemory = new Constants();
  const whole = wholeFunctions(module, inlines, inMemory, constants);
  const imports = {
    constants, timeExpired, runSite, loadSurfaceQuad: access('loadSurfaceQuad'),
    storeSurfaceQuad: access('storeSurfaceQuad'), loadImageQuad: access('loadImageQuad'),
    storeImageQuad: access('storeImageQuad'), accessBufferQuad: access('accessBufferQuad'), whole,
    isShared: sharedMemory,
  };
  return { imports, constants: inMemory };
}

function textureReads(program: IrProgram): number {
  let count = 0;
  forEachInstruction(program.body, ({ op }) => { if (readsTexture(op)) count++; });
  return count;
}

const newSites = ({ program }: JitStage): Sites => new Sites(program, textureReads(program));

/** What functions are written with. */
interface Parts { readonly inlines: Inlines; readonly sites: Sites; readonly budget: CodeBudget }

/** Inputs come from the register file. */
function registersFunction(facts: Facts, frame: Frame, { inlines, sites, budget }: Parts): FunctionWriter {
  if (frame.quads.length > 1) frame.pair();
  const words = new Words(facts, frame.writer);
  const values = frame.quads.map((quad) => new Values(
    facts, frame, quad, inlines, (index) => v128.load(quad.registers, index * REGISTER_BYTES), words
  ));
  new Body(values, sites, budget).write();
  return frame.finish(() => undefined, () => undefined);
}

/** The inputs that a program reads, by their indices. */
function inputsRead(program: IrProgram): number[] {
  const read = new Set<number>();
  forEachInstruction(program.body, ({ op, imm }) => { if (op === 'input') read.add(imm); });
  return [...read].sort((a, b) => a - b);
}

/** Inputs come from the planes of the packer's triangles. */
function quadsFunction(
  facts: Facts, frame: Frame, { inlines, sites, budget }: Parts, used: readonly number[]
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
  new Body(values, sites, budget).write();
  return frame.finish(() => first.start(), () => first.step(inputs.length));
}
