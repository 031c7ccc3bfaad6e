// Vertex formats: https://www.w3.org/TR/webgpu/#vertex-formats

interface VertexFormatInfo {
  readonly bytes: number;
  /** Scalar type that the shader's input must have. */
  readonly scalar: 'f32' | 'i32' | 'u32';
}

const packed: Readonly<Record<string, VertexFormatInfo>> = {
  'unorm10-10-10-2': { bytes: 4, scalar: 'f32' },
  'unorm8x4-bgra': { bytes: 4, scalar: 'f32' },
};

/** Derives kind, bits and components from the name. */
export function vertexFormatInfo(format: string): VertexFormatInfo {
  const special = packed[format];
  if (special !== undefined) return special;
  const [, kind, bits, components] = /^([a-z]+)(\d+)(?:x(\d))?$/.exec(format) ?? [];
  const scalar = kind === 'uint' ? 'u32' : kind === 'sint' ? 'i32' : 'f32';
  return { bytes: (Number(bits) / 8) * Number(components ?? 1), scalar };
}
