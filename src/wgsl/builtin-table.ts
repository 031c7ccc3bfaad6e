// The signatures of the built-in functions (WGSL §17) whose types a pattern can express. Each line is one signature.
// `T*` stands for T or a vector of T, with the same shape everywhere in the line. The part after the semicolon says
// what the letters stand for. Functions on pointers, and those whose results are special structs, are in
// resolve/special-builtins.ts.

/** Scalars that a letter can stand for, in order of preference. */
export const SCALAR_CLASSES = {
  any: ['bool', 'abstract-int', 'abstract-float', 'i32', 'u32', 'f32', 'f16'],
  number: ['abstract-int', 'abstract-float', 'i32', 'u32', 'f32', 'f16'],
  signed: ['abstract-int', 'abstract-float', 'i32', 'f32', 'f16'],
  float: ['abstract-float', 'f32', 'f16'],
  concrete: ['f32', 'i32', 'u32', 'f16'],
  concreteFloat: ['f32', 'f16'],
  single: ['f32'],
  int: ['i32', 'u32'],
  sampled: ['f32', 'i32', 'u32'],
  exponent: ['i32'],
  abstractExponent: ['abstract-int'],
  abstractFloat: ['abstract-float'],
} as const;

export type ScalarClass = keyof typeof SCALAR_CLASSES;

/** How messages name a class. */
export const CLASS_TEXT: Readonly<Record<ScalarClass, string>> = {
  any: 'any scalar',
  number: 'i32, u32, f32 or f16',
  signed: 'i32, f32 or f16',
  float: 'f32 or f16',
  concrete: 'i32, u32, f32 or f16',
  concreteFloat: 'f32 or f16',
  single: 'f32',
  int: 'i32 or u32',
  sampled: 'f32, i32 or u32',
  exponent: 'i32',
  abstractExponent: 'an abstract integer',
  abstractFloat: 'an abstract float',
};

const floatUnary = ['(T*) -> T*; T float'];
const derivative = ['(T*) -> T*; T single'];
const intUnary = ['(T*) -> T*; T int'];
const packFloat4 = ['(vec4<f32>) -> u32'];
const compareSample = [
  '(texture_depth_2d, sampler_comparison, vec2<f32>, f32) -> f32',
  '(texture_depth_2d, sampler_comparison, vec2<f32>, f32, vec2<i32>) -> f32',
  '(texture_depth_2d_array, sampler_comparison, vec2<f32>, A, f32) -> f32; A int',
  '(texture_depth_2d_array, sampler_comparison, vec2<f32>, A, f32, vec2<i32>) -> f32; A int',
  '(texture_depth_cube, sampler_comparison, vec3<f32>, f32) -> f32',
  '(texture_depth_cube_array, sampler_comparison, vec3<f32>, A, f32) -> f32; A int',
];

const NUMERIC: Readonly<Record<string, readonly string[]>> = {
  abs: ['(T*) -> T*; T number'],
  acos: floatUnary,
  acosh: floatUnary,
  asin: floatUnary,
  asinh: floatUnary,
  atan: floatUnary,
  atanh: floatUnary,
  atan2: ['(T*, T*) -> T*; T float'],
  ceil: floatUnary,
  clamp: ['(T*, T*, T*) -> T*; T number'],
  cos: floatUnary,
  cosh: floatUnary,
  cross: ['(vec3<T>, vec3<T>) -> vec3<T>; T float'],
  degrees: floatUnary,
  determinant: ['(matNxN<T>) -> T; T float'],
  distance: ['(T*, T*) -> T; T float'],
  dot: ['(vecN<T>, vecN<T>) -> T; T number'],
  dot4U8Packed: ['(u32, u32) -> u32'],
  dot4I8Packed: ['(u32, u32) -> i32'],
  exp: floatUnary,
  exp2: floatUnary,
  faceForward: ['(vecN<T>, vecN<T>, vecN<T>) -> vecN<T>; T float'],
  floor: floatUnary,
  fma: ['(T*, T*, T*) -> T*; T float'],
  fract: floatUnary,
  inverseSqrt: floatUnary,
  ldexp: ['(T*, I*) -> T*; T abstractFloat, I abstractExponent', '(T*, I*) -> T*; T concreteFloat, I exponent'],
  length: ['(T*) -> T; T float'],
  log: floatUnary,
  log2: floatUnary,
  max: ['(T*, T*) -> T*; T number'],
  min: ['(T*, T*) -> T*; T number'],
  mix: ['(T*, T*, T*) -> T*; T float', '(vecN<T>, vecN<T>, T) -> vecN<T>; T float'],
  normalize: ['(vecN<T>) -> vecN<T>; T float'],
  pow: ['(T*, T*) -> T*; T float'],
  quantizeToF16: ['(T*) -> T*; T single'],
  radians: floatUnary,
  reflect: ['(vecN<T>, vecN<T>) -> vecN<T>; T float'],
  refract: ['(vecN<T>, vecN<T>, T) -> vecN<T>; T float'],
  round: floatUnary,
  saturate: floatUnary,
  sign: ['(T*) -> T*; T signed'],
  sin: floatUnary,
  sinh: floatUnary,
  smoothstep: ['(T*, T*, T*) -> T*; T float'],
  sqrt: floatUnary,
  step: ['(T*, T*) -> T*; T float'],
  tan: floatUnary,
  tanh: floatUnary,
  transpose: ['(matNxM<T>) -> matMxN<T>; T float'],
  trunc: floatUnary,
};

