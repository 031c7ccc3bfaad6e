// Storage for Node, in memory: its contents are lost when install() is undone, or when the process ends.
// https://html.spec.whatwg.org/multipage/webstorage.html#the-storage-interface

export class Storage {
  readonly #items = new Map<string, string>();

  get length(): number {
    return this.#items.size;
  }
  key(index: number): string | null {
    return [...this.#items.keys()][Math.trunc(Number(index))] ?? null;
  }
  getItem(key: unknown): string | null {
    return this.#items.get(String(key)) ?? null;
  }
  setItem(key: unknown, value: unknown): void {
    this.#items.set(String(key), String(value));
  }
  removeItem(key: unknown): void {
    this.#items.delete(String(key));
  }
  clear(): void {
    this.#items.clear();
  }
  static keysOf(storage: Storage): string[] {
    return [...storage.#items.keys()];
  }
}

/** Makes a storage whose items are also properties: `storage.name = 'value'`. */
export function makeStorage(): Storage {
  const storage = new Storage();
  const isItem = (name: string | symbol): name is string => typeof name === 'string' && !(name in Storage.prototype);
  return new Proxy(storage, {
    get: (_, name) => {
      const own: unknown = Reflect.get(storage, name, storage);
      if (!isItem(name)) return typeof own === 'function' ? (own as () => unknown).bind(storage) : own;
      return storage.getItem(name) ?? undefined;
    },
    set: (_, name, value) => {
      if (isItem(name)) storage.setItem(name, value);
      return true;
    },
    has: (_, name) => (isItem(name) ? storage.getItem(name) !== null : name in Storage.prototype),
    deleteProperty: (_, name) => {
      if (isItem(name)) storage.removeItem(name);
      return true;
    },
    ownKeys: () => Storage.keysOf(storage),
    getOwnPropertyDescriptor: (_, name) => {
      const value = isItem(name) ? storage.getItem(name) : null;
      return value === null ? undefined : { value, writable: true, enumerable: true, configurable: true };
    },
  });
}
