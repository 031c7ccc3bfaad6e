// Vertex attributes of a pipeline: their sources in the vertex buffers, and the template of their ATTRIBUTE records.
import { Attribute } from '../../../build/layout';
import type { IrInput } from '../../ir';
import { packetBefore, type EdgeInput } from '../../mpipe';
import { vertexFormatNumber } from '../enums';
import type { LinkedPipeline } from '../shaders/linker';
import type { StageProgram } from '../shaders/stage-program';
import type { PipelineState } from '../types';

/** The source of one vertex attribute. It is resolved against the bound buffers for each draw call. */
export interface AttributeSource {
  readonly slot: number;
  readonly offset: number;
  readonly stride: number;
  readonly perInstance: boolean;
  readonly format: GPUVertexFormat;
  /** Registers of the components; -1 for components that the shader does not read. */
  readonly registers: readonly [number, number, number, number];
}

/** Inputs from vertex buffers for a pipeline whose first element is a fork. */
export function packetInputs(tree: LinkedPipeline<StageProgram>): EdgeInput[] {
  return packetBefore(tree).places.map(({ location, component }): EdgeInput => ({
    kind: 'attribute',
    location,
    component,
    type: 'f32',
  }));
}

export function attributeSources(state: PipelineState, inputs: readonly IrInput[]): AttributeSource[] {
  const registersOf = (location: number): [number, number, number, number] => {
    const registers: [number, number, number, number] = [-1, -1, -1, -1];
    inputs.forEach((input, index) => {
      // For an emitting stage, only those of the first corner count. The other corners are other vertices.
      if (input.kind === 'attribute' && input.location === location && !input.corner)
        registers[input.component] = index;
    });
    return registers;
  };
  return state.buffers
    .flatMap((buffer, slot) =>
      (buffer?.attributes ?? []).map((attribute) => ({
        slot,
        offset: attribute.offset,
        stride: buffer!.arrayStride,
        perInstance: buffer!.stepMode === 'instance',
        format: attribute.format,
        registers: registersOf(attribute.shaderLocation),
      }))
    )
    .filter((source) => source.registers.some((register) => register >= 0));
}

export function attributeWords(sources: readonly AttributeSource[]): Uint32Array {
  const words = new Uint32Array((sources.length * Attribute.bytes) / 4);
  sources.forEach(({ stride, perInstance, format, registers }, i) => {
    const put = (field: number, value: number): void => {
      words[(i * Attribute.bytes + field) / 4] = value;
    };
    put(Attribute.stride, stride);
    put(Attribute.perInstance, perInstance ? 1 : 0);
    put(Attribute.format, vertexFormatNumber[format]);
    registers.forEach((register, component) => put(Attribute.registers + component * 4, register));
  });
  return words;
}
