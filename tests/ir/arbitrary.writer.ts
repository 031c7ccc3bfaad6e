// Appends nodes to a random IR program, and chooses their operands among the values that are in scope.
import type { Instruction, IrNode, OpName, ScalarType, ValueId } from '../../src/ir';
import type { Random } from '../support/random';
import { NOTES } from './arbitrary.resources';

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

export interface ArbitraryOptions {
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

/** The values of a program, the nodes of the current block, and the values that are in scope there. */
export class Writer {
  protected readonly values: ScalarType[] = [];
  protected list: IrNode[] = [];
  protected visible: ValueId[] = [];

  constructor(
    readonly random: Random,
    readonly options: ArbitraryOptions
  ) {}

  /** New values of these types, for the next node. */
  results(...types: readonly ScalarType[]): readonly ValueId[] {
    return types.map((type) => this.values.push(type) - 1);
  }
  append(node: Omit<Instruction, 'kind'>): void {
    this.list.push({ kind: 'op', ...node });
    this.visible.push(...node.results);
  }
  op(op: OpName, type: ScalarType, args: readonly ValueId[], imm = 0): ValueId {
    const results = this.results(type);
    this.append({ op, results, args, imm });
    return results[0]!;
  }
  effect(op: OpName, args: readonly ValueId[], imm = 0): void {
    this.append({ op, results: [], args, imm });
  }
  protected constant(type: ScalarType): ValueId {
    return this.op('const', type, [], randomBits(this.random, type));
  }

  value(type: ScalarType): ValueId {
    const candidates = this.visible.filter((id) => this.values[id] === type);
    if (candidates.length === 0 || this.random.chance(15)) return this.constant(type);
    // Late values are more likely, so that chains form.
    return this.random.chance(60)
      ? candidates[candidates.length - 1 - this.random.below(Math.min(4, candidates.length))]!
      : this.random.pick(candidates);
  }

  /** A value that is uniform across lanes. */
  uniform(type: 'f32' | 'u32' | 'i32'): ValueId {
    const offset = this.op('const', 'u32', [], this.random.below(9) * 4);
    const loaded = this.op('buffer.load', type, [offset], 0);
    return type === 'f32' || this.random.chance(30)
      ? loaded
      : this.op('int.and', type, [loaded, this.op('const', type, [], 7)]);
  }

  /** Mixes a value into a variable that becomes an output, so that it matters. */
  note(id: ValueId): void {
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

  /** A multiple of 4. */
  wordOffset(): ValueId {
    return this.op('int.and', 'u32', [this.value('u32'), this.op('const', 'u32', [], 0xfffffffc)]);
  }

  protected nested(write: () => void): IrNode[] {
    const { list, visible } = this;
    const inner: IrNode[] = [];
    this.list = inner;
    this.visible = [...visible];
    write();
    this.list = list;
    this.visible = visible;
    return inner;
  }
}
