// Frames in Node, where there is no screen: 60 a second at most, and none before the last one is drawn.
import { AnimationFrames, frames } from '../api';

const FRAME_MS = 1000 / 60;
/** Between two looks whether the last frame is drawn. */
const LOOK_MS = 1;
/**
 * A callback keeps the process alive if the program asks for it outside of callbacks, or in a callback of that sort:
 * programs await the second frame from now. What later callbacks ask for is a loop, which would never end.
 */
const AWAITED_LEVELS = 2;

/** Taken when the module is loaded: fake timers of tests may stop the one of the global object. */
const clockMs = performance.now.bind(performance);

/** When callbacks may be called again. */
let due = 0;
let timer: NodeJS.Timeout | null = null;
/** 0 outside of callbacks; 1 in one that was asked for there; 2 in one that such a one has asked for … */
let level = 0;
/** Whether a callback that keeps the process alive was not called yet. */
let isAwaited = false;

const hasRoom = (): boolean => frames.underWay === 0;

const animationFrames = new AnimationFrames({
  next: (tick) => {
    timer = setTimeout(() => {
      timer = null;
      const now = clockMs();
      if (hasRoom()) {
        due = Math.min(Math.max(due + FRAME_MS, now), now + FRAME_MS);
        isAwaited = false;
      }
      tick(now);
    }, Math.max(LOOK_MS, Math.ceil(due - clockMs())));
    if (!isAwaited) timer.unref();
  },
  hasRoom,
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
 * frames that canvases got before it are drawn. It keeps the process alive, as frames that are being drawn do, and so
 * does one that it asks for itself; but none after those, because a loop would never end.
 */
export function requestAnimationFrame(callback: (time: number) => unknown): number {
  const own = level + 1;
  const handle = animationFrames.request(typeof callback !== 'function' ? callback : (time: number) => {
    level = own;
    try {
      callback(time);
    } finally {
      level = 0;
    }
  });
  if (own <= AWAITED_LEVELS) {
    isAwaited = true;
    timer?.ref();
  }
  return handle;
}

/** Forgets a callback that was not called yet. */
export const cancelAnimationFrame = (handle: number): void => animationFrames.cancel(handle);

/** Forgets all of them. */
export const cancelAnimationFrames = (): void => animationFrames.clear();
