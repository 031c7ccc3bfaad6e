// Makes a compute program count its atomic operations, its barriers, and the bytes that it loads and stores. Each
// invocation sums its counts in variables and, at its end, adds them to the counters of the worker that runs it
// (STATISTICS). No other thread accesses those counters. This is the last pass before programs are cut at their
// barriers. It runs only on devices for which statistics were requested.

import { Statistics } from '../../../build/layout';
import { WORD } from '../../base/bits';
import { isAtomic, type OpName } from '../ops';
import type { Instruction, IrNode, IrProgram, IrResource, ScalarType, ValueId } from '../program';
import { findUniform } from './uniform';

/** Byte offsets of the counters. */
const PLACES = {
  atomics: 0,
  barriers: Statistics.barriers - Statistics.atomics,
  loaded: Statistics.bytesLoaded - Statistics.atomics,
  stored: Statistics.bytesStored - Statistics.atomics,
  loadedByGroup: Statistics.groupBytesLoaded - Statistics.atomics,
  storedByGroup: Statistics.groupBytesStored - Statistics.atomics,
} as const;
type Counter = keyof typeof PLACES;
const BYTES = Statistics.kibLoaded - Statistics.atomics;
const HALF = 2;

/**
 * Returns the program with its counters as its last resource. `texelBytes` gives the texel size of a format, which is
 * named as in the API.
 */
export function countAccesses(program: IrProgram, texelBytes: (format: string) => number): IrProgram {
  return new Counting(program, texelBytes).program();
}

class Counting {
  private readonly values: ScalarType[];
  private readonly variables: { name: string; type: ScalarType }[];
  /** The variable of each counter that the program uses. */
  private readonly counters = new Map<Counter, number>();
  private readonly uniform: ReadonlySet<ValueId>;

  constructor(
    private readonly source: IrProgram,
    private readonly texelBytes: (format: string) => number
  ) {
    this.values = [...source.values];
    this.variables = [...source.variables];
    this.uniform = findUniform(source);
  }

  program(): IrProgram {
    const { source } = this;
    const inputs = [...source.inputs];
    const body = this.list(source.body);
    // After all blocks that lanes may leave, every lane is active again.
    for (const [counter, variable] of this.counters) {
      let count = this.op(body, 'var.get', [], variable);
      if (counter === 'barriers') count = this.ofFirst(body, count, inputs);
      const place = this.op(body, 'const', [], PLACES[counter]);
      this.op(body, 'atomic.add', [place, count], source.resources.length);
    }
    if (this.counters.size === 0) return source;
    return {
      ...source,
      inputs,
      values: this.values,
      variables: this.variables,
      body,
      resources: [...source.resources, { kind: 'counters', size: BYTES }],
    };
  }

  /** All invocations of a workgroup reach its barriers, so only the first one counts them. */
  private ofFirst(out: IrNode[], count: ValueId, inputs: IrProgram['inputs'][number][]): ValueId {
    const builtin = 'local_invocation_index';
    let input = inputs.findIndex((each) => each.kind === 'builtin' && each.builtin === builtin);
    if (input < 0) input = inputs.push({ kind: 'builtin', builtin, type: 'u32' }) - 1;
    const index = this.op(out, 'input', [], input);
    const zero = this.op(out, 'const', [], 0);
    const isFirst = this.op(out, 'int.eq', [index, zero], 0, 'bool');
    return this.op(out, 'select', [isFirst, count, zero], 0);
  }

  private op(out: IrNode[], op: OpName, args: readonly ValueId[], imm: number, type: ScalarType = 'u32'): ValueId {
    const result = this.values.push(type) - 1;
    out.push({ kind: 'op', op, results: [result], args, imm });
    return result;
  }

  /** Adds up consecutive operations, which the same lanes execute, and counts them once after the last. */
  private list(nodes: readonly IrNode[]): IrNode[] {
    const out: IrNode[] = [];
    const found = new Map<Counter, number>();
    const count = (): void => {
      for (const [counter, added] of found) this.add(out, counter, added);
      found.clear();
    };
    for (const node of nodes) {
      if (node.kind === 'op') this.look(node, found);
      else count();
      out.push(this.inside(node));
    }
    count();
    return out;
  }

  private inside(node: IrNode): IrNode {
    switch (node.kind) {
      case 'op':
      case 'leave':
        return node;
      case 'if':
        return { ...node, then: this.list(node.then), otherwise: this.list(node.otherwise) };
      default:
        return { ...node, body: this.list(node.body) };
    }
  }

  private add(out: IrNode[], counter: Counter, added: number): void {
    let variable = this.counters.get(counter);
    if (variable === undefined) {
      variable = this.variables.push({ name: `${counter} counter`, type: 'u32' }) - 1;
      this.counters.set(counter, variable);
    }
    const before = this.op(out, 'var.get', [], variable);
    const more = this.op(out, 'const', [], added);
    const after = this.op(out, 'int.add', [before, more], 0);
    out.push({ kind: 'op', op: 'var.set', results: [], args: [after], imm: variable });
  }

  private look({ op, imm, results }: Instruction, found: Map<Counter, number>): void {
    const note = (counter: Counter, added: number): void => {
      found.set(counter, (found.get(counter) ?? 0) + added);
    };
    const resource = this.source.resources[imm];
    const ofGroup = resource?.kind === 'workgroup';
    if (op === 'barrier') note('barriers', 1);
    else if (isAtomic(op)) note('atomics', 1);
    else if (op === 'storage.load') note(ofGroup ? 'loadedByGroup' : 'loaded', WORD);
    else if (op === 'storage.store') note(ofGroup ? 'storedByGroup' : 'stored', WORD);
    else if (op === 'storage.storeHalf') note(ofGroup ? 'storedByGroup' : 'stored', HALF);
    else if (op === 'buffer.load' && !this.uniform.has(results[0]!)) note('loaded', WORD);
    else if (op === 'image.load' || op === 'image.store')
      note(op === 'image.load' ? 'loaded' : 'stored', this.texelBytesOf(resource));
  }

  private texelBytesOf(resource: IrResource | undefined): number {
    return resource?.kind === 'image' ? this.texelBytes(resource.format) : 0;
  }
}
