// Lowers built-in functions on subgroups and quads (WGSL §17.12, §17.13). A subgroup is a quad. Each lane reads the
// values of the others, and inactive lanes contribute neutral values.

import { LANES_WITH_HELPERS } from '../../../assembly/layout/program/opcodes';
import { unreachable } from '../../base/assert';
import type { OpName, ScalarType, ValueId } from '../../ir';
import { SUBGROUP_SIZE } from '../subgroup-size';
import type { IrBuilder } from './builder';
import type { BuiltinRule } from './builtin-rule';

/** Permutation in which all lanes read the first lane. Multiplied by n, all lanes read lane n. */
const EACH = 0x55;

/** Index of the lane in its subgroup. */
export const laneIndex = (builder: IrBuilder): ValueId => builder.op('lanes.index', 'u32', []);

const permute = (builder: IrBuilder, value: ValueId, other: ValueId, how: number): ValueId =>
  builder.op('lanes.permute', builder.values[value]!, [value, other], how);
const shuffle = (builder: IrBuilder, value: ValueId, lane: ValueId): ValueId =>
  builder.op('lanes.shuffle', builder.values[value]!, [value, lane]);
const ballot = (builder: IrBuilder, condition: ValueId): ValueId => builder.op('lanes.ballot', 'u32', [condition]);
const present = (builder: IrBuilder): ValueId => ballot(builder, builder.constant('bool', 1));
const firstLane = (builder: IrBuilder): ValueId => builder.op('int.countTrailingZeros', 'u32', [present(builder)]);

type Numbers = Readonly<Record<'i32' | 'u32' | 'f32', number>>;
/** The operation for each type, and its neutral values. */
interface Combined {
  readonly ops: Readonly<Partial<Record<ScalarType, OpName>>>;
  readonly neutral: Numbers;
}
const ofInts = (op: 'and' | 'or' | 'xor', neutral: number): Combined => ({
  ops: { i32: `int.${op}`, u32: `int.${op}` },
  neutral: { i32: neutral, u32: neutral >>> 0, f32: 0 },
});
const COMBINED: Readonly<Record<string, Combined>> = {
  Add: { ops: { i32: 'int.add', u32: 'int.add', f32: 'f32.add' }, neutral: { i32: 0, u32: 0, f32: 0 } },
  Mul: { ops: { i32: 'int.mul', u32: 'int.mul', f32: 'f32.mul' }, neutral: { i32: 1, u32: 1, f32: 1 } },
  Min: {
    ops: { i32: 'i32.min', u32: 'u32.min', f32: 'f32.min' },
    neutral: { i32: 0x7fffffff, u32: 0xffffffff, f32: Infinity },
  },
  Max: {
    ops: { i32: 'i32.max', u32: 'u32.max', f32: 'f32.max' },
    neutral: { i32: -0x80000000, u32: 0, f32: -Infinity },
  },
  And: ofInts('and', -1),
  Or: ofInts('or', 0),
  Xor: ofInts('xor', 0),
};

/** The operation, its neutral value, and the value that each lane contributes. */
function given(
  builder: IrBuilder,
  name: string,
  value: ValueId
): {
  readonly lanes: readonly [ValueId, ValueId, ValueId, ValueId];
  readonly neutral: ValueId;
  readonly combine: (a: ValueId, b: ValueId) => ValueId;
} {
  const { ops, neutral: numbers } = COMBINED[name] ?? unreachable(`lower: subgroup${name}`);
  const type = builder.values[value]!;
  const op = ops[type] ?? unreachable(`lower: subgroup${name} of ${type}`);
  const neutral = builder.constant(type, numbers[type as keyof Numbers]);
  const lane = (k: number): ValueId => permute(builder, value, neutral, k * EACH);
  return { lanes: [lane(0), lane(1), lane(2), lane(3)], neutral, combine: (a, b) => builder.op(op, type, [a, b]) };
}

const reduce =
  (name: string): BuiltinRule =>
  ({ builder, args: [v] }) =>
    v!.map((value) => {
      const {
        lanes: [a, b, c, d],
        combine,
      } = given(builder, name, value);
      return combine(combine(a, b), combine(c, d));
    });

