// The descriptor of GPUDevice.createTexture, and its validation: https://www.w3.org/TR/webgpu/#texture-creation
import { formatInfo, hasDepth, type FormatInfo } from '../../surface/formats';
import { TextureUsage } from '../idl/constants';
import { describe, refuse, type DeviceCore, type Fail } from '../core/device-core';
import { textureDimension, textureFormatName } from '../idl/enums';
import { needsFeature, supports } from './format-support';
import {
  boolean,
  dictionary,
  extent,
  optional,
  required,
  sequence,
  text,
  u32,
  type Convert,
  type Extent,
} from '../idl/idl';
import { limitText, MULTISAMPLE_32BIT, requireMultisampleStorage, UNALIGNED_BLOCKS } from '../core/limits';
import { checkSampleCount } from './sample-count';
import { checkStream, maxTexels, textureStream, type StreamDescriptor } from './texture-streams';

/** Converts a format name. requireFormats() checks whether the device supports it. */
export const textureFormat: Convert<FormatInfo> = (value, at) => formatInfo(textureFormatName(value, at))!;

export interface TextureDescriptor extends Extent {
  readonly label: string;
  readonly dimension: GPUTextureDimension;
  readonly format: FormatInfo;
  readonly mipLevelCount: number;
  readonly sampleCount: number;
  readonly usage: number;
  readonly viewFormats: readonly FormatInfo[];
  readonly overcommit: boolean;
  readonly colorMergeThreshold: number | undefined;
  readonly depthMergeThreshold: number | undefined;
  readonly stream: StreamDescriptor | undefined;
}

/** Accepts NaN and infinities, so that validation can refuse them by name. */
const anyNumber: Convert<number> = (value) => Number(value);

export const descriptorOf = dictionary('GPUTextureDescriptor', {
  label: optional(text, ''),
  size: required(extent),
  mipLevelCount: optional(u32, 1),
  sampleCount: optional(u32, 1),
  dimension: optional(textureDimension, '2d'),
  format: required(textureFormat),
  usage: required(u32),
  viewFormats: optional(sequence(textureFormat), []),
  overcommit: optional(boolean, false),
  colorMergeThreshold: optional(anyNumber),
  depthMergeThreshold: optional(anyNumber),
  stream: optional(textureStream),
});

function checkSize(device: DeviceCore, d: TextureDescriptor, no: Fail): void {
  const { width, height, depthOrArrayLayers: depth } = d;
  if (width === 0 || height === 0 || depth === 0)
    no(`size ${width}×${height}×${depth} is empty; every dimension must be at least 1`);
  const { maxTextureDimension1D: max1, maxTextureDimension3D: max3, maxTextureArrayLayers } = device.limits;
  const max2 = maxTexels(device, d);
  if (d.dimension === '1d' && width > max1) no(`width ${width} exceeds maxTextureDimension1D ${max1}`);
  if (d.dimension === '1d' && (height !== 1 || depth !== 1))
    no(`a 1d texture must have height 1 and one layer, not ${height} and ${depth}`);
  if (d.dimension === '2d' && (width > max2 || height > max2))
    no(
      `size ${width}×${height} exceeds `
        + `${d.stream ? 'the largest size of a streamed texture,' : 'maxTextureDimension2D'} ${max2}`
    );
  if (d.dimension === '2d' && depth > maxTextureArrayLayers)
    no(`${depth} layers exceed ${limitText(device.limits, 'maxTextureArrayLayers')}`);
  checkBlocks(device, d, no);
  if (d.dimension === '3d' && Math.max(width, height, depth) > max3)
    no(`size ${width}×${height}×${depth} exceeds maxTextureDimension3D ${max3}`);
  const largest = d.dimension === '3d' ? Math.max(width, height, depth) : Math.max(width, height);
  const levels = d.dimension === '1d' ? 1 : 32 - Math.clz32(largest);
  if (d.mipLevelCount === 0 || d.mipLevelCount > levels)
    no(`mipLevelCount ${d.mipLevelCount} must be from 1 to ${levels} at this size`);
}

/** Requires that the size of compressed textures is a multiple of the block size, unless the device has the feature. */
function checkBlocks(
  device: DeviceCore,
  { format: { name, block }, dimension, width, height }: TextureDescriptor,
  no: Fail
): void {
  if (block === null) return;
  if (dimension === '1d') no(`a 1d texture cannot have the compressed format ${name}`);
  if (dimension === '3d' && !supports(device, block.sliced))
    no(`a 3d texture cannot have the compressed format ${name}${needsFeature(block.sliced)}`);
  if ((width % block.width !== 0 || height % block.height !== 0) && !supports(device, UNALIGNED_BLOCKS))
    no(
      `size ${width}×${height} does not consist of whole blocks of ${name}, `
        + `which are ${block.width}×${block.height}${needsFeature(UNALIGNED_BLOCKS)}`
    );
}

function checkUsage(device: DeviceCore, d: TextureDescriptor, no: Fail): void {
  const { usage, format } = d;
  const all = Object.values(TextureUsage).reduce((a, b) => a | b, 0);
  if (usage === 0)
    no('usage is 0; set what the texture is for, e.g. GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST');
  if ((usage & ~all) !== 0) no(`usage has unknown bits 0x${(usage & ~all).toString(16)}`);
  if (isStorage(d)) checkStorage(device, d, no);
  const attachment = (usage & TextureUsage.RENDER_ATTACHMENT) !== 0;
  if (attachment && !supports(device, format.renderable))
    no(`format ${format.name} cannot be rendered to (RENDER_ATTACHMENT)${needsFeature(format.renderable)}`);
  if (attachment && d.dimension === '1d') no('a 1d texture cannot be a RENDER_ATTACHMENT');
  if ((usage & TextureUsage.TRANSIENT_ATTACHMENT) !== 0) checkTransient(d, no);
}

