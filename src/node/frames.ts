// Frames in Node, where there is no screen: 60 a second at most, and none before the last one is drawn.
import { AnimationFrames, frames } from '../api';

const FRAME_MS = 1000 / 60;
/** Between two looks whether the last frame is drawn. */
const LOOK_MS = 1;

let due = 0;
let timer: NodeJS.Timeout | null = null;
let isCalling = false;
/** Whether a callback was asked for outside of callbacks, and has not come. */
let isAwaited = false;

const animationFrames = new AnimationFrames({
  next: (tick) => {
    const wait = frames.underWay > 0 ? LOOK_MS : due - performance.now();
    timer = setTimeout(() => {
      timer = null;
      const now = performance.now();
      if (frames.underWay === 0) {
        due = Math.max(due + FRAME_MS, now);
        isAwaited = false;
      }
      isCalling = true;
      try {
        tick(now);
      } finally {
        isCalling = false;
      }
    }, Math.max(LOOK_MS, wait));
    if (!isAwaited) timer.unref();
  },
  hasRoom: () => frames.underWay === 0,
  later: (task) => void setImmediate(task),
  // As an exception in a timer: the process ends with it, unless it listens.
  report: (error) => void setImmediate(() => { throw error; }),
  endsFrames: false,
});

/** See AnimationFrames.frameBegan. */
export const frameBegan = (ended: () => void): void => animationFrames.frameBegan(ended);

/** See AnimationFrames.frameForgotten. */
export const frameForgotten = (ended: () => void): void => animationFrames.frameForgotten(ended);

/**
 * As in a page: calls back before the next frame, at most 60 times a second, with the time. A callback waits until the
 * frames that canvases got before it are drawn. It keeps the process alive, as frames that are being drawn do; but not
 * one that a callback asks for: that is a loop, and would never end.
 */
export function requestAnimationFrame(callback: (time: number) => unknown): number {
  if (!isCalling) {
    isAwaited = true;
    timer?.ref();
  }
  return animationFrames.request(callback);
}

/** Forgets a callback that was not called yet. */
export const cancelAnimationFrame = (handle: number): void => animationFrames.cancel(handle);

/** Forgets all of them. */
export const cancelAnimationFrames = (): void => animationFrames.clear();
