// Textures and samplers for shaders under test, from pixels and descriptors.
import type { ShaderType } from '../../index';
import { BUFFER, TEXTURE } from './device';

type Texels =
  Uint8ClampedArray | Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | Float32Array;
type TexelData = Texels | readonly number[];

/** Pixels of a texture: those of a picture, or of any other size and format. */
export interface ShaderTexels {
  readonly width: number;
  /** Default: 1. */
  readonly height?: number;
  /** Layers of an array (6 for each cube), or slices of a 3D texture. Default: 1, or 6 for a cube. */
  readonly layers?: number;
  /**
   * Texels row by row, from the top, and layer after layer, with 1, 2 or 4 channels. Bytes are numbers from 0 to 1 in
   * textures of floats; other numbers are as they are. Depths are rounded to 16 bits. Default: 0.
   */
  readonly data?: TexelData;
  /** Smaller mip levels, from half the size on. */
  readonly levels?: readonly TexelData[];
  /** Default: the format with the type and the channels of `data`. */
  readonly format?: GPUTextureFormat;
}

/** What is accepted for textures and samplers. Objects of WebGPU have to be of the module's `device`. */
export type ShaderResourceArgument =
  GPUTexture | GPUTextureView | GPUExternalTexture | GPUSampler | ShaderTexels | GPUSamplerDescriptor;

type TextureType = Extract<ShaderType, { readonly kind: 'texture' | 'storage-texture' }>;
type ArrayType = { new (values: ArrayLike<number>): Texels; new (length: number): Texels };

/** Types of elements by the part of a format's name behind its channels. */
const ELEMENTS: Readonly<Record<string, ArrayType>> = {
  '8unorm': Uint8ClampedArray,
  '8snorm': Int8Array,
  '8uint': Uint8Array,
  '8sint': Int8Array,
  '16unorm': Uint16Array,
  '16snorm': Int16Array,
  '16uint': Uint16Array,
  '16sint': Int16Array,
  '16float': Uint16Array,
  '32uint': Uint32Array,
  '32sint': Int32Array,
  '32float': Float32Array,
};
/** Formats by the type of a texture and that of its data. Plain arrays are of the last type. Depths have one format. */
const FORMATS: Readonly<Record<string, readonly (readonly [ArrayType, string])[]>> = {
  depth: [],
  f32: [
    [Uint8ClampedArray, '8unorm'],
    [Uint8Array, '8unorm'],
    [Int8Array, '8snorm'],
    [Float32Array, '32float'],
  ],
  u32: [
    [Uint8ClampedArray, '8uint'],
    [Uint8Array, '8uint'],
    [Uint16Array, '16uint'],
    [Uint32Array, '32uint'],
  ],
  i32: [
    [Int8Array, '8sint'],
    [Int16Array, '16sint'],
    [Int32Array, '32sint'],
  ],
};
const CHANNELS: Readonly<Record<number, string>> = { 1: 'r', 2: 'rg', 4: 'rgba' };

interface Layout {
  readonly format: GPUTextureFormat;
  readonly channels: number;
  readonly elements: ArrayType;
}

/** The elements of a format. @throws TypeError for formats with packed or compressed texels */
function layoutOf(format: GPUTextureFormat, what: string): Layout {
  if (format === 'depth16unorm') return { format, channels: 1, elements: Uint16Array };
  const [, channels, rest] = /^(rgba|bgra|rg|r)(\d+[a-z]+)(?:-srgb)?$/.exec(format) ?? [];
  const elements = ELEMENTS[rest ?? ''];
  if (elements === undefined)
    throw new TypeError(`${what}: texels of the format ${format} cannot be given; pass a texture of your own device`);
  return { format, channels: channels!.length, elements };
}

