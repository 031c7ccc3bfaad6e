// What stages that emit become before they are compiled. A lane may emit up to a number of vertices; in the program as
// it was written they are outputs, told one by one (`output` …, `emit`), and strips that end (`cut`). Engines know
// nothing of that: they run a program that gathers the vertices in lane arrays and whose outputs are registers of all
// of them, at its end (assembly/layout/stage.ts):
//
//   count │ whether a strip ended before vertex 0, 1 … │ outputs of vertex 0 │ outputs of vertex 1 │ …
//
// Where a program emits outside of loops, passes find that the indices are constants, and no array is left.
import type { Instruction, IrInput, IrNode, IrOutput, IrProgram, ScalarType, ValueId } from '../ir';
import type { TableProgram } from './defaults';
import { mostPatchPrimitives } from './patches';
import { isEdgeInput, type EdgeInput, type Emission } from './stage';
import { primitivesOf, type Topology } from './topology';

/** Outputs that stand before those of the first vertex. */
export const emissionHeader = ({ maxVertices }: Emission): number => 1 + maxVertices;

/** Primitives that may come of one. */
export function mostPrimitives({ maxVertices, topology }: Emission): number {
  return primitivesOf(topology, maxVertices);
}

/** Of a stage that makes primitives of others: what they are, and how many may come of one. */
export interface Made { readonly topology: Topology; readonly most: number }

/** What the stages make that make primitives, in their order. */
export function madeBy(stages: readonly Pick<TableProgram, 'emission' | 'patch'>[]): Made[] {
  return stages.flatMap(({ emission, patch }) => {
    if (emission) return { topology: emission.topology, most: mostPrimitives(emission) };
    return patch?.kind === 'evaluation' ? { topology: patch.topology, most: mostPatchPrimitives(patch) } : [];
  });
}

/** Writes instructions behind each other. */
class Writer {
  readonly values: ScalarType[];
  nodes: IrNode[] = [];

  constructor({ values }: IrProgram) { this.values = [...values]; }

  value(op: Instruction['op'], type: ScalarType, imm: number, args: readonly ValueId[] = []): ValueId {
    const id = this.values.push(type) - 1;
    this.nodes.push({ kind: 'op', op, results: [id], args, imm });
    return id;
  }

  effect(op: Instruction['op'], imm: number, args: readonly ValueId[]): void {
    this.nodes.push({ kind: 'op', op, results: [], args, imm });
  }
}

/** The program that gathers what it emits, of a geometry program whose outputs are those that somebody reads. */
export function gatherEmission(program: IrProgram, { maxVertices }: Emission): IrProgram {
  const writer = new Writer(program), cursor = program.variables.length, first = program.arrays.length;
  const { outputs } = program, cuts = first + outputs.length;
  /** Of arrays, all of which have an element for what is too much. */
  const index = (): ValueId => {
    const most = writer.value('const', 'u32', maxVertices);
    return writer.value('u32.min', 'u32', 0, [writer.value('var.get', 'u32', cursor), most]);
  };
  const emitted = (node: Instruction): void => {
    if (node.op === 'output') writer.effect('array.store', first + node.imm, [index(), node.args[0]!]);
    else if (node.op === 'cut')
      writer.effect('array.store', cuts, [index(), writer.value('const', 'u32', 1)]);
    else {
      const count = writer.value('var.get', 'u32', cursor), one = writer.value('const', 'u32', 1);
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
    ...program, values: writer.values, body: writer.nodes, outputs: gathered,
    variables: [...program.variables, { name: 'emitted', type: 'u32' }],
    arrays: [
      ...program.arrays, ...outputs.map(({ type }, i) => ({ name: `emitted ${i}`, type, length })),
      { name: 'cuts', type: 'u32', length },
    ],
  };
}

/**
 * Inputs of a stage that is run for primitives: for each corner those that it reads of any, in packet order, and
 * what comes from elsewhere behind them. An input that it does not read of some corner is one all the same.
 */
export function cornerInputs(
  inputs: readonly IrInput[], read: readonly EdgeInput[], corners: number
): IrInput[] {
  const of = (corner: number, { location, component, type }: EdgeInput): IrInput => inputs.find(
    (input) => input.kind === 'attribute' && input.corner === corner && input.location === location
      && input.component === component
  ) ?? { kind: 'attribute', location, component, type, corner };
  return [
    ...Array.from({ length: corners }, (_, corner) => read.map((input) => of(corner, input))).flat(),
    ...inputs.filter((input) => !isEdgeInput(input)),
  ];
}
