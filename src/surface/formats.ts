// Texture formats: names, kernel ids, sizes and capabilities (WebGPU §26.1 "Texture Format Capabilities").
import {
  BLOCK_ASTC,
  BLOCK_ASTC_SRGB,
  BLOCK_BC1,
  BLOCK_BC2,
  BLOCK_BC3,
  BLOCK_BC4_SNORM,
  BLOCK_BC4_UNORM,
  BLOCK_BC5_SNORM,
  BLOCK_BC5_UNORM,
  BLOCK_BC6_SIGNED,
  BLOCK_BC6_UNSIGNED,
  BLOCK_BC7,
  BLOCK_EAC_R_SNORM,
  BLOCK_EAC_R_UNORM,
  BLOCK_EAC_RG_SNORM,
  BLOCK_EAC_RG_UNORM,
  BLOCK_ETC2_RGB,
  BLOCK_ETC2_RGBA1,
  BLOCK_ETC2_RGBA8,
} from '../../assembly/layout/texture/block-codes';
import {
  FORMAT_BGRA8UNORM,
  FORMAT_BGRA8UNORM_SRGB,
  FORMAT_DEPTH16UNORM,
  FORMAT_DEPTH24PLUS,
  FORMAT_DEPTH24PLUS_STENCIL8,
  FORMAT_DEPTH32FLOAT,
  FORMAT_R16FLOAT,
  FORMAT_R16SINT,
  FORMAT_R16SNORM,
  FORMAT_R16UINT,
  FORMAT_R16UNORM,
  FORMAT_R32FLOAT,
  FORMAT_R32SINT,
  FORMAT_R32UINT,
  FORMAT_R8SINT,
  FORMAT_R8SNORM,
  FORMAT_R8UINT,
  FORMAT_R8UNORM,
  FORMAT_RG11B10UFLOAT,
  FORMAT_RG16FLOAT,
  FORMAT_RG16SINT,
  FORMAT_RG16SNORM,
  FORMAT_RG16UINT,
  FORMAT_RG16UNORM,
  FORMAT_RG32FLOAT,
  FORMAT_RG32SINT,
  FORMAT_RG32UINT,
  FORMAT_RG8SINT,
  FORMAT_RG8SNORM,
  FORMAT_RG8UINT,
  FORMAT_RG8UNORM,
  FORMAT_RGB10A2UINT,
  FORMAT_RGB10A2UNORM,
  FORMAT_RGB9E5UFLOAT,
  FORMAT_RGBA16FLOAT,
  FORMAT_RGBA16SINT,
  FORMAT_RGBA16SNORM,
  FORMAT_RGBA16UINT,
  FORMAT_RGBA16UNORM,
  FORMAT_RGBA32FLOAT,
  FORMAT_RGBA32SINT,
  FORMAT_RGBA32UINT,
  FORMAT_RGBA8SINT,
  FORMAT_RGBA8SNORM,
  FORMAT_RGBA8UINT,
  FORMAT_RGBA8UNORM,
  FORMAT_RGBA8UNORM_SRGB,
  FORMAT_STENCIL8,
} from '../../assembly/layout/texture/formats';

/** Device features that enable formats or extend their capabilities. */
type FormatFeature =
  | 'depth32float-stencil8'
  | 'texture-compression-bc'
  | 'texture-compression-bc-sliced-3d'
  | 'texture-compression-etc2'
  | 'texture-compression-astc'
  | 'texture-compression-astc-sliced-3d'
  | 'texture-compression-unaligned'
  | 'rg11b10ufloat-renderable'
  | 'bgra8unorm-storage'
  | 'float32-filterable'
  | 'float32-blendable'
  | 'texture-formats-tier1'
  | 'texture-formats-tier2';
/** Whether a capability exists: always, never, or on devices with a feature. */
export type Support = boolean | FormatFeature;

/** A compressed format: the size of its blocks and their decoder (assembly/blocks). */
export interface BlockInfo {
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  /** BLOCK_* of assembly/layout/texture/block-codes.ts, combined with the block size. */
  readonly code: number;
  /** Whether 3D textures may use it, in slices. */
  readonly sliced: Support;
}

export interface FormatInfo {
  readonly name: GPUTextureFormat;
  /** FORMAT_* of assembly/layout/texture/formats.ts; for compressed formats, that of decoded texels. */
  readonly id: number;
  /** Bytes per texel in memory; for combined depth-stencil formats, of the depth plane only. */
  readonly bytes: number;
  /** Set for compressed formats, whose textures store blocks; else null. */
  readonly block: BlockInfo | null;
  readonly channels: number;
  readonly aspect: 'color' | 'depth' | 'stencil' | 'depth-stencil';
  /** Sample type of the colour or depth aspect; 'float' is filterable. */
  readonly sampleType: GPUTextureSampleType;
  /** Whether the format is filterable although its sample type is 'unfilterable-float'. */
  readonly filterable: Support;
  /** What a device needs to create textures of the format. */
  readonly exists: Support;
  readonly renderable: Support;
  readonly blendable: Support;
  readonly multisample: Support;
  readonly resolvable: Support;
  /** Whether single-sampled storage textures may use it: with read or write access; with read-write access. */
  readonly storage: Support;
  readonly readWrite: Support;
  /** The format with the same layout but the opposite sRGB encoding, for viewFormats; itself if there is none. */
  readonly pair: GPUTextureFormat;
}

