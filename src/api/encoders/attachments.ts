// The attachments of a render pass: https://www.w3.org/TR/webgpu/#render-pass-encoder-creation

import type { PassState } from '../../render/types';
import { hasDepth, hasStencil } from '../../surface/formats';
import { TextureUsage, flagNames } from '../idl/constants';
import { refuse, requireUsable, type DeviceCore, type Fail, type Named } from '../core/device-core';
import type { RenderLayout } from './render-layout';
import { loadOp, storeOp } from '../idl/enums';
import { supports } from '../resources/format-support';
import {
  boolean,
  color,
  dictionary,
  double,
  nullable,
  object,
  optional,
  required,
  sequence,
  text,
  u32,
  u64,
  type Color,
} from '../idl/idl';
import { MODULAR_PIPELINES, requireMultisampleStorage } from '../core/limits';
import { checkTargetBytes } from '../pipelines/pipeline-checks';
import { querySetSlot, type QuerySetCore } from '../resources/query-set';
import { checkSampleCount } from '../resources/sample-count';
import { checkPassRates, passShadingRates } from '../extensions/shading-rates';
import { requireOwnChannels, textureOrView, type ViewCore } from '../resources/texture';
import { checkTimestampWrites, timestampWrites } from './timestamps';

const colorAttachment = dictionary('GPURenderPassColorAttachment', {
  view: required(textureOrView),
  depthSlice: optional(u32),
  resolveTarget: optional(textureOrView),
  clearValue: optional(color, [0, 0, 0, 0] as Color),
  loadOp: required(loadOp),
  storeOp: required(storeOp),
});
const depthStencilAttachment = dictionary('GPURenderPassDepthStencilAttachment', {
  view: required(textureOrView),
  depthClearValue: optional(double),
  depthLoadOp: optional(loadOp),
  depthStoreOp: optional(storeOp),
  depthReadOnly: optional(boolean, false),
  stencilClearValue: optional(u32, 0),
  stencilLoadOp: optional(loadOp),
  stencilStoreOp: optional(storeOp),
  stencilReadOnly: optional(boolean, false),
});
export const renderPassDescriptor = dictionary('GPURenderPassDescriptor', {
  label: optional(text, ''),
  colorAttachments: required(sequence(nullable(colorAttachment))),
  depthStencilAttachment: optional(depthStencilAttachment, null),
  occlusionQuerySet: optional(object(querySetSlot), null),
  timestampWrites: optional(timestampWrites('GPURenderPassTimestampWrites'), null),
  maxDrawCount: optional(u64, 50_000_000),
  invocationCounts: optional(textureOrView, null),
  size: optional(sequence(u32), null),
  sampleCount: optional(u32, null),
  shadingRates: optional(passShadingRates, null),
});
export type RenderPassDescriptor = ReturnType<typeof renderPassDescriptor>;
type ColorAttachment = ReturnType<typeof colorAttachment>;
type DepthAttachment = ReturnType<typeof depthStencilAttachment>;

/** A view that a pass writes, or uses as a read-only attachment, for its whole length. */
export interface HeldView {
  readonly view: ViewCore;
  readonly purpose: string;
  readonly depthSlice: number;
  /** Whether the depth or stencil aspect is read-only, so that it may be sampled during the pass. */
  readonly depthReadOnly: boolean;
  readonly stencilReadOnly: boolean;
}
type PassTarget = Omit<PassState, 'runs' | 'ownDraws'>;
export interface Attachments {
  readonly target: PassTarget;
  readonly held: readonly HeldView[];
  /** Source of the pass's shading rates by region; null if there is none. */
  readonly region: ViewCore | null;
  readonly layout: RenderLayout;
}

interface Checking {
  readonly device: DeviceCore;
  readonly who: Named;
  readonly no: Fail;
  /** Width and height of the first attachment; all others must agree. */
  size: readonly [number, number] | null;
  samples: number;
}

function checkAttachable(view: ViewCore, what: string, c: Checking): void {
  requireUsable(view, c.who, c.device, 'beginRenderPass');
  const { no } = c;
  if ((view.usage & TextureUsage.RENDER_ATTACHMENT) === 0)
    no(`${what}: ${view.called} needs usage RENDER_ATTACHMENT; it has ${flagNames(view.usage, TextureUsage)}`);
  requireOwnChannels(view, what, no);
  if (view.shape.mipLevelCount !== 1)
    no(
      `${what}: ${view.called} has ${view.shape.mipLevelCount} mip levels; `
        + 'an attachment is one level (createView({ baseMipLevel, mipLevelCount: 1 }))'
    );
  if (view.shape.arrayLayerCount !== 1)
    no(
      `${what}: ${view.called} has ${view.shape.arrayLayerCount} layers; `
        + 'an attachment is one layer (createView({ dimension: "2d", baseArrayLayer }))'
    );
}

