// Resolves functions: first their signatures with attributes and interfaces, later their bodies (WGSL §11).

import { assert } from '../../../base/assert';
import type { EntryPoint, FunctionDef } from '../../hir';
import type { Attribute, FunctionDeclaration, Name } from '../../syntax';
import { containsRuntimeArray, isConstructible, isHandle, typeName, VOID } from '../../type-store';
import type { Type } from '../../types';
import { resolveAttributes, type AttributeValues } from './attributes';
import { Behavior } from '../statements/behavior';
import { Context, FunctionFacts, Scope } from '../context';
import type { ModuleServices, Signature } from '../context';
import { typeExpression } from '../expressions';
import { resolveGeometryInterface, resolvePatchInterface, resolvePrimitiveInterface } from '../geometry';
import { checkEarlyTests, refuseInterface, resolveInterface } from './interface';
import type { EntryInterface } from './interface';
import { at, computed } from '../operand';
import { StatementResolver } from '../statements/statements';

/** A function with a resolved signature. Types with errors are null. */
export interface FunctionRecord {
  readonly declaration: FunctionDeclaration;
  readonly parameters: readonly (Type | null)[];
  readonly result: Type | null;
  readonly stage: EntryPoint['stage'] | null;
  readonly interface: EntryInterface | null;
  readonly testsEarly: boolean;
  readonly workgroupSize: readonly (number | null)[];
  readonly subgroupSize: number | null;
  facts: FunctionFacts;
  def: FunctionDef | null;
}

/** WGSL §2.4. */
const MAX_PARAMETERS = 255;

/**
 * Resolves the signature of a function and adds the function to `functions`. Returns null if the type of a parameter or
 * of the result has an error.
 */
export function resolveSignature(
  ctx: Context,
  node: FunctionDeclaration,
  functions: FunctionRecord[]
): Signature | null {
  const attributes = resolveAttributes(ctx, node.attributes, 'function', 'a function');
  ctx.module.severities.note(node.attributes, node.span);
  const single = checkStageAttributes(ctx, node, attributes);
  const stage = single ? (attributes.stage ?? null) : null;
  const beyond = node.parameters[MAX_PARAMETERS];
  if (beyond !== undefined)
    ctx.report.error('too-many-parameters', beyond.name.span, [], node.name.text, MAX_PARAMETERS);
  const parameters = node.parameters.map((parameter) => parameterType(ctx, parameter.type, stage !== null));
  const result = node.returnType === null ? VOID : resultType(ctx, node.returnType);
  if (attributes.mustUse === true && node.returnType === null) {
    ctx.report.error('must-use-without-result', node.name.span, [], node.name.text);
  }
  const io =
    stage === null
      ? null
      : stage === 'geometry'
        ? resolveGeometryInterface(ctx, node, parameters)
        : stage === 'primitive'
          ? resolvePrimitiveInterface(ctx, node, parameters, result)
          : stage === 'tess_control' || stage === 'tess_evaluation'
            ? resolvePatchInterface(ctx, node, stage, parameters, result)
            : resolveInterface(ctx, node, stage, parameters, result);
  if (stage === null && single) refuseInterface(ctx, node);
  const testsEarly = attributes.testsEarly === true;
  if (testsEarly) checkEarlyTests(ctx, node, stage, io);
  const index = functions.length;
  const facts = new FunctionFacts(node.name.text, result);
  const { workgroupSize = [], subgroupSize = null } = attributes;
  functions.push({
    declaration: node,
    parameters,
    result,
    stage,
    interface: io,
    testsEarly,
    workgroupSize,
    subgroupSize,
    facts,
    def: null,
  });
  if (result === null || parameters.includes(null)) return null;
  return {
    name: node.name.text,
    index,
    declaration: node,
    parameters: parameters as Type[],
    result,
    isEntryPoint: stage !== null,
    mustUse: attributes.mustUse === true,
  };
}

