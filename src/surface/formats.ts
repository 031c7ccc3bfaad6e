// Texture formats: name ↔ kernel number, size and capabilities (WebGPU §26.1 "Texture Format Capabilities").
import * as F from '../../assembly/layout/formats';

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
  /** The copy of the same layout with or without sRGB encoding, for viewFormats; itself if none. */
  readonly pair: GPUTextureFormat;
}

const rows: FormatInfo[] = [];
type Caps = 'all' | 'sample' | 'uint' | 'sint' | 'float32' | 'float16';
function color(name: GPUTextureFormat, id: number, bytes: number, channels: number, caps: Caps, pair: GPUTextureFormat = name): void {
  const integer = caps === 'uint' || caps === 'sint';
  rows.push({
    name, id, bytes, channels, aspect: 'color', pair,
    sampleType: integer ? caps : caps === 'float32' ? 'unfilterable-float' : 'float',
    renderable: caps !== 'sample',
    blendable: caps === 'all' || caps === 'float16',
    // 32-bit formats with more than one channel are not multisampled in WebGPU's core.
    multisample: caps !== 'sample' && !(caps === 'float32' && channels > 1) && !(integer && bytes / channels === 4),
    resolvable: caps === 'all' || caps === 'float16',
  });
}
color('r8unorm', F.FORMAT_R8UNORM, 1, 1, 'all');
color('r8snorm', F.FORMAT_R8SNORM, 1, 1, 'sample');
color('r8uint', F.FORMAT_R8UINT, 1, 1, 'uint');
color('r8sint', F.FORMAT_R8SINT, 1, 1, 'sint');
color('rg8unorm', F.FORMAT_RG8UNORM, 2, 2, 'all');
color('rg8snorm', F.FORMAT_RG8SNORM, 2, 2, 'sample');
color('rg8uint', F.FORMAT_RG8UINT, 2, 2, 'uint');
color('rg8sint', F.FORMAT_RG8SINT, 2, 2, 'sint');
color('rgba8unorm', F.FORMAT_RGBA8UNORM, 4, 4, 'all', 'rgba8unorm-srgb');
color('rgba8unorm-srgb', F.FORMAT_RGBA8UNORM_SRGB, 4, 4, 'all', 'rgba8unorm');
color('rgba8snorm', F.FORMAT_RGBA8SNORM, 4, 4, 'sample');
color('rgba8uint', F.FORMAT_RGBA8UINT, 4, 4, 'uint');
color('rgba8sint', F.FORMAT_RGBA8SINT, 4, 4, 'sint');
color('bgra8unorm', F.FORMAT_BGRA8UNORM, 4, 4, 'all', 'bgra8unorm-srgb');
color('bgra8unorm-srgb', F.FORMAT_BGRA8UNORM_SRGB, 4, 4, 'all', 'bgra8unorm');
color('r16uint', F.FORMAT_R16UINT, 2, 1, 'uint');
color('r16sint', F.FORMAT_R16SINT, 2, 1, 'sint');
color('r16float', F.FORMAT_R16FLOAT, 2, 1, 'float16');
color('rg16uint', F.FORMAT_RG16UINT, 4, 2, 'uint');
color('rg16sint', F.FORMAT_RG16SINT, 4, 2, 'sint');
color('rg16float', F.FORMAT_RG16FLOAT, 4, 2, 'float16');
color('rgba16uint', F.FORMAT_RGBA16UINT, 8, 4, 'uint');
color('rgba16sint', F.FORMAT_RGBA16SINT, 8, 4, 'sint');
color('rgba16float', F.FORMAT_RGBA16FLOAT, 8, 4, 'float16');
color('r32uint', F.FORMAT_R32UINT, 4, 1, 'uint');
color('r32sint', F.FORMAT_R32SINT, 4, 1, 'sint');
color('r32float', F.FORMAT_R32FLOAT, 4, 1, 'float32');
color('rg32uint', F.FORMAT_RG32UINT, 8, 2, 'uint');
color('rg32sint', F.FORMAT_RG32SINT, 8, 2, 'sint');
color('rg32float', F.FORMAT_RG32FLOAT, 8, 2, 'float32');
color('rgba32uint', F.FORMAT_RGBA32UINT, 16, 4, 'uint');
color('rgba32sint', F.FORMAT_RGBA32SINT, 16, 4, 'sint');
color('rgba32float', F.FORMAT_RGBA32FLOAT, 16, 4, 'float32');
color('rgb10a2unorm', F.FORMAT_RGB10A2UNORM, 4, 4, 'all');
color('rgb10a2uint', F.FORMAT_RGB10A2UINT, 4, 4, 'uint');
color('rg11b10ufloat', F.FORMAT_RG11B10UFLOAT, 4, 3, 'sample');
color('rgb9e5ufloat', F.FORMAT_RGB9E5UFLOAT, 4, 3, 'sample');
function depth(name: GPUTextureFormat, id: number, bytes: number, aspect: 'depth' | 'stencil' | 'depth-stencil'): void {
  rows.push({ name, id, bytes, channels: 1, aspect, sampleType: aspect === 'stencil' ? 'uint' : 'depth', renderable: true, blendable: false, multisample: true, resolvable: false, pair: name });
}
depth('depth32float', F.FORMAT_DEPTH32FLOAT, 4, 'depth');
depth('depth24plus', F.FORMAT_DEPTH24PLUS, 4, 'depth');
depth('depth24plus-stencil8', F.FORMAT_DEPTH24PLUS_STENCIL8, 4, 'depth-stencil');
depth('depth16unorm', F.FORMAT_DEPTH16UNORM, 2, 'depth');
depth('stencil8', F.FORMAT_STENCIL8, 1, 'stencil');

const byName = new Map<string, FormatInfo>(rows.map((row) => [row.name, row]));
/** The format's row, or undefined when Rasterloom does not have it (compressed formats, features not advertised). */
export const formatInfo = (name: string): FormatInfo | undefined => byName.get(name);
export const hasDepth = (format: FormatInfo): boolean => format.aspect === 'depth' || format.aspect === 'depth-stencil';
export const hasStencil = (format: FormatInfo): boolean => format.aspect === 'stencil' || format.aspect === 'depth-stencil';
