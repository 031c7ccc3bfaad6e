// The words of a vertex in the buffer of a sink: outputs of the last stage, default values and builtins.
import { FLOAT_ONE_BITS } from '../../base/bits';
import { cornersOf, emittedBy, passesVerticesThrough } from '../../mpipe';
import type { BufferSinkState, InputTopology } from '../../render/types';
import type { InterfaceVariable } from '../core/front-end';
import { atLocation } from '../pipelines/pipeline-checks';
import { vertexFormatInfo } from '../pipelines/vertex-format';
import type { BufferSinkDescriptor } from './modular-descriptor';
import { sizeOf, type TableSlot } from './modular-slots';

/** What reaches a buffer sink: outputs of the last stage, and vertices of a primitive. */
export interface IncomingVertices {
  readonly outputs: readonly InterfaceVariable[];
  readonly corners: number;
}

/** What the stages before a sink give it. `assembled`: the topology of the input. */
export function verticesAfter(stages: readonly TableSlot[], assembled: InputTopology): IncomingVertices {
  const last = stages.findLast(({ table }) => !passesVerticesThrough(table.program));
  const made = emittedBy(stages.map(({ table }) => table)).at(-1);
  return { outputs: last?.stage.entry.outputs ?? [], corners: cornersOf(made?.topology ?? assembled) };
}

/** The words of a vertex in a buffer. What the last stage does not write has default values, as for inputs. */
export function bufferState(
  { arrayStride, attributes }: BufferSinkDescriptor,
  { outputs, corners }: IncomingVertices
): BufferSinkState {
  const written: BufferSinkState['attributes'][number][] = [];
  const constants: BufferSinkState['constants'][number][] = [];
  for (const { shaderLocation: location, offset, format } of attributes) {
    const { bytes, scalar } = vertexFormatInfo(format);
    const wanted = bytes / 4;
    if (location === undefined) {
      constants.push({ offset, value: corners });
      continue;
    }
    const output = atLocation(outputs, location);
    const size = output ? Math.min(wanted, sizeOf(output.type)) : 0;
    if (size > 0) written.push({ location, offset, size });
    const isSingle = wanted === 1 && scalar === 'f32';
    for (let component = size; component < wanted; component++) {
      const isOne = component === 3 || isSingle;
      constants.push({ offset: offset + 4 * component, value: isOne ? (scalar === 'f32' ? FLOAT_ONE_BITS : 1) : 0 });
    }
  }
  return { arrayStride, attributes: written, constants };
}
