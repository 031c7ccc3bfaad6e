// Passes against independent calculations: rays from the camera through the centres of pixels.
import { encode } from 'fast-png';
import { describe, expect, it } from 'vitest';
import type { Shot } from '../../src/gltf/model';
import { Builder } from '../gltf/build';
import { drawPass } from './kit';

const SIZE = 64;
type Json = Record<string, unknown>;
type Vec = readonly [number, number, number];

/** A camera on +Z that looks at the origin. */
const EYE = 5;
const FROM_FRONT: Partial<Shot> = { view: { lookAt: { eye: [0, 0, EYE], target: [0, 0, 0] } } };
const SLOPE = Math.tan(Math.PI / 12);
/** Half the picture's height at the origin, in units of the model. */
const HALF = SLOPE * EYE;

/** Direction of the ray through a pixel's centre; its z is −1, so that its parameter is the distance along the view. */
const ray = (x: number, y: number): Vec => [
  ((x + 0.5) / (SIZE / 2) - 1) * SLOPE,
  (1 - (y + 0.5) / (SIZE / 2)) * SLOPE,
  -1,
];
/** Place of a pixel's centre on the plane z = 0. */
const place = (x: number, y: number): [number, number] => [ray(x, y)[0] * EYE, ray(x, y)[1] * EYE];

const INDICES = Uint8Array.of(0, 1, 2, 0, 2, 3);
interface Quad {
  corners: readonly (readonly [number, number, number])[];
  material?: number;
  normals?: number[];
  uvs?: number[];
  node?: Json;
}
const square = (x0: number, y0: number, x1: number, y1: number, z = 0): Quad['corners'] => [
  [x0, y0, z],
  [x1, y0, z],
  [x1, y1, z],
  [x0, y1, z],
];

/** A model of quads, each a node with a mesh of its own. */
function quads(list: readonly Quad[], more: Json | ((b: Builder) => Json) = {}): Uint8Array {
  const b = new Builder();
  const meshes = list.map(({ corners, material, normals, uvs }, i) => ({
    name: `mesh ${i}`,
    primitives: [
      {
        ...(material === undefined ? {} : { material }),
        indices: b.accessor('SCALAR', INDICES),
        attributes: {
          POSITION: b.accessor('VEC3', Float32Array.from(corners.flat())),
          ...(normals ? { NORMAL: b.accessor('VEC3', Float32Array.from(normals)) } : {}),
          ...(uvs ? { TEXCOORD_0: b.accessor('VEC2', Float32Array.from(uvs)) } : {}),
        },
      },
    ],
  }));
  return b.glb({
    scene: 0,
    scenes: [{ nodes: list.map((_, i) => i) }],
    nodes: list.map(({ node }, mesh) => ({ mesh, ...node })),
    meshes,
    ...(typeof more === 'function' ? more(b) : more),
  });
}

const png = (width: number, texels: readonly number[]): Json => {
  const file = encode({ width, height: texels.length / 4 / width, channels: 4, data: Uint8Array.from(texels) });
  return { uri: `data:image/png;base64,${Buffer.from(file).toString('base64')}` };
};

function everyPixel(visit: (x: number, y: number, i: number) => void): void {
  for (let y = 0; y < SIZE; y++) for (let x = 0; x < SIZE; x++) visit(x, y, y * SIZE + x);
}

