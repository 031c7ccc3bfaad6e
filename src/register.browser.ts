/**
 * Importing this module in a page or a worker installs Rasterloom if the browser has no WebGPU, or has no adapter for
 * it. It defines `navigator.gpu`, the GPU* classes and constants, `getContext('webgpu')` for canvases, and a
 * `requestAnimationFrame` that waits for frames that are not shown yet.
 */
import { register } from './index.browser';

register();
