// `dispatchSamples` in fragment stages, an extension to the specification: results for all render targets, and the mask
// of samples that receive them. The results are an entry point's outputs, as if it returned them.

import type { InterfaceVariable } from '../hir';
import type { FunctionDeclaration } from '../syntax';
import { typeName } from '../type-store';
import type { Context, Emission } from './context';
import { addMembers, checkVariable, type Side } from './declarations/interface';

const TAKEN_NOTE = { message: "pass the results to 'dispatchSamples'" };

/** The outputs of an entry point that reaches these calls. */
export function dispatchedOutputs(
  ctx: Context,
  { name: { text }, returnType }: FunctionDeclaration,
  dispatches: readonly Emission[]
): readonly InterfaceVariable[] {
  const [first] = dispatches as readonly [Emission, ...Emission[]];
  if (returnType !== null) {
    ctx.report.error('dispatch-with-result', returnType.span, [TAKEN_NOTE], text);
    return [];
  }
  const other = dispatches.find(({ type }) => type !== first.type);
  if (other !== undefined) {
    const notes = [{ message: 'the first is here', span: first.span }];
    ctx.report.error('dispatched-types', other.span, notes, text, typeName(first.type), typeName(other.type));
  }
  return resultsOf(ctx, first);
}

function resultsOf(ctx: Context, { type, span }: Emission): readonly InterfaceVariable[] {
  const side: Side = { stage: 'fragment', direction: 'output', variables: [], seen: new Map() };
  if (type.kind !== 'struct') {
    const color: InterfaceVariable = { name: 'results', type, io: { location: 0 }, parameter: -1, member: -1 };
    if (checkVariable(ctx, color, span, side)) side.variables.push(color);
    return side.variables;
  }
  addMembers(ctx, { name: type.name, type, attributes: [], span, parameter: -1 }, type, side);
  for (const { name, io } of side.variables) {
    const help =
      io.builtin === 'sample_mask'
        ? 'the first argument is the mask'
        : io.link !== undefined
          ? 'only an earlier stage can output links, and it returns them'
          : null;
    if (help !== null) ctx.report.error('dispatched-member', span, [{ message: help }], name);
  }
  return side.variables;
}
