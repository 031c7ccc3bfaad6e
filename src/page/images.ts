// Images of a page as pixels: what copyExternalImageToTexture reads there.
import type { PlatformImage } from '../api';
import { contextOf } from './canvas';

type Drawable = CanvasImageSource & (HTMLImageElement | HTMLVideoElement | VideoFrame | ImageBitmap | OffscreenCanvas
  | HTMLCanvasElement);
type Size = readonly [width: number, height: number];

const stateError = (message: string): DOMException => new DOMException(
  `copyExternalImageToTexture: ${message}`, 'InvalidStateError'
);
/** Whether it is an object of a class that this browser, or worker, has. */
const isA = <T>(source: object, name: string): source is T & object => {
  const constructor = (globalThis as unknown as Record<string, (abstract new () => T) | undefined>)[name];
  return constructor !== undefined && source instanceof constructor;
};

/**
 * The size of an image that has pixels; a sentence where it has none yet; null for what is no image.
 * https://html.spec.whatwg.org/multipage/canvas.html#check-the-usability-of-the-image-argument
 */
function sizeOf(source: object): Size | string | null {
  if (isA<HTMLImageElement>(source, 'HTMLImageElement')) {
    if (!source.complete) return 'the image is not loaded yet; wait for its load event, or for decode()';
    if (source.naturalWidth === 0) throw stateError('the image is broken');
    return [source.naturalWidth, source.naturalHeight];
  }
  if (isA<HTMLVideoElement>(source, 'HTMLVideoElement'))
    return source.readyState < source.HAVE_CURRENT_DATA ? 'the video has no frame yet'
      : [source.videoWidth, source.videoHeight];
  if (isA<VideoFrame>(source, 'VideoFrame')) {
    if (source.codedWidth === 0) throw stateError('the VideoFrame is closed');
    return [source.displayWidth, source.displayHeight];
  }
  if (isA<ImageBitmap>(source, 'ImageBitmap')) {
    if (source.width === 0) throw stateError('the ImageBitmap is closed');
    return [source.width, source.height];
  }
  if (isA<HTMLCanvasElement>(source, 'HTMLCanvasElement') || isA<OffscreenCanvas>(source, 'OffscreenCanvas')) {
    if (source.width === 0 || source.height === 0) throw stateError('the canvas has no pixels');
    return [source.width, source.height];
  }
  return null;
}

let scratch: OffscreenCanvasRenderingContext2D | null = null;

/** Draws the image and reads it: what alpha was multiplied into comes back as near as that allows. */
function drawn(source: Drawable, [width, height]: Size): ImageData {
  scratch ??= new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })!;
  const { canvas } = scratch;
  // Setting a side clears, too.
  canvas.width = width;
  canvas.height = height;
  scratch.drawImage(source, 0, 0, width, height);
  const image = scratch.getImageData(0, 0, width, height);
  canvas.width = canvas.height = 1;
  return image;
}

/** For `create`: the platform's images. */
export function readImage(source: object): PlatformImage | string | null {
  const size = sizeOf(source);
  if (size === null || typeof size === 'string') return size;
  const [width, height] = size;
  return {
    width, height, current: contextOf(source)?.core.current ?? null,
    pixels: () => {
      contextOf(source)?.core.workOff();
      const { data } = drawn(source as Drawable, size);
      return { data, width, height, colorSpace: 'srgb', premultiplied: false };
    },
  };
}
