// Defects that a file is drawn with: each is named in a warning.
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/gltf/files/load';
import { glb, oneMesh, TRIANGLE, triangleFile } from '../build';

type Json = Record<string, unknown>;

const warningsOf = async (bytes: Uint8Array): Promise<string[]> => (await loadModel(bytes)).warnings;

/** The warnings of a triangle whose JSON is changed. */
async function changed(change: (json: ReturnType<typeof triangleFile>['json']) => unknown): Promise<string[]> {
  const { json, binary } = triangleFile();
  change(json);
  return warningsOf(glb(json, binary));
}

const withDirections = (normals: number[], tangents?: number[], scale = 1): Promise<string[]> =>
  warningsOf(
    oneMesh((b) => {
      const numbers = (list: number[]): Float32Array | Int8Array =>
        scale === 1 ? Float32Array.from(list) : Int8Array.from(list, (x) => Math.round(x * scale));
      const more = scale === 1 ? {} : { normalized: true };
      return {
        attributes: {
          POSITION: b.accessor('VEC3', TRIANGLE),
          NORMAL: b.accessor('VEC3', numbers(normals), more),
          ...(tangents ? { TANGENT: b.accessor('VEC4', numbers(tangents)) } : {}),
        },
      };
    })
  );

describe('normals and tangents', () => {
  it('of about unit length are as they should be', async () => {
    expect(await withDirections([0, 0, 1, 0, 0.6, 0.8, 0.6, 0, 0.8], [1, 0, 0, 1, 1, 0, 0, -1, 0, 1, 0, 1])).toEqual(
      []
    );
    expect(await withDirections([0.577, 0.577, 0.577, 0, 0.6, 0.8, 0.6, 0, 0.8], undefined, 127)).toEqual([]);
  });

  it.each([
    ['zero', [0, 0, 1, 0, 0, 0, 0, 0, 1]],
    ['long', [0, 0, 1, 0, 0, 2, 0, 0, 1]],
    ['not numbers', [0, 0, 1, 0, NaN, 1, 0, 0, 1]],
  ])('that are %s are counted', async (_, normals) => {
    expect(await withDirections(normals)).toEqual([
      '1 of 3 normals of primitive 0 of mesh 0 are not of unit length; the light on them may look wrong.',
    ]);
  });

  it('are told apart', async () => {
    expect(await withDirections([0, 0, 1, 0, 0, 1, 0, 0, 1], new Array<number>(12).fill(0))).toEqual([
      '3 of 3 tangents of primitive 0 of mesh 0 are not of unit length; the light on them may look wrong.',
    ]);
  });
});

describe('a defect of the JSON', () => {
  it.each<[string, (json: ReturnType<typeof triangleFile>['json']) => unknown, string]>([
    ['null', (json) => ((json.meshes as Json[])[0].extras2 = null), '/meshes/0/extras2 is null and is ignored.'],
    ['a strange name', (json) => ((json.nodes as Json[])[0].name = [0]), '/nodes/0/name is not text and is ignored.'],
    [
      'bounds of another length',
      (json) => (json.accessors[0].max = [1, 1]),
      'The max of accessor 0 should be 3 numbers and is ignored.',
    ],
    [
      'wrong bounds',
      (json) => (json.accessors[0].max = [1, 7, 0]),
      'The numbers of accessor 0 have other bounds than it says; its shape or motion may be wrong.',
    ],
    [
      'a rotation that is not one',
      (json) => ((json.nodes as Json[])[0].rotation = [0, 0, 0, 3]),
      'The rotation of node 0 is not a unit quaternion; it may look wrong.',
    ],
    [
      'a sheared matrix',
      (json) => ((json.nodes as Json[])[0].matrix = [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]),
      'The matrix of node 0 is no translation, rotation and scale; other viewers may draw it in another way.',
    ],
    [
      'a camera without depth',
      (json) => (json.cameras = [{ type: 'perspective', perspective: { yfov: 1, znear: 2, zfar: 1 } }]),
      'Camera 0 has a field of view or distances that enclose nothing.',
    ],
    [
      'a dark light',
      (json) => (json.extensions = { KHR_lights_punctual: { lights: [{ type: 'point', color: [0, -1, 0] }] } }),
      'The colour or intensity of light 0 is out of range; it may look wrong.',
    ],
    [
      'an animation with too few values',
      (json) =>
        (json.animations = [
          { samplers: [{ input: 1, output: 0 }], channels: [{ sampler: 0, target: { node: 0, path: 'rotation' } }] },
        ]),
      'Channel 0 of animation 0 has other times or values than its target needs.',
    ],
    [
      'a texture coordinate set that is not one',
      (json) => {
        json.images = [{ uri: 'data:image/png;base64,AAAA' }];
        json.textures = [{ source: 0 }];
        json.materials = [{ normalTexture: { index: 0, texCoord: -1 } }];
      },
      'The texCoord of the normalTexture of material 0 is -1.',
    ],
  ])('is named: %s', async (_, change, warning) => {
    expect(await changed(change)).toEqual([warning]);
  });

  it('is a misaligned accessor', async () => {
    const { json, binary } = triangleFile();
    const moved = new Uint8Array(binary.length + 4);
    moved.set(binary, 1);
    json.bufferViews.forEach((view) => (view.byteOffset = (view.byteOffset as number) + 1));
    json.buffers[0].byteLength = moved.length;
    expect(await warningsOf(glb(json, moved))).toEqual([
      'Accessor 0 begins at byte 1 instead of a multiple of 4; its numbers may be wrong.',
      'Accessor 1 begins at byte 37 instead of a multiple of 2; its numbers may be wrong.',
    ]);
  });

  it('is counted after the first five', async () => {
    const warnings = await changed((json) =>
      (json.nodes as Json[]).push(...Array.from({ length: 7 }, () => ({ name: 1 })))
    );
    expect(warnings).toHaveLength(6);
    expect(warnings[5]).toBe('The file has 2 more defects.');
  });
});

it('reports an empty version as missing', async () => {
  await expect(changed((json) => (json.asset = { version: '' }))).rejects.toThrow(/asset.version is missing/);
});
