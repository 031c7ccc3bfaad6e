// An element for Node with the members that engines use. Attributes, styles and children are stored, but have no
// effect.

export class Element extends EventTarget {
  readonly style: Record<string, string> = {};
  readonly children: unknown[] = [];
  readonly #attributes = new Map<string, string>();

  /** The installed document. */
  get ownerDocument(): object | null {
    return (globalThis as { readonly document?: object }).document ?? null;
  }
  getRootNode(): object | null {
    return this.ownerDocument;
  }

  /** There is no layout: only elements with a picture have a size. */
  get clientWidth(): number {
    return 0;
  }
  get clientHeight(): number {
    return 0;
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

  appendChild<T>(child: T): T {
    this.children.push(child);
    return child;
  }
  append(...children: unknown[]): void {
    this.children.push(...children);
  }
  removeChild<T>(child: T): T {
    const index = this.children.indexOf(child);
    if (index >= 0) this.children.splice(index, 1);
    return child;
  }
  remove(): void {}
  focus(): void {}
  setPointerCapture(): void {}
  releasePointerCapture(): void {}
}
