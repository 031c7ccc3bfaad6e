// A render pipeline in device memory: linked programs, and the part of the DRAW record that does not change from draw to draw.
import * as D from '../../assembly/layout/draw';
import { FORMAT_BGRA8UNORM, FORMAT_RGBA8UNORM } from '../../assembly/layout/formats';
import * as T from '../../assembly/layout/texture';
import { MAX_COLOR_TARGETS, REGISTER_BYTES } from '../../assembly/layout/limits';
import type { EncodedProgram } from '../codegen';
import { surfaceUse, type IrInput, type IrOutput, type IrProgram } from '../ir';
import { DESCRIPTION_BYTES } from '../../assembly/layout/site';
import type { Linked } from '../mpipe';
import { hasDepth, hasStencil } from '../surface';
import type { Compiled, PipelineSource } from './compiled';
import { blendFactorNumber, blendOperationNumber, compareNumber, cullNumber, stencilNumber, topologyNumber } from './enums';
import type { LinkedPrograms } from './linker';
import type { ProgramMemory } from './program-memory';
import type { BlendComponentState, PipelineState, PipelineStore, StencilFace, TargetState } from './types';

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
    readonly state: PipelineState, { linked, encoded }: LinkedPrograms, readonly vertex: StageMemory, readonly fragment: StageMemory | null,
    public source: PipelineSource | null,
  ) {
    this.attributes = attributeSources(state, linked.vertex.inputs);
    const varyings = linked.vertex.outputs.length - 4;
    this.varyingSources = Int32Array.from({ length: varyings }, (_, i) => encoded.vertex.inputs + 4 + i);
    this.template = drawTemplate(state, linked, encoded.vertex, encoded.fragment);
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
   * Changes over to compiled functions, if they are there, have not been taken yet, and find `registers` enough for their file; whether it did.
   * No warp of the pipeline may be under way, and what was bound in register files is out of date: the engines use them differently.
   */
  changeOver(registers: number): boolean {
    const compiled = this.ready;
    if (!compiled || this.changedOver || this.compiledRegisters(compiled) > registers) return false;
    const { slots, records, variant: { emitted } } = compiled;
    this.vertex.memory.runCompiled(slots.vertex, 0, records.vertexSites, emitted.vertexSites.byteLength / DESCRIPTION_BYTES, true);
    this.fragment?.memory.runCompiled(slots.fragment, slots.quads, records.fragmentSites, emitted.fragmentSites.byteLength / DESCRIPTION_BYTES, emitted.quadsMasks);
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
    inputs.forEach((input, index) => { if (input.kind === 'attribute' && input.location === location) registers[input.component] = index; });
    return registers;
  };
  return state.buffers.flatMap((buffer, slot) => (buffer?.attributes ?? []).map((attribute) => ({
    slot, offset: attribute.offset, stride: buffer!.arrayStride, perInstance: buffer!.stepMode === 'instance',
    format: attribute.format, registers: registersOf(attribute.shaderLocation),
  }))).filter((source) => source.registers.some((register) => register >= 0));
}

function builtinRegister(inputs: readonly IrInput[], builtin: string, component = -1): number {
  return inputs.findIndex((input) => input.kind === 'builtin' && input.builtin === builtin && (input.builtin !== 'position' || input.component === component));
}

/**
 * Shaded once per visible pixel: nothing of what was there before is seen, nothing but coverage and depth decides what is written, and the
 * program writes nothing else.
 */
