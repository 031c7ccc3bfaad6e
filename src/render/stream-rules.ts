// Which streamed textures a pass reads, and what such a pass may not do. Its tiles are run again when pages come: so
// nothing that they do may leave them before they are done, and it is pixels that read.
import { accessUse, type IrProgram } from '../ir';
import { plain } from '../base/printable';
import type { ComputePipeline } from './compute-pipeline';
import type { Pipeline } from './pipeline';
import type { Stream } from './streams';
import { passGroups } from './surface-record';
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

/** Why the draws of a pass cannot read the streamed textures that they do; null: they can. */
export function streamRefusal(state: PassState): string | null {
  let read: Stream | null = null;
  const seen = new Set<unknown>(), writing: { readonly program: IrProgram; readonly label: string }[] = [];
  for (const { commands } of state.runs)
    for (const { state: drawn } of commands) {
      if (seen.has(drawn)) continue;
      seen.add(drawn);
      const pipeline = drawn.pipeline as Pipeline, { label } = pipeline.state;
      for (const { kind, program } of pipeline.stages) {
        const stream = streamRead(program, drawn.groups);
        if (kind !== 'fragment' && stream)
          return `${stream.shape.label} is streamed, and the ${kind} program "${plain(program.name)}" of pipeline "${plain(label)}" reads it: only fragment programs can`;
        if (kind !== 'fragment') continue;
        read ??= stream;
        const { writes, ordered } = accessUse(program);
        if (writes || ordered) writing.push({ program, label });
      }
    }
  const [first] = writing;
  if (!read || !first) return null;
  return `${read.shape.label} is streamed, and the fragment program "${plain(first.program.name)}" of pipeline "${plain(first.label)}" writes to buffers or storage textures: tiles that wait for pages are run again, and would write twice; draw it in a pass of its own`;
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
  const writes = program.resources.some((resource) => resource.kind === 'surface' && resource.access !== 'read');
  return stream && writes
    ? `${stream.shape.label} is streamed, and the compute program "${plain(program.name)}" of pipeline "${plain(label)}" reads it and writes to a multi-sample storage texture, which cannot be taken back when workgroups wait for pages: write to a storage texture of one sample, or to a buffer`
    : null;
}