describe('depth', () => {
  // The plane z = 0.5 x + 0.25 y, which fills the left part of the picture.
  const z = (x: number, y: number): number => 0.5 * x + 0.25 * y;
  const corners = square(-3, -3, 0.2, 3).map(([x, y]): [number, number, number] => [x, y, z(x, y)]);

  it('is the distance of a tilted plane along the view direction', async () => {
    const { pixels } = await drawPass(quads([{ corners }]), ['depth'], FROM_FRONT);
    let covered = 0;
    everyPixel((x, y, i) => {
      const [dx, dy] = ray(x, y);
      // eye + t d lies in the plane: EYE − t = 0.5 dx t + 0.25 dy t
      const t = EYE / (1 + 0.5 * dx + 0.25 * dy);
      const edge = dx * t - 0.2;
      if (Math.abs(edge) < 0.02) return;
      if (edge > 0) expect(pixels[i]).toBe(Infinity);
      else {
        covered++;
        expect(Math.abs(pixels[i] / t - 1)).toBeLessThan(1e-5);
      }
    });
    expect(covered).toBeGreaterThan(SIZE * SIZE * 0.5);
  });

  it('is the same without perspective', async () => {
    const projection = { fieldOfView: 30, orthographic: true, margin: 0 };
    const { pixels } = await drawPass(quads([{ corners }]), ['depth'], { ...FROM_FRONT, projection });
    let covered = 0;
    everyPixel((x, y, i) => {
      const [px, py] = place(x, y);
      if (px > 0.15) return;
      covered++;
      expect(Math.abs(pixels[i] - (EYE - z(px, py)))).toBeLessThan(1e-4);
    });
    expect(covered).toBeGreaterThan(SIZE * SIZE * 0.5);
  });

  it('of a blended surface counts from half its opacity on', async () => {
    const blended = (alpha: number): Json => ({
      alphaMode: 'BLEND',
      pbrMetallicRoughness: { baseColorFactor: [1, 1, 1, alpha] },
    });
    const list = [
      { corners: square(-3, -3, 3, 3, -1) },
      { corners: square(-3, -3, 0, 3, 1), material: 0 },
      { corners: square(0, -3, 3, 3, 1), material: 1 },
    ];
    const model = quads(list, { materials: [blended(0.4), blended(0.6)] });
    const { pixels } = await drawPass(model, ['depth'], FROM_FRONT);
    const row = 32 * SIZE;
    expect([pixels[row + 10], pixels[row + 53]]).toEqual([6, 4]);
  });
});

describe('normal', () => {
  it('of a sphere is the direction from its centre', async () => {
    const b = new Builder();
    const [rings, sides] = [96, 192];
    const positions: number[] = [];
    for (let r = 0; r <= rings; r++)
      for (let s = 0; s <= sides; s++) {
        const [a, c] = [(Math.PI * r) / rings, (2 * Math.PI * s) / sides];
        positions.push(Math.sin(a) * Math.sin(c), Math.cos(a), Math.sin(a) * Math.cos(c));
      }
    const indices: number[] = [];
    for (let r = 0; r < rings; r++)
      for (let s = 0; s < sides; s++) {
        const at = r * (sides + 1) + s;
        indices.push(at, at + sides + 1, at + 1, at + 1, at + sides + 1, at + sides + 2);
      }
    const attributes = {
      POSITION: b.accessor('VEC3', Float32Array.from(positions)),
      NORMAL: b.accessor('VEC3', Float32Array.from(positions)),
    };
    // Turned by 90° around the view direction, which must not change a sphere in world space.
    const model = b.glb({
      scenes: [{ nodes: [0] }],
      nodes: [{ mesh: 0, rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2] }],
      meshes: [{ primitives: [{ attributes, indices: b.accessor('SCALAR', Uint16Array.from(indices)) }] }],
    });
    const { pixels } = await drawPass(model, ['normal'], FROM_FRONT);
    let covered = 0;
    everyPixel((x, y, i) => {
      const d = ray(x, y);
      const square = d[0] ** 2 + d[1] ** 2 + 1;
      // |eye + t d| = 1
      const root = EYE * EYE - square * (EYE * EYE - 1);
      const found = [0, 1, 2].map((c) => pixels[3 * i + c]);
      if (root < -0.05) expect(found).toEqual([0, 0, 0]);
      if (root < 0.1) return;
      const t = (EYE - Math.sqrt(root)) / square;
      covered++;
      [d[0] * t, d[1] * t, EYE - t].forEach((wanted, c) => expect(Math.abs(found[c] - wanted)).toBeLessThan(0.003));
    });
    expect(covered).toBeGreaterThan(1500);
  });

  it('has the normal map applied, and is turned to the camera on back faces', async () => {
    // The texel is (0.6, 0, 0.8) in the tangent frame, whose axes are x, y and z.
    const texel = [0.6, 0, 0.8].map((v) => Math.round((v * 0.5 + 0.5) * 255));
    const normals = [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1];
    const uvs = [0, 1, 1, 1, 1, 0, 0, 0];
    const back = { rotation: [0, 1, 0, 0] };
    const list = [
      { corners: square(-3, -3, 0, 3), normals, uvs, material: 0 },
      { corners: square(-3, -3, 0, 3), normals, uvs, material: 1, node: back },
    ];
    const model = quads(list, {
      materials: [{ normalTexture: { index: 0 } }, { doubleSided: true }],
      textures: [{ source: 0 }],
      images: [png(1, [...texel, 255])],
    });
    const { pixels } = await drawPass(model, ['normal'], FROM_FRONT);
    const at = (x: number): number[] => [0, 1, 2].map((c) => pixels[3 * (32 * SIZE + x) + c] + 0);
    [0.6, 0, 0.8].forEach((wanted, c) => expect(Math.abs(at(10)[c] - wanted)).toBeLessThan(0.01));
    expect(at(53)).toEqual([0, 0, 1]);
  });

  it('of unlit materials is that of their surface, and that of lines is zero', async () => {
    const b = new Builder();
    const primitive = (mode: number, points: number[], material?: number): Json => ({
      mode,
      attributes: { POSITION: b.accessor('VEC3', Float32Array.from(points)) },
      ...(material === undefined ? {} : { material }),
    });
    const model = b.glb({
      extensionsUsed: ['KHR_materials_unlit'],
      materials: [{ extensions: { KHR_materials_unlit: {} } }],
      scenes: [{ nodes: [0] }],
      nodes: [{ mesh: 0 }],
      meshes: [{ primitives: [primitive(4, [-1, -1, 0, 1, -1, 0, 0, 1, 0], 0), primitive(1, [-1, 0, 1, 1, 0, 1])] }],
    });
    const drawing = { ...FROM_FRONT, lineWidth: 6 };
    const { pixels } = await drawPass(model, ['normal'], drawing);
    const { pixels: depth } = await drawPass(model, ['depth'], drawing);
    const at = (y: number): number[] => [0, 1, 2].map((c) => pixels[3 * (y * SIZE + 32) + c]);
    expect([at(45), at(32)]).toEqual([
      [0, 0, 1],
      [0, 0, 0],
    ]);
    expect([depth[45 * SIZE + 32], depth[32 * SIZE + 32]]).toEqual([5, 4]);
  });
});

