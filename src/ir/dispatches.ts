// Lowers fragment programs that send their own results with `dispatch`, before they are compiled. A pixel may dispatch
// several times, each time to a mask of samples, but no sample receives results twice. The lowered program stores
// everything that is dispatched and writes it to its outputs at the end (assembly/fragment/sets/dispatches.ts):
//
//   results of the first dispatch │ its mask │ results of the second │ its mask │ …
//
// If no dispatch is in a loop, each call site has its own slot in variables. Otherwise the dispatches follow one
// another in lane arrays. These hold as many entries as a pixel has samples, because each dispatch takes at least one
// sample.
import type { Instruction, IrNode, IrOutput, IrProgram, ScalarType, ValueId } from './program';
import { forEachNode } from './walk';

/** Maximum number of call sites that each get their own slot. */
const MAX_PLACES = 16;

/** Whether the program sends its own results. */
export function hasDispatches({ body }: Pick<IrProgram, 'body'>): boolean {
  let found = false;
  forEachNode(body, (node) => {
    found ||= node.kind === 'op' && node.op === 'dispatch';
  });
  return found;
}

interface GatheredDispatches {
  readonly program: IrProgram;
  /** Number of dispatches that the outputs can hold. */
  readonly dispatches: number;
}

/** Lowers a program that dispatches, for pixels with the given number of samples. */
export function gatherDispatches(program: IrProgram, samples: number): GatheredDispatches {
  const { sites, inLoops } = countSites(program.body, false);
  const dispatches = samples === 1 ? 1 : inLoops || sites > MAX_PLACES ? samples : sites;
  const isListed = samples > 1 && (inLoops || sites > MAX_PLACES);
  return { dispatches, program: new Gatherer(program, samples, dispatches, isListed).gather() };
}

function countSites(nodes: readonly IrNode[], isInLoop: boolean): { sites: number; inLoops: boolean } {
  let sites = 0;
  let inLoops = false;
  const add = (inner: readonly IrNode[], looped: boolean): void => {
    const found = countSites(inner, looped);
    sites += found.sites;
    inLoops ||= found.inLoops;
  };
  for (const node of nodes) {
    if (node.kind === 'if') {
      add(node.then, isInLoop);
      add(node.otherwise, isInLoop);
    } else if (node.kind === 'block' || node.kind === 'loop') add(node.body, isInLoop || node.kind === 'loop');
    else if (node.kind === 'op' && node.op === 'dispatch') {
      sites++;
      inLoops ||= isInLoop;
    }
  }
  return { sites, inLoops };
}

class Gatherer {
  private readonly values: ScalarType[];
  private readonly variables: IrProgram['variables'][number][];
  private readonly arrays: IrProgram['arrays'][number][];
  /** Variables: the mask of samples that have received results, and the number of dispatches so far. */
  private readonly sent: number;
  private readonly cursor: number;
  /** First slot of the stored dispatches (results, then mask): an index of variables or of arrays. */
  private readonly first: number;
  /** The outputs written since the last dispatch. */
  private pending: ValueId[] = [];
  private nodes: IrNode[] = [];
  private site = 0;
  private readonly stride: number;

  constructor(
    private readonly program: IrProgram,
    private readonly samples: number,
    private readonly dispatches: number,
    private readonly isListed: boolean
  ) {
    const { values, variables, arrays, outputs } = program;
    const types = [...outputs.map(({ type }) => type), 'u32' as const];
    this.values = [...values];
    this.variables = [...variables, { name: 'sent', type: 'u32' }, { name: 'dispatches', type: 'u32' }];
    this.arrays = [...arrays];
    this.sent = variables.length;
    this.cursor = this.sent + 1;
    this.stride = types.length;
    this.first = isListed ? arrays.length : this.variables.length;
    const named = types.map((type, i) => ({ name: `dispatched ${i}`, type }));
    if (isListed) this.arrays.push(...named.map((array) => ({ ...array, length: dispatches })));
    else for (let k = 0; k < dispatches; k++) this.variables.push(...named);
  }

  gather(): IrProgram {
    const { program, stride } = this;
    const outputs: IrOutput[] = [];
    const body = this.walk(program.body);
    this.nodes = [];
    const each: readonly IrOutput[] = [...program.outputs, { kind: 'sample_mask', type: 'u32' }];
    for (let k = 0; k < this.dispatches; k++)
      each.forEach((output, i) => {
        const value = this.isListed
          ? this.value('array.load', output.type, this.first + i, [this.constant(k)])
          : this.value('var.get', output.type, this.first + k * stride + i);
        this.effect('output', outputs.push(output) - 1, [value]);
      });
    return {
      ...program,
      values: this.values,
      variables: this.variables,
      arrays: this.arrays,
      outputs,
      body: [...body, ...this.nodes],
    };
  }

  private walk(nodes: readonly IrNode[]): IrNode[] {
    const outer = this.nodes;
    const walked: IrNode[] = (this.nodes = []);
    for (const node of nodes) {
      if (node.kind === 'if') {
        const then = this.walk(node.then);
        walked.push({ ...node, then, otherwise: this.walk(node.otherwise) });
      } else if (node.kind === 'block' || node.kind === 'loop') walked.push({ ...node, body: this.walk(node.body) });
      else if (node.kind === 'op' && node.op === 'output') this.pending[node.imm] = node.args[0]!;
      else if (node.kind === 'op' && node.op === 'dispatch') this.dispatch(node.args[0]!);
      else walked.push(node);
    }
    this.nodes = outer;
    return walked;
  }

  /** Stores the pending outputs for those samples in the mask that have not received any. */
  private dispatch(mask: ValueId): void {
    const sent = this.value('var.get', 'u32', this.sent);
    const all = this.constant(2 ** this.samples - 1);
    const free = this.value('int.xor', 'u32', 0, [sent, all]);
    const taken = this.value('int.and', 'u32', 0, [mask, free]);
    this.effect('var.set', this.sent, [this.value('int.or', 'u32', 0, [sent, taken])]);
    const kept = [...this.pending, taken];
    this.pending = [];
    if (!this.isListed && this.samples > 1) {
      const at = this.first + this.site++ * this.stride;
      kept.forEach((value, i) => this.effect('var.set', at + i, [value]));
      return;
    }
    const condition = this.value('int.ne', 'bool', 0, [taken, this.constant(0)]);
    const outer = this.nodes;
    this.nodes = [];
    if (this.isListed) {
      const index = this.value('var.get', 'u32', this.cursor);
      kept.forEach((value, i) => this.effect('array.store', this.first + i, [index, value]));
      this.effect('var.set', this.cursor, [this.value('int.add', 'u32', 0, [index, this.constant(1)])]);
    } else kept.forEach((value, i) => this.effect('var.set', this.first + i, [value]));
    outer.push({ kind: 'if', condition, then: this.nodes, otherwise: [] });
    this.nodes = outer;
  }

  private constant(bits: number): ValueId {
    return this.value('const', 'u32', bits);
  }

  private value(op: Instruction['op'], type: ScalarType, imm: number, args: readonly ValueId[] = []): ValueId {
    const id = this.values.push(type) - 1;
    this.nodes.push({ kind: 'op', op, results: [id], args, imm });
    return id;
  }

  private effect(op: Instruction['op'], imm: number, args: readonly ValueId[]): void {
    this.nodes.push({ kind: 'op', op, results: [], args, imm });
  }
}
