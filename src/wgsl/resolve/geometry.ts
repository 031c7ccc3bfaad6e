// The interface of stages that take primitives, an extension to the specification. The inputs are the corners of a
// primitive as the previous stage wrote them. A geometry stage emits its vertices one by one. A tessellation stage
// returns its outputs, as vertex stages do. A primitive stage returns what happens to the primitive.

import type { InterfaceVariable } from '../hir';
import type { FunctionDeclaration, Span } from '../syntax';
import { typeName, VOID } from '../type-store';
import type { StructType, Type } from '../types';
import type { Context, Emission } from './context';
import { addItem, addMembers, addResult, type EntryInterface, type Item, type Side } from './declarations/interface';

/** Points, lines and triangles; lines and triangles with adjacency. */
const CORNER_COUNTS: ReadonlySet<number | null> = new Set([1, 2, 3, 4, 6]);
const COUNTS_NOTE = {
  message: '1 for points, 2 for lines, 3 for triangles, 4 for lines with adjacency, 6 for triangles with adjacency',
};
const PATCH_NOTE = { message: "for four of them: 'p: array<V, 4>', where V is a struct of @location members" };
const CORNERS_NOTE = { message: "for triangles: 'v: array<V, 3>', where V is a struct of @location members" };

/** Maximum number of control points of a patch. */
export const MAX_CONTROL_POINTS = 32;
const POINTS_NOTE = { message: `patches have 1 to ${MAX_CONTROL_POINTS} control points` };
const RESULT_NOTE = { message: "for example '-> @builtin(cull_primitive) bool', true to drop the primitive" };

type PrimitiveStage = 'geometry' | 'primitive' | 'tess_control' | 'tess_evaluation';

/** Parameters of an entry point that are known so far. */
class Parameters {
  /** Excludes corners, because locations of the patch are separate. */
  readonly side: Side;
  private readonly cornerSide: Side;
  corners = 0;
  cornersParameter = -1;
  /** Span of the parameter for the corners, whether valid or not. */
  private cornersAt: Span | null = null;
  /** Whether a parameter has locations but is not an array; it may be meant for the corners. */
  private isMisplaced = false;

  constructor(
    private readonly ctx: Context,
    private readonly entry: string,
    private readonly stage: PrimitiveStage
  ) {
    this.side = { stage, direction: 'input', variables: [], seen: new Map() };
    this.cornerSide = { ...this.side, variables: [], seen: new Map() };
  }

  add(item: Item): void {
    if (item.type.kind === 'array') this.addCorners(item, item.type.element, item.type.count);
    else if (this.stage !== 'tess_evaluation' && hasLocation(item)) {
      this.isMisplaced = true;
      this.ctx.report.error('location-outside-corners', item.span, [CORNERS_NOTE], item.name);
    } else addItem(this.ctx, item, this.side);
  }

  get found(): Omit<EntryInterface, 'outputs'> {
    const { corners, cornersParameter } = this;
    const inputs = [...this.cornerSide.variables, ...this.side.variables];
    return { inputs: inputs.sort((a, b) => a.parameter - b.parameter), corners, cornersParameter };
  }

  get needsCorners(): boolean {
    return this.cornersAt === null && !this.isMisplaced;
  }

  private addCorners(item: Item, element: Type, count: number | null): void {
    const { report } = this.ctx;
    const {
      name,
      span,
      attributes: [attribute],
    } = item;
    const first = this.cornersAt;
    this.cornersAt = span;
    if (first !== null)
      report.error('corners-twice', span, [{ message: 'the first is here', span: first }], this.stage, this.entry);
    else if (element.kind !== 'struct') report.error('corners-type', span, [], name, typeName(item.type));
    else if (!this.hasCornerCount(count))
      report.error('corners-count', span, [isPatchStage(this.stage) ? POINTS_NOTE : COUNTS_NOTE], name, count!);
    else if (attribute !== undefined) report.error('io-attribute-on-struct', attribute.span, [], attribute.name.text);
    else {
      this.corners = count!;
      this.cornersParameter = item.parameter;
      const builtin = element.members.find(({ io }) => io.builtin !== undefined && io.location === undefined);
      if (builtin === undefined) addMembers(this.ctx, item, element, this.cornerSide);
      else this.refuseBuiltin(`${name}.${builtin.name}`, builtin.io.builtin!, span);
    }
  }

  private hasCornerCount(count: number | null): boolean {
    return isPatchStage(this.stage)
      ? count !== null && count >= 1 && count <= MAX_CONTROL_POINTS
      : CORNER_COUNTS.has(count);
  }

  private refuseBuiltin(name: string, builtin: string, span: Span): void {
    const isGiven = builtin === 'position' || builtin === 'shading_rate';
    const help = isGiven ? 'give it a @location, in both stages' : 'make it a parameter of its own';
    this.ctx.report.error('corner-builtin', span, [{ message: help }], name, builtin);
  }
}

function hasLocation({ type, attributes }: Item): boolean {
  return type.kind === 'struct'
    ? type.members.some(({ io }) => io.location !== undefined)
    : attributes.some(({ name }) => name.text === 'location');
}

