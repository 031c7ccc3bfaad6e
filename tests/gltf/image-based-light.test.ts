// EXT_lights_image_based: where faces are seen, what coefficients mean, rotation, intensity, and broken lights.
import { encode } from 'fast-png';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadGltf, renderGltf } from '../../src/gltf';
import { loadModel } from '../../src/gltf/files/load';
import { cubeDirection } from '../../src/gltf/light/cube-faces';
import { create } from '../../src/index';
import { Builder } from './build';

type Rgb = [number, number, number];
type Json = Record<string, unknown>;

const AXES: Rgb[] = [
  [1, 0, 0],
  [-1, 0, 0],
  [0, 1, 0],
  [0, -1, 0],
  [0, 0, 1],
  [0, 0, -1],
];

const srgbOf = (light: number): number =>
  Math.round(255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055));

/** A face as an RGBD image. `light` gets a texel of the image. */
function face(size: number, light: (x: number, y: number) => Rgb, divisor = 255): Uint8Array {
  const data = new Uint8Array(size * size * 4);
  for (let i = 0; i < size * size; i++)
    data.set([...light(i % size, Math.floor(i / size)).map((x) => srgbOf((x * divisor) / 255)), divisor], i * 4);
  return encode({ width: size, height: size, data, channels: 4 });
}

const COLOURS: Rgb[] = [
  [1, 0, 0],
  [0, 1, 1],
  [0, 1, 0],
  [1, 0, 1],
  [0, 0, 1],
  [1, 1, 0],
];
const uniform = (colours: readonly Rgb[], divisor?: number): Uint8Array[] =>
  colours.map((colour) => face(4, () => colour, divisor));

/** Faces that show a light in each direction. @param at place in a face of WebGPU of a texel of the image */
const surroundings = (
  size: number,
  light: (direction: Rgb) => Rgb,
  at: (x: number, y: number) => [number, number]
): Uint8Array[] => AXES.map((_, i) => face(size, (x, y) => light(cubeDirection(i, ...at(x, y), size))));

const NONE: Rgb = [0, 0, 0];
/** Irradiance π from everywhere. */
const EVERYWHERE: Rgb[] = [
  [1, 1, 1].map((x) => x * Math.PI * Math.sqrt(4 * Math.PI)) as Rgb,
  ...Array<Rgb>(8).fill(NONE),
];

interface Light {
  levels: Uint8Array[][];
  size?: number;
  coefficients?: Rgb[];
  more?: Json;
  change?: (light: Json) => void;
}

const MIRROR = { pbrMetallicRoughness: { metallicFactor: 1, roughnessFactor: 0 } };
const CHALK = {
  pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 1 },
  extensions: { KHR_materials_specular: { specularFactor: 0 } },
};

/** A cube from −1 to 1 in the light. */
function cube(material: Json, { levels, size = 4, coefficients = EVERYWHERE, more = {}, change }: Light): Uint8Array {
  const builder = new Builder();
  const positions: number[] = [];
  const normals: number[] = [];
  const indices: number[] = [];
  for (const axis of AXES) {
    const k = axis.findIndex((x) => x !== 0);
    for (const [a, b] of [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ]) {
      const corner = [...axis];
      corner[(k + 1) % 3] = a * axis[k];
      corner[(k + 2) % 3] = b;
      positions.push(...corner);
      normals.push(...axis);
    }
    indices.push(...[0, 1, 2, 0, 2, 3].map((i) => i + positions.length / 3 - 4));
  }
  const attributes = {
    POSITION: builder.accessor('VEC3', Float32Array.from(positions)),
    NORMAL: builder.accessor('VEC3', Float32Array.from(normals)),
  };
  const images: Json[] = [];
  const specularImages = levels.map((faces) =>
    faces.map((bytes) => images.push({ bufferView: builder.view(bytes), mimeType: 'image/png' }) - 1)
  );
  const light: Json = { irradianceCoefficients: coefficients, specularImages, specularImageSize: size, ...more };
  change?.(light);
  return builder.glb({
    extensionsUsed: ['EXT_lights_image_based', 'KHR_materials_specular'],
    extensionsRequired: ['EXT_lights_image_based'],
    extensions: { EXT_lights_image_based: { lights: [light] } },
    scene: 0,
    scenes: [{ nodes: [0], extensions: { EXT_lights_image_based: { light: 0 } } }],
    nodes: [{ mesh: 0 }],
    meshes: [
      { primitives: [{ attributes, indices: builder.accessor('SCALAR', Uint16Array.from(indices)), material: 0 }] },
    ],
    materials: [material],
    images,
  });
}

