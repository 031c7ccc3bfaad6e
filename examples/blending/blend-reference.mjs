// Reference implementation of blending, in plain JavaScript. It follows W3C Compositing and Blending Level 1
// (https://www.w3.org/TR/compositing-1/) one number at a time and shares no code with rasterloom/blends. `round` rounds
// the result of every operation: Math.fround gives single precision, `(x) => x` gives double precision.

/** Separable blend modes of §10.1, for one channel: b is the backdrop, s the source. Neither is premultiplied. */
function separable(r) {
  const multiply = (b, s) => r(b * s);
  const screen = (b, s) => r(r(b + s) - r(b * s));
  const hardLight = (b, s) => (s <= 0.5 ? multiply(b, r(2 * s)) : screen(b, r(r(2 * s) - 1)));
  const softened = (x) => (x <= 0.25 ? r(r(r(r(r(16 * x) - 12) * x) + 4) * x) : r(Math.sqrt(x)));
  return {
    multiply,
    screen,
    overlay: (b, s) => hardLight(s, b),
    darken: Math.min,
    lighten: Math.max,
    'color-dodge': (b, s) => (b === 0 ? 0 : s >= 1 ? 1 : Math.min(1, r(b / r(1 - s)))),
    'color-burn': (b, s) => (b >= 1 ? 1 : s === 0 ? 0 : r(1 - Math.min(1, r(r(1 - b) / s)))),
    'hard-light': hardLight,
    'soft-light': (b, s) =>
      s <= 0.5 ? r(b - r(r(r(1 - r(2 * s)) * b) * r(1 - b))) : r(b + r(r(r(2 * s) - 1) * r(softened(b) - b))),
    difference: (b, s) => Math.abs(r(b - s)),
    exclusion: (b, s) => r(r(b + s) - r(r(2 * b) * s)),
  };
}

/** Non-separable blend modes of §10.2, for whole colours. */
function nonSeparable(r) {
  const lum = ([red, green, blue]) => r(r(r(r(0.3) * red) + r(r(0.59) * green)) + r(r(0.11) * blue));
  const sat = (color) => r(Math.max(...color) - Math.min(...color));
  const clipColor = (color) => {
    const l = lum(color);
    const n = Math.min(...color);
    const x = Math.max(...color);
    let clipped = color;
    if (n < 0 && n !== l) clipped = clipped.map((c) => r(l + r(r(r(c - l) * l) / r(l - n))));
    if (x > 1 && x !== l) clipped = clipped.map((c) => r(l + r(r(r(c - l) * r(1 - l)) / r(x - l))));
    return clipped;
  };
  const setLum = (color, l) => {
    const d = r(l - lum(color));
    return clipColor(color.map((c) => r(c + d)));
  };
  const setSat = (color, s) => {
    const least = Math.min(...color);
    const most = Math.max(...color);
    if (most === least) return [0, 0, 0];
    return color.map((c) => (c === most ? s : c === least ? 0 : r(r(r(c - least) * s) / r(most - least))));
  };
  return {
    hue: (b, s) => setLum(setSat(s, sat(b)), lum(b)),
    saturation: (b, s) => setLum(setSat(b, sat(s)), lum(b)),
    color: (b, s) => setLum(s, lum(b)),
    luminosity: (b, s) => setLum(b, lum(s)),
  };
}

/** Porter-Duff factors Fa and Fb of §9.1, as functions of the source's and the backdrop's alpha. */
const FACTORS = {
  clear: () => [0, 0],
  copy: () => [1, 0],
  destination: () => [0, 1],
  'source-over': (s) => [1, 1 - s],
  'destination-over': (s, b) => [1 - b, 1],
  'source-in': (s, b) => [b, 0],
  'destination-in': (s) => [0, s],
  'source-out': (s, b) => [1 - b, 0],
  'destination-out': (s) => [0, 1 - s],
  'source-atop': (s, b) => [b, 1 - s],
  'destination-atop': (s, b) => [1 - b, s],
  xor: (s, b) => [1 - b, 1 - s],
  lighter: () => [1, 1],
};

/** Returns the mixing function (backdrop, source) → colour of a mode, or null for 'normal'. */
function mixingOf(mode, r) {
  if (mode === 'normal') return null;
  const each = separable(r)[mode];
  return each ? (b, s) => b.map((value, i) => each(value, s[i])) : nonSeparable(r)[mode];
}

/**
 * Returns the function (source, below) → result. Each is four numbers, premultiplied by alpha. The operations run in
 * this order: colours divided by their alphas, B, (1 − αb) · cs + (αs · αb) · B, then the two products with their
 * factors.
 */
export function referenceBlend(mode, operator, round = Math.fround) {
  const r = round;
  const mixed = mixingOf(mode, r);
  const factors = FACTORS[operator];
  const straight = (color) => color.slice(0, 3).map((c) => (color[3] > 0 ? r(c / color[3]) : c));
  return (source, below) => {
    const alphas = [source[3], below[3]];
    const [fa, fb] = factors(...alphas).map(r);
    const mix = mixed?.(straight(below), straight(source));
    const weight = r(alphas[0] * alphas[1]);
    const paint = mix
      ? [...mix.map((value, i) => r(r(r(1 - alphas[1]) * source[i]) + r(weight * value))), source[3]]
      : source;
    return paint.map((value, i) => r(r(fa * value) + r(fb * below[i])));
  };
}
