// Variables, constants and overrides at module scope (WGSL §7).

import type { Note } from '../../../base/diagnostics';
import type { GlobalVariable, Override } from '../../hir';
import { rounded } from '../../half';
import type { VariableDeclaration } from '../../syntax';
import { isFloat, isHandle, scalarOf, typeName } from '../../type-store';
import type { AddressSpace, PointerType, Type } from '../../types';
import { resolveAttributes } from './attributes';
import type { Context } from '../context';
import { concretize } from '../convert';
import { constantValue, require, typeExpression } from '../expressions';
import { emit, known, pendingOverride, Stage } from '../operand';
import type { Operand } from '../operand';
import { storeTypeFault } from '../store-types';
import { accessMode, defaultAccess, enumerant } from '../type-expressions';

/** Values that a pipeline gives to overrides, by `@id` or by name; null while a module is only checked. */
export type PipelineConstants = Readonly<Record<string, number>> | null;

const MODULE_SPACES = ['private', 'uniform', 'storage', 'workgroup', 'immediate', 'function'] as const;

// ── const ────────────────────────────────────────────────────────────────────────────────────

export function resolveConst(ctx: Context, node: VariableDeclaration): Operand | null {
  resolveAttributes(ctx, node.attributes, 'constant', "a 'const'");
  const what = `the value of '${node.name.text}'`;
  const type = node.type === null ? null : typeExpression(ctx, node.type);
  const operand = constantValue(ctx, node.init!, what);
  if (operand === null || (node.type !== null && type === null)) return null;
  return type === null ? operand : require(ctx, operand, type, what);
}

// ── override ─────────────────────────────────────────────────────────────────────────────────

interface ResolvedOverride {
  readonly override: Override;
  readonly operand: Operand;
}

export function resolveOverride(
  ctx: Context,
  node: VariableDeclaration,
  constants: PipelineConstants
): ResolvedOverride | null {
  const { id = null } = resolveAttributes(ctx, node.attributes, 'override', "an 'override'");
  const { name } = node;
  const declared = node.type === null ? null : typeExpression(ctx, node.type);
  if (node.type !== null && declared === null) return null;
  const given = constants?.[id === null ? name.text : String(id)];
  const init = node.init === null ? null : overrideDefault(ctx, node, declared);
  if (node.init !== null && init === null) return null;
  const type = declared ?? init?.type ?? null;
  if (type === null) {
    ctx.report.error('override-without-type', name.span, [], name.text);
    return null;
  }
  if (type.kind !== 'scalar') {
    ctx.report.error('override-type', node.type?.span ?? name.span, [], typeName(type));
    return null;
  }
  const override: Override = { name: name.text, id, type, hasDefault: init !== null };
  const operand = overrideValue(ctx, node, type, given, init, constants !== null);
  return operand === null ? null : { override, operand };
}

function overrideDefault(ctx: Context, node: VariableDeclaration, declared: Type | null): Operand | null {
  const what = `the value of '${node.name.text}'`;
  const operand = constantValue(ctx, node.init!, what, Stage.Override);
  if (operand === null) return null;
  return declared === null ? concretize(ctx, operand) : require(ctx, operand, declared, what);
}

function overrideValue(
  ctx: Context,
  node: VariableDeclaration,
  type: Type,
  given: number | undefined,
  init: Operand | null,
  forPipeline: boolean
): Operand | null {
  const { name } = node;
  if (!forPipeline) return pendingOverride(name.span, type);
  if (given !== undefined) {
    const value = pipelineValue(type, given);
    if (value !== null) return known(name.span, type, [value], Stage.Override);
    ctx.report.error('constant-not-representable', name.span, [], String(given), name.text, typeName(type));
    return null;
  }
  if (init !== null) return { ...init, stage: Stage.Override };
  ctx.report.error('override-without-value', name.span, [], name.text);
  return null;
}

