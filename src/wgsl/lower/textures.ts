// Lowers texture functions (WGSL §17.7) to texture operations. Arguments are reordered as the IR requires.

import { unreachable } from '../../base/assert';
import type { TextureAccess, ValueId } from '../../ir';
import type { BuiltinExpr } from '../hir';
import { texelScalar } from '../predeclared';
import type { StorageTextureType, TextureType } from '../types';
import type { IrBuilder } from './builder';
import { clamp } from './arithmetic';
import type { BuiltinArgument } from './builtin-rule';
import { leafCount } from './leaves';

/** Takes arguments one by one. */
class Arguments {
  private next = 0;
  constructor(
    private readonly name: string,
    private readonly args: readonly BuiltinArgument[],
    private readonly expr: BuiltinExpr
  ) {}

  texture(): { type: TextureType; resource: number } {
    const arg = this.args[this.next++];
    if (arg?.kind !== 'handle' || arg.type.kind !== 'texture')
      return unreachable(`lower: ${this.name} of no sampled texture`);
    return { type: arg.type, resource: arg.resource };
  }
  /** The first argument if it is a storage texture; does not consume it. */
  get first(): { type: StorageTextureType; resource: number } | null {
    const arg = this.args[0];
    return arg?.kind === 'handle' && arg.type.kind === 'storage-texture'
      ? { type: arg.type, resource: arg.resource }
      : null;
  }
  storage(): { type: StorageTextureType; resource: number } {
    this.next++;
    return this.first ?? unreachable(`lower: ${this.name} of no storage texture`);
  }
  sampler(): number {
    const arg = this.args[this.next++];
    if (arg?.kind !== 'handle') return unreachable(`lower: ${this.name} without sampler`);
    return arg.resource;
  }
  values(): readonly ValueId[] {
    const arg = this.args[this.next++];
    if (arg?.kind !== 'value') return unreachable(`lower: ${this.name}, argument ${this.next}`);
    return arg.values;
  }
  /** The channel of a gather: a const-expression before the texture. Depth textures have a single one. */
  component(): number {
    if (this.args[0]?.kind !== 'value') return 0;
    const expr = this.expr.args[this.next++]!;
    return expr.op === 'const' ? expr.data[0]! : unreachable(`lower: ${this.name} of a channel that is no constant`);
  }
  get more(): boolean {
    return this.next < this.args.length;
  }
  /** The constant offset, a const-expression. */
  offset(): readonly [number, number, number] {
    if (!this.more) return [0, 0, 0];
    const expr = this.expr.args[this.next++]!;
    if (expr.op !== 'const') return unreachable(`lower: ${this.name} with an offset that is no constant`);
    return [expr.data[0]!, expr.data[1] ?? 0, expr.data[2] ?? 0];
  }
}

/**
 * Converts i32 or u32 to i32. A u32 beyond 2^31 stays large, so that clamping and range checks treat it as too large.
 */
function signed(builder: IrBuilder, value: ValueId): ValueId {
  if (builder.values[value] === 'i32') return value;
  return builder.op('int.cast', 'i32', [builder.op('u32.min', 'u32', [value, builder.u32(0x7fffffff)])]);
}

const isArray = (type: TextureType): boolean => type.dimension.endsWith('-array');
/** Scalar type of the result of a read. */
const resultType = ({ sampled }: TextureType): 'f32' | 'i32' | 'u32' =>
  sampled === 'depth' || sampled === 'external' ? 'f32' : sampled;

function read(
  builder: IrBuilder,
  op: 'texture.sample' | 'texture.load',
  type: TextureType,
  count: number,
  args: readonly ValueId[],
  texture: TextureAccess
): readonly ValueId[] {
  return builder.many(op, resultType(type), 4, args, texture.texture, texture).slice(0, count);
}

/** textureSample, …Bias, …Level, …Grad, …Compare, …CompareLevel. */
function sample(
  builder: IrBuilder,
  expr: BuiltinExpr,
  args: Arguments,
  mode: TextureAccess['mode'],
  compare: boolean
): readonly ValueId[] {
  const { type, resource } = args.texture();
  const sampler = args.sampler();
  const operands = [...args.values()];
  if (isArray(type)) operands.push(signed(builder, args.values()[0]!));
  if (compare) {
    // The comparison functions derive the level from derivatives or use level 0.
    const reference = args.values();
    if (mode === 'level') operands.push(builder.f32(0));
    operands.push(...reference);
  } else if (mode === 'grad') {
    operands.push(...args.values(), ...args.values());
  } else if (mode !== 'implicit') {
    // Levels of depth textures are integers.
    operands.push(floating(builder, args.values()[0]!));
  }
  return read(builder, 'texture.sample', type, leafCount(expr.type), operands, {
    mode,
    texture: resource,
    sampler,
    offset: args.offset(),
    compare,
  });
}

