// Canvases for Node. There is no screen, so pictures stay in the device until they are read.
import {
  CanvasContextCore,
  contextObject,
  type WebGpuType,
  type Picture,
  type PlatformImage,
  type Surface,
} from '../api';
import type { ImagePixels } from '../surface/image';
import { process } from './host';
import { Context2D } from './drawing/context-2d';
import { Element } from './element';
import { frameBegan, frameDiscarded } from './frames';
import { bitmapImage, ImageData, makeBitmap, type ImageBitmap } from './image-data';
import { ImageElement } from './image-element';
import { encodePicture } from './png';

const DEFAULT_WIDTH = 300;
const DEFAULT_HEIGHT = 150;

/** Converts a value like HTML's `unsigned long` attributes: invalid lengths become the default. */
function length(value: unknown, fallback: number): number {
  const number = Math.trunc(Number(value));
  return number >= 0 && number <= 0x7fffffff ? number : fallback;
}

/** Ends the frames of collected canvases. Without animation callbacks, nothing else would end them. */
const forgotten = new FinalizationRegistry<() => void>((end) => frameDiscarded(end));

class NodeSurface implements Surface {
  /** The object that programs know as the canvas. */
  canvas: object;
  readonly #size: CanvasElement;
  /** The picture that the canvas shows. */
  shown: Picture | null = null;
  #ended: (() => void) | null = null;
  /** Does not reference the canvas; see `forgotten`. */
  readonly #end: () => void;

  constructor(canvas: CanvasElement) {
    this.canvas = this.#size = canvas;
    const here = new WeakRef(this);
    this.#end = () => {
      const surface = here.deref();
      if (surface !== undefined) surface.#ended?.();
    };
    forgotten.register(this, this.#end);
  }
  get width(): number {
    return this.#size.width;
  }
  get height(): number {
    return this.#size.height;
  }
  cleared(): void {
    // The shown picture is already gone: see `#resized` of the element.
  }
  frameBegan(ended: () => void): void {
    this.#ended = ended;
    frameBegan(this.#end);
  }
  show(picture: Picture | null): void {
    this.shown?.release();
    this.shown = picture;
  }

  /** Returns a picture as pixels of its size; transparent pixels of the canvas's size if there is none. */
  read(picture: Picture | null): ImageData {
    const from = picture ?? this.shown;
    const { width, height } = from ?? this;
    const image = new ImageData(Math.max(1, width), Math.max(1, height), { colorSpace: from?.colorSpace ?? 'srgb' });
    from?.read(image.data);
    return image;
  }
}

/** rgba8 pixels with straight (not premultiplied) alpha, row by row from the top. */
export interface CanvasPixels {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  readonly colorSpace: 'srgb' | 'display-p3';
}
/** What every 2D context has: copies of pixels, like the same methods of `CanvasRenderingContext2D`. */
export interface CanvasContext2D {
  /** Makes transparent pixels. */
  createImageData(width: number, height: number): CanvasPixels;
  getImageData(x: number, y: number, width: number, height: number): CanvasPixels;
  putImageData(image: CanvasPixels, x: number, y: number): void;
  clearRect(x: number, y: number, width: number, height: number): void;
  /** Draws an image or a canvas without scaling. */
  drawImage(image: object, x: number, y: number): void;
}
/**
 * All members of `CanvasRenderingContext2D`, if the program declares that class. Operations other than copies need the
 * optional package `@napi-rs/canvas`, and throw a NotSupportedError that says so without it.
 */
export type DrawingContext = typeof globalThis extends {
  readonly CanvasRenderingContext2D: { readonly prototype: infer T };
}
  ? T
  : CanvasContext2D;

/**
 * A canvas for Node, like `HTMLCanvasElement` and `OffscreenCanvas` in browsers. It has a `webgpu` context, or a `2d`
 * context. A frame ends after the requestAnimationFrame callbacks that drew it. Without
 * callbacks, the current texture stays the same.
 */
export interface Canvas extends EventTarget {
  /** Size in pixels. Setting a side clears the canvas and replaces the context's texture. Default: 300×150. */
  width: number;
  height: number;
  /**
   * Returns the context for 'webgpu' or '2d', the same object in each call. Returns null for other kinds, and if the
   * canvas has a context of the other kind.
   */
  getContext(kind: 'webgpu'): WebGpuType<'GPUCanvasContext'>;
  getContext(kind: '2d', attributes?: object): DrawingContext | null;
  getContext(kind: string): object | null;
  /** Resolves to the picture of the canvas, after all work submitted for it has finished. */
  getPixels(): Promise<CanvasPixels>;
  /** Resolves to the picture as a PNG file. */
  toPNG(): Promise<Uint8Array>;
  /**
   * Resolves to the picture as a file of `type`: image/png, image/jpeg or image/webp; other types give PNG. `quality`
   * is 0 to 1. Rejects with an EncodingError if the picture has too many pixels: more than 64 million (PNG: 256
   * million), or a side that the format does not support.
   */
  convertToBlob(options?: { type?: string; quality?: number }): Promise<Blob>;
  /** Like `convertToBlob`, with a callback. It gets null if the encoding fails. */
  toBlob(callback: (blob: Blob | null) => void, type?: string, quality?: number): void;
  /**
   * Returns the picture as the URL of a PNG file. The call blocks until the submitted work has finished.
   *
   * @throws DOMException InvalidStateError if that work waits for pages of a streamed texture
   */
  toDataURL(): string;
  /** Ends the frame and returns its picture. Blocks and throws like `toDataURL`. */
  transferToImageBitmap(): { readonly width: number; readonly height: number; close(): void };
}

/** The canvases of elements of a document that install() was given. */
const canvasesBehind = new WeakMap<object, CanvasElement>();

export class CanvasElement extends Element implements Canvas {
  #width: number;
  #height: number;
  readonly #surface = new NodeSurface(this);
  #context: CanvasContextCore | null = null;
  #object: object | null = null;
  #context2d: Context2D | null = null;

