// A document for Node. It makes canvases, images, and inert elements.
import { CanvasElement } from './canvas';
import { Element } from './element';
import { ImageElement } from './image-element';

export class Document extends EventTarget {
  readonly body = new Element();
  readonly head = new Element();
  readonly documentElement = new Element();
  /** Always complete, because nothing is loaded. */
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
