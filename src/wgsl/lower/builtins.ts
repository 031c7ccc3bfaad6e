// Lowers builtin functions (WGSL §17) to operations. Texture functions are in textures.ts, packing functions in
// packing.ts. Formulas are those of the specification. Where it permits several, the choice is made here, once for all
// engines.

import { unreachable } from '../../base/assert';
import type { OpName, ScalarType, ValueId } from '../../ir';
import type { BuiltinExpr } from '../hir';
import { powerByProducts } from '../power';
import type { Type } from '../types';
import { lowerAtomic, loweredAtomics } from './atomics';
import type { IrBuilder } from './builder';
import { clamp, cross, determinant, dot, extreme, saturate, transpose, type Operand } from './arithmetic';
import type { BuiltinArgument, BuiltinRule } from './builtin-rule';
import { dispatchSamples, emitVertex, endStrip } from './geometry';
import { leafHalves } from './leaves';
import { bufferLength, load, runtimeLength } from './memory';
import { packingBuiltins } from './packing';
import { subgroupBuiltins } from './subgroups';
import { lowerTextureBuiltin } from './textures';

type OpByType = Partial<Record<ScalarType, OpName>>;

/** A component-wise function: one operation chosen by scalar type. Scalar arguments are repeated for vectors. */
const componentWise =
  (byType: OpByType): BuiltinRule =>
  ({ builder, args, scalar }) => {
    const op = byType[scalar] ?? unreachable(`lower: no ${scalar} form of a builtin`);
    return forComponents(args, (components) => builder.op(op, scalar, components));
  };

/** Calls `rule` for each component. */
function forComponents(args: readonly (readonly ValueId[])[], rule: (components: ValueId[]) => ValueId): ValueId[] {
  const size = Math.max(...args.map((arg) => arg.length));
  return Array.from({ length: size }, (_, k) => rule(args.map((arg) => (arg.length === 1 ? arg[0]! : arg[k]!))));
}

const components =
  (rule: (builder: IrBuilder, c: ValueId[], scalar: ScalarType) => ValueId): BuiltinRule =>
  ({ builder, args, scalar }) =>
    forComponents(args, (c) => rule(builder, c, scalar));

const f32 = (builder: IrBuilder, op: OpName, ...args: ValueId[]): ValueId => builder.op(op, 'f32', args);

const floatOps = (names: readonly string[]): [string, BuiltinRule][] =>
  names.map((name) => [name, componentWise({ f32: `f32.${name}` as OpName })]);

const length = (builder: IrBuilder, v: readonly ValueId[]): ValueId =>
  v.length === 1 ? f32(builder, 'f32.abs', v[0]!) : f32(builder, 'f32.sqrt', dot(builder, v, v));

function pow(builder: IrBuilder, x: ValueId, y: ValueId): ValueId {
  const exponent = constantF32(builder, y);
  if (exponent === undefined) return f32(builder, 'f32.pow', x, y);
  if (exponent === 0.5) return f32(builder, 'f32.sqrt', x);
  return powerByProducts(exponent, x, (a, b) => f32(builder, 'f32.mul', a, b)) ?? f32(builder, 'f32.pow', x, y);
}

/** The number if `value` is a constant. */
function constantF32(builder: IrBuilder, value: ValueId): number | undefined {
  const bits = builder.constantBits(value);
  return bits === undefined ? undefined : new Float32Array(Uint32Array.of(bits).buffer)[0];
}

function mix(builder: IrBuilder, x: ValueId, y: ValueId, t: ValueId): ValueId {
  const rest = f32(builder, 'f32.sub', builder.f32(1), t);
  return f32(builder, 'f32.add', f32(builder, 'f32.mul', x, rest), f32(builder, 'f32.mul', y, t));
}

function smoothstep(builder: IrBuilder, low: ValueId, high: ValueId, x: ValueId): ValueId {
  const ratio = f32(builder, 'f32.div', f32(builder, 'f32.sub', x, low), f32(builder, 'f32.sub', high, low));
  const t = saturate(builder, ratio);
  const curve = f32(builder, 'f32.sub', builder.f32(3), f32(builder, 'f32.mul', builder.f32(2), t));
  return f32(builder, 'f32.mul', f32(builder, 'f32.mul', t, t), curve);
}

