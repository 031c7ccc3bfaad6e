// `enable`, `requires` and `diagnostic` directives (WGSL §4.1, §2.3).

import type { Reporter } from '../../messages';
import type { Directive, Expression, Name, Span } from '../../syntax';
import { nearest } from '../../suggest';
import type { Context } from '../context';

export const F16_EXTENSION = 'f16';
export const MULTISAMPLE_STORAGE_TEXTURES = 'multisample_storage_textures';
export const MODULAR_PIPELINES = 'modular_pipelines';
export const SHADING_RATE = 'shading_rate';
export const FRAGMENT_STAGES = 'fragment_stages';
export const SUBGROUPS = 'subgroups';
export const SUBGROUP_SIZE_CONTROL = 'subgroup_size_control';
export const DUAL_SOURCE_BLENDING = 'dual_source_blending';
export const CLIP_DISTANCES = 'clip_distances';
export const PRIMITIVE_INDEX = 'primitive_index';
/** Extensions of WGSL and of Rasterloom, each with the device feature that it requires. */
export const FEATURE_OF_EXTENSION: ReadonlyMap<string, string> = new Map([
  [F16_EXTENSION, 'shader-f16'],
  [MULTISAMPLE_STORAGE_TEXTURES, 'multisample-storage-textures'],
  [MODULAR_PIPELINES, 'modular-pipelines'],
  [SHADING_RATE, 'shading-rate'],
  [FRAGMENT_STAGES, 'fragment-stages'],
  [SUBGROUPS, 'subgroups'],
  [DUAL_SOURCE_BLENDING, 'dual-source-blending'],
  [CLIP_DISTANCES, 'clip-distances'],
  [PRIMITIVE_INDEX, 'primitive-index'],
  [SUBGROUP_SIZE_CONTROL, 'subgroup-size-control'],
]);

/**
 * Extensions that a module enables, supported or not. An unsupported one is reported at its directive and not at each
 * use.
 */
export const enabledExtensions = (directives: readonly Directive[]): ReadonlySet<string> =>
  new Set(directives.filter(({ kind }) => kind === 'enable').flatMap(({ names }) => names.map(({ text }) => text)));

/** Checks that the module enables `extension`. If it does not, an error says that `what` is part of it. */
export function requireExtension(ctx: Context, extension: string, what: string, span: Span): boolean {
  if (ctx.module.isEnabled(extension)) return true;
  const notes = [{ message: `write 'enable ${extension};' at the top of the module` }];
  ctx.report.error('extension-not-enabled', span, notes, what, extension);
  return false;
}

/** Language extensions that are always available, as listed by `navigator.gpu.wgslLanguageFeatures`. */
export const LANGUAGE_FEATURES: ReadonlySet<string> = new Set([
  'packed_4x8_integer_dot_product',
  'unrestricted_pointer_parameters',
  'pointer_composite_access',
  'readonly_and_readwrite_storage_textures',
  'uniform_buffer_standard_layout',
  'texture_and_sampler_let',
  'linear_indexing',
  'texture_formats_tier1',
  'immediate_address_space',
  'subgroup_id',
  'swizzle_assignment',
  'fragment_depth',
  'buffer_view',
  'subgroup_uniformity',
]);

export const SEVERITIES: ReadonlySet<string> = new Set(['error', 'warning', 'info', 'off']);
const RULES: ReadonlySet<string> = new Set(['derivative_uniformity', 'subgroup_uniformity']);

/** `features` are those of the device. */
export function checkDirectives(
  report: Reporter,
  directives: readonly Directive[],
  features: ReadonlySet<string>
): void {
  const severities = new Map<string, Name>();
  for (const { kind, names } of directives) {
    if (kind === 'diagnostic') {
      checkDiagnosticControl(report, names);
      checkConflict(report, names, severities);
    } else for (const name of names) checkExtension(report, kind, name, features);
  }
}

function suggestionFor(name: string, candidates: Iterable<string>): { message: string }[] {
  const best = nearest(name, candidates);
  return best === null ? [] : [{ message: `did you mean '${best}'?` }];
}

function checkExtension(
  report: Reporter,
  kind: 'enable' | 'requires',
  { text, span }: Name,
  features: ReadonlySet<string>
): void {
  const feature = kind === 'enable' ? FEATURE_OF_EXTENSION.get(text) : undefined;
  if (feature !== undefined) {
    if (!features.has(feature)) report.error('extension-needs-feature', span, [], text, feature);
    return;
  }
  if (kind === 'requires') {
    if (!LANGUAGE_FEATURES.has(text))
      report.error('unknown-extension', span, suggestionFor(text, LANGUAGE_FEATURES), 'language feature', text);
  } else report.error('unknown-extension', span, suggestionFor(text, FEATURE_OF_EXTENSION.keys()), 'extension', text);
}

/** A rule may be named again, but not with another severity (§2.3). */
function checkConflict(report: Reporter, [severity, ...rule]: readonly Name[], severities: Map<string, Name>): void {
  if (severity === undefined) return;
  const name = rule.map(({ text }) => text).join('.');
  const earlier = severities.get(name);
  if (earlier === undefined) severities.set(name, severity);
  else if (earlier.text !== severity.text)
    report.error(
      'diagnostic-conflict',
      severity.span,
      [{ message: 'it has another severity here', span: earlier.span }],
      name
    );
}

function checkDiagnosticControl(report: Reporter, [severity, ...rule]: readonly Name[]): void {
  if (severity !== undefined && !SEVERITIES.has(severity.text)) {
    report.error(
      'unknown-word',
      severity.span,
      suggestionFor(severity.text, SEVERITIES),
      'a severity',
      `'${severity.text}'`,
      [...SEVERITIES].join(', ')
    );
  }
  if (rule.length === 1) checkRuleName(report, rule[0]!);
}

/** Rules of other implementations (`tint.…`) are ignored; other unknown rules cause a warning (§2.3). */
function checkRuleName(report: Reporter, { text, span }: Name): void {
  if (!RULES.has(text)) report.warning('unknown-diagnostic-rule', span, suggestionFor(text, RULES), text);
}

/** Checks the rule of a `@diagnostic` attribute. */
export function checkRule(report: Reporter, rule: Expression): void {
  if (rule.kind === 'ident') checkRuleName(report, rule.name);
}
