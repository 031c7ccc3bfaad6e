/**
 * Importing this in a page, or in a worker of one, installs Rasterloom where the browser has no WebGPU:
 * `navigator.gpu`, the GPU* classes and constants, canvases' `getContext('webgpu')`, and a requestAnimationFrame that
 * waits for frames that are not shown yet.
 */
import { create, globals, installCanvases, installFrames } from './index.browser';

if (!navigator.gpu) {
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  Object.defineProperty(navigator, 'gpu', { value: create(), enumerable: true, configurable: true });
  installCanvases();
  installFrames();
}
