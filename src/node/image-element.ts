// An image element for Node. It loads and decodes the image at its `src`.
// https://html.spec.whatwg.org/multipage/embedded-content.html#the-img-element
import type { PlatformImage } from '../api';
import type { ImagePixels } from '../surface/image';
import { messageOf } from '../gltf/errors';
import { shortUri } from '../gltf/files/uri';
import { drawing } from './drawing/package';
import { Element } from './element';
import { tell, type Handler } from './events';
import { NodeEvent } from './host';
import { reservePixels, type PixelReservation } from './image-memory';
import { fetchResource } from './resources';

async function load(src: string): Promise<Uint8Array> {
  const { status, statusText, body } = await fetchResource(src);
  if (status < 200 || status > 299) throw new Error(`${src} could not be fetched: ${status} ${statusText}`);
  return new Uint8Array(await body.arrayBuffer());
}

/** Decodes a file. Programs often do not look for the reason of an error event, so it is also printed. */
async function decode(src: string, bytes: Uint8Array): ReturnType<typeof import('./image-files').decodeFile> {
  const { decodeFile } = await import('./image-files');
  try {
    return await decodeFile(bytes, reservePixels, drawing);
  } catch (error) {
    console.error(`${shortUri(src)} cannot be shown: ${messageOf(error)}`);
    throw error;
  }
}

/** The images of elements of a document that install() was given. */
const imagesBehind = new WeakMap<object, ImageElement>();

export class ImageElement extends Element {
  #src = '';
  /** Identifies the load of the current `src`; results of earlier loads are ignored. */
  #load: object | null = null;
  #loading: Promise<void> = Promise.resolve();
  #pixels: ImagePixels | null = null;
  #hold: PixelReservation | null = null;
  #error: unknown = null;
  crossOrigin: string | null = null;
  onload: Handler = null;
  onerror: Handler = null;

  constructor() {
    super('img');
  }

  get src(): string {
    return this.#src;
  }
  set src(value: unknown) {
    this.#src = String(value);
    this.#pixels = this.#error = null;
    this.#hold?.release();
    this.#hold = null;
    this.#loading = this.#begin(this.#src);
  }
  get complete(): boolean {
    return this.#src === '' || this.#pixels !== null || this.#error !== null;
  }
  get width(): number {
    return this.#pixels?.width ?? 0;
  }
  get height(): number {
    return this.#pixels?.height ?? 0;
  }
  get naturalWidth(): number {
    return this.width;
  }
  get naturalHeight(): number {
    return this.height;
  }

  /** Resolves when the image is loaded. */
  async decode(): Promise<void> {
    await this.#loading;
    if (this.#pixels === null)
      throw new DOMException(`the image ${this.#src} cannot be decoded: ${String(this.#error)}`, 'EncodingError');
  }

  async #begin(src: string): Promise<void> {
    const own = (this.#load = {});
    try {
      const { pixels, hold } = await decode(src, await load(src));
      if (this.#load !== own) {
        hold.release();
        return;
      }
      this.#pixels = { ...pixels, colorSpace: 'srgb', premultiplied: false };
      this.#hold = hold;
      hold.ownedBy(this);
    } catch (error) {
      if (this.#load !== own) return;
      this.#error = error;
    }
    if (this.#error === null) tell(this, this.onload, new NodeEvent('load'));
    else tell(this, this.onerror, new NodeEvent('error'));
  }

  /** Makes the image of a document's element. */
  static behind(element: object): ImageElement {
    const image = new ImageElement();
    imagesBehind.set(element, image);
    return image;
  }
  /** Returns an image element, or that of an element of a document; null for other values. */
  static of(value: unknown): ImageElement | null {
    return value instanceof ImageElement ? value : (imagesBehind.get(Object(value) as object) ?? null);
  }

  /** Returns the element as an image for copyExternalImageToTexture. */
  static imageOf(image: ImageElement): PlatformImage | string {
    if (image.#error !== null) throw new DOMException(`the image ${image.#src} is broken`, 'InvalidStateError');
    const pixels = image.#pixels;
    return pixels === null
      ? `the image ${image.#src} is not loaded yet; wait for its load event, or for decode()`
      : { width: pixels.width, height: pixels.height, pixels: () => pixels };
  }
}
