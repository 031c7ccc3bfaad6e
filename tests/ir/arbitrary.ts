// Random IR programs with every kind of node. Loops are counted, so that every program ends.
import {
  accessOperands,
  isAtomic,
  ops,
  opInfo,
  type IrNode,
  type IrResource,
  type TextureAccess,
  type IrProgram,
  type OpName,
  type OpType,
  type ScalarType,
  type ValueId,
} from '../../src/ir';
import { mulberry32 } from '../support/floats';

/** A small generator of pseudo-random numbers, so that one number identifies a failing program. */
export class Random {
  /** 32 bits. */
  readonly bits: () => number;
  constructor(seed: number) {
    this.bits = mulberry32(seed);
  }
  below(count: number): number {
    return this.bits() % count;
  }
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

const interesting: Readonly<Record<ScalarType, readonly number[]>> = {
  bool: [0, 0xffffffff],
  i32: [0, 1, 2, 3, 5, 8, 31, 32, 0xffffffff, 0x80000000, 0x7fffffff, 12345],
  u32: [0, 1, 2, 3, 5, 8, 31, 32, 0xffffffff, 0x80000000, 0x7fffffff, 12345],
  // 0, −0, ±1, ½, 2, 3, ±∞, NaN, least and largest numbers, 2^31, 1000.7
  f32: [
    0, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x40000000, 0x40400000, 0x7f800000, 0xff800000, 0x7fc00000, 1,
    0x00800000, 0x7f7fffff, 0x4f000000, 0x447a2ccd,
  ],
};

export function randomBits(random: Random, type: ScalarType): number {
  if (type === 'bool' || random.chance(50)) return random.pick(interesting[type]);
  if (type !== 'f32') return random.chance(50) ? random.below(20) : random.bits();
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, (random.below(2001) - 1000) / (random.chance(50) ? 100 : 7));
  return view.getUint32(0);
}

interface ArbitraryOptions {
  /** Operations that the programs may contain. */
  readonly names: readonly OpName[];
  readonly statements: number;
  /** Also uniform conditions and loop counts, values computed once per draw call, sizes, and derivatives. */
  readonly wide: boolean;
  /** Also loads from SURFACE and stores to it, at the texel given by two inputs. */
  readonly surfaces: boolean;
  /** Also loads from WORDS and IMAGE, stores to them, and atomic operations. */
  readonly storage: boolean;
  /** Also quad operations. */
  readonly lanes: boolean;
  /** Geometry programs, which emit vertices. */
  readonly geometry: boolean;
  /** Also texture reads of TEXTURES through SAMPLERS; requires `wide`. */
  readonly textures: boolean;
}

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

const INPUTS: readonly ScalarType[] = ['f32', 'f32', 'f32', 'i32', 'u32', 'u32'];
const VARIABLES: readonly ScalarType[] = ['f32', 'f32', 'i32', 'u32', 'bool', 'f32'];
/** The variable that accumulates values which nothing else uses. */
const NOTES = 3;
const ARRAYS = [
  { name: 'small', type: 'f32', length: 3 },
  { name: 'large', type: 'i32', length: 7 },
  { name: 'table', type: 'f32', length: 5, constants: [0x3f800000, 0x40000000, 0x80000000, 0x40400000, 0x7fc00000] },
] as const;
/** Four values, then all variables, then an element of each array that is stored to. */
const OUTPUTS: readonly ScalarType[] = [
  'f32',
  'f32',
  'u32',
  'i32',
  ...VARIABLES.map((type) => (type === 'bool' ? 'u32' : type)),
  'f32',
  'i32',
];
export const BUFFER_BYTES = 32;

