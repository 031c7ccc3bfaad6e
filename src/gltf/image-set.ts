// The decoded images of a scene: each image once, however many materials use it.
import type { Texture } from '@gltf-transform/core';
import type { ImageCodecs, Pixels } from './codecs';
import { ModelError } from './errors';
import { decodeImage } from './image';
import { TEXTURE_SLOTS } from './material';
import type { FlatScene } from './scene';

/**
 * Decodes every image that a draw uses.
 * @param onImage told after each image: how many are done, of how many
 */
export async function decodeImages(scene: FlatScene, codecs: ImageCodecs, onImage: (done: number, all: number) => void): Promise<Map<Texture, Pixels>> {
  const used = new Set<Texture>();
  for (const { material } of scene.draws) {
    for (const slot of TEXTURE_SLOTS) {
      const use = material.textures[slot];
      if (use) used.add(use.image);
    }
  }
  const decoded = new Map<Texture, Pixels>();
  for (const texture of used) {
    const name = texture.getName() || texture.getURI();
    const label = name ? `The texture image ${JSON.stringify(name)}` : `Texture image ${decoded.size + 1} of ${used.size}`;
    const bytes = texture.getImage();
    if (!bytes) throw new ModelError(`${label} is missing.`);
    decoded.set(texture, await decodeImage(bytes, label, codecs));
    onImage(decoded.size, used.size);
  }
  return decoded;
}
