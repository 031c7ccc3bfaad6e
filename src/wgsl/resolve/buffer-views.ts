// `bufferView` and `bufferArrayView` (language extension buffer_view): pointers into a buffer's bytes with the type
// that the call specifies.

import { alignOf, isHostShareable, sizeOf } from '../layout';
import type { Name, Span } from '../syntax';
import { containsAtomic, containsRuntimeArray, scalarOf, typeName } from '../type-store';
import type { BufferType, Type } from '../types';
import { builtinExpression, noteBuiltin, reportNoOverload } from './builtins';
import type { Context } from './context';
import { concretize } from './convert';
import type { Operand } from './operand';

const CANDIDATES: Readonly<Record<string, string>> = {
  bufferView: 'bufferView<T>(ptr<S, buffer, A>, offset: I) -> ptr<S, T, A>, I is i32 or u32',
  bufferArrayView: 'bufferArrayView<T>(ptr<S, buffer, A>, offset: I, size: J) -> ptr<S, T, A>, I and J are i32 or u32',
};

interface Shown {
  readonly type: Type;
  readonly span: Span;
}

export function resolveBufferView(
  ctx: Context,
  name: Name,
  shown: Shown,
  args: readonly Operand[],
  span: Span
): Operand | null {
  const [base, ...numbers] = args;
  const pointer = base?.type;
  const fits =
    numbers.length === (name.text === 'bufferView' ? 1 : 2)
    && pointer?.kind === 'pointer'
    && pointer.store.kind === 'buffer'
    && numbers.every(({ type }) => isOffset(type));
  if (!fits) return reportNoOverload(ctx, name, args, [CANDIDATES[name.text]!]);
  if (!checkType(ctx, name.text, shown)) return null;
  const [offset, size] = numbers.map((number) => concretize(ctx, number));
  if (offset === null || offset === undefined || size === null) return null;
  if (!checkRange(ctx, { name: name.text, type: shown.type, buffer: pointer.store as BufferType }, offset, size))
    return null;
  noteBuiltin(ctx, name);
  const type = ctx.types.pointer(pointer.space, shown.type, pointer.access);
  return builtinExpression(name.text, type, [base!, offset, ...(size === undefined ? [] : [size])], span);
}

const isOffset = (type: Type): boolean =>
  type.kind === 'scalar' && ['i32', 'u32', 'abstract-int'].includes(scalarOf(type)!);

function checkType(ctx: Context, name: string, { type, span }: Shown): boolean {
  const refuse = (why: string): boolean => {
    ctx.report.error('view-type', span, [], name, typeName(type), why);
    return false;
  };
  if (type.kind === 'buffer') return refuse('it is a buffer itself');
  if (!isHostShareable(type)) return refuse('it is not host-shareable (bool, pointers and handles are not)');
  if (ctx.module.openArrays.has(type)) return refuse('its count is an override');
  if (containsAtomic(type)) return refuse('it contains an atomic');
  if (name === 'bufferArrayView' && !containsRuntimeArray(type)) return refuse('it has no runtime-sized array');
  return true;
}

interface View {
  readonly name: string;
  readonly type: Type;
  readonly buffer: BufferType;
}

/** Checks with known numbers that the view is aligned and, if the size of the buffer is known, inside it. */
function checkRange(ctx: Context, { name, type, buffer }: View, offset: Operand, size?: Operand): boolean {
  const refuse = (span: Span, what: string): boolean => {
    ctx.report.error('view-range', span, [], name, what);
    return false;
  };
  const align = alignOf(type);
  const least = sizeOf(type);
  const from = known(offset);
  const bytes = size && known(size);
  if (from !== undefined && from < 0) return refuse(offset.span, `the offset ${from} is negative`);
  if (from !== undefined && from % align !== 0)
    return refuse(offset.span, `the offset ${from} is not a multiple of ${align}, the alignment of ${typeName(type)}`);
  if (size !== undefined && bytes !== undefined) {
    if (bytes < least)
      return refuse(size.span, `${bytes} bytes are too few for ${typeName(type)}, which takes at least ${least}`);
    const last = type.kind === 'struct' ? type.members[type.members.length - 1]! : { offset: 0, type };
    const stride = last.type.kind === 'array' ? last.type.stride : 1;
    if ((bytes - last.offset) % stride !== 0)
      return refuse(size.span, `${bytes} bytes do not hold a whole number of elements of ${stride} bytes`);
  }
  const end = (from ?? 0) + Math.max(bytes ?? 0, least);
  if (buffer.size === null || end <= buffer.size) return true;
  return refuse(offset.span, `${typeName(type)} ends at byte ${end} of a buffer of ${buffer.size}`);
}

/** The value of a number that is not a run-time value; undefined if overrides have no values yet. */
const known = ({ data }: Operand): number | undefined => (data === null ? undefined : Number(data[0]));
