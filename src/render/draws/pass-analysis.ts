// The pipelines of a pass, whether the order of its tiles can be observed in what their shaders write, and whether they
// blend.
import type { AccessUse, IrProgram } from '../../ir';
import type { Pipeline } from '../pipeline/pipeline';
import type { TargetState } from '../pipeline/pipeline-types';
import { blends } from '../pipeline/target';
import { fact } from '../shaders/program-facts';
import type { PassState } from '../types';

/** The pipelines of a pass, without duplicates. */
export function passPipelines({ runs }: PassState): Set<Pipeline> {
  const pipelines = new Set<Pipeline>();
  for (const list of new Set(runs.map((run) => run.list)))
    for (const { pipeline } of list.states) pipelines.add(pipeline as Pipeline);
  return pipelines;
}

/** What each fragment shader of a pass accesses. */
export function accessUses(pipelines: Iterable<Pipeline>): readonly AccessUse[] {
  const uses = new Map<IrProgram, AccessUse>();
  for (const { pixel } of pipelines) for (const { program } of pixel) uses.set(program, fact(program, 'accessUse'));
  return [...uses.values()];
}

/**
 * Whether the order of tiles in a pass can be observed: in what one shader writes to buffers or images, or because
 * several shaders access them.
 */
export function isSerial(all: readonly AccessUse[]): boolean {
  return (
    all.some(({ serial }) => serial)
    || (all.length > 1 && all.some(({ shares }) => shares) && all.some(({ writes }) => writes))
  );
}

/**
 * The largest needs of a pass's pipelines: registers of vertex and pixel shaders, registers that vertex stages have
 * before the last one, and bytes for inputs of emitting stages.
 */
export function largestNeeds(pipelines: Iterable<Pipeline>): {
  readonly vertices: number;
  readonly pixels: number;
  readonly before: number;
  readonly inputs: number;
} {
  let vertices = 1;
  let pixels = 1;
  let before = 0;
  let inputs = 0;
  for (const { registers, vertexStages } of pipelines) {
    vertices = Math.max(vertices, registers.vertices);
    pixels = Math.max(pixels, registers.pixels);
    before = Math.max(before, vertexStages.registersBefore);
    inputs = Math.max(inputs, vertexStages.inputBytes);
  }
  return { vertices, pixels, before, inputs };
}

/** Whether some draw calls keep a part of what their targets held: by blending, or by writing only some channels. */
export function blendsOrMasks(pipelines: Iterable<Pipeline>): boolean {
  for (const { leaves } of pipelines)
    for (const { state } of leaves) {
      if (state.kind !== 'raster') continue;
      for (const target of state.output.targets) if (target && (blends(target) || masksChannels(target))) return true;
    }
  return false;
}

const masksChannels = ({ format, writeMask }: TargetState): boolean =>
  (~writeMask & ((1 << format.channels) - 1)) !== 0;
