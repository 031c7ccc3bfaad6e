// Counts canvas frames that have ended but are not shown yet. The counts slow down applications that draw faster than
// their frames are rendered.

/** Maximum number of pending frames of one canvas; the next frame waits until there are fewer. */
export const MAX_FRAMES = 2;

class FrameCount {
  #all = 0;
  /** Number of canvases that have the most pending frames. */
  #full = 0;
  #onShown: (() => void) | null = null;

  /** Number of pending frames of all canvases. */
  get pendingFrames(): number {
    return this.#all;
  }
  get isFull(): boolean {
    return this.#full > 0;
  }

  /** Records that a canvas's frame has ended; the canvas has `count` pending frames now. */
  began(count: number): void {
    this.#all++;
    if (count === MAX_FRAMES) this.#full++;
  }
  /** Records that a pending frame was shown or dropped; the canvas has `count` left. */
  ended(count: number): void {
    this.#all--;
    if (count === MAX_FRAMES - 1) this.#full--;
    if (this.#all > 0) return;
    const act = this.#onShown;
    this.#onShown = null;
    act?.();
  }

  /** Calls `act` when no frame is pending any more, unless a later call of this method replaces it. */
  whenShown(act: () => void): void {
    this.#onShown = act;
  }
}
export const frames = new FrameCount();
