// A small layout, for pages that place what they draw by the boxes of their elements. Blocks stack, inline blocks and
// words fill lines, and positioned elements follow their edges. Characters are assumed to be half as wide as the font.
// Not supported: floats, tables, collapsing with the margins of children, baselines, transforms and scrolling. Flexible
// boxes and grids are laid out as blocks. https://drafts.csswg.org/css-display/
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Edges, lineHeight, type Box, type Styles } from './boxes';
import { ORIGIN } from './order';

const CHARACTER_WIDTH = 0.5;
const ELEMENT = 1;
const TEXT = 3;
const HIDDEN = new Set(['head', 'script', 'style', 'link', 'meta', 'title', 'template', 'option']);
const POSITIONED = new Set(['absolute', 'fixed']);
const LINE_LEVEL = new Set(['inline', 'inline-block', 'inline-flex', 'inline-grid']);

type Style = CSSStyleDeclaration & Styles;

/** The content of a block, as far as it is laid out. */
class Flow {
  /** Bottom of the last line or block, and the margin below it. */
  bottom: number;
  margin = 0;
  /** End of the current line, and its height. */
  x = 0;
  lineHeight = 0;
  /** The longest line. */
  widest = 0;
  constructor(
    readonly left: number,
    top: number,
    readonly width: number
  ) {
    this.bottom = top;
  }

  /** Ends the current line. */
  break(): void {
    this.bottom += this.lineHeight;
    if (this.lineHeight > 0) this.margin = 0;
    this.x = this.lineHeight = 0;
  }

  /** Reserves room in the current line, or in the next one. Returns its left edge. */
  place(width: number, height: number): number {
    if (this.x > 0 && this.x + width > this.width) this.break();
    if (this.lineHeight === 0) this.bottom += this.margin;
    this.margin = 0;
    const left = this.left + this.x;
    this.x += width;
    this.widest = Math.max(this.widest, this.x);
    this.lineHeight = Math.max(this.lineHeight, height);
    return left;
  }
}

/** An element that is placed by its edges when all others have their boxes. */
interface Positioned {
  readonly element: Element;
  readonly styles: Style;
  /** The element that it refers to: null for the window. */
  readonly container: Element | null;
}

class Layout {
  /** Those of positioned elements have only their place in the flow, until they are placed. */
  readonly boxes = new Map<Element, Box>();
  readonly #positioned: Positioned[] = [];

  constructor(root: Element) {
    this.#block(root, getComputedStyle(root) as Style, new Flow(0, 0, innerWidth), null);
    // Placing one may find others in it.
    for (const each of this.#positioned) this.#place(each);
  }

  /** Lays out the children of an element. `container` is what positioned elements in it refer to. */
  #children(element: Element, flow: Flow, container: Element | null): void {
    for (const node of element.childNodes) {
      if (node.nodeType === TEXT) this.#text(node.nodeValue ?? '', element, flow);
      else if (node.nodeType === ELEMENT) this.#element(node as Element, flow, container);
    }
  }

