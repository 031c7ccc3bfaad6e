// Canvases in Node, which has no screen: what is drawn stays in the device until it is asked for.
import {
  CanvasContextCore, contextObject, type Declared, type Picture, type PlatformImage, type Surface,
} from '../api';
import { Element } from './element';
import { frameBegan } from './frames';
import { ImageData, makeBitmap, type ImageBitmap } from './image-data';
import { encodePicture } from './png';

const DEFAULT_WIDTH = 300, DEFAULT_HEIGHT = 150;

/** As HTML's `unsigned long` attributes take it: what is no length is the default. */
function length(value: unknown, fallback: number): number {
  const number = Math.trunc(Number(value));
  return number >= 0 && number <= 0x7fffffff ? number : fallback;
}

class NodeSurface implements Surface {
  readonly canvas: CanvasElement;
  /** What the canvas shows. */
  shown: Picture | null = null;

  constructor(canvas: CanvasElement) {
    this.canvas = canvas;
  }
  get width(): number {
    return this.canvas.width;
  }
  get height(): number {
    return this.canvas.height;
  }
  resized(): void {
    // Setting a side has cleared.
  }
  frameBegan(ended: () => void): void {
    frameBegan(ended);
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
 * A canvas, as `HTMLCanvasElement` and `OffscreenCanvas` are in pages, with a `webgpu` context alone. Frames end with
 * the callbacks of requestAnimationFrame that drew them; without those the current texture stays the same one.
 */
export interface Canvas extends EventTarget {
  /** Pixels; setting one replaces the context's texture, and clears. */
  width: number;
  height: number;
  /** The context for 'webgpu', always the same; null for others. */
  getContext(kind: 'webgpu'): Declared<'GPUCanvasContext'>;
  getContext(kind: string): object | null;
  /** What the canvas shows once all that was submitted for it is drawn. */
  getPixels(): Promise<CanvasPixels>;
  /** The same as a PNG file. */
  toPNG(): Promise<Uint8Array>;
  /** The same as a file of a type: image/png, image/jpeg or image/webp; PNG for others. `quality`: 0 … 1. */
  convertToBlob(options?: { type?: string; quality?: number }): Promise<Blob>;
  toBlob(callback: (blob: Blob) => void, type?: string, quality?: number): void;
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
    this.#context?.replaceBuffer();
  }
  get height(): number {
    return this.#height;
  }
  set height(value: number) {
    this.#height = length(value, DEFAULT_HEIGHT);
    this.#context?.replaceBuffer();
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
    if (kind !== 'webgpu') return null;
    this.#context ??= new CanvasContextCore(this.#surface);
    this.#object ??= contextObject(this.#context);
    return this.#object;
  }

  getPixels(): Promise<ImageData> {
    return new Promise((resolve) => {
      const read = (picture: Picture | null): void => resolve(this.#surface.read(picture));
      if (this.#context === null) read(null);
      else this.#context.whenDrawn(read);
    });
  }

  async toPNG(): Promise<Uint8Array> {
    const { encodeFile } = await import('./image-files');
    return (await encodeFile(await this.getPixels(), 'image/png')).bytes;
  }

  async convertToBlob({ type = 'image/png', quality }: ImageEncodeOptions = {}): Promise<Blob> {
    const { encodeFile } = await import('./image-files');
    const file = await encodeFile(await this.getPixels(), type, quality);
    return new Blob([file.bytes as BlobPart], { type: file.type });
  }

  toBlob(callback: (blob: Blob) => void, type?: string, quality?: number): void {
    void this.convertToBlob({ type, quality }).then(callback);
  }

  toDataURL(): string {
    this.#context?.workOff('toDataURL');
    const { data, width, height, colorSpace } = this.#surface.read(this.#context?.current?.picture ?? null);
    const png = encodePicture(new Uint8Array(data.buffer), width, height, colorSpace);
    return `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  }

  transferToImageBitmap(): ImageBitmap {
    this.#context?.endFrameNow('transferToImageBitmap');
    return makeBitmap({ ...this.#surface.read(null), premultiplied: false });
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
