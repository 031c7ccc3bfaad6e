// A stage for scenes of libraries, in Node: the names of a page, and a canvas whose picture can be read. WebGPU is this
// package's, or that of the `webgpu` package (Dawn). Scenes cannot tell the difference.
// .ci/run and the tests copy this file to build/engines, where the libraries are.
import { install } from '../index.js';
import { loadPeer, usePeer } from './peer.mjs';

const WIDTH = 256;
const HEIGHT = 160;
/** Files that scenes load. */
const SAMPLE = new URL('../sample.glb', import.meta.url);
const FONT = new URL('./node_modules/@fontsource/lato/files/lato-latin-700-normal.woff2', import.meta.url);

/**
 * Opens the stage. `side` is the number of worker threads, or 'swiftshader'.
 *
 * @returns what scenes get: the canvas, files, and `show`, which draws numbers as gray pixels
 */
export async function openStage(side, { document: needsDocument = false, ...options } = {}) {
  Math.random = randomNumbers();
  const loaded = side === 'swiftshader' ? loadPeer() : null;
  install({
    ...options,
    ...(needsDocument && { document: await emptyPage() }),
    ...(side !== 'swiftshader' && { threads: Number(side) }),
    resources: { folder: new URL('../', import.meta.url), network: false },
    fonts: { Lato: FONT },
  });
  const errors = [];
  const onDevice = (device) =>
    device.addEventListener('uncapturederror', ({ error }) => errors.push(error.message.slice(0, 500)));
  const peer = loaded === null ? null : usePeer(loaded);
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = async function (...args) {
    const device = await requestDevice.apply(this, args);
    onDevice(device);
    return device;
  };
  let picture = null;
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: WIDTH, height: HEIGHT });
  document.body.append(canvas);
  return {
    canvas,
    sample: SAMPLE.href,
    errors,
    /** Shows an array of numbers from 0 to 1, by rows, as the picture. */
    show(values, width, height, channels = 1) {
      const data = new Uint8ClampedArray(width * height * 4).fill(255);
      for (let i = 0; i < width * height; i++)
        for (let c = 0; c < 3; c++) data[i * 4 + c] = 255 * values[i * channels + (channels === 1 ? 0 : c)];
      picture = { data, width, height };
    },
    pixels: async (shown = canvas) => picture ?? (peer === null ? shown.getPixels() : peer.pixels(shown)),
  };
}

/** Numbers from 0 to 1 that are the same in each run. */
function randomNumbers() {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The document of a DOM package, as large as the canvas. */
async function emptyPage() {
  const { Window } = await import('happy-dom');
  return new Window({ url: 'http://localhost/', width: WIDTH, height: HEIGHT }).document;
}
