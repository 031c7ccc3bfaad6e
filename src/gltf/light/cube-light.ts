// Light that a file holds (EXT_lights_image_based): a cube map whose smaller levels are for rougher surfaces, and
// spherical harmonics of its irradiance.
/// <reference types="@webgpu/types" />
import { globals } from '../constants';
import { add, PI, scale, type Mat3, type Vec3 } from '../math';
import { frameOf, lightAt, type FileCube } from './cube-frame';
import { environmentSampler, type Environment } from './environment';
import { halfTexels } from './half-texels';
import { aroundY, inverse, isIdentity, matrixOf, multiplyQuaternions, type Quaternion } from './turns';

const { GPUTextureUsage } = globals;

/** Decoded light of a file. */
export interface CubeLight extends FileCube {
  /** Turn of the environment, and factor of its light, both as in the file. */
  readonly rotation: Quaternion;
  readonly intensity: number;
}

/** How a picture changes the light of a file. */
interface Change {
  /** Degrees around the vertical axis. */
  rotation: number;
  /** Factor. */
  intensity: number;
}

/** Puts the light of a file on a device. */
export function cubeEnvironment(device: GPUDevice, light: CubeLight, change: Change): Environment {
  const { faces } = light;
  const { flip, oddSign } = frameOf(light);
  const intensity = light.intensity * change.intensity;
  const size = faces[0][0].width;
  const texture = device.createTexture({
    label: 'light of the file',
    size: [size, size, 6],
    mipLevelCount: faces.length,
    format: 'rgba16float',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  let bytes = 0;
  faces.forEach((level, mipLevel) =>
    level.forEach((pixels, face) => {
      const { width } = pixels;
      const rgb = new Float32Array(width * width * 3);
      for (let y = 0, o = 0; y < width; y++)
        for (let x = 0; x < width; x++, o += 3) rgb.set(lightAt(pixels, flip, x, y, intensity), o);
      const texels = halfTexels(rgb);
      const to = { texture, mipLevel, origin: [0, 0, face] };
      device.queue.writeTexture(to, texels, { bytesPerRow: width * 8 }, [width, width]);
      bytes += texels.byteLength;
    })
  );
  const turn = matrixOf(inverse(multiplyQuaternions(aroundY(change.rotation), light.rotation)));
  return {
    kind: 'image',
    levels: faces.length,
    harmonics: turned(polynomial(light, oddSign, intensity), turn),
    cube: texture,
    view: texture.createView({ dimension: 'cube' }),
    sampler: environmentSampler(device),
    ...(isIdentity(turn) ? {} : { turn }),
    bytes,
    destroy: () => texture.destroy(),
  };
}

/** Normalization of the harmonics of l = 0, 1 and 2; those of z² and x² − y² have other factors. */
const [K0, K1, K2] = [1, 3, 15].map((x) => Math.sqrt(x / (4 * PI)));
const KZZ = Math.sqrt(5 / (16 * PI));

/** Coefficients of 1, x, y, z, xy, yz, zx, z², x² − y² for irradiance over π. */
function polynomial({ coefficients }: FileCube, oddSign: 1 | -1, intensity: number): Vec3[] {
  const factor = intensity / PI;
  const [one, y, z, x, xy, yz, zz, zx, xxyy] = coefficients.map((rgb) => scale([...rgb], factor));
  const less = scale(zz, -KZZ);
  return [
    add(scale(one, K0), less),
    scale(x, K1 * oddSign),
    scale(y, K1 * oddSign),
    scale(z, K1),
    scale(xy, K2),
    scale(yz, K2 * oddSign),
    scale(zx, K2 * oddSign),
    scale(less, -3),
    scale(xxyy, K2 / 2),
  ];
}

/** The polynomial of a direction that is multiplied by a matrix first. */
function turned(harmonics: readonly Vec3[], m: Mat3): Vec3[] {
  const channels = [0, 1, 2].map((c) => turnedChannel(harmonics.map((rgb) => rgb[c]) as number[], m));
  return harmonics.map((_, k) => [channels[0][k], channels[1][k], channels[2][k]]);
}

function turnedChannel([one, x, y, z, xy, yz, zx, zz, xxyy]: number[], m: Mat3): number[] {
  const at = (row: number, column: number): number => m[column * 3 + row];
  const linear = [0, 1, 2].map((k) => at(0, k) * x + at(1, k) * y + at(2, k) * z);
  const form = [
    [xxyy, xy / 2, zx / 2],
    [xy / 2, -xxyy, yz / 2],
    [zx / 2, yz / 2, zz],
  ];
  const square = (i: number, k: number): number => {
    let sum = 0;
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) sum += at(r, i) * form[r][c] * at(c, k);
    return sum;
  };
  // x² + y² is 1 − z².
  const round = (square(0, 0) + square(1, 1)) / 2;
  return [
    one + round,
    ...linear,
    2 * square(0, 1),
    2 * square(1, 2),
    2 * square(0, 2),
    square(2, 2) - round,
    (square(0, 0) - square(1, 1)) / 2,
  ];
}
