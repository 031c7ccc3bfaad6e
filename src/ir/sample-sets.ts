// Splits a fragment program in which a part runs for sets of samples. What is the same for all samples of a pixel is
// computed once. Values that the per-set part needs from it become links (assembly/layout/tile/sample-sets.ts).
//
//   first     the whole program, for a pixel's first set, plus the links; if samples are distinguished by more
//             than the contents of render targets, only the per-pixel part
//   further   the per-set part, which reads the links as inputs
//
// Each top-level node of the body belongs to one part as a whole. A node belongs to the per-set part if it depends in
// any way on an input of the set.
import {
  SETS_DEPTH,
  SETS_EVERY_SAMPLE,
  SETS_SAMPLE_MASK,
  SETS_VARYINGS,
} from '../../assembly/layout/tile/sample-sets-codes';
import { discards, maskOfPixels, needsWholeQuads, NodeWriter, noting } from './dead-pixels';
import { isLaneWise } from './ops';
import type { ConstantMath } from './passes/fold';
import { loopRounds } from './passes/iterations';
import { findUniform } from './passes/uniform';
import type { Instruction, IrInput, IrNode, IrOutput, IrProgram, ScalarType, ValueId } from './program';
import { arraysStored, forEachNode, replaceInstructions, variablesSet } from './walk';

/** The two parts of a program and how they connect. */
export interface SetParts {
  readonly first: IrProgram;
  readonly secondPart: IrProgram;
  /** Bits SETS_*. */
  readonly apart: number;
  /**
   * Index of the first link among the outputs of the first part and among the inputs of the second, and the number of
   * links.
   */
  readonly linkFrom: number;
  readonly linkTo: number;
  readonly linkCount: number;
  /** Number of outputs that both parts have, before all others. */
  readonly results: number;
  /**
   * Output of the first part that marks pixels for which nothing is left after the pixel stages; −1 if there is none.
   */
  readonly killed: number;
  /**
   * Output of the first part that holds the samples left after the pixel stages; −1 if all are left or the first part
   * handles a set itself.
   */
  readonly mask: number;
}

/** What an input adds to the properties that tell samples apart, beyond render targets: bits SETS_*, 0 for none. */
function distinctionOf(input: IrInput): number {
  if (input.kind === 'varying') {
    if (input.ofSample) return SETS_EVERY_SAMPLE;
    return input.sampling === 'sample' && input.interpolation !== 'flat' ? SETS_VARYINGS : 0;
  }
  if (input.kind !== 'builtin') return 0;
  if (input.builtin === 'sample_index') return SETS_EVERY_SAMPLE;
  if (!('ofSample' in input) || !input.ofSample) return 0;
  return input.builtin === 'position' && input.component === 2 ? SETS_DEPTH : SETS_EVERY_SAMPLE;
}

/** Whether an input is the contents of a render target, the depth buffer or the stencil buffer. */
export const isTargetContents = (input: IrInput): boolean =>
  input.kind === 'destination'
  || (input.kind === 'builtin' && (input.builtin === 'sample_depth' || input.builtin === 'sample_stencil'));

const isPerSet = (input: IrInput): boolean => isTargetContents(input) || distinctionOf(input) !== 0;

/** Whether a part of the program runs for sets of samples. */
export const hasSets = ({ inputs }: Pick<IrProgram, 'inputs'>): boolean => inputs.some(isPerSet);

/**
 * Splits a program. Nodes before `pixelNodes` run per pixel. `optimize` runs on the second part first, to reveal which
 * links it needs. The first part is not optimised.
 */
export function splitSets(
  program: IrProgram,
  pixelNodes: number,
  optimize: (program: IrProgram) => IrProgram
): SetParts {
  return new Splitter(program, pixelNodes).split(optimize);
}

/** Estimated cost of a texture read, and of a loop whose number of iterations depends on the run. Both are guesses. */
const TEXTURE_COST = 20;
const ROUNDS = 8;
/**
 * Minimum cost of the per-pixel part, in instructions, for a split. With 4 samples on a full screen, a loop of 5
 * iterations per pixel (25 instructions) was as fast as the whole program, one of 10 took 0.91 of the time, and one of
 * 600 took 0.28; with 16 samples, these took 0.89, 0.73 and 0.09.
 */
const MIN_WEIGHT = 60;
const weights = new WeakMap<IrProgram, boolean>();

