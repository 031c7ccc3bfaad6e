// Random IR programs with every kind of node. Loops are counted, so that every program ends.
import { opInfo, ops, type IrProgram, type OpName, type OpType, type ScalarType, type ValueId } from '../../src/ir';
import { Random } from '../support/random';
import { accessStorage, accessSurface, queryTexture, readTextures } from './arbitrary.accesses';
import {
  ARRAYS,
  BUFFER,
  IMAGE,
  INPUTS,
  OUTPUTS,
  SAMPLERS,
  SURFACE,
  TEXTURES,
  VARIABLES,
  WORDS,
} from './arbitrary.resources';
import { randomBits, Writer, type ArbitraryOptions } from './arbitrary.writer';

const inexact = /^f32\.(inverseSqrt|exp2?|log2?|pow|sin|cos|tan|a?(sin|cos|tan)h?|atan2)$/;
const special = new RegExp(
  '^(const|input|output|var\\.|array\\.|buffer\\.|texture\\.|surface\\.|storage\\.|image\\.|atomic\\.|lanes\\.|'
    + 'dd[xy]\\.|discard|emit|cut|dispatch|barrier)'
);
/** Functions of the kernel. */
export const inexactOps: readonly OpName[] = (Object.keys(ops) as OpName[]).filter((op) => inexact.test(op));
/** Pure arithmetic whose bits do not depend on the kernel's functions. */
export const exactOps: readonly OpName[] = (Object.keys(ops) as OpName[]).filter(
  (op) => !inexact.test(op) && !special.test(op)
);

class ProgramWriter extends Writer {
  private readonly variables: { name: string; type: ScalarType }[] = VARIABLES.map((type, k) => ({
    name: `v${k}`,
    type,
  }));
  private labels: number[] = [];
  private nextLabel = 0;
  private left: number;

  constructor(random: Random, options: ArbitraryOptions) {
    super(random, options);
    this.left = options.statements;
  }

  program(): IrProgram {
    const inputs = this.options.surfaces ? ([...INPUTS, 'i32', 'i32'] as const) : INPUTS;
    inputs.forEach((type, index) => this.op('input', type, [], index));
    for (const type of ['f32', 'i32', 'u32', 'bool'] as const) this.constant(type);
    while (this.left > 0) this.statement(0);
    if (this.options.wide) for (const id of [...this.visible]) if (this.random.chance(40)) this.note(id);
    this.finish();
    return {
      name: 'random',
      kind: this.options.geometry ? 'geometry' : 'fragment',
      values: this.values,
      variables: this.variables,
      arrays: ARRAYS,
      inputs: inputs.map((type, location) =>
        this.options.geometry
          ? { kind: 'attribute', location, component: 0, type, corner: 0 }
          : { kind: 'varying', location, component: 0, type, interpolation: 'flat', sampling: 'center' }
      ),
      outputs: OUTPUTS.map((type, location) => ({ kind: 'color', location, component: 0, type })),
      resources: [
        BUFFER,
        ...(this.options.textures ? [...TEXTURES, ...SAMPLERS] : []),
        ...(this.options.surfaces ? [SURFACE] : []),
        ...(this.options.storage ? [WORDS, IMAGE] : []),
      ],
      body: this.list,
      usesDiscard: true,
      usesDerivatives: this.options.wide,
    };
  }

  private finish(): void {
    const last = OUTPUTS.slice(0, 4).map((type) => this.value(type));
    const variables = VARIABLES.map((type, v) => {
      const value = this.op('var.get', type, [], v);
      return type === 'bool' ? this.op('int.fromBool', 'u32', [value]) : value;
    });
    const elements = [0, 1].map((a) => this.op('array.load', ARRAYS[a]!.type, [this.value('u32')], a));
    [...last, ...variables, ...elements].forEach((value, index) => this.effect('output', [value], index));
  }

  private typeOf(type: OpType, int: ScalarType, any: ScalarType): ScalarType {
    if (type === 'int') return int;
    return type === 'any' ? any : type;
  }

  private statement(depth: number): void {
    this.left--;
    const { random } = this;
    if (this.options.surfaces && random.chance(15)) return accessSurface(this);
    if (this.options.storage && random.chance(20)) return accessStorage(this);
    if (this.options.lanes && random.chance(20)) return this.lanes();
    if (this.options.geometry && random.chance(15)) return this.vertex();
    if (this.options.wide && random.chance(15)) return this.wide(depth);
    const choice = random.below(100);
    if (choice < 45 || (depth > 3 && choice >= 78)) return this.arithmetic();
    if (choice < 53) {
      const v = random.below(VARIABLES.length);
      return this.effect('var.set', [this.value(VARIABLES[v]!)], v);
    }
    if (choice < 61) {
      const v = random.below(VARIABLES.length);
      return void this.op('var.get', VARIABLES[v]!, [], v);
    }
    if (choice < 64) {
      const a = random.below(3);
      return void this.op('array.load', ARRAYS[a]!.type, [this.value('u32')], a);
    }
    if (choice < 67) {
      const a = random.below(2);
      return this.effect('array.store', [this.value('u32'), this.value(ARRAYS[a]!.type)], a);
    }
    if (choice < 71) return void this.op('buffer.load', random.pick(['f32', 'u32']), [this.wordOffset()], 0);
    if (choice < 73 && !this.options.geometry) return this.effect('discard', []);
    if (choice < 74) {
      const k = random.below(OUTPUTS.length);
      return this.effect('output', [this.value(OUTPUTS[k]!)], k);
    }
    if (choice < 88) return this.conditional(depth);
    if (choice < 94) return this.block(depth);
    this.loop(depth);
  }

