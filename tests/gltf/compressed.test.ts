// Draco and meshopt data, made here with their encoders: decoded geometry equals the original within quantisation, and
// broken data is refused with an error, after which the next model still decodes.
import { Document, Logger, NodeIO, Primitive, type GLTF } from '@gltf-transform/core';
import { KHRDracoMeshCompression } from '@gltf-transform/extensions';
import draco3d from 'draco3dgltf';
import { MeshoptEncoder } from 'meshoptimizer/encoder';
import { beforeAll, describe, expect, it } from 'vitest';
import { ModelError } from '../../src/gltf/errors';
import { loadModel } from '../../src/gltf/files/load';
import type { Geometry } from '../../src/gltf/scene/geometry';
import { flattenScene } from '../../src/gltf/scene/scene';
import { Builder, glb } from './build';

const STEPS = 12;
const WIDTH = STEPS + 1;

/** A wavy square of STEPS × STEPS cells. */
function wave(): { positions: Float32Array; normals: Float32Array; uvs: Float32Array; indices: Uint16Array } {
  const [positions, normals, uvs, indices]: number[][] = [[], [], [], []];
  for (let j = 0; j < WIDTH; j++) {
    for (let i = 0; i < WIDTH; i++) {
      const [u, v] = [i / STEPS, j / STEPS];
      positions.push(u * 2 - 1, v * 2 - 1, 0.2 * Math.sin(5 * u));
      const slope = Math.cos(5 * u) / 2;
      const length = Math.hypot(slope, 1);
      normals.push(-slope / length, 0, 1 / length);
      uvs.push(u, v);
      if (i === STEPS || j === STEPS) continue;
      const a = j * WIDTH + i;
      indices.push(a, a + 1, a + WIDTH, a + 1, a + WIDTH + 1, a + WIDTH);
    }
  }
  return {
    positions: new Float32Array(positions),
    normals: new Float32Array(normals),
    uvs: new Float32Array(uvs),
    indices: new Uint16Array(indices),
  };
}

const WAVE = wave();

const flatten = async (bytes: Uint8Array) => flattenScene(await loadModel(bytes));
const geometries = async (bytes: Uint8Array): Promise<Geometry[]> =>
  (await flatten(bytes)).draws.map((draw) => draw.geometry);

/** Corners of the triangles as lists of numbers, in an order that does not depend on that of the file. */
function corners({ positions, normals, uvs, indices }: Geometry): number[][] {
  const triangles: number[][] = [];
  for (let t = 0; t < indices.length; t += 3) {
    const points = [0, 1, 2].map((k) => {
      const v = indices[t + k];
      return [
        ...positions.slice(3 * v, 3 * v + 3),
        ...normals.slice(3 * v, 3 * v + 3),
        ...uvs[0]!.slice(2 * v, 2 * v + 2),
      ];
    });
    // Triangles begin with the corner of the least u + 100 v.
    const first = [0, 1, 2].sort((a, b) => order(points[a]) - order(points[b]))[0];
    triangles.push([0, 1, 2].flatMap((k) => points[(first + k) % 3]));
  }
  return triangles.sort((a, b) => middle(a) - middle(b));
}
const order = (point: number[]): number => Math.round(point[6] * STEPS) + 100 * Math.round(point[7] * STEPS);
const middle = (triangle: number[]): number =>
  order(triangle.slice(0, 8)) * 1e4 + order(triangle.slice(8, 16)) + order(triangle.slice(16, 24)) * 100;

function expectWave(geometry: Geometry, tolerance: number): void {
  const expected = corners({
    topology: 'triangles',
    vertexCount: WIDTH * WIDTH,
    positions: WAVE.positions,
    normals: WAVE.normals,
    uvs: [WAVE.uvs],
    indices: Uint32Array.from(WAVE.indices),
    tangents: undefined,
    colors: undefined,
  });
  const actual = corners(geometry);
  expect(actual).toHaveLength(expected.length);
  let worst = 0;
  expected.forEach((triangle, t) =>
    triangle.forEach((x, i) => {
      worst = Math.max(worst, Math.abs(x - actual[t][i]));
    })
  );
  expect(worst).toBeLessThan(tolerance);
}

async function refusal(bytes: Uint8Array): Promise<string> {
  const error: unknown = await flatten(bytes).then(
    () => undefined,
    (thrown: unknown) => thrown
  );
  if (error !== undefined) expect(error).toBeInstanceOf(ModelError);
  return error === undefined ? '' : (error as ModelError).message;
}

/** Splits a .glb into its JSON and its buffer. */
function split(bytes: Uint8Array): { json: GLTF.IGLTF; binary: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = view.getUint32(12, true);
  return {
    json: JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length))) as GLTF.IGLTF,
    binary: bytes.slice(28 + length),
  };
}

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

