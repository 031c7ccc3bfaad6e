// Browser features around WebGPU in pages and workers: canvases, images and animation frames.
export { cancelAnimationFrame, requestAnimationFrame } from './frames';
export { readImage } from './images';
export { registerInPage } from './register';
