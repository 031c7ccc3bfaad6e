// Points, lines, instances and cameras: pixels where they must be.
import { describe, expect, it } from 'vitest';
import { Builder } from '../gltf/build';
import { meanDifference } from '../support/mean-difference';
import { draw, type Drawing } from './kit';

const SIZE = 64;
type Json = Record<string, unknown>;

/** White unlit primitives before an orthographic camera that shows x and y from −1 to 1. */
function model(primitives: (b: Builder) => Json[], more: Json = {}, camera: Json = {}): Uint8Array {
  const builder = new Builder();
  const list = primitives(builder);
  return builder.glb({
    extensionsUsed: ['KHR_materials_unlit', 'EXT_mesh_gpu_instancing'],
    scenes: [{ nodes: [0, 1] }],
    nodes: [{ mesh: 0 }, { camera: 0, translation: [0, 0, 5] }],
    cameras: [{ type: 'orthographic', orthographic: { xmag: 1, ymag: 1, znear: 0.1, zfar: 10 }, ...camera }],
    materials: [{ extensions: { KHR_materials_unlit: {} }, doubleSided: true }],
    meshes: [{ primitives: list.map((each) => ({ material: 0, ...each })) }],
    ...more,
  });
}

const drawFlat = (bytes: Uint8Array, more: Drawing = {}): Promise<Uint8Array> =>
  draw(bytes, { width: SIZE, height: SIZE, view: { fileCamera: '0' }, ...more });

/** Whether the pixel in column x and row y is white. */
const at = (pixels: Uint8Array, x: number, y: number): boolean => pixels[4 * (y * SIZE + x)] > 128;
const count = (pixels: Uint8Array): number => pixels.reduce((sum, x, i) => (i % 4 === 0 && x > 128 ? sum + 1 : sum), 0);
/** Bounds of the white pixels: first and last column, first and last row. */
function bounds(pixels: Uint8Array): [number, number, number, number] {
  const found: [number, number, number, number] = [SIZE, -1, SIZE, -1];
  for (let y = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++) {
      if (!at(pixels, x, y)) continue;
      found[0] = Math.min(found[0], x);
      found[1] = Math.max(found[1], x);
      found[2] = Math.min(found[2], y);
      found[3] = Math.max(found[3], y);
    }
  }
  return found;
}

describe('points', () => {
  it.each([1, 3, 8])('are squares of %d pixels', async (pointSize) => {
    // The centre of column 48 and row 16.
    const place = [(48.5 / SIZE) * 2 - 1, 1 - (16.5 / SIZE) * 2, 0];
    const bytes = model((b) => [
      { mode: 0, attributes: { POSITION: b.accessor('VEC3', new Float32Array([...place, ...place])) } },
    ]);
    const pixels = await drawFlat(bytes, { pointSize });
    const before = Math.ceil(pointSize / 2 - 0.5);
    const [left, right, top, bottom] = bounds(pixels);
    expect(count(pixels)).toBe(pointSize * pointSize);
    expect([right - left + 1, bottom - top + 1]).toEqual([pointSize, pointSize]);
    expect([Math.abs(left - (48 - before)), Math.abs(top - (16 - before))].every((x) => x <= 1)).toBe(true);
  });
});