describe('albedo', () => {
  it('is the base colour without light: factor times texture, and transparent where there is nothing', async () => {
    const model = quads([{ corners: square(-3, -3, 0, 3), uvs: [0, 0, 0, 0, 0, 0, 0, 0], material: 0 }], {
      materials: [
        {
          pbrMetallicRoughness: {
            baseColorFactor: [0.5, 1, 0.25, 1],
            baseColorTexture: { index: 0 },
            metallicFactor: 1,
          },
          emissiveFactor: [1, 1, 1],
        },
      ],
      textures: [{ source: 0 }],
      images: [png(1, [128, 64, 255, 255])],
    });
    const linear = (code: number): number => ((code / 255 + 0.055) / 1.055) ** 2.4;
    const wanted = [0.5 * linear(128), linear(64), 0.25, 1];
    const { pixels } = await drawPass(model, ['albedo', 'linear'], { ...FROM_FRONT, samples: 4 });
    const at = (x: number): number[] => [0, 1, 2, 3].map((c) => pixels[4 * (32 * SIZE + x) + c]);
    wanted.forEach((value, c) => expect(Math.abs(at(10)[c] - value)).toBeLessThan(0.001));
    expect(at(53)).toEqual([0, 0, 0, 0]);
    const { pixels: bytes } = await drawPass(model, ['albedo'], FROM_FRONT);
    const srgb = (x: number): number => Math.round(255 * (1.055 * x ** (1 / 2.4) - 0.055));
    [...wanted.slice(0, 3).map(srgb), 255].forEach((value, c) =>
      expect(Math.abs(bytes[4 * (32 * SIZE + 10) + c] - value)).toBeLessThan(2)
    );
  });
});

describe('object and material', () => {
  const front = square(-0.5, -0.5, 0.7, 0.3, 1);
  const list: Quad[] = [
    { corners: square(-1, -1, 1, 1), material: 1, node: { name: 'wall' } },
    { corners: front, node: {} },
    { corners: square(5, 5, 6, 6), material: 0, node: { name: 'outside' } },
  ];
  const model = quads(list, { materials: [{ name: 'paint' }, {}] });

  it('are exact: every pixel has the id of the nearest surface at its centre', async () => {
    const { pixels: objects, legend } = await drawPass(model, ['object'], { ...FROM_FRONT, samples: 4 });
    const { pixels: materials, legend: names } = await drawPass(model, ['material'], FROM_FRONT);
    const counts = [0, 0, 0];
    everyPixel((x, y, i) => {
      const [px, py] = place(x, y);
      // The front quad is at a distance of EYE − 1.
      const [qx, qy] = [(px * (EYE - 1)) / EYE, (py * (EYE - 1)) / EYE];
      const id = qx > -0.5 && qx < 0.7 && qy > -0.5 && qy < 0.3 ? 2 : Math.abs(px) < 1 && Math.abs(py) < 1 ? 1 : 0;
      counts[id]++;
      expect([x, y, objects[i], materials[i]]).toEqual([x, y, id, [0, 2, 3][id]]);
    });
    expect(Math.min(...counts)).toBeGreaterThan(100);
    expect(legend).toEqual([
      { id: 1, color: '#800000', name: 'wall', pixels: counts[1] },
      { id: 2, color: '#008000', name: 'mesh 1', pixels: counts[2] },
      { id: 3, color: '#808000', name: 'outside', pixels: 0 },
    ]);
    expect(names?.map(({ id, name, pixels }) => [id, name, pixels])).toEqual([
      [1, 'paint', 0],
      [2, 'material 1', counts[1]],
      [3, 'default material', counts[2]],
    ]);
  });
});

