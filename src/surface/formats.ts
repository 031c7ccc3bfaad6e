// Texture formats: name ↔ kernel number, size and capabilities (WebGPU §26.1 "Texture Format Capabilities").
import {
  FORMAT_BGRA8UNORM, FORMAT_BGRA8UNORM_SRGB, FORMAT_DEPTH16UNORM, FORMAT_DEPTH24PLUS, FORMAT_DEPTH24PLUS_STENCIL8,
  FORMAT_DEPTH32FLOAT, FORMAT_R16FLOAT, FORMAT_R16SINT, FORMAT_R16UINT, FORMAT_R32FLOAT, FORMAT_R32SINT, FORMAT_R32UINT,
  FORMAT_R8SINT, FORMAT_R8SNORM, FORMAT_R8UINT, FORMAT_R8UNORM, FORMAT_RG11B10UFLOAT, FORMAT_RG16FLOAT, FORMAT_RG16SINT,
  FORMAT_RG16UINT, FORMAT_RG32FLOAT, FORMAT_RG32SINT, FORMAT_RG32UINT, FORMAT_RG8SINT, FORMAT_RG8SNORM, FORMAT_RG8UINT,
  FORMAT_RG8UNORM, FORMAT_RGB10A2UINT, FORMAT_RGB10A2UNORM, FORMAT_RGB9E5UFLOAT, FORMAT_RGBA16FLOAT, FORMAT_RGBA16SINT,
  FORMAT_RGBA16UINT, FORMAT_RGBA32FLOAT, FORMAT_RGBA32SINT, FORMAT_RGBA32UINT, FORMAT_RGBA8SINT, FORMAT_RGBA8SNORM,
  FORMAT_RGBA8UINT, FORMAT_RGBA8UNORM, FORMAT_RGBA8UNORM_SRGB, FORMAT_STENCIL8,
} from '../../assembly/layout/formats';

export interface FormatInfo {
  readonly name: GPUTextureFormat;
  /** FORMAT_* of assembly/layout/formats.ts. */
  readonly id: number;
  /** Bytes a texel in memory; for combined depth-stencil formats of the depth plane alone. */
  readonly bytes: number;
  readonly channels: number;
  readonly aspect: 'color' | 'depth' | 'stencil' | 'depth-stencil';
  /** Sample type of the colour or depth aspect; 'float' is filterable. */
  readonly sampleType: GPUTextureSampleType;
  readonly renderable: boolean;
  readonly blendable: boolean;
  readonly multisample: boolean;
  readonly resolvable: boolean;
  /** Access of storage textures of one sample: 'read-write' has the others, too. */
  readonly storage: 'none' | 'read-only or write-only' | 'read-write';
  /** The copy of the same layout with or without sRGB encoding, for viewFormats; itself if none. */
  readonly pair: GPUTextureFormat;
}

/** WebGPU §26.1.1; bgra8unorm is for devices with a feature. */
function storageOf(name: GPUTextureFormat): FormatInfo['storage'] {
  if (/^r32(uint|sint|float)$/.test(name)) return 'read-write';
  return /^(rgba8(unorm|snorm|uint|sint)|rgba16(uint|sint|float)|rg32(uint|sint|float)|rgba32(uint|sint|float)|bgra8unorm)$/
    .test(name)
    ? 'read-only or write-only'
    : 'none';
}

