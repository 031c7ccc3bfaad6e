// Image elements of a document from a DOM package. Rasterloom loads and decodes their images.
import type { Definitions } from '../../base/definitions';
import { ImageElement } from '../image-element';
import { resolveName } from '../resources';
import type { ForeignElement } from './canvas-elements';

type MakeEvent = new (type: string) => Event;

/**
 * Gives the images of a document, by the prototype of their class, the members of Rasterloom's images.
 * @param present images that the document contains; they begin to load
 */
export function defineImages(
  names: Definitions,
  prototype: ForeignElement,
  PageEvent: MakeEvent,
  present: Iterable<ForeignElement>
): void {
  const { getAttribute, setAttribute } = prototype;
  const imageBehind = (element: ForeignElement): ImageElement => {
    const known = ImageElement.of(element);
    if (known !== null) return known;
    const image = ImageElement.behind(element);
    for (const type of ['load', 'error'])
      image.addEventListener(type, () => element.dispatchEvent(new PageEvent(type)));
    const src = getAttribute.call(element, 'src');
    if (src !== null) image.src = src;
    return image;
  };
  const members = ['complete', 'width', 'height', 'naturalWidth', 'naturalHeight'] as const;
  for (const member of members)
    names.define(prototype, member, {
      get(this: ForeignElement) {
        return imageBehind(this)[member];
      },
      // Of `width` and `height`, which have no effect here.
      set(this: ForeignElement, value: unknown) {
        setAttribute.call(this, member, String(value));
      },
      configurable: true,
    });
  names.define(prototype, 'src', {
    get(this: ForeignElement) {
      const { src } = imageBehind(this);
      return src === '' ? '' : resolveName(src).href;
    },
    set(this: ForeignElement, value: unknown) {
      // The package's own attribute is not set: it would load the image a second time.
      imageBehind(this).src = value;
    },
    configurable: true,
  });
  names.put(prototype, {
    decode(this: ForeignElement): Promise<void> {
      return imageBehind(this).decode();
    },
    getAttribute(this: ForeignElement, name: string): string | null {
      const isSource = String(name).toLowerCase() === 'src';
      return isSource ? imageBehind(this).src || null : getAttribute.call(this, name);
    },
    setAttribute(this: ForeignElement & { src: string }, name: string, value: unknown): void {
      if (String(name).toLowerCase() === 'src') this.src = String(value);
      else setAttribute.call(this, name, String(value));
    },
  });
  for (const element of present) imageBehind(element);
}
