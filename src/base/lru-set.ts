// A set of the most recently used items whose total size is limited.

export class LruSet<T extends object> {
  /** Items with their sizes in bytes, least recently used first. */
  private readonly items = new Map<T, number>();
  private total = 0;
  private count = 0;

  constructor(private readonly maxBytes: number) {}

  get size(): number {
    return this.items.size;
  }

  /** Total size of the items in bytes. */
  get bytes(): number {
    return this.total;
  }

  /** Number of items that have been dropped so far. */
  get dropped(): number {
    return this.count;
  }

  /** Adds an item or marks it as used, then drops the least recently used items until the total fits the limit. */
  use(item: T, bytes: number): void {
    this.total += bytes - (this.items.get(item) ?? 0);
    this.items.delete(item);
    this.items.set(item, bytes);
    for (const [oldest, its] of this.items) {
      if (this.total <= this.maxBytes) break;
      this.items.delete(oldest);
      this.total -= its;
      this.count++;
    }
  }
}