/**
 * Multiplies by 1/length. This is cheaper than a division per component, and equally accurate (1/sqrt is within 2 ULP).
 */
const normalize: BuiltinRule = ({ builder, args: [v] }) => {
  const scale = f32(builder, 'f32.inverseSqrt', dot(builder, v!, v!));
  return v!.map((x) => f32(builder, 'f32.mul', x, scale));
};

const reflect: BuiltinRule = ({ builder, args: [incident, normal] }) => {
  const twice = f32(builder, 'f32.mul', builder.f32(2), dot(builder, normal!, incident!));
  return incident!.map((x, k) => f32(builder, 'f32.sub', x, f32(builder, 'f32.mul', twice, normal![k]!)));
};

const refract: BuiltinRule = ({ builder, args: [incident, normal, [ratio]] }) => {
  const one = builder.f32(1);
  const cosine = dot(builder, normal!, incident!);
  const square = f32(builder, 'f32.mul', ratio!, ratio!);
  const k = f32(
    builder,
    'f32.sub',
    one,
    f32(builder, 'f32.mul', square, f32(builder, 'f32.sub', one, f32(builder, 'f32.mul', cosine, cosine)))
  );
  const total = builder.op('f32.lt', 'bool', [k, builder.f32(0)]);
  const along = f32(builder, 'f32.add', f32(builder, 'f32.mul', ratio!, cosine), f32(builder, 'f32.sqrt', k));
  return incident!.map((x, i) => {
    const bent = f32(
      builder,
      'f32.sub',
      f32(builder, 'f32.mul', ratio!, x),
      f32(builder, 'f32.mul', along, normal![i]!)
    );
    return builder.op('select', 'f32', [total, builder.f32(0), bent]);
  });
};

const faceForward: BuiltinRule = ({ builder, args: [v, incident, normal] }) => {
  const facing = builder.op('f32.lt', 'bool', [dot(builder, normal!, incident!), builder.f32(0)]);
  return v!.map((x) => builder.op('select', 'f32', [facing, x, f32(builder, 'f32.neg', x)]));
};

/** Members of __modf_result: fract, whole. */
const modf: BuiltinRule = ({ builder, args: [v] }) => {
  const whole = v!.map((x) => f32(builder, 'f32.trunc', x));
  return [...v!.map((x, k) => f32(builder, 'f32.sub', x, whole[k]!)), ...whole];
};

/** Members of __frexp_result: fract, exp. */
const frexp: BuiltinRule = ({ builder, args: [v] }) => [
  ...v!.map((x) => f32(builder, 'f32.frexpFraction', x)),
  ...v!.map((x) => builder.op('f32.frexpExponent', 'i32', [x])),
];

/** select(f, t, condition). */
const select: BuiltinRule = ({ builder, args: [ifFalse, ifTrue, condition] }) =>
  ifFalse!.map((other, k) =>
    builder.op('select', builder.values[other]!, [
      condition!.length === 1 ? condition![0]! : condition![k]!,
      ifTrue![k]!,
      other,
    ])
  );

const reduceBools =
  (op: 'bool.and' | 'bool.or'): BuiltinRule =>
  ({ builder, args: [v] }) => [v!.reduce((sum, x) => builder.op(op, 'bool', [sum, x]))];

/** Calls `rule` for each component, with the information which operands are constants in the source. */
const ofOperands =
  (rule: (builder: IrBuilder, c: Operand[]) => ValueId): BuiltinRule =>
  ({ builder, args, constants }) => {
    const known = constants.map((leaves) => leaves());
    return args[0]!.map((_, k) =>
      rule(
        builder,
        args.map((arg, i) => ({ value: arg[k]!, isConstant: known[i]![k] === true }))
      )
    );
  };

/** |ddx| + |ddy|. */
const fwidth = (suffix: 'coarse' | 'fine'): BuiltinRule =>
  components((builder, [x]) =>
    f32(
      builder,
      'f32.add',
      f32(builder, 'f32.abs', f32(builder, `ddx.${suffix}`, x!)),
      f32(builder, 'f32.abs', f32(builder, `ddy.${suffix}`, x!))
    )
  );
