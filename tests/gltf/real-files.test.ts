// What real files contain, and other viewers accept.
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/gltf/files/load';
import { flattenScene } from '../../src/gltf/scene/scene';
import { oneMesh, TRIANGLE } from './build';

const model = (more: Record<string, unknown>) =>
  loadModel(oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) }, material: 0 }), more));

describe('A texture without an image', () => {
  const MISSING = ['Texture 0 has no image in a supported format (PNG, JPEG, WebP, AVIF or KTX2); it is not drawn.'];
  const info = { index: 0 };

  it('is left out with a warning', async () => {
    const loaded = await model({
      samplers: [{ magFilter: 9728 }],
      textures: [{ sampler: 0 }],
      materials: [{ pbrMetallicRoughness: { baseColorTexture: info }, normalTexture: info, emissiveTexture: info }],
    });
    const { draws, warnings } = flattenScene(loaded);
    expect(draws[0].material.textures).toEqual({});
    expect(warnings).toEqual(MISSING);
  });

  it('is left out of the extensions of materials', async () => {
    const extensions = {
      KHR_materials_clearcoat: { clearcoatFactor: 1, clearcoatTexture: info, clearcoatNormalTexture: info },
      KHR_materials_transmission: { transmissionFactor: 1, transmissionTexture: info },
    };
    const loaded = await model({
      extensionsUsed: Object.keys(extensions),
      samplers: [{ magFilter: 9728 }],
      textures: [{ sampler: 0, extensions: { EXT_texture_avif: { source: 0 } } }],
      images: [{ uri: 'data:image/avif;base64,AAAA' }],
      materials: [{ extensions }],
    });
    expect(flattenScene(loaded).draws[0].material.textures).toEqual({});
    expect(loaded.warnings).toEqual(MISSING);
  });
});

describe('A texture with an AVIF image', () => {
  const images = [{ uri: 'data:image/avif;base64,AAAA' }, { uri: 'data:image/png;base64,BBBB' }];
  const imageOf = async (texture: object): Promise<Uint8Array | null | undefined> => {
    const { document } = await model({
      extensionsUsed: ['EXT_texture_avif'],
      textures: [{ extensions: { EXT_texture_avif: { source: 0 } }, ...texture }],
      images,
      materials: [{ emissiveTexture: { index: 0 } }],
    });
    return document.getRoot().listMaterials()[0].getEmissiveTexture()!.getImage();
  };

  it('has that image, unless it names one in another format', async () => {
    expect(await imageOf({})).toEqual(new Uint8Array(Buffer.from('AAAA', 'base64')));
    expect(await imageOf({ source: 1 })).toEqual(new Uint8Array(Buffer.from('BBBB', 'base64')));
  });
});

describe('An animation of an unknown property', () => {
  it('is left out with a warning', async () => {
    const loaded = await model({
      materials: [{}],
      animations: [
        {
          samplers: [{ input: 0, output: 0 }],
          channels: [
            { sampler: 0, target: { node: 0, path: 'color' } },
            { sampler: 0, target: { node: 0, path: 'constructor' } },
          ],
        },
      ],
    });
    expect(flattenScene(loaded).warnings).toEqual([]);
    expect(flattenScene(loaded, undefined, { moment: { animation: undefined, time: 0 } }).warnings).toEqual([
      'The animation of "color" is left out; nodes have no such property.',
      'The animation of "constructor" is left out; nodes have no such property.',
    ]);
  });
});
