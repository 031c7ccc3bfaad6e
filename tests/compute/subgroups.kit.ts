// What the shaders of subgroup tests begin with.

export type Scalar = 'i32' | 'u32' | 'f32';
/** A value per lane; null for an inactive lane. */
type Lanes = readonly (number | null)[];

export const SIZE = 4;
export const rounded: Readonly<Record<Scalar, (value: number) => number>> = {
  i32: (value) => value | 0,
  u32: (value) => value >>> 0,
  f32: Math.fround,
};

const multiplied =
  (type: Scalar) =>
  (a: number, b: number): number =>
    type === 'f32' ? Math.fround(a * b) : rounded[type](Math.imul(a, b));
/** An operation that combines two values, and its identity. */
const combining = (
  name: string,
  type: Scalar
): { readonly of: (a: number, b: number) => number; readonly none: number } => {
  const of = rounded[type];
  switch (name) {
    case 'Add':
      return { of: (a, b) => of(a + b), none: 0 };
    case 'Mul':
      return { of: multiplied(type), none: 1 };
    case 'Min':
      return { of: Math.min, none: { i32: 0x7fffffff, u32: 0xffffffff, f32: Infinity }[type] };
    case 'Max':
      return { of: Math.max, none: { i32: -0x80000000, u32: 0, f32: -Infinity }[type] };
    case 'And':
      return { of: (a, b) => of(a & b), none: of(-1) };
    case 'Or':
      return { of: (a, b) => of(a | b), none: 0 };
    default:
      return { of: (a, b) => of(a ^ b), none: 0 };
  }
};

/** Returns the results in the active lanes, for the function with these arguments. */
export function oracle(name: string, type: Scalar, lanes: Lanes, by: readonly number[]): number[] {
  const value = (lane: number): number => lanes[lane >>> 0] ?? 0;
  const first = lanes.findIndex((each) => each !== null);
  const scan = /^subgroup(Inclusive|Exclusive)(\w+)$/.exec(name);
  if (scan) {
    const { of, none } = combining(scan[2]!, type);
    const sums: number[] = [];
    lanes.reduce<number>((sum, each, lane) => {
      const next = lane === 0 ? (each ?? none) : of(sum, each ?? none);
      sums.push(scan[1] === 'Inclusive' ? next : lane === 0 ? none : sum);
      return next;
    }, none);
    return sums;
  }
  const whole = /^subgroup(Add|Mul|Min|Max|And|Or|Xor)$/.exec(name);
  if (whole) {
    const { of, none } = combining(whole[1]!, type);
    const [a, b, c, d] = lanes.map((each) => each ?? none);
    return Array<number>(SIZE).fill(of(of(a!, b!), of(c!, d!)));
  }
  return lanes.map((_, lane) => {
    switch (name) {
      case 'subgroupBroadcastFirst':
        return value(first);
      case 'subgroupShuffle':
        return value(by[lane]!);
      case 'subgroupShuffleXor':
        return value(lane ^ by[lane]!);
      case 'subgroupShuffleUp':
        return value(lane - by[lane]!);
      case 'subgroupShuffleDown':
        return value(lane + by[lane]!);
      case 'quadSwapX':
        return value(lane ^ 1);
      case 'quadSwapY':
        return value(lane ^ 2);
      case 'quadSwapDiagonal':
        return value(lane ^ 3);
      default:
        return value(Number(/\d/.exec(name)![0]));
    }
  });
}

const REDUCTIONS = ['subgroupAdd', 'subgroupMul', 'subgroupMin', 'subgroupMax'];
const SCANS = ['subgroupInclusiveAdd', 'subgroupExclusiveAdd', 'subgroupInclusiveMul', 'subgroupExclusiveMul'];
const BITS = ['subgroupAnd', 'subgroupOr', 'subgroupXor'];
const MOVES = ['subgroupBroadcastFirst', 'quadSwapX', 'quadSwapY', 'quadSwapDiagonal'];
const SHUFFLES = ['subgroupShuffle', 'subgroupShuffleXor', 'subgroupShuffleUp', 'subgroupShuffleDown'];
/** With the source lane. */
const BROADCASTS = [0, 1, 2, 3].flatMap((lane) => [`subgroupBroadcast ${lane}`, `quadBroadcast ${lane}`]);

export const namesOf = (type: Scalar): string[] => [
  ...REDUCTIONS,
  ...SCANS,
  ...MOVES,
  ...SHUFFLES,
  ...BROADCASTS,
  ...(type === 'f32' ? [] : BITS),
];
export const callOf = (name: string, value: string, by: string): string =>
  SHUFFLES.includes(name)
    ? `${name}(${value}, ${by})`
    : name.includes(' ')
      ? `${name.split(' ')[0]}(${value}, ${name.split(' ')[1]}u)`
      : `${name}(${value})`;

export const HEAD = `enable subgroups; diagnostic(off, subgroup_uniformity);
  @group(0) @binding(0) var<storage, read> given: array<u32>;
  @group(0) @binding(1) var<storage, read_write> out: array<u32>;`;
export const BUILTINS = `@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32,
  @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32`;
