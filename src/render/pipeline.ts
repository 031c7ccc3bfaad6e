// A render pipeline in device memory: linked programs, and the part of the DRAW record that does not change from draw
// to draw.
import {
  DRAW_FLAG_ALPHA_TO_COVERAGE, DRAW_FLAG_DEFERRED, DRAW_FLAG_LATE_DEPTH, DRAW_FLAG_STENCIL,
  DRAW_FLAG_SURFACES, DRAW_FLAG_UNCLIPPED_DEPTH,
} from '../../assembly/layout/draw-codes';
import { MAX_COLOR_TARGETS, REGISTER_BYTES } from '../../assembly/layout/limits';
import { RATE_PIXEL, RATE_SAMPLE } from '../../assembly/layout/stage-codes';
import { COMPARE_ALWAYS } from '../../assembly/layout/texture-codes';
import { Draw, SiteDescription, Stage, StencilFace as StencilFaceRecord, Target } from '../../build/layout';
import type { EncodedProgram } from '../codegen';
import { surfaceUse, type IrInput, type IrOutput, type IrProgram } from '../ir';
import { hasDepth, hasStencil } from '../surface';
import type { Compiled, PipelineSource } from './compiled';
import { compareNumber, cullNumber, stencilNumber, topologyNumber } from './enums';
import type { LinkedPrograms } from './linker';
import type { ProgramMemory } from './program-memory';
import { blends, putTarget, type PrepareTarget } from './target';
import type { PipelineState, PipelineStore, StencilFace } from './types';

/** Where one vertex attribute comes from: resolved against the bound buffers at each draw. */
export interface AttributeSource {
  readonly slot: number;
  readonly offset: number;
  readonly stride: number;
  readonly perInstance: boolean;
  readonly format: GPUVertexFormat;
  /** Registers of the components; -1 where the program does not read one. */
  readonly registers: readonly [number, number, number, number];
}

/** Memory that a compiled program takes in all, by that of its bytecode. */
const CODE_FACTOR = 10;

export interface StageMemory { readonly memory: ProgramMemory; readonly program: IrProgram }

export class Pipeline implements PipelineStore {
  readonly template: Uint8Array;
  readonly attributes: readonly AttributeSource[];
  /** Output register of each varying. */
  readonly varyingSources: Int32Array;
  private alive = true;
  private ready: Compiled | null = null;
  /** Warps run in compiled functions. */
  private changedOver = false;

  /** `source`: what is to be compiled; null once it is, or where nothing is. */
  constructor(
    readonly state: PipelineState, programs: LinkedPrograms, readonly vertex: StageMemory,
    readonly fragment: StageMemory | null, public source: PipelineSource | null, prepare: PrepareTarget,
  ) {
    const { linked, encoded } = programs;
    this.attributes = attributeSources(state, linked.vertex.inputs);
    const varyings = linked.vertex.outputs.length - 4;
    this.varyingSources = Int32Array.from({ length: varyings }, (_, i) => encoded.vertex.inputs + 4 + i);
    this.template = drawTemplate(state, programs, prepare);
  }

  /** Its functions on the device, once they are there. */
  get compiled(): Compiled | null { return this.ready; }

  get isAlive(): boolean { return this.alive; }

  /** Bytecode, and some ten times as much of WebAssembly and native code. */
  get bytes(): number { return CODE_FACTOR * (this.vertex.memory.bytes + (this.fragment?.memory.bytes ?? 0)); }

  /** Registers that a warp's file needs, by the engine that needs more. */
  get registers(): number {
    const interpreted = Math.max(this.vertex.memory.registers, this.fragment?.memory.registers ?? 0);
    return this.ready ? Math.max(interpreted, this.compiledRegisters(this.ready)) : interpreted;
  }

  /** The pipeline's functions are there: it changes over at the next chance. */
  compiledTo(compiled: Compiled): void {
    this.ready = compiled;
    this.source = null;
  }