const rows: FormatInfo[] = [];
const TIER1 = 'texture-formats-tier1';
const TIER2 = 'texture-formats-tier2';
type Caps = Pick<FormatInfo, 'renderable' | 'blendable' | 'multisample' | 'resolvable'>;
const caps = (renderable: Support, blendable: Support, multisample: Support, resolvable: Support): Caps => ({
  renderable,
  blendable,
  multisample,
  resolvable,
});
const ALL = caps(true, true, true, true);
const NOT_DRAWN = caps(false, false, false, false);
const WHOLE = caps(true, false, true, false);
const WHOLE_WORDS = caps(true, false, false, false);
const BY_TIER1 = caps(TIER1, TIER1, TIER1, TIER1);
const NORM16 = caps(TIER1, TIER1, TIER1, false);
const SMALL_FLOAT = caps(
  'rg11b10ufloat-renderable',
  'rg11b10ufloat-renderable',
  'rg11b10ufloat-renderable',
  'rg11b10ufloat-renderable'
);
const BLENDS_FLOAT32 = 'float32-blendable';
type Rest = Partial<Pick<FormatInfo, 'sampleType' | 'filterable' | 'exists' | 'storage' | 'readWrite' | 'pair'>>;

/** Adds an uncompressed format (WebGPU §26.1.1). `storage` and `readWrite` default to no support. */
function color(
  name: GPUTextureFormat,
  id: number,
  [bytes, channels]: readonly [number, number],
  drawn: Caps,
  rest: Rest = {}
): void {
  const sampleType = /[us]int$/.exec(name)?.[0] as 'uint' | 'sint' | undefined;
  rows.push({
    name,
    id,
    bytes,
    block: null,
    channels,
    aspect: 'color',
    sampleType: sampleType ?? 'float',
    filterable: false,
    exists: true,
    storage: false,
    readWrite: false,
    pair: name,
    ...drawn,
    ...rest,
  });
}
const norm16: Rest = { sampleType: 'unfilterable-float', exists: TIER1, storage: TIER1 };
const float32: Rest = { sampleType: 'unfilterable-float', filterable: 'float32-filterable', storage: true };
const inTiers: Rest = { storage: TIER1, readWrite: TIER2 };
const fromTier1: Rest = { storage: TIER1 };
const inTier2: Rest = { storage: true, readWrite: TIER2 };
color('r8unorm', FORMAT_R8UNORM, [1, 1], ALL, inTiers);
color('r8snorm', FORMAT_R8SNORM, [1, 1], BY_TIER1, fromTier1);
color('r8uint', FORMAT_R8UINT, [1, 1], WHOLE, inTiers);
color('r8sint', FORMAT_R8SINT, [1, 1], WHOLE, inTiers);
color('rg8unorm', FORMAT_RG8UNORM, [2, 2], ALL, fromTier1);
color('rg8snorm', FORMAT_RG8SNORM, [2, 2], BY_TIER1, fromTier1);
color('rg8uint', FORMAT_RG8UINT, [2, 2], WHOLE, fromTier1);
color('rg8sint', FORMAT_RG8SINT, [2, 2], WHOLE, fromTier1);
color('rgba8unorm', FORMAT_RGBA8UNORM, [4, 4], ALL, { ...inTier2, pair: 'rgba8unorm-srgb' });
color('rgba8unorm-srgb', FORMAT_RGBA8UNORM_SRGB, [4, 4], ALL, { pair: 'rgba8unorm' });
color('rgba8snorm', FORMAT_RGBA8SNORM, [4, 4], BY_TIER1, { storage: true });
color('rgba8uint', FORMAT_RGBA8UINT, [4, 4], WHOLE, inTier2);
color('rgba8sint', FORMAT_RGBA8SINT, [4, 4], WHOLE, inTier2);
color('bgra8unorm', FORMAT_BGRA8UNORM, [4, 4], ALL, { storage: 'bgra8unorm-storage', pair: 'bgra8unorm-srgb' });
color('bgra8unorm-srgb', FORMAT_BGRA8UNORM_SRGB, [4, 4], ALL, { pair: 'bgra8unorm' });
color('r16unorm', FORMAT_R16UNORM, [2, 1], NORM16, norm16);
color('r16snorm', FORMAT_R16SNORM, [2, 1], NORM16, norm16);
color('r16uint', FORMAT_R16UINT, [2, 1], WHOLE, inTiers);
color('r16sint', FORMAT_R16SINT, [2, 1], WHOLE, inTiers);
color('r16float', FORMAT_R16FLOAT, [2, 1], ALL, inTiers);
color('rg16unorm', FORMAT_RG16UNORM, [4, 2], NORM16, norm16);
color('rg16snorm', FORMAT_RG16SNORM, [4, 2], NORM16, norm16);
color('rg16uint', FORMAT_RG16UINT, [4, 2], WHOLE, fromTier1);
color('rg16sint', FORMAT_RG16SINT, [4, 2], WHOLE, fromTier1);
color('rg16float', FORMAT_RG16FLOAT, [4, 2], ALL, fromTier1);
color('rgba16unorm', FORMAT_RGBA16UNORM, [8, 4], NORM16, norm16);
color('rgba16snorm', FORMAT_RGBA16SNORM, [8, 4], NORM16, norm16);
color('rgba16uint', FORMAT_RGBA16UINT, [8, 4], WHOLE, inTier2);
color('rgba16sint', FORMAT_RGBA16SINT, [8, 4], WHOLE, inTier2);
color('rgba16float', FORMAT_RGBA16FLOAT, [8, 4], ALL, inTier2);
// WebGPU does not allow multisampling for 32-bit formats with more than one channel, or with integers.
color('r32uint', FORMAT_R32UINT, [4, 1], WHOLE_WORDS, { storage: true, readWrite: true });
color('r32sint', FORMAT_R32SINT, [4, 1], WHOLE_WORDS, { storage: true, readWrite: true });
color('r32float', FORMAT_R32FLOAT, [4, 1], caps(true, BLENDS_FLOAT32, true, false), { ...float32, readWrite: true });
color('rg32uint', FORMAT_RG32UINT, [8, 2], WHOLE_WORDS, { storage: true });
color('rg32sint', FORMAT_RG32SINT, [8, 2], WHOLE_WORDS, { storage: true });
color('rg32float', FORMAT_RG32FLOAT, [8, 2], caps(true, BLENDS_FLOAT32, false, false), float32);
color('rgba32uint', FORMAT_RGBA32UINT, [16, 4], WHOLE_WORDS, inTier2);
color('rgba32sint', FORMAT_RGBA32SINT, [16, 4], WHOLE_WORDS, inTier2);
color('rgba32float', FORMAT_RGBA32FLOAT, [16, 4], caps(true, BLENDS_FLOAT32, false, false), {
  ...float32,
  readWrite: TIER2,
});
color('rgb10a2unorm', FORMAT_RGB10A2UNORM, [4, 4], ALL, fromTier1);
color('rgb10a2uint', FORMAT_RGB10A2UINT, [4, 4], WHOLE, fromTier1);
color('rg11b10ufloat', FORMAT_RG11B10UFLOAT, [4, 3], SMALL_FLOAT, fromTier1);
color('rgb9e5ufloat', FORMAT_RGB9E5UFLOAT, [4, 3], NOT_DRAWN);
function depth(
  name: GPUTextureFormat,
  id: number,
  bytes: number,
  aspect: 'depth' | 'stencil' | 'depth-stencil',
  exists: Support = true
): void {
  rows.push({
    name,
    id,
    bytes,
    block: null,
    channels: 1,
    aspect,
    sampleType: aspect === 'stencil' ? 'uint' : 'depth',
    filterable: false,
    exists,
    renderable: true,
    blendable: false,
    multisample: true,
    resolvable: false,
    storage: false,
    readWrite: false,
    pair: name,
  });
}
depth('depth32float', FORMAT_DEPTH32FLOAT, 4, 'depth');
depth('depth24plus', FORMAT_DEPTH24PLUS, 4, 'depth');
depth('depth24plus-stencil8', FORMAT_DEPTH24PLUS_STENCIL8, 4, 'depth-stencil');
depth('depth32float-stencil8', FORMAT_DEPTH24PLUS_STENCIL8, 4, 'depth-stencil', 'depth32float-stencil8');
depth('depth16unorm', FORMAT_DEPTH16UNORM, 2, 'depth');
depth('stencil8', FORMAT_STENCIL8, 1, 'stencil');

