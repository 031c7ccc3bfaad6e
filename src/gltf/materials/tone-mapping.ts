// Tone mapping: how light without an upper limit becomes colours from 0 to 1. Each kind is a WGSL function `toneMap`.
// The same formula here, in double precision, finds the background behind clear glass.
import { exp2, log2, type Vec3 } from '../math';

export const TONE_MAPPINGS = ['neutral', 'aces', 'agx', 'linear'] as const;
export type ToneMapping = (typeof TONE_MAPPINGS)[number];
/** `none`: light stays light, for files that hold light. */
export type LightMapping = ToneMapping | 'none';

const NEUTRAL = `
// Khronos PBR Neutral: base colours under white light stay what they are, highlights are compressed.
fn toneMap(light: vec3f) -> vec3f {
  let least = min(light.r, min(light.g, light.b));
  let color = light - select(0.04, least - 6.25 * least * least, least < 0.08);
  let peak = max(color.r, max(color.g, color.b));
  let low = 0.76;
  let room = 1 - low;
  let squeezed = 1 - room * room / (peak + room - low);
  let grey = 1 - 1 / (0.15 * (peak - squeezed) + 1);
  return select(color, mix(color * (squeezed / peak), vec3f(squeezed), grey), peak >= low);
}
`;

type Matrix = readonly [Vec3, Vec3, Vec3];

/** Matrices as rows. Hill's fit of ACES: sRGB to the space of its curve, and back; brightened as in three.js. */
const ACES_IN: Matrix = [
  [0.59719, 0.35458, 0.04823],
  [0.076, 0.90834, 0.01566],
  [0.0284, 0.13383, 0.83777],
];
const ACES_OUT: Matrix = [
  [1.60475, -0.53108, -0.07367],
  [-0.10208, 1.10813, -0.00605],
  [-0.00327, -0.07276, 1.07602],
];
const ACES_BRIGHTNESS = 1 / 0.6;

/** AgX in linear Rec. 2020 (Filament): conversion from sRGB, inset, outset, and conversion back. */
const TO_REC2020: Matrix = [
  [0.6274, 0.3293, 0.0433],
  [0.0691, 0.9195, 0.0113],
  [0.0164, 0.088, 0.8956],
];
const FROM_REC2020: Matrix = [
  [1.6605, -0.5876, -0.0728],
  [-0.1246, 1.1329, -0.0083],
  [-0.0182, -0.1006, 1.1187],
];
const AGX_IN: Matrix = [
  [0.856627153315983, 0.0951212405381588, 0.0482516061458583],
  [0.137318972929847, 0.761241990602591, 0.101439036467562],
  [0.11189821299995, 0.0767994186031903, 0.811302368396859],
];
const AGX_OUT: Matrix = [
  [1.1271005818144368, -0.11060664309660323, -0.016493938717834573],
  [-0.1413297634984383, 1.157823702216272, -0.016493938717834257],
  [-0.14132976349843826, -0.11060664309660294, 1.2519364065950405],
];
const AGX_LOW = -12.47393;
const AGX_HIGH = 4.026069;
/** Polynomial of the contrast, from x⁰ to x⁶. */
const AGX_CURVE = [-0.00232, 0.1191, 0.4298, -6.868, 31.96, -40.14, 15.5];

/** WGSL has matrices of columns. */
const wgslMatrix = (m: Matrix): string =>
  `mat3x3f(${[0, 1, 2].map((column) => m.map((row) => row[column]).join(', ')).join(', ')})`;

const ACES = `
// ACES as fitted by Hill.
fn toneMap(light: vec3f) -> vec3f {
  let v = ${wgslMatrix(ACES_IN)} * (light * ${ACES_BRIGHTNESS});
  let curve = (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081);
  return clamp(${wgslMatrix(ACES_OUT)} * curve, vec3f(0), vec3f(1));
}
`;

const AGX = `
// AgX by Sobotka, with the polynomial that Filament uses.
fn toneMap(light: vec3f) -> vec3f {
  let inset = ${wgslMatrix(multiply(AGX_IN, TO_REC2020))} * light;
  let stops = (log2(max(inset, vec3f(1e-10))) - ${AGX_LOW}) / ${AGX_HIGH - AGX_LOW};
  let x = clamp(stops, vec3f(0), vec3f(1));
  let curve = ${AGX_CURVE.slice(0, -1).reduceRight((sum, c) => `(${sum}) * x + ${c}`, String(AGX_CURVE.at(-1)))};
  let outset = pow(max(${wgslMatrix(AGX_OUT)} * curve, vec3f(0)), vec3f(2.2));
  return clamp(${wgslMatrix(FROM_REC2020)} * outset, vec3f(0), vec3f(1));
}
`;

