// createImageBitmap for Node. Sources are encoded images, pixels, image elements, bitmaps and canvases.
// https://html.spec.whatwg.org/multipage/imagebitmap-and-animations.html#dom-createimagebitmap
import type { ImagePixels } from '../surface/image';
import { CanvasElement } from './canvas';
import { drawing } from './drawing/package';
import { ImageBitmap, ImageData, makeBitmap } from './image-data';
import { ImageElement } from './image-element';
import { reservePixels, type PixelReservation } from './image-memory';
import { crop, flip, premultiply, resize, RESIZE_QUALITIES, type Area, type ResizeQuality } from './pixels';
import { bytesLimit } from './resources';

/** The options that affect the pixels copied to textures. `colorSpaceConversion` has no effect. */
interface Options {
  readonly flipY: boolean;
  readonly premultiplies: boolean;
  readonly width: number | null;
  readonly height: number | null;
  readonly quality: ResizeQuality;
}

const stateError = (message: string): DOMException =>
  new DOMException(`createImageBitmap: ${message}`, 'InvalidStateError');

/** Converts a member of an enumeration as WebIDL does. */
function oneOf<T extends string>(given: object, name: string, values: readonly T[]): T {
  const value = (given as Readonly<Record<string, unknown>>)[name] ?? undefined;
  if (value === undefined) return values[0]!;
  const found = values.find((each) => each === String(value));
  if (found !== undefined) return found;
  throw new TypeError(`createImageBitmap: ${name} must be one of ${values.join(', ')}, not "${String(value)}"`);
}

function side(given: object, name: 'resizeWidth' | 'resizeHeight'): number | null {
  const value = (given as Readonly<Record<string, unknown>>)[name];
  if (value === undefined) return null;
  const number = Math.trunc(Number(value));
  if (!(number >= 0 && number <= 0xffff_ffff))
    throw new TypeError(`createImageBitmap: ${name} must be a number from 1 to 4294967295, not ${String(value)}`);
  if (number === 0) throw stateError(`${name} is 0`);
  return number;
}

function optionsOf(value: unknown): Options {
  const given: unknown = value ?? {};
  if (typeof given !== 'object' && typeof given !== 'function')
    throw new TypeError(`createImageBitmap: the options must be an object, not ${String(given)}`);
  // 'none' is the old name of 'from-image', and browsers still accept it.
  const orientation = oneOf(given as object, 'imageOrientation', ['from-image', 'flipY', 'none'] as const);
  const alpha = oneOf(given as object, 'premultiplyAlpha', ['default', 'none', 'premultiply'] as const);
  return {
    flipY: orientation === 'flipY',
    premultiplies: alpha === 'premultiply',
    width: side(given as object, 'resizeWidth'),
    height: side(given as object, 'resizeHeight'),
    quality: oneOf(given as object, 'resizeQuality', ['low', ...RESIZE_QUALITIES] as const),
  };
}

/** Converts `long` arguments; negative sides extend to the left or upwards. */
function areaOf(numbers: readonly unknown[]): Area {
  const [sx, sy, sw, sh] = numbers.map((value) => Number(value) | 0) as [number, number, number, number];
  if (sw === 0 || sh === 0) throw new RangeError('createImageBitmap: a side is 0');
  return { left: Math.min(sx, sx + sw), top: Math.min(sy, sy + sh), width: Math.abs(sw), height: Math.abs(sh) };
}

/** Returns the source's pixels, and the memory held for them unless the bitmap can share them. */
async function pixelsOf(source: unknown): Promise<{ pixels: ImagePixels; hold: PixelReservation | null }> {
  if (source instanceof Blob) return decodeBlob(source);
  if (source instanceof ImageBitmap) {
    const pixels = ImageBitmap.pixelsOf(source);
    if (pixels === null) throw stateError('the ImageBitmap is closed');
    return { pixels, hold: null };
  }
  const element = ImageElement.of(source);
  if (element !== null) {
    const image = ImageElement.imageOf(element);
    if (typeof image === 'string') throw stateError(image);
    return { pixels: image.pixels(), hold: null };
  }
  if (source instanceof ImageData) {
    const { width, height, colorSpace } = source;
    return { pixels: { data: source.data.slice(), width, height, colorSpace, premultiplied: false }, hold: null };
  }
  const canvas = CanvasElement.of(source);
  if (canvas !== null) return { pixels: { ...(await canvas.getPixels()), premultiplied: false }, hold: null };
  throw new TypeError(
    'createImageBitmap: the image must be a Blob, an ImageData, an ImageBitmap, an image element or a canvas'
  );
}

async function decodeBlob(source: Blob): Promise<{ pixels: ImagePixels; hold: PixelReservation }> {
  const most = bytesLimit();
  if (source.size > most)
    throw stateError(`the file has ${source.size} bytes; the limit is ${most}: install({ resources: { maxBytes } })`);
  try {
    const { decodeFile } = await import('./image-files');
    const { pixels, hold } = await decodeFile(new Uint8Array(await source.arrayBuffer()), reservePixels, drawing);
    return { pixels: { ...pixels, colorSpace: 'srgb', premultiplied: false }, hold };
  } catch (error) {
    throw stateError(error instanceof Error ? error.message : String(error));
  }
}

async function take({ width, height }: Pick<Area, 'width' | 'height'>): Promise<PixelReservation> {
  try {
    return await reservePixels(width, height);
  } catch (error) {
    throw stateError((error as Error).message);
  }
}

/** Returns the requested size. A side that is not given keeps the aspect ratio. */
function sizeOf({ width, height }: Area | ImagePixels, options: Options): readonly [width: number, height: number] {
  return [
    options.width ?? (options.height === null ? width : Math.ceil((width * options.height) / height)),
    options.height ?? (options.width === null ? height : Math.ceil((height * options.width) / width)),
  ];
}

/**
 * createImageBitmap as in browsers. Encoded images are PNG, JPEG or WebP; JPEG images are oriented by their Exif data
 * first. Alpha is premultiplied only with `premultiplyAlpha: 'premultiply'`.
 */
export async function createImageBitmap(source: unknown, ...args: unknown[]): Promise<ImageBitmap> {
  if (args.length === 2 || args.length === 3)
    throw new TypeError('createImageBitmap: for a part of an image, give all of sx, sy, sw and sh');
  const area = args.length >= 4 ? areaOf(args.slice(0, 4)) : null;
  const options = optionsOf(args[area === null ? 0 : 4]);
  const { pixels, hold } = await pixelsOf(source);
  const [width, height] = sizeOf(area ?? pixels, options);
  const held: (PixelReservation | null)[] = [hold];
  try {
    const isAll = area === null && width === pixels.width && height === pixels.height;
    // The cropped and resized copies take additional memory while the image exists.
    if (area !== null) held.push(await take(area));
    held.push(isAll && hold !== null ? null : await take({ width, height }));
    let image = resize(area === null ? pixels : crop(pixels, area), width, height, options.quality);
    if (options.flipY) image = flip(image);
    if (options.premultiplies && !image.premultiplied) image = premultiply(image);
    return makeBitmap(image, held.pop() ?? held.pop()!);
  } finally {
    for (const each of held) each?.release();
  }
}
