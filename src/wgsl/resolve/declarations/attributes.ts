// Attributes (WGSL §12): where each is allowed, and the meaning of its arguments.

import type { Attribute, Expression } from '../../syntax';
import type { Stage as StageName } from '../../hir';
import type { BuiltinName, InterpolationSampling, InterpolationType, IoAttributes } from '../../types';
import { typeName } from '../../type-store';
import type { Context } from '../context';
import {
  checkRule,
  CLIP_DISTANCES,
  DUAL_SOURCE_BLENDING,
  FRAGMENT_STAGES,
  MODULAR_PIPELINES,
  MULTISAMPLE_STORAGE_TEXTURES,
  PRIMITIVE_INDEX,
  requireExtension,
  SEVERITIES,
  SHADING_RATE,
  SUBGROUP_SIZE_CONTROL,
  SUBGROUPS,
} from './directives';
import { constantInteger, constantValue } from '../expressions';
import { Stage } from '../operand';
import { suggestion, word, wordArgument } from '../type-expressions';

/** For stages that take primitives. */
const MODULAR_BUILTINS = [
  'primitive_index',
  'tess_coord',
  'tess_outer',
  'tess_inner',
  'cull_primitive',
  'viewport_index',
] as const satisfies readonly BuiltinName[];
const BUILTIN_NAMES: ReadonlySet<BuiltinName> = new Set<BuiltinName>([
  'vertex_index',
  'instance_index',
  'position',
  'front_facing',
  'frag_depth',
  'sample_index',
  'sample_mask',
  'local_invocation_id',
  'local_invocation_index',
  'global_invocation_id',
  'global_invocation_index',
  'workgroup_id',
  'workgroup_index',
  'num_workgroups',
]);
const INTERPOLATION_TYPES = ['perspective', 'linear', 'flat'] as const satisfies readonly InterpolationType[];
const INTERPOLATION_SAMPLINGS = [
  'center',
  'centroid',
  'sample',
  'first',
  'either',
] as const satisfies readonly InterpolationSampling[];

/** For @builtin(frag_depth). */
const DEPTH_MODES = ['any', 'greater', 'less'] as const;

/** WebGPU's maxColorAttachments. */
const MAX_TARGETS = 8;
/** Maximum number of links between a pipeline's fragment stages, the same as for varyings. */
const MAX_LINKS = 16;
/** For shaders that use framebuffer fetch. */
const STORED_BUILTINS = ['sample_depth', 'sample_stencil'] as const satisfies readonly BuiltinName[];

/** For compute and fragment shaders. */
const SUBGROUP_BUILTINS = [
  'subgroup_invocation_id',
  'subgroup_size',
  'subgroup_id',
  'num_subgroups',
] as const satisfies readonly BuiltinName[];

/** The combined values of all attributes of a declaration. */
export interface AttributeValues {
  align?: number;
  size?: number;
  group?: number;
  binding?: number;
  id?: number;
  location?: number;
  color?: number;
  link?: number;
  blendSrc?: number;
  builtin?: BuiltinName;
  interpolation?: IoAttributes['interpolation'];
  invariant?: boolean;
  stage?: StageName;
  /** null for an extent that depends on overrides. */
  workgroupSize?: readonly (number | null)[];
  /** For `@subgroup_size`; null if it depends on an override. */
  subgroupSize?: number | null;
  mustUse?: boolean;
  testsEarly?: boolean;
}

type Place = 'member' | 'variable' | 'override' | 'function' | 'io' | 'constant' | 'statement';

const ALLOWED: Readonly<Record<Place, readonly string[]>> = {
  member: ['align', 'size', 'location', 'color', 'link', 'builtin', 'interpolate', 'invariant', 'blend_src'],
  variable: ['group', 'binding'],
  override: ['id'],
  function: [
    'vertex',
    'geometry',
    'primitive',
    'tess_control',
    'tess_evaluation',
    'fragment',
    'compute',
    'workgroup_size',
    'subgroup_size',
    'must_use',
    'diagnostic',
    'early_depth_test',
  ],
  io: ['location', 'color', 'link', 'builtin', 'interpolate', 'invariant'],
  constant: [],
  statement: ['diagnostic'],
};