  #element(element: Element, flow: Flow, container: Element | null): void {
    const styles = getComputedStyle(element) as Style;
    const isReplaced = 'width' in element && 'height' in element;
    const display = styles.display || (isReplaced ? 'inline' : 'block');
    if (display === 'none' || HIDDEN.has(element.localName)) return;
    if (element.localName === 'br') return flow.break();
    if (POSITIONED.has(styles.position)) {
      this.boxes.set(element, { left: flow.left + flow.x, top: flow.bottom + flow.margin, width: 0, height: 0 });
      this.#positioned.push({ element, styles, container: styles.position === 'fixed' ? null : container });
    } else if (display === 'inline' && !isReplaced) this.#inline(element, flow, container);
    else if (LINE_LEVEL.has(display)) this.#inlineBlock(element, styles, flow, container);
    else this.#block(element, styles, flow, container);
  }

  #text(text: string, parent: Element, flow: Flow): void {
    const words = text.split(/\s+/).filter((word) => word !== '');
    if (words.length === 0) return;
    const edges = new Edges(getComputedStyle(parent) as Style, flow.width);
    const height = lineHeight(edges.styles);
    for (const word of words) {
      if (flow.x > 0) flow.x += edges.em * CHARACTER_WIDTH;
      flow.place(word.length * edges.em * CHARACTER_WIDTH, height);
    }
  }

  /** The box of an inline element begins at its first line and ends at its last one. */
  #inline(element: Element, flow: Flow, container: Element | null): void {
    const [left, top] = [flow.left + flow.x, flow.bottom];
    this.#children(element, flow, container);
    const isOneLine = flow.bottom === top;
    const [from, to] = isOneLine ? [left, flow.left + flow.x] : [flow.left, flow.left + flow.widest];
    this.boxes.set(element, { left: from, top, width: to - from, height: flow.bottom + flow.lineHeight - top });
  }

  #inlineBlock(element: Element, styles: Style, flow: Flow, container: Element | null): void {
    const edges = new Edges(styles, flow.width, element.localName);
    const box = this.#box(element, edges, { left: 0, top: 0, width: Number.NaN, height: innerHeight }, container);
    const [before, above] = [edges.margin('Left'), edges.margin('Top')];
    const width = box.width + before + edges.margin('Right');
    const left = flow.place(width, box.height + above + edges.margin('Bottom')) + before;
    this.#move(element, left, flow.bottom + above);
  }

  #block(element: Element, styles: Style, flow: Flow, container: Element | null): void {
    flow.break();
    const edges = new Edges(styles, flow.width, element.localName);
    const outer = edges.margin('Left') + edges.margin('Right');
    const top = flow.bottom + Math.max(flow.margin, edges.margin('Top'));
    const place = { left: flow.left + edges.margin('Left'), top, width: flow.width - outer, height: innerHeight };
    const box = this.#box(element, edges, place, container);
    flow.widest = Math.max(flow.widest, box.width + outer);
    flow.bottom = top + box.height;
    flow.margin = edges.margin('Bottom');
  }

  /** Places a positioned element in the padding box of what it refers to. */
  #place({ element, styles, container }: Positioned): void {
    const { left: x, top: y } = this.boxes.get(element)!;
    const area = this.#paddingBox(container);
    const edges = new Edges(styles, area.width, element.localName);
    const [left, right] = [edges.length('left'), edges.length('right')];
    const [top, bottom] = [edges.length('top', area.height), edges.length('bottom', area.height)];
    const isStretched = left !== undefined && right !== undefined;
    const width = isStretched ? area.width - left - right : Number.NaN;
    const box = this.#box(element, edges, { left: 0, top: 0, width, height: area.height }, container);
    let [toLeft, toTop] = [x + edges.margin('Left'), y + edges.margin('Top')];
    if (left !== undefined) toLeft = area.left + left + edges.margin('Left');
    else if (right !== undefined) toLeft = area.left + area.width - right - edges.margin('Right') - box.width;
    if (top !== undefined) toTop = area.top + top + edges.margin('Top');
    else if (bottom !== undefined) toTop = area.top + area.height - bottom - edges.margin('Bottom') - box.height;
    this.#move(element, toLeft, toTop);
  }

  #paddingBox(element: Element | null): Box {
    if (element === null) return { left: 0, top: 0, width: innerWidth, height: innerHeight };
    const { left, top, width, height } = this.boxes.get(element)!;
    const edges = new Edges(getComputedStyle(element) as Style, 0);
    const [x, y] = [edges.border('Left'), edges.border('Top')];
    const [right, bottom] = [edges.border('Right'), edges.border('Bottom')];
    return { left: left + x, top: top + y, width: width - x - right, height: height - y - bottom };
  }

  /**
   * Lays out an element and what is in it.
   * @param place - where it begins; its width if the styles name none, NaN for that of the content; and the height
   *   that percentages refer to
   */
  #box(element: Element, edges: Edges, place: Box, container: Element | null): Box {
    const { left, top } = place;
    const own = canvasSize(element);
    const base = Number.isNaN(place.width) ? edges.containerWidth : place.width;
    const widest = edges.side('width', edges.containerWidth, own?.width ?? base);
    const content = new Flow(left + edges.inset('Left'), top + edges.inset('Top'), widest - edges.insets('Left'));
    const isContainer = !['', 'static', undefined].includes(edges.styles.position);
    this.#children(element, content, isContainer ? element : container);
    content.break();
    const fits = Number.isNaN(place.width) && own === undefined ? content.widest + edges.insets('Left') : widest;
    const full = content.bottom + content.margin - top + edges.inset('Bottom');
    const box = {
      left,
      top,
      width: edges.side('width', edges.containerWidth, fits),
      height: edges.side('height', place.height, own?.height ?? full),
    };
    this.boxes.set(element, box);
    return box;
  }

  /** Moves an element, which was laid out at 0, and what is in it. */
  #move(element: Element, left: number, top: number): void {
    for (const each of [element, ...element.querySelectorAll('*')]) {
      const box = this.boxes.get(each);
      if (box === undefined) continue;
      box.left += left;
      box.top += top;
    }
  }
}