/** Loops whose number of iterations depends on such functions are not counted exactly. */
const NO_MATH: ConstantMath = { unary: () => NaN, binary: () => NaN };

/** Whether a program that runs for each sample is faster when split. */
export function isWorthSplitting(program: IrProgram): boolean {
  let worth = weights.get(program);
  if (worth === undefined) {
    const weight = new Splitter(program, 0).weightOfPixels(loopRounds(program, NO_MATH));
    weights.set(program, (worth = weight >= MIN_WEIGHT));
  }
  return worth;
}

/** `rounds`: the known numbers of iterations of loops. */
function weightOf(nodes: readonly IrNode[], rounds: ReadonlyMap<IrNode, number>): number {
  return nodes.reduce((sum, node) => {
    switch (node.kind) {
      case 'op':
        return sum + (node.texture ? TEXTURE_COST : 1);
      case 'if':
        return sum + weightOf(node.then, rounds) + weightOf(node.otherwise, rounds);
      case 'loop':
        return sum + (rounds.get(node) ?? ROUNDS) * weightOf(node.body, rounds);
      default:
        return sum + ('body' in node ? weightOf(node.body, rounds) : 0);
    }
  }, 0);
}

/** Values, variables and arrays from outside that a node uses, including nested nodes. */
interface Uses {
  readonly values: ReadonlySet<ValueId>;
  readonly variables: ReadonlySet<number>;
  readonly arrays: ReadonlySet<number>;
}

class Splitter {
  /** For each node of the body, whether it belongs to the per-set part. */
  private readonly inSetPart: boolean[] = [];
  private readonly arrays = new Set<number>();
  private readonly uniform: ReadonlySet<ValueId>;
  private readonly uses: readonly Uses[];
  private readonly definitions = new Map<ValueId, number>();
  private readonly values: ScalarType[];

  constructor(
    private readonly program: IrProgram,
    private readonly pixelNodes: number
  ) {
    this.uniform = findUniform(program);
    this.values = [...program.values];
    this.uses = program.body.map(usesOf);
    program.body.forEach((node, i) => {
      if (node.kind === 'op') for (const id of node.results) this.definitions.set(id, i);
    });
  }

  split(optimize: (program: IrProgram) => IrProgram): SetParts {
    this.makeAllDistinct();
    const mask = maskOfPixels(this.program, this.pixelNodes);
    const apart = this.program.inputs.reduce(
      (all, input) => all | distinctionOf(input),
      mask === null ? 0 : SETS_SAMPLE_MASK
    );
    return this.first(this.secondPart(optimize), apart, mask);
  }

  private makeAllDistinct(): void {
    // An array belongs to one part only, so the analysis repeats while it finds more arrays that the per-set part uses.
    for (let known = -1; known !== this.arrays.size;) {
      known = this.arrays.size;
      this.makeDistinct();
    }
  }

  /** Estimated cost of the per-pixel part. `rounds`: the known numbers of iterations of loops. */
  weightOfPixels(rounds: ReadonlyMap<IrNode, number>): number {
    this.makeAllDistinct();
    return weightOf(
      this.program.body.filter((_, i) => !this.inSetPart[i]),
      rounds
    );
  }

  private makeDistinct(): void {
    const values = new Set<ValueId>();
    const variables = new Set<number>();
    this.program.body.forEach((node, i) => {
      const { values: used, variables: got, arrays } = this.uses[i]!;
      const sets = variablesSet([node]);
      const stored = arraysStored([node]);
      const isPartial = node.kind !== 'op';
      const follows =
        (i >= this.pixelNodes && hasEffect(node))
        || this.readsSet(node)
        || some(used, (id) => values.has(id))
        || some(got, (v) => variables.has(v))
        || some(arrays, (a) => this.arrays.has(a))
        || some(stored, (a) => this.arrays.has(a))
        // A conditional set keeps the old value in some lanes.
        || (isPartial && some(sets, (v) => variables.has(v)));
      this.inSetPart[i] = follows || (node.kind === 'op' && node.op === 'output');
      if (follows) {
        if (node.kind === 'op') for (const id of node.results) values.add(id);
        for (const v of sets) variables.add(v);
        for (const a of [...arrays, ...stored]) if (this.program.arrays[a]!.constants === undefined) this.arrays.add(a);
      } else if (!isPartial) for (const v of sets) variables.delete(v);
    });
  }

