// Draco data, made here with its encoder: decoded geometry equals the original within quantisation, and broken data is
// refused with an error, after which the next model still decodes.
import { Document, Logger, NodeIO, Primitive, type GLTF } from '@gltf-transform/core';
import { KHRDracoMeshCompression } from '@gltf-transform/extensions';
import draco3d from 'draco3dgltf';
import { beforeAll, describe, expect, it } from 'vitest';
import { glb } from '../build';
import { expectWave, geometries, refusal, split, WAVE } from './wave';

describe('Draco', () => {
  let io: NodeIO;
  beforeAll(async () => {
    io = new NodeIO()
      .setLogger(new Logger(Logger.Verbosity.SILENT))
      .registerExtensions([KHRDracoMeshCompression])
      .registerDependencies({
        'draco3d.encoder': await draco3d.createEncoderModule(),
        'draco3d.decoder': await draco3d.createDecoderModule(),
      });
  });

  function document(meshes = 1): Document {
    const made = new Document();
    const buffer = made.createBuffer();
    const scene = made.createScene();
    const accessor = (type: 'SCALAR' | 'VEC2' | 'VEC3', array: Float32Array | Uint16Array) =>
      made.createAccessor().setType(type).setArray(array).setBuffer(buffer);
    const positions = accessor('VEC3', WAVE.positions);
    const normals = accessor('VEC3', WAVE.normals);
    const uvs = accessor('VEC2', WAVE.uvs);
    const indices = accessor('SCALAR', WAVE.indices);
    for (let i = 0; i < meshes; i++) {
      const primitive = made
        .createPrimitive()
        .setAttribute('POSITION', positions)
        .setAttribute('NORMAL', normals)
        .setAttribute('TEXCOORD_0', uvs)
        .setIndices(indices)
        .setMaterial(made.createMaterial(`material ${i}`));
      scene.addChild(made.createNode().setMesh(made.createMesh().addPrimitive(primitive)).setTranslation([i, 0, 0]));
    }
    return made;
  }

  const compress = (made: Document, method: 'edgebreaker' | 'sequential' = 'edgebreaker'): Promise<Uint8Array> => {
    made
      .createExtension(KHRDracoMeshCompression)
      .setRequired(true)
      .setEncoderOptions({
        method: KHRDracoMeshCompression.EncoderMethod[method === 'edgebreaker' ? 'EDGEBREAKER' : 'SEQUENTIAL'],
        quantizationBits: { POSITION: 14, NORMAL: 12, TEX_COORD: 14, COLOR: 8, GENERIC: 12 },
      });
    return io.writeBinary(made);
  };

  it.each(['edgebreaker', 'sequential'] as const)('decodes triangles (%s)', async (method) => {
    const bytes = await compress(document(), method);
    expect(split(bytes).json.extensionsRequired).toEqual(['KHR_draco_mesh_compression']);
    expectWave((await geometries(bytes))[0], 2e-3);
  });

  it('decodes primitives that share their data', async () => {
    const all = await geometries(await compress(document(3)));
    expect(all).toHaveLength(3);
    for (const geometry of all) expectWave(geometry, 2e-3);
  });

  it('decodes separate triangles where the primitive is a strip', async () => {
    const { json, binary } = split(await compress(document()));
    json.meshes![0].primitives[0].mode = Primitive.Mode.TRIANGLE_STRIP;
    expectWave((await geometries(glb(json as unknown as Record<string, unknown>, binary)))[0], 2e-3);
  });

  const damages: Record<string, (json: GLTF.IGLTF, binary: Uint8Array) => void> = {
    'no attributes beside the compressed ones': (json) =>
      delete (json.meshes![0].primitives[0] as { attributes?: unknown }).attributes,
    'an empty view': (json) => (json.bufferViews![0].byteLength = 1),
    'half of the data': (json) => (json.bufferViews![0].byteLength >>= 1),
    'another header': (_, binary) => binary.fill(0, 0, 5),
    'another version': (_, binary) => binary.fill(99, 5, 7),
    'another kind of geometry': (_, binary) => binary.fill(7, 7, 8),
    'another method': (_, binary) => binary.fill(9, 8, 9),
    'huge counts': (_, binary) => binary.set([0xff, 0xff, 0xff, 0xff, 0x0f], 11),
    'huge counts behind metadata': (_, binary) => {
      binary[10] |= 0x80;
      binary.set([0xff, 0xff, 0xff, 0xff, 0x0f], 11);
    },
    'an attribute that is missing': (json) => {
      dracoOf(json).attributes.NORMAL = 77;
    },
    'an attribute of another size': (json) => {
      dracoOf(json).attributes.POSITION = dracoOf(json).attributes.TEXCOORD_0;
    },
    'no attributes': (json) => {
      (dracoOf(json) as { attributes: unknown }).attributes = null;
    },
    'a view that is missing': (json) => {
      dracoOf(json).bufferView = 99;
    },
    'an attribute without accessor': (json) => {
      dracoOf(json).attributes.COLOR_0 = 0;
    },
  };
  const dracoOf = (json: GLTF.IGLTF) =>
    json.meshes![0].primitives[0].extensions!.KHR_draco_mesh_compression as {
      bufferView: number;
      attributes: Record<string, number>;
    };

  it.each(Object.keys(damages))('refuses %s', async (name) => {
    const { json, binary } = split(await compress(document()));
    damages[name](json, binary);
    expect(await refusal(glb(json as unknown as Record<string, unknown>, binary))).not.toBe('');
    expectWave((await geometries(await compress(document())))[0], 2e-3);
  });

  it.each(['edgebreaker', 'sequential'] as const)(
    'refuses or draws data with any byte changed (%s)',
    async (method) => {
      const { json, binary } = split(await compress(document(), method));
      let refused = 0;
      for (let at = 0; at < Math.min(binary.length, 600); at += at < 60 ? 1 : 17) {
        for (const flip of [0xff, 0x01]) {
          const broken = binary.slice();
          broken[at] ^= flip;
          if ((await refusal(glb(json as unknown as Record<string, unknown>, broken))) !== '') refused++;
        }
      }
      expect(refused).toBeGreaterThan(20);
      expectWave((await geometries(await compress(document(), method)))[0], 2e-3);
    }
  );
});