const LOGICAL_AND_BITS: Readonly<Record<string, readonly string[]>> = {
  all: ['(vecN<bool>) -> bool', '(bool) -> bool'],
  any: ['(vecN<bool>) -> bool', '(bool) -> bool'],
  select: ['(T*, T*, bool) -> T*; T any', '(vecN<T>, vecN<T>, vecN<bool>) -> vecN<T>; T any'],
  countLeadingZeros: intUnary,
  countOneBits: intUnary,
  countTrailingZeros: intUnary,
  firstLeadingBit: intUnary,
  firstTrailingBit: intUnary,
  reverseBits: intUnary,
  extractBits: ['(T*, u32, u32) -> T*; T int'],
  insertBits: ['(T*, T*, u32, u32) -> T*; T int'],
  pack4x8snorm: packFloat4,
  pack4x8unorm: packFloat4,
  pack4xI8: ['(vec4<i32>) -> u32'],
  pack4xU8: ['(vec4<u32>) -> u32'],
  pack4xI8Clamp: ['(vec4<i32>) -> u32'],
  pack4xU8Clamp: ['(vec4<u32>) -> u32'],
  pack2x16snorm: ['(vec2<f32>) -> u32'],
  pack2x16unorm: ['(vec2<f32>) -> u32'],
  pack2x16float: ['(vec2<f32>) -> u32'],
  unpack4x8snorm: ['(u32) -> vec4<f32>'],
  unpack4x8unorm: ['(u32) -> vec4<f32>'],
  unpack4xI8: ['(u32) -> vec4<i32>'],
  unpack4xU8: ['(u32) -> vec4<u32>'],
  unpack2x16snorm: ['(u32) -> vec2<f32>'],
  unpack2x16unorm: ['(u32) -> vec2<f32>'],
  unpack2x16float: ['(u32) -> vec2<f32>'],
};

const DERIVATIVES: Readonly<Record<string, readonly string[]>> = {
  dpdx: derivative,
  dpdxCoarse: derivative,
  dpdxFine: derivative,
  dpdy: derivative,
  dpdyCoarse: derivative,
  dpdyFine: derivative,
  fwidth: derivative,
  fwidthCoarse: derivative,
  fwidthFine: derivative,
};

