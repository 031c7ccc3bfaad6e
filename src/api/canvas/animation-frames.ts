// requestAnimationFrame for programs that may draw faster than their frames are rendered: callbacks are held back until
// there is room for another frame, and canvases' frames end when those callbacks are through that drew them.
// https://html.spec.whatwg.org/multipage/imagebitmap-and-animations.html#animation-frames

export interface FrameSource {
  /** Calls `tick` once, with the time, when the platform would draw its next frame. */
  next(tick: (time: number) => void): void;
  /** Whether callbacks may draw another frame now. */
  hasRoom(): boolean;
  /** Runs `task` in a macro-task of its own, soon. */
  later(task: () => void): void;
  /** Tells of what a callback throws. */
  report(error: unknown): void;
  /** Frames that are drawn outside of callbacks end by themselves; else with the next callbacks, if any come. */
  readonly endsFrames: boolean;
}

type Callback = (time: number) => unknown;

export class AnimationFrames {
  readonly #source: FrameSource;
  #callbacks = new Map<number, Callback>();
  #last = 0;
  #armed = false;
  /** Frames of canvases that have begun. */
  readonly #open = new Set<() => void>();

  constructor(source: FrameSource) {
    this.#source = source;
  }

  request(callback: unknown): number {
    if (typeof callback !== 'function') throw new TypeError('requestAnimationFrame: the callback is no function');
    this.#callbacks.set(++this.#last, callback as Callback);
    this.#arm();
    return this.#last;
  }

  cancel(handle: unknown): undefined {
    this.#callbacks.delete(Number(handle));
  }

  clear(): void {
    this.#callbacks.clear();
  }

  /** A canvas's frame has begun: `ended` is called behind the callbacks that are running, or before the next ones. */
  frameBegan(ended: () => void): void {
    this.#open.add(ended);
    if (this.#source.endsFrames) this.#arm();
  }

  /** Its canvas is gone: nothing is to be called. */
  frameForgotten(ended: () => void): void {
    this.#open.delete(ended);
  }

  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    this.#source.next((time) => this.#tick(time));
  }

  #tick(time: number): void {
    this.#armed = false;
    // Frames that end now are under way. A program that draws between any two ticks would never be called back if
    // they took the room.
    const hasRoom = this.#source.hasRoom(), ends = hasRoom || this.#source.endsFrames;
    if (ends) this.#endFrames();
    if (hasRoom) this.#run(time);
    // What callbacks promise happens before, as their microtasks.
    if (ends && this.#open.size > 0) this.#source.later(() => this.#endFrames());
    if (this.#callbacks.size > 0) this.#arm();
  }

  #run(time: number): void {
    const due = [...this.#callbacks.keys()];
    for (const handle of due) {
      const callback = this.#callbacks.get(handle);
      // Cancelled by one before it.
      if (callback === undefined) continue;
      this.#callbacks.delete(handle);
      try {
        callback(time);
      } catch (error) {
        this.#source.report(error);
      }
    }
  }

  #endFrames(): void {
    const open = [...this.#open];
    this.#open.clear();
    for (const ended of open) ended();
  }
}