const derivative = (op: OpName): BuiltinRule => components((builder, [x]) => f32(builder, op, x!));

const bitOps = (name: string): [string, BuiltinRule] => [
  name,
  componentWise({ i32: `int.${name}` as OpName, u32: `int.${name}` as OpName }),
];

const rules: ReadonlyMap<string, BuiltinRule> = new Map<string, BuiltinRule>([
  ...floatOps([
    'floor',
    'ceil',
    'trunc',
    'round',
    'fract',
    'sqrt',
    'inverseSqrt',
    'exp',
    'exp2',
    'log',
    'log2',
    'sin',
    'cos',
    'tan',
    'asin',
    'acos',
    'atan',
    'atan2',
    'sinh',
    'cosh',
    'tanh',
    'asinh',
    'acosh',
    'atanh',
    'quantizeToF16',
  ]),
  [
    'abs',
    components((builder, [x], scalar) =>
      scalar === 'u32' ? x! : builder.op(scalar === 'f32' ? 'f32.abs' : 'i32.abs', scalar, [x!])
    ),
  ],
  ['sign', componentWise({ f32: 'f32.sign', i32: 'i32.sign' })],
  ['min', ofOperands((builder, [a, b]) => extreme(builder, 'min', a!, b!))],
  ['max', ofOperands((builder, [a, b]) => extreme(builder, 'max', a!, b!))],
  ['clamp', ofOperands((builder, [x, low, high]) => clamp(builder, x!, low!, high!))],
  ['saturate', components((builder, [x]) => saturate(builder, x!))],
  ['pow', components((builder, [x, y]) => pow(builder, x!, y!))],
  ['mix', components((builder, [x, y, t]) => mix(builder, x!, y!, t!))],
  ['step', components((builder, [edge, x]) => f32(builder, 'f32.fromBool', builder.op('f32.le', 'bool', [edge!, x!])))],
  ['smoothstep', components((builder, [low, high, x]) => smoothstep(builder, low!, high!, x!))],
  // fma inherits its accuracy from x · y + z; nothing is contracted.
  ['fma', components((builder, [x, y, z]) => f32(builder, 'f32.add', f32(builder, 'f32.mul', x!, y!), z!))],
  ['ldexp', components((builder, [x, e]) => f32(builder, 'f32.ldexp', x!, e!))],
  ['degrees', components((builder, [x]) => f32(builder, 'f32.mul', x!, builder.f32(57.29577951308232)))],
  ['radians', components((builder, [x]) => f32(builder, 'f32.mul', x!, builder.f32(0.017453292519943295)))],
  ['modf', modf],
  ['frexp', frexp],
  ['dot', ({ builder, args: [a, b] }) => [dot(builder, a!, b!)]],
  ['cross', ({ builder, args: [a, b] }) => cross(builder, a!, b!)],
  ['length', ({ builder, args: [v] }) => [length(builder, v!)]],
  [
    'distance',
    ({ builder, args: [a, b] }) => [
      length(
        builder,
        a!.map((x, k) => f32(builder, 'f32.sub', x, b![k]!))
      ),
    ],
  ],
  ['normalize', normalize],
  ['reflect', reflect],
  ['refract', refract],
  ['faceForward', faceForward],
  [
    'determinant',
    ({ builder, args: [m], types: [type] }) => [
      determinant(builder, type!.kind === 'matrix' ? type!.columns : unreachable('lower: determinant'), m!),
    ],
  ],
  [
    'transpose',
    ({ args: [m], types: [type] }) => transpose(type!.kind === 'matrix' ? type! : unreachable('lower: transpose'), m!),
  ],
  ['select', select],
  ['all', reduceBools('bool.and')],
  ['any', reduceBools('bool.or')],
  ...['countLeadingZeros', 'countTrailingZeros', 'countOneBits', 'reverseBits', 'firstTrailingBit'].map(bitOps),
  ['firstLeadingBit', componentWise({ i32: 'i32.firstLeadingBit', u32: 'u32.firstLeadingBit' })],
  ['extractBits', componentWise({ i32: 'i32.extractBits', u32: 'u32.extractBits' })],
  ['insertBits', componentWise({ i32: 'int.insertBits', u32: 'int.insertBits' })],
  // WGSL leaves the kind of dpdx and dpdy open. They are coarse, as in other implementations.
  ['dpdx', derivative('ddx.coarse')],
  ['dpdxCoarse', derivative('ddx.coarse')],
  ['dpdxFine', derivative('ddx.fine')],
  ['dpdy', derivative('ddy.coarse')],
  ['dpdyCoarse', derivative('ddy.coarse')],
  ['dpdyFine', derivative('ddy.fine')],
  ['fwidth', fwidth('coarse')],
  ['fwidthCoarse', fwidth('coarse')],
  ['fwidthFine', fwidth('fine')],
  ...packingBuiltins,
  ...subgroupBuiltins,
]);