const TEXTURES: Readonly<Record<string, readonly string[]>> = {
  textureDimensions: [
    '(texture_1d<T>) -> u32; T sampled',
    '(texture_1d<T>, L) -> u32; T sampled, L int',
    ...['texture_2d<T>', 'texture_2d_array<T>', 'texture_cube<T>', 'texture_cube_array<T>'].flatMap((texture) => [
      `(${texture}) -> vec2<u32>; T sampled`,
      `(${texture}, L) -> vec2<u32>; T sampled, L int`,
    ]),
    '(texture_multisampled_2d<T>) -> vec2<u32>; T sampled',
    '(texture_3d<T>) -> vec3<u32>; T sampled',
    '(texture_3d<T>, L) -> vec3<u32>; T sampled, L int',
    ...['texture_depth_2d', 'texture_depth_2d_array', 'texture_depth_cube', 'texture_depth_cube_array'].flatMap(
      (texture) => [`(${texture}) -> vec2<u32>`, `(${texture}, L) -> vec2<u32>; L int`]
    ),
    '(texture_depth_multisampled_2d) -> vec2<u32>',
    '(texture_external) -> vec2<u32>',
    '(texture_storage_multisampled_2d) -> vec2<u32>',
    '(texture_storage_1d) -> u32',
    '(texture_storage_2d) -> vec2<u32>',
    '(texture_storage_2d_array) -> vec2<u32>',
    '(texture_storage_3d) -> vec3<u32>',
  ],
  textureLoad: [
    '(texture_1d<T>, C, L) -> vec4<T>; T sampled, C int, L int',
    '(texture_2d<T>, vec2<C>, L) -> vec4<T>; T sampled, C int, L int',
    '(texture_2d_array<T>, vec2<C>, A, L) -> vec4<T>; T sampled, C int, A int, L int',
    '(texture_3d<T>, vec3<C>, L) -> vec4<T>; T sampled, C int, L int',
    '(texture_multisampled_2d<T>, vec2<C>, S) -> vec4<T>; T sampled, C int, S int',
    '(texture_depth_2d, vec2<C>, L) -> f32; C int, L int',
    '(texture_depth_2d_array, vec2<C>, A, L) -> f32; C int, A int, L int',
    '(texture_depth_multisampled_2d, vec2<C>, S) -> f32; C int, S int',
    '(texture_external, vec2<C>) -> vec4<f32>; C int',
    '(texture_storage_1d, C) -> texel; C int',
    '(texture_storage_2d, vec2<C>) -> texel; C int',
    '(texture_storage_2d_array, vec2<C>, A) -> texel; C int, A int',
    '(texture_storage_3d, vec3<C>) -> texel; C int',
  ],
  textureStore: [
    '(texture_storage_1d, C, texel) -> void; C int',
    '(texture_storage_2d, vec2<C>, texel) -> void; C int',
    '(texture_storage_2d_array, vec2<C>, A, texel) -> void; C int, A int',
    '(texture_storage_3d, vec3<C>, texel) -> void; C int',
  ],
  textureNumLayers: [
    '(texture_2d_array<T>) -> u32; T sampled',
    '(texture_cube_array<T>) -> u32; T sampled',
    '(texture_depth_2d_array) -> u32',
    '(texture_depth_cube_array) -> u32',
    '(texture_storage_2d_array) -> u32',
  ],
  textureNumLevels: [
    ...[
      'texture_1d<T>',
      'texture_2d<T>',
      'texture_2d_array<T>',
      'texture_3d<T>',
      'texture_cube<T>',
      'texture_cube_array<T>',
    ].map((texture) => `(${texture}) -> u32; T sampled`),
    '(texture_depth_2d) -> u32',
    '(texture_depth_2d_array) -> u32',
    '(texture_depth_cube) -> u32',
    '(texture_depth_cube_array) -> u32',
  ],
  textureNumSamples: [
    '(texture_multisampled_2d<T>) -> u32; T sampled',
    '(texture_depth_multisampled_2d) -> u32',
    '(texture_storage_multisampled_2d) -> u32',
  ],
  textureLoadSample: [
    '(texture_multisampled_2d<T>, vec2<C>, S) -> loaded; T sampled, C int, S int',
    '(texture_depth_multisampled_2d, vec2<C>, S) -> loaded depth; C int, S int',
    '(texture_storage_multisampled_2d, vec2<C>, S) -> loaded; C int, S int',
  ],
  textureLoadSamples: [
    '(texture_multisampled_2d<T>, vec2<C>, M) -> loaded; T sampled, C int, M int',
    '(texture_depth_multisampled_2d, vec2<C>, M) -> loaded depth; C int, M int',
    '(texture_storage_multisampled_2d, vec2<C>, M) -> loaded; C int, M int',
  ],
  textureStoreSamples: ['(texture_storage_multisampled_2d, vec2<C>, M, texel) -> void; C int, M int'],
  textureSample: [
    '(texture_1d<f32>, sampler, f32) -> vec4<f32>',
    '(texture_2d<f32>, sampler, vec2<f32>) -> vec4<f32>',
    '(texture_2d<f32>, sampler, vec2<f32>, vec2<i32>) -> vec4<f32>',
    '(texture_2d_array<f32>, sampler, vec2<f32>, A) -> vec4<f32>; A int',
    '(texture_2d_array<f32>, sampler, vec2<f32>, A, vec2<i32>) -> vec4<f32>; A int',
    '(texture_3d<f32>, sampler, vec3<f32>) -> vec4<f32>',
    '(texture_3d<f32>, sampler, vec3<f32>, vec3<i32>) -> vec4<f32>',
    '(texture_cube<f32>, sampler, vec3<f32>) -> vec4<f32>',
    '(texture_cube_array<f32>, sampler, vec3<f32>, A) -> vec4<f32>; A int',
    '(texture_depth_2d, sampler, vec2<f32>) -> f32',
    '(texture_depth_2d, sampler, vec2<f32>, vec2<i32>) -> f32',
    '(texture_depth_2d_array, sampler, vec2<f32>, A) -> f32; A int',
    '(texture_depth_2d_array, sampler, vec2<f32>, A, vec2<i32>) -> f32; A int',
    '(texture_depth_cube, sampler, vec3<f32>) -> f32',
    '(texture_depth_cube_array, sampler, vec3<f32>, A) -> f32; A int',
  ],
  textureSampleBaseClampToEdge: [
    '(texture_2d<f32>, sampler, vec2<f32>) -> vec4<f32>',
    '(texture_external, sampler, vec2<f32>) -> vec4<f32>',
  ],
  textureSampleBias: [
    '(texture_2d<f32>, sampler, vec2<f32>, f32) -> vec4<f32>',
    '(texture_2d<f32>, sampler, vec2<f32>, f32, vec2<i32>) -> vec4<f32>',
    '(texture_2d_array<f32>, sampler, vec2<f32>, A, f32) -> vec4<f32>; A int',
    '(texture_2d_array<f32>, sampler, vec2<f32>, A, f32, vec2<i32>) -> vec4<f32>; A int',
    '(texture_3d<f32>, sampler, vec3<f32>, f32) -> vec4<f32>',
    '(texture_3d<f32>, sampler, vec3<f32>, f32, vec3<i32>) -> vec4<f32>',
    '(texture_cube<f32>, sampler, vec3<f32>, f32) -> vec4<f32>',
    '(texture_cube_array<f32>, sampler, vec3<f32>, A, f32) -> vec4<f32>; A int',
  ],
  textureSampleLevel: [
    '(texture_1d<f32>, sampler, f32, f32) -> vec4<f32>',
    '(texture_2d<f32>, sampler, vec2<f32>, f32) -> vec4<f32>',
    '(texture_2d<f32>, sampler, vec2<f32>, f32, vec2<i32>) -> vec4<f32>',
    '(texture_2d_array<f32>, sampler, vec2<f32>, A, f32) -> vec4<f32>; A int',
    '(texture_2d_array<f32>, sampler, vec2<f32>, A, f32, vec2<i32>) -> vec4<f32>; A int',
    '(texture_3d<f32>, sampler, vec3<f32>, f32) -> vec4<f32>',
    '(texture_3d<f32>, sampler, vec3<f32>, f32, vec3<i32>) -> vec4<f32>',
    '(texture_cube<f32>, sampler, vec3<f32>, f32) -> vec4<f32>',
    '(texture_cube_array<f32>, sampler, vec3<f32>, A, f32) -> vec4<f32>; A int',
    '(texture_depth_2d, sampler, vec2<f32>, L) -> f32; L int',
    '(texture_depth_2d, sampler, vec2<f32>, L, vec2<i32>) -> f32; L int',
    '(texture_depth_2d_array, sampler, vec2<f32>, A, L) -> f32; A int, L int',
    '(texture_depth_2d_array, sampler, vec2<f32>, A, L, vec2<i32>) -> f32; A int, L int',
    '(texture_depth_cube, sampler, vec3<f32>, L) -> f32; L int',
    '(texture_depth_cube_array, sampler, vec3<f32>, A, L) -> f32; A int, L int',
  ],
  textureSampleGrad: [
    '(texture_2d<f32>, sampler, vec2<f32>, vec2<f32>, vec2<f32>) -> vec4<f32>',
    '(texture_2d<f32>, sampler, vec2<f32>, vec2<f32>, vec2<f32>, vec2<i32>) -> vec4<f32>',
    '(texture_2d_array<f32>, sampler, vec2<f32>, A, vec2<f32>, vec2<f32>) -> vec4<f32>; A int',
    '(texture_2d_array<f32>, sampler, vec2<f32>, A, vec2<f32>, vec2<f32>, vec2<i32>) -> vec4<f32>; A int',
    '(texture_3d<f32>, sampler, vec3<f32>, vec3<f32>, vec3<f32>) -> vec4<f32>',
    '(texture_3d<f32>, sampler, vec3<f32>, vec3<f32>, vec3<f32>, vec3<i32>) -> vec4<f32>',
    '(texture_cube<f32>, sampler, vec3<f32>, vec3<f32>, vec3<f32>) -> vec4<f32>',
    '(texture_cube_array<f32>, sampler, vec3<f32>, A, vec3<f32>, vec3<f32>) -> vec4<f32>; A int',
  ],
  textureSampleCompare: compareSample,
  textureSampleCompareLevel: compareSample,
  textureGather: [
    '(C, texture_2d<T>, sampler, vec2<f32>) -> vec4<T>; C int, T sampled',
    '(C, texture_2d<T>, sampler, vec2<f32>, vec2<i32>) -> vec4<T>; C int, T sampled',
    '(C, texture_2d_array<T>, sampler, vec2<f32>, A) -> vec4<T>; C int, T sampled, A int',
    '(C, texture_2d_array<T>, sampler, vec2<f32>, A, vec2<i32>) -> vec4<T>; C int, T sampled, A int',
    '(C, texture_cube<T>, sampler, vec3<f32>) -> vec4<T>; C int, T sampled',
    '(C, texture_cube_array<T>, sampler, vec3<f32>, A) -> vec4<T>; C int, T sampled, A int',
    '(texture_depth_2d, sampler, vec2<f32>) -> vec4<f32>',
    '(texture_depth_2d, sampler, vec2<f32>, vec2<i32>) -> vec4<f32>',
    '(texture_depth_2d_array, sampler, vec2<f32>, A) -> vec4<f32>; A int',
    '(texture_depth_2d_array, sampler, vec2<f32>, A, vec2<i32>) -> vec4<f32>; A int',
    '(texture_depth_cube, sampler, vec3<f32>) -> vec4<f32>',
    '(texture_depth_cube_array, sampler, vec3<f32>, A) -> vec4<f32>; A int',
  ],
  textureGatherCompare: compareSample.map((line) => line.replace('-> f32', '-> vec4<f32>')),
};

