// createImageBitmap for Node: of encoded images, pixels, bitmaps and canvases.
// https://html.spec.whatwg.org/multipage/imagebitmap-and-animations.html#dom-createimagebitmap
import type { ImagePixels } from '../surface/image';
import { CanvasElement } from './canvas';
import { ImageBitmap, ImageData, makeBitmap } from './image-data';

/** Of a page's options those that change what is copied to textures. */
interface Options {
  readonly imageOrientation?: string;
  readonly premultiplyAlpha?: string;
  readonly resizeWidth?: number;
  readonly resizeHeight?: number;
}

const stateError = (message: string): DOMException => new DOMException(
  `createImageBitmap: ${message}`, 'InvalidStateError'
);

async function pixelsOf(source: unknown): Promise<ImagePixels> {
  if (source instanceof Blob) {
    try {
      const { decodeFile } = await import('./image-files'), bytes = new Uint8Array(await source.arrayBuffer());
      return { ...(await decodeFile(bytes)), colorSpace: 'srgb', premultiplied: false };
    } catch (error) {
      throw stateError(error instanceof Error ? error.message : String(error));
    }
  }
  if (source instanceof ImageBitmap) {
    const pixels = ImageBitmap.pixelsOf(source);
    if (pixels === null) throw stateError('the ImageBitmap is closed');
    return pixels;
  }
  if (source instanceof ImageData) {
    const { width, height, colorSpace } = source;
    return { data: source.data.slice(), width, height, colorSpace, premultiplied: false };
  }
  if (source instanceof CanvasElement) return { ...(await source.getPixels()), premultiplied: false };
  throw new TypeError('createImageBitmap: the image must be a Blob, an ImageData, an ImageBitmap or a canvas');
}

/** A part of an image, transparent where it lies outside; sides may be negative. */
function crop(image: ImagePixels, [sx, sy, sw, sh]: readonly number[]): ImagePixels {
  const width = Math.abs(sw!), height = Math.abs(sh!);
  if (width === 0 || height === 0) throw new RangeError('createImageBitmap: a side is 0');
  const left = Math.min(sx!, sx! + sw!), top = Math.min(sy!, sy! + sh!), data = new Uint8Array(width * height * 4);
  const from = Math.max(0, left), end = Math.min(image.width, left + width);
  for (let y = Math.max(0, top); y < Math.min(image.height, top + height) && from < end; y++) {
    const row = y * image.width;
    data.set(image.data.subarray((row + from) * 4, (row + end) * 4), ((y - top) * width + from - left) * 4);
  }
  return { ...image, data, width, height };
}

function flip(image: ImagePixels): ImagePixels {
  const rowBytes = image.width * 4, data = new Uint8Array(image.data.length);
  for (let y = 0; y < image.height; y++)
    data.set(image.data.subarray(y * rowBytes, (y + 1) * rowBytes), (image.height - 1 - y) * rowBytes);
  return { ...image, data };
}

function premultiply(image: ImagePixels): ImagePixels {
  const data = new Uint8Array(image.data);
  for (let i = 0; i < data.length; i += 4)
    for (let c = 0; c < 3; c++) data[i + c] = Math.floor((data[i + c]! * data[i + 3]! + 127) / 255);
  return { ...image, data, premultiplied: true };
}

/**
 * As in pages. Encoded images are PNG, JPEG or WebP. Alpha is multiplied in where `premultiplyAlpha: 'premultiply'`
 * asks for it alone. Images are not resized.
 */
export async function createImageBitmap(source: unknown, ...args: unknown[]): Promise<ImageBitmap> {
  const isPart = args.length >= 4, options = (args[isPart ? 4 : 0] ?? {}) as Options;
  if (options.resizeWidth !== undefined || options.resizeHeight !== undefined)
    throw new DOMException('createImageBitmap: Rasterloom does not resize images in Node', 'NotSupportedError');
  let image = await pixelsOf(source);
  if (isPart) image = crop(image, args.slice(0, 4).map((side) => Math.trunc(Number(side))));
  if (options.imageOrientation === 'flipY') image = flip(image);
  if (options.premultiplyAlpha === 'premultiply' && !image.premultiplied) image = premultiply(image);
  return makeBitmap(image);
}
