// Canvases in Node, which has no screen: what is drawn stays in the device until it is asked for.
import {
  CanvasContextCore, contextObject, type Declared, type Picture, type PlatformImage, type Surface,
} from '../api';
import type { ImagePixels } from '../surface/image';
import { Context2D } from './context-2d';
import { Element } from './element';
import { frameBegan, frameForgotten } from './frames';
import { bitmapImage, ImageData, makeBitmap, type ImageBitmap } from './image-data';
import { ImageElement } from './image-element';
import { encodePicture } from './png';

const DEFAULT_WIDTH = 300, DEFAULT_HEIGHT = 150;

/** As HTML's `unsigned long` attributes take it: what is no length is the default. */
function length(value: unknown, fallback: number): number {
  const number = Math.trunc(Number(value));
  return number >= 0 && number <= 0x7fffffff ? number : fallback;
}

/** Frames of canvases that nobody has any more: where no callbacks come, nothing ends them. */
const forgotten = new FinalizationRegistry<() => void>((end) => frameForgotten(end));

class NodeSurface implements Surface {
  readonly canvas: CanvasElement;
  /** What the canvas shows. */
  shown: Picture | null = null;
  #ended: (() => void) | null = null;
  /** Holds no canvas: see `forgotten`. */
  readonly #end: () => void;

  constructor(canvas: CanvasElement) {
    this.canvas = canvas;
    const here = new WeakRef(this);
    this.#end = () => {
      const surface = here.deref();
      if (surface !== undefined) surface.#ended?.();
    };
    forgotten.register(this, this.#end);
  }
  get width(): number {
    return this.canvas.width;
  }
  get height(): number {
    return this.canvas.height;
  }
  cleared(): void {
    // What was shown is gone: see `#resized` of the element.
  }
  frameBegan(ended: () => void): void {
    this.#ended = ended;
    frameBegan(this.#end);
  }
  show(picture: Picture | null): void {
    this.shown?.release();
    this.shown = picture;
  }

  /** A picture as pixels of the canvas's size; transparent ones where there is none. */
  read(picture: Picture | null): ImageData {
    const from = picture ?? this.shown;
    const { width, height } = from ?? this, image = new ImageData(
      Math.max(1, width), Math.max(1, height), { colorSpace: from?.colorSpace ?? 'srgb' }
    );
    from?.read(image.data);
    return image;
  }
}

/** rgba8 pixels, row by row from the top, with alpha not multiplied in. */
export interface CanvasPixels {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  readonly colorSpace: 'srgb' | 'display-p3';
}
/**
 * A canvas, as `HTMLCanvasElement` and `OffscreenCanvas` are in pages, with a `webgpu` context, or a `2d` one that
 * copies pixels. Frames end with the callbacks of requestAnimationFrame that drew them; without those the current
 * texture stays the same one.
 */
export interface Canvas extends EventTarget {
  /** Pixels; setting one replaces the context's texture, and clears. */
  width: number;
  height: number;
  /**
   * The context for 'webgpu', or for '2d', always the same; null for others, and where the canvas has the other one.
   * That for '2d' has createImageData, getImageData, putImageData, clearRect, and drawImage for images as large as they
   * are.
   */
  getContext(kind: 'webgpu'): Declared<'GPUCanvasContext'>;
  getContext(kind: string): object | null;
  /** What the canvas shows once all that was submitted for it is drawn. */
  getPixels(): Promise<CanvasPixels>;
  /** The same as a PNG file. */
  toPNG(): Promise<Uint8Array>;
  /**
   * The same as a file of a type: image/png, image/jpeg or image/webp; PNG for others. `quality`: 0 … 1. An
   * EncodingError where the pixels are too many: 64 million, for PNG 256 million, sides that the format cannot have.
   */
  convertToBlob(options?: { type?: string; quality?: number }): Promise<Blob>;
  /** The same for a callback; null where it fails. */
  toBlob(callback: (blob: Blob | null) => void, type?: string, quality?: number): void;
  /**
   * A PNG file as a URL. Waits for what is being drawn, in the call; an InvalidStateError where that waits for pages of
   * a streamed texture.
   */
  toDataURL(): string;
  /** What the canvas shows; the frame ends. Waits, or throws, as `toDataURL`. */
  transferToImageBitmap(): { readonly width: number; readonly height: number; close(): void };
}

export class CanvasElement extends Element implements Canvas {
  #width: number;
  #height: number;
  readonly #surface = new NodeSurface(this);
  #context: CanvasContextCore | null = null;
  #object: object | null = null;
  #context2d: Context2D | null = null;

