// Accessors and modes that few files use: half and double precision, sparse values, restarted strips, four sets of
// texture coordinates, lines and points.
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/gltf/files/load';
import { halfBits } from '../../src/gltf/math';
import { flattenScene, listVariants } from '../../src/gltf/scene/scene';
import { Builder, oneMesh, TRIANGLE } from './build';

const flatten = async (bytes: Uint8Array) => flattenScene(await loadModel(bytes));
const geometryOf = async (bytes: Uint8Array) => (await flatten(bytes)).draws[0].geometry;

const EIGHT = Float32Array.from({ length: 24 }, (_, i) => Math.sin(i * 1.7) * 3);

describe('wide and narrow floats', () => {
  it('converts half precision', async () => {
    const geometry = await geometryOf(
      oneMesh(
        (b) => ({
          attributes: {
            POSITION: b.accessor('VEC3', new Uint16Array([...EIGHT].map(halfBits)), { componentType: 5131 }),
          },
          mode: 0,
        }),
        { extensionsUsed: ['KHR_accessor_float16'], extensionsRequired: ['KHR_accessor_float16'] }
      )
    );
    EIGHT.forEach((x, i) => expect(Math.abs(geometry.positions[i] - x)).toBeLessThan(2e-3));
  });

  it('converts double precision, with a stride', async () => {
    const geometry = await geometryOf(
      oneMesh(
        (b) => {
          const data = new DataView(new ArrayBuffer(8 * 32));
          EIGHT.forEach((x, i) => data.setFloat64(Math.floor(i / 3) * 32 + (i % 3) * 8, x, true));
          const view = b.view(new Uint8Array(data.buffer));
          b.json.bufferViews[view].byteStride = 32;
          const accessor = { bufferView: view, componentType: 5130, type: 'VEC3', count: 8 };
          return { mode: 0, attributes: { POSITION: b.json.accessors.push(accessor) - 1 } };
        },
        { extensionsUsed: ['KHR_accessor_float64'], extensionsRequired: ['KHR_accessor_float64'] }
      )
    );
    expect(geometry.positions).toEqual(EIGHT);
  });

  it('converts sparse values of half precision', async () => {
    const geometry = await geometryOf(
      oneMesh((b) => {
        const sparse = {
          count: 1,
          indices: { bufferView: b.view(new Uint8Array([2])), componentType: 5121 },
          values: { bufferView: b.view(new Uint16Array([5, 6, 7].map(halfBits))) },
        };
        const base = new Uint16Array([...TRIANGLE].map(halfBits));
        return { mode: 0, attributes: { POSITION: b.accessor('VEC3', base, { componentType: 5131, sparse }) } };
      })
    );
    expect([...geometry.positions]).toEqual([0, 0, 0, 1, 0, 0, 5, 6, 7]);
  });
});

describe('sparse accessors', () => {
  const sparse = (b: Builder) => ({
    count: 2,
    indices: { bufferView: b.view(new Uint16Array([0, 2])), componentType: 5123 },
    values: { bufferView: b.view(new Float32Array([9, 8, 7, 4, 5, 6])) },
  });

  it('replace values', async () => {
    const bytes = oneMesh((b) => ({
      mode: 0,
      attributes: { POSITION: b.accessor('VEC3', TRIANGLE, { sparse: sparse(b) }) },
    }));
    expect([...(await geometryOf(bytes)).positions]).toEqual([9, 8, 7, 1, 0, 0, 4, 5, 6]);
  });

  it('are zero elsewhere without a buffer view', async () => {
    const bytes = oneMesh((b) => {
      const accessor = { componentType: 5126, type: 'VEC3', count: 3, sparse: sparse(b) };
      return { mode: 0, attributes: { POSITION: b.json.accessors.push(accessor) - 1 } };
    });
    expect([...(await geometryOf(bytes)).positions]).toEqual([9, 8, 7, 0, 0, 0, 4, 5, 6]);
  });
});