/** Returns the size of a canvas, which has rules of its own (src/node/dom/canvas-elements.ts). */
const canvasSize = (element: Element): { width: number; height: number } | undefined =>
  element.localName === 'canvas' ? { width: element.clientWidth, height: element.clientHeight } : undefined;

/** Puts the text of the style sheets that a page links to behind the links, because happy-dom reads none. */
function inlineSheets(folder: string): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')) {
    const { origin, pathname } = new URL(link.getAttribute('href') ?? '', location.href);
    const file = join(folder, decodeURIComponent(pathname));
    if (origin !== ORIGIN || !existsSync(file)) continue;
    const style = document.createElement('style');
    style.textContent = readFileSync(file, 'utf8');
    link.after(style);
  }
}

/**
 * Gives the elements of the document boxes. Canvases keep theirs.
 * @param folder - folder of the origin of the page
 */
export function defineLayout(folder: string): void {
  inlineSheets(folder);
  let layout: Layout | undefined;
  let size = '';
  let changes: MutationObserver | undefined;
  const current = (): Layout => {
    if (changes === undefined) {
      changes = new MutationObserver(() => (layout = undefined));
      changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    }
    const window = `${innerWidth}x${innerHeight}`;
    if (changes.takeRecords().length > 0 || window !== size) layout = undefined;
    size = window;
    return (layout ??= new Layout(document.documentElement));
  };
  const boxOf = (element: Element): Box => current().boxes.get(element) ?? { left: 0, top: 0, width: 0, height: 0 };
  const prototype = HTMLElement.prototype;
  const client = (side: 'width' | 'height', ends: readonly ['Left', 'Right'] | readonly ['Top', 'Bottom']): object => ({
    get(this: Element): number {
      const edges = new Edges(getComputedStyle(this) as Style, innerWidth);
      const length = boxOf(this)[side];
      return Math.round(Math.max(0, length - edges.border(ends[0]) - edges.border(ends[1])));
    },
    configurable: true,
  });
  const offset = (side: keyof Box): object => ({
    get(this: Element): number {
      return Math.round(boxOf(this)[side]);
    },
    configurable: true,
  });
  Object.defineProperties(prototype, {
    clientWidth: client('width', ['Left', 'Right']),
    clientHeight: client('height', ['Top', 'Bottom']),
    offsetWidth: offset('width'),
    offsetHeight: offset('height'),
  });
  prototype.getBoundingClientRect = function (this: Element): DOMRect {
    const { left, top, width, height } = boxOf(this);
    const rect = { x: left, y: top, left, top, width, height, right: left + width, bottom: top + height };
    return { ...rect, toJSON: () => rect };
  };
}
