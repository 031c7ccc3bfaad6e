// An image element for Node: it loads and decodes what its `src` names.
// https://html.spec.whatwg.org/multipage/embedded-content.html#the-img-element
import type { PlatformImage } from '../api';
import type { ImagePixels } from '../surface/image';
import { Element } from './element';
import { fetchResource } from './resources';

type Handler = ((event: Event) => unknown) | null;

async function load(src: string): Promise<Uint8Array> {
  const response = await fetchResource(src);
  if (!response.ok) throw new Error(`${src} could not be fetched: ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

export class ImageElement extends Element {
  #src = '';
  #loading: Promise<void> = Promise.resolve();
  #pixels: ImagePixels | null = null;
  #error: unknown = null;
  crossOrigin: string | null = null;
  onload: Handler = null;
  onerror: Handler = null;

  get src(): string {
    return this.#src;
  }
  set src(value: unknown) {
    this.#src = String(value);
    this.#pixels = this.#error = null;
    this.#loading = this.#load(this.#src);
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

  /** Resolves when the image is there. */
  async decode(): Promise<void> {
    await this.#loading;
    if (this.#pixels === null)
      throw new DOMException(`the image ${this.#src} cannot be decoded: ${String(this.#error)}`, 'EncodingError');
  }

  async #load(src: string): Promise<void> {
    let event = new Event('load');
    try {
      const { decodeFile } = await import('./image-files');
      const pixels = await decodeFile(await load(src));
      if (src !== this.#src) return;
      this.#pixels = { ...pixels, colorSpace: 'srgb', premultiplied: false };
    } catch (error) {
      if (src !== this.#src) return;
      this.#error = error;
      event = new Event('error');
    }
    (event.type === 'load' ? this.onload : this.onerror)?.call(this, event);
    this.dispatchEvent(event);
  }

  /** For copyExternalImageToTexture. */
  static imageOf(image: ImageElement): PlatformImage | string {
    if (image.#error !== null) throw new DOMException(`the image ${image.#src} is broken`, 'InvalidStateError');
    const pixels = image.#pixels;
    return pixels === null
      ? `the image ${image.#src} is not loaded yet; wait for its load event, or for decode()`
      : { width: pixels.width, height: pixels.height, pixels: () => pixels };
  }
}
