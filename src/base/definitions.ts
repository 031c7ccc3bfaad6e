// Properties of global objects that are replaced for a while.

/** Previous value of a property; undefined if it did not exist. */
interface SavedProperty {
  readonly target: object;
  readonly name: string;
  readonly before: PropertyDescriptor | undefined;
}

/** Defines properties, and restores their previous values. */
export class Definitions {
  readonly #kept: SavedProperty[] = [];

  put(target: object, names: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(names))
      this.define(target, name, { value, writable: true, enumerable: false, configurable: true });
  }

  define(target: object, name: string, property: PropertyDescriptor): void {
    this.#kept.push({ target, name, before: Object.getOwnPropertyDescriptor(target, name) });
    Object.defineProperty(target, name, property);
  }

  /** Defines properties whose values are made when they are first read. */
  putLazily(target: object, makers: Readonly<Record<string, () => unknown>>): void {
    for (const [name, make] of Object.entries(makers)) {
      const set = (value: unknown): void =>
        void Object.defineProperty(target, name, { value, writable: true, enumerable: false, configurable: true });
      const get = (): unknown => {
        const value = make();
        set(value);
        return value;
      };
      this.define(target, name, { get, set, enumerable: false, configurable: true });
    }
  }

  remove(target: object, name: string): void {
    this.#kept.push({ target, name, before: Object.getOwnPropertyDescriptor(target, name) });
    Reflect.deleteProperty(target, name);
  }

  restore(): void {
    for (const { target, name, before } of this.#kept.splice(0).reverse()) {
      if (before === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, before);
    }
  }
}