  /**
   * Changes over to compiled functions, if they are there, have not been taken yet, and find `registers` enough for
   * their file; whether it did. No warp of the pipeline may be under way, and what was bound in register files is out
   * of date: the engines use them differently.
   */
  changeOver(registers: number): boolean {
    const compiled = this.ready;
    if (!compiled || this.changedOver || this.compiledRegisters(compiled) > registers) return false;
    const { slots, records, variant: { emitted } } = compiled;
    this.vertex.memory.runCompiled(
      slots.vertex, 0, records.vertexSites, emitted.vertexSites.byteLength / SiteDescription.bytes, true
    );
    this.fragment?.memory.runCompiled(
      slots.fragment, slots.quads, records.fragmentSites, emitted.fragmentSites.byteLength / SiteDescription.bytes,
      emitted.quadsMasks
    );
    return this.changedOver = true;
  }

  destroy(): void {
    if (!this.alive) return;
    this.alive = false;
    this.vertex.memory.destroy();
    this.fragment?.memory.destroy();
    this.ready?.release();
  }

  private compiledRegisters({ variant: { emitted } }: Compiled): number {
    return Math.ceil(Math.max(emitted.vertexBytes, emitted.fragmentBytes) / REGISTER_BYTES);
  }
}

function attributeSources(state: PipelineState, inputs: readonly IrInput[]): AttributeSource[] {
  const registersOf = (location: number): [number, number, number, number] => {
    const registers: [number, number, number, number] = [-1, -1, -1, -1];
    inputs.forEach((input, index) => {
      if (input.kind === 'attribute' && input.location === location) registers[input.component] = index;
    });
    return registers;
  };
  return state.buffers.flatMap((buffer, slot) => (buffer?.attributes ?? []).map((attribute) => ({
    slot, offset: attribute.offset, stride: buffer!.arrayStride, perInstance: buffer!.stepMode === 'instance',
    format: attribute.format, registers: registersOf(attribute.shaderLocation),
  }))).filter((source) => source.registers.some((register) => register >= 0));
}

function builtinRegister(inputs: readonly IrInput[], builtin: string, component = -1): number {
  return inputs.findIndex((input) => input.kind === 'builtin' && input.builtin === builtin
    && (input.builtin !== 'position' || input.component === component));
}

/**
 * Shaded once per visible pixel: nothing of what was there before is seen, nothing but coverage and depth decides what
 * is written, and the program writes nothing else.
 */
function isDeferred(state: PipelineState, fragment: IrProgram): boolean {
  if (isLate(state, fragment) || surfaceUse(fragment).ordered) return false;
  return state.targets.every((target, index) => {
    if (!target) return true;
    // Components that it lacks are constants.
    const writes = fragment.outputs.some((output) => output.kind === 'color' && output.location === index);
    const all = (1 << target.format.channels) - 1;
    return !blends(target) && writes && (target.writeMask & all) === all;
  });
}
function isLate(state: PipelineState, fragment: IrProgram): boolean {
  return fragment.usesDiscard || state.multisample.alphaToCoverageEnabled
    || fragment.outputs.some((output) => output.kind === 'frag_depth' || output.kind === 'sample_mask');
}
function isPerSample(fragment: IrProgram): boolean {
  return fragment.inputs.some((input) => (input.kind === 'builtin' && input.builtin === 'sample_index')
    || (input.kind === 'varying' && input.sampling === 'sample' && input.interpolation !== 'flat'));
}

function drawFlags(state: PipelineState, fragment: IrProgram | null): number {
  let flags = state.primitive.unclippedDepth ? DRAW_FLAG_UNCLIPPED_DEPTH : 0;
  if (state.depthStencil && hasStencil(state.depthStencil.format)) flags |= DRAW_FLAG_STENCIL;
  if (!fragment) return flags;
  if (isDeferred(state, fragment)) flags |= DRAW_FLAG_DEFERRED;
  if (isLate(state, fragment)) flags |= DRAW_FLAG_LATE_DEPTH;
  if (surfaceUse(fragment).accesses) flags |= DRAW_FLAG_SURFACES;
  if (state.multisample.alphaToCoverageEnabled) flags |= DRAW_FLAG_ALPHA_TO_COVERAGE;
  return flags;
}

