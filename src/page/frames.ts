// Animation frames in a page or worker.
import { AnimationFrames, frames, type VirtualFrames } from '../api';
import { later } from '../schedule';

const original: unknown = globalThis.requestAnimationFrame;
/** The browser's own function, which installFrames() replaces. It does not exist in workers of some browsers. */
const platform: ((tick: (time: number) => void) => unknown) | undefined =
  globalThis.requestAnimationFrame?.bind(globalThis);

/** Ends the frames of canvases, even if the page's requestAnimationFrame is not replaced. */
export const animationFrames = new AnimationFrames({
  next: (tick) => {
    if (platform === undefined) setTimeout(() => tick(performance.now()), 1000 / 60);
    else platform(tick);
  },
  // While two frames of a canvas are pending, the page does not draw a third one, which would only be shown later.
  hasRoom: () => !frames.isFull,
  later,
  report: (error) => globalThis.reportError(error),
  endsFramesWithoutCallbacks: true,
  // It is below or above those of installFrames().
  virtualFrames: () =>
    [original, globalThis.requestAnimationFrame].find((each) => each && Object.hasOwn(each, 'frameEnds')) as
      VirtualFrames | undefined,
});

/**
 * Like the browser's requestAnimationFrame, but callbacks wait while too many frames are pending.
 *
 * @returns a handle for `cancelAnimationFrame`
 * @throws TypeError if `callback` is not a function
 */
export const requestAnimationFrame = (callback: (time: number) => unknown): number => animationFrames.request(callback);
export const cancelAnimationFrame = (handle: number): void => animationFrames.cancel(handle);

/** Replaces the browser's functions, for applications that call them. */
export function installFrames(): void {
  Object.assign(globalThis, { requestAnimationFrame, cancelAnimationFrame });
}
