// An element for Node with the members that engines use. Attributes, styles and children are stored, but have no
// effect on pictures. There is no parser for HTML.
import { ClassList, makeDataset, Style } from './window/attributes';
import { selectorTest } from './window/selectors';

/** A text in an element. */
export class Text extends EventTarget {
  readonly nodeType = 3;
  readonly nodeName = '#text';
  data: string;
  parentNode: Element | null = null;

  constructor(data: unknown = '') {
    super();
    this.data = String(data);
  }
  get textContent(): string {
    return this.data;
  }
  remove(): void {
    this.parentNode?.removeChild(this);
  }
}

type Child = Element | Text;

export class Element extends EventTarget {
  readonly nodeType = 1;
  readonly localName: string;
  readonly style = new Style();
  readonly childNodes: Child[] = [];
  parentNode: Element | null = null;
  readonly #attributes = new Map<string, string>();
  #classList: ClassList | null = null;
  #dataset: Record<string, string> | null = null;

  constructor(localName = 'div') {
    super();
    this.localName = localName;
  }
  get tagName(): string {
    return this.localName.toUpperCase();
  }
  get nodeName(): string {
    return this.tagName;
  }
  get id(): string {
    return this.getAttribute('id') ?? '';
  }
  set id(value: unknown) {
    this.setAttribute('id', value);
  }
  get className(): string {
    return this.getAttribute('class') ?? '';
  }
  set className(value: unknown) {
    this.setAttribute('class', value);
  }
  get classList(): ClassList {
    return (this.#classList ??= new ClassList(this));
  }
  get dataset(): Record<string, string> {
    return (this.#dataset ??= makeDataset(this));
  }

  /** The installed document. */
  get ownerDocument(): object | null {
    return (globalThis as { readonly document?: object }).document ?? null;
  }
  getRootNode(): object | null {
    return this.ownerDocument;
  }
  get isConnected(): boolean {
    const { documentElement } = (this.ownerDocument ?? {}) as { readonly documentElement?: unknown };
    return documentElement instanceof Element && documentElement.contains(this);
  }

  /** There is no layout: only elements with a picture, and the page itself, have a size. */
  get clientWidth(): number {
    return 0;
  }
  get clientHeight(): number {
    return 0;
  }
  get offsetWidth(): number {
    return this.clientWidth;
  }
  get offsetHeight(): number {
    return this.clientHeight;
  }
  getBoundingClientRect(): object {
    const { clientWidth: width, clientHeight: height } = this;
    return { x: 0, y: 0, left: 0, top: 0, right: width, bottom: height, width, height };
  }

  setAttribute(name: string, value: unknown): void {
    this.#attributes.set(name, String(value));
  }
  getAttribute(name: string): string | null {
    return this.#attributes.get(name) ?? null;
  }
  hasAttribute(name: string): boolean {
    return this.#attributes.has(name);
  }
  removeAttribute(name: string): void {
    this.#attributes.delete(name);
  }

  get children(): Element[] {
    return this.childNodes.filter((child) => child instanceof Element);
  }
  get parentElement(): Element | null {
    return this.parentNode;
  }
  get firstChild(): Child | null {
    return this.childNodes[0] ?? null;
  }
  get lastChild(): Child | null {
    return this.childNodes.at(-1) ?? null;
  }
  get firstElementChild(): Element | null {
    return this.children[0] ?? null;
  }
  get textContent(): string {
    return this.childNodes.map((child) => child.textContent).join('');
  }
  set textContent(value: unknown) {
    this.replaceChildren(...(value === null || value === '' ? [] : [String(value)]));
  }

  appendChild<T>(child: T): T {
    return this.insertBefore(child, null);
  }
  insertBefore<T>(child: T, before: unknown): T {
    const node = child as Child;
    node.parentNode?.removeChild(node);
    const index = this.childNodes.indexOf(before as Child);
    this.childNodes.splice(index < 0 ? this.childNodes.length : index, 0, node);
    node.parentNode = this;
    return child;
  }
  append(...children: unknown[]): void {
    for (const child of children) this.appendChild(typeof child === 'string' ? new Text(child) : child);
  }
  prepend(...children: unknown[]): void {
    const { firstChild } = this;
    for (const child of children) this.insertBefore(typeof child === 'string' ? new Text(child) : child, firstChild);
  }
  replaceChildren(...children: unknown[]): void {
    for (const child of [...this.childNodes]) this.removeChild(child);
    this.append(...children);
  }
  removeChild<T>(child: T): T {
    const index = this.childNodes.indexOf(child as Child);
    if (index >= 0) {
      this.childNodes.splice(index, 1);
      (child as Child).parentNode = null;
    }
    return child;
  }
  remove(): void {
    this.parentNode?.removeChild(this);
  }
  contains(other: unknown): boolean {
    for (let each = other as Child | null | undefined; each; each = each.parentNode) if (each === this) return true;
    return false;
  }

  matches(selectors: string): boolean {
    return selectorTest(selectors)(this);
  }
  closest(selectors: string): Element | null {
    const test = selectorTest(selectors);
    return test(this) ? this : (this.parentNode?.closest(selectors) ?? null);
  }
  querySelector(selectors: string): Element | null {
    return this.querySelectorAll(selectors)[0] ?? null;
  }
  querySelectorAll(selectors: string): Element[] {
    const test = selectorTest(selectors);
    return [...this.#descendants()].filter(test);
  }
  getElementsByTagName(name: string): Element[] {
    return this.querySelectorAll(name);
  }
  getElementsByClassName(names: string): Element[] {
    return this.querySelectorAll(names.trim().replace(/^|\s+/g, '.'));
  }
  *#descendants(): Iterable<Element> {
    for (const child of this.children) {
      yield child;
      yield* child.#descendants();
    }
  }

  focus(): void {}
  blur(): void {}
  setPointerCapture(): void {}
  releasePointerCapture(): void {}
  hasPointerCapture(): boolean {
    return false;
  }
}