function drawTemplate(
  state: PipelineState, { linked, encoded: { vertex, fragment } }: LinkedPrograms, prepare: PrepareTarget
): Uint8Array {
  const view = new DataView(new ArrayBuffer(Draw.bytes));
  const put = (field: number, value: number): void => view.setInt32(field, value, true);
  const putFloat = (field: number, value: number): void => view.setFloat32(field, value, true);
  put(Draw.flags, drawFlags(state, linked.fragment));
  put(Draw.fragment + Stage.rate, linked.fragment && isPerSample(linked.fragment) ? RATE_SAMPLE : RATE_PIXEL);
  put(Draw.vertexIndexRegister, builtinRegister(linked.vertex.inputs, 'vertex_index'));
  put(Draw.instanceIndexRegister, builtinRegister(linked.vertex.inputs, 'instance_index'));
  put(Draw.positionRegister, vertex.inputs);
  put(Draw.varyingCount, linked.vertex.outputs.length - 4);
  linked.groups.forEach((count, group) => put(Draw.varyings + group * 4, count));
  put(Draw.topology, topologyNumber[state.primitive.topology]);
  put(Draw.cull, cullNumber[state.primitive.cullMode]);
  put(Draw.frontCw, state.primitive.frontFace === 'cw' ? 1 : 0);
  putDepthStencil(state, put, putFloat);
  put(Draw.sampleMask, state.multisample.mask | 0);
  put(Draw.targetCount, state.targets.length);
  putFragmentRegisters(linked.fragment, fragment, put);
  for (let i = 0; i < MAX_COLOR_TARGETS; i++) {
    const record = new Uint8Array(view.buffer, Draw.targets + i * Target.bytes, Target.bytes);
    putTarget(record, state.targets[i] ?? null, i, linked.fragment?.outputs ?? [], fragment?.inputs ?? 0, prepare);
  }
  return new Uint8Array(view.buffer);
}

function putDepthStencil(
  state: PipelineState, put: (field: number, value: number) => void, putFloat: (field: number, value: number) => void
): void {
  const depth = state.depthStencil;
  const tested = depth && hasDepth(depth.format);
  put(Draw.depthCompare, tested ? compareNumber[depth.depthCompare] : COMPARE_ALWAYS);
  put(Draw.depthWrite, tested && depth.depthWriteEnabled ? 1 : 0);
  if (!depth) return;
  put(Draw.depthBias, depth.depthBias);
  putFloat(Draw.depthBiasSlope, depth.depthBiasSlopeScale);
  putFloat(Draw.depthBiasClamp, depth.depthBiasClamp);
  const putFace = (field: number, face: StencilFace): void => {
    put(field + StencilFaceRecord.compare, compareNumber[face.compare]);
    put(field + StencilFaceRecord.fail, stencilNumber[face.failOp]);
    put(field + StencilFaceRecord.depthFail, stencilNumber[face.depthFailOp]);
    put(field + StencilFaceRecord.pass, stencilNumber[face.passOp]);
  };
  putFace(Draw.stencilFront, depth.stencilFront);
  putFace(Draw.stencilBack, depth.stencilBack);
  put(Draw.stencilReadMask, depth.stencilReadMask | 0);
  put(Draw.stencilWriteMask, depth.stencilWriteMask | 0);
}

function putFragmentRegisters(
  fragment: IrProgram | null, encoded: EncodedProgram | null, put: (field: number, value: number) => void
): void {
  const inputs = fragment?.inputs ?? [];
  const outputs = fragment?.outputs ?? [];
  [
    Draw.fragmentPositionX, Draw.fragmentPositionY, Draw.fragmentPositionZ, Draw.fragmentPositionW,
  ].forEach((field, component) => put(field, builtinRegister(inputs, 'position', component)));
  put(Draw.frontFacingRegister, builtinRegister(inputs, 'front_facing'));
  put(Draw.sampleIndexRegister, builtinRegister(inputs, 'sample_index'));
  put(Draw.sampleMaskInRegister, builtinRegister(inputs, 'sample_mask'));
  const outputRegister = (kind: IrOutput['kind']): number => {
    const index = outputs.findIndex((output) => output.kind === kind);
    return index < 0 ? -1 : encoded!.inputs + index;
  };
  put(Draw.fragDepthRegister, outputRegister('frag_depth'));
  put(Draw.sampleMaskOutRegister, outputRegister('sample_mask'));
}
