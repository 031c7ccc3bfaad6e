// Linking: the buffer map between a geometry pipeline and a pixel pipeline is outputs AND inputs. Only those scalars
// get memory in vertex packets and planes in triangles; what nobody reads is dropped from the producer, so that the
// optimiser can drop what computes it.
import type { IrInput, IrNode, IrOutput, IrProgram } from '../ir';
import { assert } from '../base/assert';

/** The order in which varyings lie in packets, planes and fragment registers: Draw.varyings of the layout. */
const VARYING_GROUPS = [
  'perspective center', 'perspective centroid', 'perspective sample', 'linear center', 'linear centroid',
  'linear sample', 'flat',
] as const;

export interface Linked {
  /** Outputs: position x, y, z, w first, then the varyings that are read, in packet order. */
  readonly vertex: IrProgram;
  /** Inputs: varyings in packet order, then builtins. */
  readonly fragment: IrProgram | null;
  /** Scalars in each of VARYING_GROUPS. */
  readonly groups: readonly number[];
}

type VaryingInput = Extract<IrInput, { kind: 'varying' }>;
const varyingKey = (v: { readonly location: number; readonly component: number }): number => v.location * 4
  + v.component;

function groupOf(input: VaryingInput): number {
  if (input.interpolation === 'flat') return 6;
  return (input.interpolation === 'linear' ? 3 : 0) + { center: 0, centroid: 1, sample: 2 }[input.sampling];
}

/** Applies `input` and `output` renumbering to a node list; an output mapped to −1 is dropped. */
function renumber(
  nodes: readonly IrNode[], inputs: ReadonlyMap<number, number> | null, outputs: ReadonlyMap<number, number> | null
): IrNode[] {
  const result: IrNode[] = [];
  for (const node of nodes) {
    if (node.kind === 'if')
      result.push({
        ...node, then: renumber(node.then, inputs, outputs), otherwise: renumber(node.otherwise, inputs, outputs),
      });
    else if (node.kind === 'block' || node.kind === 'loop')
      result.push({ ...node, body: renumber(node.body, inputs, outputs) });
    else if (node.kind === 'op' && node.op === 'input' && inputs) result.push({ ...node, imm: inputs.get(node.imm)! });
    else if (node.kind === 'op' && node.op === 'output' && outputs) {
      const slot = outputs.get(node.imm)!;
      if (slot >= 0) result.push({ ...node, imm: slot });
    } else result.push(node);
  }
  return result;
}

function reorder<T>(items: readonly T[], order: readonly T[]): Map<number, number> {
  return new Map(items.map((item, index) => [index, order.indexOf(item)]));
}

/**
 * The fragment program's side of the buffer map: its inputs in packet order, whatever vertex program stands before it.
 */
export function linkFragment(fragment: IrProgram): { program: IrProgram; varyings: VaryingInput[]; groups: number[] } {
  const varyings = fragment.inputs.filter((input): input is VaryingInput => input.kind === 'varying');
  varyings.sort((a, b) => groupOf(a) - groupOf(b) || varyingKey(a) - varyingKey(b));
  const order: IrInput[] = [...varyings, ...fragment.inputs.filter((input) => input.kind !== 'varying')];
  const groups = VARYING_GROUPS.map((_, group) => varyings.filter((v) => groupOf(v) === group).length);
  const program = { ...fragment, inputs: order, body: renumber(fragment.body, reorder(fragment.inputs, order), null) };
  return { program, varyings, groups };
}

/** Links a vertex and a fragment program that passed WebGPU's interface validation. */
export function link(vertex: IrProgram, fragment: IrProgram | null): Linked {
  const pixel = fragment
    ? linkFragment(fragment)
    : { program: null, varyings: [], groups: VARYING_GROUPS.map(() => 0) };
  const positions = vertex.outputs.filter((output) => output.kind === 'position');
  positions.sort((a, b) => a.component - b.component);
  assert(positions.length === 4, 'mpipe: a vertex program writes no position');
  const produced = new Map<number, IrOutput>();
  for (const output of vertex.outputs) if (output.kind === 'varying') produced.set(varyingKey(output), output);
  const order: IrOutput[] = [...positions];
  for (const varying of pixel.varyings) {
    const output = produced.get(varyingKey(varying));
    assert(
      output, `mpipe: location ${varying.location} component ${varying.component} is not written by the vertex program`
    );
    order.push(output);
  }
  const linkedVertex = { ...vertex, outputs: order, body: renumber(vertex.body, null, reorder(vertex.outputs, order)) };
  return { vertex: linkedVertex, fragment: pixel.program, groups: pixel.groups };
}
