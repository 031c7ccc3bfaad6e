// One row per operator and builtin function of integers, bools and bits: its exact result, by BigInt. Arguments and
// results are words; vec4 arguments a, b, c and d have the types that a row names.
import { bitsOf, floatOf } from '../support/kernel';
import { type IntegerRow, type Words, maximum, minimum, signed, unsigned, word } from './integer-row';
import { packing } from './integer-packing';

const flag = (value: boolean): bigint => (value ? 1n : 0n);
const abs = (x: bigint): bigint => (x < 0n ? -x : x);
const text = (x: bigint): string => BigInt.asUintN(32, x).toString(2).padStart(32, '0');
const NAMES = ['a', 'b', 'c', 'd'];

type Rule = (...x: bigint[]) => bigint;
type Extra = Partial<Pick<IntegerRow, 'constant'>>;

/** A component-wise row; `form` writes the expression for arguments given as text. */
function row(
  name: string,
  type: 'i32' | 'u32',
  count: number,
  form: (...args: string[]) => string,
  rule: Rule,
  { constant, types }: Extra & { readonly types?: readonly string[] } = {}
): IntegerRow {
  const read = type === 'i32' ? signed : unsigned;
  const vector = type === 'i32' ? 'vec4i' : 'vec4u';
  const args = NAMES.slice(0, count);
  const part = (swizzle: string): string => form(...args.map((a) => a + swizzle));
  return {
    name: `${name} ${type}`,
    types: types ?? args.map(() => vector),
    forms: [`vec4u(${part('')})`, `vec4u(${vector}(${part('.x')}, ${part('.yz')}, ${part('.w')}))`],
    exact: (...vectors) =>
      [0, 1, 2, 3].map((c) => word(rule(...vectors.map((v, k) => (types?.[k] === 'vec4u' ? unsigned : read)(v[c]!))))),
    ...(constant && { constant }),
  };
}

const both = (
  name: string,
  count: number,
  form: (...args: string[]) => string,
  rule: (bits: (x: bigint) => bigint) => Rule,
  extra: Extra = {}
): IntegerRow[] =>
  (['i32', 'u32'] as const).map((type) =>
    row(
      name,
      type,
      count,
      form,
      rule((x) => (type === 'i32' ? BigInt.asIntN(32, x) : BigInt.asUintN(32, x))),
      extra
    )
  );

const infix =
  (symbol: string) =>
  (a: string, b: string): string =>
    `(${a} ${symbol} ${b})`;
const call =
  (name: string) =>
  (...args: string[]): string =>
    `${name}(${args.join(', ')})`;
/** Divisors of const-expressions: not 0, and no overflow. */
const divides = (a: Words, b: Words): boolean =>
  b.every((y, k) => y !== 0 && !(y === 0xffffffff && a[k] === 0x80000000));
const ordered =
  (read: (x: number) => bigint) =>
  (_: Words, low: Words, high: Words): boolean =>
    low.every((x, k) => read(x) <= read(high[k]!));

