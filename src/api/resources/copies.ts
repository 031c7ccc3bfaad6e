// Validation of copies: https://www.w3.org/TR/webgpu/#copies

import type { TextureCopyView, Three } from '../../render/types';
import type { FormatInfo } from '../../surface/formats';
import { bufferSlot, type BufferCore } from './buffer';
import { BufferUsage, TextureUsage, flagNames } from '../idl/constants';
import { requireUsable, type DeviceCore, type Fail, type Named } from '../core/device-core';
import { textureAspect } from '../idl/enums';
import { dictionary, object, optional, origin, required, u32, u64, type Extent, type Origin } from '../idl/idl';
import { aspectFormat, hasAspect, textureSlot } from './texture';

const layoutMembers = { offset: optional(u64, 0), bytesPerRow: optional(u32), rowsPerImage: optional(u32) };
export const bufferLayout = dictionary('GPUTexelCopyBufferLayout', layoutMembers);
export const bufferInfo = dictionary('GPUTexelCopyBufferInfo', {
  ...layoutMembers,
  buffer: required(object(bufferSlot)),
});
export const textureInfo = dictionary('GPUTexelCopyTextureInfo', {
  texture: required(object(textureSlot)),
  mipLevel: optional(u32, 0),
  origin: optional(origin, [0, 0, 0] as Origin),
  aspect: optional(textureAspect, 'all'),
});
export type TextureInfo = ReturnType<typeof textureInfo>;
export type BufferInfo = ReturnType<typeof bufferInfo>;
export type BufferLayout = ReturnType<typeof bufferLayout>;
export interface Caller {
  readonly device: DeviceCore;
  readonly caller: Named;
  readonly call: string;
  readonly no: Fail;
}

/** The unit in which a format is copied: a texel, or the block of a compressed format. */
export const blockOf = ({ block, bytes }: FormatInfo): { width: number; height: number; bytes: number } =>
  block ?? { width: 1, height: 1, bytes };

export const sizeOf = (size: Extent): Three => [size.width, size.height, size.depthOrArrayLayers];
export const isEmpty = (size: Extent): boolean =>
  size.width === 0 || size.height === 0 || size.depthOrArrayLayers === 0;

export function viewOf(info: TextureInfo): TextureCopyView {
  return { texture: info.texture.store, mipLevel: info.mipLevel, origin: info.origin, aspect: info.aspect };
}

export function requireBufferUsage(
  buffer: BufferCore,
  usage: 'COPY_SRC' | 'COPY_DST' | 'QUERY_RESOLVE',
  caller: Caller
): void {
  requireUsable(buffer, caller.caller, caller.device, caller.call);
  if ((buffer.usage & BufferUsage[usage]) === 0)
    caller.no(`${buffer.called} needs usage ${usage}; it has ${flagNames(buffer.usage, BufferUsage)}`);
}

export function checkBufferRange(buffer: BufferCore, offset: number, size: number, what: string, no: Fail): void {
  if (offset + size > buffer.size)
    no(`${what} offset ${offset} + size ${size} exceeds the size ${buffer.size} of ${buffer.called}`);
}

/** Validates one end of a texture copy: usage, mip level, aspect and bounds. */
export function checkTextureInfo(
  info: TextureInfo,
  size: Extent,
  usage: 'COPY_SRC' | 'COPY_DST',
  what: string,
  caller: Caller
): void {
  const {
    texture,
    mipLevel,
    origin: [x, y, z],
    aspect,
  } = info;
  const { no } = caller;
  requireUsable(texture, caller.caller, caller.device, caller.call);
  if (texture.descriptor.stream)
    no(`${what} ${texture.called} is streamed: its texels come from stream.loadPage, and only shaders can read them`);
  if ((texture.descriptor.usage & TextureUsage[usage]) === 0)
    no(`${what} ${texture.called} needs usage ${usage}; it has ${flagNames(texture.descriptor.usage, TextureUsage)}`);
  if (mipLevel >= texture.descriptor.mipLevelCount)
    no(
      `${what} mipLevel ${mipLevel} does not exist: ${texture.called} has ${texture.descriptor.mipLevelCount} level(s)`
    );
  if (!hasAspect(texture.format, aspect))
    no(`${what} ${texture.called} of format ${texture.format.name} has no aspect "${aspect}"`);
  const [levelWidth, levelHeight, depth] = texture.mipSize(mipLevel);
  const block = blockOf(texture.format);
  // Compressed levels are rounded up to whole blocks.
  const width = Math.ceil(levelWidth / block.width) * block.width;
  const height = Math.ceil(levelHeight / block.height) * block.height;
  if (
    x % block.width !== 0
    || y % block.height !== 0
    || size.width % block.width !== 0
    || size.height % block.height !== 0
  )
    no(
      `${what} ${x}, ${y} + ${size.width}×${size.height} does not consist of whole blocks of `
        + `${texture.format.name}, which are ${block.width}×${block.height}`
    );
  const ends = [
    [x, size.width, width, 'x'],
    [y, size.height, height, 'y'],
    [z, size.depthOrArrayLayers, depth, 'z'],
  ] as const;
  for (const [start, length, end, axis] of ends)
    if (start + length > end)
      no(`${what} ${axis} ${start} + ${length} exceeds ${end}, the size of level ${mipLevel} of ${texture.called}`);
  const whole = x === 0 && y === 0 && size.width === width && size.height === height;
  if ((texture.descriptor.sampleCount > 1 || texture.format.aspect !== 'color') && !whole)
    no(
      `${what} ${texture.called} (${texture.format.name}, ${texture.descriptor.sampleCount} `
        + `sample${texture.descriptor.sampleCount > 1 ? 's' : ''}) can only be copied whole (${width}×${height})`
    );
}

