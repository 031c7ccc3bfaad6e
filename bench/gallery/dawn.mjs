// Stands for Rasterloom in the thread that runs a page (src/page-runner/worker.ts): the document, images and loaders
// are Rasterloom's, and `navigator.gpu` is Dawn's, of the package `webgpu`. A texture serves as each canvas. BACKEND
// names the back end of Dawn. Messages to the parent: `gpu-error`, and `conversion`, the milliseconds that images took.
import { createRequire } from 'node:module';
import process from 'node:process';
import { parentPort } from 'node:worker_threads';
import * as rasterloom from 'rasterloom';
import { clearOfPadding, cropped, straight } from './texels.mjs';

const { PEER_MODULES, BACKEND = 'vulkan' } = process.env;
const { create, globals } = await import(createRequire(`${PEER_MODULES}/`).resolve('webgpu'));
const realNow = performance.now.bind(performance);
const USAGE = { copySource: 1, copyTarget: 2, sampled: 4, attachment: 16 };
/** Dawn crashes if an adapter or the GPU is collected while its device lives. */
const kept = [];

/** Contexts by their canvas; an OffscreenCanvas of an element counts as the element. */
const contexts = new WeakMap();
const elements = new WeakMap();
const canvasOf = (canvas) => elements.get(canvas) ?? canvas;

/** The texture lasts for one time of the virtual clock, which is one frame. */
class CanvasContext {
  #configuration = null;
  #texture = null;
  #time = 0;

  constructor(canvas) {
    this.canvas = canvas;
  }
  configure(configuration) {
    this.#configuration = { usage: USAGE.attachment, alphaMode: 'opaque', ...configuration };
    this.#time = -1;
  }
  unconfigure() {
    this.#configuration = null;
  }
  getConfiguration() {
    return this.#configuration;
  }
  getCurrentTexture() {
    const { width, height } = this.canvas;
    const texture = this.#texture;
    const now = performance.now();
    if (texture !== null && now === this.#time && texture.width === width && texture.height === height) return texture;
    texture?.destroy();
    this.#time = now;
    const { device, format, usage, viewFormats = [] } = this.#configuration;
    const all = usage | USAGE.copySource | USAGE.copyTarget | USAGE.sampled;
    return (this.#texture = device.createTexture({ size: [width, height], format, usage: all, viewFormats }));
  }

  async pixels() {
    const { width, height } = this.canvas;
    const texture = this.#texture;
    if (texture === null) return new globalThis.ImageData(Math.max(1, width), Math.max(1, height));
    const { device, alphaMode } = this.#configuration;
    const bytesPerRow = Math.ceil((texture.width * (texture.format === 'rgba16float' ? 8 : 4)) / 256) * 256;
    const buffer = device.createBuffer({ size: bytesPerRow * texture.height, usage: 1 | 8 });
    const encoder = device.createCommandEncoder();
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [texture.width, texture.height]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(1);
    const rows = buffer.getMappedRange().slice(0);
    buffer.destroy();
    const texels = clearOfPadding(rows, bytesPerRow, texture);
    return new globalThis.ImageData(straight(texels, alphaMode === 'opaque'), texture.width, texture.height);
  }
}

/** Gives canvases contexts of Dawn, and pictures of them. */
function replaceCanvases(prototype) {
  const { getContext, getPixels, convertToBlob, transferControlToOffscreen } = prototype;
  prototype.getContext = function (kind, ...more) {
    if (kind !== 'webgpu') return getContext.call(this, kind, ...more);
    const canvas = canvasOf(this);
    if (!contexts.has(canvas)) contexts.set(canvas, new CanvasContext(canvas));
    return contexts.get(canvas);
  };
  prototype.getPixels = function () {
    return contexts.get(canvasOf(this))?.pixels() ?? getPixels.call(this);
  };
  prototype.convertToBlob = async function (options) {
    const context = contexts.get(canvasOf(this));
    if (context === undefined) return convertToBlob.call(this, options);
    const image = await context.pixels();
    const copy = new globalThis.OffscreenCanvas(image.width, image.height);
    copy.getContext('2d').putImageData(image, 0, 0);
    return convertToBlob.call(copy, options);
  };
  if (transferControlToOffscreen)
    prototype.transferControlToOffscreen = function () {
      const canvas = transferControlToOffscreen.call(this);
      elements.set(canvas, this);
      return canvas;
    };
}

/** Pixels of an image with straight alpha, by a 2D context, which copies exactly. */
function pixelsOf(source) {
  if (source instanceof globalThis.ImageData) return source;
  const width = source.naturalWidth ?? source.width;
  const height = source.naturalHeight ?? source.height;
  const context = new globalThis.OffscreenCanvas(width, height).getContext('2d');
  context.drawImage(source, 0, 0);
  return context.getImageData(0, 0, width, height);
}

/** GPUQueue.copyExternalImageToTexture, which the package lacks. */
function copyImage({ source, origin = [0, 0], flipY = false }, target, size) {
  const began = realNow();
  const [width, height = 1] = Array.isArray(size) ? size : [size.width, size.height];
  const { texture, premultipliedAlpha = false, ...place } = target;
  if (contexts.has(canvasOf(source))) throw new Error('copyExternalImageToTexture: not from a canvas of Dawn');
  if (!/^(rgba8|bgra8)unorm/.test(texture.format))
    throw new Error(`copyExternalImageToTexture: not to ${texture.format}`);
  const [x = 0, y = 0] = Array.isArray(origin) ? origin : [origin.x, origin.y];
  const order = { flipY, premultipliedAlpha, isBgra: texture.format.startsWith('b') };
  const data = cropped(pixelsOf(source), { x, y, width, height }, order);
  parentPort.postMessage({ kind: 'conversion', ms: realNow() - began });
  delete place.colorSpace;
  this.writeTexture({ texture, ...place }, data, { bytesPerRow: width * 4, rowsPerImage: height }, [width, height]);
}

/** Adapters are kept; devices report their errors, and have the limits that core devices have by default. */
function watchDevices({ GPU, GPUAdapter, GPUQueue }) {
  const { requestAdapter } = GPU.prototype;
  GPU.prototype.requestAdapter = async function (options) {
    const adapter = await requestAdapter.call(this, options);
    kept.push(adapter);
    return adapter;
  };
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = async function (options = {}) {
    const { maxStorageBuffersInVertexStage, maxStorageBuffersInFragmentStage } = this.limits;
    const limits = { maxStorageBuffersInVertexStage, maxStorageBuffersInFragmentStage, ...options.requiredLimits };
    const device = await requestDevice.call(this, { ...options, requiredLimits: limits });
    kept.push(device);
    device.addEventListener('uncapturederror', ({ error }) =>
      parentPort.postMessage({ kind: 'gpu-error', text: error.message })
    );
    return device;
  };
  GPUQueue.prototype.copyExternalImageToTexture = copyImage;
}

export function install(options) {
  rasterloom.install({ ...options, threads: 0 });
  Object.assign(globalThis, globals, { GPUCanvasContext: CanvasContext });
  watchDevices(globals);
  replaceCanvases(globalThis.HTMLCanvasElement.prototype);
  replaceCanvases(globalThis.OffscreenCanvas.prototype);
  const gpu = create([`backend=${BACKEND}`]);
  kept.push(gpu);
  Object.defineProperty(navigator, 'gpu', { value: gpu, configurable: true });
}