  private readsSet(node: IrNode): boolean {
    let found = false;
    forEachNode([node], (inner) => {
      if (inner.kind === 'op' && inner.op === 'input') found ||= isPerSet(this.program.inputs[inner.imm]!);
    });
    return found;
  }

  /** Builds the second part and lists what its links carry: values, or variables as they are before a node. */
  private secondPart(optimize: (program: IrProgram) => IrProgram): SecondPart {
    const { program } = this;
    const reads: Read[] = [];
    const byValue = new Map<ValueId, true>();
    const inputs: IrInput[] = [...program.inputs];
    const head: IrNode[] = [];
    const copies = new Set<number>();
    /** Nodes with their index in the program's body; −1 for new nodes. */
    const body: { readonly node: IrNode; readonly at: number }[] = [];
    const link = (read: Read, type: ScalarType, result: ValueId): void => {
      const location = reads.push(read) - 1;
      const imm = inputs.push({ kind: 'link', location, component: 0, type }) - 1;
      head.push({ kind: 'op', op: 'input', results: [result], args: [], imm });
    };
    const need = (id: ValueId): void => {
      const at = this.definitions.get(id)!;
      if (this.inSetPart[at] || copies.has(at)) return;
      const definition = program.body[at] as Instruction;
      if (this.uniform.has(id)) {
        copies.add(at);
        definition.args.forEach(need);
      } else if (!byValue.has(id)) {
        byValue.set(id, true);
        link({ value: id }, program.values[id]!, id);
      }
    };
    /** Variables whose current values the second part has. */
    const current = new Set<number>();
    const everSet = new Set<number>();
    program.body.forEach((node, i) => {
      const sets = variablesSet([node]);
      if (!this.inSetPart[i]) {
        for (const v of sets) {
          current.delete(v);
          everSet.add(v);
        }
        body.push({ node, at: i });
        return;
      }
      const { values, variables } = this.uses[i]!;
      values.forEach(need);
      const wanted = new Set([...variables, ...(node.kind === 'op' ? [] : sets)]);
      for (const v of wanted) {
        if (current.has(v) || !everSet.has(v)) continue;
        const { type } = program.variables[v]!;
        const value = this.values.push(type) - 1;
        link({ variable: v, before: i, value }, type, value);
        body.push({ node: { kind: 'op', op: 'var.set', results: [], args: [value], imm: v }, at: -1 });
        current.add(v);
      }
      for (const v of sets) {
        current.add(v);
        everSet.add(v);
      }
      body.push({ node, at: i });
    });
    const isOfSets = (at: number): boolean => at < 0 || this.inSetPart[at]!;
    const own = body.flatMap(({ node, at }) => (isOfSets(at) || copies.has(at) ? [node] : []));
    return {
      reads,
      own: body.flatMap(({ node, at }) => (isOfSets(at) ? [node] : [])),
      secondPart: optimize({ ...program, inputs, values: this.values, body: [...head, ...own] }),
    };
  }

  /** Builds the first part. `mask` is the sample mask that the pixel stages write, if any. */
  private first({ secondPart, own, reads }: SecondPart, apart: number, mask: ValueId | null): SetParts {
    const { program } = this;
    const writer = new NodeWriter({ ...program, values: this.values });
    const links = secondPart.inputs.filter((input) => input.kind === 'link');
    const results = apart === 0 ? program.outputs.length : 0;
    const outputs: IrOutput[] = apart === 0 ? [...program.outputs] : [];
    const tail: IrNode[] = [];
    const give = (output: IrOutput, value: ValueId): number => {
      const imm = outputs.push(output) - 1;
      tail.push({ kind: 'op', op: 'output', results: [], args: [value], imm });
      return imm;
    };
    for (const { location, type } of links)
      give({ kind: 'link', location, component: 0, type }, reads[location]!.value);
    const said = mask === null ? -1 : give({ kind: 'sample_mask', type: 'u32' }, mask);
    const kills = program.body.some((node, i) => !this.inSetPart[i] && discards(node));
    const dead = kills ? writer.variable('killed', 'bool') : -1;
    let killed = -1;
    if (kills) {
      const get = writer.value('var.get', 'bool', dead);
      tail.push(get);
      killed = give({ kind: 'killed', type: 'bool' }, get.results[0]!);
    }
    // Dead pixels skip the per-set part, which then follows all per-pixel nodes.
    const isGuarded = kills && apart === 0 && !needsWholeQuads(own);
    const body = this.firstBody(
      isGuarded ? reads : links.map(({ location }) => reads[location]!),
      apart === 0 && !isGuarded,
      (node) => (kills && discards(node) ? noting(node, dead, writer) : [node])
    );
    if (isGuarded) body.push(...writer.unless(dead, own));
    const { values, variables } = writer;
    return {
      first: { ...program, variables, values, outputs, body: [...body, ...tail] },
      secondPart,
      apart,
      linkFrom: results,
      linkTo: secondPart.inputs.findIndex(({ kind }) => kind === 'link'),
      linkCount: links.length,
      results: program.outputs.length,
      killed,
      mask: said,
    };
  }