describe.each(['EXT_meshopt_compression', 'KHR_meshopt_compression'])('%s', (extension) => {
  beforeAll(() => MeshoptEncoder.ready);

  interface View {
    data: Uint8Array;
    count: number;
    stride: number;
    mode: 'ATTRIBUTES' | 'TRIANGLES' | 'INDICES';
    filter?: string;
  }
  const bytesOf = (array: ArrayBufferView): Uint8Array =>
    new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength);

  /** A model whose buffer views are all compressed; the plain buffer is a fallback without data. */
  function model(
    views: View[],
    accessors: Record<string, unknown>[],
    primitive: Record<string, unknown>,
    change: (json: GLTF.IGLTF) => void = () => undefined
  ): Uint8Array {
    const parts: Uint8Array[] = [];
    let offset = 0;
    let plainOffset = 0;
    const bufferViews = views.map(({ data, count, stride, mode, filter }) => {
      const encoded = MeshoptEncoder.encodeGltfBuffer(data, count, stride, mode, extension.startsWith('KHR') ? 1 : 0);
      parts.push(encoded);
      const view = {
        buffer: 1,
        byteOffset: plainOffset,
        byteLength: count * stride,
        ...(mode === 'ATTRIBUTES' ? { byteStride: stride } : {}),
        extensions: {
          [extension]: {
            buffer: 0,
            byteOffset: offset,
            byteLength: encoded.length,
            byteStride: stride,
            count,
            mode,
            ...(filter ? { filter } : {}),
          },
        },
      };
      plainOffset += (count * stride + 3) & ~3;
      offset += (encoded.length + 3) & ~3;
      return view;
    });
    const binary = new Uint8Array(offset);
    let at = 0;
    for (const part of parts) {
      binary.set(part, at);
      at += (part.length + 3) & ~3;
    }
    const json = {
      asset: { version: '2.0' },
      extensionsUsed: [extension, 'KHR_mesh_quantization'],
      extensionsRequired: [extension, 'KHR_mesh_quantization'],
      buffers: [{ byteLength: offset }, { byteLength: plainOffset, extensions: { [extension]: { fallback: true } } }],
      bufferViews,
      accessors,
      meshes: [{ primitives: [primitive] }],
      nodes: [{ mesh: 0 }],
      scenes: [{ nodes: [0] }],
    };
    change(json as unknown as GLTF.IGLTF);
    return glb(json, binary);
  }

  const count = WIDTH * WIDTH;
  const float = (bufferView: number, type: string) => ({ bufferView, componentType: 5126, type, count });
  const plainViews = (): View[] => [
    { data: bytesOf(WAVE.positions), count, stride: 12, mode: 'ATTRIBUTES' },
    { data: bytesOf(WAVE.normals), count, stride: 12, mode: 'ATTRIBUTES' },
    { data: bytesOf(WAVE.uvs), count, stride: 8, mode: 'ATTRIBUTES' },
    { data: bytesOf(WAVE.indices), count: WAVE.indices.length, stride: 2, mode: 'TRIANGLES' },
  ];
  const plainAccessors = () => [
    float(0, 'VEC3'),
    float(1, 'VEC3'),
    float(2, 'VEC2'),
    { bufferView: 3, componentType: 5123, type: 'SCALAR', count: WAVE.indices.length },
  ];
  const PRIMITIVE = { attributes: { POSITION: 0, NORMAL: 1, TEXCOORD_0: 2 }, indices: 3 };
  const plain = (change?: (json: GLTF.IGLTF) => void): Uint8Array =>
    model(plainViews(), plainAccessors(), PRIMITIVE, change);

  it('decodes attributes and triangles exactly', async () => {
    expectWave((await geometries(plain()))[0], 1e-9);
  });

  it('decodes a sequence of indices', async () => {
    const views = plainViews();
    views[3] = { ...views[3], mode: 'INDICES' };
    expectWave((await geometries(model(views, plainAccessors(), PRIMITIVE)))[0], 1e-9);
  });

  it('decodes filtered normals, positions and quantised coordinates', async () => {
    const four = new Float32Array(count * 4);
    for (let i = 0; i < count; i++) four.set(WAVE.normals.subarray(3 * i, 3 * i + 3), 4 * i);
    const uvs = Uint16Array.from(WAVE.uvs, (x) => Math.round(x * 65535));
    const views = plainViews();
    views[0] = {
      ...views[0],
      data: MeshoptEncoder.encodeFilterExp(WAVE.positions, count, 12, 15, 'SharedVector'),
      filter: 'EXPONENTIAL',
    };
    views[1] = {
      data: MeshoptEncoder.encodeFilterOct(four, count, 8, 12),
      count,
      stride: 8,
      mode: 'ATTRIBUTES',
      filter: 'OCTAHEDRAL',
    };
    views[2] = { data: bytesOf(uvs), count, stride: 4, mode: 'ATTRIBUTES' };
    const accessors = plainAccessors();
    accessors[1] = { ...accessors[1], componentType: 5122, normalized: true } as never;
    accessors[2] = { ...accessors[2], componentType: 5123, normalized: true } as never;
    expectWave((await geometries(model(views, accessors, PRIMITIVE)))[0], 2e-3);
  });

  it('decodes filtered rotations', async () => {
    const rotations = new Float32Array(count * 4);
    for (let i = 0; i < count; i++) rotations.set([Math.sin(i), 0, 0, Math.cos(i)], 4 * i);
    const views = plainViews();
    views.push({
      data: MeshoptEncoder.encodeFilterQuat(rotations, count, 8, 12),
      count,
      stride: 8,
      mode: 'ATTRIBUTES',
      filter: 'QUATERNION',
    });
    const accessors = [
      ...plainAccessors(),
      { bufferView: 4, componentType: 5122, normalized: true, type: 'VEC4', count },
    ];
    const { document } = await loadModel(model(views, accessors, PRIMITIVE));
    const decoded = document.getRoot().listAccessors()[4];
    const element: number[] = [];
    for (let i = 0; i < count; i++) {
      const [x, y, z, w] = decoded.getElement(i, element);
      // A rotation and its negative are the same.
      expect(Math.abs(x * Math.sin(i) + w * Math.cos(i))).toBeCloseTo(1, 2);
      expect(Math.hypot(y, z)).toBeLessThan(2e-3);
    }
  });

  it('decodes filtered colours', async () => {
    if (extension.startsWith('EXT')) return;
    const colors = new Float32Array(count * 4);
    for (let i = 0; i < count; i++) colors.set([(i % 10) / 10, 0.5, 1 - (i % 10) / 10, 1], 4 * i);
    const views = plainViews();
    views.push({
      data: MeshoptEncoder.encodeFilterColor(colors, count, 4, 8),
      count,
      stride: 4,
      mode: 'ATTRIBUTES',
      filter: 'COLOR',
    });
    const accessors = [
      ...plainAccessors(),
      { bufferView: 4, componentType: 5121, normalized: true, type: 'VEC4', count },
    ];
    const [geometry] = await geometries(
      model(views, accessors, { ...PRIMITIVE, attributes: { ...PRIMITIVE.attributes, COLOR_0: 4 } })
    );
    for (let i = 0; i < colors.length; i++) expect(Math.abs(geometry.colors![i] - colors[i])).toBeLessThan(0.02);
  });

  const viewOf = (json: GLTF.IGLTF, i: number) =>
    json.bufferViews![i].extensions![extension] as Record<string, unknown>;
  const damages: Record<string, (json: GLTF.IGLTF) => void> = {
    'no description': (json) => (json.bufferViews![0].extensions![extension] = null as never),
    'a buffer that is missing': (json) => (viewOf(json, 0).buffer = 9),
    'the buffer without data': (json) => (viewOf(json, 0).buffer = 1),
    'data past the end': (json) => (viewOf(json, 0).byteLength = 1e6),
    'half of the data': (json) => (viewOf(json, 0).byteLength = 40),
    'no data': (json) => (viewOf(json, 0).byteLength = 0),
    'a larger count': (json) => (viewOf(json, 0).count = 400),
    'a huge count': (json) => (viewOf(json, 0).count = 2 ** 30),
    'a smaller count': (json) => (viewOf(json, 0).count = 3),
    'no count': (json) => (viewOf(json, 0).count = 0),
    'a stride of 6': (json) => (viewOf(json, 0).byteStride = 6),
    'a stride of 300': (json) => (viewOf(json, 0).byteStride = 300),
    'another stride': (json) => (viewOf(json, 0).byteStride = 16),
    'another mode': (json) => (viewOf(json, 0).mode = 'LINES'),
    'attributes as triangles': (json) => Object.assign(viewOf(json, 0), { mode: 'TRIANGLES', byteStride: 4 }),
    'triangles as attributes': (json) => Object.assign(viewOf(json, 3), { mode: 'ATTRIBUTES', byteStride: 4 }),
    'another filter': (json) => (viewOf(json, 0).filter = 'SHARP'),
    'a filter of another stride': (json) => (viewOf(json, 0).filter = 'OCTAHEDRAL'),
    'indices that are no triangles': (json) => (viewOf(json, 3).count = 100),
  };

  it.each(Object.keys(damages))('refuses %s', async (name) => {
    expect(await refusal(plain((json) => void damages[name](json)))).not.toBe('');
    expectWave((await geometries(plain()))[0], 1e-9);
  });

  it('refuses or draws data with any byte changed', async () => {
    const { json, binary } = split(plain());
    for (let at = 0; at < binary.length; at += 7) {
      const broken = binary.slice();
      broken[at] ^= 0xff;
      await refusal(glb(json as unknown as Record<string, unknown>, broken));
    }
    expectWave((await geometries(plain()))[0], 1e-9);
  });
});

describe('compression beside plain data', () => {
  it('reads the plain data of a file that only uses an unknown compression', async () => {
    const builder = new Builder();
    const position = builder.accessor('VEC3', WAVE.positions);
    const bytes = builder.glb({
      extensionsUsed: ['EXT_unknown_compression'],
      meshes: [{ primitives: [{ attributes: { POSITION: position } }] }],
      nodes: [{ mesh: 0 }],
      scenes: [{ nodes: [0] }],
    });
    expect((await flatten(bytes)).warnings).toHaveLength(1);
  });
});
