// What was used last, within a number of bytes.

export class Recent<T extends object> {
  /** In the order of their last use, with their bytes. */
  private readonly items = new Map<T, number>();
  private total = 0;
  private count = 0;

  constructor(private readonly mostBytes: number) {}

  get size(): number { return this.items.size; }

  /** Of all that are kept. */
  get bytes(): number { return this.total; }

  /** How many have been let go so far. */
  get dropped(): number { return this.count; }

  /** Keeps an item, and lets those go that were not used for the longest time, as many as are too much. */
  use(item: T, bytes: number): void {
    this.total += bytes - (this.items.get(item) ?? 0);
    this.items.delete(item);
    this.items.set(item, bytes);
    for (const [oldest, its] of this.items) {
      if (this.total <= this.mostBytes) break;
      this.items.delete(oldest);
      this.total -= its;
      this.count++;
    }
  }
}