/** textureGather, textureGatherCompare. */
function gather(builder: IrBuilder, expr: BuiltinExpr, args: Arguments, compare: boolean): readonly ValueId[] {
  const component = args.component();
  const { type, resource } = args.texture();
  const sampler = args.sampler();
  const operands = [...args.values()];
  if (isArray(type)) operands.push(signed(builder, args.values()[0]!));
  if (compare) operands.push(...args.values());
  return read(builder, 'texture.sample', type, leafCount(expr.type), operands, {
    mode: 'gather',
    component,
    texture: resource,
    sampler,
    offset: args.offset(),
    compare,
  });
}

function floating(builder: IrBuilder, value: ValueId): ValueId {
  const type = builder.values[value];
  if (type === 'f32') return value;
  return builder.op(type === 'i32' ? 'f32.fromI32' : 'f32.fromU32', 'f32', [value]);
}

function loadTexel(builder: IrBuilder, expr: BuiltinExpr, args: Arguments): readonly ValueId[] {
  if (args.first !== null) return loadStorage(builder, args, args.storage());
  const { type, resource } = args.texture();
  const operands = args.values().map((value) => signed(builder, value));
  if (isArray(type)) operands.push(signed(builder, args.values()[0]!));
  operands.push(args.more ? signed(builder, args.values()[0]!) : builder.i32(0));
  return read(builder, 'texture.load', type, leafCount(expr.type), operands, {
    mode: 'load',
    texture: resource,
    sampler: -1,
    offset: [0, 0, 0],
    compare: false,
  });
}

/** Coordinates and array layer in a storage texture. */
function placeIn(builder: IrBuilder, args: Arguments, type: StorageTextureType): ValueId[] {
  const place = args.values().map((value) => signed(builder, value));
  if (type.dimension === '2d-array') place.push(signed(builder, args.values()[0]!));
  return place;
}
/** Pads coordinates that the texture does not have with zeros. */
const three = (builder: IrBuilder, place: readonly ValueId[]): ValueId[] =>
  [0, 1, 2].map((k) => place[k] ?? builder.i32(0));

/** A read-only storage texture is a sampled texture with one level. */
function loadStorage(
  builder: IrBuilder,
  args: Arguments,
  { type, resource }: { type: StorageTextureType; resource: number }
): readonly ValueId[] {
  const scalar = texelScalar(type) ?? unreachable('lower: a storage texture of no format');
  const place = placeIn(builder, args, type);
  if (type.access !== 'read') return builder.many('image.load', scalar, 4, three(builder, place), resource);
  return builder.many('texture.load', scalar, 4, [...place, builder.i32(0)], resource, {
    mode: 'load',
    texture: resource,
    sampler: -1,
    offset: [0, 0, 0],
    compare: false,
  });
}

function storeTexel(builder: IrBuilder, args: Arguments): readonly ValueId[] {
  const { type, resource } = args.storage();
  const place = three(builder, placeIn(builder, args, type));
  builder.effect('image.store', [...place, ...args.values()], resource);
  return [];
}

function unsigned(builder: IrBuilder, value: ValueId): ValueId {
  return builder.values[value] === 'u32' ? value : builder.op('int.cast', 'u32', [value]);
}

/** textureLoadSample and textureLoadSamples: the leaves of value, mask and state. */
function loadSamples(builder: IrBuilder, args: Arguments, isMask: boolean): readonly ValueId[] {
  const { type, resource } = args.first === null ? args.texture() : args.storage();
  const place = args.values().map((value) => signed(builder, value));
  const which = unsigned(builder, args.values()[0]!);
  // A sample index out of range becomes a mask with no existing sample.
  const mask = isMask
    ? which
    : builder.op('int.shl', 'u32', [builder.u32(1), builder.op('u32.min', 'u32', [which, builder.u32(31)])]);
  const isStored = type.kind === 'storage-texture';
  const scalar = isStored
    ? (texelScalar(type) ?? unreachable('lower: a storage texture of no format'))
    : resultType(type);
  const leaves = builder.results(
    isStored ? 'surface.load' : 'texture.loadSamples',
    [scalar, scalar, scalar, scalar, 'u32', 'u32'],
    [...place, mask],
    resource
  );
  return !isStored && type.sampled === 'depth' ? [leaves[0]!, ...leaves.slice(4)] : leaves;
}