const rows: FormatInfo[] = [];
type Caps = 'all' | 'sample' | 'uint' | 'sint' | 'float32' | 'float16';
function color(
  name: GPUTextureFormat, id: number, bytes: number, channels: number, caps: Caps, pair: GPUTextureFormat = name
): void {
  const integer = caps === 'uint' || caps === 'sint';
  rows.push({
    name, id, bytes, channels, aspect: 'color', pair,
    sampleType: integer ? caps : caps === 'float32' ? 'unfilterable-float' : 'float',
    renderable: caps !== 'sample',
    blendable: caps === 'all' || caps === 'float16',
    // 32-bit formats with more than one channel are not multisampled in WebGPU's core.
    multisample: caps !== 'sample' && !(caps === 'float32' && channels > 1) && !(integer && bytes / channels === 4),
    resolvable: caps === 'all' || caps === 'float16',
    storage: storageOf(name),
  });
}
color('r8unorm', FORMAT_R8UNORM, 1, 1, 'all');
color('r8snorm', FORMAT_R8SNORM, 1, 1, 'sample');
color('r8uint', FORMAT_R8UINT, 1, 1, 'uint');
color('r8sint', FORMAT_R8SINT, 1, 1, 'sint');
color('rg8unorm', FORMAT_RG8UNORM, 2, 2, 'all');
color('rg8snorm', FORMAT_RG8SNORM, 2, 2, 'sample');
color('rg8uint', FORMAT_RG8UINT, 2, 2, 'uint');
color('rg8sint', FORMAT_RG8SINT, 2, 2, 'sint');
color('rgba8unorm', FORMAT_RGBA8UNORM, 4, 4, 'all', 'rgba8unorm-srgb');
color('rgba8unorm-srgb', FORMAT_RGBA8UNORM_SRGB, 4, 4, 'all', 'rgba8unorm');
color('rgba8snorm', FORMAT_RGBA8SNORM, 4, 4, 'sample');
color('rgba8uint', FORMAT_RGBA8UINT, 4, 4, 'uint');
color('rgba8sint', FORMAT_RGBA8SINT, 4, 4, 'sint');
color('bgra8unorm', FORMAT_BGRA8UNORM, 4, 4, 'all', 'bgra8unorm-srgb');
color('bgra8unorm-srgb', FORMAT_BGRA8UNORM_SRGB, 4, 4, 'all', 'bgra8unorm');
color('r16uint', FORMAT_R16UINT, 2, 1, 'uint');
color('r16sint', FORMAT_R16SINT, 2, 1, 'sint');
color('r16float', FORMAT_R16FLOAT, 2, 1, 'float16');
color('rg16uint', FORMAT_RG16UINT, 4, 2, 'uint');
color('rg16sint', FORMAT_RG16SINT, 4, 2, 'sint');
color('rg16float', FORMAT_RG16FLOAT, 4, 2, 'float16');
color('rgba16uint', FORMAT_RGBA16UINT, 8, 4, 'uint');
color('rgba16sint', FORMAT_RGBA16SINT, 8, 4, 'sint');
color('rgba16float', FORMAT_RGBA16FLOAT, 8, 4, 'float16');
color('r32uint', FORMAT_R32UINT, 4, 1, 'uint');
color('r32sint', FORMAT_R32SINT, 4, 1, 'sint');
color('r32float', FORMAT_R32FLOAT, 4, 1, 'float32');
color('rg32uint', FORMAT_RG32UINT, 8, 2, 'uint');
color('rg32sint', FORMAT_RG32SINT, 8, 2, 'sint');
color('rg32float', FORMAT_RG32FLOAT, 8, 2, 'float32');
color('rgba32uint', FORMAT_RGBA32UINT, 16, 4, 'uint');
color('rgba32sint', FORMAT_RGBA32SINT, 16, 4, 'sint');
color('rgba32float', FORMAT_RGBA32FLOAT, 16, 4, 'float32');
color('rgb10a2unorm', FORMAT_RGB10A2UNORM, 4, 4, 'all');
color('rgb10a2uint', FORMAT_RGB10A2UINT, 4, 4, 'uint');
color('rg11b10ufloat', FORMAT_RG11B10UFLOAT, 4, 3, 'sample');
color('rgb9e5ufloat', FORMAT_RGB9E5UFLOAT, 4, 3, 'sample');
function depth(name: GPUTextureFormat, id: number, bytes: number, aspect: 'depth' | 'stencil' | 'depth-stencil'): void {
  rows.push({
    name, id, bytes, channels: 1, aspect, sampleType: aspect === 'stencil' ? 'uint' : 'depth', renderable: true,
    blendable: false, multisample: true, resolvable: false, storage: 'none', pair: name,
  });
}
depth('depth32float', FORMAT_DEPTH32FLOAT, 4, 'depth');
depth('depth24plus', FORMAT_DEPTH24PLUS, 4, 'depth');
depth('depth24plus-stencil8', FORMAT_DEPTH24PLUS_STENCIL8, 4, 'depth-stencil');
depth('depth16unorm', FORMAT_DEPTH16UNORM, 2, 'depth');
depth('stencil8', FORMAT_STENCIL8, 1, 'stencil');

const byName = new Map<string, FormatInfo>(rows.map((row) => [row.name, row]));
/** The format's row, or undefined when Rasterloom does not have it (compressed formats, features not advertised). */
export const formatInfo = (name: string): FormatInfo | undefined => byName.get(name);
export const hasDepth = (format: FormatInfo): boolean => format.aspect === 'depth' || format.aspect === 'depth-stencil';
export const hasStencil = (format: FormatInfo): boolean => format.aspect === 'stencil'
  || format.aspect === 'depth-stencil';
