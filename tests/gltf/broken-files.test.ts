// Damaged and hostile files: each gives a one-sentence error, never an exception of another kind or a hang.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../src/gltf/errors';
import { loadModel } from '../../src/gltf/files/load';
import { flattenScene } from '../../src/gltf/scene/scene';
import { glb, oneMesh, TRIANGLE, triangleFile, type Builder } from './build';

const read = async (bytes: Uint8Array) => flattenScene(await loadModel(bytes));

async function refusal(bytes: Uint8Array): Promise<string> {
  const error: unknown = await read(bytes).then(
    () => undefined,
    (thrown: unknown) => thrown
  );
  expect(error).toBeInstanceOf(ModelError);
  return (error as ModelError).message;
}

describe('the container', () => {
  const whole = new Uint8Array(readFileSync(new URL('../../examples/sample.glb', import.meta.url)));

  it('rejects a .glb that is truncated anywhere', async () => {
    const lengths = new Set([0, 1, 3, 4, 11, 12, 19, 20, 21, 100, whole.length - 1]);
    for (let length = 7; length < whole.length; length += 12_345) lengths.add(length);
    for (const length of lengths) {
      expect(await refusal(whole.slice(0, length)), `${length} bytes`).toMatch(/empty|cut off|neither/);
    }
  });

  it('rejects a .glb whose header hides the truncation', async () => {
    for (const length of [24, 5_000, 40_000, whole.length - 4]) {
      const cut = whole.slice(0, length);
      new DataView(cut.buffer).setUint32(8, length, true);
      expect(await refusal(cut), `${length} bytes`).toMatch(/^The .*(damaged|cut off)/);
    }
  });

  it('rejects garbage', async () => {
    expect(await refusal(new TextEncoder().encode('hello'))).toBe(
      'The file is neither a .glb nor the JSON text of a .gltf.'
    );
    expect(await refusal(new TextEncoder().encode('{"asset":'))).toBe(
      'The JSON text of the glTF file is damaged or cut off.'
    );
    expect(await refusal(new TextEncoder().encode('{}'))).toBe('The glTF file is damaged: asset.version is missing.');
    const noise = Uint8Array.from({ length: 5000 }, (_, i) => Math.imul(i, 2654435761) >>> 24);
    expect(await refusal(noise)).toContain('neither');
    noise.set([0x67, 0x6c, 0x54, 0x46, 2, 0, 0, 0, 0x88, 0x13, 0, 0]);
    expect(await refusal(noise)).toMatch(/damaged/);
  });

  it('rejects glTF 1', async () => {
    expect(await refusal(glb({ asset: { version: '1.0' } }))).toBe('The file is glTF 1.0; only glTF 2.0 is supported.');
    const old = whole.slice();
    old[4] = 1;
    expect(await refusal(old)).toBe('The .glb file has version 1; only version 2 is supported.');
  });

  it('handles a flipped byte anywhere in the JSON', async () => {
    const { json, binary } = triangleFile();
    const bytes = glb(json, binary);
    const end = 20 + new DataView(bytes.buffer).getUint32(12, true);
    for (let at = 20; at < end; at++) {
      for (const flip of [0x01, 0x10]) {
        const damaged = bytes.slice();
        damaged[at] ^= flip;
        const error: unknown = await read(damaged).then(
          () => undefined,
          (thrown: unknown) => thrown
        );
        if (error !== undefined) expect(error, `byte ${at} ^ ${flip}: ${String(error)}`).toBeInstanceOf(ModelError);
      }
    }
  });
});

