// Joins the fragment stages of a pipeline into one program. Links between stages become values, so a pixel's data does
// not pass through memory between stages. When the program is linked, sample-sets.ts separates what runs once per pixel
// from what runs for sets of its samples.
import { assert } from '../base/assert';
import type { Instruction, IrInput, IrNode, IrOutput, IrProgram, IrResource, ScalarType, ValueId } from './program';
import { hasDispatches } from './dispatches';
import { replaceInstructions } from './walk';

/** How often a fragment stage runs. */
export type FragmentRate = 'coarse' | 'pixel' | 'sample';

interface FragmentStage {
  readonly program: IrProgram;
  readonly rate: FragmentRate;
}

/** The joined stages. */
export interface JoinedStages {
  readonly program: IrProgram;
  /**
   * Number of nodes of the body that belong to coarse and pixel stages, and number of those that belong to coarse
   * stages followed by finer ones.
   */
  readonly pixelNodes: number;
  readonly coarseNodes: number;
  /** Outputs to render targets and tests that these coarse stages write. */
  readonly coarseResults: readonly IrOutput[];
  /** Whether there is a sample stage, and whether there is a stage that is not coarse. */
  readonly hasSamples: boolean;
  readonly hasFineStages: boolean;
  /** Whether the last stage sends its own results with `dispatch`. */
  readonly hasDispatches: boolean;
  /**
   * Whether the program is a plain fragment shader that does not use framebuffer fetch but runs per sample if pixels
   * are multisampled.
   */
  readonly isPerSampleShader?: boolean;
}

const numbers = new WeakMap<IrProgram, number>();
const joined = new WeakMap<IrProgram, Map<string, JoinedStages>>();
let programs = 0;

function numberOf(program: IrProgram): number {
  let number = numbers.get(program);
  if (number === undefined) numbers.set(program, (number = ++programs));
  return number;
}

/**
 * Joins stages in order; sample stages come last, and links match. A stage may write a link again: later stages then
 * read its value. The same stages always give the same program object.
 */
export function joinStages(stages: readonly FragmentStage[]): JoinedStages {
  const [first] = stages;
  assert(first !== undefined, 'ir: a pipeline has a fragment stage at least');
  const key = stages.map(({ program, rate }) => `${numberOf(program)} ${rate}`).join();
  let known = joined.get(first.program);
  if (!known) joined.set(first.program, (known = new Map()));
  let found = known.get(key);
  if (!found) known.set(key, (found = new Joiner().join(stages)));
  return found;
}

/** Whether the operation's immediate is a resource index. */
const isOfResource = (op: string): boolean =>
  /^(buffer|storage|atomic|image|surface)\./.test(op)
  || /^texture\.(dimensions|levels|layers|samples|loadSamples)$/.test(op);

class Joiner {
  private readonly values: ScalarType[] = [];
  private readonly variables: IrProgram['variables'][number][] = [];
  private readonly arrays: IrProgram['arrays'][number][] = [];
  private readonly inputs: IrInput[] = [];
  private readonly outputs: IrOutput[] = [];
  private readonly resources: IrResource[] = [];
  private readonly body: IrNode[] = [];
  /** Outputs to render targets and tests; they go after everything else. */
  private readonly results: Instruction[] = [];
  private readonly links = new Map<string, ValueId>();
  private labels = 0;

  join(stages: readonly FragmentStage[]): JoinedStages {
    const hasFineStages = stages.some(({ rate }) => rate !== 'coarse');
    const coarseResults: IrOutput[] = [];
    let pixelNodes = 0;
    let coarseNodes = 0;
    for (const { program, rate } of stages) {
      this.add(program, rate === 'sample');
      if (rate !== 'sample') pixelNodes = this.body.length;
      if (rate !== 'coarse' || !hasFineStages) continue;
      coarseNodes = this.body.length;
      coarseResults.push(...program.outputs.filter(({ kind }) => kind !== 'link'));
    }
    const { values, variables, arrays, inputs, outputs, resources } = this;
    const name = stages.map(({ program }) => program.name).join(' + ');
    const some = (read: (program: IrProgram) => boolean | undefined): boolean =>
      stages.some(({ program }) => read(program));
    return {
      pixelNodes,
      coarseNodes,
      coarseResults,
      hasSamples: stages.some(({ rate }) => rate === 'sample'),
      hasFineStages,
      hasDispatches: stages.some(({ program }) => hasDispatches(program)),
      program: {
        name,
        kind: 'fragment',
        values,
        variables,
        arrays,
        inputs,
        outputs,
        resources,
        body: [...this.body, ...this.results],
        usesDiscard: some(({ usesDiscard }) => usesDiscard),
        usesDerivatives: some(({ usesDerivatives }) => usesDerivatives),
        ...(some(({ testsEarly }) => testsEarly) && { testsEarly: true }),
      },
    };
  }