let device: GPUDevice;
beforeAll(async () => {
  device = await (await create({ threads: 0 }).requestAdapter())!.requestDevice();
});
afterAll(() => device.destroy());

/** The light in the middle of pictures from several places that look at the sides of the cube. */
async function seen(bytes: Uint8Array, eyes: readonly Rgb[], more: Json = {}): Promise<Rgb[]> {
  const model = await loadGltf(bytes, { device });
  const light: Rgb[] = [];
  for (const eye of eyes) {
    const most = Math.max(...eye.map(Math.abs));
    const target = eye.map((x) => (Math.abs(x) === most ? Math.sign(x) : 0)) as Rgb;
    const { pixels } = await model.render({
      width: 5,
      height: 5,
      samples: 1,
      fieldOfView: 1,
      camera: { eye, target },
      color: 'linear',
      ...more,
    });
    light.push([...(pixels as unknown as Float32Array).subarray(12 * 4, 12 * 4 + 3)] as Rgb);
  }
  model.dispose();
  return light;
}

const far = AXES.map((axis) => axis.map((x) => x * 9) as Rgb);
function expectLight(actual: Rgb[], expected: readonly (readonly number[])[], tolerance = 0.01): void {
  actual.forEach((rgb, i) =>
    rgb.forEach((x, c) =>
      expect(Math.abs(x - expected[i][c]), `picture ${i}: ${rgb.join(', ')}`).toBeLessThan(tolerance)
    )
  );
}

