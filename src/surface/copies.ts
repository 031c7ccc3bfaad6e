// Row-by-row copies between buffers and textures. Origins are valid, because the API has checked them; sizes are in
// texels.
import type { LevelLayout, Plane } from './texture-store';

export interface TexelOrigin {
  readonly plane: Plane;
  readonly level: LevelLayout;
  readonly x: number;
  readonly y: number;
  readonly z: number;
}
/** `layers` layers of `rows` rows of `width` texels. */
export interface CopyBox {
  readonly width: number;
  readonly rows: number;
  readonly layers: number;
}
/** Row-major bytes: their start, and the strides of rows and images, in bytes. */
export interface LinearLayout {
  readonly offset: number;
  readonly rowBytes: number;
  readonly imageBytes: number;
}

const texelAddress = (origin: TexelOrigin, row: number, layer: number): number =>
  origin.plane.address
  + origin.level.offset
  + (origin.z + layer) * origin.level.layerBytes
  + (origin.y + row) * origin.level.rowBytes
  + origin.x * origin.plane.texelBytes;

/** Writes texels; `source` may be device memory or a staged copy. */
export function writeTexels(
  memory: Uint8Array,
  target: TexelOrigin,
  source: Uint8Array,
  from: LinearLayout,
  box: CopyBox
): void {
  const bytes = box.width * target.plane.texelBytes;
  // Rows that are contiguous on both sides are copied at once.
  const whole = bytes === from.rowBytes && bytes === target.level.rowBytes;
  for (let layer = 0; layer < box.layers; layer++) {
    if (whole) {
      const at = from.offset + layer * from.imageBytes;
      memory.set(source.subarray(at, at + bytes * box.rows), texelAddress(target, 0, layer));
      continue;
    }
    for (let row = 0; row < box.rows; row++) {
      const at = from.offset + layer * from.imageBytes + row * from.rowBytes;
      memory.set(source.subarray(at, at + bytes), texelAddress(target, row, layer));
    }
  }
}

export function readTexels(
  memory: Uint8Array,
  source: TexelOrigin,
  targetAddress: number,
  to: LinearLayout,
  box: CopyBox
): void {
  const bytes = box.width * source.plane.texelBytes;
  for (let layer = 0; layer < box.layers; layer++) {
    for (let row = 0; row < box.rows; row++) {
      const at = texelAddress(source, row, layer);
      memory.copyWithin(targetAddress + to.offset + layer * to.imageBytes + row * to.rowBytes, at, at + bytes);
    }
  }
}

/** Copies between different single-sampled textures, or between disjoint subresources of one texture. */
export function copyTexels(memory: Uint8Array, source: TexelOrigin, target: TexelOrigin, box: CopyBox): void {
  const bytes = box.width * source.plane.texelBytes;
  for (let layer = 0; layer < box.layers; layer++) {
    for (let row = 0; row < box.rows; row++) {
      const at = texelAddress(source, row, layer);
      memory.copyWithin(texelAddress(target, row, layer), at, at + bytes);
    }
  }
}
