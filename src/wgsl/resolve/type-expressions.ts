// Resolves type expressions (WGSL §6.8): names and template lists.

import type { Note } from '../../base/diagnostics';
import { unreachable } from '../../base/assert';
import {
  ACCESS_MODES,
  ADDRESS_SPACES,
  F16_TYPES,
  isTypeName,
  MATRIX_FAMILIES,
  MULTISAMPLED_TEXEL_FORMATS,
  PREDECLARED_TYPES,
  STORAGE_TEXTURE_FAMILIES,
  TEXEL_FORMATS,
  TEXTURE_FAMILIES,
  typeNames,
  VECTOR_FAMILIES,
} from '../predeclared';
import type { Expression, IdentExpression, Span } from '../syntax';
import { nearest } from '../suggest';
import {
  atomicType,
  bufferType,
  containsAtomic,
  containsRuntimeArray,
  isConstructible,
  isStorable,
  matrixType,
  scalarOf,
  storageTextureType,
  textureType,
  texelFormatWord,
  typeDepth,
  typeName,
  vectorType,
} from '../type-store';
import type { AddressSpace, ArrayType, PointerType, Scalar, StorageTextureType, Type } from '../types';
import type { Context } from './context';
import { F16_EXTENSION, MULTISAMPLE_STORAGE_TEXTURES, requireExtension } from './declarations/directives';
import { Stage } from './operand';
import type { Operand } from './operand';
import { pointerTypeFault } from './store-types';

type Evaluate = (ctx: Context, node: Expression) => Operand | null;

/** WGSL §2.4. Types are walked recursively. */
const MAX_TYPE_DEPTH = 15;

/**
 * Maximum number of elements of an array. Keeps every size and offset far below 2^53, and every buffer below 2^32
 * bytes.
 */
const MAX_ARRAY_COUNT = 0x7fff_ffff;

/** Maximum size in bytes of a buffer that declares one. */
const MAX_BUFFER_SIZE = 0x7fff_fffc;

/** Suggests a similar name. Gives nothing after the module has used up its number of comparisons. */
export function suggestion(ctx: Context, name: string, candidates: Iterable<string>): Note[] {
  const { report } = ctx;
  if (report.isFull) return [];
  const best = nearest(name, report.counted(candidates));
  return best === null ? [] : [{ message: `did you mean '${best}'?` }];
}

/** Resolves a type; null after an error. */
export function resolveType(ctx: Context, node: Expression, evaluate: Evaluate): Type | null {
  if (node.kind !== 'ident') {
    ctx.report.error('expected-type', node.span, [], 'an expression');
    return null;
  }
  const binding = ctx.lookup(node.name);
  if (binding === undefined) return predeclaredType(ctx, node, evaluate);
  switch (binding.kind) {
    case 'broken':
      return null;
    case 'type':
      if (node.template !== null) {
        ctx.report.error('unexpected-template', node.span, [], node.name.text);
        return null;
      }
      return binding.type;
    default: {
      const what = binding.kind === 'function' ? 'function' : 'value';
      ctx.report.error(
        'expected-type',
        node.span,
        [{ message: 'declared here', span: binding.declared }],
        `the ${what} '${node.name.text}'`
      );
      return null;
    }
  }
}

function predeclaredType(ctx: Context, node: IdentExpression, evaluate: Evaluate): Type | null {
  const name = node.name.text;
  const predeclared = PREDECLARED_TYPES.get(name);
  if (predeclared !== undefined) {
    if (F16_TYPES.has(name) && !requireExtension(ctx, F16_EXTENSION, `type '${name}'`, node.span)) return null;
    if (node.template === null) return predeclared;
    ctx.report.error('unexpected-template', node.span, [], name);
    return null;
  }
  if (isTypeName(name)) return templatedType(ctx, node, evaluate);
  if (!ctx.module.isBrokenName(name)) {
    ctx.report.error('unknown-type', node.name.span, suggestion(ctx, name, namesOfTypes(ctx)), name);
  }
  return null;
}

function* namesOfTypes(ctx: Context): Iterable<string> {
  yield* ctx.namesInScope();
  yield* typeNames();
}

