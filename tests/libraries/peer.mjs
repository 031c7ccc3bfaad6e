// WebGPU of the `webgpu` package (Dawn, on SwiftShader) behind the canvases of install(): how reference pictures are
// made. PEER_MODULES names the folder that holds the package.
import { createRequire } from 'node:module';
import { env } from 'node:process';

/**
 * Declarations of structures without a value. In a loop, they must be zero in each round, but Dawn on SwiftShader keeps
 * the values of the round before.
 */
const UNINITIALISED = /\bvar \w+\s*:\s*([A-Z]\w*)(?=\s*;)/g;

/** Dawn crashes if these are collected while their device lives. */
const kept = [];

/** Loads the package. It looks for `process`, which install() may hide. */
export const loadPeer = () => createRequire(`${env.PEER_MODULES}/`)('webgpu');

/** Replaces the installed WebGPU. */
export function usePeer({ create, globals }) {
  const gpu = create(['backend=vulkan']);
  kept.push(gpu);
  Object.assign(globalThis, globals);
  Object.defineProperty(navigator, 'gpu', { value: gpu, configurable: true });
  const { requestAdapter } = gpu;
  gpu.requestAdapter = async (...args) => {
    const adapter = await requestAdapter.apply(gpu, args);
    kept.push(adapter);
    return withSet(adapter);
  };
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = async function (...args) {
    return withSet(await requestDevice.apply(this, args));
  };
  const { writeBuffer } = GPUQueue.prototype;
  GPUQueue.prototype.writeBuffer = function (buffer, offset, data, ...range) {
    const isShared = data.buffer instanceof SharedArrayBuffer;
    return writeBuffer.call(this, buffer, offset, isShared ? data.slice() : data, ...range);
  };
  GPUQueue.prototype.copyExternalImageToTexture = copyImage;
  const { createShaderModule } = globals.GPUDevice.prototype;
  globals.GPUDevice.prototype.createShaderModule = function (descriptor) {
    return createShaderModule.call(this, { ...descriptor, code: descriptor.code.replace(UNINITIALISED, '$& = $1()') });
  };
  const contexts = new WeakMap();
  const { prototype } = HTMLCanvasElement;
  const { getContext } = prototype;
  prototype.getContext = function (kind, ...args) {
    if (kind !== 'webgpu') return getContext.call(this, kind, ...args);
    if (!contexts.has(this)) contexts.set(this, new PeerContext(this));
    return contexts.get(this);
  };
  return { pixels: (canvas) => contexts.get(canvas).pixels() };
}

/** Dawn's sets lack methods that engines call. */
const withSet = (owner) => Object.defineProperty(owner, 'features', { value: new Set(owner.features) });

/** A context whose texture stays the same one until the canvas has another size. */
class PeerContext {
  #texture = null;
  #configuration = null;

  constructor(canvas) {
    this.canvas = canvas;
  }
  configure(configuration) {
    this.#texture = null;
    this.#configuration = configuration;
  }
  unconfigure() {
    this.#configuration = null;
  }
  getConfiguration() {
    return this.#configuration;
  }
  getCurrentTexture() {
    const { width, height } = this.canvas;
    if (this.#texture?.width !== width || this.#texture.height !== height) {
      const { device, format, viewFormats = [], usage = GPUTextureUsage.RENDER_ATTACHMENT } = this.#configuration;
      this.#texture = device.createTexture({
        size: [width, height],
        format,
        viewFormats,
        usage: usage | GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
      });
    }
    return this.#texture;
  }
  async pixels() {
    const { device, format, alphaMode = 'opaque' } = this.#configuration;
    const { width, height } = this.#texture;
    const bytesPerRow = Math.ceil(width / 64) * 256;
    const buffer = device.createBuffer({
      size: bytesPerRow * height,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    const encoder = device.createCommandEncoder();
    encoder.copyTextureToBuffer({ texture: this.#texture }, { buffer, bytesPerRow }, [width, height]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const rows = new Uint8Array(buffer.getMappedRange().slice(0));
    const data = new Uint8ClampedArray(width * height * 4);
    for (let y = 0; y < height; y++)
      data.set(rows.subarray(y * bytesPerRow, y * bytesPerRow + width * 4), y * width * 4);
    for (let i = 0; i < data.length; i += 4) {
      if (format.startsWith('bgra')) [data[i], data[i + 2]] = [data[i + 2], data[i]];
      if (alphaMode === 'opaque') data[i + 3] = 255;
      else for (let c = 0; c < 3; c++) data[i + c] = data[i + 3] === 0 ? 0 : (data[i + c] * 255) / data[i + 3];
    }
    return { width, height, data };
  }
}

/** Bits of half floats of a channel's values: 0, or from 1/255 to 1, which are normal numbers. */
const HALVES = Array.from({ length: 256 }, (_, value) => {
  const [bits] = new Uint32Array(new Float32Array([value / 255]).buffer);
  return value === 0 ? 0 : ((bits + 0x0fff + ((bits >>> 13) & 1)) >>> 13) - (112 << 10);
});
/** How texels are stored, by the start of the format's name. */
const TEXELS = {
  r8unorm: { channels: 1, Bytes: Uint8Array },
  rg8unorm: { channels: 2, Bytes: Uint8Array },
  rgba8unorm: { channels: 4, Bytes: Uint8Array },
  bgra8unorm: { channels: 4, Bytes: Uint8Array },
  rgba16float: { channels: 4, Bytes: Uint16Array, encode: (value) => HALVES[value] },
  rgba32float: { channels: 4, Bytes: Float32Array, encode: (value) => value / 255 },
};

/** Copies an image element, a bitmap or a 2D canvas, whose pixels a 2D context reads. */
function copyImage({ source, origin = {}, flipY = false }, target, size) {
  const [x, y] = Array.isArray(origin) ? origin : [origin.x ?? 0, origin.y ?? 0];
  const [width, height = 1] = Array.isArray(size) ? size : [size.width, size.height];
  const scratch = new OffscreenCanvas(source.naturalWidth ?? source.width, source.naturalHeight ?? source.height);
  const drawing = scratch.getContext('2d');
  drawing.drawImage(source, 0, 0);
  const { data } = drawing.getImageData(x, y, width, height);
  const { texture, premultipliedAlpha = false } = target;
  const { format } = texture;
  const { channels, Bytes, encode = (value) => value } = TEXELS[format.replace('-srgb', '')];
  const bytes = new Bytes(width * height * channels);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const from = ((flipY ? height - 1 - row : row) * width + column) * 4;
      const texel = [...data.subarray(from, from + 4)];
      if (premultipliedAlpha) for (let c = 0; c < 3; c++) texel[c] = Math.round((texel[c] * texel[3]) / 255);
      if (format.startsWith('bgra')) [texel[0], texel[2]] = [texel[2], texel[0]];
      bytes.set(texel.slice(0, channels).map(encode), (row * width + column) * channels);
    }
  this.writeTexture(
    { texture, mipLevel: target.mipLevel, origin: target.origin, aspect: target.aspect },
    bytes,
    { bytesPerRow: width * channels * Bytes.BYTES_PER_ELEMENT },
    [width, height]
  );
}