describe('deep colours', () => {
  const GREY = 0.18;
  const gradient = quads([{ corners: square(-9, -9, 9, 9), material: 0 }], (b) => ({
    extensionsUsed: ['KHR_materials_unlit'],
    materials: [
      { pbrMetallicRoughness: { baseColorFactor: [GREY, GREY, GREY, 1] }, extensions: { KHR_materials_unlit: {} } },
    ],
    meshes: [
      {
        primitives: [
          {
            material: 0,
            indices: b.accessor('SCALAR', INDICES),
            attributes: {
              POSITION: b.accessor('VEC3', Float32Array.from(square(-HALF, -HALF, HALF, HALF).flat())),
              COLOR_0: b.accessor('VEC3', Float32Array.of(0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0)),
            },
          },
        ],
      },
    ],
  }));

  it('have more than 256 levels, which are those of the sRGB curve', async () => {
    const { pixels } = await drawPass(gradient, ['color', 'srgb16'], { ...FROM_FRONT, width: 512, height: 512 });
    const levels = new Set<number>();
    for (let x = 0; x < 512; x++) {
      const at = 4 * (256 * 512 + x);
      levels.add(pixels[at]);
      const light = (GREY * (x + 0.5)) / 512;
      const wanted = light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
      // Half-precision floats have 11 bits; at this slope, that is less than 20 of 65,535.
      expect(Math.abs(pixels[at] - 65535 * wanted)).toBeLessThan(20);
      expect(pixels[at + 3]).toBe(65535);
    }
    expect(levels.size).toBeGreaterThan(500);
  });

  it('round to the picture with 8 bits, also with an alpha', async () => {
    const drawing = { ...FROM_FRONT, samples: 4, background: [200, 100, 50, 128] } as const;
    const tilted = quads([{ corners: square(-1, -1, 0.7, 0.3, 1), material: 0 }], { materials: [{}] });
    const { pixels: deep } = await drawPass(tilted, ['color', 'srgb16'], drawing);
    const { pixels } = await drawPass(tilted, ['color'], drawing);
    let most = 0;
    pixels.forEach((value: number, i: number) => (most = Math.max(most, Math.abs(deep[i] / 257 - value))));
    // An alpha of a half doubles the steps of premultiplied colours with 8 bits.
    expect(most).toBeLessThan(1.6);
  });

  it('are linear light without tone mapping, with the exposure', async () => {
    const bright = quads([{ corners: square(-3, -3, 3, 3), material: 0 }], {
      extensionsUsed: ['KHR_materials_emissive_strength'],
      materials: [
        {
          pbrMetallicRoughness: { baseColorFactor: [0, 0, 0, 1], metallicFactor: 1 },
          emissiveFactor: [1, 0.5, 0.25],
          extensions: { KHR_materials_emissive_strength: { emissiveStrength: 8 } },
        },
      ],
    });
    const light = { image: undefined, rotation: 0, intensity: 0, backdrop: undefined, exposure: 1 };
    const drawing = {
      ...FROM_FRONT,
      light: { ...light, toneMapping: 'neutral' as const, shadowSize: undefined, ground: false },
    };
    const { pixels } = await drawPass(bright, ['color', 'linear'], drawing);
    // The key light adds a little to what is emitted: 8, 4 and 2, times two.
    [16, 8, 4].forEach((wanted, c) => expect(Math.abs(pixels[4 * 2080 + c] / wanted - 1)).toBeLessThan(0.2));
    expect(pixels[4 * 2080] / pixels[4 * 2080 + 2]).toBeGreaterThan(3);
  });
});
