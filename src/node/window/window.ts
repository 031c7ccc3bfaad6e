// The members of `window` that programs for pages use, for Node.
import { startTimer, stopTimer } from '../../base/clock';
import { WINDOW_SIZE } from '../document';
import { FileReader } from './file-reader';
import { KeyboardEvent, MouseEvent, PointerEvent, WheelEvent } from './input-events';
import { IntersectionObserver, ResizeObserver } from './observers';
import { ProgressEvent } from './progress-event';
import { makeStorage, Storage } from './storage';

/** Nothing is displayed, so no media query matches. */
class MediaQueryList extends EventTarget {
  readonly matches = false;
  readonly media: string;
  onchange: unknown = null;

  constructor(media: string) {
    super();
    this.media = media;
  }
  /** Old names of addEventListener and removeEventListener. */
  addListener(listener: EventListener | null): void {
    this.addEventListener('change', listener);
  }
  removeListener(listener: EventListener | null): void {
    this.removeEventListener('change', listener);
  }
}

/** Makes a class that needs a real document: its constructor throws and says how to get one. */
const needsDocument = (name: string): object =>
  ({
    [name]: class {
      constructor() {
        throw new Error(
          `new ${name}: install() has no HTML parser and no document tree that can be observed; `
            + 'install happy-dom, and pass its document: install({ document: new Window().document })'
        );
      }
    },
  })[name]!;

const { innerWidth: width, innerHeight: height } = WINDOW_SIZE;

/** Members that do not depend on the document. */
export const windowNames = (): Readonly<Record<string, unknown>> => ({
  ...WINDOW_SIZE,
  outerWidth: width,
  outerHeight: height,
  devicePixelRatio: 1,
  scrollX: 0,
  scrollY: 0,
  screen: { width, height, availWidth: width, availHeight: height, colorDepth: 24, pixelDepth: 24 },
  isSecureContext: true,
  Storage,
  matchMedia: (media: unknown) => new MediaQueryList(String(media)),
  getComputedStyle: (element: { readonly style: object }) => element.style,
  requestIdleCallback: (callback: (deadline: object) => void): number =>
    Number(startTimer(callback, 1, { didTimeout: false, timeRemaining: () => 10 })),
  cancelIdleCallback: (id: number) => stopTimer(id),
  FileReader,
  ProgressEvent,
  MouseEvent,
  PointerEvent,
  WheelEvent,
  KeyboardEvent,
  ResizeObserver,
  IntersectionObserver,
  MutationObserver: needsDocument('MutationObserver'),
  DOMParser: needsDocument('DOMParser'),
});

/** Members that are made when they are first read. */
export const storageMakers = { localStorage: () => makeStorage(), sessionStorage: () => makeStorage() };
