// The mixing functions B(Cb, Cs) of W3C Compositing and Blending Level 1 (§10, https://www.w3.org/TR/compositing-1/),
// as WGSL on colours without premultiplied alpha. operators.ts handles alpha.
//
// The expressions follow the specification's formulas term by term, from left to right, so that single precision
// evaluation gives the same bits everywhere. Where a formula divides, a division by zero falls into one of the
// specification's own cases. The cases are selected by comparisons that also work outside 0…1, as values in float
// targets may be.

/** §10.1: each channel separately. */
const SEPARABLE = {
  normal: 'source',
  multiply: 'below * source',
  screen: 'below + source - below * source',
  overlay: 'NAME_hard_light(source, below)',
  darken: 'min(below, source)',
  lighten: 'max(below, source)',
  'color-dodge':
    'select(select(min(vec3f(1), below / (1 - source)), vec3f(1), source >= vec3f(1)), vec3f(), below <= vec3f())',
  'color-burn':
    'select(select(1 - min(vec3f(1), (1 - below) / source), vec3f(), source <= vec3f()), vec3f(1), below >= vec3f(1))',
  'hard-light': 'NAME_hard_light(below, source)',
  'soft-light':
    'select(below + (2 * source - 1) * (NAME_soft(below) - below), below - (1 - 2 * source) * below * (1 - '
    + 'below), source <= vec3f(0.5))',
  difference: 'abs(below - source)',
  exclusion: 'below + source - 2 * below * source',
} as const;

/** §10.2: by hue, saturation and luminosity. */
const NON_SEPARABLE = {
  hue: 'NAME_set_lum(NAME_set_sat(source, NAME_sat(below)), NAME_lum(below))',
  saturation: 'NAME_set_lum(NAME_set_sat(below, NAME_sat(source)), NAME_lum(below))',
  color: 'NAME_set_lum(source, NAME_lum(below))',
  luminosity: 'NAME_set_lum(below, NAME_lum(source))',
} as const;

const MODES = { ...SEPARABLE, ...NON_SEPARABLE };

/** A mode of CSS `mix-blend-mode`. */
export type BlendMode = keyof typeof MODES;
export type SeparableBlendMode = keyof typeof SEPARABLE;
export type NonSeparableBlendMode = keyof typeof NON_SEPARABLE;

/** The modes that mix each channel separately, in the specification's order. */
export const separableBlendModes = Object.keys(SEPARABLE) as readonly SeparableBlendMode[];
/** The modes that mix hue, saturation and luminosity. */
export const nonSeparableBlendModes = Object.keys(NON_SEPARABLE) as readonly NonSeparableBlendMode[];
/** All modes, in the specification's order. */
export const blendModes: readonly BlendMode[] = [...separableBlendModes, ...nonSeparableBlendModes];

/** Helper functions that the mode expressions and other helpers call. */
const FUNCTIONS = {
  hard_light: `
fn NAME_hard_light(below: vec3f, source: vec3f) -> vec3f {
  let rest = 2 * source - 1;
  return select(below + rest - below * rest, below * (2 * source), source <= vec3f(0.5));
}`,
  soft: `
fn NAME_soft(x: vec3f) -> vec3f { return select(sqrt(x), ((16 * x - 12) * x + 4) * x, x <= vec3f(0.25)); }`,
  lum: `
fn NAME_lum(c: vec3f) -> f32 { return 0.3 * c.r + 0.59 * c.g + 0.11 * c.b; }`,
  sat: `
fn NAME_sat(c: vec3f) -> f32 { return max(c.r, max(c.g, c.b)) - min(c.r, min(c.g, c.b)); }`,
  // ClipColor. Greys whose luminosity rounds to the value of their channels stay unchanged, to avoid 0 / 0.
  clip: `
fn NAME_clip(color: vec3f) -> vec3f {
  var c = color;
  let l = NAME_lum(color);
  let least = min(color.r, min(color.g, color.b));
  let most = max(color.r, max(color.g, color.b));
  if (least < 0 && least != l) { c = l + (c - l) * l / (l - least); }
  if (most > 1 && most != l) { c = l + (c - l) * (1 - l) / (most - l); }
  return c;
}`,
  set_lum: `
fn NAME_set_lum(c: vec3f, l: f32) -> vec3f { return NAME_clip(c + (l - NAME_lum(c))); }`,
  // The greatest channels become `s`, the least ones 0. A grey has neither and becomes black.
  set_sat: `
fn NAME_set_sat(c: vec3f, s: f32) -> vec3f {
  let least = min(c.r, min(c.g, c.b));
  let most = max(c.r, max(c.g, c.b));
  if (most <= least) { return vec3f(); }
  return select((c - least) * s / (most - least), vec3f(s), c == vec3f(most));
}`,
} as const;

/** `text` preceded by the functions that it calls. */
function withFunctions(text: string): string {
  const needed: string[] = [];
  const visit = (caller: string): void => {
    for (const [, callee] of caller.matchAll(/NAME_(\w+)\(/g)) {
      const body = FUNCTIONS[callee as keyof typeof FUNCTIONS];
      if (body === undefined || body === caller || needed.includes(body)) continue;
      visit(body);
      needed.push(body);
    }
  };
  visit(text);
  return [...needed, text].join('');
}

/**
 * WGSL of `fn <name>(below: vec3f, source: vec3f) -> vec3f`, which is B(Cb, Cs), and its helpers, prefixed by its name.
 */
export function mixingFunction(mode: BlendMode, name: string): string {
  const whole = withFunctions(`
fn NAME(below: vec3f, source: vec3f) -> vec3f { return ${MODES[mode]}; }`);
  return whole.replace(/\bNAME/g, name);
}
