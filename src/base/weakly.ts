// A cache that keeps nothing alive.

/** Values that are found by a text as long as someone has them. */
export class Weakly<T extends object> {
  private readonly known = new Map<string, WeakRef<T>>();
  private readonly forgotten = new FinalizationRegistry<string>((key) => {
    if (this.known.get(key)?.deref() === undefined) this.known.delete(key);
  });

  get size(): number { return this.known.size; }

  get(key: string): T | undefined { return this.known.get(key)?.deref(); }

  set(key: string, value: T): void {
    this.known.set(key, new WeakRef(value));
    this.forgotten.register(value, key);
  }
}