const BARRIERS: Readonly<Record<string, readonly string[]>> = {
  storageBarrier: ['() -> void'],
  textureBarrier: ['() -> void'],
  workgroupBarrier: ['() -> void'],
};

const combined = ['(T*) -> T*; T concrete'];
const combinedBits = ['(T*) -> T*; T int'];
const fromLane = ['(T*, I) -> T*; T concrete, I int'];
const fromLaneBy = ['(T*, u32) -> T*; T concrete'];
const SUBGROUPS: Readonly<Record<string, readonly string[]>> = {
  subgroupAdd: combined,
  subgroupMul: combined,
  subgroupMin: combined,
  subgroupMax: combined,
  subgroupExclusiveAdd: combined,
  subgroupInclusiveAdd: combined,
  subgroupExclusiveMul: combined,
  subgroupInclusiveMul: combined,
  subgroupAnd: combinedBits,
  subgroupOr: combinedBits,
  subgroupXor: combinedBits,
  subgroupAll: ['(bool) -> bool'],
  subgroupAny: ['(bool) -> bool'],
  subgroupElect: ['() -> bool'],
  subgroupBallot: ['(bool) -> vec4<u32>'],
  subgroupBroadcast: fromLane,
  subgroupBroadcastFirst: combined,
  subgroupShuffle: fromLane,
  subgroupShuffleXor: fromLaneBy,
  subgroupShuffleUp: fromLaneBy,
  subgroupShuffleDown: fromLaneBy,
  quadBroadcast: fromLane,
  quadSwapX: combined,
  quadSwapY: combined,
  quadSwapDiagonal: combined,
};
/** Whether a function communicates with other invocations of its subgroup or quad. */
export const isOfSubgroup = (name: string): boolean => Object.hasOwn(SUBGROUPS, name);

