// What the renderer asks of a program's body, apart from its code. Each question is answered once per program. Programs
// from the shader cache come with the answers, so that they need no body (program-records.ts).
import {
  accessUse,
  combinableBuffers,
  costOf,
  countNodes,
  exposesRunOrder,
  hasLoop,
  maxOperations,
  quadOrder,
  readsOtherLanes,
  shaderDepthTest,
  streamedReads,
  type IrProgram,
} from '../../ir';
import { changesOrStays, ordersInvocations } from '../compute/invocation-order';

const ANALYSES = {
  accessUse: (program: IrProgram) => accessUse(program),
  readsOtherLanes,
  quadOrder: (program: IrProgram) => quadOrder(program),
  exposesRunOrder: (program: IrProgram) => exposesRunOrder(program),
  streamedReads: (program: IrProgram) => streamedReads(program),
  hasLoop: (program: IrProgram) => hasLoop(program.body),
  /** Rough cost of an invocation, in simple operations. */
  cost: (program: IrProgram) => costOf(program.body),
  maxOperations: (program: IrProgram) => maxOperations(program),
  /** The shader's own depth test in pipelines with one sample per pixel, and with several. */
  singleDepthTest: (program: IrProgram) => shaderDepthTest(program, true),
  depthTest: (program: IrProgram) => shaderDepthTest(program, false),
  /** Compute programs. */
  nodes: (program: IrProgram) => countNodes(program.body),
  ordersInvocations: (program: IrProgram) => ordersInvocations(program, () => true),
  ordersWorkgroups: (program: IrProgram) =>
    ordersInvocations(program, (resource) => program.resources[resource]!.kind !== 'workgroup'),
  changesOrStays,
  combinableBuffers: (program: IrProgram) => combinableBuffers(program),
  keptRegisters: ({ arrays }: IrProgram) => arrays.reduce((sum, { kept, length }) => sum + (kept ? length : 0), 0),
} as const;
type Facts = { readonly [Name in keyof typeof ANALYSES]: ReturnType<(typeof ANALYSES)[Name]> };
type FactName = keyof Facts;

const known = new WeakMap<IrProgram, Map<string, unknown>>();

function factsOf(program: IrProgram): Map<string, unknown> {
  let facts = known.get(program);
  if (facts === undefined) known.set(program, (facts = new Map()));
  return facts;
}

export function fact<N extends FactName>(program: IrProgram, name: N): Facts[N] {
  const facts = factsOf(program);
  if (!facts.has(name)) facts.set(name, ANALYSES[name](program));
  return facts.get(name) as Facts[N];
}

/** All facts about a program. */
export const allFacts = (program: IrProgram): ReadonlyMap<string, unknown> =>
  new Map((Object.keys(ANALYSES) as FactName[]).map((name) => [name, fact(program, name)]));

/** Says what was found for an equal program. */
export function giveFacts(program: IrProgram, facts: ReadonlyMap<string, unknown>): void {
  known.set(program, new Map(facts));
}
