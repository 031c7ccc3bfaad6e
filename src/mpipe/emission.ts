// Lowers stages that emit vertices, before they are compiled. A lane may emit up to a maximum number of vertices. In
// the source, vertices are emitted one by one (`output` …, `emit`), and `cut` ends a strip. The engines do not know
// these instructions. They run a transformed shader that gathers the vertices in per-lane arrays and writes all of them
// to output registers at its end (assembly/layout/program/stage.ts):
//
//   count │ whether a strip ended before vertex 0, 1 … │ outputs of vertex 0 │ outputs of vertex 1 │ …
//
// If the source emits outside of loops, optimization passes find that the indices are constant, and no array remains.
import type { Instruction, IrInput, IrNode, IrOutput, IrProgram, ScalarType, ValueId } from '../ir';
import type { StageShader } from './defaults';
import { maxPatchPrimitives } from './patches';
import { isEdgeInput, type EdgeInput, type Emission } from './stage';
import { primitivesOf, type Topology } from './topology';

/** The number of outputs before those of the first vertex. */
export const emissionHeader = ({ maxVertices }: Emission): number => 1 + maxVertices;

/** The maximum number of primitives made from one input primitive. */
function maxPrimitives({ maxVertices, topology }: Emission): number {
  return primitivesOf(topology, maxVertices);
}

/** The output of a stage that makes primitives: their topology, and the maximum number per input primitive. */
interface EmittedPrimitives {
  readonly topology: Topology;
  readonly maximum: number;
}

/** The outputs of the stages that make primitives, in stage order. */
export function emittedBy(stages: readonly Pick<StageShader, 'emission' | 'patch'>[]): EmittedPrimitives[] {
  return stages.flatMap(({ emission, patch }) => {
    if (emission) return { topology: emission.topology, maximum: maxPrimitives(emission) };
    return patch?.kind === 'evaluation' ? { topology: patch.topology, maximum: maxPatchPrimitives(patch) } : [];
  });
}

/** Appends instructions to a node list. */
class Writer {
  readonly values: ScalarType[];
  nodes: IrNode[] = [];

  constructor({ values }: IrProgram) {
    this.values = [...values];
  }

  value(op: Instruction['op'], type: ScalarType, imm: number, args: readonly ValueId[] = []): ValueId {
    const id = this.values.push(type) - 1;
    this.nodes.push({ kind: 'op', op, results: [id], args, imm });
    return id;
  }

  effect(op: Instruction['op'], imm: number, args: readonly ValueId[]): void {
    this.nodes.push({ kind: 'op', op, results: [], args, imm });
  }
}

/** Transforms a geometry shader, whose outputs are only those that are read, to gather the vertices that it emits. */
export function gatherEmission(program: IrProgram, { maxVertices }: Emission): IrProgram {
  const writer = new Writer(program);
  const cursor = program.variables.length;
  const first = program.arrays.length;
  const { outputs } = program;
  const cuts = first + outputs.length;
  /** The array index. Each array has an extra element for vertices beyond the maximum. */
  const index = (): ValueId => {
    const most = writer.value('const', 'u32', maxVertices);
    return writer.value('u32.min', 'u32', 0, [writer.value('var.get', 'u32', cursor), most]);
  };
  const emitted = (node: Instruction): void => {
    if (node.op === 'output') writer.effect('array.store', first + node.imm, [index(), node.args[0]!]);
    else if (node.op === 'cut') writer.effect('array.store', cuts, [index(), writer.value('const', 'u32', 1)]);
    else {
      const count = writer.value('var.get', 'u32', cursor);
      const one = writer.value('const', 'u32', 1);
      writer.effect('var.set', cursor, [writer.value('int.add', 'u32', 0, [count, one])]);
    }
  };
  const walk = (nodes: readonly IrNode[]): IrNode[] => {
    const outer = writer.nodes;
    writer.nodes = [];
    for (const node of nodes) {
      if (node.kind === 'if') writer.nodes.push({ ...node, then: walk(node.then), otherwise: walk(node.otherwise) });
      else if (node.kind === 'block' || node.kind === 'loop') writer.nodes.push({ ...node, body: walk(node.body) });
      else if (node.kind === 'op' && (node.op === 'output' || node.op === 'emit' || node.op === 'cut')) emitted(node);
      else writer.nodes.push(node);
    }
    const walked = writer.nodes;
    writer.nodes = outer;
    return walked;
  };
  writer.nodes = walk(program.body);
  const gathered: IrOutput[] = [];
  const give = (output: IrOutput, value: ValueId): void => writer.effect('output', gathered.push(output) - 1, [value]);
  const count: IrOutput = { kind: 'emission', type: 'u32' };
  give(count, writer.value('var.get', 'u32', cursor));
  const element = (array: number, k: number, type: ScalarType): ValueId =>
    writer.value('array.load', type, array, [writer.value('const', 'u32', k)]);
  for (let k = 0; k < maxVertices; k++) give(count, element(cuts, k, 'u32'));
  for (let k = 0; k < maxVertices; k++)
    outputs.forEach((output, i) => give(output, element(first + i, k, output.type)));
  const length = maxVertices + 1;
  return {
    ...program,
    values: writer.values,
    body: writer.nodes,
    outputs: gathered,
    variables: [...program.variables, { name: 'emitted', type: 'u32' }],
    arrays: [
      ...program.arrays,
      ...outputs.map(({ type }, i) => ({ name: `emitted ${i}`, type, length })),
      { name: 'cuts', type: 'u32', length },
    ],
  };
}

/**
 * The inputs of a stage that runs per primitive: for each corner, the inputs that it reads of any corner, in packet
 * order; then those that come from elsewhere. An input that it does not read at some corner is included nevertheless.
 */
export function cornerInputs(inputs: readonly IrInput[], read: readonly EdgeInput[], corners: number): IrInput[] {
  const of = (corner: number, { location, component, type }: EdgeInput): IrInput =>
    inputs.find(
      (input) =>
        input.kind === 'attribute'
        && input.corner === corner
        && input.location === location
        && input.component === component
    ) ?? { kind: 'attribute', location, component, type, corner };
  return [
    ...Array.from({ length: corners }, (_, corner) => read.map((input) => of(corner, input))).flat(),
    ...inputs.filter((input) => !isEdgeInput(input)),
  ];
}
