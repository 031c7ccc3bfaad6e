// Models of some hundred bytes that request gigabytes: a one-sentence error, quickly, with the option that permits
// them.
import { describe, expect, it } from 'vitest';
import { deflateSync } from 'node:zlib';
import { DEFAULT_MODEL_BYTES, ModelBudget } from '../../src/gltf/budget';
import { ModelError } from '../../src/gltf/errors';
import { imagesOf } from '../../src/gltf/images/image-set';
import { loadModel } from '../../src/gltf/files/load';
import { flattenScene } from '../../src/gltf/scene/scene';
import { Builder, TRIANGLE } from './build';

const text = (json: object): Uint8Array => new TextEncoder().encode(JSON.stringify(json));

async function refusal(bytes: Uint8Array, most?: number): Promise<string> {
  const budget = new ModelBudget(most);
  const before = process.cpuUsage();
  const error: unknown = await loadModel(bytes, async () => new Uint8Array(1e6), budget)
    .then((model) => {
      imagesOf(flattenScene(model, budget), budget);
    })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ModelError);
  // CPU time: the machine may be busy.
  expect(process.cpuUsage(before).user).toBeLessThan(5e6);
  return (error as ModelError).message;
}

/** A mesh of `primitives` primitives that all use the same accessor of zeros. */
const repeated = (count: number, primitives: number): object => ({
  asset: { version: '2.0' },
  accessors: [{ componentType: 5126, type: 'VEC3', count }],
  meshes: [{ primitives: Array.from({ length: primitives }, () => ({ attributes: { POSITION: 0, NORMAL: 0 } })) }],
  nodes: [{ mesh: 0 }],
  scenes: [{ nodes: [0] }],
});

const OPTION = / would make the model take \d+ MiB of memory; the limit is 512 MiB, and --model-memory raises it\.$/;

/** The header of a PNG and rows of zeros, deflated. */
function png(width: number, height: number): Uint8Array {
  const chunk = (type: string, data: Uint8Array): Buffer => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length);
    head.write(type, 4);
    return Buffer.concat([head, data, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  return Buffer.concat([
    magic,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(16))),
    chunk('IEND', new Uint8Array()),
  ]);
}

describe('the budget of a model', () => {
  // Found by npm run fuzz: 132 MB of meaningless lists took 7 s.
  it('counts the JSON text, before it is parsed', async () => {
    const numbers = new Uint8Array(100_000_000).fill(0x30, 0, -2);
    for (let i = 1; i < numbers.length; i += 2) numbers[i] = 0x2c;
    numbers.set(text({}).slice(0, 1));
    expect(await refusal(numbers)).toMatch(new RegExp(`^The JSON text of the glTF file${OPTION.source}`));
  });

  it('counts the numbers of an accessor for each primitive that uses it', async () => {
    expect(await refusal(text(repeated(10_000_000, 10)))).toMatch(OPTION);
    expect(await refusal(text(repeated(100_000, 1000)))).toMatch(OPTION);
  });

  it('counts the bytes of a buffer for each accessor that uses them', async () => {
    const accessor = { bufferView: 0, componentType: 5126, type: 'VEC3', count: 80_000 };
    const json = {
      ...repeated(1, 1),
      buffers: [{ uri: 'a.bin', byteLength: 1e6 }],
      bufferViews: [{ buffer: 0, byteLength: 1e6 }],
      accessors: new Array(600).fill(accessor),
    };
    expect(await refusal(text(json))).toMatch(/^Accessor \d+, with 80000 elements, would/);
  });

  it('reads a file once, however many buffers refer to it, and counts what it reads', async () => {
    const buffers = (name: (i: number) => string): object => ({
      ...repeated(3, 1),
      buffers: Array.from({ length: 600 }, (_, i) => ({ uri: name(i), byteLength: 1 })),
    });
    let reads = 0;
    await loadModel(text(buffers(() => 'a.bin')), async () => {
      reads++;
      return new Uint8Array(1e6);
    });
    expect(reads).toBe(1);
    expect(await refusal(text(buffers((i) => `${i}.bin`)))).toMatch(/^The file "\d+.bin" would/);
  });

  it('counts the pixels of all images together before one is decoded', async () => {
    const builder = new Builder();
    const images = 20;
    const views = Array.from({ length: images }, (_, i) => builder.view(png(4000, 4000 + i)));
    const position = builder.accessor('VEC3', TRIANGLE);
    const json = {
      images: views.map((bufferView) => ({ bufferView, mimeType: 'image/png' })),
      textures: views.map((_, source) => ({ source })),
      materials: views.map((_, index) => ({ pbrMetallicRoughness: { baseColorTexture: { index } } })),
      meshes: [{ primitives: views.map((_, material) => ({ attributes: { POSITION: position }, material })) }],
      nodes: [{ mesh: 0 }],
      scenes: [{ nodes: [0] }],
    };
    expect(await refusal(builder.glb(json))).toMatch(/^Texture image 4 of 20, of 4000 × 4003 pixels, would make/);
  });

  it('counts draw calls, and rejects scenes that list a node twice', async () => {
    const nodes = Array.from({ length: 1000 }, () => ({ mesh: 0 }));
    const json = { ...repeated(3, 1000), nodes, scenes: [{ nodes: nodes.map((_, i) => i) }] };
    expect(await refusal(text(json))).toMatch(/^Draw \d+ would make/);
    expect(await refusal(text({ ...repeated(3, 1), scenes: [{ nodes: [0, 0] }] }))).toBe(
      'The glTF file is damaged: scene 0 names node 0 twice.'
    );
  });

  it('draws a node once if a scene lists it and its parent', async () => {
    const json = { ...repeated(3, 1), nodes: [{ children: [1] }, { mesh: 0 }], scenes: [{ nodes: [0, 1] }] };
    expect(flattenScene(await loadModel(text(json))).draws).toHaveLength(1);
  });

  it('can be raised by an option', async () => {
    expect(await refusal(text(repeated(1000, 10)), 1 << 16)).toContain('the limit is 0 MiB');
    const budget = new ModelBudget(DEFAULT_MODEL_BYTES);
    expect(flattenScene(await loadModel(text(repeated(1000, 10)), undefined, budget), budget).draws).toHaveLength(10);
  });

  it('rejects lists of more than a hundred thousand', async () => {
    expect(await refusal(text({ ...repeated(3, 1), materials: new Array(100_001).fill({}) }))).toBe(
      'The glTF file has 100001 materials; the limit is 100000.'
    );
  });
});

describe('skins', () => {
  it.each<[string, Float32Array | Int8Array]>([
    ['fractions', Float32Array.of(0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)],
    ['negative numbers', Int8Array.of(-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)],
    ['NaN', new Float32Array(12).fill(NaN)],
  ])('with %s joints are rejected', async (_, joints) => {
    const builder = new Builder();
    const attributes = {
      POSITION: builder.accessor('VEC3', TRIANGLE),
      JOINTS_0: builder.accessor('VEC4', joints),
      WEIGHTS_0: builder.accessor('VEC4', new Float32Array(12).fill(0.25)),
    };
    expect(
      await refusal(
        builder.glb({
          meshes: [{ primitives: [{ attributes }] }],
          skins: [{ joints: [1] }],
          nodes: [{ mesh: 0, skin: 0 }, {}],
          scenes: [{ nodes: [0, 1] }],
        })
      )
    ).toMatch(/uses a joint that its skin does not have/);
  });
});
