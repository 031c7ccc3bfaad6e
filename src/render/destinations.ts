// What a fragment program reads of the render targets, as the kernels have it: the DESTINATIONS of a pipeline's draws.
// The kernel adds how texels of each format are read (assembly/output/destination.ts). Tried: programs that take words
// of four bytes apart and put them together by themselves: particles with a long program 1.25 → 1.32 over the blend
// state, as compiled loops have no registers left for that.
import { Destination, Destinations } from '../../build/layout';
import type { Stage } from '../mpipe';
import type { TargetState } from './types';
import { builtinRegister } from './vertex-stages';

/** Runs the kernel's prepareDestination on a record, for a target of the format. */
export type PrepareDestination = (record: Uint8Array, format: number) => void;

/** The record's words, for a program that reads some of the targets. */
export function putDestinations(
  targets: readonly (TargetState | null)[], { inputs }: Stage, prepare: PrepareDestination
): Uint32Array {
  const bytes = new Uint8Array(Destinations.bytes), view = new DataView(bytes.buffer);
  let read = 0;
  targets.forEach((target, location) => {
    const registers = [0, 1, 2, 3].map((component) => inputs.findIndex((input) =>
      input.kind === 'destination' && input.location === location && input.component === component));
    if (!target || registers.every((register) => register < 0)) return;
    read |= 1 << location;
    const at = Destinations.records + location * Destination.bytes;
    registers.forEach((register, i) => view.setInt32(at + Destination.registers + i * 4, register, true));
    prepare(bytes.subarray(at, at + Destination.bytes), target.format.id);
  });
  view.setUint32(Destinations.targets, read, true);
  view.setInt32(Destinations.depthRegister, builtinRegister(inputs, 'sample_depth'), true);
  view.setInt32(Destinations.stencilRegister, builtinRegister(inputs, 'sample_stencil'), true);
  return new Uint32Array(bytes.buffer);
}
