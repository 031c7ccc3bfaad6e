// What pages, and workers of them, have around WebGPU: canvases, images, frames.
export { cancelAnimationFrame, requestAnimationFrame } from './frames';
export { readImage } from './images';
export { registerWith } from './register';