const ARGUMENT_COUNTS: Readonly<Record<string, readonly [number, number]>> = {
  align: [1, 1],
  size: [1, 1],
  group: [1, 1],
  binding: [1, 1],
  id: [1, 1],
  location: [1, 1],
  builtin: [1, 2],
  blend_src: [1, 1],
  color: [1, 1],
  link: [1, 1],
  interpolate: [1, 2],
  workgroup_size: [1, 3],
  diagnostic: [2, 2],
  subgroup_size: [1, 1],
};

const KNOWN = new Set(Object.values(ALLOWED).flat());

/** Reads the attributes of a declaration. Mistakes are reported, and the attribute is ignored. */
export function resolveAttributes(
  ctx: Context,
  attributes: readonly Attribute[],
  place: Place,
  where: string
): AttributeValues {
  const values: AttributeValues = {};
  if (attributes.length === 0) return values;
  const seen = new Map<string, Attribute>();
  for (const attribute of attributes) {
    const name = attribute.name.text;
    const key = name === 'diagnostic' ? diagnosticKey(attribute) : name;
    const earlier = seen.get(key);
    if (!KNOWN.has(name)) {
      ctx.report.error('unknown-attribute', attribute.name.span, suggestion(ctx, name, KNOWN), name);
    } else if (!ALLOWED[place].includes(name)) {
      ctx.report.error('attribute-not-allowed', attribute.span, [], name, where);
    } else if (earlier !== undefined) {
      ctx.report.error(
        'duplicate-attribute',
        attribute.span,
        [{ message: 'first given here', span: earlier.span }],
        name
      );
    } else if (checkArgumentCount(ctx, attribute)) readAttribute(ctx, attribute, values);
    seen.set(key, attribute);
  }
  return values;
}

/** A second one for the same rule is a duplicate. */
function diagnosticKey({ args: [, rule] }: Attribute): string {
  return `diagnostic ${rule === undefined ? '' : (word(rule) ?? rule.span.start)}`;
}

function checkArgumentCount(ctx: Context, attribute: Attribute): boolean {
  const [least, most] = ARGUMENT_COUNTS[attribute.name.text] ?? [0, 0];
  const count = attribute.args.length;
  // Attributes without arguments must not have parentheses either.
  if (count >= least && count <= most && (most > 0 || !attribute.isCalled)) return true;
  ctx.report.error(
    'argument-count',
    attribute.span,
    [],
    `@${attribute.name.text}`,
    least === most ? `${least}` : `${least} to ${most}`,
    count
  );
  return false;
}

