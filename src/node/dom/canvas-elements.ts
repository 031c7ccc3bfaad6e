// Canvas elements of a document from a DOM package. Their contexts and pictures are those of Rasterloom.
import type { Definitions } from '../../base/definitions';
import { CanvasElement } from '../canvas';

/** What is read of an element of the package. */
export interface ForeignElement extends EventTarget {
  readonly style?: { readonly width: string; readonly height: string };
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
}

const SIDES = ['width', 'height'] as const;
/** Methods that the canvas behind an element has. */
const METHODS = [
  'getContext',
  'getPixels',
  'toPNG',
  'convertToBlob',
  'toBlob',
  'toDataURL',
  'transferControlToOffscreen',
  'transferToImageBitmap',
] as const;

/** Returns the canvas behind an element. */
const canvasBehind = (element: ForeignElement): CanvasElement =>
  CanvasElement.of(element)
  ?? CanvasElement.behind(
    element,
    element.getAttribute('width') ?? undefined,
    element.getAttribute('height') ?? undefined
  );

/**
 * Size in CSS pixels. Without layout, it is the inline style, or the attribute. A canvas with neither is as large
 * as the window, because pages give such canvases their size by style sheets.
 */
function layoutSide(element: ForeignElement, side: (typeof SIDES)[number]): number {
  const style = /^([\d.]+)px$/.exec(element.style?.[side] ?? '');
  if (style !== null) return Math.round(Number(style[1]));
  if (element.getAttribute(side) !== null) return canvasBehind(element)[side];
  return side === 'width' ? innerWidth : innerHeight;
}

function boxOf(element: ForeignElement): object {
  const [width, height] = SIDES.map((side) => layoutSide(element, side)) as [number, number];
  const box = { x: 0, y: 0, left: 0, top: 0, right: width, bottom: height, width, height };
  return { ...box, toJSON: () => box };
}

/** Gives the canvases of a document, by the prototype of their class, the members of Rasterloom's canvases. */
export function defineCanvases(names: Definitions, prototype: ForeignElement): void {
  const { setAttribute } = prototype;
  for (const side of SIDES) {
    names.define(prototype, side, {
      get(this: ForeignElement) {
        return canvasBehind(this)[side];
      },
      set(this: ForeignElement, value: number) {
        const canvas = canvasBehind(this);
        canvas[side] = value;
        setAttribute.call(this, side, String(canvas[side]));
      },
      configurable: true,
    });
    const name = side === 'width' ? 'Width' : 'Height';
    for (const member of [`client${name}`, `offset${name}`])
      names.define(prototype, member, {
        get(this: ForeignElement) {
          return layoutSide(this, side);
        },
        configurable: true,
      });
  }
  const methods = METHODS.map((method) => [
    method,
    function (this: ForeignElement, ...values: unknown[]): unknown {
      const canvas = canvasBehind(this);
      return (canvas[method] as (...values: unknown[]) => unknown).apply(canvas, values);
    },
  ]);
  names.put(prototype, {
    ...(Object.fromEntries(methods) as object),
    setAttribute(this: ForeignElement, name: string, value: unknown): void {
      setAttribute.call(this, name, String(value));
      const side = SIDES.find((each) => each === String(name).toLowerCase());
      if (side !== undefined) canvasBehind(this)[side] = value as number;
    },
    getBoundingClientRect(this: ForeignElement): object {
      return boxOf(this);
    },
    setPointerCapture(): void {},
    releasePointerCapture(): void {},
  });
}