const operators: readonly IntegerRow[] = [
  ...both('+', 2, infix('+'), () => (x, y) => x! + y!),
  ...both('-', 2, infix('-'), () => (x, y) => x! - y!),
  ...both('*', 2, infix('*'), () => (x, y) => x! * y!),
  // §8.7: x / 0 is x, x % 0 is 0; the most negative i32 by −1 is itself.
  ...both('/', 2, infix('/'), () => (x, y) => (y === 0n ? x! : x! / y!), { constant: divides }),
  ...both('%', 2, infix('%'), () => (x, y) => (y === 0n ? 0n : x! % y!), { constant: divides }),
  ...both('&', 2, infix('&'), () => (x, y) => x! & y!),
  ...both('|', 2, infix('|'), () => (x, y) => x! | y!),
  ...both('^', 2, infix('^'), () => (x, y) => x! ^ y!),
  ...both(
    '~',
    1,
    (a) => `(~${a})`,
    () => (x) => ~x!
  ),
  row(
    'negation',
    'i32',
    1,
    (a) => `(-${a})`,
    (x) => -x!
  ),
  row('<<', 'i32', 2, infix('<<'), (x, y) => x! << (y! & 31n), {
    types: ['vec4i', 'vec4u'],
    constant: (a, b) =>
      a.every((x, k) => b[k]! < 32 && signed(word(signed(x) << BigInt(b[k]!))) === signed(x) << BigInt(b[k]!)),
  }),
  row('<<', 'u32', 2, infix('<<'), (x, y) => x! << (y! & 31n), {
    constant: (a, b) => a.every((x, k) => b[k]! < 32 && BigInt(x) << BigInt(b[k]!) <= 0xffffffffn),
  }),
  row('>>', 'i32', 2, infix('>>'), (x, y) => x! >> (y! & 31n), {
    types: ['vec4i', 'vec4u'],
    constant: (_, b) => b.every((y) => y < 32),
  }),
  row('>>', 'u32', 2, infix('>>'), (x, y) => x! >> (y! & 31n), { constant: (_, b) => b.every((y) => y < 32) }),
  ...(['vec4i', 'vec4u'] as const).map((type): IntegerRow => ({
    name: `comparisons ${type}`,
    types: [type, type],
    forms: [
      '(vec4u(a < b) + 2 * vec4u(a <= b) + 4 * vec4u(a > b) + 8 * '
        + 'vec4u(a >= b) + 16 * vec4u(a == b) + 32 * vec4u(a != b))',
    ],
    exact: (a, b) =>
      a.map((x, k) => {
        const [p, q] = [x, b[k]!].map(type === 'vec4i' ? signed : unsigned) as [bigint, bigint];
        return word(
          flag(p < q)
            + 2n * flag(p <= q)
            + 4n * flag(p > q)
            + 8n * flag(p >= q)
            + 16n * flag(p === q)
            + 32n * flag(p !== q)
        );
      }),
  })),
  {
    name: 'bools',
    types: ['vec4u', 'vec4u'],
    forms: [
      '(vec4u((a > b) & (b > vec4u(9))) + 2 * vec4u((a > b) | (b > vec4u(9))) + 4 * vec4u(!(a > b)) + 8 * '
        + 'vec4u((a > b) == (b > vec4u(9))) + vec4u(16 * u32(all(a > b)) + 32 * u32(any(a > b)) + 64 * u32((a.x > '
        + 'b.x && b.y > 9) || a.z < 3)))',
    ],
    exact: (a, b) =>
      a.map((x, k) => {
        const [p, q] = [x > b[k]!, b[k]! > 9];
        const scalar = (a[0]! > b[0]! && b[1]! > 9) || a[2]! < 3;
        return word(
          flag(p && q)
            + 2n * flag(p || q)
            + 4n * flag(!p)
            + 8n * flag(p === q)
            + 16n * flag(a.every((y, c) => y > b[c]!))
            + 32n * flag(a.some((y, c) => y > b[c]!))
            + 64n * flag(scalar)
        );
      }),
  },
];