/** Converts a pipeline constant as WebGPU specifies ("validating GPUProgrammableStage"); null if it does not fit. */
function pipelineValue(type: Type, given: number): number | null {
  if (scalarOf(type) === 'bool') return Number(given !== 0 && !Number.isNaN(given));
  if (!Number.isFinite(given)) return null;
  if (isFloat(scalarOf(type)!)) {
    const value = rounded(scalarOf(type)!, given);
    return Number.isFinite(value) ? value : null;
  }
  const whole = Math.trunc(given) + 0;
  const [low, high] = scalarOf(type) === 'i32' ? [-0x8000_0000, 0x7fff_ffff] : [0, 0xffff_ffff];
  return whole >= low && whole <= high ? whole : null;
}

// ── var ──────────────────────────────────────────────────────────────────────────────────────

export function resolveGlobalVariable(ctx: Context, node: VariableDeclaration): GlobalVariable | null {
  const { name } = node;
  const attributes = resolveAttributes(ctx, node.attributes, 'variable', "a 'var'");
  const declared = node.type === null ? null : typeExpression(ctx, node.type);
  const init = node.init === null ? null : initializer(ctx, node, declared);
  if ((node.type !== null && declared === null) || (node.init !== null && init === null)) return null;
  const type = declared ?? init?.type ?? null;
  if (type === null) {
    ctx.report.error('var-without-type', name.span, [], name.text);
    return null;
  }
  const space = addressSpace(ctx, node, type);
  if (space === null) return null;
  const access = declaredAccess(ctx, node, space);
  if (access === null) return null;
  const why = storeTypeFault(type, { space, access }, ctx.module.openArrays);
  if (why !== null) {
    ctx.report.error('store-type', node.type?.span ?? name.span, [], typeName(type), space, why);
    return null;
  }
  if (init !== null && space !== 'private') {
    ctx.report.error('initializer-not-allowed', node.init!.span, [], space);
    return null;
  }
  const { group, binding } = attributes;
  const isResource = space === 'uniform' || space === 'storage' || space === 'handle';
  if (isResource && (group === undefined || binding === undefined)) {
    // An invalid @group or @binding was already reported.
    const written = node.attributes.map((attribute) => attribute.name.text);
    if (!written.includes('group') || !written.includes('binding'))
      ctx.report.error('missing-binding', name.span, [], name.text);
    return null;
  }
  if (!isResource && node.attributes.length > 0)
    ctx.report.error('binding-not-allowed', node.attributes[0]!.span, [], space);
  return {
    name: name.text,
    space,
    type,
    access,
    binding: isResource ? { group: group!, binding: binding! } : null,
    initializer: init === null ? null : emit(init),
    span: name.span,
  };
}

function initializer(ctx: Context, node: VariableDeclaration, declared: Type | null): Operand | null {
  const what = `the initial value of '${node.name.text}'`;
  const operand = constantValue(ctx, node.init!, what, Stage.Override);
  if (operand === null) return null;
  return declared === null ? concretize(ctx, operand) : require(ctx, operand, declared, what);
}

function addressSpace(ctx: Context, node: VariableDeclaration, type: Type): AddressSpace | null {
  const [word] = node.template ?? [];
  if (word !== undefined) {
    const space = enumerant(ctx, word, 'an address space', MODULE_SPACES);
    if (space !== 'function') return space;
    ctx.report.error('function-space-at-module-scope', word.span, []);
    return null;
  }
  if (isHandle(type)) return 'handle';
  const notes: Note[] = [
    { message: 'write var<private>, var<uniform>, var<storage>, var<workgroup> or var<immediate>' },
  ];
  ctx.report.error('missing-address-space', node.name.span, notes, node.name.text);
  return null;
}

function declaredAccess(ctx: Context, node: VariableDeclaration, space: AddressSpace): PointerType['access'] | null {
  const [, word, extra] = node.template ?? [];
  if (word === undefined) return defaultAccess(space);
  if (extra === undefined) return accessMode(ctx, word, space);
  ctx.report.error('template-count', extra.span, [], 'var', '1 to 2', node.template!.length);
  return null;
}
