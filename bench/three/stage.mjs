// A stage for three.js's WebGPURenderer without a browser. On this package it uses the public API (install and
// createCanvas); on the `webgpu` package, a texture serves as the canvas. The scenes cannot tell the difference.
import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { decode } from 'fast-png';

/** @returns {Promise<{ THREE, canvas, pixels(): Promise<Uint8Array>, close(): void }>} Pixels: RGBA, row by row. */
export async function openOurs({ width, height, entry = 'rasterloom', options = {} }) {
  const { install, createCanvas } = await import(entry);
  const uninstall = install(options);
  const canvas = createCanvas(width, height);
  const THREE = await import('three/webgpu');
  return {
    THREE,
    canvas,
    parameters: {},
    pixels: async () => new Uint8Array((await canvas.getPixels()).data),
    close: uninstall,
  };
}

export async function openPeer({ width, height, backend, modules }) {
  const { create, globals } = await import(createRequire(`${modules}/`).resolve('webgpu'));
  const { install } = await import('rasterloom');
  // Installs only browser globals for loaders. WebGPU itself is the peer's.
  install();
  Object.assign(globalThis, globals, { createImageBitmap: decoded });
  const gpu = create([`backend=${backend}`]);
  Object.defineProperty(globalThis.navigator, 'gpu', { value: gpu, configurable: true });
  const adapter = await gpu.requestAdapter(backend === 'opengl' ? { featureLevel: 'compatibility' } : {});
  const { maxStorageBuffersInVertexStage, maxStorageBuffersInFragmentStage } = adapter.limits;
  const device = await adapter.requestDevice({
    requiredFeatures: [...adapter.features].filter((name) => backend !== 'opengl' || !name.startsWith('core-')),
    requiredLimits: { maxStorageBuffersInVertexStage, maxStorageBuffersInFragmentStage },
  });
  copyImages(device);
  let texture = null;
  const context = {
    configure: ({ format, usage }) => {
      texture?.destroy();
      texture = device.createTexture({ size: [width, height], format, usage: usage | 1 | 16 });
    },
    unconfigure: () => undefined,
    getCurrentTexture: () => texture,
  };
  const nothing = () => undefined;
  const canvas = {
    width,
    height,
    style: {},
    getContext: () => context,
    setAttribute: nothing,
    addEventListener: nothing,
    removeEventListener: nothing,
    dispatchEvent: nothing,
  };
  const THREE = await import('three/webgpu');
  return {
    // Dawn crashes if `gpu` is collected while its device lives.
    gpu,
    THREE,
    canvas,
    parameters: { device, context },
    pixels: () => readTexture(device, texture),
    close: nothing,
  };
}

async function readTexture(device, texture) {
  const { width, height, format } = texture;
  const bytesPerRow = Math.ceil(width / 64) * 256;
  const buffer = device.createBuffer({ size: bytesPerRow * height, usage: 1 | 8 });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [width, height]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(1);
  const rows = new Uint8Array(buffer.getMappedRange().slice(0));
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++)
    pixels.set(rows.subarray(y * bytesPerRow, y * bytesPerRow + width * 4), y * width * 4);
  buffer.destroy();
  if (format.startsWith('bgra'))
    for (let i = 0; i < pixels.length; i += 4) [pixels[i], pixels[i + 2]] = [pixels[i + 2], pixels[i]];
  return pixels;
}

/** Decodes a PNG or JPEG for the peer, which has no images. */
async function decoded(blob) {
  const file = await blob.arrayBuffer();
  const {
    width,
    height,
    data,
    channels = 4,
  } = blob.type === 'image/jpeg' ? await decodeJpeg(file) : decode(new Uint8Array(file));
  const pixels = new Uint8Array(width * height * 4).fill(255);
  for (let i = 0; i < width * height; i++)
    for (let c = 0; c < 4; c++) if (c < channels) pixels[i * 4 + c] = data[i * channels + c];
  return { width, height, data: pixels, close: () => undefined };
}

async function decodeJpeg(file) {
  const { default: decodePixels, init } = await import('@jsquash/jpeg/decode.js');
  const wasm = createRequire(import.meta.url).resolve('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm');
  await init(await WebAssembly.compile(await readFile(wasm)));
  return decodePixels(file);
}

function copyImages({ queue }) {
  queue.copyExternalImageToTexture = ({ source, flipY }, target, size) => {
    const { width, height } = source;
    const [w, h] = Array.isArray(size) ? size : [size.width, size.height];
    const rows = Array.from({ length: height }, (_, y) => source.data.subarray(y * width * 4, (y + 1) * width * 4));
    if (flipY) rows.reverse();
    const data = new Uint8Array(Buffer.concat(rows));
    queue.writeTexture(
      { texture: target.texture, mipLevel: target.mipLevel, origin: target.origin },
      data,
      { bytesPerRow: width * 4 },
      [w, h]
    );
  };
}

/** Builds a scene. The result renders one frame at a time (in seconds). */
export async function build(stage, make) {
  const { THREE, canvas, parameters } = stage;
  const renderer = new THREE.WebGPURenderer({ canvas, antialias: true, ...parameters });
  renderer.setPixelRatio(1);
  renderer.setSize(canvas.width, canvas.height, false);
  await renderer.init();
  const scene = new THREE.Scene();
  scene.background = new THREE.Color(0x1c2230);
  const camera = new THREE.PerspectiveCamera(45, canvas.width / canvas.height, 0.1, 100);
  camera.position.set(0, 1, 5);
  camera.lookAt(0, 0, 0);
  const step = (await make({ T: THREE, renderer, scene, camera })) ?? {};
  const render = step.render ?? (() => renderer.render(scene, camera));
  return {
    renderer,
    async frame(time) {
      step.at?.(time);
      await render(time);
      await renderer.backend.device.queue.onSubmittedWorkDone();
    },
  };
}
