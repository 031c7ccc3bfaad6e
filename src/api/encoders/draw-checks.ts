// Validates the state that a draw call needs: https://www.w3.org/TR/webgpu/#abstract-opdef-valid-to-draw

import type { Fail } from '../core/device-core';
import { isStrip } from '../../mpipe';
import { dynamicOffset } from '../../render/resources/bound-groups';
import type { DrawState } from '../../render/types';
import type { FormatInfo } from '../../surface/formats';
import type { BoundBuffer, SetGroup } from '../resources/bind-group';
import { mayWrite } from '../resources/bind-layout';
import type { BufferCore } from '../resources/buffer';
import type { PipelineParts, RenderPipelineCore } from '../pipelines/pipeline';
import type { RenderLayout } from './render-layout';
import { overlap } from './usage-scope';

export interface BoundSlot {
  readonly buffer: BufferCore;
  readonly bound: NonNullable<DrawState['vertexBuffers'][number]>;
}
export interface BoundIndex {
  readonly buffer: BufferCore;
  readonly format: GPUIndexFormat;
  readonly bound: NonNullable<DrawState['index']>;
}

/** Lists the formats of a pass or pipeline for messages, without null targets at the end. */
function formatList(formats: readonly (FormatInfo | null)[]): string {
  const names = formats.map((format) => format?.name ?? 'none');
  while (names.at(-1) === 'none') names.pop();
  return `[${names.join(', ')}]`;
}

interface Targets extends Pick<RenderLayout, 'formats' | 'depthFormat' | 'samples'> {
  readonly called: string;
  /** Member of the descriptor that sets the number of samples, for messages. */
  readonly sampleMember: string;
}

/** Requires that the colour formats, depth format and sample count of a pipeline or bundle match the layout. */
function checkTargets(targets: Targets, layout: RenderLayout, no: Fail): void {
  const { called, formats, depthFormat: depth, samples } = targets;
  const { purpose: what } = layout;
  const most = Math.max(formats.length, layout.formats.length);
  for (let i = 0; i < most; i++) {
    if ((formats[i] ?? null) !== (layout.formats[i] ?? null))
      no(
        `${called} renders to colour formats ${formatList(formats)}, but the ${what} has ${formatList(layout.formats)}`
      );
  }
  if (depth !== layout.depthFormat)
    no(
      `${called} has depthStencil format ${depth?.name ?? 'none'}, but the ${what} has `
        + `${layout.depthFormat?.name ?? 'none'}`
    );
  if (samples !== layout.samples)
    no(`${called} renders ${samples} sample(s), but the ${what} has ${layout.samples}; set ${targets.sampleMember}`);
}

/** Requires that the pipeline's targets match the pass or bundle. */
export function checkPipelineFits(pipeline: RenderPipelineCore, layout: RenderLayout, no: Fail): void {
  const { called } = pipeline;
  const { purpose: what } = layout;
  // Buffer sinks draw nothing.
  for (const { targets, depthStencil: depth, multisample, primitive } of pipeline.outputs) {
    checkTargets(
      {
        called,
        formats: targets.map((target) => target?.format ?? null),
        depthFormat: depth?.format ?? null,
        samples: multisample.count,
        sampleMember: 'multisample.count',
      },
      layout,
      no
    );
    if (depth === null) continue;
    if (layout.depthReadOnly && depth.depthWriteEnabled)
      no(`${called} writes depth, but the ${what} has depthReadOnly`);
    if (layout.stencilReadOnly && writesStencil(depth, primitive.cullMode))
      no(`${called} writes stencil, but the ${what} has stencilReadOnly`);
  }
}

/** Requires that the bundle's formats match the pass, and that it writes no aspect that is read-only in the pass. */
export function checkBundleFits(called: string, own: RenderLayout, layout: RenderLayout, no: Fail): void {
  checkTargets({ ...own, called, sampleMember: 'sampleCount of its encoder' }, layout, no);
  if (layout.depthReadOnly && !own.depthReadOnly)
    no(`the pass has depthReadOnly, but ${called} was recorded without it`);
  if (layout.stencilReadOnly && !own.stencilReadOnly)
    no(`the pass has stencilReadOnly, but ${called} was recorded without it`);
}

function writesStencil(depth: NonNullable<PipelineParts['state']['depthStencil']>, cullMode: GPUCullMode): boolean {
  if (depth.stencilWriteMask === 0) return false;
  const faces = [
    ...(cullMode === 'front' ? [] : [depth.stencilFront]),
    ...(cullMode === 'back' ? [] : [depth.stencilBack]),
  ];
  return faces.some((face) => face.failOp !== 'keep' || face.depthFailOp !== 'keep' || face.passOp !== 'keep');
}

interface BoundRange {
  readonly group: number;
  readonly bound: BoundBuffer;
  readonly begin: number;
  readonly end: number;
}
const rangeName = ({ group, bound: { entry } }: BoundRange): string => `@group(${group}) @binding(${entry.binding})`;

