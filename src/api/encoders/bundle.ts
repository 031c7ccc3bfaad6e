// GPURenderBundle and GPURenderBundleEncoder: https://www.w3.org/TR/webgpu/#bundles

import type { DrawList } from '../../render/draws/draw-list';
import { hasDepth, hasStencil } from '../../surface/formats';
import { Uses } from './command-buffer';
import { ApiObject, describe, Refusal, refuse, type DeviceCore, type Fail } from '../core/device-core';
import type { RenderLayout } from './render-layout';
import { addDrawMethods } from './draw-methods';
import { DrawRecorder } from './draw-recorder';
import { boolean, dictionary, nullable, optional, required, sequence, text, u32 } from '../idl/idl';
import { rejectConstruction, exposeLabelled, slot } from '../idl/interface';
import { checkTargetBytes } from '../pipelines/pipeline-checks';
import { checkSampleCount } from '../resources/sample-count';
import { requireFormats, supports } from '../resources/format-support';
import { MODULAR_PIPELINES } from '../core/limits';
import type { SinkRegions } from './sink-regions';
import { textureFormat } from '../resources/texture-descriptor';
import { UsageScope } from './usage-scope';

/** The validated contents of a bundle: the draw calls that passes execute, and how they use their resources. */
interface Recorded {
  readonly layout: RenderLayout;
  readonly list: DrawList;
  readonly drawCount: number;
  readonly uses: Uses;
  readonly scope: UsageScope;
  readonly sinkRegions: SinkRegions;
}
export class BundleCore extends ApiObject {
  readonly #recorded: Recorded | null;
  constructor(device: DeviceCore, label: string, recorded: Recorded | null) {
    super(device, 'RenderBundle', label, recorded !== null);
    this.#recorded = recorded;
  }
  /** Throws for invalid bundles. */
  get recorded(): Recorded {
    if (this.#recorded === null) throw new TypeError('an invalid bundle has no draws');
    return this.#recorded;
  }
}
export const bundleSlot = slot<BundleCore>('GPURenderBundle');
class GPURenderBundle {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
}
exposeLabelled('GPURenderBundle', GPURenderBundle, bundleSlot);

class BundleEncoderCore extends DrawRecorder {
  protected readonly layout: RenderLayout;
  protected readonly scope = new UsageScope([]);
  protected readonly uses = new Uses();
  #drawCount = 0;
  #finished = false;
  /** The first error; finish() reports it. */
  #error: string | null = null;

  constructor(device: DeviceCore, label: string, layout: RenderLayout, valid: boolean) {
    super(device, 'RenderBundleEncoder', label, valid);
    this.layout = layout;
  }

  protected begins(call: string): boolean {
    if (this.#finished)
      this.device.report('validation', `${this.called} ${call}: the encoder is finished; create a new one`);
    return !this.#finished && this.valid && this.#error === null;
  }

  protected refused(error: unknown): void {
    if (!(error instanceof Refusal)) throw error;
    this.#error = error.message;
  }

  protected onDraw(): void {
    this.#drawCount++;
  }

  finish(label: string): BundleCore {
    const recorded = this.device.guard((): Recorded => {
      const no = (message: string): never => this.no('finish', message);
      if (this.#finished) no('the encoder is finished already');
      this.#finished = true;
      if (!this.valid) no('the encoder is invalid, because its creation failed; the error reported then says why');
      if (this.#error !== null) throw new Refusal(this.#error);
      if (this.debugGroups.open > 0) no(`${this.debugGroups.open} debug group(s) are open; call popDebugGroup()`);
      this.list.trim();
      return {
        layout: this.layout,
        list: this.list,
        drawCount: this.#drawCount,
        uses: this.uses,
        scope: this.scope,
        sinkRegions: this.sinkRegions,
      };
    });
    return new BundleCore(this.device, label, recorded ?? null);
  }
}
const bundleEncoderSlot = slot<BundleEncoderCore>('GPURenderBundleEncoder');
const bundleOf = dictionary('GPURenderBundleDescriptor', { label: optional(text, '') });
class GPURenderBundleEncoder {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  finish(descriptor?: unknown): object {
    const core = bundleEncoderSlot.of(this);
    return bundleSlot.make(core.finish(bundleOf(descriptor, 'finish: descriptor').label));
  }
}
addDrawMethods(GPURenderBundleEncoder.prototype, (self) => bundleEncoderSlot.of(self));
exposeLabelled('GPURenderBundleEncoder', GPURenderBundleEncoder, bundleEncoderSlot);

const descriptorOf = dictionary('GPURenderBundleEncoderDescriptor', {
  label: optional(text, ''),
  colorFormats: required(sequence(nullable(textureFormat))),
  depthStencilFormat: optional(textureFormat, null),
  sampleCount: optional(u32, 1),
  depthReadOnly: optional(boolean, false),
  stencilReadOnly: optional(boolean, false),
});
export function createRenderBundleEncoder(device: DeviceCore, value: unknown): object {
  const d = descriptorOf(value, 'createRenderBundleEncoder: descriptor');
  requireFormats(device, 'createRenderBundleEncoder', ...d.colorFormats, d.depthStencilFormat);
  const valid = device.guard(() => {
    checkEncoder(device, d, (message) =>
      refuse({ called: describe('RenderBundleEncoder', d.label) }, 'createRenderBundleEncoder', message)
    );
    return true;
  });
  const layout: RenderLayout = {
    purpose: 'bundle',
    formats: d.colorFormats,
    depthFormat: d.depthStencilFormat,
    samples: d.sampleCount,
    depthReadOnly: d.depthReadOnly,
    stencilReadOnly: d.stencilReadOnly,
  };
  return bundleEncoderSlot.make(new BundleEncoderCore(device, d.label, layout, valid === true));
}

function checkEncoder(device: DeviceCore, d: ReturnType<typeof descriptorOf>, no: Fail): void {
  const { colorFormats, depthStencilFormat } = d;
  const { maxColorAttachments: most } = device.limits;
  if (colorFormats.length > most) no(`${colorFormats.length} colour formats exceed maxColorAttachments ${most}`);
  colorFormats.forEach((format, i) => {
    if (format !== null && (format.aspect !== 'color' || !supports(device, format.renderable)))
      no(`colorFormats[${i}]: ${format.name} is not a colour format that can be rendered to`);
  });
  checkTargetBytes(device, colorFormats, no);
  if (depthStencilFormat !== null && !hasDepth(depthStencilFormat) && !hasStencil(depthStencilFormat))
    no(`depthStencilFormat ${depthStencilFormat.name} has neither depth nor stencil`);
  checkSampleCount(device, 'sampleCount', d.sampleCount, no);
  // Passes without attachments may use modular pipelines that end in buffers, and so may bundles for such passes.
  const isBare = depthStencilFormat === null && colorFormats.every((format) => format === null);
  if (isBare && !device.features.has(MODULAR_PIPELINES))
    no('the bundle has no attachment: add a colour format or a depthStencilFormat');
}