describe('lines', () => {
  const line = (from: number[], to: number[], mode = 1) =>
    model((b) => [{ mode, attributes: { POSITION: b.accessor('VEC3', new Float32Array([...from, ...to])) } }]);

  it.each([1, 4])('are %d pixels wide', async (lineWidth) => {
    const across = await drawFlat(line([-0.5, 0.015625, 0], [0.5, 0.015625, 0]), { lineWidth });
    expect(count(across)).toBe(32 * lineWidth);
    const upright = await drawFlat(line([0.015625, -0.5, 0], [0.015625, 0.5, 0]), { lineWidth });
    expect(count(upright)).toBe(32 * lineWidth);
    expect(bounds(upright).slice(2)).toEqual([16, 47]);
  });

  it('keep their width in any direction', async () => {
    const slanted = await drawFlat(line([-0.8, -0.6, 0], [0.8, 0.5, 0]), { lineWidth: 4 });
    expect(Math.abs(count(slanted) - 4 * Math.hypot(0.8 * SIZE, 0.55 * SIZE))).toBeLessThan(12);
    for (let t = 0.02; t < 1; t += 0.02)
      expect(at(slanted, Math.floor((0.1 + 0.8 * t) * SIZE), Math.floor((0.8 - 0.55 * t) * SIZE))).toBe(true);
  });

  it('end where they cross the near plane', async () => {
    // A perspective camera at z = 5 that looks along −z; the line passes below it and ends behind it.
    const camera = { type: 'perspective', perspective: { yfov: 1, znear: 0.1, zfar: 20, aspectRatio: 1 } };
    const bytes = model(
      (b) => [{ mode: 1, attributes: { POSITION: b.accessor('VEC3', new Float32Array([0, -0.5, 0, 0, -0.5, 9])) } }],
      {},
      { ...camera, orthographic: undefined }
    );
    const pixels = await drawFlat(bytes, { lineWidth: 2 });
    const [left, right, top, bottom] = bounds(pixels);
    expect([left, right]).toEqual([31, 32]);
    // From its far end, whose tangent is 0.1, to the lower edge of the picture.
    const row = SIZE / 2 + ((0.1 / Math.tan(0.5)) * SIZE) / 2;
    expect(Math.abs(top - row)).toBeLessThanOrEqual(1);
    expect(bottom).toBe(SIZE - 1);
    for (let y = top; y <= bottom; y++) expect(at(pixels, 31, y)).toBe(true);
  });

  it('without length or behind the camera draw nothing else', async () => {
    const pixels = await drawFlat(line([0, 0, 8], [0.5, 0.5, 9]));
    expect(count(pixels)).toBe(0);
    expect(count(await drawFlat(line([0, 0, 0], [0, 0, 0]), { lineWidth: 1 }))).toBeLessThanOrEqual(1);
  });

  it('have the colours of their vertices', async () => {
    const bytes = model((b) => [
      {
        mode: 1,
        attributes: {
          POSITION: b.accessor('VEC3', new Float32Array([-1, 0.015625, 0, 1, 0.015625, 0])),
          COLOR_0: b.accessor('VEC3', new Float32Array([1, 0, 0, 0, 0, 1])),
        },
      },
    ]);
    const pixels = await drawFlat(bytes, { lineWidth: 2 });
    const row = 4 * 31 * SIZE;
    expect(pixels[row + 4]).toBeGreaterThan(240);
    expect(pixels[row + 6]).toBeLessThan(60);
    expect(pixels[row + 4 * 62 + 2]).toBeGreaterThan(240);
  });
});

describe('instances', () => {
  const TRIANGLE = new Float32Array([0, 0, 0, 0.4, 0, 0, 0, 0.4, 0]);
  const NORMALS = new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1]);
  const PLACES = [
    { translation: [-0.5, -0.5, 0], rotation: [0, 0, 0.5, Math.sqrt(0.75)], scale: [1, 1, 1] },
    { translation: [0.5, 0.2, -0.3], rotation: [0.2, 0.1, 0, Math.sqrt(0.95)], scale: [1, 2, 0.5] },
    { translation: [0.2, 0.5, 0.3], rotation: [0, 0, 0, 1], scale: [-1, 1, 1] },
  ];
  const common = (b: Builder): Json => ({
    materials: [{ pbrMetallicRoughness: { baseColorFactor: [0.8, 0.4, 0.3, 1], roughnessFactor: 0.4 } }],
    meshes: [
      {
        primitives: [
          { material: 0, attributes: { POSITION: b.accessor('VEC3', TRIANGLE), NORMAL: b.accessor('VEC3', NORMALS) } },
        ],
      },
    ],
  });

  it.each([
    ['opaque', {}],
    ['blended', { alphaMode: 'BLEND' }],
  ])('look like separate nodes (%s)', async (_, material) => {
    const parts = (instanced: boolean): Uint8Array => {
      const b = new Builder();
      const shared = common(b);
      Object.assign((shared.materials as Json[])[0], material);
      const flat = (name: 'translation' | 'rotation' | 'scale') =>
        new Float32Array(PLACES.flatMap((place) => place[name]));
      const nodes: Json[] = instanced
        ? [
            {
              mesh: 0,
              extensions: {
                EXT_mesh_gpu_instancing: {
                  attributes: {
                    TRANSLATION: b.accessor('VEC3', flat('translation')),
                    ROTATION: b.accessor('VEC4', flat('rotation')),
                    SCALE: b.accessor('VEC3', flat('scale')),
                  },
                },
              },
            },
          ]
        : PLACES.map((place) => ({ mesh: 0, ...place }));
      nodes.push({ camera: 0, translation: [0, 0, 5] });
      return b.glb({
        ...shared,
        extensionsUsed: ['EXT_mesh_gpu_instancing'],
        cameras: [{ type: 'orthographic', orthographic: { xmag: 1, ymag: 1, znear: 0.1, zfar: 10 } }],
        nodes,
        scenes: [{ nodes: nodes.map((__, i) => i) }],
      });
    };
    const separate = await drawFlat(parts(false));
    const together = await drawFlat(parts(true));
    expect(meanDifference(separate, new Uint8Array(separate.length))).toBeGreaterThan(3);
    let worst = 0;
    separate.forEach((x, i) => {
      worst = Math.max(worst, Math.abs(x - together[i]));
    });
    expect(worst).toBeLessThanOrEqual(1);
  });
});

