// Built-in panoramas, computed by formula.
import { normalize, sinCosDegrees, type Vec3 } from '../math';
import type { Panorama } from './panorama';

/** Names of the environments that need no file. The studio is not a panorama (studio-light.ts). */
export const PRESETS = ['studio', 'sky', 'sunset', 'night'] as const;
export type Preset = (typeof PRESETS)[number];

const WIDTH = 512;
const HEIGHT = 256;

/** A disc of light with a soft edge. */
interface Disc {
  towards: Vec3;
  /** Cosines of the angles at which its edge ends and begins. */
  outer: number;
  inner: number;
  light: Vec3;
}

/** @param radius degrees */
function disc(towards: Vec3, radius: number, light: Vec3): Disc {
  return {
    towards: normalize(towards),
    outer: sinCosDegrees(radius * 1.25).cos,
    inner: sinCosDegrees(radius * 0.75).cos,
    light,
  };
}

interface Sky {
  /** Light straight up, at the horizon, and from below. */
  zenith: Vec3;
  horizon: Vec3;
  ground: Vec3;
  /** Light around the sun near the horizon, and the direction of the sun. */
  glow: Vec3;
  sun: Vec3;
  discs: readonly Disc[];
}

const DAY_SUN: Vec3 = [0.55, 0.75, 0.5];
const EVENING_SUN: Vec3 = [0.75, 0.14, 0.6];
const MOON: Vec3 = [-0.5, 0.6, 0.5];

const SKIES: Readonly<Record<Exclude<Preset, 'studio'>, Sky>> = {
  sky: {
    zenith: [0.2, 0.38, 0.8],
    horizon: [0.68, 0.8, 0.95],
    ground: [0.26, 0.24, 0.21],
    glow: [0.5, 0.45, 0.35],
    sun: DAY_SUN,
    discs: [disc(DAY_SUN, 3, [190, 178, 155])],
  },
  sunset: {
    zenith: [0.13, 0.16, 0.34],
    horizon: [0.75, 0.4, 0.26],
    ground: [0.1, 0.08, 0.08],
    glow: [1.9, 0.75, 0.2],
    sun: EVENING_SUN,
    discs: [disc(EVENING_SUN, 4, [110, 52, 17])],
  },
  night: {
    zenith: [0.015, 0.022, 0.05],
    horizon: [0.05, 0.065, 0.11],
    ground: [0.012, 0.012, 0.015],
    glow: [0.03, 0.035, 0.045],
    sun: MOON,
    // The moon, and two lamps in the distance.
    discs: [
      disc(MOON, 4, [20, 23, 30]),
      disc([0.9, 0.08, -0.3], 2.5, [26, 15, 6]),
      disc([-0.7, 0.1, -0.8], 2.5, [22, 13, 6]),
    ],
  },
};

const made = new Map<Preset, Panorama>();

/** The panorama of a preset, which is computed once. */
export function presetPanorama(preset: Exclude<Preset, 'studio'>): Panorama {
  let panorama = made.get(preset);
  if (!panorama) made.set(preset, (panorama = panoramaOf(SKIES[preset])));
  return panorama;
}

function panoramaOf(sky: Sky): Panorama {
  const rgb = new Float32Array(WIDTH * HEIGHT * 3);
  const columns = Array.from({ length: WIDTH }, (_, x) => sinCosDegrees(((x + 0.5) / WIDTH) * 360 - 180));
  const sun = normalize(sky.sun);
  for (let row = 0, o = 0; row < HEIGHT; row++) {
    const { sin, cos: y } = sinCosDegrees(((row + 0.5) / HEIGHT) * 180);
    for (const turn of columns) {
      const [x, z] = [sin * turn.cos, sin * turn.sin];
      const away = 1 - Math.min(1, Math.abs(y));
      const low = away * away * away;
      // Below the horizon the sky fades into the ground within a few degrees.
      const below = Math.min(1, Math.max(0, -y * 12));
      const towards = Math.max(0, x * sun[0] + y * sun[1] + z * sun[2]);
      const halo = towards * towards * towards * towards * (0.3 + 0.7 * low);
      for (let c = 0; c < 3; c++, o++) {
        const above = sky.zenith[c] + (sky.horizon[c] - sky.zenith[c]) * low + sky.glow[c] * halo;
        let light = above + (sky.ground[c] - above) * below;
        for (const { towards: axis, outer, inner, light: lamp } of sky.discs) {
          const t = Math.min(1, Math.max(0, (x * axis[0] + y * axis[1] + z * axis[2] - outer) / (inner - outer)));
          light += lamp[c] * t;
        }
        rgb[o] = light;
      }
    }
  }
  return { width: WIDTH, height: HEIGHT, rgb };
}
