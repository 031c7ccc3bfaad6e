// What copyExternalImageToTexture takes: pixels, and what the platform has of images, which the entry points for pages
// and for Node read.

import type { WorkQueue } from '../schedule';
import type { ImagePixels } from '../surface/image';
import type { Picture } from './canvas/surface';

/** An image as it is now. */
export interface PlatformImage {
  readonly width: number;
  readonly height: number;
  /** Reads it: where alpha is to be kept apart, exactly if that is possible. Throws a DOMException where it cannot. */
  pixels(): ImagePixels;
  /** Of a canvas with a context of ours: a frame that is not shown yet. */
  readonly current?: CurrentPicture | null;
}
/** What is drawn into a canvas's current texture by what has been submitted; it is read in this queue's order. */
export interface CurrentPicture {
  readonly queue: WorkQueue;
  readonly picture: Picture;
}
/** Of a call that reads what was drawn, and cannot wait for all of it. */
export const notDrawn = (call: string): DOMException => new DOMException(
  `${call}: what was submitted for the canvas cannot be drawn inside the call, as where a pass waits for pages of a streamed texture: await device.queue.onSubmittedWorkDone() first`,
  'InvalidStateError'
);
/**
 * An image of the platform; null for an object that is none. Throws a DOMException for one that has no pixels (an image
 * that was not loaded, a closed bitmap); a sentence says why one that may have some later has none now.
 */
export type ReadImage = (source: object) => PlatformImage | string | null;

/** ImageData, and what looks like it: `data` is rgba8 with alpha not multiplied in. */
export function plainImage(source: object): PlatformImage | null {
  const { data, width, height, colorSpace } = source as Partial<Record<keyof ImageData, unknown>>;
  if (!(data instanceof Uint8ClampedArray || data instanceof Uint8Array)) return null;
  const isSide = (side: unknown): side is number => Number.isSafeInteger(side) && (side as number) >= 0;
  if (!isSide(width) || !isSide(height) || data.length < width * height * 4) return null;
  const space = colorSpace === 'display-p3' ? colorSpace : 'srgb';
  return { width, height, pixels: () => ({ data, width, height, colorSpace: space, premultiplied: false }) };
}
