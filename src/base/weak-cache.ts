// A cache that does not keep its values alive.

interface Known {
  readonly known: Map<string, WeakRef<object>>;
  readonly key: string;
}
/**
 * One registry for all caches, which is never collected. When a registry itself was collected, V8 11.3 (Node 20)
 * stopped notifying all other registries, and dropped buffers no longer returned their memory.
 */
const forgotten = new FinalizationRegistry<Known>(({ known, key }) => {
  if (known.get(key)?.deref() === undefined) known.delete(key);
});

/** Maps strings to values as long as the values are referenced elsewhere. */
export class WeakCache<T extends object> {
  private readonly known = new Map<string, WeakRef<T>>();

  get size(): number {
    return this.known.size;
  }

  get(key: string): T | undefined {
    return this.known.get(key)?.deref();
  }

  set(key: string, value: T): void {
    this.known.set(key, new WeakRef(value));
    forgotten.register(value, { known: this.known, key });
  }
}
