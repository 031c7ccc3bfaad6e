// Browser features around WebGPU that Node lacks: canvases, images and animation frames.
import type { PlatformImage } from '../api';
import { CanvasElement } from './canvas';
import { bitmapImage } from './image-data';
import { ImageElement } from './image-element';
import { NO_VIDEO } from './window/video-element';

export { CompiledFiles, isMainContext } from './compiled-file';
export { requireText } from './module-text';
export { createCanvas, type Canvas, type CanvasContext2D, type CanvasPixels, type DrawingContext } from './canvas';
export { cancelAnimationFrame, requestAnimationFrame } from './frames';
export { withProcess } from './host';
export { makeInstall, type InstallOptions } from './install';
export { shaderFiles } from './shader-files';
export { zlib } from './zlib';
export type { ResourceOptions } from './resource-options';

/** Reads images for `create`: Rasterloom's canvases, image elements and bitmaps for Node. */
export function readImage(source: object): PlatformImage | string | null {
  const canvas = CanvasElement.of(source);
  if (canvas !== null) return CanvasElement.imageOf(canvas);
  const image = ImageElement.of(source);
  if (image !== null) return ImageElement.imageOf(image);
  return (source as { readonly tagName?: unknown }).tagName === 'VIDEO' ? NO_VIDEO : bitmapImage(source);
}
