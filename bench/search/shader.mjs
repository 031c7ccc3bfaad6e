// The WGSL of a configuration. Values stay between 0 and 1 and change little from pixel to pixel, so that
// implementations whose functions differ in the last bits still draw similar pictures.

const repeat = (times, line) => Array.from({ length: times }, (_, i) => line(i)).join('\n  ');
const factor = (i) => (0.9 + (i % 64) * 0.001).toFixed(3);

/** Statements that change `a`, a vec4f from 0 to 1. `b` is another one that does not change. */
const SNIPPETS = {
  arithmetic: (n) => repeat(n, (i) => `a = a * ${factor(i)} + b.yzwx * ${(1 - factor(i)).toFixed(3)};`),
  chain: (n) => `var c = a.x; ${repeat(n, (i) => `c = c * ${factor(i)} + 0.04;`)} a.x = saturate(c);`,
  power: (n) => repeat(n, () => 'a = pow(a + 0.05, vec4f(0.95)) * 0.95;'),
  exponential: (n) => repeat(n, () => 'a = exp2(-a);'),
  logarithm: (n) => repeat(n, () => 'a = log2(a + 1.0);'),
  sine: (n) => repeat(n, () => 'a = sin(a * 3.0) * 0.5 + 0.5;'),
  root: (n) => repeat(n, () => 'a = sqrt(a + 0.1) * 0.9;'),
  division: (n) => repeat(n, () => 'a = 0.5 / (a + 0.5);'),
  normalize: (n) => repeat(n, () => 'a = vec4f(normalize(a.xyz + vec3f(0.1, 0.2, 0.3)), a.w);'),
  rounding: (n) => repeat(n, () => 'a = mix(a, abs(a - floor(a * 0.9)), 0.3);'),
  clamp: (n) => repeat(n, (i) => `a = clamp(a * 1.02, vec4f(0.0${i % 9}), vec4f(0.98));`),
  integers: (n) =>
    'var k = vec4u(v.position.xyxy); '
    + repeat(n, (i) => `k = (k ^ (k >> vec4u(3u))) * ${1664525 + i}u + 1013904223u;`)
    + ' a = a * 0.9 + vec4f(k & vec4u(255u)) / 2560.0;',
  matrix: (n) => repeat(n, () => 'a = saturate(u.matrix * a);'),
  'uniform loop': (n) => `for (var i = 0; i < ${n}; i++) { a = a * 0.9 + u.colors[i & 15] * 0.1; }`,
  'varying loop': (n) =>
    `let times = ${Math.ceil(n / 2)} + i32(b.x * ${n}.0); `
    + 'for (var i = 0; i < times; i++) { a = a * 0.96 + b.yzwx * 0.04; }',
  branch: (n) =>
    `if (fract(v.position.x / 40.0) < 0.5) { ${repeat(n, () => 'a = a * 0.9 + b.yzwx * 0.1;')} } `
    + `else { ${repeat(n, () => 'a = sqrt(a) * 0.9;')} }`,
  array: (n) =>
    'var list = array(a, a.yzwx, a.zwxy, a.wxyz); '
    + repeat(n, (i) => `list[(u32(v.position.x) + ${i}u) & 3u] = list[${i % 4}] * 0.9 + 0.05;`)
    + ' a = list[u32(v.position.y) & 3u];',
  derivatives: (n) => repeat(n, () => 'a = saturate(a + dpdx(b) * 0.5 + dpdy(b.yzwx) * 0.5);'),
};

const TYPES = {
  '2d': 'texture_2d<f32>',
  array: 'texture_2d_array<f32>',
  cube: 'texture_cube<f32>',
  '3d': 'texture_3d<f32>',
  shadow: 'texture_depth_2d',
};
const STEPS = {
  magnified: 'b.xy * 0.2',
  tiled: 'b.xy * 7.0',
  minified: 'b.xy * 40.0',
  scattered: 'b.xy * 7.0 + fract(v.position.yx * 0.37) * 0.9',
};