describe('the structure', () => {
  /** Damages the one-triangle file by setting a value deep inside its JSON. */
  function damage(path: string, value: unknown): Uint8Array {
    const { json, binary } = triangleFile();
    const keys = path.split('.');
    const last = keys.pop()!;
    let at = json as Record<string, unknown>;
    for (const key of keys) at = (at[key] ??= {}) as Record<string, unknown>;
    at[last] = value;
    return glb(json, binary);
  }

  const cases: [path: string, value: unknown, message: RegExp][] = [
    ['accessors.0.count', 0, /accessor 0 has a count of 0/],
    ['accessors.0.count', -3, /accessor 0 has a count of -3/],
    ['accessors.0.count', 1.5, /accessor 0 has a count of 1.5/],
    ['accessors.0.count', '3', /accessor 0 has a count of "3"/],
    ['accessors.0.count', 4, /accessor 0 reaches past the end/],
    ['accessors.0.count', 4294967295, /accessor 0 reaches past the end/],
    ['accessors.0.byteOffset', 4, /accessor 0 reaches past the end/],
    ['accessors.0.byteOffset', -4, /accessor 0 has no valid offset/],
    ['accessors.0.componentType', 5124, /unknown component type 5124/],
    ['accessors.0.type', 'constructor', /unknown type "constructor"/],
    ['accessors.0.bufferView', 9, /the buffer view of accessor 0 is 9, not an index below 2/],
    ['accessors.0', null, /accessors\[0\] is not an object/],
    ['accessors', 'none', /accessors is not a list/],
    ['bufferViews.0.byteLength', 1e6, /buffer view 0 reaches past the end/],
    ['bufferViews.0.byteOffset', -1, /buffer view 0 has no valid range/],
    ['bufferViews.0.buffer', 1, /the buffer of buffer view 0 is 1, not an index below 1/],
    ['bufferViews.0.byteStride', 0, /stride of 0/],
    ['bufferViews.0.byteStride', 4, /elements that overlap/],
    ['buffers.0.byteLength', 5000, /buffer 0 should hold 5000 bytes and holds/],
    ['nodes', [{ children: [1] }, { children: [0] }], /node 0 is part of a cycle/],
    ['nodes', [{ children: [0] }], /node 0 is part of a cycle/],
    ['nodes', [{ children: [2] }, { children: [2] }, {}], /node 2 has two parents/],
    ['nodes.0.children', [7], /a child of node 0 is 7, not an index below 1/],
    ['nodes.0.mesh', 3, /the mesh of node 0 is 3, not an index below 1/],
    ['nodes.0.matrix', [1, 2], /the matrix of node 0 should be 16 numbers/],
    ['nodes.0.rotation', 'east', /the rotation of node 0 should be 4 numbers/],
    ['scene', 4, /scene is 4, not an index below 1/],
    ['scenes.0.nodes', [1], /a node of scene 0 is 1, not an index below 1/],
    ['meshes.0.primitives', undefined, /mesh 0 has no primitives/],
    ['meshes.0.primitives.0.mode', 9, /has an unknown mode/],
    ['meshes.0.primitives.0.indices', 5, /the indices of primitive 0 of mesh 0 is 5/],
    ['meshes.0.primitives.0.attributes.POSITION', 77, /POSITION of primitive 0 of mesh 0 is 77/],
    ['meshes.0.primitives.0.material', 0, /the material of primitive 0 of mesh 0 is 0, not an index below 0/],
    ['scenes.0.nodes', 3, /the nodes of scene 0 are not a list/],
    ['nodes.0.children', 'all', /the children of node 0 are not a list/],
    ['meshes.0.primitives.0.targets', 0, /the targets of primitive 0 of mesh 0 are not a list/],
    ['accessors.0.componentType', [5126], /unknown component type a list/],
    ['materials', [{ alphaCutoff: 'half' }], /alphaCutoff of material 0 is not a number/],
    [
      'materials',
      [{ pbrMetallicRoughness: { roughnessFactor: null } }],
      /roughnessFactor of material 0 is not a number/,
    ],
    ['extensionsUsed', [1], /extensionsUsed\[0\] is not text/],
    ['skins', [{ joints: [] }], /skin 0 has no joints/],
    ['skins', [{ joints: [8] }], /a joint of skin 0 is 8/],
    ['materials', [{ normalTexture: { index: 2 } }], /the normal texture of material 0 is 2, not an index below 0/],
    ['materials', [{ normalTexture: null }], /the normal texture of material 0 is not an object/],
    ['images', [{}], /image 0 has neither a URI nor a buffer view/],
    [
      'extensionsRequired',
      ['EXT_unknown_compression'],
      /requires the glTF extension EXT_unknown_compression, which is not supported/,
    ],
    ['extensionsRequired', ['__proto__'], /requires the glTF extension __proto__/],
  ];
  it.each(cases)('%s = %j', async (path, value, message) => {
    expect(await refusal(damage(path, value))).toMatch(message);
  });

  it('rejects numbers that JSON can express but no float can hold', async () => {
    const { json } = triangleFile();
    (json as Record<string, unknown>).nodes = [{ mesh: 0, translation: [123456, 0, 0] }];
    const text = JSON.stringify(json).replace('123456', '1e9999');
    expect(await refusal(new TextEncoder().encode(text))).toMatch(/number in its JSON is too large/);
  });

  it('rejects sparse accessors that write out of bounds', async () => {
    const bytes = oneMesh((b) => {
      const POSITION = b.accessor('VEC3', TRIANGLE);
      const indices = b.view(new Uint16Array([0, 900]));
      const values = b.view(new Float32Array(6));
      b.json.accessors[POSITION].sparse = {
        count: 2,
        indices: { bufferView: indices, componentType: 5123 },
        values: { bufferView: values },
      };
      return { attributes: { POSITION } };
    });
    expect(await refusal(bytes)).toMatch(/the sparse part of accessor 0 refers to element 900, but there are 3/);
  });

  it('rejects accessors of hundreds of MiB of implicit zeros', async () => {
    const { json, binary } = triangleFile();
    json.accessors.push({ componentType: 5126, type: 'VEC4', count: 4_000_000_000 });
    expect(await refusal(glb(json, binary))).toMatch(/asks for more than 256 MiB of numbers that it does not contain/);
  });
});

