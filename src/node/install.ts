// Defines the browser globals that engines use on Node's global object, and removes them again.
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { globals, type CreateOptions } from '../api';
import { Definitions } from '../base/definitions';
import { process } from './host';
import { CanvasElement } from './canvas';
import { Context2D } from './drawing/context-2d';
import { createImageBitmap } from './create-image-bitmap';
import { Document } from './document';
import { drawingAdvice, drawingPackage } from './drawing/package';
import { Element, Text } from './element';
import { defineElements, documentNames, windowOf } from './dom/document';
import { WindowEvents } from './events';
import { cancelAnimationFrame, cancelAnimationFrames, requestAnimationFrame } from './frames';
import { ImageBitmap, ImageData } from './image-data';
import { ImageElement } from './image-element';
import { FontFace } from './drawing/font-face';
import { useFonts } from './drawing/fonts';
import { resourceLimits, type ResourceOptions } from './resource-options';
import { setResourceLimits } from './resources';
import { makeFetch, makeRequest } from './window/fetch';
import { makeStorage } from './window/storage';
import { terminateWorkers, WebWorker } from './window/web-worker';
import { storageMakers, windowNames } from './window/window';
import { VideoElement } from './window/video-element';
import { XMLHttpRequest } from './xml-http-request';

/** Base of relative URLs. */
function folderUrl(folder: string): URL {
  // Chrome returns this origin for pages from files. Applications make URLs of it, and a URL's own origin "null" would
  // fail.
  return Object.defineProperty(pathToFileURL(`${folder}/`), 'origin', { value: 'file://' });
}

/** All globals except those of WebGPU. */
function pageNames(): Record<string, unknown> {
  return {
    self: globalThis,
    window: globalThis,
    ...windowNames(),
    ...new WindowEvents().names,
    requestAnimationFrame,
    cancelAnimationFrame,
    Element,
    HTMLElement: Element,
    Text,
    HTMLCanvasElement: CanvasElement,
    OffscreenCanvas: CanvasElement,
    CanvasRenderingContext2D: Context2D,
    OffscreenCanvasRenderingContext2D: Context2D,
    HTMLImageElement: ImageElement,
    HTMLVideoElement: VideoElement,
    FontFace,
    Image: ImageElement,
    ImageData,
    ImageBitmap,
    createImageBitmap,
    XMLHttpRequest,
    Worker: WebWorker,
  };
}

/** The class of paths is that of the optional package. */
function path2D(): unknown {
  const Native = drawingPackage()?.Path2D;
  if (Native !== undefined) return Native;
  return class Path2D {
    constructor() {
      throw new DOMException(`new Path2D ${drawingAdvice()}`, 'NotSupportedError');
    }
  };
}

let installed = false;

/** Options of `install`: those of `create`, and limits on loading. */
export interface InstallOptions extends CreateOptions {
  /** What images and requests may load. Default: files in the working directory, and the network, within limits. */
  readonly resources?: ResourceOptions;
  /**
   * `'browser'` hides what programs recognize Node by: `process`, and the `userAgent` of Node. Packages that need
   * `process` then fail. Default: `'node'`.
   */
  readonly platform?: 'node' | 'browser';
  /**
   * Files of fonts for text on 2D canvases, by their families: `{ 'Open Sans': 'fonts/OpenSans.ttf' }`. Text needs the
   * optional package `@napi-rs/canvas`, which also finds the fonts of the system. Fonts stay known until the process
   * ends. Default: none.
   */
  readonly fonts?: Readonly<Record<string, string | { readonly href: string }>>;
  /**
   * File in which `localStorage` keeps its items, as JSON: a path or a `file:` URL. It is written at each change, and
   * made if it does not exist. Default: in memory.
   */
  readonly storage?: string | { readonly href: string };
  /**
   * The document of a DOM package, such as `new Window().document` of happy-dom. Its elements, events, parser and
   * observers of changes become global, and its canvases and images are Rasterloom's. Default: a small document
   * without a parser.
   */
  readonly document?: { readonly defaultView: object | null };
}

/** Hides what programs recognize Node by. */
function hideNode(names: Definitions): void {
  names.remove(globalThis, 'process');
  names.put(navigator, { userAgent: 'Mozilla/5.0 (compatible; Rasterloom)' });
}

/** Defines the names of WebGPU and of a page, with those of a document that is not Rasterloom's own. */
function defineNames(names: Definitions, document: object | undefined, view: ReturnType<typeof windowOf> | null): void {
  const ofDocument = view === null ? {} : documentNames(document!, view);
  names.put(globalThis, { ...globals, ...pageNames(), ...ofDocument });
  const folder = process.cwd();
  const makers = {
    document: () => new Document(),
    location: () => folderUrl(folder),
    Path2D: path2D,
    ...storageMakers,
  };
  names.putLazily(globalThis, Object.fromEntries(Object.entries(makers).filter(([name]) => !(name in ofDocument))));
  if (view !== null) defineElements(names, document!, view);
}

/** Names that are made of those of Node. Node loads its `Request` when it is first read. */
function defineFetch(names: Definitions): void {
  const { get, value } = Object.getOwnPropertyDescriptor(globalThis, 'Request')!;
  names.put(globalThis, { fetch: makeFetch(globalThis.fetch) });
  names.putLazily(globalThis, {
    Request: () => makeRequest((get === undefined ? value : get.call(globalThis)) as typeof Request),
  });
}

/** @throws TypeError if the option `storage` is invalid */
function fileOf(storage: unknown): string | null {
  if (storage === undefined) return null;
  const { href = storage } = Object(storage) as { readonly href?: unknown };
  if (typeof href !== 'string' || href === '') throw new TypeError('install: storage must be a path or a file: URL');
  return /^file:/i.test(href) ? fileURLToPath(href) : resolve(href);
}

function checkedPlatform(platform: unknown = 'node'): 'node' | 'browser' {
  if (platform === 'node' || platform === 'browser') return platform;
  throw new TypeError(`install: platform must be 'node' or 'browser', not ${String(platform)}`);
}

/**
 * Makes `install`, which lets applications written for browsers run in Node. It defines `navigator.gpu`, the GPU*
 * classes and constants, requestAnimationFrame, and the globals around canvases and images that engines use. Its
 * options are those of `create`, and those of InstallOptions. The function that it returns restores the previous values
 * and cancels animation callbacks.
 */
export function makeInstall(create: (options?: CreateOptions) => GPU): (options?: InstallOptions) => () => void {
  return ({ resources, platform, document, fonts, storage, ...options } = {}) => {
    if (installed)
      throw new Error(
        'install: Rasterloom is already installed; to uninstall it, call the function that the first install() returned'
      );
    const names = new Definitions();
    const limits = resourceLimits(resources);
    const hidesNode = checkedPlatform(platform) === 'browser';
    const storageFile = fileOf(storage);
    const view = document === undefined ? null : windowOf(document);
    useFonts(fonts);
    const gpu = create(options);
    const here = globalThis as { navigator?: object };
    // Node has a `navigator` since version 21.
    if (here.navigator === undefined) names.put(globalThis, { navigator: { userAgent: `Node.js/${process.version}` } });
    names.put(here.navigator!, { gpu });
    defineNames(names, document, view);
    if (storageFile !== null) names.putLazily(globalThis, { localStorage: () => makeStorage(storageFile) });
    defineFetch(names);
    if (hidesNode) hideNode(names);
    setResourceLimits(limits);
    installed = true;
    return () => {
      if (!installed) return;
      installed = false;
      setResourceLimits();
      cancelAnimationFrames();
      terminateWorkers();
      names.restore();
    };
  };
}