function checkAgrees(view: ViewCore, what: string, c: Checking): void {
  const [width, height] = view.size;
  if (c.size === null) {
    c.size = view.size;
    c.samples = view.samples;
    return;
  }
  if (c.size[0] !== width || c.size[1] !== height)
    c.no(`${what}: ${view.called} is ${width}×${height}, but the other attachments are ${c.size[0]}×${c.size[1]}`);
  if (c.samples !== view.samples)
    c.no(`${what}: ${view.called} has ${view.samples} samples, but the other attachments have ${c.samples}`);
}

function checkColor(a: ColorAttachment, i: number, c: Checking): void {
  const what = `colorAttachments[${i}]`;
  const { view, depthSlice } = a;
  const { no } = c;
  checkAttachable(view, what, c);
  const { format, dimension } = view.shape;
  if (format.aspect !== 'color' || !supports(c.device, format.renderable))
    no(`${what}: ${view.called} of format ${format.name} is not a colour format that can be rendered to`);
  if (dimension !== '2d' && dimension !== '2d-array' && dimension !== '3d')
    no(`${what}: ${view.called} has dimension "${dimension}"; an attachment is "2d" or a slice of "3d"`);
  if (dimension === '3d' && depthSlice === undefined)
    no(`${what}: ${view.called} is 3d; set depthSlice to the slice to render to`);
  if (dimension !== '3d' && depthSlice !== undefined)
    no(`${what}: depthSlice is only for 3d views, but ${view.called} is "${dimension}"`);
  const slices = view.texture.mipSize(view.shape.baseMipLevel)[2];
  if (depthSlice !== undefined && depthSlice >= slices)
    no(`${what}: depthSlice ${depthSlice} does not exist: ${view.called} has ${slices} slice(s)`);
  checkTransient(view, what, a.loadOp, a.storeOp, no);
  checkAgrees(view, what, c);
  if (a.resolveTarget !== undefined) checkResolve(view, a.resolveTarget, `${what}.resolveTarget`, c);
}

function checkTransient(
  view: ViewCore,
  what: string,
  load: GPULoadOp | undefined,
  store: GPUStoreOp | undefined,
  no: Fail
): void {
  if ((view.texture.descriptor.usage & TextureUsage.TRANSIENT_ATTACHMENT) === 0) return;
  if (load !== 'clear' || store !== 'discard')
    no(`${what}: ${view.called} is transient; use loadOp "clear" and storeOp "discard"`);
}

function checkResolve(view: ViewCore, resolve: ViewCore, what: string, c: Checking): void {
  const { no } = c;
  checkAttachable(resolve, what, c);
  if (view.samples === 1) no(`${what}: ${view.called} has one sample; only a multisampled attachment can be resolved`);
  if (resolve.samples !== 1) no(`${what}: ${resolve.called} has ${resolve.samples} samples; a resolve target has one`);
  if ((resolve.texture.descriptor.usage & TextureUsage.TRANSIENT_ATTACHMENT) !== 0)
    no(`${what}: ${resolve.called} is transient and cannot be a resolve target`);
  if (resolve.shape.dimension === '3d') no(`${what}: ${resolve.called} is 3d`);
  const [width, height] = resolve.size;
  if (width !== view.size[0] || height !== view.size[1])
    no(`${what}: ${resolve.called} is ${width}×${height}, but ${view.called} is ${view.size[0]}×${view.size[1]}`);
  if (resolve.shape.format !== view.shape.format)
    no(`${what}: format ${resolve.shape.format.name} differs from ${view.shape.format.name} of ${view.called}`);
  if (!supports(c.device, view.shape.format.resolvable))
    no(`${what}: format ${view.shape.format.name} cannot be resolved`);
}

function checkAspect(name: 'depth' | 'stencil', there: boolean, a: DepthAttachment, no: Fail): void {
  const what = 'depthStencilAttachment';
  const format = a.view.shape.format.name;
  const [load, store, readOnly] =
    name === 'depth'
      ? [a.depthLoadOp, a.depthStoreOp, a.depthReadOnly]
      : [a.stencilLoadOp, a.stencilStoreOp, a.stencilReadOnly];
  if (there && !readOnly && (load === undefined || store === undefined))
    no(`${what}: ${name}LoadOp and ${name}StoreOp must be given for format ${format}, unless ${name}ReadOnly is true`);
  if ((!there || readOnly) && (load !== undefined || store !== undefined))
    no(
      `${what}: ${name}LoadOp and ${name}StoreOp must be omitted `
        + (there ? `with ${name}ReadOnly` : `for format ${format}, which has no ${name}`)
    );
}