function isDeferred(state: PipelineState, fragment: IrProgram): boolean {
  if (isLate(state, fragment) || surfaceUse(fragment).ordered) return false;
  return state.targets.every((target, index) => {
    if (!target) return true;
    const components = fragment.outputs.filter((output) => output.kind === 'color' && output.location === index).length;
    const all = (1 << target.format.channels) - 1;
    return !blends(target) && components >= target.format.channels && (target.writeMask & all) === all;
  });
}
/** Whether what was there before has a say: source · 1 + destination · 0 replaces it. */
function blends(target: TargetState): boolean {
  const replaces = ({ operation, srcFactor, dstFactor }: BlendComponentState): boolean => operation === 'add' && srcFactor === 'one' && dstFactor === 'zero';
  return target.blend !== null && !(replaces(target.blend.color) && replaces(target.blend.alpha));
}
/** Premultiplied over, on all channels of four linear bytes. */
function isOver({ format, blend, writeMask }: TargetState): boolean {
  const over = ({ operation, srcFactor, dstFactor }: BlendComponentState): boolean => operation === 'add' && srcFactor === 'one' && dstFactor === 'one-minus-src-alpha';
  return blend !== null && over(blend.color) && over(blend.alpha) && writeMask === 15 && (format.id === FORMAT_RGBA8UNORM || format.id === FORMAT_BGRA8UNORM);
}
function isLate(state: PipelineState, fragment: IrProgram): boolean {
  return fragment.usesDiscard || state.multisample.alphaToCoverageEnabled || fragment.outputs.some((output) => output.kind === 'frag_depth' || output.kind === 'sample_mask');
}
function isPerSample(fragment: IrProgram): boolean {
  return fragment.inputs.some((input) => (input.kind === 'builtin' && input.builtin === 'sample_index') || (input.kind === 'varying' && input.sampling === 'sample' && input.interpolation !== 'flat'));
}

function drawFlags(state: PipelineState, fragment: IrProgram | null): number {
  let flags = state.primitive.unclippedDepth ? D.DRAW_FLAG_UNCLIPPED_DEPTH : 0;
  if (state.depthStencil && hasStencil(state.depthStencil.format)) flags |= D.DRAW_FLAG_STENCIL;
  if (!fragment) return flags;
  if (isDeferred(state, fragment)) flags |= D.DRAW_FLAG_DEFERRED;
  if (isLate(state, fragment)) flags |= D.DRAW_FLAG_LATE_DEPTH;
  if (isPerSample(fragment)) flags |= D.DRAW_FLAG_PER_SAMPLE;
  if (surfaceUse(fragment).accesses) flags |= D.DRAW_FLAG_SURFACES;
  if (state.multisample.alphaToCoverageEnabled) flags |= D.DRAW_FLAG_ALPHA_TO_COVERAGE;
  return flags;
}

function drawTemplate(state: PipelineState, linked: Linked, vertex: EncodedProgram, fragment: EncodedProgram | null): Uint8Array {
  const view = new DataView(new ArrayBuffer(D.DRAW_BYTES));
  const put = (field: number, value: number): void => view.setInt32(field, value, true);
  const putFloat = (field: number, value: number): void => view.setFloat32(field, value, true);
  put(D.DRAW_FLAGS, drawFlags(state, linked.fragment));
  put(D.DRAW_VERTEX_INDEX_REGISTER, builtinRegister(linked.vertex.inputs, 'vertex_index'));
  put(D.DRAW_INSTANCE_INDEX_REGISTER, builtinRegister(linked.vertex.inputs, 'instance_index'));
  put(D.DRAW_POSITION_REGISTER, vertex.inputs);
  put(D.DRAW_VARYING_COUNT, linked.vertex.outputs.length - 4);
  linked.groups.forEach((count, group) => put(D.DRAW_VARYING_GROUPS + group * 4, count));
  put(D.DRAW_TOPOLOGY, topologyNumber[state.primitive.topology]);
  put(D.DRAW_CULL, cullNumber[state.primitive.cullMode]);
  put(D.DRAW_FRONT_CW, state.primitive.frontFace === 'cw' ? 1 : 0);
  putDepthStencil(state, put, putFloat);
  put(D.DRAW_SAMPLE_MASK, state.multisample.mask | 0);
  put(D.DRAW_TARGET_COUNT, state.targets.length);
  putFragmentRegisters(linked.fragment, fragment, put);
  for (let i = 0; i < MAX_COLOR_TARGETS; i++) {
    putTarget(state.targets[i] ?? null, linked.fragment?.outputs ?? [], fragment?.inputs ?? 0, i, (field, value) => put(D.DRAW_TARGETS + i * D.TARGET_BYTES + field, value));
  }
  return new Uint8Array(view.buffer);
}

