/** Debug groups nest; encoders and passes each have their own. */
export class DebugGroups {
  #depth = 0;
  push(): void {
    this.#depth++;
  }
  /** False when none is open. */
  pop(): boolean {
    if (this.#depth === 0) return false;
    this.#depth--;
    return true;
  }
  get open(): number {
    return this.#depth;
  }
}