function templatedType(ctx: Context, node: IdentExpression, evaluate: Evaluate): Type | null {
  const name = node.name.text;
  const args = node.template;
  if (name === 'buffer') return bufferOf(ctx, node, args, evaluate);
  if (args === null) {
    ctx.report.error('missing-template', node.span, [], name, exampleOf(name));
    return null;
  }
  const size = VECTOR_FAMILIES.get(name);
  if (size !== undefined) {
    const scalar = scalarArgument(ctx, node, args, evaluate, ['bool', 'i32', 'u32', 'f32', 'f16']);
    return scalar === null ? null : vectorType(size, scalar);
  }
  const shape = MATRIX_FAMILIES.get(name);
  if (shape !== undefined) {
    const scalar = scalarArgument(ctx, node, args, evaluate, ['f32', 'f16']);
    return scalar === null ? null : matrixType(shape[0], shape[1], scalar);
  }
  const texture = TEXTURE_FAMILIES.get(name);
  if (texture !== undefined) {
    const scalar = scalarArgument(ctx, node, args, evaluate, ['f32', 'i32', 'u32']);
    return scalar === null
      ? null
      : textureType(texture.dimension, scalar as 'f32' | 'i32' | 'u32', texture.multisampled);
  }
  const storage = STORAGE_TEXTURE_FAMILIES.get(name);
  if (storage !== undefined) return storageTexture(ctx, node, args, storage);
  switch (name) {
    case 'array':
      return arrayOf(ctx, node, args, evaluate);
    case 'ptr':
      return pointerTo(ctx, node, args, evaluate);
    case 'atomic': {
      const scalar = scalarArgument(ctx, node, args, evaluate, ['i32', 'u32']);
      return scalar === null ? null : atomicType(scalar as 'i32' | 'u32');
    }
    default:
      return unreachable(`wgsl: no type family ${name}`);
  }
}

/** `buffer` and `buffer<bytes>`. */
function bufferOf(
  ctx: Context,
  node: IdentExpression,
  args: readonly Expression[] | null,
  evaluate: Evaluate
): Type | null {
  if (args === null) return bufferType(null);
  if (!checkCount(ctx, node, args.length, 1, 1)) return null;
  const size = evaluate(ctx, args[0]!);
  const { span } = args[0]!;
  if (size === null) return null;
  const scalar = size.type.kind === 'scalar' ? size.type.scalar : null;
  const refuse = (found: string): null => {
    ctx.report.error('buffer-size', span, [], found);
    return null;
  };
  if (scalar !== 'i32' && scalar !== 'u32' && scalar !== 'abstract-int') return refuse(typeName(size.type));
  if (size.stage === Stage.Runtime) return refuse('a value that is not constant');
  const bytes = size.data === null ? null : Number(size.data[0]);
  if (bytes !== null && (bytes < 4 || bytes > MAX_BUFFER_SIZE || bytes % 4 !== 0)) return refuse(String(bytes));
  return size.stage === Stage.Const ? bufferType(bytes) : ctx.module.openBuffer(bytes, word(args[0]!));
}

function exampleOf(name: string): string {
  if (name === 'array') return 'array<f32, 4>';
  if (name === 'ptr') return 'ptr<function, f32>';
  if (name === 'atomic') return 'atomic<u32>';
  if (STORAGE_TEXTURE_FAMILIES.has(name)) return `${name}<rgba8unorm, write>`;
  return `${name}<f32>`;
}

function checkCount(ctx: Context, node: IdentExpression, count: number, least: number, most: number): boolean {
  if (count >= least && count <= most) return true;
  const wanted = least === most ? `${least}` : `${least} to ${most}`;
  ctx.report.error('template-count', node.span, [], node.name.text, wanted, count);
  return false;
}

function scalarArgument(
  ctx: Context,
  node: IdentExpression,
  args: readonly Expression[],
  evaluate: Evaluate,
  allowed: readonly Scalar[]
): Scalar | null {
  if (!checkCount(ctx, node, args.length, 1, 1)) return null;
  const type = resolveType(ctx, args[0]!, evaluate);
  if (type === null) return null;
  if (type.kind === 'scalar' && allowed.includes(type.scalar)) return type.scalar;
  ctx.report.error('template-type', args[0]!.span, [], node.name.text, allowed.join(', '), typeName(type));
  return null;
}

/** The text of an expression that is a single word. */
export function word(node: Expression): string | null {
  return node.kind === 'ident' && node.template === null ? node.name.text : null;
}

/** A word from a closed set: an address space, an access mode or a texel format. */
export function wordArgument<T extends string>(
  ctx: Context,
  node: Expression,
  what: string,
  allowed: Iterable<T>
): T | null {
  const text = word(node);
  for (const candidate of allowed) if (candidate === text) return candidate;
  const names = [...allowed];
  const notes = text === null ? [] : suggestion(ctx, text, names);
  ctx.report.error(
    'unknown-word',
    node.span,
    notes,
    what,
    text === null ? 'an expression' : `'${text}'`,
    names.slice(0, 6).join(', ')
  );
  return null;
}

/** A predeclared word. If a declaration hides it, the word stands for that declaration (WGSL §6.3.1). */
export function enumerant<T extends string>(
  ctx: Context,
  node: Expression,
  what: string,
  allowed: Iterable<T>
): T | null {
  const hidden = node.kind === 'ident' ? ctx.lookup(node.name) : undefined;
  if (hidden === undefined) return wordArgument(ctx, node, what, allowed);
  if (hidden.kind !== 'broken') {
    ctx.report.error(
      'hidden-word',
      node.span,
      [{ message: 'declared here', span: hidden.declared }],
      what,
      `the ${hidden.kind} '${word(node)}'`
    );
  }
  return null;
}