/** Returns false if a function has attributes of two stages. */
function checkStageAttributes(ctx: Context, node: FunctionDeclaration, { stage }: AttributeValues): boolean {
  const written = (names: readonly string[]): Attribute[] =>
    node.attributes.filter(({ name }) => names.includes(name.text));
  const [first, second] = written([
    'vertex',
    'geometry',
    'primitive',
    'tess_control',
    'tess_evaluation',
    'fragment',
    'compute',
  ]);
  const [size] = written(['workgroup_size']);
  if (first !== undefined && second !== undefined && first.name.text !== second.name.text) {
    ctx.report.error('two-stages', second.span, [], node.name.text);
    return false;
  }
  if (stage === 'compute' && size === undefined)
    ctx.report.error('missing-workgroup-size', node.name.span, [], node.name.text);
  if (stage !== 'compute' && size !== undefined) {
    ctx.report.error(
      'attribute-not-allowed',
      size.span,
      [],
      'workgroup_size',
      'a function that is no compute entry point'
    );
  }
  const [subgroup] = written(['subgroup_size']);
  if (stage !== 'compute' && subgroup !== undefined)
    ctx.report.error(
      'attribute-not-allowed',
      subgroup.span,
      [],
      'subgroup_size',
      'a function that is no compute entry point'
    );
  return true;
}

function parameterType(
  ctx: Context,
  node: FunctionDeclaration['parameters'][number]['type'],
  isEntryPoint: boolean
): Type | null {
  const type = typeExpression(ctx, node);
  if (type === null) return null;
  const usable = isConstructible(type) || (!isEntryPoint && (type.kind === 'pointer' || isHandle(type)));
  if (usable && !ctx.module.openArrays.has(type)) return type;
  ctx.report.error(
    'type-not-allowed',
    node.span,
    [],
    typeName(type),
    isEntryPoint ? "an entry point's parameter" : 'a parameter'
  );
  return null;
}

function resultType(ctx: Context, node: NonNullable<FunctionDeclaration['returnType']>): Type | null {
  const type = typeExpression(ctx, node);
  if (type === null) return null;
  if (isConstructible(type) && !ctx.module.openArrays.has(type)) return type;
  ctx.report.error(
    'type-not-allowed',
    node.span,
    [],
    typeName(type),
    containsRuntimeArray(type) ? 'a result (its size is not fixed)' : 'a result'
  );
  return null;
}

/** Resolves the body of a function whose signature is resolved. */
export function resolveBody(module: ModuleServices, record: FunctionRecord): void {
  const { declaration: node, parameters, facts } = record;
  const ctx = new Context(module, facts, new Scope(null));
  const resolver = new StatementResolver(ctx, facts);
  node.parameters.forEach((parameter, i) => declareParameter(resolver, facts, parameter.name, parameters[i]!));
  resolver.checkAttributes(node.body.attributes, node.body.span);
  const { stmts, behavior } = resolver.sequence(node.body.body);
  const { result } = record;
  // If a statement of the function did not parse, it may have been the return.
  if (result !== null && result !== VOID && (behavior & Behavior.Next) !== 0 && !module.syntaxIsBroken) {
    module.report.error('missing-return', node.name.span, [], node.name.text, typeName(result));
  }
  record.def = {
    name: node.name.text,
    locals: facts.locals,
    parameterCount: parameters.length,
    returnType: result ?? VOID,
    body: stmts,
    unreachable: facts.unreachable,
    span: node.name.span,
  };
}

function declareParameter(resolver: StatementResolver, facts: FunctionFacts, name: Name, type: Type | null): void {
  const local = facts.addLocal({ name: name.text, type: type ?? VOID, kind: 'parameter' });
  if (type === null) resolver.declare(name, { kind: 'broken' });
  else
    resolver.declare(name, {
      kind: 'value',
      operand: at(computed({ op: 'local', local, type, span: name.span }), name.span),
      declared: name.span,
    });
}

/** The functions as the HIR contains them, after all bodies have been resolved. */
export function definitionsOf(functions: readonly FunctionRecord[]): FunctionDef[] {
  return functions.map(({ def }) => {
    assert(def !== null, 'wgsl: a function without a body');
    return def;
  });
}
