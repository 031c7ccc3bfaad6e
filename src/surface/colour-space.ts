// Conversion between the colour spaces of canvases and images: sRGB and Display P3. They share a transfer function and
// differ in the red and green primaries. https://www.w3.org/TR/css-color-4/#predefined-display-p3
export type ColourSpace = 'srgb' | 'display-p3';
/** x to the power of y. */
export type Power = (x: number, y: number) => number;

/** Converts linear light from one space to the other, row by row. White stays white. */
const MATRICES = {
  srgb: [0.8224619687, 0.1775380313, 0, 0.0331941989, 0.9668058011, 0, 0.0170826307, 0.0723974407, 0.9105199286],
  'display-p3': [
    1.2249401763, -0.2249401763, 0, -0.0420569547, 1.0420569547, 0, -0.0196375546, -0.0786360456, 1.0982736001,
  ],
} as const;

/** Entries of the table for the transfer function; linear interpolation between them has an error below 1e-5. */
const STEPS = 1024;

/** Converts pixels of four numbers each from this space to the other. Out-of-gamut colours are clamped. */
export function colourConversion(from: ColourSpace, power: Power): (pixels: Float32Array) => void {
  const m = MATRICES[from];
  const { toLinear, toCurve } = curves(power);
  return (pixels) => {
    for (let i = 0; i < pixels.length; i += 4) {
      const r = toLinear(pixels[i]!);
      const g = toLinear(pixels[i + 1]!);
      const b = toLinear(pixels[i + 2]!);
      for (let c = 0; c < 3; c++) pixels[i + c] = toCurve(m[c * 3]! * r + m[c * 3 + 1]! * g + m[c * 3 + 2]! * b);
    }
  };
}

interface Curves {
  readonly toLinear: (value: number) => number;
  readonly toCurve: (light: number) => number;
}
let made: Curves | null = null;

/** Both directions use tables, which all devices share. */
function curves(power: Power): Curves {
  made ??= {
    toLinear: byTable((value) => (value <= 0.04045 ? value / 12.92 : power((value + 0.055) / 1.055, 2.4))),
    toCurve: (() => {
      // Near black the curve is steep as a function of linear light, but nearly straight as a function of its square
      // root.
      const ofRoot = byTable((root) => {
        const light = root * root;
        return light <= 0.0031308 ? light * 12.92 : 1.055 * power(light, 1 / 2.4) - 0.055;
      });
      return (light: number) => ofRoot(Math.sqrt(Math.min(1, Math.max(0, light))));
    })(),
  };
  return made;
}

/** Tabulates a function of numbers from 0 to 1. */
function byTable(value: (x: number) => number): (x: number) => number {
  const table = Float32Array.from({ length: STEPS + 2 }, (_, i) => value(Math.min(1, i / STEPS)));
  return (x) => {
    const at = x * STEPS;
    const index = Math.floor(at);
    const low = table[index]!;
    return low + (table[index + 1]! - low) * (at - index);
  };
}
