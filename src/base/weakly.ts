// A cache that keeps nothing alive.

interface Known { readonly known: Map<string, WeakRef<object>>; readonly key: string }
/**
 * One for all caches, for good: where a registry was itself collected, V8 11.3 (Node 20) no longer told any other
 * registry of what was collected, and no dropped buffer gave its memory back.
 */
const forgotten = new FinalizationRegistry<Known>(({ known, key }) => {
  if (known.get(key)?.deref() === undefined) known.delete(key);
});

/** Values that are found by a text as long as someone has them. */
export class Weakly<T extends object> {
  private readonly known = new Map<string, WeakRef<T>>();

  get size(): number { return this.known.size; }

  get(key: string): T | undefined { return this.known.get(key)?.deref(); }

  set(key: string, value: T): void {
    this.known.set(key, new WeakRef(value));
    forgotten.register(value, { known: this.known, key });
  }
}
