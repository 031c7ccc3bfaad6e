// Which streamed textures a pass reads, and what such a pass may not do. What it does is thrown away and done again
// when pages come: so it has to be something that can be taken back.
import { accessUse, type IrProgram } from '../ir';
import { plain } from '../base/printable';
import type { ComputePipeline } from './compute-pipeline';
import type { Pipeline } from './pipeline';
import type { Stream } from './streams';
import { passGroups } from './surface-record';
import type { Writer } from './taken-back';
import type { BoundGroup, ComputePipelineStore, PassState } from './types';
import type { View } from './views';

function streamOf(groups: readonly (BoundGroup | null)[], group: number, binding: number): Stream | null {
  const resource = groups[group]?.group.entries.get(binding);
  return resource?.kind === 'texture' ? (resource.view as View).texture.stream : null;
}

/** The streamed textures that are bound, each once. */
export function passStreams(state: PassState): readonly Stream[] {
  const streams = new Set<Stream>();
  for (const group of passGroups(state))
    for (const resource of group.entries.values()) {
      if (resource.kind !== 'texture') continue;
      const { stream } = (resource.view as View).texture;
      if (stream) streams.add(stream);
    }
  return [...streams];
}

/** A streamed texture that a program reads. */
export function streamRead(program: IrProgram, groups: readonly (BoundGroup | null)[]): Stream | null {
  for (const resource of program.resources) {
    if (resource.kind !== 'texture') continue;
    const stream = streamOf(groups, resource.group, resource.binding);
    if (stream) return stream;
  }
  return null;
}

/** Programs of pixels of a pass that write to buffers or storage textures, each with what is bound to it. */
export function passWriters(state: PassState): readonly Writer[] {
  const writers: Writer[] = [], seen = new Set<unknown>();
  for (const { commands } of state.runs)
    for (const { state: drawn } of commands) {
      if (seen.has(drawn)) continue;
      seen.add(drawn);
      for (const { program } of (drawn.pipeline as Pipeline).pixel)
        if (accessUse(program).writes) writers.push({ resources: program.resources, groups: drawn.groups });
    }
  return writers;
}

const writesSamples = ({ resources }: IrProgram): boolean =>
  resources.some((resource) => resource.kind === 'surface' && resource.access !== 'read');

/** Why the draws of a pass cannot read the streamed textures that they do; null: they can. */
export function streamRefusal(state: PassState): string | null {
  let read: Stream | null = null, writing: { readonly program: IrProgram; readonly label: string } | null = null;
  const seen = new Set<unknown>();
  for (const { commands } of state.runs)
    for (const { state: drawn } of commands) {
      if (seen.has(drawn)) continue;
      seen.add(drawn);
      const pipeline = drawn.pipeline as Pipeline, { label } = pipeline.state;
      for (const { program } of pipeline.stages) {
        read ??= streamRead(program, drawn.groups);
        if (writesSamples(program)) writing ??= { program, label };
      }
    }
  if (!read || !writing) return null;
  return `${read.shape.label} is streamed, and the fragment program "${plain(writing.program.name)}" of pipeline "${plain(writing.label)}" writes to a multi-sample storage texture, which cannot be taken back when tiles wait for pages: draw it in a pass of its own`;
}

/** The streamed textures that the program of a dispatch reads, each once. */
export function dispatchStreams(
  { resources }: IrProgram, groups: readonly (BoundGroup | null)[]
): readonly Stream[] {
  const streams = resources.flatMap((resource) => (resource.kind === 'texture'
    ? streamOf(groups, resource.group, resource.binding) ?? []
    : []));
  return [...new Set(streams)];
}

/** Why a dispatch cannot read the streamed textures that it does; null: it can. */
export function dispatchRefusal(pipeline: ComputePipelineStore, groups: readonly (BoundGroup | null)[]): string | null {
  const { stage: { program }, state: { label } } = pipeline as ComputePipeline, stream = streamRead(program, groups);
  return stream && writesSamples(program)
    ? `${stream.shape.label} is streamed, and the compute program "${plain(program.name)}" of pipeline "${plain(label)}" reads it and writes to a multi-sample storage texture, which cannot be taken back when workgroups wait for pages: write to a storage texture of one sample, or to a buffer`
    : null;
}