describe('faces of an image-based light', () => {
  it('are in the directions of their axes', async () => {
    expectLight(await seen(cube(MIRROR, { levels: [uniform(COLOURS)] }), far), COLOURS);
  });

  it('may be brighter than white, by RGBD', async () => {
    const bright = COLOURS.map((rgb) => rgb.map((x) => x * 5) as Rgb);
    expectLight(await seen(cube(MIRROR, { levels: [uniform(bright, 51)] }), far), bright, 0.05);
  });

  it('turn with the rotation of the light, and with that of the picture', async () => {
    const half = Math.SQRT1_2;
    const bytes = cube(MIRROR, { levels: [uniform(COLOURS)], more: { rotation: [0, half, 0, half] } });
    // A quarter turn to the left takes +Z to +X.
    const [px, nx, py, ny, pz, nz] = COLOURS;
    expectLight(await seen(bytes, far), [pz, nz, py, ny, nx, px]);
    expectLight(await seen(bytes, far, { environmentRotation: -90 }), COLOURS);
    const rolled = cube(MIRROR, { levels: [uniform(COLOURS)], more: { rotation: [2, 0, 0, 2] } });
    expectLight(await seen(rolled, far), [px, nx, nz, pz, py, ny]);
    // Past the cube, which is at the edge of the picture.
    const aside = { camera: { eye: [0, 0, 9], target: [9, 0, 7] }, fieldOfView: 165, environmentBackground: 0 };
    expectLight(await seen(bytes, [[0, 0, 9]], aside), [pz]);
  });

  it('are multiplied by the intensities of the light and of the picture', async () => {
    const bytes = cube(MIRROR, { levels: [uniform(COLOURS)], more: { intensity: 3 } });
    const bright = COLOURS.map((rgb) => rgb.map((x) => x * 1.5));
    expectLight(await seen(bytes, far, { environmentIntensity: 0.5 }), bright);
  });

  it('of smaller levels are for rougher surfaces, evenly', async () => {
    const grey = (x: number): Uint8Array[] => AXES.map(() => face(4, () => [x, x, x]));
    const half = AXES.map(() => face(2, () => [0, 0, 0]));
    const at = (roughnessFactor: number): Json => ({ pbrMetallicRoughness: { metallicFactor: 1, roughnessFactor } });
    for (const roughness of [0.25, 0.5, 1]) {
      const [[light]] = await seen(cube(at(roughness), { levels: [grey(1), half] }), [[0, 0, 9]]);
      expect(light).toBeCloseTo(1 - roughness, 2);
    }
  });

  const light = ([x, y, z]: Rgb): Rgb => [0.5 + 0.45 * x, 0.5 + 0.3 * y + 0.15 * z, 0.5 - 0.4 * z];
  const EYES: Rgb[] = [
    [9, 2, 3],
    [-3, 4, 9],
    [2, -9, 4],
    [-9, 3, 4],
    [1, 9, -3],
    [3, 2, -9],
  ];
  const expected = EYES.map((eye) => {
    const k = eye.findIndex((x) => Math.abs(x) === 9);
    // From the middle of the side to the eye, and mirrored at the side.
    const way = eye.map((x, i) => (i === k ? Math.sign(x) * 8 : -x));
    const length = Math.hypot(...way);
    return light(way.map((x) => x / length) as Rgb);
  });

  it.each<[string, (x: number, y: number) => [number, number]]>([
    ['mirrored about their vertical axis', (x, y) => [15 - x, y]],
    ['with reversed rows', (x, y) => [x, 15 - y]],
    ['as in WebGPU', (x, y) => [x, y]],
  ])('show the same %s', async (_, at) => {
    const bytes = cube(MIRROR, { levels: [surroundings(16, light, at)], size: 16 });
    expectLight(await seen(bytes, EYES), expected, 0.05);
  });
});

describe('coefficients of an image-based light', () => {
  it('are irradiance', async () => {
    const bytes = cube(CHALK, { levels: [uniform(COLOURS)] });
    expectLight(
      await seen(bytes, far),
      AXES.map(() => [1, 1, 1])
    );
    expectLight(
      await seen(bytes, far, { environmentIntensity: 0.5 }),
      AXES.map(() => [0.5, 0.5, 0.5])
    );
  });

  /** Radiance 0.5 + 0.4 x + 0.2 y + 0.1 yz. */
  const radiance = ([x, y, z]: Rgb): Rgb => {
    const sum = 0.5 + 0.4 * x + 0.2 * y + 0.1 * y * z;
    return [sum, sum, sum];
  };
  const coefficients = (sign: 1 | -1): Rgb[] => {
    const one = (0.5 * Math.PI) / Math.sqrt(1 / (4 * Math.PI));
    const linear = (factor: number): number => ((sign * factor * 2) / 3) * (Math.PI / Math.sqrt(3 / (4 * Math.PI)));
    const yz = ((sign * 0.1) / 4) * (Math.PI / Math.sqrt(15 / (4 * Math.PI)));
    return [one, linear(0.2), 0, linear(0.4), 0, yz, 0, 0, 0].map((x) => [x, x, x]);
  };
  const irradiance = ([x, y, z]: Rgb): number => 0.5 + (2 / 3) * (0.4 * x + 0.2 * y) + (0.1 * y * z) / 4;

  it.each([1, -1] as const)('of odd order may have either sign: %d', async (sign) => {
    const levels = [surroundings(16, radiance, (x, y) => [15 - x, y])];
    const bytes = cube(CHALK, { levels, size: 16, coefficients: coefficients(sign) });
    const expected = AXES.map((n) => [1, 1, 1].map((x) => x * irradiance(n)));
    expectLight(await seen(bytes, far), expected);
  });

  it('turn with the light', async () => {
    const levels = [surroundings(16, radiance, (x, y) => [15 - x, y])];
    // A third of a turn around the diagonal takes +X to +Y, +Y to +Z and +Z to +X.
    const more = { rotation: [0.5, 0.5, 0.5, 0.5] };
    const bytes = cube(CHALK, { levels, size: 16, coefficients: coefficients(1), more });
    const expected = AXES.map(([x, y, z]) => [1, 1, 1].map((k) => k * irradiance([y, z, x])));
    expectLight(await seen(bytes, far), expected);
  });
});

