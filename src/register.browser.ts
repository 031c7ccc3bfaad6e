/**
 * Importing this in a page, or in a worker of one, installs Rasterloom where the browser has no WebGPU, or no adapter
 * for it: `navigator.gpu`, the GPU* classes and constants, canvases' `getContext('webgpu')`, and a
 * requestAnimationFrame that waits for frames that are not shown yet.
 */
import { register } from './index.browser';

register();