/** The functions of the language extension buffer_view that return pointers. */
export const BUFFER_VIEWS: readonly string[] = ['bufferView', 'bufferArrayView'];
export const isBufferView = (name: string): boolean => BUFFER_VIEWS.includes(name);
/** All functions of the extension; they take a pointer to a buffer. */
export const isBufferBuiltin = (name: string): boolean => isBufferView(name) || name === 'bufferLength';

export const SIGNATURES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({ ...NUMERIC, ...LOGICAL_AND_BITS, ...DERIVATIVES, ...TEXTURES, ...BARRIERS, ...SUBGROUPS })
);

/** Functions that only some stages may call, directly or through other functions. */
export const STAGES_OF_BUILTIN: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...[...Object.keys(DERIVATIVES), 'textureSample', 'textureSampleBias', 'textureSampleCompare'].map(
    (name): [string, string[]] => [name, ['fragment']]
  ),
  ...[...Object.keys(BARRIERS), 'workgroupUniformLoad'].map((name): [string, string[]] => [name, ['compute']]),
  ...Object.keys(SUBGROUPS).map((name): [string, string[]] => [name, ['fragment', 'compute']]),
  ['textureStore', ['fragment', 'compute']],
  ['emitVertex', ['geometry']],
  ['endStrip', ['geometry']],
  ['dispatchSamples', ['fragment']],
]);