function storageTexture(
  ctx: Context,
  node: IdentExpression,
  args: readonly Expression[],
  { dimension, multisampled }: Pick<StorageTextureType, 'dimension' | 'multisampled'>
): Type | null {
  const { text, span } = node.name;
  if (multisampled && !requireExtension(ctx, MULTISAMPLE_STORAGE_TEXTURES, `type '${text}'`, span)) return null;
  if (!checkCount(ctx, node, args.length, 2, 2)) return null;
  const formats = new Map(
    [...(multisampled ? MULTISAMPLED_TEXEL_FORMATS : TEXEL_FORMATS).keys()].map((name) => [texelFormatWord(name), name])
  );
  const format = enumerant(ctx, args[0]!, 'a texel format', [...formats.keys()]);
  const access = enumerant(ctx, args[1]!, 'an access mode', ACCESS_MODES);
  return format === null || access === null
    ? null
    : storageTextureType(dimension, formats.get(format)!, access, multisampled);
}

function pointerTo(ctx: Context, node: IdentExpression, args: readonly Expression[], evaluate: Evaluate): Type | null {
  if (!checkCount(ctx, node, args.length, 2, 3)) return null;
  const space = enumerant<AddressSpace>(ctx, args[0]!, 'an address space', ADDRESS_SPACES);
  const store = resolveType(ctx, args[1]!, evaluate);
  if (space === null || store === null) return null;
  if (!isStorable(store)) {
    ctx.report.error('not-storable', args[1]!.span, [], typeName(store));
    return null;
  }
  const access = args.length === 2 ? defaultAccess(space) : accessMode(ctx, args[2]!, space);
  if (access === null) return null;
  const why = pointerTypeFault(store, { space, access }, ctx.module.openArrays);
  if (why === null) return ctx.types.pointer(space, store, access);
  ctx.report.error('store-type', args[1]!.span, [], typeName(store), space, why);
  return null;
}

/** The access mode after an address space. */
export function accessMode(ctx: Context, node: Expression, space: AddressSpace): PointerType['access'] | null {
  const access = enumerant(ctx, node, 'an access mode', ACCESS_MODES);
  if (access === null) return null;
  if (space !== 'storage') {
    ctx.report.error('access-mode-not-allowed', node.span, [], space);
    return null;
  }
  if (access !== 'write') return access;
  ctx.report.error('storage-write-only', node.span, []);
  return null;
}

/** The default access mode (WGSL §14.3). */
export function defaultAccess(space: AddressSpace): PointerType['access'] {
  return ['uniform', 'storage', 'immediate', 'handle'].includes(space) ? 'read' : 'read_write';
}

function arrayOf(ctx: Context, node: IdentExpression, args: readonly Expression[], evaluate: Evaluate): Type | null {
  if (!checkCount(ctx, node, args.length, 1, 2)) return null;
  const element = resolveType(ctx, args[0]!, evaluate);
  if (element === null) return null;
  const usable =
    (isConstructible(element) || containsAtomic(element))
    && !containsRuntimeArray(element)
    && !ctx.module.openArrays.has(element);
  if (!usable) {
    ctx.report.error('array-element-type', args[0]!.span, [], typeName(element));
    return null;
  }
  if (args.length === 1) return nestedArray(ctx, element, null, node.span);
  const count = evaluate(ctx, args[1]!);
  if (count === null) return null;
  return countedArray(ctx, element, count, args[1]!.span, word(args[1]!));
}

/** Whether a type may be part of another one. */
export function canNest(ctx: Context, part: Type, span: Span): boolean {
  if (typeDepth(part) < MAX_TYPE_DEPTH) return true;
  ctx.report.error('type-too-deep', span, [], MAX_TYPE_DEPTH);
  return false;
}

/** The array type, if its elements are not nested too deeply. */
export function nestedArray(ctx: Context, element: Type, count: number | null, span: Span): ArrayType | null {
  return canNest(ctx, element, span) ? ctx.types.array(element, count) : null;
}

/** `override`: the name of the override if the count consists of nothing else. */
function countedArray(ctx: Context, element: Type, count: Operand, span: Span, override: string | null): Type | null {
  const scalar = count.type.kind === 'scalar' ? scalarOf(count.type) : null;
  if (scalar !== 'i32' && scalar !== 'u32' && scalar !== 'abstract-int') {
    ctx.report.error('array-count-type', span, [], typeName(count.type));
    return null;
  }
  if (count.stage === Stage.Runtime) {
    ctx.report.error('array-count-not-constant', span, []);
    return null;
  }
  const value = count.data === null ? null : Number(count.data[0]);
  if (value !== null && (value < 1 || value > MAX_ARRAY_COUNT)) {
    ctx.report.error('array-count-range', span, [], String(value));
    return null;
  }
  if (count.stage === Stage.Const) return nestedArray(ctx, element, value, span);
  if (!canNest(ctx, element, span)) return null;
  return ctx.module.openArray(element, value ?? 1, override);
}
