// Random shaders of draws.
import { type Dice } from './dice';

export const ATTRIBUTES: [GPUVertexFormat, number][] = [
  ['float32', 4],
  ['float32x2', 8],
  ['float32x3', 12],
  ['float32x4', 16],
  ['unorm8x4', 4],
  ['snorm16x2', 4],
  ['float16x4', 8],
  ['unorm10-10-10-2', 4],
  ['unorm8x2', 2],
  ['unorm8', 1],
];

/** Operands and operators that index, sample and divide by arbitrary values. Every resource is used. */
export function program(dice: Dice): string {
  const terms = [
    'v.a',
    'v.b.xyzz',
    'v.c',
    'p',
    'u[0]',
    'b[u32(v.a.x)]',
    'b[i32(p.x) * -7919]',
    'tab[u32(v.c.x * 1e9)]',
    'local(v.a)',
    'textureSampleLevel(t, s, v.a.xy, v.c.z)',
    'textureLoad(t, vec2i(v.a.zw * 1e5), i32(v.c.w))',
    'textureSampleGrad(t, s, v.a.xy, v.c.xy, v.a.zw)',
  ];
  const uniform = dice.chance(0.5);
  if (uniform)
    terms.push('textureSample(t, s, v.a.xy)', 'textureSampleBias(t, s, v.b.xy, v.c.x)', 'dpdx(v.a)', 'fwidth(v.c)');
  let value = dice.pick(terms);
  for (let i = dice.below(5); i > 0; i--)
    value = dice.chance(0.3)
      ? `${dice.pick(['sqrt', 'fract', 'normalize', 'exp2', 'sin', 'log', 'saturate'])}(${value})`
      : `(${value}) ${dice.pick(['+', '-', '*', '/', '%'])} (${dice.pick(terms)})`;
  const sampling = dice.pick([
    '',
    '@interpolate(linear)',
    '@interpolate(perspective, centroid)',
    '@interpolate(perspective, sample)',
  ]);
  const position = dice.pick([
    'x',
    'vec4f(x.xy, 0.5, 1)',
    'x + u[0]',
    'vec4f(f32(vi & 1) * 4 - 1, f32(vi >> 1) * 4 - 1, x.z, 1)',
    'b[vi] * y',
  ]);
  const shading = uniform
    ? `r = ${value};`
    : `if (v.a.x > 0.3) { r = ${value}; } for (var i = 0; i < min(i32(v.c.x), 5); i++) { r += v.a; }`;
  return `
    struct V {
      @builtin(position) p: vec4f, @location(0) a: vec4f, @location(1) ${sampling} b: vec3f,
        @location(2) @interpolate(flat) c: vec4f
    }
    @group(0) @binding(0) var<uniform> u: array<vec4f, 1>; @group(0) @binding(1) var<storage, read> b: array<vec4f>;
    @group(0) @binding(2) var t: texture_2d<f32>; @group(0) @binding(3) var s: sampler;
    const tab = array(vec4f(1), vec4f(0.5), vec4f(2), vec4f(-1), vec4f(9));
    fn local(x: vec4f) -> vec4f {
      var a: array<f32, 9>; a[u32(x.x * 1e7)] = x.y; a[i32(x.z * -1e7)] += x.w;
      return vec4f(a[0], a[8], a[u32(x.y)], a[i32(x.w)]);
    }
    @vertex fn vs(@location(0) x: vec4f, @location(1) y: vec4f, @builtin(vertex_index) vi: u32,
      @builtin(instance_index) ii: u32) -> V {
      return V(${position}, y, x.yzw, y * f32(ii));
    }
    @fragment fn fs(v: V) -> @location(0) vec4f {
      let p = v.p; var r = u[0] * b[0] + textureSampleLevel(t, s, vec2f(0), 0);
      ${shading} ${dice.chance(0.2) ? 'if (r.x < 0.1) { discard; }' : ''} return r;
    }`;
}