describe('the light of a picture', () => {
  it('is that of the file, unless another one is asked for', async () => {
    const bytes = cube(MIRROR, { levels: [uniform(COLOURS)] });
    const plain = cube(MIRROR, { levels: [uniform(COLOURS)], more: { intensity: 0 } });
    const draw = async (model: Uint8Array, environment?: 'studio' | 'sky'): Promise<Uint8Array> => {
      const options = environment === undefined ? {} : { environment };
      return (await renderGltf(model, { device, width: 24, height: 24, ...options })).pixels;
    };
    const own = await draw(bytes);
    expect(own).not.toEqual(await draw(plain));
    for (const environment of ['studio', 'sky'] as const) {
      const other = await draw(bytes, environment);
      expect(other).not.toEqual(own);
      expect(other).toEqual(await draw(plain, environment));
    }
  });
});

describe('a broken image-based light', () => {
  const levels = [uniform(COLOURS), AXES.map(() => face(2, () => NONE))];

  it.each<[string, (light: Json) => void, RegExp]>([
    [
      'missing faces',
      (light) => (light.specularImages as number[][])[1].pop(),
      /level 1 of image-based light 0 needs 6 faces and has 5/,
    ],
    [
      'an unknown image',
      (light) => ((light.specularImages as number[][])[0][2] = 99),
      /face 2 in level 0 of image-based light 0 is 99, not an index below 12/,
    ],
    ['no levels', (light) => (light.specularImages = []), /image-based light 0 has no specular images/],
    [
      'too many levels',
      (light) => (light.specularImageSize = 1),
      /image-based light 0 has 2 levels; images of 1 × 1 have at most 1/,
    ],
    [
      'an odd size',
      (light) => (light.specularImageSize = 6),
      /the specular image size of image-based light 0 is 6, not a power of two/,
    ],
    [
      'missing coefficients',
      (light) => ((light.irradianceCoefficients as Rgb[]).length = 8),
      /image-based light 0 needs 9 irradiance coefficients and has 8/,
    ],
    [
      'a short coefficient',
      (light) => (light.irradianceCoefficients = Array(9).fill([1, 2])),
      /irradiance coefficient 0 of image-based light 0 should be 3 numbers/,
    ],
    ['no rotation', (light) => (light.rotation = [0, 0, 0, 0]), /the rotation of image-based light 0 is zero/],
  ])('with %s is refused', async (_, change, message) => {
    const bytes = cube(MIRROR, { levels, change, coefficients: [...EVERYWHERE] });
    await expect(loadModel(bytes)).rejects.toThrow(message);
  });

  it('with images of a wrong size is refused where it is drawn', async () => {
    const bytes = cube(MIRROR, { levels: [uniform(COLOURS), uniform(COLOURS)] });
    await expect(renderGltf(bytes, { device })).rejects.toThrow(
      'The glTF file is damaged: face +X in level 1 of image-based light 0 is 4 × 4 pixels instead of 2 × 2.'
    );
    expect((await renderGltf(bytes, { device, width: 8, height: 8, environment: 'sky' })).warnings).toEqual([]);
  });

  it('of a scene that refers to no light is refused', async () => {
    const json = { scenes: [{ extensions: { EXT_lights_image_based: { light: 1 } } }] };
    await expect(
      loadModel(new TextEncoder().encode(JSON.stringify({ asset: { version: '2.0' }, ...json })))
    ).rejects.toThrow(/the image-based light of scene 0 is 1, not an index below 0/);
  });
});
