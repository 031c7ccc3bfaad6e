// What pages have and Node has not, around WebGPU: canvases, images, frames.
import type { PlatformImage } from '../api';
import { CanvasElement } from './canvas';
import { bitmapImage } from './image-data';
import { ImageElement } from './image-element';

export { createCanvas, type Canvas, type CanvasPixels } from './canvas';
export { cancelAnimationFrame, requestAnimationFrame } from './frames';
export { installWith, type InstallOptions } from './install';
export type { ResourceOptions } from './resource-options';

/** Reads the images that Node programs have: ours. */
export function readImage(source: object): PlatformImage | string | null {
  if (source instanceof CanvasElement) return CanvasElement.imageOf(source);
  return source instanceof ImageElement ? ImageElement.imageOf(source) : bitmapImage(source);
}