function checkDepthStencil(a: DepthAttachment, c: Checking): void {
  const what = 'depthStencilAttachment';
  const { view } = a;
  const { no } = c;
  checkAttachable(view, what, c);
  const { format } = view.shape;
  if (format.aspect === 'color') no(`${what}: ${view.called} of format ${format.name} is neither depth nor stencil`);
  if (view.texture.format.aspect !== format.aspect)
    no(`${what}: ${view.called} must have all aspects of ${view.texture.format.name}`);
  checkAspect('depth', hasDepth(format), a, no);
  checkAspect('stencil', hasStencil(format), a, no);
  if (a.depthLoadOp === 'clear' && a.depthClearValue === undefined)
    no(`${what}: depthLoadOp "clear" needs a depthClearValue`);
  if (
    a.depthLoadOp === 'clear'
    && a.depthClearValue !== undefined
    && !(a.depthClearValue >= 0 && a.depthClearValue <= 1)
  )
    no(`${what}: depthClearValue ${a.depthClearValue} must be from 0 to 1`);
  if (hasDepth(format)) checkTransient(view, what, a.depthLoadOp, a.depthStoreOp, no);
  if (hasStencil(format)) checkTransient(view, what, a.stencilLoadOp, a.stencilStoreOp, no);
  checkAgrees(view, what, c);
}

/** Checks `invocationCounts`, a member that Rasterloom adds (statistics.ts). Its format always has one sample. */
function checkCounts(view: ViewCore, c: Checking): void {
  const what = 'invocationCounts';
  const { no } = c;
  if (!c.device.features.has('statistics'))
    no(`${what}: the device does not have the feature "statistics"; ask for it in requestDevice`);
  checkAttachable(view, what, c);
  const { format, dimension } = view.shape;
  if (format.name !== 'r32uint') no(`${what}: ${view.called} has format ${format.name}; it must be r32uint`);
  if (dimension === '3d') no(`${what}: ${view.called} is 3d; it must be 2d`);
  checkTransient(view, what, 'load', 'store', no);
  const [width, height] = view.size;
  if (c.size !== null && (c.size[0] !== width || c.size[1] !== height))
    no(`${what}: ${view.called} is ${width}×${height}, but the attachments are ${c.size[0]}×${c.size[1]}`);
}

function sameTexels(a: HeldView, b: HeldView): boolean {
  return (
    a.view.texture === b.view.texture
    && a.view.shape.baseMipLevel === b.view.shape.baseMipLevel
    && a.view.shape.baseArrayLayer === b.view.shape.baseArrayLayer
    && a.depthSlice === b.depthSlice
  );
}

function heldViews(d: RenderPassDescriptor): HeldView[] {
  const held: HeldView[] = [];
  const write = { depthReadOnly: false, stencilReadOnly: false };
  d.colorAttachments.forEach((a, i) => {
    if (a === null) return;
    held.push({ view: a.view, purpose: `colorAttachments[${i}]`, depthSlice: a.depthSlice ?? 0, ...write });
    if (a.resolveTarget !== undefined)
      held.push({ view: a.resolveTarget, purpose: `colorAttachments[${i}].resolveTarget`, depthSlice: 0, ...write });
  });
  const depth = d.depthStencilAttachment;
  if (d.invocationCounts !== null)
    held.push({ view: d.invocationCounts, purpose: 'invocationCounts', depthSlice: 0, ...write });
  if (depth !== null)
    held.push({
      view: depth.view,
      purpose: 'depthStencilAttachment',
      depthSlice: 0,
      depthReadOnly: depth.depthReadOnly,
      stencilReadOnly: depth.stencilReadOnly,
    });
  return held;
}

/**
 * Checks `size` and `sampleCount`, members that Rasterloom adds. They describe a pass without attachments, whose
 * shaders write to storage textures.
 */
function sizeOf(device: DeviceCore, d: RenderPassDescriptor, no: Fail): Pick<Checking, 'size' | 'samples'> {
  const { size, sampleCount } = d;
  if (size === null && sampleCount === null) return { size: null, samples: 1 };
  if (!device.features.has(MODULAR_PIPELINES))
    requireMultisampleStorage(device, 'a pass without attachments (size and sampleCount)', no);
  if (size === null || sampleCount === null)
    return no(
      `${size === null ? 'sampleCount' : 'size'} is given without ${size === null ? 'size' : 'sampleCount'}; `
        + 'a pass without attachments needs both'
    );
  if (d.colorAttachments.some((a) => a !== null) || d.depthStencilAttachment !== null)
    no('size and sampleCount are only for passes without attachments; this pass takes both from its attachments');
  const [width = 0, height = 0] = size;
  const { maxTextureDimension2D: most } = device.limits;
  if (size.length !== 2) no(`size must have 2 numbers, width and height, not ${size.length}`);
  if (width < 1 || height < 1 || width > most || height > most)
    no(`size ${width}×${height} must be from 1×1 to maxTextureDimension2D ${most}`);
  checkSampleCount(device, 'sampleCount', sampleCount, no);
  return { size: [width, height], samples: sampleCount };
}