type TextureResource = Extract<IrResource, { kind: 'texture' }>;
const texture = (
  binding: number,
  dimension: TextureResource['dimension'],
  sampled: TextureResource['sampled'] = 'f32'
): TextureResource => ({
  kind: 'texture',
  group: 0,
  binding,
  name: `t${binding}`,
  dimension,
  sampled,
  multisampled: false,
});
const BUFFER: IrResource = { kind: 'uniform', group: 0, binding: 0, name: 'u', minSize: BUFFER_BYTES, writable: false };
/** After the buffer, in this order; two that may be read together come first. */
export const TEXTURES: readonly TextureResource[] = [
  texture(1, '2d'),
  texture(2, '2d'),
  texture(3, '2d-array'),
  texture(4, 'cube'),
  texture(5, '3d'),
  texture(6, '2d', 'depth'),
];
const SAMPLER = TEXTURES.length + 1;
const COMPARISON_SAMPLER = SAMPLER + 1;
export const SAMPLERS: readonly IrResource[] = [SAMPLER, COMPARISON_SAMPLER].map((binding) => ({
  kind: 'sampler',
  group: 0,
  binding,
  name: `s${binding}`,
  comparison: binding === COMPARISON_SAMPLER,
}));

/** After all other resources; the texel of an access is mostly TEXEL. */
const SURFACE: IrResource = {
  kind: 'surface',
  group: 0,
  binding: COMPARISON_SAMPLER + 1,
  name: 'surface',
  format: 'rgba32float',
  access: 'read_write',
  sampled: 'f32',
};
/** After all other resources. */
const WORDS: IrResource = {
  kind: 'storage',
  group: 0,
  binding: COMPARISON_SAMPLER + 2,
  name: 'words',
  minSize: 4,
  writable: true,
};
const IMAGE: IrResource = {
  kind: 'image',
  group: 0,
  binding: COMPARISON_SAMPLER + 3,
  name: 'image',
  format: 'rgba32float',
  access: 'read_write',
  dimension: '2d',
  sampled: 'f32',
};
const ATOMICS = (Object.keys(ops) as OpName[]).filter(isAtomic);
/** Inputs that follow INPUTS. */
export const TEXEL = { x: INPUTS.length, y: INPUTS.length + 1 } as const;

class Writer {
  readonly values: ScalarType[] = [];
  readonly variables: { name: string; type: ScalarType }[] = VARIABLES.map((type, k) => ({ name: `v${k}`, type }));
  private list: IrNode[] = [];
  private visible: ValueId[] = [];
  private labels: number[] = [];
  private nextLabel = 0;
  private left: number;

