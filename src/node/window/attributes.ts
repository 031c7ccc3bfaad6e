// Views of an element's attributes: classes, data and styles.
import { classesOf } from './selectors';

interface Owner {
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: unknown): void;
  removeAttribute(name: string): void;
}

/** https://dom.spec.whatwg.org/#interface-domtokenlist */
export class ClassList {
  readonly #owner: Owner;

  constructor(owner: Owner) {
    this.#owner = owner;
  }
  get length(): number {
    return classesOf(this.#owner).length;
  }
  get value(): string {
    return this.#owner.getAttribute('class') ?? '';
  }
  contains(name: string): boolean {
    return classesOf(this.#owner).includes(name);
  }
  add(...names: string[]): void {
    this.#set([...classesOf(this.#owner), ...names]);
  }
  remove(...names: string[]): void {
    this.#set(classesOf(this.#owner).filter((name) => !names.includes(name)));
  }
  toggle(name: string, force = !this.contains(name)): boolean {
    if (force) this.add(name);
    else this.remove(name);
    return force;
  }
  replace(before: string, name: string): boolean {
    const known = classesOf(this.#owner);
    if (!known.includes(before)) return false;
    this.#set(known.map((each) => (each === before ? name : each)));
    return true;
  }
  [Symbol.iterator](): Iterator<string> {
    return classesOf(this.#owner)[Symbol.iterator]();
  }
  #set(names: readonly string[]): void {
    this.#owner.setAttribute('class', [...new Set(names)].join(' '));
  }
}

const attributeOf = (name: string | symbol): string =>
  `data-${String(name).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Makes the `dataset` of an element: `dataset.fullName` is the attribute `data-full-name`. */
export const makeDataset = (owner: Owner): Record<string, string> =>
  new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => owner.getAttribute(attributeOf(name)) ?? undefined,
      has: (_, name) => owner.getAttribute(attributeOf(name)) !== null,
      set: (_, name, value) => {
        owner.setAttribute(attributeOf(name), value);
        return true;
      },
      deleteProperty: (_, name) => {
        owner.removeAttribute(attributeOf(name));
        return true;
      },
    }
  );

const memberOf = (name: string): string =>
  name.startsWith('--') ? name : name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Styles are stored and have no effect. */
export class Style {
  [name: string]: unknown;
  cssText = '';

  setProperty(name: string, value: unknown): void {
    this[memberOf(name)] = String(value);
  }
  getPropertyValue(name: string): string {
    return String(this[memberOf(name)] ?? '');
  }
  removeProperty(name: string): string {
    const before = this.getPropertyValue(name);
    this[memberOf(name)] = '';
    return before;
  }
}