/** Validates the descriptor and returns the attachments of the pass. */
export function checkAttachments(device: DeviceCore, d: RenderPassDescriptor, who: Named): Attachments {
  const no = (message: string): never => refuse(who, 'beginRenderPass', message);
  const { maxColorAttachments: most } = device.limits;
  if (d.colorAttachments.length > most)
    no(`${d.colorAttachments.length} colour attachments exceed maxColorAttachments ${most}`);
  if (d.occlusionQuerySet !== null) checkOcclusionQueries(device, d.occlusionQuerySet, who);
  if (d.timestampWrites !== null)
    checkTimestampWrites(device, d.timestampWrites, { ...who, call: 'beginRenderPass', no });
  const c: Checking = { device, who, no, ...sizeOf(device, d, no) };
  d.colorAttachments.forEach((a, i) => {
    if (a !== null) checkColor(a, i, c);
  });
  if (d.depthStencilAttachment !== null) checkDepthStencil(d.depthStencilAttachment, c);
  if (d.invocationCounts !== null) checkCounts(d.invocationCounts, c);
  if (c.size === null)
    return no(
      'the pass has no attachment: add a colour or depth-stencil attachment, '
        + 'or set size and sampleCount if its shaders write to storage '
        + 'textures or its modular pipelines have buffer sinks'
    );
  checkArena(device, c.size, no);
  const held = heldViews(d);
  const depth = d.depthStencilAttachment;
  held.forEach((a, i) => {
    const twice = held.slice(0, i).find((b) => sameTexels(a, b));
    if (twice !== undefined) no(`${twice.purpose} and ${a.purpose} are the same part of ${a.view.texture.called}`);
  });
  const formats = d.colorAttachments.map((a) => a?.view.shape.format ?? null);
  checkTargetBytes(device, formats, no);
  const rates = d.shadingRates && checkPassRates(d.shadingRates, { device, caller: who, size: c.size, no });
  return {
    target: { ...targetOf(d, c.size, c.samples), rates },
    held,
    region: d.shadingRates?.region?.view ?? null,
    layout: {
      purpose: 'pass',
      formats,
      depthFormat: depth?.view.shape.format ?? null,
      samples: c.samples,
      depthReadOnly: depth?.depthReadOnly ?? false,
      stencilReadOnly: depth?.stencilReadOnly ?? false,
    },
  };
}

/** Refuses the pass if the budget for geometry has no room for one triangle of a pass of this size. */
function checkArena({ render }: DeviceCore, [width, height]: readonly [number, number], no: Fail): void {
  const { arenaBytes } = render.budgets;
  const least = render.minArenaBytes(width, height);
  if (arenaBytes !== null && arenaBytes < least)
    no(
      `a pass of ${width}×${height} pixels needs ${least} bytes for one triangle, but create({ budgets: `
        + `{ arenaBytes } }) is ${arenaBytes}: raise it, or leave it out`
    );
}

function checkOcclusionQueries(device: DeviceCore, set: QuerySetCore, who: Named): void {
  requireUsable(set, who, device, 'beginRenderPass');
  if (set.type !== 'occlusion')
    refuse(who, 'beginRenderPass', `occlusionQuerySet: ${set.called} has type "${set.type}"; it must be "occlusion"`);
}

function targetOf(
  d: RenderPassDescriptor,
  [width, height]: readonly [number, number],
  samples: number
): Omit<PassTarget, 'rates'> {
  const depth = d.depthStencilAttachment;
  return {
    label: d.label,
    width,
    height,
    samples,
    counts: d.invocationCounts?.store ?? null,
    colors: d.colorAttachments.map((a) =>
      a === null
        ? null
        : {
            view: a.view.store,
            resolve: a.resolveTarget?.store ?? null,
            clear: a.loadOp === 'clear' ? a.clearValue : null,
            store: a.storeOp === 'store',
            depthSlice: a.depthSlice ?? 0,
          }
    ),
    depthStencil:
      depth === null
        ? null
        : {
            view: depth.view.store,
            depthClear: depth.depthLoadOp === 'clear' ? (depth.depthClearValue ?? 0) : null,
            depthStore: depth.depthStoreOp !== 'discard',
            depthReadOnly: depth.depthReadOnly,
            stencilClear: depth.stencilLoadOp === 'clear' ? depth.stencilClearValue & 0xff : null,
            stencilStore: depth.stencilStoreOp !== 'discard',
            stencilReadOnly: depth.stencilReadOnly,
          },
  };
}
