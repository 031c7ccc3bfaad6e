// Storage for Node. It is in memory, and lost when install() is undone or the process ends, unless a file keeps it.
// https://html.spec.whatwg.org/multipage/webstorage.html#the-storage-interface
import { readFileSync, writeFileSync } from 'node:fs';
import { messageOf } from '../../gltf/errors';

/** Reads the items of a file; none if it does not exist. @throws Error if it holds something else */
function readItems(file: string): Map<string, string> {
  try {
    const items = JSON.parse(readFileSync(file, 'utf8')) as unknown;
    if (typeof items === 'object' && items !== null && Object.values(items).every((item) => typeof item === 'string'))
      return new Map(Object.entries(items as Record<string, string>));
    throw new Error('it is not an object of texts');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return new Map();
    throw new Error(`localStorage: the file ${file} of install({ storage }) cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

export class Storage {
  readonly #items: Map<string, string>;
  readonly #file: string | null;

  /** @param file keeps the items as JSON */
  constructor(file: string | null = null) {
    this.#file = file;
    this.#items = file === null ? new Map<string, string>() : readItems(file);
  }

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
    this.#write();
  }
  removeItem(key: unknown): void {
    if (this.#items.delete(String(key))) this.#write();
  }
  clear(): void {
    this.#items.clear();
    this.#write();
  }
  #write(): void {
    if (this.#file !== null) writeFileSync(this.#file, JSON.stringify(Object.fromEntries(this.#items), null, 1));
  }
  static keysOf(storage: Storage): string[] {
    return [...storage.#items.keys()];
  }
}

/**
 * Makes a storage whose items are also properties: `storage.name = 'value'`.
 * @param file keeps the items
 */
export function makeStorage(file: string | null = null): Storage {
  const storage = new Storage(file);
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
