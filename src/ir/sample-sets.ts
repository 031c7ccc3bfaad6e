// A fragment program of which a part is run for sets of samples, in two: what is the same for all samples of a pixel is
// computed once, and what the part of sets needs of it are links (assembly/layout/sample-sets.ts).
//
//   first     the whole program, for a pixel's first set, and the links; where samples are apart by more than what
//             targets hold, the part of pixels alone
//   further   the part of sets, of values that are links now
//
// Nodes of the body are taken one by one, each with all that stands in it: one that follows from a set's inputs in any
// way is of the part of sets.
import { SETS_DEPTH, SETS_EACH, SETS_LEFT, SETS_VARYINGS } from '../../assembly/layout/sample-sets-codes';
import { discards, maskOfPixels, needsWholeQuads, NodeWriter, noting } from './dead-pixels';
import { isLaneWise } from './ops';
import { findUniform } from './passes/uniform';
import type { Instruction, IrInput, IrNode, IrOutput, IrProgram, ScalarType, ValueId } from './program';
import { arraysStored, forEachNode, replaceInstructions, variablesSet } from './walk';

/** How the two parts of a program fit. */
export interface SetParts {
  readonly first: IrProgram;
  readonly further: IrProgram;
  /** SETS_*. */
  readonly apart: number;
  /** First of the first part's outputs that are links, and of the second part's inputs; how many there are. */
  readonly linkFrom: number;
  readonly linkTo: number;
  readonly linkCount: number;
  /** Outputs that both have, before all others. */
  readonly results: number;
  /** Output of the first part that says which pixels stages of pixels have left nothing of; -1: there is none. */
  readonly killed: number;
  /** Output of the first part that says which samples they have left; -1: all, or the first part has sets. */
  readonly mask: number;
}

/** What tells the samples of a pixel apart besides targets, of an input: SETS_*; 0: nothing. */
function apartBy(input: IrInput): number {
  if (input.kind === 'varying') {
    if (input.ofSample) return SETS_EACH;
    return input.sampling === 'sample' && input.interpolation !== 'flat' ? SETS_VARYINGS : 0;
  }
  if (input.kind !== 'builtin') return 0;
  if (input.builtin === 'sample_index') return SETS_EACH;
  if (!('ofSample' in input) || !input.ofSample) return 0;
  return input.builtin === 'position' && input.component === 2 ? SETS_DEPTH : SETS_EACH;
}

/** Whether an input is what render targets, depth or stencil hold. */
export const isStored = (input: IrInput): boolean => input.kind === 'destination'
  || (input.kind === 'builtin' && (input.builtin === 'sample_depth' || input.builtin === 'sample_stencil'));

const isOfSet = (input: IrInput): boolean => isStored(input) || apartBy(input) !== 0;

/** Whether any part of a program is run for sets of samples. */
export const hasSets = ({ inputs }: Pick<IrProgram, 'inputs'>): boolean => inputs.some(isOfSet);

/**
 * The parts of a program; nodes before `pixelNodes` are of pixels, whatever they do. `optimize` is run on the second
 * part before it is known what it needs of the first, which is not optimised.
 */
export function splitSets(
  program: IrProgram, pixelNodes: number, optimize: (program: IrProgram) => IrProgram
): SetParts {
  return new Splitter(program, pixelNodes).split(optimize);
}

/** What instructions cost against others, and how often a loop may go round: guesses. */
const TEXTURE_COST = 20, ROUNDS = 8, LEAST_WEIGHT = 300;
const weights = new WeakMap<IrProgram, boolean>();

/**
 * Whether a program that is run for each sample is better run in two parts: what is of pixels has to outweigh what the
 * second part costs beside it, that it goes one a lane and by links. (At four samples, of a full screen: with 32 rounds
 * of a loop once a pixel as fast as whole; with 8 it took half as long again.)
 */
export function isWorthSplitting(program: IrProgram): boolean {
  let worth = weights.get(program);
  if (worth === undefined) {
    const { ofPixels, ofSets } = new Splitter(program, 0).weigh();
    weights.set(program, worth = ofPixels > ofSets + LEAST_WEIGHT);
  }
  return worth;
}

function weightOf(nodes: readonly IrNode[]): number {
  return nodes.reduce((sum, node) => {
    switch (node.kind) {
      case 'op': return sum + (node.texture ? TEXTURE_COST : 1);
      case 'if': return sum + weightOf(node.then) + weightOf(node.otherwise);
      case 'loop': return sum + ROUNDS * weightOf(node.body);
      default: return sum + ('body' in node ? weightOf(node.body) : 0);
    }
  }, 0);
}

/** Values and variables that a node takes from outside, with all that stands in it. */
export interface Uses {
  readonly values: ReadonlySet<ValueId>;
  readonly variables: ReadonlySet<number>;
  readonly arrays: ReadonlySet<number>;
}