/** Returns the format of the aspect that a copy between buffer and texture uses, if that aspect can be copied. */
export function copyFormat(info: TextureInfo, direction: 'read' | 'write', caller: Caller): FormatInfo {
  const { texture, aspect } = info;
  const { no } = caller;
  const format = texture.format;
  if (texture.descriptor.sampleCount > 1)
    no(
      `${texture.called} has ${texture.descriptor.sampleCount} samples; resolve it into a single-sampled texture first`
    );
  if (format.aspect === 'depth-stencil' && aspect === 'all')
    no(`${texture.called} of format ${format.name}: choose aspect "depth-only" or "stencil-only"`);
  const chosen = aspectFormat(format, aspect) ?? format;
  if (chosen.name === 'depth24plus')
    no(
      `the depth of ${texture.called} (${format.name}) has no layout in memory and cannot be copied to or from `
        + 'buffers; use depth32float'
    );
  if (chosen.name === 'depth32float' && direction === 'write')
    no(`${texture.called} of format depth32float cannot be written from memory`);
  return chosen;
}

export interface Linear {
  readonly bytesPerRow: number;
  readonly rowsPerImage: number;
  /** Bytes from the offset to the end of the last row. */
  readonly bytes: number;
}

/** Computes rows and images of texels in linear memory (WebGPU, "validating linear texture data"). */
export function linearLayout(
  layout: BufferLayout,
  format: FormatInfo,
  size: Extent,
  alignRows: boolean,
  no: Fail
): Linear {
  const { bytesPerRow, rowsPerImage } = layout;
  const { width, height, depthOrArrayLayers: depth } = size;
  const block = blockOf(format);
  const row = (width / block.width) * block.bytes;
  const rowsOfBlocks = height / block.height;
  if (bytesPerRow === undefined && (rowsOfBlocks > 1 || depth > 1))
    no(`bytesPerRow must be given to copy ${rowsOfBlocks} rows and ${depth} layers`);
  if (rowsPerImage === undefined && depth > 1) no(`rowsPerImage must be given to copy ${depth} layers`);
  if (bytesPerRow !== undefined && alignRows && bytesPerRow % 256 !== 0)
    no(
      `bytesPerRow ${bytesPerRow} is not a multiple of 256; pad the rows to ${Math.ceil(bytesPerRow / 256) * 256} bytes`
    );
  if (bytesPerRow !== undefined && bytesPerRow < row)
    no(`bytesPerRow ${bytesPerRow} is less than the ${row} bytes of ${width} texels of ${format.name}`);
  if (rowsPerImage !== undefined && rowsPerImage < rowsOfBlocks)
    no(`rowsPerImage ${rowsPerImage} is less than the height ${rowsOfBlocks}${format.block ? ', in blocks' : ''}`);
  const stride = bytesPerRow ?? row;
  const rows = rowsPerImage ?? rowsOfBlocks;
  const images = depth > 1 ? stride * rows * (depth - 1) : 0;
  const last = depth === 0 || height === 0 ? 0 : stride * (rowsOfBlocks - 1) + row;
  return { bytesPerRow: stride, rowsPerImage: rows, bytes: images + last };
}

/** Validates the buffer's end of a copy between buffer and texture. */
export function checkBufferInfo(info: BufferInfo, format: FormatInfo, size: Extent, caller: Caller): Linear {
  const { no } = caller;
  const alignment = format.aspect === 'color' ? blockOf(format).bytes : 4;
  if (info.offset % alignment !== 0)
    no(`offset ${info.offset} is not a multiple of ${alignment}, the size of a texel of ${format.name}`);
  const linear = linearLayout(info, format, size, true, no);
  checkBufferRange(info.buffer, info.offset, linear.bytes, 'buffer', no);
  return linear;
}

/** Validates both ends of a copy between textures. */
export function checkTextureCopy(source: TextureInfo, target: TextureInfo, size: Extent, caller: Caller): void {
  const { no } = caller;
  checkTextureInfo(source, size, 'COPY_SRC', 'source', caller);
  checkTextureInfo(target, size, 'COPY_DST', 'destination', caller);
  const a = source.texture;
  const b = target.texture;
  if (a.descriptor.sampleCount !== b.descriptor.sampleCount)
    no(`${a.called} has ${a.descriptor.sampleCount} samples, but ${b.called} has ${b.descriptor.sampleCount}`);
  if (a.format !== b.format && a.format.pair !== b.format.name)
    no(`formats ${a.format.name} and ${b.format.name} differ in more than sRGB encoding`);
  if (a.format.aspect === 'depth-stencil' && (source.aspect !== 'all' || target.aspect !== 'all'))
    no(`both aspects of ${a.format.name} must be copied together; use aspect "all"`);
  if (a === b && overlaps(source, target, size))
    no(`source and destination overlap in level ${source.mipLevel} of ${a.called}`);
}

function overlaps(source: TextureInfo, target: TextureInfo, size: Extent): boolean {
  if (source.mipLevel !== target.mipLevel) return false;
  // Whole subresources are compared: regions of one layer must not be copied into each other, even if they do not
  // overlap.
  if (source.texture.descriptor.dimension === '3d') return true;
  return Math.abs(source.origin[2] - target.origin[2]) < size.depthOrArrayLayers;
}
