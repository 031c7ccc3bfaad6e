// Sources of copyExternalImageToTexture: plain pixels, and images of the platform. The entry points for pages and for
// Node provide functions that read platform images.

import type { WorkQueue } from '../../schedule';
import type { ImagePixels } from '../../surface/image';
import type { Picture } from '../canvas/surface';

/** An image in its current state. */
export interface PlatformImage {
  readonly width: number;
  readonly height: number;
  /**
   * Reads the pixels. If alpha must stay unpremultiplied, they are exact where possible. Throws a DOMException if the
   * image cannot be read.
   */
  pixels(): ImagePixels;
  /** For a canvas with a context of Rasterloom: the frame that is not shown yet. */
  readonly current?: CurrentPicture | null;
}
/** The canvas's current texture with all submitted work. It must be read in the order of `queue`. */
export interface CurrentPicture {
  readonly queue: WorkQueue;
  readonly picture: Picture;
}
/** Error of a call that reads a canvas, but cannot wait for all of its work. */
export const notDrawn = (call: string): DOMException =>
  new DOMException(
    `${call}: the work submitted for the canvas cannot finish inside this call, `
      + 'for example because a pass waits for pages of a streamed texture: '
      + 'await device.queue.onSubmittedWorkDone() first',
    'InvalidStateError'
  );
/**
 * Finds the platform image that an object represents; null if it is no image. Throws a DOMException if the image has no
 * pixels (not loaded, closed bitmap). Returns a sentence if the image has no pixels now but may have some later.
 */
export type ReadImage = (source: object) => PlatformImage | string | null;

/** Converts ImageData or a similar object: `data` is rgba8 with straight (not premultiplied) alpha. */
export function plainImage(source: object): PlatformImage | null {
  const { data, width, height, colorSpace } = source as Partial<Record<keyof ImageData, unknown>>;
  if (!(data instanceof Uint8ClampedArray || data instanceof Uint8Array)) return null;
  const isSide = (side: unknown): side is number => Number.isSafeInteger(side) && (side as number) >= 0;
  if (!isSide(width) || !isSide(height) || data.length < width * height * 4) return null;
  const space = colorSpace === 'display-p3' ? colorSpace : 'srgb';
  return { width, height, pixels: () => ({ data, width, height, colorSpace: space, premultiplied: false }) };
}