function checkTransient(d: TextureDescriptor, no: Fail): void {
  if (d.usage !== (TextureUsage.TRANSIENT_ATTACHMENT | TextureUsage.RENDER_ATTACHMENT))
    no('TRANSIENT_ATTACHMENT must be combined with RENDER_ATTACHMENT and no other usage');
  if (d.dimension !== '2d' || d.mipLevelCount !== 1 || d.depthOrArrayLayers !== 1)
    no(
      `a TRANSIENT_ATTACHMENT must be 2d with one mip level and one layer, not ${d.dimension} `
        + `with ${d.mipLevelCount} and ${d.depthOrArrayLayers}`
    );
  if (d.viewFormats.length > 0)
    no(`a TRANSIENT_ATTACHMENT can only have views of its own format; omit viewFormats (${d.viewFormats[0]!.name})`);
}

/** Requires that single-sampled storage textures can have the format. */
export function checkStorageFormat(device: DeviceCore, format: FormatInfo, no: Fail): void {
  if (!supports(device, format.storage))
    no(`format ${format.name} cannot be used for a storage texture (STORAGE_BINDING)${needsFeature(format.storage)}`);
}

const isStorage = (d: TextureDescriptor): boolean => (d.usage & TextureUsage.STORAGE_BINDING) !== 0;

function checkStorage(device: DeviceCore, { sampleCount, format }: TextureDescriptor, no: Fail): void {
  if (sampleCount === 1) return checkStorageFormat(device, format, no);
  requireMultisampleStorage(device, `a storage texture of ${sampleCount} samples`, no);
  if (format.aspect !== 'color' || !supports(device, format.renderable))
    no(`format ${format.name} cannot be rendered to, which multisampled storage textures require`);
}

/** WebGPU has no multisampled formats with 32 bits per channel, except r32float. */
function checkSamplesOf(
  device: DeviceCore,
  { multisample, name, renderable }: FormatInfo,
  count: number,
  no: Fail
): void {
  if (supports(device, multisample)) return;
  const drawn = supports(device, renderable);
  if (drawn && device.features.has(MULTISAMPLE_32BIT)) return;
  const feature = ` without the feature "${MULTISAMPLE_32BIT}"; ask for it in requestDevice({ requiredFeatures })`;
  no(`format ${name} cannot have ${count} samples${drawn ? feature : needsFeature(multisample)}`);
}

function checkSamples(device: DeviceCore, d: TextureDescriptor, no: Fail): void {
  checkSampleCount(device, 'sampleCount', d.sampleCount, no);
  if (d.sampleCount === 1) return;
  if (d.dimension !== '2d') no(`a ${d.dimension} texture must have one sample, not ${d.sampleCount}`);
  if (d.mipLevelCount !== 1)
    no(`a texture of ${d.sampleCount} samples must have one mip level, not ${d.mipLevelCount}`);
  if (d.depthOrArrayLayers !== 1)
    no(`a texture of ${d.sampleCount} samples must have one layer, not ${d.depthOrArrayLayers}`);
  const attachment = (d.usage & TextureUsage.RENDER_ATTACHMENT) !== 0;
  // Multisampled storage textures that are no attachments need neither blending nor resolving.
  if (attachment || !isStorage(d)) checkSamplesOf(device, d.format, d.sampleCount, no);
  if (!attachment && !isStorage(d))
    no(`a texture of ${d.sampleCount} samples needs usage RENDER_ATTACHMENT: nothing else can fill it`);
}

/** Validates the members that Rasterloom adds. */
function checkMembers(d: TextureDescriptor, no: Fail): void {
  const { format, colorMergeThreshold: color, depthMergeThreshold: depth } = d;
  for (const [name, value] of [
    ['colorMergeThreshold', color],
    ['depthMergeThreshold', depth],
  ] as const) {
    if (value === undefined) continue;
    if (!(value >= 0 && Number.isFinite(value))) no(`${name} must be finite and at least 0, not ${value}`);
    if (d.sampleCount === 1) no(`${name} is only for multisampled textures, but this one has one sample`);
  }
  if (d.overcommit && d.sampleCount === 1)
    no('overcommit is only for multisampled textures, but this one has one sample');
  if (
    color !== undefined
    && (format.aspect !== 'color' || format.sampleType === 'uint' || format.sampleType === 'sint')
  )
    no(`colorMergeThreshold is only for float and normalized colour formats, not ${format.name}`);
  if (depth !== undefined && !hasDepth(format))
    no(`depthMergeThreshold is only for formats with depth, not ${format.name}`);
}

export function checkTexture(device: DeviceCore, d: TextureDescriptor): void {
  const no: Fail = (message) => refuse({ called: describe('Texture', d.label) }, 'createTexture', message);
  checkSize(device, d, no);
  checkUsage(device, d, no);
  checkSamples(device, d, no);
  checkMembers(d, no);
  if (d.stream) checkStream(device, d, d.stream, no);
  if (d.format.block !== null && d.sampleCount > 1)
    no(`compressed formats such as ${d.format.name} cannot be multisampled`);
  if (d.format.aspect !== 'color' && d.dimension !== '2d')
    no(`format ${d.format.name} is only for 2d textures, not ${d.dimension}`);
  for (const format of d.viewFormats)
    if (format !== d.format && format.name !== d.format.pair)
      no(`viewFormats: ${format.name} must be ${d.format.name} with or without sRGB encoding`);
}
