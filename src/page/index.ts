// What pages, and workers of them, have around WebGPU: canvases, images, frames.
export { installCanvases } from './canvas';
export { installFrames } from './frames';
export { readImage } from './images';