function storeSurface(builder: IrBuilder, args: Arguments): readonly ValueId[] {
  const { resource } = args.storage();
  const place = args.values().map((value) => signed(builder, value));
  const mask = unsigned(builder, args.values()[0]!);
  builder.effect('surface.store', [...place, mask, ...args.values()], resource);
  return [];
}

function dimensions(builder: IrBuilder, expr: BuiltinExpr, args: Arguments): readonly ValueId[] {
  if (args.first?.type.multisampled)
    return (['surface.width', 'surface.height'] as const).map((op) => builder.once(op, 'u32', args.first!.resource));
  const { resource } = args.first !== null ? args.storage() : args.texture();
  const level = args.more ? args.values()[0]! : builder.u32(0);
  return builder
    .many('texture.dimensions', 'u32', 3, [unsigned(builder, level)], resource)
    .slice(0, leafCount(expr.type));
}

/** Samples level 0, with coordinates kept half a texel inside (WGSL §17.7.13). */
function sampleClampToEdge(builder: IrBuilder, expr: BuiltinExpr, args: Arguments): readonly ValueId[] {
  const { type, resource } = args.texture();
  const sampler = args.sampler();
  const sizes = builder.many('texture.dimensions', 'u32', 3, [builder.u32(0)], resource);
  const coordinates = args.values().map((x, k) => {
    const half = builder.op('f32.div', 'f32', [builder.f32(0.5), builder.op('f32.fromU32', 'f32', [sizes[k]!])]);
    const most = builder.op('f32.sub', 'f32', [builder.f32(1), half]);
    const [value, low, high] = [x, half, most].map((id) => ({ value: id, isConstant: false }));
    return clamp(builder, value!, low!, high!);
  });
  return read(builder, 'texture.sample', type, leafCount(expr.type), [...coordinates, builder.f32(0)], {
    mode: 'level',
    texture: resource,
    sampler,
    offset: [0, 0, 0],
    compare: false,
  });
}

/** Lowers a texture function; returns the leaves of its result. */
export function lowerTextureBuiltin(
  builder: IrBuilder,
  expr: BuiltinExpr,
  operands: readonly BuiltinArgument[]
): readonly ValueId[] {
  const args = new Arguments(expr.name, operands, expr);
  switch (expr.name) {
    case 'textureSample':
      return sample(builder, expr, args, 'implicit', false);
    case 'textureSampleBias':
      return sample(builder, expr, args, 'bias', false);
    case 'textureSampleLevel':
      return sample(builder, expr, args, 'level', false);
    case 'textureSampleGrad':
      return sample(builder, expr, args, 'grad', false);
    case 'textureSampleCompare':
      return sample(builder, expr, args, 'implicit', true);
    case 'textureSampleCompareLevel':
      return sample(builder, expr, args, 'level', true);
    case 'textureSampleBaseClampToEdge':
      return sampleClampToEdge(builder, expr, args);
    case 'textureGather':
      return gather(builder, expr, args, false);
    case 'textureGatherCompare':
      return gather(builder, expr, args, true);
    case 'textureLoad':
      return loadTexel(builder, expr, args);
    case 'textureDimensions':
      return dimensions(builder, expr, args);
    case 'textureNumLevels':
      return [builder.once('texture.levels', 'u32', args.texture().resource)];
    case 'textureNumLayers':
      return [builder.once('texture.layers', 'u32', (args.first ?? args.texture()).resource)];
    case 'textureNumSamples':
      return [
        args.first !== null
          ? builder.once('surface.samples', 'u32', args.first.resource)
          : builder.once('texture.samples', 'u32', args.texture().resource),
      ];
    case 'textureStore':
      return storeTexel(builder, args);
    case 'textureLoadSample':
      return loadSamples(builder, args, false);
    case 'textureLoadSamples':
      return loadSamples(builder, args, true);
    case 'textureStoreSamples':
      return storeSurface(builder, args);
    default:
      return unreachable(`lower: builtin ${expr.name}`);
  }
}

/** Texture functions that lowerTextureBuiltin supports: all that have signatures. */
export const loweredTextureBuiltins: readonly string[] = [
  'textureSample',
  'textureSampleBias',
  'textureSampleLevel',
  'textureSampleGrad',
  'textureSampleCompare',
  'textureSampleCompareLevel',
  'textureSampleBaseClampToEdge',
  'textureGather',
  'textureGatherCompare',
  'textureLoad',
  'textureDimensions',
  'textureNumLevels',
  'textureNumLayers',
  'textureNumSamples',
  'textureStore',
  'textureLoadSample',
  'textureLoadSamples',
  'textureStoreSamples',
];