describe('modes', () => {
  const indices = async (mode: number, list: Uint8Array | Uint16Array | Uint32Array | undefined) => [
    ...(
      await geometryOf(
        oneMesh((b) => ({
          mode,
          attributes: { POSITION: b.accessor('VEC3', EIGHT), NORMAL: b.accessor('VEC3', EIGHT) },
          ...(list ? { indices: b.accessor('SCALAR', list) } : {}),
        }))
      )
    ).indices,
  ];

  it('become separate points, lines and triangles', async () => {
    const list = Uint8Array.of(3, 1, 4, 0, 5);
    expect(await indices(0, list)).toEqual([3, 1, 4, 0, 5]);
    expect(await indices(1, list)).toEqual([3, 1, 4, 0]);
    expect(await indices(2, list)).toEqual([3, 1, 1, 4, 4, 0, 0, 5, 5, 3]);
    expect(await indices(3, list)).toEqual([3, 1, 1, 4, 4, 0, 0, 5]);
    expect(await indices(4, list)).toEqual([3, 1, 4]);
    expect(await indices(5, list)).toEqual([3, 1, 4, 1, 0, 4, 4, 0, 5]);
    expect(await indices(6, list)).toEqual([3, 1, 4, 3, 4, 0, 3, 0, 5]);
    expect(await indices(1, undefined)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it.each([
    [Uint8Array, 0xff],
    [Uint16Array, 0xffff],
    [Uint32Array, 0xffffffff],
  ] as const)('begin anew at the greatest index (%#)', async (Indices, restart) => {
    const list = Indices.of(0, 1, 2, restart, 3, 4, restart, restart, 5, 6, 7);
    expect(await indices(5, list)).toEqual([0, 1, 2, 5, 6, 7]);
    expect(await indices(6, list)).toEqual([0, 1, 2, 5, 6, 7]);
    expect(await indices(3, list)).toEqual([0, 1, 1, 2, 3, 4, 5, 6, 6, 7]);
    expect(await indices(2, list)).toEqual([0, 1, 1, 2, 2, 0, 3, 4, 4, 3, 5, 6, 6, 7, 7, 5]);
  });
});

describe('texture coordinates', () => {
  it('are read from four sets', async () => {
    const uv = (set: number) => new Float32Array(6).fill(set);
    const bytes = oneMesh((b) => ({
      attributes: {
        POSITION: b.accessor('VEC3', TRIANGLE),
        NORMAL: b.accessor('VEC3', TRIANGLE),
        ...Object.fromEntries([0, 1, 2, 3].map((set) => [`TEXCOORD_${set}`, b.accessor('VEC2', uv(set))])),
      },
    }));
    const { uvs } = await geometryOf(bytes);
    expect(uvs.map((each) => each![0])).toEqual([0, 1, 2, 3]);
  });
});

describe('instances', () => {
  const instanced = (attributes: (b: Builder) => Record<string, number>, material: Record<string, unknown> = {}) => {
    const b = new Builder();
    const position = b.accessor('VEC3', TRIANGLE);
    const extension = { attributes: attributes(b) };
    return b.glb({
      extensionsUsed: ['EXT_mesh_gpu_instancing'],
      scenes: [{ nodes: [0] }],
      materials: [material],
      nodes: [{ mesh: 0, scale: [2, 2, 2], extensions: { EXT_mesh_gpu_instancing: extension } }],
      meshes: [{ primitives: [{ attributes: { POSITION: position }, material: 0 }] }],
    });
  };
  const PLACES = new Float32Array([0, 0, 0, 5, 0, 0, 0, 5, 0]);
  const SCALES = new Float32Array([1, 1, 1, 2, 2, 2, -1, 1, 1]);

  it('have matrices of their own; mirrored ones are apart', async () => {
    const bytes = instanced((b) => ({ TRANSLATION: b.accessor('VEC3', PLACES), SCALE: b.accessor('VEC3', SCALES) }));
    const { draws, triangles, center } = await flatten(bytes);
    expect(triangles).toBe(3);
    expect(draws.map(({ mirrored, instances }) => [mirrored, instances!.length / 16])).toEqual([
      [false, 2],
      [true, 1],
    ]);
    expect([...draws[0].instances!.subarray(16)]).toEqual([2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 5, 0, 0, 1]);
    expect(center).toEqual([6, 6, 0]);
  });

  it('are separate draws if they are sorted by depth', async () => {
    const bytes = instanced((b) => ({ TRANSLATION: b.accessor('VEC3', PLACES) }), { alphaMode: 'BLEND' });
    const { draws } = await flatten(bytes);
    expect(draws.map(({ matrix, instances }) => [matrix[12], matrix[13], instances])).toEqual([
      [0, 0, undefined],
      [10, 0, undefined],
      [0, 10, undefined],
    ]);
  });

  it('are refused if their numbers do not fit', async () => {
    const bytes = instanced((b) => ({
      TRANSLATION: b.accessor('VEC3', PLACES),
      SCALE: b.accessor('VEC3', SCALES.subarray(3)),
    }));
    await expect(flatten(bytes)).rejects.toThrow(/attributes of different lengths/);
    await expect(flatten(instanced((b) => ({ ROTATION: b.accessor('VEC3', PLACES) })))).rejects.toThrow(
      /a ROTATION that is not 4 numbers/
    );
  });
});

describe('variants', () => {
  const bytes = (mappings: unknown) =>
    oneMesh(
      (b) => ({
        material: 0,
        attributes: { POSITION: b.accessor('VEC3', TRIANGLE) },
        extensions: { KHR_materials_variants: { mappings } },
      }),
      {
        extensionsUsed: ['KHR_materials_variants'],
        extensions: { KHR_materials_variants: { variants: [{ name: 'red' }, { name: 'blue' }, { name: 'none' }] } },
        materials: [1, 0.5, 0].map((red) => ({ pbrMetallicRoughness: { baseColorFactor: [red, 0, 1, 1] } })),
      }
    );
  const MAPPINGS = [
    { material: 1, variants: [0] },
    { material: 2, variants: [1] },
  ];
  const redOf = async (variant?: string) =>
    flattenScene(await loadModel(bytes(MAPPINGS)), undefined, { variant }).draws[0].material.baseColor[0];

  it('change materials by their name or index', async () => {
    expect(listVariants(await loadModel(bytes(MAPPINGS)))).toEqual(['red', 'blue', 'none']);
    expect(await redOf()).toBe(1);
    expect(await redOf('red')).toBe(0.5);
    expect(await redOf('blue')).toBe(0);
    expect(await redOf('none')).toBe(1);
    expect(await redOf('1')).toBe(0);
  });

  it('are refused if there is none of the name', async () => {
    await expect(redOf('green')).rejects.toThrow(
      'The model has no variant "green"; it has 0 ("red"), 1 ("blue"), 2 ("none").'
    );
  });

  it.each([
    [[{ material: 9, variants: [0] }]],
    [[{ material: 1, variants: [7] }]],
    [[{ material: 1, variants: 0 }]],
    [[null]],
    [{}],
  ])('are refused if damaged: %j', async (mappings) => {
    await expect(loadModel(bytes(mappings))).rejects.toThrow(/variant/);
  });
});

describe('scenes', () => {
  it('are chosen by their name or index', async () => {
    const model = oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }), {
      scene: 1,
      scenes: [
        { name: 'first', nodes: [0] },
        { name: 'second', nodes: [1] },
      ],
      nodes: [
        { mesh: 0, translation: [1, 0, 0] },
        { mesh: 0, translation: [2, 0, 0] },
      ],
    });
    const x = async (scene?: string) => flattenScene(await loadModel(model), undefined, { scene }).draws[0].matrix[12];
    expect([await x(), await x('first'), await x('second'), await x('0')]).toEqual([2, 1, 2, 1]);
    await expect(x('third')).rejects.toThrow('The model has no scene "third"; it has 0 ("first"), 1 ("second").');
  });
});
