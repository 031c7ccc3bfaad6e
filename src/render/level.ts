// A level of a texture as kernels see it.
import * as T from '../../assembly/layout/texture';
import type { LevelLayout } from '../surface';

/** Describes a level in a TEXTURE record, whose words are `texture`. */
export function writeLevel(texture: DataView, index: number, level: Pick<LevelLayout, 'width' | 'height' | 'rowBytes' | 'layerBytes'>, address: number): void {
  const entry = T.TEXTURE_LEVEL0 + index * T.TEXTURE_LEVEL_BYTES;
  texture.setInt32(entry + T.LEVEL_ADDRESS, address, true);
  texture.setInt32(entry + T.LEVEL_ROW_BYTES, level.rowBytes, true);
  texture.setInt32(entry + T.LEVEL_LAYER_BYTES, level.layerBytes, true);
  texture.setFloat32(entry + T.LEVEL_WIDTH, level.width, true);
  texture.setFloat32(entry + T.LEVEL_HEIGHT, level.height, true);
  texture.setInt32(entry + T.LEVEL_INNER_X, level.width - 2, true);
  texture.setInt32(entry + T.LEVEL_INNER_Y, level.height - 2, true);
}
