// Frames of a page, or of a worker of it.
import { AnimationFrames, frames } from '../api';
import { later } from '../schedule';

/** The platform's own, which installing replaces. Workers of some browsers have none. */
const platform: ((tick: (time: number) => void) => unknown) | undefined =
  globalThis.requestAnimationFrame?.bind(globalThis);

/** Canvases' frames end here, also where the page's requestAnimationFrame is not replaced. */
export const animationFrames = new AnimationFrames({
  next: (tick) => {
    if (platform === undefined) setTimeout(() => tick(performance.now()), 1000 / 60);
    else platform(tick);
  },
  // While two frames of a canvas are under way, the page draws no third: it would be shown later still.
  hasRoom: () => !frames.isFull,
  later,
  report: (error) => globalThis.reportError(error),
  endsFrames: true,
});

/** The platform's, but callbacks wait while there are frames that are not shown. */
export const requestAnimationFrame = (
  callback: (time: number) => unknown
): number => animationFrames.request(callback);
export const cancelAnimationFrame = (handle: number): void => animationFrames.cancel(handle);

/** For programs that call the platform's. */
export function installFrames(): void {
  Object.assign(globalThis, { requestAnimationFrame, cancelAnimationFrame });
}