function readAttribute(ctx: Context, attribute: Attribute, values: AttributeValues): void {
  const { args } = attribute;
  const name = attribute.name.text;
  const [first, second] = args;
  switch (name) {
    case 'align':
    case 'size':
      assign(values, name, integer(ctx, first!, name, 1, 0x7fff_ffff));
      break;
    case 'group':
    case 'binding':
    case 'location':
      assign(values, name, integer(ctx, first!, name, 0, 0x7fff_ffff));
      break;
    case 'color':
    case 'link': {
      const number = integer(ctx, first!, name, 0, (name === 'color' ? MAX_TARGETS : MAX_LINKS) - 1);
      if (requireExtension(ctx, FRAGMENT_STAGES, `attribute '@${name}'`, attribute.name.span))
        assign(values, name, number);
      break;
    }
    case 'id':
      assign(values, name, integer(ctx, first!, name, 0, 65_535));
      break;
    case 'blend_src':
      if (requireExtension(ctx, DUAL_SOURCE_BLENDING, "attribute '@blend_src'", attribute.name.span))
        assign(values, 'blendSrc', integer(ctx, first!, name, 0, 1));
      break;
    case 'builtin':
      assign(values, 'builtin', builtinName(ctx, first!));
      if (second !== undefined) checkDepthMode(ctx, first!, second);
      break;
    case 'interpolate':
      assign(values, 'interpolation', interpolation(ctx, first!, second));
      break;
    case 'invariant':
      values.invariant = true;
      break;
    case 'vertex':
    case 'fragment':
    case 'compute':
      values.stage = name;
      break;
    case 'geometry':
    case 'tess_control':
    case 'tess_evaluation':
    case 'primitive':
      // Without the extension, the function still counts as such a stage. Otherwise one mistake would cause several
      // messages.
      requireExtension(ctx, MODULAR_PIPELINES, `attribute '@${name}'`, attribute.name.span);
      values.stage = name;
      break;
    case 'workgroup_size':
      values.workgroupSize = workgroupSize(ctx, args);
      break;
    case 'subgroup_size':
      if (requireExtension(ctx, SUBGROUP_SIZE_CONTROL, "attribute '@subgroup_size'", attribute.name.span))
        values.subgroupSize = subgroupSize(ctx, first!);
      break;
    case 'diagnostic':
      wordArgument(ctx, first!, 'a severity', SEVERITIES);
      checkRule(ctx.report, args[1]!);
      break;
    case 'must_use':
      values.mustUse = true;
      break;
    case 'early_depth_test':
      values.testsEarly = requireExtension(
        ctx,
        MULTISAMPLE_STORAGE_TEXTURES,
        "attribute '@early_depth_test'",
        attribute.name.span
      );
      break;
    default:
  }
}

/** How a fragment's depth relates to that of its triangle. This promise enables no optimisation here. */
function checkDepthMode(ctx: Context, name: Expression, mode: Expression): void {
  if (word(name) === 'frag_depth') wordArgument(ctx, mode, 'a depth mode', DEPTH_MODES);
  else ctx.report.error('argument-count', mode.span, [], '@builtin', '1', 2);
}

function builtinName(ctx: Context, node: Expression): BuiltinName | null {
  if (word(node) === 'shading_rate')
    return requireExtension(ctx, SHADING_RATE, "built-in value 'shading_rate'", node.span) ? 'shading_rate' : null;
  if (word(node) === 'clip_distances')
    return requireExtension(ctx, CLIP_DISTANCES, "built-in value 'clip_distances'", node.span)
      ? 'clip_distances'
      : null;
  // The extension for stages that take primitives also provides it.
  if (word(node) === 'primitive_index' && !ctx.module.isEnabled(MODULAR_PIPELINES))
    return requireExtension(ctx, PRIMITIVE_INDEX, "built-in value 'primitive_index'", node.span)
      ? 'primitive_index'
      : null;
  const stored = STORED_BUILTINS.find((name) => name === word(node));
  if (stored !== undefined)
    return requireExtension(ctx, FRAGMENT_STAGES, `built-in value '${stored}'`, node.span) ? stored : null;
  const subgroup = SUBGROUP_BUILTINS.find((name) => name === word(node));
  if (subgroup !== undefined)
    return requireExtension(ctx, SUBGROUPS, `built-in value '${subgroup}'`, node.span) ? subgroup : null;
  const names = ctx.module.isEnabled(MODULAR_PIPELINES) ? [...BUILTIN_NAMES, ...MODULAR_BUILTINS] : BUILTIN_NAMES;
  return wordArgument(ctx, node, 'a built-in value', names);
}

function assign<K extends keyof AttributeValues>(
  values: AttributeValues,
  key: K,
  value: AttributeValues[K] | null
): void {
  if (value !== null) values[key] = value;
}

