// Uses the document of a DOM package, such as happy-dom: its elements, parser, events and observers of changes become
// global, and its canvases and images are those of Rasterloom.
import type { Definitions } from '../../base/definitions';
import { FontFaceSet } from '../drawing/font-face';
import { defineCanvases, type ForeignElement } from './canvas-elements';
import { defineImages } from './image-elements';

/** A document of a DOM package. Its window has the classes of its elements. */
interface ForeignDocument {
  readonly defaultView: object | null;
}

type Members = Readonly<Record<string, unknown>>;

/** Classes of Node that those of the document replace: its elements take only their own events. */
const REPLACED = ['Event', 'EventTarget', 'CustomEvent'];
/** Functions and objects of the window that become global. */
const TAKEN = [
  'customElements',
  'getComputedStyle',
  'getSelection',
  'history',
  'localStorage',
  'location',
  'matchMedia',
  'scroll',
  'scrollBy',
  'scrollTo',
  'sessionStorage',
];
/** Classes of the window that do not become global: those of Rasterloom work. */
const KEPT = new Set([
  'CanvasRenderingContext2D',
  'FileReader',
  'ImageBitmap',
  'ImageData',
  'IntersectionObserver',
  'OffscreenCanvas',
  'OffscreenCanvasRenderingContext2D',
  'Path2D',
  'ProgressEvent',
  'ResizeObserver',
  'XMLHttpRequest',
]);
const LISTENING = ['addEventListener', 'removeEventListener', 'dispatchEvent'];

/** Returns the names of all classes of a window. */
function classNames(view: object): string[] {
  const names = new Set<string>();
  for (let each: object | null = view; each !== null; each = Object.getPrototypeOf(each) as object | null)
    for (const name of Object.getOwnPropertyNames(each)) if (/^[A-Z]/.test(name)) names.add(name);
  return [...names];
}

/** @throws TypeError if an option is no document with the classes of its elements */
export function windowOf(document: unknown): Members {
  const view = (Object(document) as Partial<ForeignDocument>).defaultView as Members | null | undefined;
  if (typeof view?.HTMLCanvasElement === 'function' && typeof view.HTMLImageElement === 'function') return view;
  throw new TypeError(
    'install: document must be a document with a window, such as new Window().document of happy-dom; '
      + `${String(document)} has no window`
  );
}

/**
 * Returns the global names of a document, except those of WebGPU, pixels, requests, frames and sizes. It is called
 * before others are defined, because classes that Node has are Node's.
 */
export function documentNames(document: object, view: Members): Members {
  const bound = (name: string): unknown => {
    const value = view[name];
    return typeof value === 'function' ? (value as () => unknown).bind(view) : value;
  };
  const classes = classNames(view).filter(
    (name) => !KEPT.has(name) && (!(name in globalThis) || REPLACED.includes(name))
  );
  const others = [...TAKEN, ...LISTENING].filter((name) => name in view);
  const { innerWidth, innerHeight } = view;
  return {
    ...Object.fromEntries(classes.map((name) => [name, view[name]])),
    ...Object.fromEntries(others.map((name) => [name, bound(name)])),
    document,
    ...(Number(innerWidth) > 0 && Number(innerHeight) > 0 && { innerWidth, innerHeight }),
  };
}

/** Makes the canvases and images of a document those of Rasterloom. */
export function defineElements(names: Definitions, document: object, view: Members): void {
  if (!('fonts' in document)) names.put(document, { fonts: new FontFaceSet() });
  defineCanvases(names, prototypeOf(view.HTMLCanvasElement));
  defineImages(names, prototypeOf(view.HTMLImageElement), view.Event as new (type: string) => Event, [
    ...(document as ParentNode).querySelectorAll('img'),
  ]);
}

const prototypeOf = (type: unknown): ForeignElement => (type as { readonly prototype: ForeignElement }).prototype;
