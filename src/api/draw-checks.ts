// What a draw needs of the state that is set: https://www.w3.org/TR/webgpu/#abstract-opdef-valid-to-draw

import type { BoundGroup, DrawState, PassState } from '../render/types';
import type { FormatInfo } from '../surface/formats';
import type { BindGroupCore } from './bind-group';
import type { BufferCore } from './buffer';
import type { PipelineParts, RenderPipelineCore } from './pipeline';

type No = (message: string) => never;
export interface SetGroup {
  readonly group: BindGroupCore;
  /** By index in the layout's dynamic bindings. */
  readonly offsets: readonly number[];
  readonly bound: BoundGroup;
}
export interface BoundSlot {
  readonly buffer: BufferCore;
  readonly bound: NonNullable<DrawState['vertexBuffers'][number]>;
}
export interface BoundIndex {
  readonly buffer: BufferCore;
  readonly format: GPUIndexFormat;
  readonly bound: NonNullable<DrawState['index']>;
}

/** Formats of a pass or pipeline as messages show them; targets that are null at the end do not count. */
function formatList(formats: readonly (FormatInfo | null)[]): string {
  const names = formats.map((format) => format?.name ?? 'none');
  while (names.at(-1) === 'none') names.pop();
  return `[${names.join(', ')}]`;
}

/** The pipeline's targets must be those of the pass. */
export function checkPipelineFits(
  pipeline: RenderPipelineCore, formats: readonly (FormatInfo | null)[], depthFormat: FormatInfo | null,
  target: Omit<PassState, 'draws'>, no: No
): void {
  const { state } = pipeline.parts;
  const own = state.targets, most = Math.max(own.length, formats.length);
  for (let i = 0; i < most; i++) {
    if ((own[i]?.format ?? null) !== (formats[i] ?? null))
      no(
        `${pipeline.called} renders to colour formats ${formatList(own.map((t) => t?.format ?? null))}, but the pass has ${formatList(formats)}`
      );
  }
  const depth = state.depthStencil;
  if ((depth?.format ?? null) !== depthFormat)
    no(
      `${pipeline.called} has depthStencil format ${depth?.format.name ?? 'none'}, but the pass has ${depthFormat?.name ?? 'none'}`
    );
  if (state.multisample.count !== target.samples)
    no(
      `${pipeline.called} renders ${state.multisample.count} sample(s), but the pass has ${target.samples}; set multisample.count`
    );
  if (depth === null || target.depthStencil === null) return;
  if (target.depthStencil.depthReadOnly && depth.depthWriteEnabled)
    no(`${pipeline.called} writes depth, but the pass has depthReadOnly`);
  if (target.depthStencil.stencilReadOnly && writesStencil(depth, state.primitive.cullMode))
    no(`${pipeline.called} writes stencil, but the pass has stencilReadOnly`);
}

function writesStencil(depth: NonNullable<PipelineParts['state']['depthStencil']>, cullMode: GPUCullMode): boolean {
  if (depth.stencilWriteMask === 0) return false;
  const faces = [
    ...(cullMode === 'front' ? [] : [depth.stencilFront]), ...(cullMode === 'back' ? [] : [depth.stencilBack]),
  ];
  return faces.some((face) => face.failOp !== 'keep' || face.depthFailOp !== 'keep' || face.passOp !== 'keep');
}

/** Bind groups set and of the pipeline's layout, buffers of the least size, vertex buffers set. */
export function checkBindings(
  pipeline: RenderPipelineCore, groups: readonly (SetGroup | null)[], slots: readonly (BoundSlot | null)[], no: No
): void {
  const { parts } = pipeline;
  parts.groups.forEach((layout, i) => {
    if (layout === null || layout.entries.length === 0) return;
    const set = groups[i]?.group;
    if (set === undefined) no(`${pipeline.called} needs a bind group at index ${i}; call setBindGroup(${i}, …)`);
    if (set.layout.key === layout.key) return;
    const auto = layout.key.startsWith('0;')
      ? ''
      : `; the pipeline has layout "auto": make the group with its getBindGroupLayout(${i})`;
    no(
      `${set.called} at index ${i} has ${set.layout.called}, which does not fit ${layout.called} of ${pipeline.called}${auto}`
    );
  });
  for (const { group, binding, bytes, name } of parts.lateSizes) {
    const bound = groups[group]?.group.bufferAt(binding);
    if (bound !== undefined && bound.size < bytes)
      no(
        `@group(${group}) @binding(${binding}) ${name} needs ${bytes} bytes, but ${bound.size} bytes of ${bound.buffer.called} are bound`
      );
  }
  for (const { slot } of parts.slots)
    if ((slots[slot] ?? null) === null)
      no(`${pipeline.called} needs a vertex buffer in slot ${slot}; call setVertexBuffer(${slot}, …)`);
}

/**
 * Vertex buffers must hold every vertex (`vertexEnd`; null when indices choose, which are bounded when they are read)
 * and instance.
 */
export function checkVertices(
  parts: PipelineParts, slots: readonly (BoundSlot | null)[], vertexEnd: number | null, instanceEnd: number, no: No
): void {
  for (const { slot, arrayStride, perInstance, lastEnd } of parts.slots) {
    const end = perInstance ? instanceEnd : vertexEnd;
    const set = slots[slot];
    if (end === null || end === 0 || set === null || set === undefined) continue;
    const needed = arrayStride === 0 ? lastEnd : (end - 1) * arrayStride + lastEnd;
    if (needed > set.bound.size)
      no(
        `${end} ${perInstance ? 'instances' : 'vertices'} need ${needed} bytes in vertex slot ${slot}, but ${set.bound.size} bytes of ${set.buffer.called} are bound`
      );
  }
}

export function checkIndices(
  parts: PipelineParts, index: BoundIndex | null, first: number, count: number, no: No
): void {
  if (index === null) return no('no index buffer is set; call setIndexBuffer() first');
  const { stripIndexFormat, state } = parts;
  if (state.primitive.topology.endsWith('strip') && stripIndexFormat !== index.format)
    no(
      `the index buffer's format ${index.format} differs from the pipeline's stripIndexFormat ${stripIndexFormat ?? '(none)'}`
    );
  const { size, bytes } = index.bound;
  if ((first + count) * bytes > size)
    no(
      `first index ${first} + count ${count} of ${index.format} exceed the ${size} bytes of ${index.buffer.called} that are bound`
    );
}
