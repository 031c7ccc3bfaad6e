// The names of pages that engines ask for, put on Node's global object and taken away again.
import { pathToFileURL } from 'node:url';
import { globals, type CreateOptions } from '../api';
import { CanvasElement } from './canvas';
import { createImageBitmap } from './create-image-bitmap';
import { Document } from './document';
import { Element } from './element';
import { WindowEvents } from './events';
import { cancelAnimationFrame, cancelAnimationFrames, requestAnimationFrame } from './frames';
import { ImageBitmap, ImageData } from './image-data';
import { ImageElement } from './image-element';
import { resourceLimits, type ResourceOptions } from './resource-options';
import { limitResources } from './resources';
import { XMLHttpRequest } from './xml-http-request';

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

/** Of a window that programs ask for its size: that of many a screen. */
const WINDOW = { innerWidth: 1280, innerHeight: 720, devicePixelRatio: 1 };

/** Where relative URLs begin: the folder that the process runs in. */
function place(): URL {
  // Of a page from a file, Chrome says its origin like this; programs make URLs from it, which a URL's "null" refuses.
  return Object.defineProperty(pathToFileURL(`${process.cwd()}/`), 'origin', { value: 'file://' });
}

/** The names besides those of WebGPU. */
function pageNames(): Record<string, unknown> {
  return {
    self: globalThis, window: globalThis, document: new Document(), ...WINDOW,
    location: place(),
    ...new WindowEvents().names,
    requestAnimationFrame, cancelAnimationFrame, HTMLElement: Element, HTMLCanvasElement: CanvasElement,
    OffscreenCanvas: CanvasElement, HTMLImageElement: ImageElement, Image: ImageElement, ImageData, ImageBitmap,
    createImageBitmap, XMLHttpRequest,
  };
}

let installed = false;

/** Those of `create`, and what may be loaded. */
export interface InstallOptions extends CreateOptions {
  /** What images and requests may load. Default: files of the working folder, and the network, within bounds. */
  readonly resources?: ResourceOptions;
}

/**
 * For programs that are written for pages: puts `navigator.gpu`, the GPU* classes and constants,
 * requestAnimationFrame, and the names around canvases and images that engines ask for on the global object. The
 * options are those of `create`, and `resources`. What it returns puts back what was there, and forgets callbacks of
 * requestAnimationFrame.
 */
export function installWith(
  create: (options?: CreateOptions) => GPU
): (options?: InstallOptions) => () => void {
  return ({ resources, ...options } = {}) => {
    if (installed) throw new Error('install: Rasterloom is installed already; call what the first install() returned');
    const names = new Names(), limits = resourceLimits(resources), gpu = create(options);
    const here = globalThis as { navigator?: object };
    // Node has a navigator from version 21 on.
    if (here.navigator === undefined) names.put(globalThis, { navigator: { userAgent: `Node.js/${process.version}` } });
    names.put(here.navigator!, { gpu });
    names.put(globalThis, { ...globals, ...pageNames() });
    limitResources(limits);
    installed = true;
    return () => {
      if (!installed) return;
      installed = false;
      limitResources();
      cancelAnimationFrames();
      names.restore();
    };
  };
}
