// Copies between buffers and textures, row by row. Places are valid (the API checked them), sizes are in texels.
import type { LevelPlace, Plane } from './texture-store';

export interface TexelPlace { readonly plane: Plane; readonly level: LevelPlace; readonly x: number; readonly y: number; readonly z: number }
/** Rows of `width` texels, `rows` a layer, `layers`. */
export interface CopyBox { readonly width: number; readonly rows: number; readonly layers: number }
/** Row-major bytes: where they start and how far rows and images are apart, in bytes. */
export interface LinearPlace { readonly offset: number; readonly rowBytes: number; readonly imageBytes: number }

const texelAddress = (place: TexelPlace, row: number, layer: number): number =>
  place.plane.address + place.level.offset + (place.z + layer) * place.level.layerBytes + (place.y + row) * place.level.rowBytes + place.x * place.plane.texelBytes;

/** `source` may be device memory or a staged copy. */
export function writeTexels(memory: Uint8Array, target: TexelPlace, source: Uint8Array, from: LinearPlace, box: CopyBox): void {
  const bytes = box.width * target.plane.texelBytes;
  for (let layer = 0; layer < box.layers; layer++) {
    for (let row = 0; row < box.rows; row++) {
      const at = from.offset + layer * from.imageBytes + row * from.rowBytes;
      memory.set(source.subarray(at, at + bytes), texelAddress(target, row, layer));
    }
  }
}

export function readTexels(memory: Uint8Array, source: TexelPlace, targetAddress: number, to: LinearPlace, box: CopyBox): void {
  const bytes = box.width * source.plane.texelBytes;
  for (let layer = 0; layer < box.layers; layer++) {
    for (let row = 0; row < box.rows; row++) {
      const at = texelAddress(source, row, layer);
      memory.copyWithin(targetAddress + to.offset + layer * to.imageBytes + row * to.rowBytes, at, at + bytes);
    }
  }
}

/** Different textures of one sample, or disjoint subresources of one. */
export function copyTexels(memory: Uint8Array, source: TexelPlace, target: TexelPlace, box: CopyBox): void {
  const bytes = box.width * source.plane.texelBytes;
  for (let layer = 0; layer < box.layers; layer++) {
    for (let row = 0; row < box.rows; row++) {
      const at = texelAddress(source, row, layer);
      memory.copyWithin(texelAddress(target, row, layer), at, at + bytes);
    }
  }
}
