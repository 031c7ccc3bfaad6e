// Reads images of a page as pixels, for copyExternalImageToTexture.
import type { PlatformImage } from '../api';
import { contextOf } from './canvas';

type Drawable = CanvasImageSource
  & (HTMLImageElement | HTMLVideoElement | VideoFrame | ImageBitmap | OffscreenCanvas | HTMLCanvasElement);
type Size = readonly [width: number, height: number];

const stateError = (message: string): DOMException =>
  new DOMException(`copyExternalImageToTexture: ${message}`, 'InvalidStateError');
/** Whether `source` is an instance of a class that may not exist in this browser or worker. */
const isA = <T>(source: object, name: string): source is T & object => {
  const constructor = (globalThis as unknown as Record<string, (abstract new () => T) | undefined>)[name];
  return constructor !== undefined && source instanceof constructor;
};

/**
 * Returns the size of an image that has pixels, a sentence if it has none yet, or null for other objects.
 * https://html.spec.whatwg.org/multipage/canvas.html#check-the-usability-of-the-image-argument
 */
function sizeOf(source: object): Size | string | null {
  if (isA<HTMLImageElement>(source, 'HTMLImageElement')) {
    if (!source.complete) return 'the image is not loaded yet; wait for its load event, or for decode()';
    if (source.naturalWidth === 0) throw stateError('the image is broken');
    return [source.naturalWidth, source.naturalHeight];
  }
  if (isA<HTMLVideoElement>(source, 'HTMLVideoElement'))
    return source.readyState < source.HAVE_CURRENT_DATA
      ? 'the video has no frame yet'
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

/** `colorType` is not yet in the DOM types; browsers without it ignore it. */
type Settings = CanvasRenderingContext2DSettings & { readonly colorType?: 'unorm8' | 'float16' };
const scratches = new Map<string, OffscreenCanvasRenderingContext2D>();

/**
 * Draws the image to a canvas and reads it back. Canvases premultiply alpha. With 8 bits, colours with alpha below 1
 * are not exact; with half floats, all are exact unless alpha is 0.
 */
function drawn(source: Drawable, [width, height]: Size, colorType: 'unorm8' | 'float16'): Uint8ClampedArray {
  const settings: Settings = { willReadFrequently: true, colorType };
  const context = scratches.get(colorType) ?? new OffscreenCanvas(1, 1).getContext('2d', settings)!;
  scratches.set(colorType, context);
  const { canvas } = context;
  // Setting a side also clears the canvas.
  canvas.width = width;
  canvas.height = height;
  context.drawImage(source, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  canvas.width = canvas.height = 1;
  return data;
}

let webgl: WebGLRenderingContext | null = null;

/** Reads the image's unmodified bytes with a WebGL texture; returns null if that fails. */
function uploaded(source: ImageBitmap | HTMLImageElement, [width, height]: Size): Uint8ClampedArray | null {
  webgl ??= new OffscreenCanvas(1, 1).getContext('webgl');
  const gl = webgl;
  if (gl === null || gl.isContextLost()) return (webgl = null);
  const texture = gl.createTexture();
  const framebuffer = gl.createFramebuffer();
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
/** Whether a colour exceeds its alpha, so that alpha cannot be premultiplied. */
const isStraight = (data: Uint8ClampedArray): boolean => {
  for (let i = 0; i < data.length; i += 4)
    if (Math.max(data[i]!, data[i + 1]!, data[i + 2]!) > data[i + 3]!) return true;
  return false;
};

/** Returns rgba8 pixels with straight alpha, exactly as stored in the image where its alpha may be straight. */
function straightPixels(source: Drawable, size: Size): Uint8ClampedArray {
  const data = drawn(source, size, 'unorm8');
  const keepsAlpha = isA<ImageBitmap>(source, 'ImageBitmap') || isA<HTMLImageElement>(source, 'HTMLImageElement');
  if (!keepsAlpha || isOpaque(data)) return data;
  const bytes = uploaded(source, size);
  // Bitmaps do not say whether their alpha is premultiplied. If it may be, drawing loses nothing.
  return bytes !== null && isStraight(bytes) ? bytes : drawn(source, size, 'float16');
}

/** Reads images of the browser for `create`. */
export function readImage(source: object): PlatformImage | string | null {
  const size = sizeOf(source);
  if (size === null || typeof size === 'string') return size;
  const [width, height] = size;
  return {
    width,
    height,
    current: contextOf(source)?.current ?? null,
    pixels: () => {
      contextOf(source)?.drain('copyExternalImageToTexture');
      return {
        data: straightPixels(source as Drawable, size),
        width,
        height,
        colorSpace: 'srgb',
        premultiplied: false,
      };
    },
  };
}
