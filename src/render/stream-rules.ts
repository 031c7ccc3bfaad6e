// Which streamed textures a pass or dispatch reads, and which of its programs write: what they do is taken back, and
// done again, when pages come.
import { PROGRAM_FLAG_STOPS } from '../../assembly/layout/program-codes';
import { StoppedWarp } from '../../build/layout';
import { accessUse, lateReads, type IrProgram } from '../ir';
import type { Pipeline } from './pipeline';
import type { Stream } from './streams';
import { storesSamples } from './surface-record';
import type { Writer } from './taken-back';
import type { BoundGroup, PassState } from './types';
import type { View } from './views';

/** Of a register, those of a quad. */
const QUAD_BYTES = 16;

function streamOf(groups: readonly (BoundGroup | null)[], group: number, binding: number): Stream | null {
  const resource = groups[group]?.group.entries.get(binding);
  return resource?.kind === 'texture' ? (resource.view as View).texture.stream : null;
}

/** The streamed textures that these groups bind, each once. */
export function passStreams(groups: Iterable<BoundGroup['group']>): readonly Stream[] {
  const streams = new Set<Stream>();
  for (const group of groups)
    for (const resource of group.watched) {
      if (resource.kind !== 'texture') continue;
      const { stream } = (resource.view as View).texture;
      if (stream) streams.add(stream);
    }
  return [...streams];
}

/** Programs of pixels of a pass that write to buffers, storage textures or their samples, each with what is bound. */
export function passWriters(state: PassState): readonly Writer[] {
  const writers: Writer[] = [], seen = new Set<unknown>();
  for (const { commands } of state.runs)
    for (const { state: drawn } of commands) {
      if (seen.has(drawn)) continue;
      seen.add(drawn);
      for (const { program } of (drawn.pipeline as Pipeline).pixel) {
        const { resources } = program, { groups } = drawn;
        if (accessUse(program).writes || resources.some(storesSamples)) writers.push({ program, resources, groups });
      }
    }
  return writers;
}

/** Bytes that a quad may keep of its registers: a tile has room for a thousand of these. */
const MOST_STOPPED_BYTES = 2048;

/**
 * Whether tiles of a pass with these programs that write can be kept as they stand until pages come (Misses.keeps), so
 * that all is written once: the other way is to run them dry (late-pass.ts). All that reads is put aside; so nothing
 * may be in the pass that cannot be: sets of samples, coarse pixels, samples of surfaces. Programs that cannot be run
 * again from their inputs stop (assembly/warp/stop.ts), if the device interprets them. `writers`: as passWriters. Null:
 * they cannot; else the bytes that a quad of such a warp keeps of its registers.
 */
export function keptRegisterBytes(
  pipelines: Iterable<Pipeline>, writers: readonly Writer[], interprets: boolean
): number | null {
  let most = 0;
  for (const { pixel } of pipelines)
    for (const { sets, coarse, rate, resources, encoded } of pixel) {
      if (sets || coarse || rate !== 'pixel' || resources.some(({ kind }) => kind === 'surface')) return null;
      if ((encoded.flags & PROGRAM_FLAG_STOPS) === 0 || !interprets) continue;
      const registers = encoded.registers - encoded.constants.length - encoded.uniforms;
      // And its two masks.
      most = Math.max(most, StoppedWarp.bytes + (registers + 2) * QUAD_BYTES);
    }
  const isAgain = ({ program, groups }: Writer): boolean => {
    const { afterWrites, endsLoops } = lateReads(program);
    return !program.resources.some((resource, index) => resource.kind === 'texture'
      && (endsLoops || afterWrites.has(index)) && streamOf(groups, resource.group, resource.binding));
  };
  return most <= MOST_STOPPED_BYTES && (interprets || writers.every(isAgain)) ? most : null;
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
