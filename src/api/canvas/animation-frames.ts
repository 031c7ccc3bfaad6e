// requestAnimationFrame for applications that may draw faster than their frames are rendered. Callbacks wait until
// there is room for another frame. A canvas's frame ends after the callbacks that drew it.
// https://html.spec.whatwg.org/multipage/imagebitmap-and-animations.html#animation-frames
import { startTimer } from '../../base/clock';
import { frames } from './frames';

/** A `requestAnimationFrame` of a virtual time (src/virtual-time). It calls and awaits `frameEnds` after its frames. */
export type VirtualFrames = Partial<{ readonly frameEnds: Set<() => unknown> }>;

/** Milliseconds between checks whether the frames of virtual time are drawn. */
const POLL_MS = 1;

export interface FrameSource {
  /** Calls `tick` once, with the time in milliseconds, when the platform draws its next frame. */
  next(tick: (time: number) => void): void;
  /** Whether callbacks may draw another frame now. */
  hasRoom(): boolean;
  /** Runs `task` soon, in a separate macrotask. */
  later(task: () => void): void;
  /** Reports an exception from a callback. */
  report(error: unknown): void;
  /**
   * Whether frames that are drawn outside callbacks end even if no callback is requested. Otherwise they end with the
   * next callbacks.
   */
  readonly endsFramesWithoutCallbacks: boolean;
  /** The function that requests frames now, if it may be one of a virtual time. */
  virtualFrames?(): VirtualFrames | undefined;
}

type Callback = (time: number) => unknown;

export class AnimationFrames {
  readonly #source: FrameSource;
  #callbacks = new Map<number, Callback>();
  #last = 0;
  #armed = false;
  /** End functions of the canvas frames that have begun. */
  readonly #open = new Set<() => void>();

  constructor(source: FrameSource) {
    this.#source = source;
  }

  request(callback: unknown): number {
    if (typeof callback !== 'function') throw new TypeError('requestAnimationFrame: the callback is not a function');
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

  /** A canvas's frame has begun. `ended` is called after the callbacks that are running, or before the next ones. */
  frameBegan(ended: () => void): void {
    this.#open.add(ended);
    this.#source.virtualFrames?.()?.frameEnds?.add(this.#endVirtualFrame);
    if (this.#source.endsFramesWithoutCallbacks) this.#arm();
  }

  /** The canvas is gone, so `ended` is not called. */
  frameDiscarded(ended: () => void): void {
    this.#open.delete(ended);
  }

  /** Ends the frames after one of virtual time, which goes on when they are drawn. */
  readonly #endVirtualFrame = async (): Promise<void> => {
    this.#endFrames();
    while (frames.pendingFrames > 0) await new Promise<void>((done) => void startTimer(done, POLL_MS));
  };

  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    this.#source.next((time) => this.#tick(time));
  }

  #tick(time: number): void {
    this.#armed = false;
    // The room is read first: frames that end in this tick count as pending afterwards. Otherwise an application that
    // draws between any two ticks would never get a callback.
    const hasRoom = this.#source.hasRoom();
    const ends = hasRoom || this.#source.endsFramesWithoutCallbacks;
    if (ends) this.#endFrames();
    if (hasRoom) this.#run(time);
    // The end waits for a macrotask, so that microtasks of the callbacks (their promises) run before it.
    if (ends && this.#open.size > 0) this.#source.later(() => this.#endFrames());
    if (this.#callbacks.size > 0) this.#arm();
  }

  #run(time: number): void {
    const due = [...this.#callbacks.keys()];
    for (const handle of due) {
      const callback = this.#callbacks.get(handle);
      // An earlier callback has cancelled it.
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