const LINEAR = `
fn toneMap(light: vec3f) -> vec3f { return clamp(light, vec3f(0), vec3f(1)); }
`;

const NONE = `
fn toneMap(light: vec3f) -> vec3f { return min(light, vec3f(65504)); } // the largest half
`;

/** WGSL of the function `toneMap` of each kind. */
export const TONE_MAP: Readonly<Record<LightMapping, string>> = {
  neutral: NEUTRAL,
  aces: ACES,
  agx: AGX,
  linear: LINEAR,
  none: NONE,
};

function multiply(a: Matrix, b: Matrix): Matrix {
  const row = ([x, y, z]: Vec3): Vec3 => [0, 1, 2].map((c) => x * b[0][c] + y * b[1][c] + z * b[2][c]) as Vec3;
  return [row(a[0]), row(a[1]), row(a[2])];
}

const transform = (m: Matrix, [x, y, z]: Vec3): Vec3 => m.map((r) => r[0] * x + r[1] * y + r[2] * z) as Vec3;
const clamped = (v: Vec3): Vec3 => v.map((x) => Math.min(1, Math.max(0, x))) as Vec3;

function neutral(light: Vec3): Vec3 {
  const least = Math.min(...light);
  const offset = least < 0.08 ? least - 6.25 * least * least : 0.04;
  const color = light.map((x) => x - offset) as Vec3;
  const peak = Math.max(...color);
  if (peak < 0.76) return color;
  const squeezed = 1 - (0.24 * 0.24) / (peak + 0.24 - 0.76);
  const grey = 1 - 1 / (0.15 * (peak - squeezed) + 1);
  return color.map((x) => (x * squeezed * (1 - grey)) / peak + squeezed * grey) as Vec3;
}

function aces(light: Vec3): Vec3 {
  const curve = transform(ACES_IN, light.map((x) => x * ACES_BRIGHTNESS) as Vec3).map(
    (v) => (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.432951) + 0.238081)
  ) as Vec3;
  return clamped(transform(ACES_OUT, curve));
}

function agx(light: Vec3): Vec3 {
  const curve = transform(AGX_IN, transform(TO_REC2020, light)).map((inset) => {
    const x = Math.min(1, Math.max(0, (log2(Math.max(inset, 1e-10)) - AGX_LOW) / (AGX_HIGH - AGX_LOW)));
    return AGX_CURVE.reduceRight((sum, c) => sum * x + c, 0);
  }) as Vec3;
  const outset = transform(AGX_OUT, curve).map((x) => (x > 0 ? exp2(2.2 * log2(x)) : 0)) as Vec3;
  return clamped(transform(FROM_REC2020, outset));
}

const FORMULAS: Readonly<Record<ToneMapping, (light: Vec3) => Vec3>> = { neutral, aces, agx, linear: clamped };

/** The colour of light, in double precision. */
export const toneMapped = (light: Vec3, kind: ToneMapping): Vec3 => FORMULAS[kind](light);

/** Colours that are nearly white have no finite light in some kinds. */
const WHITEST = 0.98;
const STEPS = 60;

/**
 * Linear light that tone mapping turns into a colour, so that the background looks the same through clear glass. It is
 * approximate for colours that a kind cannot reach.
 */
export function beforeToneMapping(color: Vec3, kind: LightMapping, exposure: number): Vec3 {
  const divide = (light: Vec3): Vec3 => light.map((x) => x / exposure) as Vec3;
  if (kind === 'linear' || kind === 'none') return divide(color);
  if (kind === 'neutral') return divide(beforeNeutral(color));
  const wanted = color.map((x) => Math.min(WHITEST, Math.max(0.0005, x))) as Vec3;
  let light: Vec3 = [...wanted];
  // Each channel of a colour depends mostly on the same channel of the light, and grows with it.
  for (let step = 0; step < STEPS; step++) {
    const now = toneMapped(light, kind);
    light = light.map((x, c) => {
      const factor = wanted[c] / Math.max(now[c], 1e-4);
      return Math.min(64, Math.max(1e-5, x * Math.min(2, Math.max(0.5, Math.sqrt(factor)))));
    }) as Vec3;
  }
  return divide(light);
}

/** Exact for greys, and for all colours that are not nearly white. */
function beforeNeutral(color: Vec3): Vec3 {
  const least = Math.min(...color);
  const before = least < 0.04 ? Math.sqrt(Math.max(0, least) / 6.25) : least + 0.04;
  const raised = color.map((x) => x + before - least) as Vec3;
  const peak = Math.max(...color);
  if (peak < 0.76) return raised;
  const room = 0.24;
  const unsqueezed = (room * room) / (1 - Math.min(peak, 0.99)) + 0.76 - room;
  return raised.map((x) => (x / (peak + before - least)) * (unsqueezed + before - least)) as Vec3;
}