/** Functions that return halves for halves. All others compute in f32 and round the result to a half. */
const KEEPS_HALVES: ReadonlySet<string> = new Set([
  'abs',
  'ceil',
  'clamp',
  'faceForward',
  'floor',
  'frexp',
  'max',
  'min',
  'round',
  'saturate',
  'select',
  'sign',
  'step',
  'transpose',
  'trunc',
]);

/** Lowers a builtin function on evaluated arguments; returns the leaves of its result. */
export function lowerBuiltin(
  builder: IrBuilder,
  expr: BuiltinExpr,
  args: readonly BuiltinArgument[]
): readonly ValueId[] {
  const { name } = expr;
  if (name.startsWith('texture') && name !== 'textureBarrier') return lowerTextureBuiltin(builder, expr, args);
  if (name.startsWith('atomic')) return lowerAtomic(builder, name, args);
  if (name.endsWith('Barrier')) {
    builder.effect('barrier', []);
    return [];
  }
  if (name === 'workgroupUniformLoad') {
    const pointer = args[0]!;
    builder.effect('barrier', []);
    const values = load(
      builder,
      pointer.kind === 'pointer' ? pointer.place : unreachable(`lower: ${name} of no pointer`)
    );
    builder.effect('barrier', []);
    return values;
  }
  if (name === 'emitVertex') {
    emitVertex(builder, expr, args);
    return [];
  }
  if (name === 'dispatchSamples') {
    dispatchSamples(builder, args);
    return [];
  }
  if (name === 'endStrip') {
    endStrip(builder, expr);
    return [];
  }
  if (name === 'arrayLength' || name === 'bufferLength') {
    const pointer = args[0]!;
    if (pointer.kind !== 'pointer') return unreachable(`lower: ${name} of no pointer`);
    return [(name === 'arrayLength' ? runtimeLength : bufferLength)(builder, pointer.place)];
  }
  const rule = rules.get(name) ?? unreachable(`lower: builtin ${name}`);
  const values: (readonly ValueId[])[] = [];
  const types: Type[] = [];
  const constants: (() => readonly boolean[])[] = [];
  for (const arg of args) {
    if (arg.kind !== 'value') return unreachable(`lower: ${name} of a ${arg.kind}`);
    values.push(arg.values);
    types.push(arg.type);
    constants.push(arg.constants);
  }
  const [first] = values[0] ?? [];
  const scalar = first === undefined ? 'bool' : builder.values[first]!;
  const results = rule({ builder, args: values, types, scalar, constants });
  if (KEEPS_HALVES.has(name)) return results;
  const halves = leafHalves(expr.type);
  return results.map((value, k) => (halves[k] === true ? builder.op('f32.quantizeToF16', 'f32', [value]) : value));
}

/** Names that lowerBuiltin supports, except texture functions. */
export const loweredBuiltins: readonly string[] = [
  ...rules.keys(),
  ...loweredAtomics,
  'arrayLength',
  'bufferLength',
  'dispatchSamples',
  'emitVertex',
  'endStrip',
  'storageBarrier',
  'textureBarrier',
  'workgroupBarrier',
  'workgroupUniformLoad',
];
