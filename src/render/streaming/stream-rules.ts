// Determines which streamed textures a pass or dispatch reads, which of its shaders write, and whether tiles of writing
// shaders can be parked until pages arrive.
import { PROGRAM_FLAG_STOPS } from '../../../assembly/layout/program/program-codes';
import { StoppedWarp } from '../../../build/layout';
import type { IrProgram } from '../../ir';
import type { Pipeline } from '../pipeline/pipeline';
import type { Stream } from '../resources/streams';
import { fact } from '../shaders/program-facts';
import { storesSamples } from '../resources/surface-record';
import type { Writer } from './write-backup';
import type { BoundGroup, BoundResource, PassState } from '../types';
import type { View } from '../resources/views';

/** Bytes of one register for one quad. */
const QUAD_BYTES = 16;

function streamOf(groups: readonly (BoundGroup | null)[], group: number, binding: number): Stream | null {
  const resource = groups[group]?.group.entries.get(binding);
  return resource?.kind === 'texture' ? (resource.view as View).texture.stream : null;
}

/** The streamed textures among these resources, without duplicates. */
export function passStreams(resources: readonly BoundResource[]): readonly Stream[] {
  const streams = new Set<Stream>();
  for (const resource of resources) {
    if (resource.kind !== 'texture') continue;
    const { stream } = (resource.view as View).texture;
    if (stream) streams.add(stream);
  }
  return [...streams];
}

/** The pixel shaders of a pass that write to buffers, storage textures or samples of those, with their bindings. */
export function passWriters(state: PassState): readonly Writer[] {
  const writers: Writer[] = [];
  const seen = new Set<unknown>();
  for (const { list, begin, end } of state.runs)
    for (let draw = begin; draw < end; draw++) {
      const drawn = list.stateOf(draw);
      // Draw calls with dynamic offsets may write to other parts of the buffers.
      if (seen.has(drawn) && drawn.dynamicOffsets === 0) continue;
      seen.add(drawn);
      const { groups } = list.at(draw);
      for (const { program } of (drawn.pipeline as Pipeline).pixel) {
        const { resources } = program;
        if (fact(program, 'accessUse').writes || resources.some(storesSamples))
          writers.push({ program, resources, groups });
      }
    }
  return writers;
}

/** Maximum bytes of registers that a quad of a stopped warp saves. A tile has room for a thousand of these. */
const MOST_STOPPED_BYTES = 2048;

/**
 * Decides whether tiles of a pass can be parked although its shaders write (Misses.keepsProgress), so that everything
 * is written once. The alternative is a dry run (streamed-pass.ts). Returns the bytes of registers that a quad of a
 * stopped warp saves, or null if tiles cannot be parked.
 *
 * All warps that read must be parkable, which excludes sample sets, coarse pixels, and samples of surfaces. Shaders
 * that cannot be replayed from their inputs stop in the middle (assembly/warp/stop.ts), which only the interpreter
 * supports. `writers`: the result of `passWriters`.
 */
export function stoppedRegisterBytes(
  pipelines: Iterable<Pipeline>,
  writers: readonly Writer[],
  interprets: boolean
): number | null {
  let most = 0;
  for (const { pixel } of pipelines)
    for (const { sets, coarse, rate, resources, encoded } of pixel) {
      if (sets || coarse || rate !== 'pixel' || resources.some(({ kind }) => kind === 'surface')) return null;
      if ((encoded.flags & PROGRAM_FLAG_STOPS) === 0 || !interprets) continue;
      const registers = encoded.registers - encoded.constants.length - encoded.uniforms;
      // Two more for the masks.
      most = Math.max(most, StoppedWarp.bytes + (registers + 2) * QUAD_BYTES);
    }
  const isAgain = ({ program, groups }: Writer): boolean => {
    const { afterWrites, endsLoops } = fact(program, 'streamedReads');
    return !program.resources.some(
      (resource, index) =>
        resource.kind === 'texture'
        && (endsLoops || afterWrites.has(index))
        && streamOf(groups, resource.group, resource.binding)
    );
  };
  return most <= MOST_STOPPED_BYTES && (interprets || writers.every(isAgain)) ? most : null;
}

/** The streamed textures that a dispatch's shader reads, without duplicates. */
export function dispatchStreams({ resources }: IrProgram, groups: readonly (BoundGroup | null)[]): readonly Stream[] {
  const streams = resources.flatMap((resource) =>
    resource.kind === 'texture' ? (streamOf(groups, resource.group, resource.binding) ?? []) : []
  );
  return [...new Set(streams)];
}
