// The Porter-Duff operators of W3C Compositing and Blending Level 1 (§9.1,
// https://www.w3.org/TR/compositing-1/#porterduffcompositingoperators), after the mixing of modes.ts, as WGSL on
// premultiplied colours, as targets store them:
//
//   cs' = cs                                    normal
//   cs' = (1 − αb) · cs + αs · αb · B(Cb, Cs)   other modes (§10, with C = c / α; 0 / 0 counts as 0)
//   co  = Fa · cs' + Fb · cb     αo = Fa · αs + Fb · αb
import { mixingFunction, type BlendMode } from './modes';

const ZERO = '0';
const ONE = '1';
const SOURCE = 'source.a';
const BELOW = 'below.a';
const NO_SOURCE = '(1 - source.a)';
const NO_BELOW = '(1 - below.a)';

/** Fa and Fb. */
const OPERATORS = {
  clear: [ZERO, ZERO],
  copy: [ONE, ZERO],
  destination: [ZERO, ONE],
  'source-over': [ONE, NO_SOURCE],
  'destination-over': [NO_BELOW, ONE],
  'source-in': [BELOW, ZERO],
  'destination-in': [ZERO, SOURCE],
  'source-out': [NO_BELOW, ZERO],
  'destination-out': [ZERO, NO_SOURCE],
  'source-atop': [BELOW, NO_SOURCE],
  'destination-atop': [NO_BELOW, SOURCE],
  xor: [NO_BELOW, NO_SOURCE],
  lighter: [ONE, ONE],
} as const;

export type CompositeOperator = keyof typeof OPERATORS;
/** All operators, in the specification's order. */
export const compositeOperators = Object.keys(OPERATORS) as readonly CompositeOperator[];

export interface BlendFunctionOptions {
  /** 'normal' by default. */
  readonly mode?: BlendMode;
  /** 'source-over' by default, as everywhere in CSS and SVG. */
  readonly operator?: CompositeOperator;
  /** Name of the function and prefix of the functions that it calls; 'blend' by default. */
  readonly name?: string;
}

/** `factor` times `color`; null if that is zero. */
function term(factor: string, color: string): string | null {
  return factor === ZERO ? null : factor === ONE ? color : `${factor} * ${color}`;
}

/**
 * WGSL of `fn <name>(source: vec4f, below: vec4f) -> vec4f`: the result of drawing `source` over `below`, all
 * premultiplied by alpha. Nothing is divided by an alpha of 0, and nothing is clamped: 'lighter' may exceed 1, which
 * normalized targets clamp.
 */
export function blendFunction({
  mode = 'normal',
  operator = 'source-over',
  name = 'blend',
}: BlendFunctionOptions = {}): string {
  const [sourceFactor, belowFactor] = OPERATORS[operator];
  // Without the source there is nothing to mix.
  const mixes = mode !== 'normal' && sourceFactor !== ZERO;
  const terms = [term(sourceFactor, mixes ? 'mixed' : 'source'), term(belowFactor, 'below')].filter(Boolean);
  const mixing = mixes
    ? `
  let paint = source.rgb / select(1, source.a, source.a > 0);
  let ground = below.rgb / select(1, below.a, below.a > 0);
  let mixed = vec4f((1 - below.a) * source.rgb + source.a * below.a * ${name}_mix(ground, paint), source.a);`
    : '';
  return `${mixes ? mixingFunction(mode, `${name}_mix`) : ''}
fn ${name}(source: vec4f, below: vec4f) -> vec4f {${mixing}
  return ${terms.join(' + ') || 'vec4f()'};
}
`;
}
