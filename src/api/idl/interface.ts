// Objects as WebIDL defines them: classes without public constructors, with accessors and operations on the prototype
// and a toStringTag. The implementation of an object (its core) is in a private field that applications cannot access.

import { text } from './text';

const token = Symbol('rasterloom');

/** First statement of every constructor that WebIDL does not expose. */
export function rejectConstruction(args: readonly unknown[]): void {
  if (args[0] !== token) throw new TypeError('Illegal constructor');
}

class ReturnsArgument {
  constructor(object: object) {
    return object;
  }
}

/** State of every core with a `label` attribute. */
export interface Labelled {
  label: string;
}

export interface Slot<Core extends object> {
  readonly name: string;
  /** Makes an object of the class for a core. */
  make(core: Core): object;
  /** Returns the core of `this`; throws a TypeError for any other object. */
  of(self: unknown): Core;
  /** Returns the core of an object of this interface, or undefined. */
  find(value: unknown): Core | undefined;
  /** Sets the class whose objects `make` creates. */
  attach(constructor: Constructor): void;
}

type Constructor = abstract new (...args: never[]) => object;

/** Makes the storage for the cores of one interface; `expose` connects it to the class. */
export function slot<Core extends object>(name: string): Slot<Core> {
  // Returning another object from the base constructor adds the private field to that object. Access costs a tenth of a
  // WeakMap look-up.
  class Installed extends ReturnsArgument {
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

/** Every exposed interface by name; becomes part of `globals`. */
export const interfaces: Record<string, unknown> = {};

/** Adds what WebIDL requires beyond the class syntax, and exposes the class in `globals`. */
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

/** As `expose`, for an interface that includes GPUObjectBase. */
export function exposeLabelled(name: string, constructor: Constructor, storage: Slot<Labelled>): void {
  completeLabelled(name, constructor, storage);
  interfaces[name] = constructor;
}

/** As `exposeLabelled`, for an interface of Rasterloom that is not part of `globals`. */
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
