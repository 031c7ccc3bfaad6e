// copyExternalImageToTexture, from ImageData and what looks like it:
// https://www.w3.org/TR/webgpu/#dom-gpuqueue-copyexternalimagetotexture

import { TextureUsage } from './constants';
import { textureInfo } from './copies';
import { refuse, type DeviceCore } from './device-core';
import {
  boolean, dictionary, isIterable, optional, origin, required, sequence, text, u32, type Convert, type Extent,
  type Origin,
} from './idl';

/** Straight-alpha rgba8 pixels, row by row. */
export interface Pixels {
  readonly data: Uint8ClampedArray | Uint8Array;
  readonly width: number;
  readonly height: number;
}
const origin2d: Convert<Origin> = (value, at) => {
  if (isIterable(value) && sequence(u32)(value, at).length > 2)
    throw new TypeError(`${at} must have at most 2 numbers`);
  return origin(value, at);
};
const anyObject: Convert<object> = (value, at) => {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${at} must be an image`);
  return value;
};
export const externalSource = dictionary('GPUCopyExternalImageSourceInfo', {
  source: required(anyObject), origin: optional(origin2d, [0, 0, 0] as Origin), flipY: optional(boolean, false),
});
export type ExternalSource = ReturnType<typeof externalSource>;
export const externalTarget = dictionary('GPUCopyExternalImageDestInfo', {
  ...textureInfo.members, colorSpace: optional(text, 'srgb'), premultipliedAlpha: optional(boolean, false),
});
export type ExternalTarget = ReturnType<typeof externalTarget>;

function pixelsOf(source: object): Pixels | null {
  const { data, width, height } = source as Partial<Pixels>;
  const bytes = data instanceof Uint8ClampedArray || data instanceof Uint8Array;
  return bytes && typeof width === 'number' && typeof height === 'number' && data.length >= width * height * 4
    ? { data, width, height }
    : null;
}

/** The image when it can be copied; null after an error has been reported. */
export function checkExternal(
  device: DeviceCore, source: ExternalSource, target: ExternalTarget, size: Extent
): Pixels | null {
  const { texture } = target;
  return device.guard(() => {
    const no = (message: string): never => refuse(texture, 'copyExternalImageToTexture', message);
    const image = pixelsOf(source.source);
    if (image === null)
      return no(
        `Rasterloom copies from ImageData only so far ({ data, width, height } with rgba8 data), not from ${Object.prototype.toString.call(source.source).slice(8, -1)}; draw it on a canvas and use getImageData()`
      );
    const name = texture.format.name;
    if (!/^(rgba8unorm|bgra8unorm)(-srgb)?$/.test(name))
      no(`Rasterloom copies images into rgba8unorm and bgra8unorm textures only so far, not into ${name}`);
    if (target.colorSpace !== 'srgb') no(`Rasterloom has colorSpace "srgb" only so far, not "${target.colorSpace}"`);
    if ((texture.descriptor.usage & TextureUsage.RENDER_ATTACHMENT) === 0)
      no('the texture needs usage RENDER_ATTACHMENT beside COPY_DST');
    if (size.depthOrArrayLayers > 1) no(`${size.depthOrArrayLayers} layers; an image has one`);
    const [x, y] = source.origin;
    if (x + size.width > image.width || y + size.height > image.height)
      throw new DOMException(
        `copyExternalImageToTexture: ${x}, ${y} with size ${size.width}×${size.height} exceeds the image's ${image.width}×${image.height}`,
        'OperationError'
      );
    return image;
  }) ?? null;
}

/** The pixels in the texture's order of channels, flipped and premultiplied as asked. */
export function imageBytes(image: Pixels, source: ExternalSource, target: ExternalTarget, size: Extent): Uint8Array {
  const { width, height } = size;
  const swap = target.texture.format.name.startsWith('bgra');
  const out = new Uint8Array(width * height * 4);
  const [left, top] = source.origin;
  for (let y = 0; y < height; y++) {
    // flipY turns the whole image over before the origin counts from its top.
    const row = source.flipY ? image.height - 1 - (top + y) : top + y;
    for (let x = 0; x < width; x++) {
      const from = (row * image.width + left + x) * 4, to = (y * width + x) * 4;
      const alpha = image.data[from + 3]!;
      for (let c = 0; c < 3; c++) {
        const value = image.data[from + c]!;
        out[to + (swap ? 2 - c : c)] = target.premultipliedAlpha ? Math.floor((value * alpha + 127) / 255) : value;
      }
      out[to + 3] = alpha;
    }
  }
  return out;
}
