// Frames in Node, where there is no screen: 60 a second at most, and none before the last one is drawn.
import { AnimationFrames, frames } from '../api';

const FRAME_MS = 1000 / 60;
/** Between two looks whether the last frame is drawn. */
const LOOK_MS = 1;

let due = 0;

const animationFrames = new AnimationFrames({
  next: (tick) => {
    const wait = frames.underWay > 0 ? LOOK_MS : due - performance.now();
    // Callbacks alone keep no process alive; frames that are being drawn do.
    setTimeout(() => {
      const now = performance.now();
      if (frames.underWay === 0) due = Math.max(due + FRAME_MS, now);
      tick(now);
    }, Math.max(LOOK_MS, wait)).unref();
  },
  hasRoom: () => frames.underWay === 0,
  later: (task) => void setImmediate(task),
  // As an exception in a timer: the process ends with it, unless it listens.
  report: (error) => void setImmediate(() => { throw error; }),
  endsFrames: false,
});

/** See AnimationFrames.frameBegan. */
export const frameBegan = (ended: () => void): void => animationFrames.frameBegan(ended);

/**
 * As in a page: calls back before the next frame, at most 60 times a second, with the time. A callback waits until the
 * frames that canvases got before it are drawn. It does not keep the process alive; frames that are being drawn do.
 */
export const requestAnimationFrame = (
  callback: (time: number) => unknown
): number => animationFrames.request(callback);

/** Forgets a callback that was not called yet. */
export const cancelAnimationFrame = (handle: number): void => animationFrames.cancel(handle);

/** Forgets all of them. */
export const cancelAnimationFrames = (): void => animationFrames.clear();
