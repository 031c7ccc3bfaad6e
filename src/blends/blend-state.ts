// WebGPU's blend states as WGSL (https://www.w3.org/TR/webgpu/#blend-state): a starting point to reproduce a pipeline's
// state, and to extend it beyond what states can express. For float targets and finite values, the results are those of
// fixed-function blending bit for bit (assembly/output/float.ts), except that a factor of zero gives a zero without a
// sign.

type Factor =
  | 'zero'
  | 'one'
  | 'src'
  | 'one-minus-src'
  | 'src-alpha'
  | 'one-minus-src-alpha'
  | 'dst'
  | 'one-minus-dst'
  | 'dst-alpha'
  | 'one-minus-dst-alpha'
  | 'src-alpha-saturated'
  | 'constant'
  | 'one-minus-constant';
type Operation = 'add' | 'subtract' | 'reverse-subtract' | 'min' | 'max';
/** Like WebGPU's GPUBlendComponent. */
export interface BlendComponentDescriptor {
  readonly operation?: Operation;
  readonly srcFactor?: Factor;
  readonly dstFactor?: Factor;
}
/** Like WebGPU's GPUBlendState. */
export interface BlendStateDescriptor {
  readonly color: BlendComponentDescriptor;
  readonly alpha: BlendComponentDescriptor;
}
export interface BlendStateOptions {
  /** The value that setBlendConstant would set; zeros by default. */
  readonly constant?: readonly [number, number, number, number];
  /** Whether source and constant are clamped to 0…1 first, as for normalized targets. */
  readonly clamp?: boolean;
  /** Name of the function; 'blend' by default. */
  readonly name?: string;
}

const OPERANDS: Readonly<Record<string, string>> = {
  src: 'source',
  'src-alpha': 'source.aaaa',
  dst: 'below',
  'dst-alpha': 'below.aaaa',
  constant: 'constant',
};

/** The factor as a WGSL vector of four, whose last component is the factor of alpha. */
function factorOf(factor: Factor): string {
  if (factor === 'src-alpha-saturated') return 'vec4f(vec3f(min(source.a, 1 - below.a)), 1)';
  const operand = OPERANDS[factor.replace('one-minus-', '')]!;
  return factor.startsWith('one-minus-') ? `1 - ${operand}` : operand;
}

/** The product of one side, for the channels of `swizzle`. */
function product(name: string, value: string, factor: Factor, swizzle: 'rgb' | 'a'): string {
  const type = swizzle === 'a' ? 'f32' : 'vec3f';
  if (factor === 'zero') return `${type}()`;
  if (factor === 'one') return `${value}.${swizzle}`;
  return `${name}_product(${value}, ${factorOf(factor)}).${swizzle}`;
}

function component(
  { operation = 'add', srcFactor = 'one', dstFactor = 'zero' }: BlendComponentDescriptor,
  name: string,
  swizzle: 'rgb' | 'a'
): string {
  const [s, d] = [`source.${swizzle}`, `below.${swizzle}`];
  if (operation === 'min') return `select(${s}, ${d}, ${d} < ${s})`;
  if (operation === 'max') return `select(${s}, ${d}, ${s} < ${d})`;
  const [source, below] = [product(name, 'source', srcFactor, swizzle), product(name, 'below', dstFactor, swizzle)];
  return operation === 'add'
    ? `${source} + ${below}`
    : operation === 'subtract'
      ? `${source} - ${below}`
      : `${below} - ${source}`;
}

/**
 * WGSL of `fn <name>(source: vec4f, below: vec4f) -> vec4f` for a blend state: operation(source · factor, destination ·
 * factor), separately for colour and alpha.
 */
export function fromBlendState(
  { color, alpha }: BlendStateDescriptor,
  { constant = [0, 0, 0, 0], clamp = false, name = 'blend' }: BlendStateOptions = {}
): string {
  const limited = (value: string): string => (clamp ? `clamp(${value}, vec4f(), vec4f(1))` : value);
  const body = [component(color, name, 'rgb'), component(alpha, name, 'a')];
  const takes = (text: string): boolean => body.some((each) => each.includes(text));
  const functions = takes(`${name}_product(`)
    ? `
fn ${name}_product(value: vec4f, factor: vec4f) -> vec4f { return select(value * factor, vec4f(), factor == vec4f()); }`
    : '';
  const constants = takes('constant')
    ? `
  let constant = ${limited(`vec4f(${constant.map(Math.fround).join(', ')})`)};`
    : '';
  return `${functions}
fn ${name}(drawn: vec4f, below: vec4f) -> vec4f {
  let source = ${limited('drawn')};${constants}
  return vec4f(${body.join(', ')});
}
`;
}