  /** Nodes of the first part, with reads of the linked variables. `hasSets`: include the nodes of the per-set part. */
  private firstBody(reads: readonly Read[], hasSets: boolean, note: (node: IrNode) => readonly IrNode[]): IrNode[] {
    const before = new Map<number, IrNode[]>();
    for (const read of reads) {
      if (!('variable' in read)) continue;
      const get: IrNode = { kind: 'op', op: 'var.get', results: [read.value], args: [], imm: read.variable };
      before.set(read.before, [...(before.get(read.before) ?? []), get]);
    }
    return this.program.body.flatMap((node, i): readonly IrNode[] => {
      const gets = before.get(i) ?? [];
      if (this.inSetPart[i]) return hasSets ? [...gets, node] : gets;
      return [...gets, ...note(node)];
    });
  }
}

/** A value, or the value of a variable just before a node. */
type Read =
  { readonly value: ValueId } | { readonly value: ValueId; readonly variable: number; readonly before: number };

/** `own`: the nodes of the per-set part, not optimised; they refer to linked values directly. */
interface SecondPart {
  readonly secondPart: IrProgram;
  readonly own: readonly IrNode[];
  readonly reads: readonly Read[];
}

function some<T>(items: Iterable<T>, is: (item: T) => boolean): boolean {
  for (const item of items) if (is(item)) return true;
  return false;
}

export function usesOf(node: IrNode): Uses {
  const values = new Set<ValueId>();
  const own = new Set<ValueId>();
  const variables = new Set<number>();
  const arrays = new Set<number>();
  forEachNode([node], (inner) => {
    if (inner.kind === 'if') values.add(inner.condition);
    if (inner.kind !== 'op') return;
    for (const id of inner.results) own.add(id);
    for (const id of inner.args) values.add(id);
    if (inner.op === 'var.get') variables.add(inner.imm);
    if (inner.op === 'array.load') arrays.add(inner.imm);
  });
  for (const id of own) values.delete(id);
  return { values, variables, arrays };
}

/** Whether a node has an effect other than its results each time it runs. */
function hasEffect(node: IrNode): boolean {
  let found = false;
  forEachNode([node], (inner) => {
    found ||= inner.kind === 'op' && inner.op !== 'discard' && (isLaneWise(inner.op) || inner.op === 'storage.load');
  });
  return found;
}

/** The program with its inputs in another order. `order` contains all of its inputs and may contain more. */
export function withInputs(program: IrProgram, order: readonly IrInput[]): IrProgram {
  return withPlaces(
    program,
    order,
    program.inputs.map((input) => order.indexOf(input))
  );
}

/** `places`: the new index of each existing input. */
function withPlaces(program: IrProgram, inputs: readonly IrInput[], places: readonly number[]): IrProgram {
  const body = replaceInstructions(program.body, (node) =>
    node.op === 'input' ? { ...node, imm: places[node.imm]! } : node
  );
  return { ...program, inputs, body };
}

/**
 * The program for single-sampled pixels: inputs of the sample become inputs of the pixel, and duplicates are merged.
 */
export function forSingleSample(program: IrProgram): IrProgram {
  const inputs: IrInput[] = [];
  const keys: string[] = [];
  const places = program.inputs.map((input) => {
    const { ofSample: _, ...plain } = { ofSample: true, ...input };
    const key = JSON.stringify(plain);
    const known = keys.indexOf(key);
    return known >= 0 ? known : Math.max(keys.push(key), inputs.push(plain as IrInput)) - 1;
  });
  return withPlaces(program, inputs, places);
}