/** https://www.w3.org/TR/webgpu/#encoder-bind-groups-alias-a-writable-resource */
function checkAliases(groups: readonly (SetGroup | null)[], no: Fail): void {
  const ranges: BoundRange[] = [];
  groups.forEach((set, group) =>
    set?.group.buffers.forEach((bound) => {
      const begin = bound.offset + dynamicOffset(set.bound, bound.entry.binding);
      ranges.push({ group, bound, begin, end: begin + bound.size });
    })
  );
  for (const a of ranges) {
    const { buffer, entry } = a.bound;
    if (!mayWrite(entry)) continue;
    for (const b of ranges)
      if (b !== a && b.bound.buffer === buffer && b.begin < a.end && a.begin < b.end)
        no(
          `${rangeName(a)} may be written and overlaps ${rangeName(b)}: both are parts of ${buffer.called}; `
            + 'bind parts that do not overlap'
        );
  }
  const stored = groups.flatMap((set) => set?.group.surfaces ?? []);
  for (const [i, a] of stored.entries()) {
    const b = stored.slice(0, i).find((other) => other.access !== 'read-only' && overlap(other.view, a.view));
    if (b !== undefined && a.access !== 'read-only')
      no(
        `${a.view.called} and ${b.view.called} are bound for writing and overlap; `
          + 'bind levels or layers that do not overlap'
      );
  }
}

/** The members of a pipeline of any kind that bindings are validated against. */
interface Binding {
  readonly called: string;
  readonly parts: Pick<PipelineParts, 'groups' | 'uncheckedBufferSizes' | 'slots'>;
}

/** Requires that all bind groups are set and match the layout, buffers are large enough, and vertex buffers are set. */
export function checkBindings(
  pipeline: Binding,
  groups: readonly (SetGroup | null)[],
  slots: readonly (BoundSlot | null)[],
  no: Fail
): void {
  const { parts } = pipeline;
  // Without closures: engines with a bind group for each mesh call this for each draw call.
  let writes = false;
  for (let i = 0; i < parts.groups.length; i++) {
    const layout = parts.groups[i]!;
    if (layout === null || layout.entries.length === 0) continue;
    writes ||= layout.mayWrite;
    const set = groups[i]?.group;
    if (set === undefined) no(`${pipeline.called} needs a bind group at index ${i}; call setBindGroup(${i}, …)`);
    if (set.layout === layout || set.layout.key === layout.key) continue;
    const auto = layout.key.startsWith('0;')
      ? ''
      : `; the pipeline has layout "auto": create the group with its getBindGroupLayout(${i})`;
    no(
      `${set.called} at index ${i} has ${set.layout.called}, which does not fit ${layout.called} `
        + `of ${pipeline.called}${auto}`
    );
  }
  for (const { group, binding, bytes, name } of parts.uncheckedBufferSizes) {
    const bound = groups[group]?.group.bufferAt(binding);
    if (bound !== undefined && bound.size < bytes)
      no(
        `@group(${group}) @binding(${binding}) ${name} needs ${bytes} bytes, but ${bound.size} `
          + `bytes of ${bound.buffer.called} are bound`
      );
  }
  if (writes)
    checkAliases(
      parts.groups.map((_, i) => groups[i] ?? null),
      no
    );
  for (const { slot } of parts.slots)
    if ((slots[slot] ?? null) === null)
      no(`${pipeline.called} needs a vertex buffer in slot ${slot}; call setVertexBuffer(${slot}, …)`);
}

/**
 * Requires that the vertex buffers hold every vertex and instance. `vertexEnd` is null if indices select the vertices;
 * these are bounded when they are read.
 */
export function checkVertices(
  parts: PipelineParts,
  slots: readonly (BoundSlot | null)[],
  vertexEnd: number | null,
  instanceEnd: number,
  no: Fail
): void {
  for (const { slot, arrayStride, perInstance, lastEnd } of parts.slots) {
    const end = perInstance ? instanceEnd : vertexEnd;
    const set = slots[slot];
    if (end === null || end === 0 || set === null || set === undefined) continue;
    const needed = arrayStride === 0 ? lastEnd : (end - 1) * arrayStride + lastEnd;
    if (needed > set.bound.size)
      no(
        `${end} ${perInstance ? 'instances' : 'vertices'} need ${needed} bytes in vertex slot ${slot}, `
          + `but ${set.bound.size} bytes of ${set.buffer.called} are bound`
      );
  }
}

export function checkIndices(
  parts: PipelineParts,
  index: BoundIndex | null,
  first: number,
  count: number,
  no: Fail
): void {
  if (index === null) return no('no index buffer is set; call setIndexBuffer() first');
  const { stripIndexFormat, state } = parts;
  if (isStrip(state.primitive.topology) && stripIndexFormat !== index.format)
    no(
      `the index buffer's format ${index.format} differs from the pipeline's stripIndexFormat `
        + `${stripIndexFormat ?? '(none)'}`
    );
  const { size, bytes } = index.bound;
  if ((first + count) * bytes > size)
    no(
      `first index ${first} + count ${count} of ${index.format} exceed the ${size} bytes of `
        + `${index.buffer.called} that are bound`
    );
}