function integer(ctx: Context, node: Expression, name: string, low: number, high: number): number | null {
  const what = `@${name}`;
  const number = constantInteger(ctx, node, what);
  if (number === null) return null;
  if (number >= low && number <= high) return number;
  ctx.report.error('constant-range', node.span, [], what, low, high, String(number));
  return null;
}

/** Extents may be override-expressions. They must have one type, i32 or u32 (WGSL §12.1.11). */
function workgroupSize(ctx: Context, nodes: readonly Expression[]): (number | null)[] {
  const types = new Set<string>();
  return nodes.map((node) => {
    const operand = constantValue(ctx, node, '@workgroup_size', Stage.Override);
    if (operand === null) return null;
    const type = typeName(operand.type);
    if (!/^(i32|u32|abstract-int)$/.test(type)) {
      ctx.report.error('workgroup-size-type', node.span, [], type);
      return null;
    }
    if (type !== 'abstract-int' && types.size > 0 && !types.has(type))
      ctx.report.error('workgroup-size-types', node.span, [], [...types][0]!, type);
    else if (type !== 'abstract-int') types.add(type);
    const extent = operand.data === null ? null : Number(operand.data[0]);
    const most = type === 'u32' ? 0xffff_ffff : 0x7fff_ffff;
    if (extent !== null && !(extent >= 1 && extent <= most)) {
      ctx.report.error('constant-range', node.span, [], '@workgroup_size', 1, most, String(extent));
      return null;
    }
    return extent;
  });
}

/** A power of two. Pipelines check which sizes are supported. */
function subgroupSize(ctx: Context, node: Expression): number | null {
  const operand = constantValue(ctx, node, '@subgroup_size', Stage.Override);
  if (operand === null) return null;
  const refuse = (found: string): null => {
    ctx.report.error('subgroup-size', node.span, [], found);
    return null;
  };
  if (!/^(i32|u32|abstract-int)$/.test(typeName(operand.type))) return refuse(typeName(operand.type));
  const size = operand.data === null ? null : Number(operand.data[0]);
  return size === null || (size >= 1 && (size & (size - 1)) === 0) ? size : refuse(String(size));
}

function interpolation(
  ctx: Context,
  first: Expression,
  second: Expression | undefined
): IoAttributes['interpolation'] | null {
  const type = wordArgument(ctx, first, 'an interpolation type', INTERPOLATION_TYPES);
  if (type === null) return null;
  if (second === undefined) return { type, sampling: type === 'flat' ? 'first' : 'center' };
  const allowed = type === 'flat' ? INTERPOLATION_SAMPLINGS.slice(3) : INTERPOLATION_SAMPLINGS.slice(0, 3);
  const sampling = wordArgument(ctx, second, `an interpolation sampling for '${type}'`, allowed);
  return sampling === null ? null : { type, sampling };
}

/** Whether a @location, @color, @link or @builtin is present but its argument has an error. */
export function hasBrokenIoAttribute(attributes: readonly Attribute[], values: AttributeValues): boolean {
  return attributes.some(
    ({ name }) =>
      (name.text === 'location' && values.location === undefined)
      || (name.text === 'color' && values.color === undefined)
      || (name.text === 'link' && values.link === undefined)
      || (name.text === 'blend_src' && values.blendSrc === undefined)
      || (name.text === 'builtin' && values.builtin === undefined)
  );
}

/** The attributes that belong to an entry point's interface. */
export function ioAttributes(values: AttributeValues): IoAttributes {
  const { location, color, link, blendSrc, builtin, interpolation: interpolationValue, invariant } = values;
  return {
    ...(location !== undefined && { location }),
    ...(color !== undefined && { color }),
    ...(link !== undefined && { link }),
    ...(blendSrc !== undefined && { blendSrc }),
    ...(builtin !== undefined && { builtin }),
    ...(interpolationValue !== undefined && { interpolation: interpolationValue }),
    ...(invariant !== undefined && { invariant }),
  };
}
