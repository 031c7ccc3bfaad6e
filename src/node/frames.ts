// Animation frames in Node, which has no screen: at most 60 per second, and each after the previous one has finished.
import { AnimationFrames, frames, type VirtualFrames } from '../api';
import { clockMs } from '../base/clock';

const FRAME_MS = 1000 / 60;
const LEAST_MS = 1;
/**
 * Milliseconds between checks whether the last frame has finished, in case that its end is not noticed. Checks in each
 * millisecond took 6 % of the processor time of a frame of 2,000 meshes.
 */
const POLL_MS = 20;
/**
 * Callbacks that keep the process alive: those requested outside of callbacks (level 1), and within such callbacks
 * (level 2), because applications may await the second frame from now. Requests of later callbacks form a loop that
 * never ends.
 */
const KEEP_ALIVE_LEVELS = 2;

/** Earliest time of the next callbacks in milliseconds. */
let due = 0;
let timer: NodeJS.Timeout | null = null;
/** Level of the running callback: 0 outside of callbacks, otherwise the level of the request plus 1. */
let level = 0;
/** Whether a callback that keeps the process alive is pending. */
let isAwaited = false;

function startTimer(run: () => void, ms: number): NodeJS.Timeout {
  timer = setTimeout(run, ms);
  if (!isAwaited) timer.unref();
  return timer;
}

const hasRoom = (): boolean => frames.pendingFrames === 0;

const animationFrames = new AnimationFrames({
  next: (tick) => {
    const run = (): void => {
      timer = null;
      const now = clockMs();
      if (hasRoom()) {
        due = Math.min(Math.max(due + FRAME_MS, now), now + FRAME_MS);
        isAwaited = false;
      }
      tick(now);
    };
    const untilDue = (): number => Math.max(LEAST_MS, Math.ceil(due - clockMs()));
    if (hasRoom()) {
      startTimer(run, untilDue());
      return;
    }
    const polled = startTimer(run, Math.max(POLL_MS, untilDue()));
    frames.whenShown(() => {
      if (timer !== polled) return;
      clearTimeout(polled);
      startTimer(run, untilDue());
    });
  },
  hasRoom,
  later: (task) => void setImmediate(task),
  // The exception is uncaught, as in a timer.
  report: (error) =>
    void setImmediate(() => {
      throw error;
    }),
  endsFramesWithoutCallbacks: false,
  virtualFrames: () => globalThis.requestAnimationFrame as VirtualFrames | undefined,
});

/** See AnimationFrames.frameBegan. */
export const frameBegan = (ended: () => void): void => animationFrames.frameBegan(ended);

/** See AnimationFrames.frameDiscarded. */
export const frameDiscarded = (ended: () => void): void => animationFrames.frameDiscarded(ended);

/**
 * Calls `callback` before the next frame with the time in milliseconds, at most 60 times per second, as in browsers. A
 * callback waits until all earlier canvas frames have finished. A pending callback keeps the process alive, and so does
 * one that it requests itself. Later ones do not, because a loop would never end.
 *
 * @returns a handle for `cancelAnimationFrame`
 * @throws TypeError if `callback` is not a function
 */
export function requestAnimationFrame(callback: (time: number) => unknown): number {
  const own = level + 1;
  const handle = animationFrames.request(
    typeof callback !== 'function'
      ? callback
      : (time: number) => {
          level = own;
          try {
            callback(time);
          } finally {
            level = 0;
          }
        }
  );
  if (own <= KEEP_ALIVE_LEVELS) {
    isAwaited = true;
    timer?.ref();
  }
  return handle;
}

/** Cancels a callback that has not been called yet. `handle` is the result of `requestAnimationFrame`. */
export const cancelAnimationFrame = (handle: number): void => animationFrames.cancel(handle);

/** Cancels all pending callbacks. */
export const cancelAnimationFrames = (): void => animationFrames.clear();