const lowest = (x: bigint): bigint => BigInt(31 - text(x).lastIndexOf('1'));
const functions: readonly IntegerRow[] = [
  ...both('abs', 1, call('abs'), () => (x) => abs(x!)),
  row('sign', 'i32', 1, call('sign'), (x) => flag(x! > 0n) - flag(x! < 0n)),
  ...both('min', 2, call('min'), () => minimum as Rule),
  ...both('max', 2, call('max'), () => maximum as Rule),
  row('clamp', 'i32', 3, call('clamp'), (x, low, high) => minimum(maximum(x!, low!), high!), {
    constant: ordered(signed),
  }),
  row('clamp', 'u32', 3, call('clamp'), (x, low, high) => minimum(maximum(x!, low!), high!), {
    constant: ordered(unsigned),
  }),
  ...both('countLeadingZeros', 1, call('countLeadingZeros'), () => (x) => BigInt(`${text(x!)}1`.indexOf('1'))),
  ...both('countTrailingZeros', 1, call('countTrailingZeros'), () => (x) => lowest(x!)),
  ...both('countOneBits', 1, call('countOneBits'), () => (x) => BigInt(text(x!).replaceAll('0', '').length)),
  ...both('reverseBits', 1, call('reverseBits'), () => (x) => BigInt(`0b${[...text(x!)].reverse().join('')}`)),
  ...both('firstTrailingBit', 1, call('firstTrailingBit'), () => (x) => (text(x!).includes('1') ? lowest(x!) : -1n)),
  ...both('firstLeadingBit', 1, call('firstLeadingBit'), () => (x) => {
    const at = text(x!).indexOf(x! < 0n ? '0' : '1');
    return at < 0 ? -1n : BigInt(31 - at);
  }),
  ...(['i32', 'u32'] as const).flatMap((type): IntegerRow[] => {
    const vector = type === 'i32' ? 'vec4i' : 'vec4u';
    const field = (offset: number, count: number): [bigint, number] => {
      const o = Math.min(offset, 32);
      return [BigInt(o), Math.min(count, 32 - o)];
    };
    const fits = (offset: number, count: number): boolean => offset + count <= 32;
    return [
      {
        name: `extractBits ${type}`,
        types: [vector, 'vec4u'],
        forms: [
          'vec4u(extractBits(a, b.x, b.y))',
          `vec4u(${vector}(extractBits(a.x, b.x, b.y), extractBits(a.yz, b.x, b.y), extractBits(a.w, b.x, b.y)))`,
        ],
        constant: (_, b) => fits(b[0]!, b[1]!),
        exact: (a, [offset, bits]) => {
          const [o, c] = field(offset!, bits!);
          return a.map((x) =>
            word(c === 0 ? 0n : (type === 'i32' ? BigInt.asIntN : BigInt.asUintN)(c, unsigned(x) >> o))
          );
        },
      },
      {
        name: `insertBits ${type}`,
        types: [vector, vector, 'vec4u'],
        forms: [
          'vec4u(insertBits(a, b, c.x, c.y))',
          `vec4u(${vector}(insertBits(a.x, b.x, c.x, c.y), insertBits(a.yz, `
            + 'b.yz, c.x, c.y), insertBits(a.w, b.w, c.x, c.y)))',
        ],
        constant: (_, __, c) => fits(c[0]!, c[1]!),
        exact: (a, b, [offset, bits]) => {
          const [o, c] = field(offset!, bits!);
          const mask = ((1n << BigInt(c)) - 1n) << o;
          return a.map((x, k) => word((unsigned(x) & ~mask) | ((unsigned(b[k]!) << o) & mask)));
        },
      },
      {
        name: `dot ${type}`,
        types: [vector, vector],
        forms: [`vec4u(${vector}(dot(a, b), dot(a.xyz, b.xyz), dot(a.xy, b.xy), 0))`],
        exact: (a, b) =>
          [4, 3, 2, 0].map((n) => word(a.slice(0, n).reduce((sum, x, k) => sum + unsigned(x) * unsigned(b[k]!), 0n))),
      },
      {
        name: `select ${type}`,
        types: [vector, vector, 'vec4u'],
        forms: [
          'vec4u(select(a, b, c > vec4u(9)))',
          `vec4u(${vector}(select(a.x, b.x, c.x > 9), select(a.yz, b.yz, c.yz > vec2u(9)), select(a.w, b.w, c.w > 9)))`,
        ],
        exact: (a, b, c) => a.map((x, k) => (c[k]! > 9 ? b[k]! : x)),
      },
    ];
  }),
];

/** Truncates; out of range, the closest value of the type that f32 also holds (§15.7.6). A NaN becomes 0. */
const toInteger =
  (low: number, high: number) =>
  (x: number): number => {
    const v = floatOf(x);
    return word(BigInt(Number.isNaN(v) ? 0 : Math.trunc(Math.max(low, Math.min(high, v)))));
  };

const conversions: readonly IntegerRow[] = [
  {
    name: 'f32 → i32',
    types: ['vec4f'],
    floats: true,
    forms: ['vec4u(vec4i(a))', 'vec4u(vec4i(i32(a.x), vec2i(a.yz), i32(a.w)))'],
    exact: (a) => a.map(toInteger(-0x80000000, 2147483520)),
  },
  {
    name: 'f32 → u32',
    types: ['vec4f'],
    floats: true,
    forms: ['vec4u(a)', 'vec4u(u32(a.x), vec2u(a.yz), u32(a.w))'],
    exact: (a) => a.map(toInteger(0, 4294967040)),
  },
  {
    name: 'f32 → bool → u32',
    types: ['vec4f'],
    floats: true,
    forms: ['vec4u(vec4<bool>(a))'],
    exact: (a) => a.map((x) => Number(floatOf(x) !== 0)),
  },
  {
    name: 'i32 → f32',
    types: ['vec4i'],
    forms: ['bitcast<vec4u>(vec4f(a))', 'bitcast<vec4u>(vec4f(f32(a.x), vec2f(a.yz), f32(a.w)))'],
    exact: (a) => a.map((x) => bitsOf(Math.fround(x | 0))),
  },
  {
    name: 'u32 → f32',
    types: ['vec4u'],
    forms: ['bitcast<vec4u>(vec4f(a))', 'bitcast<vec4u>(vec4f(f32(a.x), vec2f(a.yz), f32(a.w)))'],
    exact: (a) => a.map((x) => bitsOf(Math.fround(x))),
  },
  {
    name: 'bool → f32 and i32',
    types: ['vec4u'],
    forms: ['(bitcast<vec4u>(vec4f(a > vec4u(9))) + vec4u(vec4i(a > vec4u(9))))'],
    exact: (a) => a.map((x) => (x > 9 ? 0x3f800001 : 0)),
  },
  {
    name: 'u32 → i32 → u32 → bool',
    types: ['vec4u'],
    forms: ['vec4u(vec4<bool>(vec4u(vec4i(a))))'],
    exact: (a) => a.map((x) => Number(x !== 0)),
  },
  {
    name: 'bitcast',
    types: ['vec4f'],
    floats: true,
    forms: ['bitcast<vec4u>(a)', 'vec4u(bitcast<vec4i>(a))', 'bitcast<vec4u>(bitcast<vec4f>(bitcast<vec4i>(a)))'],
    exact: (a) => a.map((x) => (Number.isNaN(floatOf(x)) ? 0x7fc00000 : x)),
  },
];