describe('cameras of the file', () => {
  const DOT = [0.3, -0.2, 0.4];
  const dot = (camera: Json, place: Json): Uint8Array =>
    model(
      (b) => [{ mode: 0, attributes: { POSITION: b.accessor('VEC3', new Float32Array([...DOT, ...DOT])) } }],
      { nodes: [{ mesh: 0 }, { camera: 0, ...place }] },
      camera
    );
  const middle = (pixels: Uint8Array, width: number): [number, number] => {
    let [x, y, n] = [0, 0, 0];
    for (let i = 0; i < pixels.length / 4; i++) {
      if (pixels[4 * i] < 128) continue;
      x += (i % width) + 0.5;
      y += Math.floor(i / width) + 0.5;
      n++;
    }
    return [x / n, y / n];
  };

  it.each([64, 96])('project points in perspective (%d pixels wide)', async (width) => {
    const camera = { type: 'perspective', orthographic: undefined };
    const perspective = { yfov: 0.8, znear: 0.1, zfar: 50, aspectRatio: 1 };
    // Turned by 20° around y, at (1, 0.3, 3).
    const turn = (20 * Math.PI) / 180;
    const place = { translation: [1, 0.3, 3], rotation: [0, Math.sin(turn / 2), 0, Math.cos(turn / 2)] };
    const pixels = await draw(dot({ ...camera, perspective }, place), {
      width,
      height: 64,
      view: { fileCamera: '0' },
      pointSize: 3,
    });
    const [dx, dy, dz] = [DOT[0] - 1, DOT[1] - 0.3, DOT[2] - 3];
    const x = dx * Math.cos(turn) - dz * Math.sin(turn);
    const z = dx * Math.sin(turn) + dz * Math.cos(turn);
    const scale = 32 / Math.tan(0.4) / -z;
    const [px, py] = middle(pixels, width);
    expect(Math.abs(px - (width / 2 + x * scale))).toBeLessThan(0.8);
    expect(Math.abs(py - (32 - dy * scale))).toBeLessThan(0.8);
  });

  it('project points orthographically', async () => {
    const orthographic = { xmag: 2, ymag: 2, znear: 0, zfar: 10 };
    const pixels = await drawFlat(dot({ orthographic }, { translation: [0.1, 0.2, 5] }), { pointSize: 3 });
    const [px, py] = middle(pixels, 64);
    expect(Math.abs(px - (32 + ((DOT[0] - 0.1) / 2) * 32))).toBeLessThan(0.8);
    expect(Math.abs(py - (32 - ((DOT[1] - 0.2) / 2) * 32))).toBeLessThan(0.8);
  });

  it('are refused if their numbers make no picture', async () => {
    for (const camera of [
      { orthographic: { xmag: 0, ymag: 1, znear: 0, zfar: 1 } },
      { orthographic: { xmag: 1, ymag: 1, znear: 2, zfar: 1 } },
      { type: 'perspective', orthographic: undefined, perspective: { yfov: 4, znear: 0.1 } },
      { type: 'perspective', orthographic: undefined, perspective: { yfov: 1, znear: 0 } },
      { type: 'perspective', orthographic: undefined },
    ])
      await expect(drawFlat(dot(camera, {}))).rejects.toThrow(/The camera "0" of the model has/);
    await expect(draw(dot({}, {}), { view: { fileCamera: 'side' } })).rejects.toThrow(/has no camera "side"/);
  });
});