  private arithmetic(): void {
    const op = this.random.pick(this.options.names);
    const info = opInfo(op);
    const int = this.random.pick(['i32', 'u32'] as const);
    const any = this.random.pick(['f32', 'i32', 'u32', 'bool'] as const);
    // A cast is the exception: its types differ.
    const result = op === 'int.cast' ? (int === 'i32' ? 'u32' : 'i32') : this.typeOf(info.results[0]!, int, any);
    this.op(
      op,
      result,
      info.args.map((type) => this.value(this.typeOf(type, int, any)))
    );
  }

  private wide(depth: number): void {
    const { random } = this;
    if (this.options.textures && random.chance(35))
      return random.chance(80) ? readTextures(this, depth) : queryTexture(this);
    switch (random.below(depth === 0 ? 7 : 6)) {
      case 0:
        return void this.uniform(random.pick(['f32', 'u32', 'i32']));
      case 1:
        return void this.op('u32.lt', 'bool', [this.uniform('u32'), this.uniform('u32')]);
      case 2:
        return void this.op('buffer.size', 'u32', [], 0);
      case 3: {
        const a = random.below(3);
        return void this.op('array.load', ARRAYS[a]!.type, [this.uniform('u32')], a);
      }
      case 4: {
        const a = random.below(2);
        return this.effect('array.store', [this.uniform('u32'), this.value(ARRAYS[a]!.type)], a);
      }
      case 5:
        return this.conditional(depth, this.op('f32.lt', 'bool', [this.uniform('f32'), this.uniform('f32')]));
      default:
        return void this.op(random.pick(['ddx.coarse', 'ddx.fine', 'ddy.coarse', 'ddy.fine']), 'f32', [
          this.value('f32'),
        ]);
    }
  }

  /** A vertex, or the end of a strip. */
  private vertex(): void {
    if (this.random.chance(20)) return this.effect('cut', []);
    OUTPUTS.forEach((type, index) => this.effect('output', [this.value(type)], index));
    this.effect('emit', []);
  }

  private lanes(): void {
    const { random } = this;
    const type = random.pick(['f32', 'i32', 'u32', 'bool'] as const);
    const other = (): ValueId => this.op('const', type, [], randomBits(random, type));
    const id = random.pick([
      () => this.op('lanes.permute', type, [this.value(type), other()], random.below(512)),
      () => this.op('lanes.permute', type, [this.value(type), other()], random.below(4) * 0x55),
      () => this.op('lanes.shuffle', type, [this.value(type), this.value('u32')]),
      () => this.op('lanes.ballot', 'u32', [this.value('bool')]),
      () => this.op('lanes.index', 'u32', []),
    ])();
    if (random.chance(50)) this.note(id);
  }

  private some(depth: number): void {
    for (let count = 1 + this.random.below(4); count > 0 && this.left > 0; count--) this.statement(depth + 1);
    if (this.options.wide && this.random.chance(60)) for (const id of this.visible.slice(-3)) this.note(id);
  }

  private maybeLeave(percent: number): void {
    if (this.labels.length > 0 && this.random.chance(percent))
      this.list.push({ kind: 'leave', label: this.random.pick(this.labels) });
  }

  private conditional(depth: number, condition = this.value('bool')): void {
    const short = this.random.chance(20);
    const then = this.nested(() => {
      if (!short) this.some(depth);
      this.maybeLeave(short ? 90 : 30);
    });
    const otherwise = this.nested(() => {
      if (this.random.chance(50)) {
        this.some(depth);
        this.maybeLeave(20);
      }
    });
    this.list.push({ kind: 'if', condition, then, otherwise });
  }

  private block(depth: number): void {
    const label = this.nextLabel++;
    this.labels.push(label);
    const body = this.nested(() => {
      this.some(depth);
      this.some(depth);
      this.maybeLeave(20);
    });
    this.labels.pop();
    this.list.push({ kind: 'block', label, body });
  }

  private loop(depth: number): void {
    const [outer, label] = [this.nextLabel++, this.nextLabel++];
    const counter = this.variables.push({ name: 'counter', type: 'u32' }) - 1;
    this.effect('var.set', [this.op('const', 'u32', [], 0)], counter);
    const limit =
      this.options.wide && this.random.chance(40)
        ? this.op('u32.min', 'u32', [this.uniform('u32'), this.op('const', 'u32', [], 6)])
        : this.random.chance(60)
          ? this.op('const', 'u32', [], 1 + this.random.below(5))
          : this.op('u32.min', 'u32', [this.value('u32'), this.op('const', 'u32', [], 6)]);
    this.labels.push(outer, label);
    const body = this.nested(() => {
      const count = this.op('var.get', 'u32', [], counter);
      const done = this.op('u32.ge', 'bool', [count, limit]);
      this.list.push({
        kind: 'if',
        condition: done,
        then: [{ kind: 'leave', label: this.random.chance(80) ? outer : label }],
        otherwise: [],
      });
      this.effect('var.set', [this.op('int.add', 'u32', [count, this.op('const', 'u32', [], 1)])], counter);
      this.some(depth);
      this.some(depth);
      this.maybeLeave(8);
    });
    this.labels.pop();
    const wrapped = this.nested(() => {
      this.list.push({ kind: 'loop', label, body });
      if (this.random.chance(20)) this.some(depth);
    });
    this.labels.pop();
    this.list.push({ kind: 'block', label: outer, body: wrapped });
  }
}

export function arbitraryProgram(seed: number, options: Partial<ArbitraryOptions> = {}): IrProgram {
  return new ProgramWriter(new Random(seed), {
    names: exactOps,
    statements: 40,
    wide: false,
    textures: false,
    surfaces: false,
    storage: false,
    geometry: false,
    lanes: false,
    ...options,
  }).program();
}
