// Render bundles come later. The classes are there for instanceof, and making one says so by name.

import { ApiObject, describe, refuse, type DeviceCore } from './device-core';
import { dictionary, needArguments, nullable, optional, required, sequence, text, u32 } from './idl';
import { constructing, exposeLabelled, slot } from './interface';
import { textureFormat } from './texture';

export class BundleCore extends ApiObject {
  constructor(device: DeviceCore, label: string) {
    super(device, 'RenderBundle', label, false);
  }
}
export const bundleSlot = slot<BundleCore>('GPURenderBundle');
export class GPURenderBundle {
  constructor(...args: unknown[]) {
    constructing(args);
  }
}
exposeLabelled('GPURenderBundle', GPURenderBundle, bundleSlot);

/** Takes and forgets commands: creating it has been reported as an error. */
class BundleEncoderCore extends ApiObject {
  finished = false;
  constructor(device: DeviceCore, label: string) {
    super(device, 'RenderBundleEncoder', label, false);
  }
  ignore(call: string): void {
    if (this.finished) this.device.report('validation', `${this.called} ${call}: the encoder is finished`);
  }
}
const bundleEncoderSlot = slot<BundleEncoderCore>('GPURenderBundleEncoder');
export class GPURenderBundleEncoder {
  constructor(...args: unknown[]) {
    constructing(args);
  }
  finish(descriptor?: unknown): object {
    const core = bundleEncoderSlot.of(this);
    const { label } = labelOf(descriptor, 'finish: descriptor');
    core.ignore('finish');
    core.finished = true;
    return bundleSlot.make(new BundleCore(core.device, label));
  }
}
const labelOf = dictionary('GPURenderBundleDescriptor', { label: optional(text, '') });
/** Names and needed arguments of the commands that a bundle shares with a pass. */
const commands: Readonly<Record<string, number>> = {
  setPipeline: 1, setBindGroup: 2, setVertexBuffer: 2, setIndexBuffer: 2, setImmediates: 2, draw: 1, drawIndexed: 1,
  drawIndirect: 2, drawIndexedIndirect: 2, pushDebugGroup: 1, popDebugGroup: 0, insertDebugMarker: 1,
};
for (const [name, needed] of Object.entries(commands)) {
  const command = {
    [name](this: unknown, ...args: unknown[]): undefined {
      const core = bundleEncoderSlot.of(this);
      needArguments(name, args.length, needed);
      core.ignore(name);
    },
  };
  Object.defineProperty(GPURenderBundleEncoder.prototype, name, {
    value: command[name], writable: true, configurable: true,
  });
}
exposeLabelled('GPURenderBundleEncoder', GPURenderBundleEncoder, bundleEncoderSlot);

const descriptorOf = dictionary('GPURenderBundleEncoderDescriptor', {
  label: optional(text, ''), colorFormats: required(sequence(nullable(textureFormat))),
  depthStencilFormat: optional(textureFormat), sampleCount: optional(u32, 1),
});
export function createRenderBundleEncoder(device: DeviceCore, value: unknown): object {
  const { label } = descriptorOf(value, 'createRenderBundleEncoder: descriptor');
  device.guard(() => refuse(
    { called: describe('RenderBundleEncoder', label) }, 'createRenderBundleEncoder',
    'Rasterloom does not have render bundles yet: encode the draws in a render pass'
  ));
  return bundleEncoderSlot.make(new BundleEncoderCore(device, label));
}