  constructor(width: unknown = DEFAULT_WIDTH, height: unknown = DEFAULT_HEIGHT) {
    super('canvas');
    this.#width = length(width, DEFAULT_WIDTH);
    this.#height = length(height, DEFAULT_HEIGHT);
  }

  get width(): number {
    return this.#width;
  }
  set width(value: number) {
    this.#width = length(value, DEFAULT_WIDTH);
    this.#resized();
  }
  get height(): number {
    return this.#height;
  }
  set height(value: number) {
    this.#height = length(value, DEFAULT_HEIGHT);
    this.#resized();
  }
  #resized(): void {
    this.#context?.replaceBuffer();
    this.#context2d?.resize(this.#width, this.#height);
  }

  /** One canvas pixel is one CSS pixel. */
  override get clientWidth(): number {
    return this.#width;
  }
  override get clientHeight(): number {
    return this.#height;
  }

  getContext(kind: 'webgpu'): GPUCanvasContext;
  getContext(kind: '2d', attributes?: object): DrawingContext | null;
  getContext(kind: string): object | null;
  getContext(kind: unknown, attributes?: unknown): object | null {
    if (kind === '2d' && this.#context === null) return this.#drawing(attributes);
    if (kind !== 'webgpu' || this.#context2d !== null) return null;
    this.#context ??= new CanvasContextCore(this.#surface);
    this.#object ??= contextObject(this.#context);
    return this.#object;
  }
  #drawing(attributes: unknown): Context2D {
    if (this.#context2d === null) {
      this.#context2d = new Context2D(this, this.#surface.canvas, CanvasElement.#read, attributes);
      this.#surface.show(this.#context2d);
    }
    return this.#context2d;
  }

  getPixels(): Promise<ImageData> {
    return new Promise((resolve, reject) => {
      const read = (picture: Picture | null): void => {
        // The queue calls `read` and would treat an exception as a failure of the device.
        try {
          resolve(this.#surface.read(picture));
        } catch (error) {
          reject(error as Error);
        }
      };
      if (this.#context === null) read(null);
      else this.#context.whenDrawn(read);
    });
  }

  async toPNG(): Promise<Uint8Array> {
    return (await this.#encode('image/png')).bytes;
  }

  async convertToBlob({ type = 'image/png', quality }: ImageEncodeOptions = {}): Promise<Blob> {
    const file = await this.#encode(String(type), quality);
    return new Blob([file.bytes as BlobPart], { type: file.type });
  }

  toBlob(callback: (blob: Blob | null) => void, type?: string, quality?: number): void {
    if (typeof callback !== 'function') throw new TypeError('toBlob: the callback is not a function');
    const told = (blob: Blob | null): void => {
      // An exception of the callback is then uncaught, as in browsers, and not an unhandled rejection.
      process.nextTick(callback, blob);
    };
    this.convertToBlob({ type, quality }).then(told, () => told(null));
  }

  async #encode(type: string, quality?: number): Promise<{ readonly bytes: Uint8Array; readonly type: string }> {
    const { checkFileSize, encodeFile } = await import('./image-files');
    // Checked before the pixels are read. The shown picture may have another size, which encodeFile checks.
    checkFileSize(this, type);
    return encodeFile(await this.getPixels(), type, quality);
  }

  toDataURL(): string {
    const { data, width, height, colorSpace } = this.#readNow('toDataURL');
    const png = encodePicture(new Uint8Array(data.buffer), width, height, colorSpace);
    return `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  }

  #readNow(call: string): ImageData {
    this.#context?.drain(call);
    return this.#surface.read(this.#context?.current?.picture ?? null);
  }

  /**
   * Returns the canvas itself: it is also an OffscreenCanvas, and what is drawn there is its picture.
   *
   * @throws DOMException InvalidStateError if it has a context
   */
  transferControlToOffscreen(): CanvasElement {
    if (this.#context === null && this.#context2d === null) return this;
    throw new DOMException('transferControlToOffscreen: the canvas already has a context', 'InvalidStateError');
  }

  transferToImageBitmap(): ImageBitmap {
    if (this.#width === 0 || this.#height === 0)
      throw new DOMException(
        `transferToImageBitmap: a canvas of ${this.#width}×${this.#height} has no pixels`,
        'InvalidStateError'
      );
    this.#context?.endFrameNow('transferToImageBitmap');
    const bitmap = makeBitmap({ ...this.#surface.read(null), premultiplied: false });
    this.#context2d?.resize(this.#width, this.#height);
    return bitmap;
  }

  /** Reads the pixels of an image for drawImage. */
  static #read(this: void, source: unknown): ImagePixels {
    const canvas = CanvasElement.of(source);
    if (canvas !== null) return { ...canvas.#readNow('drawImage'), premultiplied: false };
    const element = ImageElement.of(source);
    const image = element !== null ? ImageElement.imageOf(element) : bitmapImage(Object(source) as object);
    if (image === null)
      throw new TypeError('drawImage: the image must be an image element, an ImageBitmap or a canvas');
    if (typeof image === 'string') throw new DOMException(`drawImage: ${image}`, 'InvalidStateError');
    return image.pixels();
  }

  /** Makes the canvas of a document's element, whose contexts then name the element. */
  static behind(element: object, width: unknown, height: unknown): CanvasElement {
    const canvas = new CanvasElement(width, height);
    canvas.#surface.canvas = element;
    canvasesBehind.set(element, canvas);
    return canvas;
  }
  /** Returns a canvas, or that of an element; null for other values. */
  static of(value: unknown): CanvasElement | null {
    return value instanceof CanvasElement ? value : (canvasesBehind.get(Object(value) as object) ?? null);
  }

  /** Returns the canvas as an image for copyExternalImageToTexture. */
  static imageOf(canvas: CanvasElement): PlatformImage {
    const surface = canvas.#surface;
    const { width, height } = surface;
    if (width === 0 || height === 0) throw new DOMException('the canvas has no pixels', 'InvalidStateError');
    return {
      width,
      height,
      current: canvas.#context?.current ?? null,
      pixels: () => {
        canvas.#context?.drain('copyExternalImageToTexture');
        return { ...surface.read(null), premultiplied: false };
      },
    };
  }
}

/** Creates a canvas for Node, with its size in pixels. Invalid sizes become the default, 300×150. */
export const createCanvas = (width: number, height: number): Canvas => new CanvasElement(width, height);
