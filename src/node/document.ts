// A document for Node: it makes canvases and images, and has nothing in it.
import { CanvasElement } from './canvas';
import { ImageElement } from './image-element';

export class Document extends EventTarget {
  createElement(name: string): EventTarget {
    if (name === 'canvas') return new CanvasElement();
    if (name === 'img') return new ImageElement();
    throw new DOMException(
      `document.createElement: Rasterloom has canvases and images in Node, but no "${name}"`, 'NotSupportedError'
    );
  }

  createElementNS(_namespace: string, name: string): EventTarget {
    return this.createElement(name);
  }
}