  constructor(
    private readonly random: Random,
    private readonly options: ArbitraryOptions
  ) {
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

  private op(op: OpName, type: ScalarType, args: readonly ValueId[], imm = 0): ValueId {
    const id = this.values.push(type) - 1;
    this.list.push({ kind: 'op', op, results: [id], args, imm });
    this.visible.push(id);
    return id;
  }
  private effect(op: OpName, args: readonly ValueId[], imm = 0): void {
    this.list.push({ kind: 'op', op, results: [], args, imm });
  }
  private constant(type: ScalarType): ValueId {
    return this.op('const', type, [], randomBits(this.random, type));
  }

  private value(type: ScalarType): ValueId {
    const candidates = this.visible.filter((id) => this.values[id] === type);
    if (candidates.length === 0 || this.random.chance(15)) return this.constant(type);
    // Late values are more likely, so that chains form.
    return this.random.chance(60)
      ? candidates[candidates.length - 1 - this.random.below(Math.min(4, candidates.length))]!
      : this.random.pick(candidates);
  }

  private typeOf(type: OpType, int: ScalarType, any: ScalarType): ScalarType {
    if (type === 'int') return int;
    return type === 'any' ? any : type;
  }

  private nested(write: () => void): IrNode[] {
    const { list, visible } = this;
    const inner: IrNode[] = [];
    this.list = inner;
    this.visible = [...visible];
    write();
    this.list = list;
    this.visible = visible;
    return inner;
  }

  private statement(depth: number): void {
    this.left--;
    const { random } = this;
    if (this.options.surfaces && random.chance(15)) return this.surface();
    if (this.options.storage && random.chance(20)) return this.storage();
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

  /** A value that is uniform across lanes. */
  private uniform(type: 'f32' | 'u32' | 'i32'): ValueId {
    const offset = this.op('const', 'u32', [], this.random.below(9) * 4);
    const loaded = this.op('buffer.load', type, [offset], 0);
    return type === 'f32' || this.random.chance(30)
      ? loaded
      : this.op('int.and', type, [loaded, this.op('const', type, [], 7)]);
  }

  /** Mixes a value into a variable that becomes an output, so that it matters. */
  private note(id: ValueId): void {
    const type = this.values[id]!;
    const word =
      type === 'f32'
        ? this.op('int.fromF32Bits', 'u32', [id])
        : type === 'bool'
          ? this.op('int.fromBool', 'u32', [id])
          : type === 'i32'
            ? this.op('int.cast', 'u32', [id])
            : id;
    const [before, three] = [this.op('var.get', 'u32', [], NOTES), this.op('const', 'u32', [], 3)];
    this.effect('var.set', [this.op('int.xor', 'u32', [this.op('int.mul', 'u32', [before, three]), word])], NOTES);
  }

  private wide(depth: number): void {
    const { random } = this;
    if (this.options.textures && random.chance(35)) return random.chance(80) ? this.read(depth) : this.size();
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

  /** Reads a texture, or several with the same coordinates. */
  private read(depth: number): void {
    const { random } = this;
    const which = random.below(TEXTURES.length);
    const resource = TEXTURES[which]!;
    const isDepth = resource.sampled === 'depth';
    // Implicit levels need derivatives, so they are only for instructions that all lanes reach.
    const modes =
      depth === 0 ? (['implicit', 'bias', 'level', 'grad', 'load'] as const) : (['level', 'grad', 'load'] as const);
    const cubeLoads = resource.dimension === 'cube';
    let mode: TextureAccess['mode'] = random.pick(modes);
    if (mode === 'load' && cubeLoads) mode = 'level';
    const compare = isDepth && mode !== 'load' && random.chance(50);
    const sampler = mode === 'load' ? -1 : compare ? COMPARISON_SAMPLER : SAMPLER;
    const shift = mode !== 'load' && !cubeLoads && random.chance(20);
    const offset = shift
      ? ([random.below(15) - 7, random.below(15) - 7, random.below(15) - 7] as const)
      : ([0, 0, 0] as const);
    const args = accessOperands(resource.dimension, { mode, compare }).map((type) => this.operand(type));
    const members = which < 2 && random.chance(50) ? [1, 2] : [which + 1];
    for (const texture of members)
      this.fourResults(mode === 'load' ? 'texture.load' : 'texture.sample', args, {
        mode,
        texture,
        sampler,
        offset,
        compare,
      });
  }

  /** Coordinates, levels and derivatives: mostly within the range of textures. */
  private operand(type: ScalarType): ValueId {
    if (this.random.chance(30)) return this.value(type);
    return type === 'f32'
      ? this.op('f32.fract', 'f32', [this.value('f32')])
      : this.op('int.and', type, [this.value(type), this.op('const', type, [], 7)]);
  }

  private fourResults(op: OpName, args: readonly ValueId[], texture: TextureAccess): void {
    const results = [0, 1, 2, 3].map(() => this.values.push('f32') - 1);
    this.list.push({ kind: 'op', op, results, args, imm: 0, texture });
    this.visible.push(...results);
  }

  private size(): void {
    const { random } = this;
    const imm = 1 + random.below(TEXTURES.length);
    const op = random.pick(['texture.dimensions', 'texture.levels', 'texture.layers', 'texture.samples'] as const);
    if (op !== 'texture.dimensions') return void this.op(op, 'u32', [], imm);
    const results = [0, 1, 2].map(() => this.values.push('u32') - 1);
    this.list.push({
      kind: 'op',
      op,
      results,
      args: [random.chance(50) ? this.uniform('u32') : this.value('u32')],
      imm,
    });
    this.visible.push(...results);
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

  private wordOffset(): ValueId {
    return this.op('int.and', 'u32', [this.value('u32'), this.op('const', 'u32', [], 0xfffffffc)]);
  }

  private storage(): void {
    const { random } = this;
    const imm = 1 + (this.options.textures ? TEXTURES.length + SAMPLERS.length : 0) + (this.options.surfaces ? 1 : 0);
    // Mostly in bounds, and often the same word.
    const offset = random.chance(10)
      ? this.wordOffset()
      : this.op('int.and', 'u32', [this.value('u32'), this.op('const', 'u32', [], random.pick([12, 60]))]);
    if (random.chance(30)) return this.image(imm + 1);
    const int = random.pick(['i32', 'u32'] as const);
    const choice = random.below(4);
    if (choice === 0 && random.chance(30)) {
      const half = this.op('int.and', 'u32', [this.value('u32'), this.op('const', 'u32', [], random.pick([14, 62]))]);
      return this.effect('storage.storeHalf', [half, this.value('u32')], imm);
    }
    if (choice === 0) return this.effect('storage.store', [offset, this.value(int)], imm);
    if (choice === 1) {
      const id = this.op('storage.load', random.pick(['f32', 'i32', 'u32'] as const), [offset], imm);
      if (random.chance(60)) this.note(id);
      return;
    }
    const op = random.pick(ATOMICS);
    const args = opInfo(op)
      .args.slice(1)
      .map(() => this.value(int));
    const id = this.op(op, int, [offset, ...args], imm);
    if (random.chance(50)) this.note(id);
  }

  private image(imm: number): void {
    const { random } = this;
    // Often the same texel, sometimes out of bounds.
    const place = [0, 1].map(() =>
      this.op('int.and', 'i32', [this.value('i32'), this.op('const', 'i32', [], random.pick([1, 7, 7, 15]))])
    );
    const args = [...place, this.op('const', 'i32', [], random.chance(90) ? 0 : 1)];
    if (random.chance(50)) {
      const texel = [0, 1, 2, 3].map(() => this.value('f32'));
      this.list.push({ kind: 'op', op: 'image.store', results: [], args: [...args, ...texel], imm });
      return;
    }
    const results = [0, 1, 2, 3].map(() => this.values.push('f32') - 1);
    this.list.push({ kind: 'op', op: 'image.load', results, args, imm });
    this.visible.push(...results);
    for (const id of results) if (random.chance(60)) this.note(id);
  }

  private surface(): void {
    const { random } = this;
    const imm = this.options.textures ? 1 + TEXTURES.length + SAMPLERS.length : 1;
    if (random.chance(10))
      return void this.op(random.pick(['surface.width', 'surface.height', 'surface.samples'] as const), 'u32', [], imm);
    // The value of an input has the input's number. Other texels are out of bounds: the order of accesses by different
    // lanes to one pixel depends on the engine.
    const texel = [TEXEL.x, TEXEL.y].map((input) =>
      random.chance(5) ? this.op('const', 'i32', [], random.pick([0xffffffff, 0x80000000, 1000])) : input
    );
    const mask = random.chance(10)
      ? this.value('u32')
      : this.op('int.and', 'u32', [this.value('u32'), this.op('const', 'u32', [], 15)]);
    if (random.chance(50)) {
      this.list.push({
        kind: 'op',
        op: 'surface.store',
        results: [],
        args: [...texel, mask, ...[0, 1, 2, 3].map(() => this.value('f32'))],
        imm,
      });
      return;
    }
    const results = (['f32', 'f32', 'f32', 'f32', 'u32', 'u32'] as const).map((type) => this.values.push(type) - 1);
    this.list.push({ kind: 'op', op: 'surface.load', results, args: [...texel, mask], imm });
    this.visible.push(...results);
    for (const id of results) if (random.chance(60)) this.note(id);
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
  return new Writer(new Random(seed), {
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
