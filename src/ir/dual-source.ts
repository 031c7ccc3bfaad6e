// Lowers dual-source blending before programs are compiled. The kernel blends only one source. For a program with two
// sources, blending becomes part of the program, which reads the render target where the blend state requires it.
// Alpha-to-coverage, which uses the alpha of the first source, becomes a sample mask. See WebGPU §10.3.6 "blend state".
import { unreachable } from '../base/assert';
import type { OpName } from './ops';
import type { Instruction, IrInput, IrNode, IrOutput, IrProgram, IrResource, ScalarType, ValueId } from './program';
import { replaceInstructions } from './walk';

interface SourceBlend {
  readonly operation: GPUBlendOperation;
  readonly srcFactor: GPUBlendFactor | SecondFactor;
  readonly dstFactor: GPUBlendFactor | SecondFactor;
}
type SecondFactor = 'src1' | 'one-minus-src1' | 'src1-alpha' | 'one-minus-src1-alpha';

/** How the two sources are blended with the contents of target 0. */
export interface DualSourceBlend {
  readonly color: SourceBlend;
  readonly alpha: SourceBlend;
  /** Range to which sources and the blend constant are clamped, for normalized formats; null otherwise. */
  readonly range: readonly [number, number] | null;
  /** Number of channels of the render target. */
  readonly channels: number;
  /** Sample count for alpha-to-coverage; null if it is off. */
  readonly coverage: number | null;
}

/** Whether the program has a second source. */
export const hasSecondSource = ({ outputs }: Pick<IrProgram, 'outputs'>): boolean =>
  outputs.some(({ kind }) => kind === 'second_color');

/** Removes the second source and adds the blending that uses it; null: no blending uses it. */
export function lowerDualSource(program: IrProgram, blend: DualSourceBlend | null): IrProgram {
  return new Blender(program).blend(blend);
}

/** A value, or a constant known to be 0 or 1. */
type Term = ValueId | 'zero' | 'one';

class Blender {
  private readonly values: ScalarType[];
  private readonly inputs: IrInput[];
  private readonly resources: IrResource[];
  private readonly nodes: IrNode[] = [];
  private readonly first = new Map<number, ValueId>();
  private readonly second = new Map<number, ValueId>();
  private readonly held = new Map<number, ValueId>();
  private readonly constants = new Map<string, ValueId>();

  constructor(private readonly program: IrProgram) {
    this.values = [...program.values];
    this.inputs = [...program.inputs];
    this.resources = [...program.resources];
  }

  blend(blend: DualSourceBlend | null): IrProgram {
    const { program } = this;
    const isColor = (output: IrOutput): boolean => output.kind === 'color' && output.location === 0;
    const gone = (output: IrOutput): boolean => output.kind === 'second_color' || (blend !== null && isColor(output));
    const outputs = program.outputs.filter((output) => !gone(output));
    const body = replaceInstructions(program.body, (node) => {
      if (node.op !== 'output') return node;
      const output = program.outputs[node.imm]!;
      if (!gone(output)) return { ...node, imm: outputs.indexOf(output) };
      if ('component' in output)
        (output.kind === 'second_color' ? this.second : this.first).set(output.component, node.args[0]!);
      return null;
    });
    if (blend !== null) this.results(blend, outputs);
    return {
      ...program,
      values: this.values,
      inputs: this.inputs,
      resources: this.resources,
      outputs,
      body: [...body, ...this.nodes],
    };
  }

  private results(blend: DualSourceBlend, outputs: IrOutput[]): void {
    const { range, coverage, channels } = blend;
    const alpha = this.first.get(3);
    if (coverage !== null) {
      const mask = this.covered(alpha ?? unreachable('ir: coverage without alpha'), coverage);
      this.give(outputs, { kind: 'sample_mask', type: 'u32' }, mask);
    }
    for (const sources of [this.first, this.second])
      for (const [component, value] of sources) sources.set(component, this.clamped(value, range));
    const { color, alpha: ofAlpha } = blend;
    const colors = Array.from({ length: channels }, (_, k) => this.channel(k, k === 3 ? ofAlpha : color, range));
    colors.forEach((value, component) =>
      this.give(outputs, { kind: 'color', location: 0, component, type: 'f32' }, value)
    );
  }

  private give(outputs: IrOutput[], output: IrOutput, value: ValueId): void {
    this.nodes.push({ kind: 'op', op: 'output', results: [], args: [value], imm: outputs.push(output) - 1 });
  }

