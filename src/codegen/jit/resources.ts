// Reads properties of resources: sizes of buffers, textures and surfaces, with the same results as the interpreter
// (assembly/warp/access.ts).

import { DIMENSION_CUBE_ARRAY } from '../../../assembly/layout/texture/texture-codes';
import { Resource, Surface, Texture } from '../../../build/layout';
import { i32, i32x4, type I32, type V128 } from '../wasm/expression';
import type { Frame } from './frame';
import { resourceField } from './words';

const sizeOf = (frame: Frame, resource: number): I32 => resourceField(frame, resource, Resource.size);
const addressOf = (frame: Frame, resource: number): I32 => resourceField(frame, resource, Resource.address);

export const bufferSize = (frame: Frame, resource: number): V128 => i32x4.splat(sizeOf(frame, resource));

const TEXTURE_FIELDS = {
  'texture.levels': Texture.levelCount,
  'texture.layers': Texture.layers,
  'texture.samples': Texture.samples,
} as const;

export function textureField(frame: Frame, op: keyof typeof TEXTURE_FIELDS, resource: number): V128 {
  const texture = addressOf(frame, resource);
  const field = i32.load(texture, TEXTURE_FIELDS[op]);
  if (op !== 'texture.layers') return i32x4.splat(field);
  const isCubes = i32.equal(i32.load(texture, Texture.dimension), i32.constant(DIMENSION_CUBE_ARRAY));
  // A cube array has six layers per cube.
  return i32x4.splat(i32.quotient(field, i32.select(i32.constant(6), i32.constant(1), isCubes)));
}

const SURFACE_FIELDS = {
  'surface.width': Surface.width,
  'surface.height': Surface.height,
  'surface.samples': Surface.samples,
} as const;

export const surfaceField = (frame: Frame, op: keyof typeof SURFACE_FIELDS, resource: number): V128 =>
  i32x4.splat(i32.load(addressOf(frame, resource), SURFACE_FIELDS[op]));
