// What is known of a model before it is parsed.
import { describe, expect, it } from 'vitest';
import { mayHaveImages } from '../../src/cli/model-file';
import { Builder } from '../gltf/build';

describe('mayHaveImages', () => {
  const text = (json: object): Uint8Array => new TextEncoder().encode(JSON.stringify(json));

  it('finds the images of a .gltf and of a .glb', () => {
    expect(mayHaveImages(text({ images: [{ uri: 'a.png' }] }))).toBe(true);
    expect(mayHaveImages(new Builder().glb({ images: [{ uri: 'a.png' }] }))).toBe(true);
  });

  it('finds none in a file without images, whatever its data contains', () => {
    expect(mayHaveImages(text({ meshes: [] }))).toBe(false);
    const builder = new Builder();
    builder.view(new TextEncoder().encode('"images"'));
    expect(mayHaveImages(builder.glb({}))).toBe(false);
  });

  it('accepts files that are empty or cut off', () => {
    const file = new Builder().glb({ images: [] });
    for (const length of [0, 4, 12, 19]) expect(mayHaveImages(file.subarray(0, length))).toBe(false);
  });
});