class Splitter {
  /** Of nodes of the body. */
  private readonly ofSets: boolean[] = [];
  private readonly arrays = new Set<number>();
  private readonly uniform: ReadonlySet<ValueId>;
  private readonly uses: readonly Uses[];
  private readonly definitions = new Map<ValueId, number>();
  private readonly values: ScalarType[];

  constructor(private readonly program: IrProgram, private readonly pixelNodes: number) {
    this.uniform = findUniform(program);
    this.values = [...program.values];
    this.uses = program.body.map(usesOf);
    program.body.forEach((node, i) => {
      if (node.kind === 'op') for (const id of node.results) this.definitions.set(id, i);
    });
  }

  split(optimize: (program: IrProgram) => IrProgram): SetParts {
    this.tellAllApart();
    const mask = maskOfPixels(this.program, this.pixelNodes);
    const apart = this.program.inputs.reduce((all, input) => all | apartBy(input), mask === null ? 0 : SETS_LEFT);
    return this.first(this.further(optimize), apart, mask);
  }

  private tellAllApart(): void {
    // Arrays belong to one part: another look, as long as there are more of those that sets use.
    for (let known = -1; known !== this.arrays.size;) {
      known = this.arrays.size;
      this.tellApart();
    }
  }

  /** What the two parts weigh. */
  weigh(): { ofPixels: number; ofSets: number } {
    this.tellAllApart();
    const { body } = this.program;
    const of = (isOfSet: boolean): number => weightOf(body.filter((_, i) => this.ofSets[i] === isOfSet));
    return { ofPixels: of(false), ofSets: of(true) };
  }

  private tellApart(): void {
    const values = new Set<ValueId>(), variables = new Set<number>();
    this.program.body.forEach((node, i) => {
      const { values: used, variables: got, arrays } = this.uses[i]!;
      const sets = variablesSet([node]), stored = arraysStored([node]);
      const isPartial = node.kind !== 'op';
      const follows = (i >= this.pixelNodes && hasEffect(node)) || this.readsSet(node)
        || some(used, (id) => values.has(id)) || some(got, (v) => variables.has(v))
        || some(arrays, (a) => this.arrays.has(a)) || some(stored, (a) => this.arrays.has(a))
        // What sets it in part leaves what was there.
        || (isPartial && some(sets, (v) => variables.has(v)));
      this.ofSets[i] = follows || (node.kind === 'op' && node.op === 'output');
      if (follows) {
        if (node.kind === 'op') for (const id of node.results) values.add(id);
        for (const v of sets) variables.add(v);
        for (const a of [...arrays, ...stored])
          if (this.program.arrays[a]!.constants === undefined) this.arrays.add(a);
      } else if (!isPartial) for (const v of sets) variables.delete(v);
    });
  }

  private readsSet(node: IrNode): boolean {
    let found = false;
    forEachNode([node], (inner) => {
      if (inner.kind === 'op' && inner.op === 'input') found ||= isOfSet(this.program.inputs[inner.imm]!);
    });
    return found;
  }

