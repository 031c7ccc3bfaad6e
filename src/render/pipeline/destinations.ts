// Framebuffer fetch: encodes what a fragment shader reads of the render targets, as the DESTINATIONS record of a
// pipeline's draw calls. The kernel adds how texels of each format are read (assembly/output/destination.ts). Tried:
// unpacking and packing four-byte words in the shader. Particles with a long shader went from 1.25 to 1.32 times the
// cost of the blend state, because compiled loops have no registers left for it.
import { Destination, Destinations } from '../../../build/layout';
import type { Stage } from '../../mpipe';
import type { TargetState } from '../types';
import { builtinRegister } from './vertex-stages';

/** Runs the kernel's prepareDestination on a record, for a render target of that format. */
export type PrepareDestination = (record: Uint8Array, format: number) => void;

/** Returns the words of the DESTINATIONS record for a shader that reads some of the render targets. */
export function putDestinations(
  targets: readonly (TargetState | null)[],
  { inputs }: Stage,
  prepare: PrepareDestination
): Uint32Array {
  const bytes = new Uint8Array(Destinations.bytes);
  const view = new DataView(bytes.buffer);
  let read = 0;
  targets.forEach((target, location) => {
    const registers = [0, 1, 2, 3].map((component) =>
      inputs.findIndex(
        (input) => input.kind === 'destination' && input.location === location && input.component === component
      )
    );
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
