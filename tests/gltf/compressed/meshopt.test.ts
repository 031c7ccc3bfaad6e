// Data of meshoptimizer, made here with its encoder: decoded geometry equals the original within quantisation, and
// broken data is refused with an error, after which the next model still decodes.
import type { GLTF } from '@gltf-transform/core';
import { MeshoptEncoder } from 'meshoptimizer/encoder';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/gltf/files/load';
import { glb } from '../build';
import { expectWave, geometries, refusal, split, WAVE, WIDTH } from './wave';

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

  it('needs no mark at a buffer without data', async () => {
    const bytes = plain((json) => {
      delete json.buffers![1].extensions;
    });
    expectWave((await geometries(bytes))[0], 1e-9);
    const partly = plain((json) => {
      delete json.buffers![1].extensions;
      delete json.bufferViews![2].extensions;
    });
    await expect(loadModel(partly)).rejects.toThrow('buffer 1 has no data');
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
