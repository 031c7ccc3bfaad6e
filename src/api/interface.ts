// Objects as WebIDL makes them: a class that cannot be constructed, accessors and operations on its prototype, a
// toStringTag, and what the object really is (its core) in a private field that no program can see.

import { text } from './text';

const token = Symbol('rasterloom');

/** First statement of every constructor that WebIDL does not expose. */
export function constructing(args: readonly unknown[]): void {
  if (args[0] !== token) throw new TypeError('Illegal constructor');
}

class ReturnsItsArgument {
  constructor(object: object) {
    return object;
  }
}

/** What every core that has a `label` attribute keeps. */
export interface Labelled {
  label: string;
}

export interface Slot<Core extends object> {
  readonly name: string;
  /** A new object of the class, with its core inside. */
  make(core: Core): object;
  /** The core of `this`; TypeError for anything else. */
  of(self: unknown): Core;
  /** The core of an object of this interface, or undefined. */
  find(value: unknown): Core | undefined;
  /** Says which class `make` makes. */
  attach(constructor: Constructor): void;
}

type Constructor = abstract new (...args: never[]) => object;

/** Makes the storage for the cores of one interface; `expose` joins it to the class. */
export function slot<Core extends object>(name: string): Slot<Core> {
  // Installing a private field by returning another object from the base constructor costs a tenth of a WeakMap
  // look-up.
  class Installed extends ReturnsItsArgument {
    readonly #core: Core;
    constructor(object: object, core: Core) {
      super(object);
      this.#core = core;
    }
    static find(value: unknown): Core | undefined {
      return typeof value === 'object' && value !== null && #core in value ? value.#core : undefined;
    }
  }
  let construct: (new (key: symbol) => object) | null = null;
  return {
    name,
    attach(constructor) {
      construct = constructor as unknown as new (key: symbol) => object;
    },
    make(core) {
      if (construct === null) throw new TypeError(`${name} is not exposed`);
      const object = new construct(token);
      new Installed(object, core);
      return object;
    },
    of(self) {
      const core = Installed.find(self);
      if (core === undefined) throw new TypeError(`Illegal invocation: this is not a ${name}`);
      return core;
    },
    find: (value) => Installed.find(value),
  };
}

/** Every exposed interface by name: what `globals` holds. */
export const interfaces: Record<string, unknown> = {};

/** Gives a class what WebIDL asks for beyond the class syntax, and its place in `globals`. */
export function expose(name: string, constructor: Constructor, storage: Slot<object> | null): void {
  complete(name, constructor, storage);
  interfaces[name] = constructor;
}

function complete(name: string, constructor: Constructor, storage: Slot<object> | null): void {
  const prototype = constructor.prototype as object;
  storage?.attach(constructor);
  Object.defineProperty(constructor, 'name', { value: name, configurable: true });
  Object.defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true });
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
    if (key !== 'constructor') Object.defineProperty(prototype, key, { ...property, enumerable: true });
}

/** The same for an interface that includes GPUObjectBase. */
export function exposeLabelled(name: string, constructor: Constructor, storage: Slot<Labelled>): void {
  completeLabelled(name, constructor, storage);
  interfaces[name] = constructor;
}

/** The same for one of our own, which is not among `globals`. */
export function completeLabelled(name: string, constructor: Constructor, storage: Slot<Labelled>): void {
  Object.defineProperty(constructor.prototype, 'label', {
    configurable: true,
    get(this: unknown) {
      return storage.of(this).label;
    },
    set(this: unknown, value: unknown) {
      storage.of(this).label = text(value, 'label');
    },
  });
  complete(name, constructor, storage);
}
