// Struct declarations (WGSL §6.2.10, §14.4.2): members, their attributes, and the layout.

import { alignOf, isHostShareable, layOutStruct, sizeOf } from '../../layout';
import type { UnplacedMember } from '../../layout';
import type { MemberDeclaration, Span, StructDeclaration } from '../../syntax';
import { containsAtomic, containsRuntimeArray, isConstructible, typeName } from '../../type-store';
import type { StructType, Type } from '../../types';
import { ioAttributes, hasBrokenIoAttribute, resolveAttributes } from './attributes';
import type { AttributeValues } from './attributes';
import type { Context } from '../context';
import { typeExpression } from '../expressions';
import { checkIoType } from './interface';
import { canNest } from '../type-expressions';

/** WGSL §2.4. */
const MAX_MEMBERS = 1023;

/** Returns null if a member is unusable; the mistakes have been reported. */
export function resolveStruct(ctx: Context, node: StructDeclaration): StructType | null {
  if (node.members.length > MAX_MEMBERS) {
    ctx.report.error('too-many-members', node.name.span, [], node.name.text, MAX_MEMBERS);
    return null;
  }
  const seen = new Map<string, Span>();
  const members: UnplacedMember[] = [];
  node.members.forEach((member, i) => {
    const { name } = member;
    const earlier = seen.get(name.text);
    if (earlier !== undefined)
      ctx.report.error('duplicate-member', name.span, [{ message: 'first declared here', span: earlier }], name.text);
    seen.set(name.text, earlier ?? name.span);
    const placed = resolveMemberDeclaration(ctx, member, i === node.members.length - 1);
    if (placed !== null) members.push(placed);
  });
  if (members.length !== node.members.length || members.length === 0) return null;
  checkSources(ctx, node, members);
  return layOutStruct(node.name.text, members);
}

/**
 * For dual-source blending, a struct must have exactly two outputs: both sources, at location 0, with one type (WGSL
 * §12.1.3).
 */
function checkSources(ctx: Context, node: StructDeclaration, members: readonly UnplacedMember[]): void {
  const located = members.filter(({ io }) => io.location !== undefined);
  const [first, second] = located;
  const source = members.findIndex(({ io }) => io.blendSrc !== undefined);
  // A source without location 0 was already reported.
  if (source < 0 || members.some(({ io }) => io.blendSrc !== undefined && io.location !== 0)) return;
  const sources = [first?.io.blendSrc, second?.io.blendSrc];
  const isPair = located.length === 2 && first!.type === second!.type && sources.includes(0) && sources.includes(1);
  if (!isPair)
    ctx.report.error('blend-src-pair', attributeSpan(node.members[source]!, 'blend_src'), [], node.name.text);
}

function resolveMemberDeclaration(ctx: Context, node: MemberDeclaration, isLast: boolean): UnplacedMember | null {
  const values = resolveAttributes(ctx, node.attributes, 'member', 'a struct member');
  const type = typeExpression(ctx, node.type);
  if (type === null || hasBrokenIoAttribute(node.attributes, values) || !canNest(ctx, type, node.type.span))
    return null;
  const runtimeSized = type.kind === 'array' && type.count === null;
  const usable = isConstructible(type) || containsAtomic(type) || runtimeSized;
  if (!usable || ctx.module.openArrays.has(type)) {
    ctx.report.error('member-type', node.type.span, [], typeName(type));
    return null;
  }
  if (containsRuntimeArray(type) && !(runtimeSized && isLast)) {
    ctx.report.error('runtime-array-not-last', node.type.span, []);
    return null;
  }
  checkPlacement(ctx, node, type, values);
  const { location, builtin, color, link } = values;
  if (values.interpolation !== undefined && location === undefined && (builtin ?? color ?? link) === undefined) {
    ctx.report.error('interpolate-without-location', attributeSpan(node, 'interpolate'), [], node.name.text);
    return null;
  }
  if (values.blendSrc !== undefined && values.location !== 0)
    ctx.report.error('blend-src-without-location', attributeSpan(node, 'blend_src'), [], node.name.text);
  const io = ioAttributes(values);
  if (!checkIoType(ctx, node.name.text, type, io, node.type.span)) return null;
  return { name: node.name.text, type, io, align: values.align ?? null, size: values.size ?? null };
}

function attributeSpan(node: MemberDeclaration, name: string): Span {
  return node.attributes.find((attribute) => attribute.name.text === name)!.span;
}

function checkPlacement(ctx: Context, node: MemberDeclaration, type: Type, { align, size }: AttributeValues): void {
  if (align === undefined && size === undefined) return;
  if (!isHostShareable(type)) return;
  if (align !== undefined && ((align & (align - 1)) !== 0 || align % alignOf(type) !== 0)) {
    ctx.report.error('member-align', attributeSpan(node, 'align'), [], align, alignOf(type), typeName(type));
  }
  if (size !== undefined && containsRuntimeArray(type))
    ctx.report.error('member-size-open', attributeSpan(node, 'size'), []);
  else if (size !== undefined && size < sizeOf(type)) {
    ctx.report.error('member-size', attributeSpan(node, 'size'), [], size, sizeOf(type), typeName(type));
  }
}
