/** Counts nested debug groups. Each encoder and each pass has its own counter. */
export class DebugGroups {
  #depth = 0;
  push(): void {
    this.#depth++;
  }
  /** Closes the innermost group; returns false if none is open. */
  pop(): boolean {
    if (this.#depth === 0) return false;
    this.#depth--;
    return true;
  }
  get open(): number {
    return this.#depth;
  }
}