  constructor(width: unknown = DEFAULT_WIDTH, height: unknown = DEFAULT_HEIGHT) {
    super();
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

  /** A pixel is one of the page's. */
  override get clientWidth(): number {
    return this.#width;
  }
  override get clientHeight(): number {
    return this.#height;
  }

  getContext(kind: 'webgpu'): GPUCanvasContext;
  getContext(kind: string): object | null;
  getContext(kind: unknown): object | null {
    if (kind === '2d' && this.#context === null) return this.#copying();
    if (kind !== 'webgpu' || this.#context2d !== null) return null;
    this.#context ??= new CanvasContextCore(this.#surface);
    this.#object ??= contextObject(this.#context);
    return this.#object;
  }
  #copying(): Context2D {
    if (this.#context2d === null) {
      this.#context2d = new Context2D(this, CanvasElement.#read);
      this.#surface.show(this.#context2d);
    }
    return this.#context2d;
  }

  getPixels(): Promise<ImageData> {
    return new Promise((resolve, reject) => {
      const read = (picture: Picture | null): void => {
        // It is called by the queue, which would take what it throws for a failure of the device.
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
    if (typeof callback !== 'function') throw new TypeError('toBlob: the callback is no function');
    const told = (blob: Blob | null): void => {
      // As an exception in a callback of the platform, not as a promise that nobody heeds.
      process.nextTick(callback, blob);
    };
    this.convertToBlob({ type, quality }).then(told, () => told(null));
  }

  async #encode(type: string, quality?: number): Promise<{ readonly bytes: Uint8Array; readonly type: string }> {
    const { checkFileSize, encodeFile } = await import('./image-files');
    // Before its pixels are read. What is shown may be of another size, which encodeFile looks at.
    checkFileSize(this, type);
    return encodeFile(await this.getPixels(), type, quality);
  }

  toDataURL(): string {
    const { data, width, height, colorSpace } = this.#readNow('toDataURL');
    const png = encodePicture(new Uint8Array(data.buffer), width, height, colorSpace);
    return `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  }

  #readNow(call: string): ImageData {
    this.#context?.workOff(call);
    return this.#surface.read(this.#context?.current?.picture ?? null);
  }

  transferToImageBitmap(): ImageBitmap {
    if (this.#width === 0 || this.#height === 0)
      throw new DOMException(
        `transferToImageBitmap: a canvas of ${this.#width}×${this.#height} has no pixels`, 'InvalidStateError'
      );
    this.#context?.endFrameNow('transferToImageBitmap');
    const bitmap = makeBitmap({ ...this.#surface.read(null), premultiplied: false });
    this.#context2d?.resize(this.#width, this.#height);
    return bitmap;
  }

  /** For drawImage. */
  static #read(this: void, source: unknown): ImagePixels {
    if (source instanceof CanvasElement) return { ...source.#readNow('drawImage'), premultiplied: false };
    const image = source instanceof ImageElement ? ImageElement.imageOf(source) : bitmapImage(Object(source) as object);
    if (image === null) throw new TypeError('drawImage: the image must be an image element, an ImageBitmap or a canvas');
    if (typeof image === 'string') throw new DOMException(`drawImage: ${image}`, 'InvalidStateError');
    return image.pixels();
  }

  /** For copyExternalImageToTexture. */
  static imageOf(canvas: CanvasElement): PlatformImage {
    const surface = canvas.#surface, { width, height } = surface;
    if (width === 0 || height === 0) throw new DOMException('the canvas has no pixels', 'InvalidStateError');
    return {
      width, height, current: canvas.#context?.current ?? null,
      pixels: () => {
        canvas.#context?.workOff('copyExternalImageToTexture');
        return { ...surface.read(null), premultiplied: false };
      },
    };
  }
}

/** A canvas for Node. */
export const createCanvas = (width: number, height: number): Canvas => new CanvasElement(width, height);