  /** The second part, and by the numbers of its links what they are: values, or variables before a node. */
  private further(optimize: (program: IrProgram) => IrProgram): SecondPart {
    const { program } = this, reads: Read[] = [], byValue = new Map<ValueId, true>();
    const inputs: IrInput[] = [...program.inputs], head: IrNode[] = [], copies = new Set<number>();
    /** With the numbers of those that are nodes of the program. */
    const body: { readonly node: IrNode; readonly at: number }[] = [];
    const link = (read: Read, type: ScalarType, result: ValueId): void => {
      const location = reads.push(read) - 1;
      const imm = inputs.push({ kind: 'link', location, component: 0, type }) - 1;
      head.push({ kind: 'op', op: 'input', results: [result], args: [], imm });
    };
    const need = (id: ValueId): void => {
      const at = this.definitions.get(id)!;
      if (this.ofSets[at] || copies.has(at)) return;
      const definition = program.body[at] as Instruction;
      if (this.uniform.has(id)) {
        copies.add(at);
        definition.args.forEach(need);
      } else if (!byValue.has(id)) {
        byValue.set(id, true);
        link({ value: id }, program.values[id]!, id);
      }
    };
    /** Variables whose values the second part has. */
    const current = new Set<number>(), everSet = new Set<number>();
    program.body.forEach((node, i) => {
      const sets = variablesSet([node]);
      if (!this.ofSets[i]) {
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
        const { type } = program.variables[v]!, value = this.values.push(type) - 1;
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
    const isOfSets = (at: number): boolean => at < 0 || this.ofSets[at]!;
    const own = body.flatMap(({ node, at }) => (isOfSets(at) || copies.has(at) ? [node] : []));
    return {
      reads, own: body.flatMap(({ node, at }) => (isOfSets(at) ? [node] : [])),
      further: optimize({ ...program, inputs, values: this.values, body: [...head, ...own] }),
    };
  }

  /** `mask`: the sample mask that stages of pixels give, if there is one. */
  private first({ further, own, reads }: SecondPart, apart: number, mask: ValueId | null): SetParts {
    const { program } = this, writer = new NodeWriter({ ...program, values: this.values });
    const links = further.inputs.filter((input) => input.kind === 'link');
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
    const kills = program.body.some((node, i) => !this.ofSets[i] && discards(node));
    const dead = kills ? writer.variable('killed', 'bool') : -1;
    let killed = -1;
    if (kills) {
      const get = writer.value('var.get', 'bool', dead);
      tail.push(get);
      killed = give({ kind: 'killed', type: 'bool' }, get.results[0]!);
    }
    // Dead pixels go past the part of sets, which then stands behind all that is of pixels.
    const isGuarded = kills && apart === 0 && !needsWholeQuads(own);
    const body = this.firstBody(
      isGuarded ? reads : links.map(({ location }) => reads[location]!), apart === 0 && !isGuarded,
      (node) => (kills && discards(node) ? noting(node, dead, writer) : [node])
    );
    if (isGuarded) body.push(...writer.unless(dead, own));
    const { values, variables } = writer;
    return {
      first: { ...program, variables, values, outputs, body: [...body, ...tail] }, further, apart,
      linkFrom: results, linkTo: further.inputs.findIndex(({ kind }) => kind === 'link'), linkCount: links.length,
      results: program.outputs.length, killed, mask: said,
    };
  }

  /** Nodes of the first part, with what variables hold that are read; `hasSets`: those of sets as well. */
  private firstBody(reads: readonly Read[], hasSets: boolean, note: (node: IrNode) => readonly IrNode[]): IrNode[] {
    const before = new Map<number, IrNode[]>();
    for (const read of reads) {
      if (!('variable' in read)) continue;
      const get: IrNode = { kind: 'op', op: 'var.get', results: [read.value], args: [], imm: read.variable };
      before.set(read.before, [...before.get(read.before) ?? [], get]);
    }
    return this.program.body.flatMap((node, i): readonly IrNode[] => {
      const gets = before.get(i) ?? [];
      if (this.ofSets[i]) return hasSets ? [...gets, node] : gets;
      return [...gets, ...note(node)];
    });
  }
}

/** A value, or one that a variable holds before a node. */
type Read = { readonly value: ValueId }
  | { readonly value: ValueId; readonly variable: number; readonly before: number };

/** `own`: nodes of the part of sets alone, not optimised, which read its links as values. */
interface SecondPart { readonly further: IrProgram; readonly own: readonly IrNode[]; readonly reads: readonly Read[] }

function some<T>(items: Iterable<T>, is: (item: T) => boolean): boolean {
  for (const item of items) if (is(item)) return true;
  return false;
}

export function usesOf(node: IrNode): Uses {
  const values = new Set<ValueId>(), own = new Set<ValueId>();
  const variables = new Set<number>(), arrays = new Set<number>();
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

/** What a node does beyond its values, once for each time it is run. */
function hasEffect(node: IrNode): boolean {
  let found = false;
  forEachNode([node], (inner) => {
    found ||= inner.kind === 'op' && inner.op !== 'discard' && (isLaneWise(inner.op) || inner.op === 'storage.load');
  });
  return found;
}

/** The program with its inputs in another order; `order`: those that it has, and more. */
export function withInputs(program: IrProgram, order: readonly IrInput[]): IrProgram {
  return withPlaces(program, order, program.inputs.map((input) => order.indexOf(input)));
}

/** `places`: of the inputs that it has, among those that it gets. */
function withPlaces(program: IrProgram, inputs: readonly IrInput[], places: readonly number[]): IrProgram {
  const body = replaceInstructions(
    program.body, (node) => (node.op === 'input' ? { ...node, imm: places[node.imm]! } : node)
  );
  return { ...program, inputs, body };
}

/** The program of pixels that have one sample: what is of a sample is of its pixel, and no other input. */
export function ofOneSample(program: IrProgram): IrProgram {
  const inputs: IrInput[] = [], keys: string[] = [];
  const places = program.inputs.map((input) => {
    const { ofSample: _, ...plain } = { ofSample: true, ...input };
    const key = JSON.stringify(plain), known = keys.indexOf(key);
    return known >= 0 ? known : Math.max(keys.push(key), inputs.push(plain as IrInput)) - 1;
  });
  return withPlaces(program, inputs, places);
}