function putDepthStencil(state: PipelineState, put: (field: number, value: number) => void, putFloat: (field: number, value: number) => void): void {
  const depth = state.depthStencil;
  const tested = depth && hasDepth(depth.format);
  put(D.DRAW_DEPTH_COMPARE, tested ? compareNumber[depth.depthCompare] : T.COMPARE_ALWAYS);
  put(D.DRAW_DEPTH_WRITE, tested && depth.depthWriteEnabled ? 1 : 0);
  if (!depth) return;
  put(D.DRAW_DEPTH_BIAS, depth.depthBias);
  putFloat(D.DRAW_DEPTH_BIAS_SLOPE, depth.depthBiasSlopeScale);
  putFloat(D.DRAW_DEPTH_BIAS_CLAMP, depth.depthBiasClamp);
  const putFace = (field: number, face: StencilFace): void => {
    put(field + D.STENCIL_COMPARE, compareNumber[face.compare]);
    put(field + D.STENCIL_FAIL, stencilNumber[face.failOp]);
    put(field + D.STENCIL_DEPTH_FAIL, stencilNumber[face.depthFailOp]);
    put(field + D.STENCIL_PASS, stencilNumber[face.passOp]);
  };
  putFace(D.DRAW_STENCIL_FRONT, depth.stencilFront);
  putFace(D.DRAW_STENCIL_BACK, depth.stencilBack);
  put(D.DRAW_STENCIL_READ_MASK, depth.stencilReadMask | 0);
  put(D.DRAW_STENCIL_WRITE_MASK, depth.stencilWriteMask | 0);
}

function putFragmentRegisters(fragment: IrProgram | null, encoded: EncodedProgram | null, put: (field: number, value: number) => void): void {
  const inputs = fragment?.inputs ?? [];
  const outputs = fragment?.outputs ?? [];
  [D.DRAW_FRAGMENT_POSITION_X, D.DRAW_FRAGMENT_POSITION_Y, D.DRAW_FRAGMENT_POSITION_Z, D.DRAW_FRAGMENT_POSITION_W].forEach((field, component) => put(field, builtinRegister(inputs, 'position', component)));
  put(D.DRAW_FRONT_FACING_REGISTER, builtinRegister(inputs, 'front_facing'));
  put(D.DRAW_SAMPLE_INDEX_REGISTER, builtinRegister(inputs, 'sample_index'));
  put(D.DRAW_SAMPLE_MASK_IN_REGISTER, builtinRegister(inputs, 'sample_mask'));
  const outputRegister = (kind: IrOutput['kind']): number => {
    const index = outputs.findIndex((output) => output.kind === kind);
    return index < 0 ? -1 : encoded!.inputs + index;
  };
  put(D.DRAW_FRAG_DEPTH_REGISTER, outputRegister('frag_depth'));
  put(D.DRAW_SAMPLE_MASK_OUT_REGISTER, outputRegister('sample_mask'));
}

function putTarget(target: TargetState | null, outputs: readonly IrOutput[], firstOutput: number, location: number, put: (field: number, value: number) => void): void {
  const registers = [0, 1, 2, 3].map((component) => {
    const index = outputs.findIndex((output) => output.kind === 'color' && output.location === location && output.component === component);
    return index < 0 ? -1 : firstOutput + index;
  });
  registers.forEach((register, component) => put(D.TARGET_REGISTERS + component * 4, register));
  if (!target) return;
  const written = registers[0]! >= 0;
  put(D.TARGET_FORMAT, target.format.id);
  put(D.TARGET_WRITE_MASK, written ? target.writeMask : 0);
  if (!target.blend || !blends(target)) return;
  put(D.TARGET_BLEND, isOver(target) ? D.BLENDS_OVER : D.BLENDS);
  put(D.TARGET_COLOR_OP, blendOperationNumber[target.blend.color.operation]);
  put(D.TARGET_COLOR_SRC, blendFactorNumber[target.blend.color.srcFactor]!);
  put(D.TARGET_COLOR_DST, blendFactorNumber[target.blend.color.dstFactor]!);
  put(D.TARGET_ALPHA_OP, blendOperationNumber[target.blend.alpha.operation]);
  put(D.TARGET_ALPHA_SRC, blendFactorNumber[target.blend.alpha.srcFactor]!);
  put(D.TARGET_ALPHA_DST, blendFactorNumber[target.blend.alpha.dstFactor]!);
}
