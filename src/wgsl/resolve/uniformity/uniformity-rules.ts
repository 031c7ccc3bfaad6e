// The rules that the uniformity analysis (uniformity.ts) enforces: which inputs are uniform, which operations require
// uniform control flow, and the messages about those that may run in non-uniform control flow (WGSL §15.2).

import type { Note, Span } from '../../../base/diagnostics';
import type { EntryPoint, FunctionDef, GlobalVariable } from '../../hir';
import type { Reporter } from '../../messages';
import type { Severities } from '../severity';
import type { Meter } from './uniformity-state';

/** Why a value may differ between invocations. */
export interface Cause {
  readonly purpose: string;
  readonly span: Span;
  /** An input of the entry point. Its span is the place where it is read. */
  readonly isInput?: true;
}
/** Why control flow is not uniform: some invocations may have branched at this condition. */
interface Parting {
  readonly cause: Cause;
  readonly condition: Span;
}
export type Value = Cause | null;
export type Control = Parting | null;

export interface UniformityCheck {
  readonly functions: readonly FunctionDef[];
  readonly globals: readonly GlobalVariable[];
  readonly report: Reporter;
  readonly severities: Severities;
  /** Shared by all entry points of a module. */
  readonly meter: Meter;
}

export const DERIVATIVE_UNIFORMITY = 'derivative_uniformity';
export const SUBGROUP_UNIFORMITY = 'subgroup_uniformity';
/** Operations that wait for the whole workgroup. */
export const isBarrier = (name: string): boolean => /Barrier$|^workgroupUniformLoad$/.test(name);
/** Operations that need derivatives. */
export const isDerivative = (name: string): boolean => /^(dpd[xy]|fwidth|textureSample(Bias|Compare)?$)/.test(name);

/** The group of invocations for which uniformity is required. `workgroup` also stands for all pixels of a draw call. */
export type UniformityScope = 'workgroup' | 'subgroup';

const UNIFORM_BUILTINS: ReadonlySet<string> = new Set([
  'workgroup_id',
  'workgroup_index',
  'num_workgroups',
  'subgroup_size',
  'num_subgroups',
]);
/** In a fragment shader, subgroup_size may differ between subgroups. */
export const isUniformInput = (
  builtin: string | undefined,
  stage: EntryPoint['stage'],
  scope: UniformityScope
): boolean =>
  (builtin === 'subgroup_id' && scope === 'subgroup')
  || (UNIFORM_BUILTINS.has(builtin ?? '') && (builtin !== 'subgroup_size' || stage === 'compute'));

/** Operations that return the same value to all invocations of a subgroup that execute them. */
export const isSame = (name: string): boolean =>
  /^subgroup(Add|Mul|Min|Max|And|Or|Xor|All|Any|Ballot|Broadcast(First)?)$/.test(name);

/**
 * Reports a subgroup operation outside uniform control flow, or one whose mask or delta may differ between invocations
 * because of `cause`.
 */
export function reportSubgroup(
  { report, severities }: UniformityCheck,
  control: Control,
  name: string,
  span: Span,
  cause: Value
): void {
  const severity = severities.at(SUBGROUP_UNIFORMITY, span);
  const code = control === null ? 'subgroup-argument-not-uniform' : 'subgroup-not-uniform';
  if ((control !== null || cause !== null) && severity !== 'off' && !report.wasReported(code, span.start)) {
    const way = [{ message: "'diagnostic(off, subgroup_uniformity);' at the top of the module allows it" }];
    if (control !== null) report.finding(severity, 'subgroup-not-uniform', span, [...reasonsOf(control), ...way], name);
    else {
      const notes = [{ message: `it depends on ${cause!.purpose}`, span: cause!.span }, ...way];
      const what = name.endsWith('Xor') ? 'mask' : 'delta';
      report.finding(severity, 'subgroup-argument-not-uniform', span, notes, what, name);
    }
  }
}

/** Reports a barrier outside uniform control flow, or a workgroupUniformLoad from a place that is not uniform. */
export function reportBarrier(
  { report }: UniformityCheck,
  control: Control,
  name: string,
  span: Span,
  value: Value
): void {
  if ((control === null && value === null) || report.hasErrorAt(span.start)) return;
  if (control === null)
    return report.error('load-not-uniform', span, [{ message: `it depends on ${value!.purpose}`, span: value!.span }]);
  report.error('barrier-not-uniform', span, reasonsOf(control), name);
}

/** Reports an operation that needs derivatives outside uniform control flow. */
export function reportDerivative(
  { report, severities }: UniformityCheck,
  control: Control,
  name: string,
  span: Span
): void {
  const code = 'derivative-not-uniform';
  if (control === null || report.wasReported(code, span.start)) return;
  const severity = severities.at(DERIVATIVE_UNIFORMITY, span);
  if (severity !== 'off') report.finding(severity, code, span, reasonsOf(control), name);
}
function reasonsOf({ cause, condition }: Parting): Note[] {
  const isSame = cause.span.start === condition.start && cause.span.end === condition.end;
  return [
    { message: 'control flow may diverge here', span: condition },
    { message: `that depends on ${cause.purpose}`, ...(isSame ? {} : { span: cause.span }) },
  ];
}