interface Compression {
  readonly exists: FormatFeature;
  readonly sliced: Support;
  readonly size: readonly [number, number];
}
/** Adds a compressed format. `decoded` is the format id, byte size and channel count of its decoded texels. */
function compressed(
  name: string,
  code: number,
  bytes: number,
  decoded: readonly [number, number, number],
  { exists, sliced, size: [width, height] }: Compression
): void {
  const [id, texelBytes, channels] = decoded;
  const pair = name.endsWith('-srgb') ? name.slice(0, -5) : `${name}-srgb`;
  rows.push({
    name: name as GPUTextureFormat,
    id,
    bytes: texelBytes,
    channels,
    aspect: 'color',
    sampleType: 'float',
    block: { width, height, bytes, code: code | (width << 8) | (height << 16), sliced },
    filterable: false,
    exists,
    ...NOT_DRAWN,
    storage: false,
    readWrite: false,
    pair: (/unorm|astc/.test(name) && id !== FORMAT_R16UNORM && id !== FORMAT_RG16UNORM
      ? pair
      : name) as GPUTextureFormat,
  });
}
const BYTES4 = [FORMAT_RGBA8UNORM, 4, 4] as const;
const SRGB4 = [FORMAT_RGBA8UNORM_SRGB, 4, 4] as const;
const UNORM1 = [FORMAT_R16UNORM, 2, 1] as const;
const SNORM1 = [FORMAT_R16SNORM, 2, 1] as const;
const UNORM2 = [FORMAT_RG16UNORM, 4, 2] as const;
const SNORM2 = [FORMAT_RG16SNORM, 4, 2] as const;
const HALF3 = [FORMAT_RGBA16FLOAT, 8, 3] as const;
const BC: Compression = { exists: 'texture-compression-bc', sliced: 'texture-compression-bc-sliced-3d', size: [4, 4] };
const ETC2: Compression = { exists: 'texture-compression-etc2', sliced: false, size: [4, 4] };
for (const [suffix, decoded] of [
  ['', BYTES4],
  ['-srgb', SRGB4],
] as const) {
  compressed(`bc1-rgba-unorm${suffix}`, BLOCK_BC1, 8, decoded, BC);
  compressed(`bc2-rgba-unorm${suffix}`, BLOCK_BC2, 16, decoded, BC);
  compressed(`bc3-rgba-unorm${suffix}`, BLOCK_BC3, 16, decoded, BC);
  compressed(`bc7-rgba-unorm${suffix}`, BLOCK_BC7, 16, decoded, BC);
  compressed(`etc2-rgb8unorm${suffix}`, BLOCK_ETC2_RGB, 8, decoded, ETC2);
  compressed(`etc2-rgb8a1unorm${suffix}`, BLOCK_ETC2_RGBA1, 8, decoded, ETC2);
  compressed(`etc2-rgba8unorm${suffix}`, BLOCK_ETC2_RGBA8, 16, decoded, ETC2);
}
compressed('bc4-r-unorm', BLOCK_BC4_UNORM, 8, UNORM1, BC);
compressed('bc4-r-snorm', BLOCK_BC4_SNORM, 8, SNORM1, BC);
compressed('bc5-rg-unorm', BLOCK_BC5_UNORM, 16, UNORM2, BC);
compressed('bc5-rg-snorm', BLOCK_BC5_SNORM, 16, SNORM2, BC);
compressed('bc6h-rgb-ufloat', BLOCK_BC6_UNSIGNED, 16, HALF3, BC);
compressed('bc6h-rgb-float', BLOCK_BC6_SIGNED, 16, HALF3, BC);
compressed('eac-r11unorm', BLOCK_EAC_R_UNORM, 8, UNORM1, ETC2);
compressed('eac-r11snorm', BLOCK_EAC_R_SNORM, 8, SNORM1, ETC2);
compressed('eac-rg11unorm', BLOCK_EAC_RG_UNORM, 16, UNORM2, ETC2);
compressed('eac-rg11snorm', BLOCK_EAC_RG_SNORM, 16, SNORM2, ETC2);
for (const size of [
  [4, 4],
  [5, 4],
  [5, 5],
  [6, 5],
  [6, 6],
  [8, 5],
  [8, 6],
  [8, 8],
  [10, 5],
  [10, 6],
  [10, 8],
  [10, 10],
  [12, 10],
  [12, 12],
] as const) {
  const astc: Compression = { exists: 'texture-compression-astc', sliced: 'texture-compression-astc-sliced-3d', size };
  compressed(`astc-${size.join('x')}-unorm`, BLOCK_ASTC, 16, BYTES4, astc);
  compressed(`astc-${size.join('x')}-unorm-srgb`, BLOCK_ASTC_SRGB, 16, SRGB4, astc);
}

const byName = new Map<string, FormatInfo>(rows.map((row) => [row.name, row]));
/** The row of a WebGPU format; undefined for an unknown name. */
export const formatInfo = (name: string): FormatInfo | undefined => byName.get(name);
export const hasDepth = (format: FormatInfo): boolean => format.aspect === 'depth' || format.aspect === 'depth-stencil';
export const hasStencil = (format: FormatInfo): boolean =>
  format.aspect === 'stencil' || format.aspect === 'depth-stencil';
