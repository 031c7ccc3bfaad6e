// Accesses to parts of values and references: `a[i]`, `v.xyz`, `s.member`, `*p`, `&x` (WGSL §8.5, §8.10–§8.13).

import type { Expr, Place, PlaceStep } from '../hir';
import type { Name, Span } from '../syntax';
import { isInteger, leafCount, partCount, partType, scalarType, typeName, U32, vectorType } from '../type-store';
import type { Extent } from '../type-store';
import type { ArrayType, MatrixType, StructType, Type, VectorType } from '../types';
import type { Context } from './context';
import { concretize } from './convert';
import { computed, emit, known, pendingOverride, reference, Stage } from './operand';
import type { Operand, Reference } from './operand';
import { suggestion } from './type-expressions';

/** `*pointer` as a reference. */
export function dereference(ctx: Context, operand: Operand, span: Span): Operand | null {
  const { type } = operand;
  if (type.kind !== 'pointer') {
    ctx.report.error('dereference-of-value', span, [], typeName(type));
    return null;
  }
  const pointer = emit(operand);
  const place: Place =
    pointer.op === 'address-of'
      ? { ...pointer.place, span }
      : { root: { root: 'pointer', pointer }, steps: [], type: type.store, span };
  return reference({ place, space: type.space, access: type.access, vectorComponent: false });
}

/** `&reference`. */
export function addressOf(ctx: Context, operand: Operand, span: Span): Operand | null {
  const { ref } = operand;
  if (ref === null || ref.space === 'handle') {
    ctx.report.error('address-of-value', span, []);
    return null;
  }
  if (ref.vectorComponent) {
    ctx.report.error('address-of-component', span, []);
    return null;
  }
  const type = ctx.types.pointer(ref.space, operand.type, ref.access);
  return computed({ op: 'address-of', type, place: ref.place, span });
}

/** The base of an access. Pointers are dereferenced; references stay references. */
export function accessBase(ctx: Context, base: Operand): Operand | null {
  return base.type.kind === 'pointer' ? dereference(ctx, base, base.span) : base;
}

// ── Members and swizzles ─────────────────────────────────────────────────────────────────────

export function resolveMember(ctx: Context, operand: Operand, member: Name, span: Span): Operand | null {
  const base = accessBase(ctx, operand);
  if (base === null) return null;
  switch (base.type.kind) {
    case 'struct':
      return structMember(ctx, base, base.type, member, span);
    case 'vector':
      return swizzle(ctx, base, base.type, member, span);
    default:
      ctx.report.error('no-members', member.span, [], typeName(base.type), member.text);
      return null;
  }
}

function structMember(ctx: Context, base: Operand, type: StructType, member: Name, span: Span): Operand | null {
  const index = type.members.findIndex((candidate) => candidate.name === member.text);
  if (index >= 0) return part(ctx, base, index, type.members[index]!.type, span);
  ctx.report.error(
    'unknown-member',
    member.span,
    suggestion(
      ctx,
      member.text,
      type.members.map((m) => m.name)
    ),
    type.name,
    member.text
  );
  return null;
}

/** Index of the first leaf of part `index` of a constant. */
function leafOffset(type: Type, index: number): number {
  if (type.kind === 'struct')
    return type.members.slice(0, index).reduce((sum, member) => sum + leafCount(member.type), 0);
  return index * leafCount(partType(type)!);
}

/** A part with a known index in range. */
function part(ctx: Context, base: Operand, index: number, type: Type, span: Span): Operand | null {
  if (base.ref !== null) {
    // For a runtime-sized array, whether a constant index is in range depends on the bound buffer.
    const open = base.type.kind === 'array' && base.type.count === null;
    const taken: PlaceStep = open
      ? { step: 'index', index: { op: 'const', type: U32, data: [index], span } }
      : { step: 'member', index };
    return reference(step(base.ref, taken, type, span, base.type.kind === 'vector'));
  }
  if (base.data !== null) {
    if (!ctx.module.spendConstants(leafCount(type), span)) return null;
    const offset = leafOffset(base.type, index);
    return known(span, type, base.data.slice(offset, offset + leafCount(type)), base.stage);
  }
  if (base.stage === Stage.Override) return pendingOverride(span, type);
  return computed({ op: 'member', base: emit(base), index, type, span });
}

function step(ref: Reference, taken: PlaceStep, type: Type, span: Span, vectorComponent: boolean): Reference {
  const place: Place = { root: ref.place.root, steps: [...ref.place.steps, taken], type, span };
  return { place, space: ref.space, access: ref.access, vectorComponent };
}