/** With constants that the passes recognize, and near them. */
const withConstants: readonly IntegerRow[] = [
  ...[0, 1, 7, 8, 15, 31].flatMap((n): IntegerRow[] => [
    {
      name: `min(a & ${n}, 8)`,
      types: ['vec4u'],
      forms: [`min(a & vec4u(${n}), vec4u(8))`],
      exact: (a) => a.map((x) => Math.min(x & n, 8)),
    },
    {
      name: `min(min(a, ${n}), 8)`,
      types: ['vec4u'],
      forms: [`min(min(a, vec4u(${n})), vec4u(8))`],
      exact: (a) => a.map((x) => Math.min(x, n, 8)),
    },
    {
      name: `max(a, ${n})`,
      types: ['vec4u'],
      forms: [`max(a, vec4u(${n}))`],
      exact: (a) => a.map((x) => Math.max(x, n)),
    },
    ...both(
      `a * ${n}`,
      1,
      (a) => `(${a} * ${n})`,
      () => (x) => x! * BigInt(n)
    ),
    ...both(
      `(a + ${n}) + 7`,
      1,
      (a) => `((${a} + ${n}) + 7)`,
      () => (x) => x! + BigInt(n + 7)
    ),
    ...both(
      `${n} - a`,
      1,
      (a) => `(${n} - ${a})`,
      () => (x) => BigInt(n) - x!
    ),
  ]),
  ...[1, 3, 8, 12].flatMap((n) => [
    ...both(
      `a / ${n}`,
      1,
      (a) => `(${a} / ${n})`,
      () => (x) => x! / BigInt(n)
    ),
    ...both(
      `a % ${n}`,
      1,
      (a) => `(${a} % ${n})`,
      () => (x) => x! % BigInt(n)
    ),
  ]),
  row(
    'negation twice',
    'i32',
    1,
    (a) => `(-(-${a}))`,
    (x) => x!
  ),
  ...both(
    '~ twice',
    1,
    (a) => `(~(~${a}))`,
    () => (x) => x!
  ),
  {
    name: 'i32 clamp by min and max',
    types: ['vec4i', 'vec4i'],
    forms: ['vec4u(min(vec4i(9), max(a, b)))', 'vec4u(min(max(b, a), vec4i(9)))'],
    exact: (a, b) => a.map((x, k) => word(minimum(9n, maximum(signed(x), signed(b[k]!))))),
  },
  ...(['<', '<=', '>', '>=', '==', '!='] as const).flatMap((symbol) =>
    (['vec4i', 'vec4u'] as const).map((type): IntegerRow => ({
      name: `!(a ${symbol} b) ${type}`,
      types: [type, type],
      forms: [`select(vec4u(3), vec4u(5), !(a ${symbol} b))`],
      exact: (a, b) =>
        a.map((x, k) => {
          const [p, q] = [x, b[k]!].map(type === 'vec4i' ? signed : unsigned) as [bigint, bigint];
          const holds = { '<': p < q, '<=': p <= q, '>': p > q, '>=': p >= q, '==': p === q, '!=': p !== q }[symbol];
          return holds ? 3 : 5;
        }),
    }))
  ),
];

export const INTEGER_ROWS: readonly IntegerRow[] = [
  ...operators,
  ...functions,
  ...packing,
  ...conversions,
  ...withConstants,
];
