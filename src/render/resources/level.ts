// Writes a mip level of a texture as kernels see it.
import { Texture, TextureLevel } from '../../../build/layout';
import type { LevelLayout } from '../../surface';

/** Writes a level into a TEXTURE record. `texture`: view of the record. */
export function writeLevel(
  texture: DataView,
  index: number,
  level: Pick<LevelLayout, 'width' | 'height' | 'layers' | 'rowBytes' | 'layerBytes'>,
  address: number
): void {
  const entry = Texture.levels + index * TextureLevel.bytes;
  texture.setInt32(entry + TextureLevel.address, address, true);
  texture.setInt32(entry + TextureLevel.rowBytes, level.rowBytes, true);
  texture.setInt32(entry + TextureLevel.layerBytes, level.layerBytes, true);
  texture.setFloat32(entry + TextureLevel.width, level.width, true);
  texture.setFloat32(entry + TextureLevel.height, level.height, true);
  texture.setInt32(entry + TextureLevel.innerX, level.width - 2, true);
  texture.setInt32(entry + TextureLevel.innerY, level.height - 2, true);
  texture.setFloat32(entry + TextureLevel.slices, level.layers, true);
}
