// A document for Node: it makes canvases, images, and elements that do nothing.
import { CanvasElement } from './canvas';
import { Element } from './element';
import { ImageElement } from './image-element';

export class Document extends EventTarget {
  readonly body = new Element();
  readonly head = new Element();
  readonly documentElement = new Element();
  /** There is nothing to wait for. */
  readonly readyState = 'complete';
  readonly hidden = false;
  readonly visibilityState = 'visible';

  createElement(name: string): Element {
    if (name === 'canvas') return new CanvasElement();
    return name === 'img' ? new ImageElement() : new Element();
  }
  createElementNS(_namespace: string, name: string): Element {
    return this.createElement(name);
  }
  getElementById(_id: string): null {
    return null;
  }
  querySelector(_selectors: string): null {
    return null;
  }
}
