// The rows of the cost map: what the fragment shader of a full-screen pass does. `v.a` to `v.h` are vec4f from 0 to 1
// that change from pixel to pixel, `v.p` is the position, and `u` has a matrix and 16 vectors. Textures are those of
// TEXTURES. Each body returns a vec4f.

const repeat = (count, line) => Array.from({ length: count }, (_, i) => line(i)).join(' ');
const chain = (start, count, line, end = 'a', before = '') =>
  `${before} var a = ${start}; ${repeat(count, line)} return ${end};`;
const weight = (i) => (0.9 - (i % 50) * 0.001).toFixed(3);

/** Textures of the rows by name: kind, format, filter and side. `former` has the size of the picture. */
export const TEXTURES = {
  nearest: { kind: '2d', format: 'rgba8unorm', filter: 'nearest', side: 512 },
  bilinear: { kind: '2d', format: 'rgba8unorm', filter: 'bilinear', side: 512 },
  trilinear: { kind: '2d', format: 'rgba8unorm', filter: 'trilinear', side: 512 },
  halves: { kind: '2d', format: 'rgba16float', filter: 'trilinear', side: 512 },
  layers: { kind: 'array', format: 'rgba8unorm', filter: 'bilinear', side: 256 },
  cube: { kind: 'cube', format: 'rgba8unorm', filter: 'bilinear', side: 256 },
  volume: { kind: '3d', format: 'rgba8unorm', filter: 'bilinear', side: 32 },
  shadow: { kind: 'shadow', format: 'depth32float', filter: 'bilinear', side: 512 },
  depths: { kind: 'depth', format: 'depth32float', filter: 'nearest', side: 512 },
  former: { kind: 'target', format: 'rgba16float', filter: 'bilinear' },
};

const level0 = (name, at) => `textureSampleLevel(${name}, ${name}_s, ${at}, 0.0)`;
const compared = (at) => `textureSampleCompareLevel(shadow, shadow_s, ${at}, 0.5)`;
const meanOf = (terms) => `return vec4f((${terms.join(' + ')}) / ${terms.length}.0);`;
/** Statements that draw half of the pixels in one way. */
const HALF = 'if (fract(v.p.x / 16.0) < 0.5)';
const NEXT = 'a = a * 0.98 + v.a.yzwx * 0.02;';

