// GPUExternalTexture (https://www.w3.org/TR/webgpu/#external-texture). The image is copied into a separate texture when
// it is imported.

import { TextureUsage } from '../idl/constants';
import { ApiObject, type DeviceCore } from '../core/device-core';
import { colorSpace } from '../idl/enums';
import { anyImage, copyExternal, imageSize } from './external-image';
import { dictionary, optional, required, text } from '../idl/idl';
import { rejectConstruction, exposeLabelled, slot } from '../idl/interface';
import { createTexture, textureSlot, type ViewCore } from './texture';

export class ExternalTextureCore extends ApiObject {
  /** Null if there was not enough memory for the image. */
  readonly view: ViewCore | null;
  constructor(device: DeviceCore, label: string, view: ViewCore | null) {
    super(device, 'ExternalTexture', label, view?.valid === true);
    this.view = view;
  }
}
export const externalTextureSlot = slot<ExternalTextureCore>('GPUExternalTexture');
class GPUExternalTexture {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
}
exposeLabelled('GPUExternalTexture', GPUExternalTexture, externalTextureSlot);

const descriptorOf = dictionary('GPUExternalTextureDescriptor', {
  label: optional(text, ''),
  source: required(anyImage),
  colorSpace: optional(colorSpace, 'srgb'),
});

export function importExternalTexture(device: DeviceCore, value: unknown): object {
  const d = descriptorOf(value, 'importExternalTexture: descriptor');
  const { width, height } = imageSize(device, d.source, 'importExternalTexture: descriptor.source');
  const texture = textureSlot.of(
    createTexture(device, {
      label: d.label,
      size: [width, height],
      format: 'rgba8unorm',
      usage: TextureUsage.TEXTURE_BINDING | TextureUsage.COPY_DST | TextureUsage.RENDER_ATTACHMENT,
    })
  );
  if (texture.valid)
    copyExternal({
      device,
      source: { source: d.source, origin: [0, 0, 0], flipY: false },
      target: {
        texture,
        mipLevel: 0,
        origin: [0, 0, 0],
        aspect: 'all',
        colorSpace: d.colorSpace,
        premultipliedAlpha: true,
      },
      size: { width, height, depthOrArrayLayers: 1 },
    });
  return externalTextureSlot.make(new ExternalTextureCore(device, d.label, texture.valid ? texture.defaultView : null));
}
