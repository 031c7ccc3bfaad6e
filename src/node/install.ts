// The names of pages that engines ask for, put on Node's global object and taken away again.
import { globals, type CreateOptions } from '../api';
import { CanvasElement } from './canvas';
import { createImageBitmap } from './create-image-bitmap';
import { Document } from './document';
import { cancelAnimationFrame, requestAnimationFrame } from './frames';
import { ImageBitmap, ImageData } from './image-data';
import { ImageElement } from './image-element';

/** What a name held before; undefined: it was not there. */
interface Kept {
  readonly target: object;
  readonly name: string;
  readonly before: PropertyDescriptor | undefined;
}

/** Puts names in place, and what was there before back. */
class Names {
  readonly #kept: Kept[] = [];

  put(target: object, names: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(names)) {
      this.#kept.push({ target, name, before: Object.getOwnPropertyDescriptor(target, name) });
      Object.defineProperty(target, name, { value, writable: true, enumerable: false, configurable: true });
    }
  }

  restore(): void {
    for (const { target, name, before } of this.#kept.splice(0).reverse()) {
      if (before === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, before);
    }
  }
}

let installed = false;

/**
 * For programs that are written for pages: puts `navigator.gpu`, the GPU* classes and constants,
 * requestAnimationFrame, and the few names around canvases and images that engines ask for on the global object. The
 * options are those of `create`. What it returns puts back what was there. See README, "Canvas, images, frames".
 */
export function installWith(
  create: (options?: CreateOptions) => GPU
): (options?: CreateOptions) => () => void {
  return (options) => {
    if (installed) throw new Error('install: Rasterloom is installed already; call what the first install() returned');
    const names = new Names(), here = globalThis as { navigator?: object };
    // Node has a navigator from version 21 on.
    if (here.navigator === undefined) names.put(globalThis, { navigator: {} });
    names.put(here.navigator!, { gpu: create(options) });
    names.put(globalThis, {
      ...globals, requestAnimationFrame, cancelAnimationFrame, self: globalThis, document: new Document(),
      HTMLCanvasElement: CanvasElement, OffscreenCanvas: CanvasElement, Image: ImageElement,
      HTMLImageElement: ImageElement, ImageData, ImageBitmap, createImageBitmap,
    });
    installed = true;
    return () => {
      if (!installed) return;
      installed = false;
      names.restore();
    };
  };
}