  private add(program: IrProgram, ofSamples: boolean): void {
    const first = this.values.length;
    const variable = this.variables.length;
    const array = this.arrays.length;
    this.values.push(...program.values);
    this.variables.push(...program.variables);
    this.arrays.push(...program.arrays);
    const inputs = program.inputs.map((input) =>
      input.kind === 'link' ? -1 : this.input(ofSamples ? ofSample(input, program) : input)
    );
    const resources = program.resources.map((resource) => this.resource(resource));
    /** For each value that reads a link, the value that was linked. */
    const linked = new Map<ValueId, ValueId>();
    const value = (id: ValueId): ValueId => linked.get(first + id) ?? first + id;
    const label = this.labels;
    const results: Instruction[] = [];
    /** A dispatching stage keeps its outputs where they are. */
    const sends = hasDispatches(program);
    const firstOutput = this.outputs.length;
    if (sends) this.outputs.push(...program.outputs);
    const take = (node: Instruction): Instruction | null => {
      const input = node.op === 'input' ? program.inputs[node.imm] : undefined;
      if (input?.kind === 'link') {
        const given = this.links.get(linkKey(input));
        assert(given !== undefined, 'ir: no stage gives a link that is read');
        linked.set(first + node.results[0]!, given);
        return null;
      }
      const { op, args, texture } = node;
      let { imm } = node;
      if (op === 'input') imm = inputs[imm]!;
      else if (op === 'var.get' || op === 'var.set') imm += variable;
      else if (op === 'array.load' || op === 'array.store') imm += array;
      else if (isOfResource(op)) imm = resources[imm]!;
      const taken: Instruction = {
        ...node,
        imm,
        args: args.map(value),
        results: node.results.map((id) => first + id),
        ...(texture && {
          texture: {
            ...texture,
            texture: resources[texture.texture]!,
            sampler: texture.sampler < 0 ? -1 : resources[texture.sampler]!,
          },
        }),
      };
      if (op !== 'output') return taken;
      if (sends) return { ...taken, imm: firstOutput + imm };
      results.push(taken);
      return null;
    };
    this.body.push(...relabelled(replaceInstructions(program.body, take), value, label));
    this.labels += 1 + highestLabel(program.body);
    // A link that is written again loses all components of its earlier value.
    for (const output of program.outputs)
      if (output.kind === 'link')
        for (let component = 0; component < 4; component++)
          this.links.delete(linkKey({ location: output.location, component }));
    for (const node of results) this.result(node, program.outputs[node.imm]!);
  }

  private result(node: Instruction, output: IrOutput): void {
    if (output.kind === 'link') this.links.set(linkKey(output), node.args[0]!);
    else this.results.push({ ...node, imm: this.outputs.push(output) - 1 });
  }

  /** Index of an input; stages share equal inputs. */
  private input(input: IrInput): number {
    const key = JSON.stringify(input);
    const index = this.inputs.findIndex((other) => JSON.stringify(other) === key);
    return index >= 0 ? index : this.inputs.push(input) - 1;
  }

  private resource(resource: IrResource): number {
    const key = placeOf(resource);
    const index = this.resources.findIndex((other) => placeOf(other) === key);
    if (index < 0) return this.resources.push(resource) - 1;
    const known = this.resources[index]!;
    if ('minSize' in known && 'minSize' in resource && resource.minSize > known.minSize)
      this.resources[index] = resource;
    return index;
  }
}

/** Identifies a resource across stages. */
const placeOf = (resource: IrResource): string =>
  'group' in resource
    ? `${resource.kind} ${resource.group} ${resource.binding}`
    : 'name' in resource && resource.kind !== 'immediate'
      ? `${resource.kind} ${resource.name}`
      : resource.kind;

const linkKey = ({ location, component }: { readonly location: number; readonly component: number }): string =>
  `${location}.${component}`;

/**
 * Whether every sample needs its own run, whatever its contents: a stage reads the sample index or a varying
 * interpolated at the sample.
 */
function isPerSample({ inputs }: Pick<IrProgram, 'inputs'>): boolean {
  return inputs.some(
    (input) =>
      (input.kind === 'builtin' && input.builtin === 'sample_index')
      || (input.kind === 'varying' && input.sampling === 'sample' && input.interpolation !== 'flat')
  );
}

/**
 * Converts an input of a sample stage. If the stage runs once for each sample, its position, its mask and its centroid
 * varyings are those of the sample. Otherwise only the depth is.
 */
function ofSample(input: IrInput, program: IrProgram): IrInput {
  const each = isPerSample(program);
  if (input.kind === 'varying') return each && input.sampling === 'centroid' ? { ...input, ofSample: true } : input;
  if (input.kind !== 'builtin') return input;
  if (input.builtin === 'position') return each || input.component === 2 ? { ...input, ofSample: true } : input;
  return each && input.builtin === 'sample_mask' ? { ...input, ofSample: true } : input;
}

function highestLabel(nodes: readonly IrNode[]): number {
  let highest = -1;
  for (const node of nodes) {
    if (node.kind === 'if') highest = Math.max(highest, highestLabel(node.then), highestLabel(node.otherwise));
    else if (node.kind === 'block' || node.kind === 'loop')
      highest = Math.max(highest, node.label, highestLabel(node.body));
  }
  return highest;
}

/** Renumbers conditions and labels; the instructions themselves already have their values. */
function relabelled(nodes: readonly IrNode[], value: (id: ValueId) => ValueId, label: number): IrNode[] {
  return nodes.map((node): IrNode => {
    switch (node.kind) {
      case 'op':
        return node;
      case 'leave':
        return { ...node, label: node.label + label };
      case 'if':
        return {
          ...node,
          condition: value(node.condition),
          then: relabelled(node.then, value, label),
          otherwise: relabelled(node.otherwise, value, label),
        };
      default:
        return { ...node, label: node.label + label, body: relabelled(node.body, value, label) };
    }
  });
}
