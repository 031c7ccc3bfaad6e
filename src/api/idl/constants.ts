// The constant namespaces of WebGPU, for example https://www.w3.org/TR/webgpu/#buffer-usage

function namespace<const T extends Record<string, number>>(name: string, values: T): T {
  const object = Object.create(Object.prototype) as Record<string, number>;
  for (const [key, value] of Object.entries(values)) Object.defineProperty(object, key, { value, enumerable: true });
  Object.defineProperty(object, Symbol.toStringTag, { value: name, configurable: true });
  return object as T;
}

export const BufferUsage = namespace('GPUBufferUsage', {
  MAP_READ: 0x1,
  MAP_WRITE: 0x2,
  COPY_SRC: 0x4,
  COPY_DST: 0x8,
  INDEX: 0x10,
  VERTEX: 0x20,
  UNIFORM: 0x40,
  STORAGE: 0x80,
  INDIRECT: 0x100,
  QUERY_RESOLVE: 0x200,
});
export const TextureUsage = namespace('GPUTextureUsage', {
  COPY_SRC: 0x1,
  COPY_DST: 0x2,
  TEXTURE_BINDING: 0x4,
  STORAGE_BINDING: 0x8,
  RENDER_ATTACHMENT: 0x10,
  TRANSIENT_ATTACHMENT: 0x20,
});
export const ShaderStage = namespace('GPUShaderStage', { VERTEX: 0x1, FRAGMENT: 0x2, COMPUTE: 0x4 });
export const MapMode = namespace('GPUMapMode', { READ: 0x1, WRITE: 0x2 });
export const ColorWrite = namespace('GPUColorWrite', { RED: 0x1, GREEN: 0x2, BLUE: 0x4, ALPHA: 0x8, ALL: 0xf });

/** Names the bits of a usage for messages: "COPY_DST | VERTEX". */
export function flagNames(flags: number, names: Record<string, number>): string {
  const set = Object.entries(names)
    .filter(([key, bit]) => key !== 'ALL' && (flags & bit) !== 0)
    .map(([key]) => key);
  return set.length === 0 ? '0' : set.join(' | ');
}
