// Defines the browser globals that engines use on Node's global object, and removes them again.
import { pathToFileURL } from 'node:url';
import { globals, type CreateOptions } from '../api';
import { Definitions } from '../base/definitions';
import { CanvasElement } from './canvas';
import { createImageBitmap } from './create-image-bitmap';
import { Document } from './document';
import { Element } from './element';
import { WindowEvents } from './events';
import { cancelAnimationFrame, cancelAnimationFrames, requestAnimationFrame } from './frames';
import { ImageBitmap, ImageData } from './image-data';
import { ImageElement } from './image-element';
import { resourceLimits, type ResourceOptions } from './resource-options';
import { setResourceLimits } from './resources';
import { XMLHttpRequest } from './xml-http-request';

/** Properties of `window` that applications read: the size of a common screen. */
const WINDOW = { innerWidth: 1280, innerHeight: 720, devicePixelRatio: 1 };

/** Base of relative URLs: the working directory. */
function workingDirectoryUrl(): URL {
  // Chrome returns this origin for pages from files. Applications make URLs of it, and a URL's own origin "null" would
  // fail.
  return Object.defineProperty(pathToFileURL(`${process.cwd()}/`), 'origin', { value: 'file://' });
}

/** All globals except those of WebGPU. */
function pageNames(): Record<string, unknown> {
  return {
    self: globalThis,
    window: globalThis,
    document: new Document(),
    ...WINDOW,
    location: workingDirectoryUrl(),
    ...new WindowEvents().names,
    requestAnimationFrame,
    cancelAnimationFrame,
    HTMLElement: Element,
    HTMLCanvasElement: CanvasElement,
    OffscreenCanvas: CanvasElement,
    HTMLImageElement: ImageElement,
    Image: ImageElement,
    ImageData,
    ImageBitmap,
    createImageBitmap,
    XMLHttpRequest,
  };
}

let installed = false;

/** Options of `install`: those of `create`, and limits on loading. */
export interface InstallOptions extends CreateOptions {
  /** What images and requests may load. Default: files in the working directory, and the network, within limits. */
  readonly resources?: ResourceOptions;
}

/**
 * Makes `install`, which lets applications written for browsers run in Node. It defines `navigator.gpu`, the GPU*
 * classes and constants, requestAnimationFrame, and the globals around canvases and images that engines use. Its
 * options are those of `create`, and `resources`. The function that it returns restores the previous values and cancels
 * animation callbacks.
 */
export function makeInstall(create: (options?: CreateOptions) => GPU): (options?: InstallOptions) => () => void {
  return ({ resources, ...options } = {}) => {
    if (installed)
      throw new Error(
        'install: Rasterloom is already installed; to uninstall it, call the function that the first install() returned'
      );
    const names = new Definitions();
    const limits = resourceLimits(resources);
    const gpu = create(options);
    const here = globalThis as { navigator?: object };
    // Node has a `navigator` since version 21.
    if (here.navigator === undefined) names.put(globalThis, { navigator: { userAgent: `Node.js/${process.version}` } });
    names.put(here.navigator!, { gpu });
    names.put(globalThis, { ...globals, ...pageNames() });
    setResourceLimits(limits);
    installed = true;
    return () => {
      if (!installed) return;
      installed = false;
      setResourceLimits();
      cancelAnimationFrames();
      names.restore();
    };
  };
}
