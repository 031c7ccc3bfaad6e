// A document for Node. It makes canvases, images, and elements without effect, and finds those that were added to it.
import { CanvasElement } from './canvas';
import { Element, Text } from './element';
import { FontFaceSet } from './drawing/font-face';
import { ImageElement } from './image-element';
import { VideoElement } from './window/video-element';

/** Size of `window` in CSS pixels: that of a common screen. */
export const WINDOW_SIZE = { innerWidth: 1280, innerHeight: 720 };

/** The root of a page, or its body: as large as the window. */
class PageElement extends Element {
  override get clientWidth(): number {
    return (globalThis as Partial<typeof WINDOW_SIZE>).innerWidth ?? WINDOW_SIZE.innerWidth;
  }
  override get clientHeight(): number {
    return (globalThis as Partial<typeof WINDOW_SIZE>).innerHeight ?? WINDOW_SIZE.innerHeight;
  }
}

export class Document extends EventTarget {
  readonly nodeType = 9;
  readonly documentElement = new PageElement('html');
  readonly head = new Element('head');
  readonly body = new PageElement('body');
  /** Always complete, because nothing is loaded. */
  readonly readyState = 'complete';
  readonly hidden = false;
  readonly visibilityState = 'visible';
  readonly fullscreenElement = null;
  readonly pointerLockElement = null;
  readonly fonts = new FontFaceSet();
  title = '';
  cookie = '';

  constructor() {
    super();
    this.documentElement.append(this.head, this.body);
  }
  get defaultView(): typeof globalThis {
    return globalThis;
  }
  get location(): Location {
    return location;
  }
  get baseURI(): string {
    return location.href;
  }
  get activeElement(): Element {
    return this.body;
  }
  hasFocus(): boolean {
    return true;
  }

  createElement(name: string): Element {
    if (name === 'canvas') return new CanvasElement();
    if (name === 'video') return new VideoElement();
    return name === 'img' ? new ImageElement() : new Element(String(name).toLowerCase());
  }
  createElementNS(_namespace: string, name: string): Element {
    return this.createElement(name);
  }
  createTextNode(data: unknown): Text {
    return new Text(data);
  }
  contains(node: unknown): boolean {
    return node === this || this.documentElement.contains(node);
  }
  getElementById(id: string): Element | null {
    return this.querySelectorAll('*').find((element) => element.id === String(id)) ?? null;
  }
  querySelector(selectors: string): Element | null {
    return this.querySelectorAll(selectors)[0] ?? null;
  }
  querySelectorAll(selectors: string): Element[] {
    const { documentElement } = this;
    const found = documentElement.querySelectorAll(selectors);
    return documentElement.matches(selectors) ? [documentElement, ...found] : found;
  }
  getElementsByTagName(name: string): Element[] {
    return this.querySelectorAll(name);
  }
  getElementsByClassName(names: string): Element[] {
    return this.documentElement.getElementsByClassName(names);
  }
}