function chooseLayout(type: TextureType, { data, format }: ShaderTexels, count: number, what: string): Layout {
  if (type.kind === 'storage-texture') return layoutOf(type.format as GPUTextureFormat, what);
  const formats = FORMATS[type.sampled];
  if (formats === undefined || type.multisampled)
    throw new TypeError(`${what} is a ${type.name}, which cannot be made of texels; pass one of your own device`);
  if (format !== undefined) return layoutOf(format, what);
  if (type.sampled === 'depth') return layoutOf('depth16unorm', what);
  const channels = data === undefined ? 4 : data.length / count;
  const letters = CHANNELS[channels];
  if (letters === undefined)
    throw new TypeError(
      `${what}: ${count} texels must have 1, 2 or 4 numbers each in data, not ${data!.length} numbers in total`
    );
  const known = formats.find(([elements]) => data instanceof elements);
  if (known === undefined && ArrayBuffer.isView(data))
    throw new TypeError(`${what}: a ${type.name} cannot be made of a ${data.constructor.name}; pass a plain array`);
  return layoutOf(`${letters}${(known ?? formats.at(-1)!)[1]}` as GPUTextureFormat, what);
}

/** Depths as 16 bits; other numbers as they are. */
const elementsOf = (data: TexelData, { format, elements }: Layout): Texels =>
  format === 'depth16unorm' && !(data instanceof Uint16Array)
    ? Uint16Array.from(data as ArrayLike<number>, (depth) => Math.round(Math.min(Math.max(depth, 0), 1) * 65_535))
    : data instanceof elements
      ? data
      : new elements(data);

/** A texture that the kit has made. */
export interface MadeTexture {
  readonly texture: GPUTexture;
  readonly layout: Layout;
}

/** Creates a texture of texels. @throws TypeError if they do not fit the type */
export function makeTexture(device: GPUDevice, type: TextureType, value: ShaderTexels, what: string): MadeTexture {
  const isCube = type.dimension.startsWith('cube');
  const { width, height = 1, layers = isCube ? 6 : 1, data, levels = [] } = value;
  const layout = chooseLayout(type, value, width * height * layers, what);
  const { format, channels } = layout;
  const isStorage = type.kind === 'storage-texture';
  const texture = device.createTexture({
    label: what,
    size: [width, height, layers],
    format,
    dimension: type.dimension === '1d' || type.dimension === '3d' ? type.dimension : '2d',
    mipLevelCount: levels.length + 1,
    usage: TEXTURE.COPY_SRC | TEXTURE.COPY_DST | (isStorage ? TEXTURE.STORAGE_BINDING : TEXTURE.TEXTURE_BINDING),
  });
  for (const [mipLevel, texels] of [data, ...levels].entries()) {
    if (texels === undefined) continue;
    const [w, h] = [Math.max(1, width >> mipLevel), Math.max(1, height >> mipLevel)];
    const depth = type.dimension === '3d' ? Math.max(1, layers >> mipLevel) : layers;
    const elements = elementsOf(texels, layout);
    const count = w * h * depth * channels;
    if (elements.length !== count)
      throw new TypeError(
        `${what}: level ${mipLevel} must have ${count} numbers for ${w}×${h}×${depth} texels of ${format}, not `
          + elements.length
      );
    const bytesPerRow = w * channels * elements.BYTES_PER_ELEMENT;
    const source = elements as Uint8Array<ArrayBuffer>;
    device.queue.writeTexture({ texture, mipLevel }, source, { bytesPerRow, rowsPerImage: h }, [w, h, depth]);
  }
  return { texture, layout };
}

/** Copies the first level of a texture that the kit has made. */
export async function readTexels(device: GPUDevice, { texture, layout }: MadeTexture): Promise<ShaderTexels> {
  const { width, height, depthOrArrayLayers: layers } = texture;
  const { channels, elements } = layout;
  const row = width * channels;
  const empty = new elements(row * height * layers);
  const rowBytes = row * empty.BYTES_PER_ELEMENT;
  const bytesPerRow = Math.ceil(rowBytes / 256) * 256;
  const size = bytesPerRow * height * layers;
  const buffer = device.createBuffer({ size, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow, rowsPerImage: height }, [width, height, layers]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(1);
  const rows = new Uint8Array(buffer.getMappedRange());
  const bytes = new Uint8Array(empty.buffer);
  for (let y = 0; y < height * layers; y++)
    bytes.set(rows.subarray(y * bytesPerRow, y * bytesPerRow + rowBytes), y * rowBytes);
  buffer.destroy();
  return { width, height, ...(layers > 1 && { layers }), data: empty };
}