  private channel(
    k: number,
    { operation, srcFactor, dstFactor }: SourceBlend,
    range: DualSourceBlend['range']
  ): ValueId {
    if (operation === 'min' || operation === 'max')
      return this.op(`f32.${operation}`, [this.source(k), this.stored(k)]);
    const source = this.product(this.factor(srcFactor, k, range), () => this.source(k));
    const held = this.product(this.factor(dstFactor, k, range), () => this.stored(k));
    const [a, b] = operation === 'reverse-subtract' ? [held, source] : [source, held];
    if (operation === 'add' && (a === 'zero' || b === 'zero')) return this.value(a === 'zero' ? b : a);
    return this.op(operation === 'add' ? 'f32.add' : 'f32.sub', [this.value(a), this.value(b)]);
  }

  private factor(name: SourceBlend['srcFactor'], k: number, range: DualSourceBlend['range']): Term {
    const inverted = /^one-minus-(.*)$/.exec(name)?.[1];
    if (inverted !== undefined) {
      const factor = this.value(this.factor(inverted as GPUBlendFactor, k, range));
      return this.op('f32.sub', [this.number(1), factor]);
    }
    switch (name as GPUBlendFactor | SecondFactor) {
      case 'zero':
        return 'zero';
      case 'one':
        return 'one';
      case 'src':
        return this.source(k);
      case 'src-alpha':
        return this.source(3);
      case 'src1':
        return this.second.get(k) ?? unreachable('ir: a second source without a channel');
      case 'src1-alpha':
        return this.second.get(3) ?? unreachable('ir: a second source without alpha');
      case 'dst':
        return this.stored(k);
      case 'dst-alpha':
        return this.stored(3);
      case 'constant':
        return this.clamped(this.blendConstant(k), range);
      case 'src-alpha-saturated':
        return k === 3
          ? 'one'
          : this.op('f32.min', [this.source(3), this.op('f32.sub', [this.number(1), this.stored(3)])]);
      default:
        return unreachable(`ir: blend factor ${name}`);
    }
  }

  private product(factor: Term, of: () => ValueId): Term {
    if (factor === 'zero') return 'zero';
    return factor === 'one' ? of() : this.op('f32.mul', [factor, of()]);
  }

  private value(term: Term): ValueId {
    return term === 'zero' ? this.number(0) : term === 'one' ? this.number(1) : term;
  }

  private source(k: number): ValueId {
    return this.first.get(k) ?? unreachable('ir: a source without a channel');
  }

  /** Contents of the render target. */
  private stored(component: number): ValueId {
    let found = this.held.get(component);
    if (found === undefined) {
      const imm = this.inputs.push({ kind: 'destination', location: 0, component, type: 'f32' }) - 1;
      this.held.set(component, (found = this.op('input', [], 'f32', imm)));
    }
    return found;
  }

  private blendConstant(k: number): ValueId {
    const known = this.resources.findIndex(({ kind }) => kind === 'blend-constant');
    const resource = known >= 0 ? known : this.resources.push({ kind: 'blend-constant', minSize: 16 }) - 1;
    return this.op('buffer.load', [this.number(k * 4, 'u32')], 'f32', resource);
  }

  private clamped(value: ValueId, range: DualSourceBlend['range']): ValueId {
    if (range === null) return value;
    return this.op('f32.min', [this.op('f32.max', [value, this.number(range[0])]), this.number(range[1])]);
  }

  /** Mask of the samples that an alpha value covers, as in the output stage (assembly/output/shader-mask.ts). */
  private covered(alpha: ValueId, count: number): ValueId {
    const steps: readonly (readonly [least: number, mask: number])[] =
      count === 4
        ? [
            [0.125, 1],
            [0.375, 9],
            [0.625, 11],
            [0.875, 15],
          ]
        : Array.from({ length: count }, (_, i) => [(i + 0.5) / count, 2 ** (i + 1) - 1] as const);
    return steps.reduce(
      (mask, [least, more]) =>
        this.op(
          'select',
          [this.op('f32.ge', [alpha, this.number(least)], 'bool'), this.number(more, 'u32'), mask],
          'u32'
        ),
      this.number(0, 'u32')
    );
  }

  private number(value: number, type: 'f32' | 'u32' = 'f32'): ValueId {
    const bits = type === 'f32' ? new Int32Array(Float32Array.of(value).buffer)[0]! : value | 0;
    const key = `${type} ${bits}`;
    let found = this.constants.get(key);
    if (found === undefined) this.constants.set(key, (found = this.op('const', [], type, bits)));
    return found;
  }

  private op(op: OpName, args: readonly ValueId[], type: ScalarType = 'f32', imm = 0): ValueId {
    const result = this.values.push(type) - 1;
    const node: Instruction = { kind: 'op', op, results: [result], args, imm };
    this.nodes.push(node);
    return result;
  }
}