export const ROWS = {
  empty: 'return vec4f(0.5);',
  'independent multiply-add ×64': chain(
    'v.a',
    32,
    (i) => `a = a * ${weight(i)} + b * 0.1; b = b * ${weight(i + 9)} + a * 0.1;`,
    '(a + b) / 2.0',
    'var b = v.a.yzwx;'
  ),
  'dependent multiply-add ×128': chain('v.a.x', 128, (i) => `a = a * ${weight(i)} + v.a.y * 0.1;`, 'vec4f(a)'),
  'sqrt ×16': chain('v.a', 16, () => 'a = sqrt(a + 0.1) * 0.9;'),
  'division ×16': chain('v.a', 16, () => 'a = v.a.yzwx / (a + 0.6);'),
  'normalize ×16': chain('v.a.xyz', 16, () => 'a = normalize(a + vec3f(0.1, 0.2, 0.3));', 'vec4f(a, 1.0)'),
  'pow ×8': chain('v.a', 8, () => 'a = pow(a + 0.05, vec4f(0.95)) * 0.95;'),
  'exp2 ×8': chain('v.a', 8, () => 'a = exp2(-a);'),
  'log2 ×8': chain('v.a', 8, () => 'a = log2(a + 1.0);'),
  'sin ×8': chain('v.a', 8, () => 'a = sin(a * 3.0) * 0.5 + 0.5;'),
  'floor, fract, mix ×16': chain('v.a', 16, () => 'a = mix(fract(a * 0.99), floor(a * 0.99), 0.1);'),
  'clamp ×32': chain('v.a', 32, (i) => `a = clamp(a * 1.02, vec4f(0.0${i % 9}), vec4f(0.98));`),
  'integers ×32': chain(
    'vec4u(v.p.xyxy)',
    32,
    (i) => `a = (a ^ (a >> vec4u(3u))) * ${1664525 + i}u + 1013904223u;`,
    'vec4f(a & vec4u(255u)) / 255.0'
  ),
  'loop of 64': `var a = v.a; for (var i = 0; i < 64; i++) { ${NEXT} } return a;`,
  'loop of 16 to 48': `var a = v.a; let n = 16 + i32(v.a.x * 32.0); for (var i = 0; i < n; i++) { ${NEXT} } return a;`,
  'branch of half':
    `var a = v.a; ${HALF} { ${repeat(16, () => NEXT)} } `
    + `else { ${repeat(16, () => 'a = a * 0.97 + v.a.zwxy * 0.03;')} } return a;`,
  'matrix × vector ×8': chain('v.a', 8, () => 'a = saturate(u.matrix * a);'),
  'uniform array ×16': 'var a = v.a; for (var i = 0u; i < 16u; i++) { a = a * 0.9 + u.list[i] * 0.1; } return a;',
  '8 varyings': 'return (v.a + v.b + v.c + v.d + v.e + v.f + v.g + v.h) / 8.0;',
  'derivatives ×4': 'return saturate(dpdx(v.a) + dpdy(v.a.yzwx) + dpdx(v.a * v.a) + dpdy(v.a * v.a.yzwx) + 0.5);',
  nearest: `return ${level0('nearest', 'v.a.xy * 7.0')};`,
  bilinear: `return ${level0('bilinear', 'v.a.xy * 7.0')};`,
  'bilinear ×4': meanOf(['xy', 'yx', 'zx', 'xw'].map((axes, i) => level0('bilinear', `v.a.${axes} * ${7 - i}.0`))),
  trilinear: 'return textureSample(trilinear, trilinear_s, v.a.xy * 3.0);',
  'trilinear, half floats': 'return textureSample(halves, halves_s, v.a.xy * 3.0);',
  'array texture': `return textureSampleLevel(layers, layers_s, v.a.xy * 7.0, i32(v.a.x * 3.9), 0.0);`,
  'cube texture': `return ${level0('cube', 'v.a.xyz - vec3f(0.4, 0.5, 0.1)')};`,
  '3D texture': `return ${level0('volume', 'v.a.xyz')};`,
  'bilinear 1:1, half floats': `return ${level0('former', 'v.p.xy / u.size.xy')};`,
  'textureLoad 1:1, half floats': 'return textureLoad(former, vec2u(v.p.xy), 0);',
  'blur of 9, half floats': chain(
    'vec4f(0.0)',
    9,
    (i) => `a += ${level0('former', `(v.p.xy + vec2f(${i - 4}.0, 0.5)) / u.size.xy`)} / 9.0;`
  ),
  'comparison ×4': meanOf([0, 1, 2, 3].map((i) => compared(`v.a.xy + vec2f(${i}.3, 0.3) / 512.0`))),
  'comparison ×9 in a loop':
    'var s = 0.0; for (var y = -1; y <= 1; y++) { for (var x = -1; x <= 1; x++) { '
    + `s += ${compared('v.a.xy + vec2f(f32(x), f32(y)) / 512.0')}; } } return vec4f(s / 9.0);`,
  'textureLoad of depths': 'return vec4f(textureLoad(depths, vec2u(v.p.xy) & vec2u(511u), 0));',
  'textureSampleLevel of depths': 'return vec4f(textureSampleLevel(depths, depths_s, v.a.xy, 0));',
  'discard of half': `${HALF} { discard; } return v.a;`,
  'alpha blending': 'return vec4f(v.a.xyz, 0.5);',
  'sRGB encoding':
    'let c = v.a.xyz; let isDark = c <= vec3f(0.0031308); '
    + 'return vec4f(select(1.055 * pow(c, vec3f(0.41666)) - 0.055, c * 12.92, isDark), 1.0);',
};

/** Rows with a blend state. */
export const BLENDED = ['alpha blending'];
