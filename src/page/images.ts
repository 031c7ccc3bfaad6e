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

/** `colorType` is newer than the DOM's types; browsers that do not have it pass it over. */
type Settings = CanvasRenderingContext2DSettings & { readonly colorType?: 'unorm8' | 'float16' };
const scratches = new Map<string, OffscreenCanvasRenderingContext2D>();

/**
 * Draws the image and reads it. Canvases multiply alpha in, so of eight bits not all come back where it is less than 1;
 * of half floats all do but where it is 0.
 */
function drawn(source: Drawable, [width, height]: Size, colorType: 'unorm8' | 'float16'): Uint8ClampedArray {
  const settings: Settings = { willReadFrequently: true, colorType };
  const context = scratches.get(colorType) ?? new OffscreenCanvas(1, 1).getContext('2d', settings)!;
  scratches.set(colorType, context);
  const { canvas } = context;
  // Setting a side clears, too.
  canvas.width = width;
  canvas.height = height;
  context.drawImage(source, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  canvas.width = canvas.height = 1;
  return data;
}

let webgl: WebGLRenderingContext | null = null;

/** The image's own bytes, by way of a texture of WebGL; null where that does not do it. */
function uploaded(source: ImageBitmap | HTMLImageElement, [width, height]: Size): Uint8ClampedArray | null {
  webgl ??= new OffscreenCanvas(1, 1).getContext('webgl');
  const gl = webgl;
  if (gl === null || gl.isContextLost()) return (webgl = null);
  const texture = gl.createTexture(), framebuffer = gl.createFramebuffer();
  const bytes = new Uint8Array(width * height * 4);
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, source);
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  gl.deleteFramebuffer(framebuffer);
  gl.deleteTexture(texture);
  return gl.getError() === gl.NO_ERROR ? new Uint8ClampedArray(bytes.buffer) : null;
}

const isOpaque = (data: Uint8ClampedArray): boolean => {
  for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) return false;
  return true;
};
/** Whether a colour is brighter than its alpha: alpha is not multiplied in. */
const isStraight = (data: Uint8ClampedArray): boolean => {
  for (let i = 0; i < data.length; i += 4)
    if (Math.max(data[i]!, data[i + 1]!, data[i + 2]!) > data[i + 3]!) return true;
  return false;
};

/** rgba8 with alpha not multiplied in: as the image has it, where it may have alpha so. */
function straightPixels(source: Drawable, size: Size): Uint8ClampedArray {
  const data = drawn(source, size, 'unorm8');
  const keepsAlpha = isA<ImageBitmap>(source, 'ImageBitmap') || isA<HTMLImageElement>(source, 'HTMLImageElement');
  if (!keepsAlpha || isOpaque(data)) return data;
  const bytes = uploaded(source, size);
  // Of a bitmap nobody says whether alpha is multiplied in. If it may be, drawing tells as much.
  return bytes !== null && isStraight(bytes) ? bytes : drawn(source, size, 'float16');
}

/** For `create`: the platform's images. */
export function readImage(source: object): PlatformImage | string | null {
  const size = sizeOf(source);
  if (size === null || typeof size === 'string') return size;
  const [width, height] = size;
  return {
    width, height, current: contextOf(source)?.current ?? null,
    pixels: () => {
      contextOf(source)?.workOff('copyExternalImageToTexture');
      return { data: straightPixels(source as Drawable, size), width, height, colorSpace: 'srgb', premultiplied: false };
    },
  };
}