const COLOR = 'rgba';
const POSITION = 'xyzw';

/** Components that letters select; null if they are invalid for a vector of this size. */
export function componentsOf(letters: string, size: number): number[] | null {
  const set = POSITION.includes(letters.charAt(0)) ? POSITION : COLOR;
  const components = [...letters].map((letter) => set.slice(0, size).indexOf(letter));
  return components.includes(-1) ? null : components;
}

/** A cache of swizzles by letters. There are 680 valid ones. */
const SWIZZLES = new Map<string, readonly number[]>();

function swizzle(ctx: Context, base: Operand, type: VectorType, member: Name, span: Span): Operand | null {
  const letters = member.text;
  const set = POSITION.includes(letters.charAt(0)) ? POSITION : COLOR;
  const components = SWIZZLES.get(letters) ?? [...letters].map((letter) => set.indexOf(letter));
  if (letters.length > 4 || components.includes(-1)) {
    const mixed =
      letters.length <= 4 && [...letters].every((letter) => POSITION.includes(letter) || COLOR.includes(letter));
    ctx.report.error(
      'invalid-swizzle',
      member.span,
      mixed ? [{ message: "'xyzw' and 'rgba' cannot be mixed" }] : [],
      letters
    );
    return null;
  }
  SWIZZLES.set(letters, components);
  const beyond = components.find((component) => component >= type.size);
  if (beyond !== undefined) {
    ctx.report.error('swizzle-range', member.span, [], set.charAt(beyond), typeName(type));
    return null;
  }
  const scalar = scalarType(type.scalar);
  if (components.length === 1) return part(ctx, base, components[0]!, scalar, span);
  return select(base, type, components, vectorType(components.length as Extent, type.scalar), span);
}

/** Several components are always a value, because WGSL has no references to swizzles. */
function select(base: Operand, from: VectorType, components: readonly number[], type: Type, span: Span): Operand {
  if (base.data !== null)
    return known(
      span,
      type,
      components.map((component) => base.data![component]!),
      base.stage
    );
  if (base.ref === null && base.stage === Stage.Override) return pendingOverride(span, type);
  const value: Expr =
    base.ref === null ? emit(base) : { op: 'load', type: from, span: base.span, place: base.ref.place };
  return computed({ op: 'swizzle', base: value, components, type, span });
}

// ── Indexing ─────────────────────────────────────────────────────────────────────────────────

function indexable(type: Type): type is VectorType | MatrixType | ArrayType {
  return type.kind === 'vector' || type.kind === 'matrix' || type.kind === 'array';
}

export function resolveIndex(ctx: Context, operand: Operand, index: Operand, span: Span): Operand | null {
  const base = accessBase(ctx, operand);
  if (base === null) return null;
  if (!indexable(base.type)) {
    ctx.report.error('not-indexable', operand.span, [], typeName(base.type));
    return null;
  }
  if (index.type.kind !== 'scalar' || !isInteger(index.type.scalar)) {
    ctx.report.error('index-type', index.span, [], typeName(index.type));
    return null;
  }
  if (index.data !== null) {
    const value = Number(index.data[0]);
    return checkIndex(ctx, base.type, value, index) ? part(ctx, base, value, partType(base.type)!, span) : null;
  }
  return dynamicPart(ctx, base, index, span);
}

function checkIndex(ctx: Context, type: VectorType | MatrixType | ArrayType, value: number, index: Operand): boolean {
  const count = ctx.module.openArrays.has(type) ? null : partCount(type);
  if (value >= 0 && (count === null || value < count)) return true;
  ctx.report.error(
    'index-out-of-bounds',
    index.span,
    [],
    value,
    count === null ? 'at least 0' : `0 to ${count - 1}`,
    typeName(type)
  );
  return false;
}

function dynamicPart(ctx: Context, base: Operand, index: Operand, span: Span): Operand | null {
  if (base.ref !== null) {
    const type = partType(base.type)!;
    return reference(step(base.ref, { step: 'index', index: emit(index) }, type, span, base.type.kind === 'vector'));
  }
  const value = concretize(ctx, base);
  if (value === null) return null;
  const type = partType(value.type)!;
  if (value.stage !== Stage.Runtime && index.stage !== Stage.Runtime) return pendingOverride(span, type);
  return computed({ op: 'index', base: emit(value), index: emit(index), type, span });
}
