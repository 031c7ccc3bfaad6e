// Frames that canvas contexts have ended and that are not shown yet: what holds programs back that draw faster than
// their frames are rendered.

/** Frames of one canvas that may be under way before the next one is begun. */
export const MOST_FRAMES = 2;

class FrameCount {
  #all = 0;
  /** Canvases with as many frames as they may have. */
  #full = 0;

  /** Of all canvases. */
  get underWay(): number {
    return this.#all;
  }
  get isFull(): boolean {
    return this.#full > 0;
  }

  /** One of a canvas's frames has ended; it has `count` under way now. */
  began(count: number): void {
    this.#all++;
    if (count === MOST_FRAMES) this.#full++;
  }
  /** One is shown, or dropped; `count` are left. */
  ended(count: number): void {
    this.#all--;
    if (count === MOST_FRAMES - 1) this.#full--;
  }
}
export const frames = new FrameCount();