/**
 * Checks the inputs, and that nothing is returned. The outputs are known after all calls have been resolved (see
 * `Emitted`).
 */
export function resolveGeometryInterface(
  ctx: Context,
  node: FunctionDeclaration,
  types: readonly (Type | null)[]
): EntryInterface {
  const {
    name: { text },
    returnType,
  } = node;
  const parameters = parametersOf(ctx, node, 'geometry', types);
  if (returnType !== null)
    ctx.report.error('geometry-with-result', returnType.span, [{ message: "'emitVertex' takes each vertex" }], text);
  return { ...parameters.found, outputs: [] };
}

function parametersOf(
  ctx: Context,
  { name: { text, span }, parameters: nodes }: FunctionDeclaration,
  stage: PrimitiveStage,
  types: readonly (Type | null)[]
): Parameters {
  const parameters = new Parameters(ctx, text, stage);
  nodes.forEach(({ name, attributes }, parameter) => {
    const type = types[parameter]!;
    if (type !== null) parameters.add({ name: name.text, type, attributes, span: name.span, parameter });
  });
  if (parameters.needsCorners && !types.includes(null)) {
    if (isPatchStage(stage)) ctx.report.error('patch-without-points', span, [PATCH_NOTE], stage, text);
    else ctx.report.error('without-corners', span, [CORNERS_NOTE], stage, text);
  }
  return parameters;
}

/**
 * Resolves and checks the interface of a tessellation stage. Both kinds of stages take the control points. The control
 * stage returns levels and values of the patch. The evaluation stage receives these values as parameters with locations
 * outside the array, and returns vertices.
 */
export function resolvePatchInterface(
  ctx: Context,
  node: FunctionDeclaration,
  stage: 'tess_control' | 'tess_evaluation',
  types: readonly (Type | null)[],
  result: Type | null
): EntryInterface {
  const parameters = parametersOf(ctx, node, stage, types);
  const outputs = addResult(ctx, node, stage, result);
  // A level with a wrong type counts as present, so that one mistake causes one message.
  const given = result?.kind === 'struct' ? result.members : outputs;
  const missing = (['tess_outer', 'tess_inner'] as const).find(
    (builtin) => stage === 'tess_control' && !given.some(({ io }) => io.builtin === builtin)
  );
  if (missing && result !== null) {
    const type = missing === 'tess_outer' ? 'vec4f' : 'vec2f';
    ctx.report.error(
      'control-without-level',
      node.name.span,
      [{ message: `its type is ${type} for every domain` }],
      node.name.text,
      missing
    );
  }
  return { ...parameters.found, outputs };
}

const isPatchStage = (stage: PrimitiveStage): boolean => stage === 'tess_control' || stage === 'tess_evaluation';

/** Checks the inputs of a primitive stage, and that it returns what happens to the primitive. */
export function resolvePrimitiveInterface(
  ctx: Context,
  node: FunctionDeclaration,
  types: readonly (Type | null)[],
  result: Type | null
): EntryInterface {
  const {
    name: { text, span },
    returnType,
    returnAttributes: attributes,
  } = node;
  const parameters = parametersOf(ctx, node, 'primitive', types);
  const output: Side = { stage: 'primitive', direction: 'output', variables: [], seen: new Map() };
  if (returnType === null || result === VOID) ctx.report.error('primitive-without-result', span, [RESULT_NOTE], text);
  else if (result !== null)
    addItem(ctx, { name: 'result', type: result, attributes, span: returnType.span, parameter: -1 }, output);
  return { ...parameters.found, outputs: output.variables };
}

/** What geometry entry points emit. */
export class Emitted {
  /** Each struct is checked once. */
  private readonly structs = new Map<StructType, readonly InterfaceVariable[]>();
  /** Whether the module has no errors so far. After an error, an emission may be missing because of it. */
  private readonly isWhole: boolean;

  constructor(
    private readonly ctx: Context,
    syntaxIsBroken: boolean
  ) {
    this.isWhole = !syntaxIsBroken && !ctx.report.hasErrors;
  }

  /** The outputs of an entry point that reaches these emissions. */
  outputs({ name: { text, span } }: FunctionDeclaration, emissions: readonly Emission[]): readonly InterfaceVariable[] {
    const [first] = emissions;
    if (first === undefined) {
      const notes = [{ message: "'emitVertex' takes each vertex" }];
      if (this.isWhole) this.ctx.report.error('geometry-without-emit', span, notes, text);
      return [];
    }
    const other = emissions.find(({ type }) => type !== first.type);
    if (other !== undefined) {
      const notes = [{ message: 'the first is here', span: first.span }];
      this.ctx.report.error('emitted-types', other.span, notes, text, typeName(first.type), typeName(other.type));
    }
    return first.type.kind === 'struct' ? this.members(first.type, first.span) : [];
  }

  private members(type: StructType, span: Span): readonly InterfaceVariable[] {
    const known = this.structs.get(type);
    if (known !== undefined) return known;
    const side: Side = { stage: 'geometry', direction: 'output', variables: [], seen: new Map() };
    addMembers(this.ctx, { name: type.name, type, attributes: [], span, parameter: -1 }, type, side);
    this.structs.set(type, side.variables);
    return side.variables;
  }
}