describe('the geometry', () => {
  it('rejects out-of-range indices', async () => {
    const bytes = oneMesh((b) => ({
      attributes: { POSITION: b.accessor('VEC3', TRIANGLE) },
      indices: b.accessor('SCALAR', new Uint16Array([0, 1, 3])),
    }));
    expect(await refusal(bytes)).toBe('Primitive 0 of the mesh "shape" has an index out of range: 3, of 3 vertices.');
  });

  it.each([NaN, Infinity, -Infinity])('rejects a position of %d', async (value) => {
    const positions = TRIANGLE.slice();
    positions[4] = value;
    expect(await refusal(oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', positions) } })))).toBe(
      'Primitive 0 of the mesh "shape" has positions that are not finite numbers.'
    );
  });

  it('rejects a model too large for single precision', async () => {
    const positions = TRIANGLE.map((x) => x * 1e30);
    expect(await refusal(oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', positions) } })))).toMatch(
      /too large/
    );
    expect(
      await refusal(
        oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }), {
          nodes: [{ mesh: 0, scale: [1e39, 1, 1] }],
        })
      )
    ).toMatch(/too large/);
  });

  it('rejects attributes of different lengths', async () => {
    const bytes = oneMesh((b) => ({
      attributes: { POSITION: b.accessor('VEC3', TRIANGLE), TEXCOORD_0: b.accessor('VEC2', new Float32Array(4)) },
    }));
    expect(await refusal(bytes)).toMatch(/has 3 positions but 2 of TEXCOORD_0/);
  });

  it('rejects joints that the skin does not have', async () => {
    const bytes = oneMesh(
      (b) => ({
        attributes: {
          POSITION: b.accessor('VEC3', TRIANGLE),
          JOINTS_0: b.accessor('VEC4', new Uint8Array(12).fill(5)),
          WEIGHTS_0: b.accessor('VEC4', new Float32Array(12).fill(0.25)),
        },
      }),
      { nodes: [{ mesh: 0, skin: 0 }, {}], skins: [{ joints: [1] }] }
    );
    expect(await refusal(bytes)).toMatch(/uses a joint that its skin does not have/);
  });

  it('reports that there is nothing to draw', async () => {
    const message = 'The model has nothing to draw: no triangles, lines or points.';
    expect(await refusal(glb({ asset: { version: '2.0' } }))).toBe(message);
    const oneVertex = (b: Builder) => ({ attributes: { POSITION: b.accessor('VEC3', new Float32Array(3)) } });
    for (const mode of [1, 2, 3, 4, 5, 6])
      expect(await refusal(oneMesh((b) => ({ mode, ...oneVertex(b) })))).toBe(message);
  });
});
