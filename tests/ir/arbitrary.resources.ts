// Inputs, variables, arrays, outputs and resources of random IR programs.
import type { IrResource, ScalarType } from '../../src/ir';

export const INPUTS: readonly ScalarType[] = ['f32', 'f32', 'f32', 'i32', 'u32', 'u32'];
export const VARIABLES: readonly ScalarType[] = ['f32', 'f32', 'i32', 'u32', 'bool', 'f32'];
/** The variable that accumulates values which nothing else uses. */
export const NOTES = 3;
export const ARRAYS = [
  { name: 'small', type: 'f32', length: 3 },
  { name: 'large', type: 'i32', length: 7 },
  { name: 'table', type: 'f32', length: 5, constants: [0x3f800000, 0x40000000, 0x80000000, 0x40400000, 0x7fc00000] },
] as const;
/** Four values, then all variables, then an element of each array that is stored to. */
export const OUTPUTS: readonly ScalarType[] = [
  'f32',
  'f32',
  'u32',
  'i32',
  ...VARIABLES.map((type) => (type === 'bool' ? 'u32' : type)),
  'f32',
  'i32',
];
export const BUFFER_BYTES = 32;

type TextureResource = Extract<IrResource, { kind: 'texture' }>;
const texture = (
  binding: number,
  dimension: TextureResource['dimension'],
  sampled: TextureResource['sampled'] = 'f32'
): TextureResource => ({
  kind: 'texture',
  group: 0,
  binding,
  name: `t${binding}`,
  dimension,
  sampled,
  multisampled: false,
});
export const BUFFER: IrResource = {
  kind: 'uniform',
  group: 0,
  binding: 0,
  name: 'u',
  minSize: BUFFER_BYTES,
  writable: false,
};
/** After the buffer, in this order; two that may be read together come first. */
export const TEXTURES: readonly TextureResource[] = [
  texture(1, '2d'),
  texture(2, '2d'),
  texture(3, '2d-array'),
  texture(4, 'cube'),
  texture(5, '3d'),
  texture(6, '2d', 'depth'),
];
export const SAMPLER = TEXTURES.length + 1;
export const COMPARISON_SAMPLER = SAMPLER + 1;
export const SAMPLERS: readonly IrResource[] = [SAMPLER, COMPARISON_SAMPLER].map((binding) => ({
  kind: 'sampler',
  group: 0,
  binding,
  name: `s${binding}`,
  comparison: binding === COMPARISON_SAMPLER,
}));

/** After all other resources; the texel of an access is mostly TEXEL. */
export const SURFACE: IrResource = {
  kind: 'surface',
  group: 0,
  binding: COMPARISON_SAMPLER + 1,
  name: 'surface',
  format: 'rgba32float',
  access: 'read_write',
  sampled: 'f32',
};
/** After all other resources. */
export const WORDS: IrResource = {
  kind: 'storage',
  group: 0,
  binding: COMPARISON_SAMPLER + 2,
  name: 'words',
  minSize: 4,
  writable: true,
};
export const IMAGE: IrResource = {
  kind: 'image',
  group: 0,
  binding: COMPARISON_SAMPLER + 3,
  name: 'image',
  format: 'rgba32float',
  access: 'read_write',
  dimension: '2d',
  sampled: 'f32',
};
/** Inputs that follow INPUTS. */
export const TEXEL = { x: INPUTS.length, y: INPUTS.length + 1 } as const;
