// copyExternalImageToTexture: https://www.w3.org/TR/webgpu/#dom-gpuqueue-copyexternalimagetotexture

import type { ImagePixels } from '../../surface/image';
import type { Picture } from '../canvas/surface';
import { TextureUsage } from '../idl/constants';
import * as copies from './copies';
import { refuse, type DeviceCore, type Fail } from '../core/device-core';
import { colorSpace } from '../idl/enums';
import {
  boolean,
  dictionary,
  isIterable,
  optional,
  origin,
  required,
  sequence,
  u32,
  type Convert,
  type Extent,
  type Origin,
} from '../idl/idl';
import { notDrawn, plainImage, type PlatformImage } from '../core/image-source';

const CALL = 'copyExternalImageToTexture';
const origin2d: Convert<Origin> = (value, at) => {
  if (isIterable(value) && sequence(u32)(value, at).length > 2)
    throw new TypeError(`${at} must have at most 2 numbers`);
  return origin(value, at);
};
export const anyImage: Convert<object> = (value, at) => {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${at} must be an image`);
  return value;
};
export const externalSource = dictionary('GPUCopyExternalImageSourceInfo', {
  source: required(anyImage),
  origin: optional(origin2d, [0, 0, 0] as Origin),
  flipY: optional(boolean, false),
});
type ExternalSource = ReturnType<typeof externalSource>;
export const externalTarget = dictionary('GPUCopyExternalImageDestInfo', {
  ...copies.textureInfo.members,
  colorSpace: optional(colorSpace, 'srgb'),
  premultipliedAlpha: optional(boolean, false),
});
type ExternalTarget = ReturnType<typeof externalTarget>;

/** Arguments of one copy. */
interface ExternalCopy {
  readonly device: DeviceCore;
  readonly source: ExternalSource;
  readonly target: ExternalTarget;
  readonly size: Extent;
}

/** Takes a snapshot of the image, or reads its pixels in queue order, and writes its texels in queue order. */
export function copyExternal(copy: ExternalCopy): void {
  const { device, source, target, size } = copy;
  const { texture } = target;
  const image = imageOf(device, source.source, `${CALL}: source.source`);
  if (typeof image !== 'string') checkInside(image, source, size);
  device.guard(() => {
    const no = (message: string): never => refuse(texture, CALL, message);
    if (typeof image === 'string') return no(image);
    check(copy, no);
    if (copies.isEmpty(size)) return;
    const { current = null } = image;
    if (current?.queue === device.queue)
      device.enqueue(() => write(copy, texelsOf(copy, readPicture(current.picture))), texture);
    else {
      // The other device's queue is finished first.
      if (current?.queue.drain() === false) throw notDrawn(CALL);
      const texels = texelsOf(copy, current === null ? image.pixels() : readPicture(current.picture));
      if (!device.queue.tryRunNow(() => write(copy, texels)))
        device.enqueue(() => write(copy, texels), texture, texels.length);
    }
  });
  device.queue.limit();
}

/** Throws a TypeError if `source` is no image, and a DOMException if it has no pixels yet. */
export function imageSize(device: DeviceCore, source: object, at: string): Pick<PlatformImage, 'width' | 'height'> {
  const image = imageOf(device, source, at);
  if (typeof image === 'string') throw new DOMException(`${at}: ${image}`, 'InvalidStateError');
  return image;
}

function imageOf(device: DeviceCore, source: object, at: string): PlatformImage | string {
  const image = device.readImage(source) ?? plainImage(source);
  if (image === null)
    throw new TypeError(
      `${at} is not an image: use ImageData, ImageBitmap, an image, video or canvas element, an OffscreenCanvas, `
        + 'a VideoFrame, or { data, width, height } with rgba8 data'
    );
  return image;
}

function checkInside(image: PlatformImage, { origin: [x, y] }: ExternalSource, size: Extent): void {
  const fail = (message: string): never => {
    throw new DOMException(`${CALL}: ${message}`, 'OperationError');
  };
  if (size.depthOrArrayLayers > 1) fail(`${size.depthOrArrayLayers} layers; an image has one`);
  if (x + size.width > image.width || y + size.height > image.height)
    fail(`${x}, ${y} with size ${size.width}×${size.height} exceeds the image's ${image.width}×${image.height}`);
}

function check({ device, target, size }: ExternalCopy, no: Fail): void {
  const { texture } = target;
  const { descriptor, format } = texture;
  copies.checkTextureInfo(target, size, 'COPY_DST', 'destination', { device, caller: texture, call: CALL, no });
  if (texture.destroyed) no(`the texture ${texture.fate}`);
  if ((descriptor.usage & TextureUsage.RENDER_ATTACHMENT) === 0)
    no('the texture needs usage RENDER_ATTACHMENT in addition to COPY_DST');
  if (descriptor.dimension !== '2d')
    no(`the texture is ${descriptor.dimension}; images can only be copied to 2d textures`);
  if (descriptor.sampleCount !== 1) no(`the texture has ${descriptor.sampleCount} samples; it must have one`);
  const { imageFormats, takesImages } = device.engine;
  if (!takesImages(format))
    no(
      `images cannot be copied to a texture of format ${format.name}; supported formats are ${imageFormats.join(', ')}`
    );
}

function readPicture(picture: Picture): ImagePixels {
  const { width, height, colorSpace } = picture;
  const data = new Uint8ClampedArray(width * height * 4);
  picture.read(data);
  return { data, width, height, colorSpace, premultiplied: false };
}

function texelsOf({ device, source, target, size }: ExternalCopy, image: ImagePixels): Uint8Array {
  const [left, top] = source.origin;
  const { width, height } = size;
  return device.engine.imageTexels(
    image,
    {
      format: target.texture.format,
      colorSpace: target.colorSpace,
      premultiplied: target.premultipliedAlpha,
      left,
      top,
      width,
      height,
      flipY: source.flipY,
    },
    (x, y) => device.render.constantMath.binary('pow', x, y)
  );
}

function write({ device, target, size }: ExternalCopy, texels: Uint8Array): void {
  const bytesPerRow = size.width * target.texture.format.bytes;
  device.render.writeTexture(copies.viewOf(target), texels, bytesPerRow, size.height, copies.sizeOf(size));
}