/** The expression of one read, as a vec4f. */
function readOf({ kind, filter, step, side }, index, i) {
  const at = step === 'exact' ? `v.position.xy / ${side}.0` : STEPS[step];
  const uv = `(${at} + ${(i * 0.013).toFixed(3)})`;
  const names = `t${index}, s${index}`;
  if (kind === 'shadow')
    return `vec4f(textureSampleCompareLevel(${names}, ${uv}, ${(0.3 + (i % 4) * 0.1).toFixed(1)}))`;
  if (filter === 'load') return `textureLoad(t${index}, vec2u(fract(${uv}) * ${side}.0), 0)`;
  const where = { '2d': uv, array: `${uv}, ${i % 4}`, cube: `vec3f(${uv} - 0.4, 0.7)`, '3d': `vec3f(${uv}, b.z)` }[
    kind
  ];
  return filter === 'trilinear' || filter === 'anisotropic'
    ? `textureSample(${names}, ${where})`
    : `textureSampleLevel(${names}, ${where}, 0.0)`;
}

function bodyOf({ shader, textures, discards, writesDepth, targets }, isLater) {
  const reads = textures.flatMap((texture, index) =>
    Array.from({ length: texture.reads }, (_, i) => `a = a * 0.8 + ${readOf(texture, index, i)} * 0.2;`)
  );
  const before = isLater ? ['a = a * 0.5 + textureLoad(before, vec2u(v.position.xy), 0) * 0.5;'] : [];
  // Reads with implicit derivatives need uniform control flow, so they come first.
  const lines = [...before, ...reads, ...shader.map(({ name, times }) => `{ ${SNIPPETS[name](times)} }`)];
  if (discards) lines.push('if (fract(v.position.x / 24.0 + b.x) < 0.4) { discard; }');
  lines.push('var o: Output;', 'o.color = a;');
  if (targets > 1) lines.push('o.other = a.wzyx;');
  if (writesDepth) lines.push('o.depth = saturate(v.position.z * 0.9 + 0.05);');
  return lines.join('\n  ');
}

const VARYINGS = 'abcdef';

/** The module of a pass. `isLater`: it reads the target of the pass before it. */
export function shaderOf(configuration, isLater) {
  const { textures, varyings, targets, writesDepth, geometry } = configuration;
  const names = [...VARYINGS].slice(0, varyings);
  const bindings = textures.map(({ kind, filter }, index) => {
    const sampler = kind === 'shadow' ? 'sampler_comparison' : 'sampler';
    return (
      `@group(1) @binding(${index * 2}) var t${index}: ${TYPES[kind]};`
      + (filter === 'load' ? '' : ` @group(1) @binding(${index * 2 + 1}) var s${index}: ${sampler};`)
    );
  });
  if (isLater) bindings.push('@group(1) @binding(20) var before: texture_2d<f32>;');
  const isSprite = geometry.kind === 'sprites';
  return `
struct Uniforms { matrix: mat4x4f, tick: vec4f, colors: array<vec4f, 16> };
@group(0) @binding(0) var<uniform> u: Uniforms;
${bindings.join('\n')}
struct Varyings {
  @builtin(position) position: vec4f,
  ${names.map((name, i) => `@location(${i}) ${name}: vec4f,`).join(' ')}
};
struct Output {
  @location(0) color: vec4f,
  ${targets > 1 ? '@location(1) other: vec4f,' : ''}
  ${writesDepth ? '@builtin(frag_depth) depth: f32,' : ''}
};
@vertex fn vs(
  @location(0) at: vec4f,
  @location(1) color: vec4f,
  ${isSprite ? '@builtin(vertex_index) corner: u32' : ''}
) -> Varyings {
  var v: Varyings;
  v.position = vec4f(at.xy + u.tick.xy, at.z, 1);
  ${isSprite ? `v.position += vec4f((vec2f(f32(corner & 1u), f32(corner >> 1u)) - 0.5) * at.w * u.tick.zw, 0, 0);` : ''}
  let place = vec4f(v.position.xy * 0.5 + 0.5, at.z, 0.5);
  ${names.map((name, i) => `v.${name} = mix(color, place, ${(0.5 + i * 0.08).toFixed(2)});`).join('\n  ')}
  return v;
}
@fragment fn fs(v: Varyings) -> Output {
  var a = saturate(${names.map((name) => `v.${name}`).join(' + ')}) * ${(1 / varyings).toFixed(3)};
  let b = v.a;
  ${bodyOf(configuration, isLater)}
  return o;
}`;
}