/** Combines the values of the lanes before each lane; `inclusive` includes its own. */
const scan =
  (name: string, inclusive: boolean): BuiltinRule =>
  ({ builder, args: [v] }) => {
    const index = laneIndex(builder);
    return v!.map((value) => {
      const {
        lanes: [a, b, c, d],
        neutral,
        combine,
      } = given(builder, name, value);
      const two = combine(a, b);
      const three = combine(two, c);
      const sums = inclusive ? [a, two, three, combine(three, d)] : [neutral, a, two, three];
      return sums.reduceRight((after, sum, lane) =>
        builder.op('select', builder.values[value]!, [
          builder.op('u32.le', 'bool', [index, builder.u32(lane)]),
          sum,
          after,
        ])
      );
    });
  };

const each =
  (of: (builder: IrBuilder, value: ValueId) => ValueId): BuiltinRule =>
  ({ builder, args: [v] }) =>
    v!.map((value) => of(builder, value));

/** Reads from a lane with a constant index. */
const broadcast =
  (flags: number): BuiltinRule =>
  ({ builder, args: [v, [lane]] }) =>
    v!.map((value) => {
      const zero = builder.zero(builder.values[value]!);
      const number = builder.constantBits(lane!) ?? unreachable('lower: a broadcast from a lane that is not constant');
      return number < SUBGROUP_SIZE ? permute(builder, value, zero, (number * EACH) | flags) : zero;
    });

/** Reads from a lane whose index is computed from the lane's own index. */
const shuffleBy =
  (op: OpName): BuiltinRule =>
  ({ builder, args: [v, [by]] }) => {
    const lane = builder.op(op, 'u32', [laneIndex(builder), by!]);
    return v!.map((value) => shuffle(builder, value, lane));
  };

/** Quad operations count helper lanes as active, because that is their purpose. `from`: the source of each lane. */
const swap = (...from: readonly number[]): BuiltinRule =>
  each((builder, value) =>
    permute(
      builder,
      value,
      builder.zero(builder.values[value]!),
      from.reduce((how, lane, k) => how | (lane << (2 * k)), LANES_WITH_HELPERS)
    )
  );

export const subgroupBuiltins: readonly (readonly [string, BuiltinRule])[] = [
  ...Object.keys(COMBINED).map((name) => [`subgroup${name}`, reduce(name)] as const),
  ...['Add', 'Mul'].flatMap((name) => [
    [`subgroupInclusive${name}`, scan(name, true)] as const,
    [`subgroupExclusive${name}`, scan(name, false)] as const,
  ]),
  [
    'subgroupBallot',
    ({ builder, args: [v] }) => {
      const zero = builder.u32(0);
      return [ballot(builder, v![0]!), zero, zero, zero];
    },
  ],
  ['subgroupAny', each((builder, value) => builder.op('int.ne', 'bool', [ballot(builder, value), builder.u32(0)]))],
  [
    'subgroupAll',
    each((builder, value) =>
      builder.op('int.eq', 'bool', [ballot(builder, builder.op('bool.not', 'bool', [value])), builder.u32(0)])
    ),
  ],
  ['subgroupElect', ({ builder }) => [builder.op('int.eq', 'bool', [laneIndex(builder), firstLane(builder)])]],
  ['subgroupBroadcast', broadcast(0)],
  ['quadBroadcast', broadcast(LANES_WITH_HELPERS)],
  [
    'subgroupBroadcastFirst',
    ({ builder, args: [v] }) => {
      const lane = firstLane(builder);
      return v!.map((value) => shuffle(builder, value, lane));
    },
  ],
  [
    'subgroupShuffle',
    ({ builder, args: [v, [lane]] }) => {
      // Negative indices become large ones, which are out of range too.
      const number = builder.values[lane!] === 'u32' ? lane! : builder.op('int.cast', 'u32', [lane!]);
      return v!.map((value) => shuffle(builder, value, number));
    },
  ],
  ['subgroupShuffleXor', shuffleBy('int.xor')],
  ['subgroupShuffleUp', shuffleBy('int.sub')],
  ['subgroupShuffleDown', shuffleBy('int.add')],
  ['quadSwapX', swap(1, 0, 3, 2)],
  ['quadSwapY', swap(2, 3, 0, 1)],
  ['quadSwapDiagonal', swap(3, 2, 1, 0)],
];
