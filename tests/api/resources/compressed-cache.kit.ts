export const USAGE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, ATTACHMENT: 16 } as const;
export const BUFFER = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, STORAGE: 128 } as const;
export const FORMATS: GPUTextureFormat[] = [
  'bc1-rgba-unorm',
  'bc2-rgba-unorm-srgb',
  'bc3-rgba-unorm',
  'bc4-r-unorm',
  'bc4-r-snorm',
  'bc5-rg-snorm',
  'bc6h-rgb-ufloat',
  'bc6h-rgb-float',
  'bc7-rgba-unorm-srgb',
  'etc2-rgb8unorm',
  'etc2-rgb8a1unorm',
  'etc2-rgba8unorm-srgb',
  'eac-r11unorm',
  'eac-rg11snorm',
  'astc-4x4-unorm',
  'astc-6x5-unorm-srgb',
  'astc-10x6-unorm',
  'astc-12x12-unorm',
];
