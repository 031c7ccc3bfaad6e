// Random configurations of a frame, for `npm run bench search`. A configuration is plain data: a seed gives the same
// one everywhere, and it can be sent to another process. `traitsOf` names what is in it.

/** A generator of pseudo-random numbers (mulberry32). */
export function randomOf(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x ^= x + Math.imul(x ^ (x >>> 7), 61 | x);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    chance: (share) => next() < share,
    integer: (from, to) => from + Math.floor(next() * (to - from + 1)),
    pick: (list) => list[Math.floor(next() * list.length)],
    /** Picks a key of { key: weight }. */
    weighted(weights) {
      let left = next() * Object.values(weights).reduce((sum, weight) => sum + weight, 0);
      return Object.keys(weights).find((key) => (left -= weights[key]) < 0);
    },
  };
}

/** Target formats with weights. llvmpipe cannot multisample floats, and no blending is defined for 32 bits. */
const FORMATS = {
  rgba8unorm: 8,
  bgra8unorm: 2,
  'rgba8unorm-srgb': 2,
  rgba16float: 6,
  rgb10a2unorm: 1,
  r8unorm: 1,
  rg8unorm: 1,
  r16float: 1,
  rgba32float: 1,
};
const SIZES = { '64x64': 1, '256x256': 2, '640x360': 4, '1280x720': 2 };
const BLENDS = { none: 9, alpha: 4, premultiplied: 2, additive: 2, multiply: 1, max: 1 };
const GEOMETRIES = { screen: 6, triangles: 4, mesh: 4, sprites: 3, points: 1, lines: 1 };
/** Shader snippets (shader.mjs) with weights, and how often each may be repeated. */
const SNIPPETS = {
  arithmetic: [4, 64],
  chain: [2, 64],
  power: [2, 6],
  exponential: [1, 6],
  logarithm: [1, 6],
  sine: [2, 6],
  root: [1, 12],
  division: [1, 12],
  normalize: [2, 12],
  rounding: [1, 12],
  clamp: [1, 24],
  integers: [1, 24],
  matrix: [2, 6],
  'uniform loop': [2, 32],
  'varying loop': [1, 16],
  branch: [2, 6],
  array: [1, 12],
  derivatives: [1, 3],
};
const TEXTURES = { '2d': 8, array: 2, cube: 2, '3d': 2, shadow: 3 };
const TEXEL_FORMATS = { rgba8unorm: 6, 'rgba8unorm-srgb': 3, rgba16float: 3, r8unorm: 1, rg8unorm: 1, rgba32float: 1 };
const FILTERS = { nearest: 2, bilinear: 4, trilinear: 4, anisotropic: 1, load: 2 };
/** How coordinates move from pixel to pixel. */
const STEPS = { exact: 2, magnified: 2, tiled: 2, minified: 1, scattered: 1 };

/** Pixels that all triangles of a draw may cover, in pictures, and the largest number of primitives. */
const MAX_LAYERS = 8;
const MAX_PRIMITIVES = 20_000;

function geometryOf(random, [width, height]) {
  const kind = random.weighted(GEOMETRIES);
  const draws = Number(random.weighted({ 1: 6, 4: 2, 40: 1 }));
  if (kind === 'screen') return { kind, layers: random.pick([1, 1, 1, 2, 4, MAX_LAYERS]), draws: 1, indexed: false };
  const side = random.pick([2, 4, 8, 16, 32, 64, 128, 256]);
  const layers = random.pick([0.2, 0.5, 1, 2, 4, MAX_LAYERS]);
  const indexed = random.chance(0.3);
  if (kind === 'mesh') {
    // Squares of two triangles over the picture.
    const least = Math.ceil(Math.sqrt((2 * width * height) / MAX_PRIMITIVES));
    const step = Math.max(side, least);
    return { kind, side: step, count: Math.ceil(width / step) * Math.ceil(height / step), draws: 1, indexed: true };
  }
  const covered = { points: 1, lines: side, sprites: side * side, triangles: (side * side) / 2 }[kind];
  const count = Math.min(MAX_PRIMITIVES, Math.ceil((layers * width * height) / covered));
  return { kind, side, count, draws: Math.min(draws, count), indexed: indexed && kind !== 'sprites' };
}

function textureOf(random) {
  const kind = random.weighted(TEXTURES);
  const shadow = kind === 'shadow';
  const format = shadow ? 'depth32float' : random.weighted(TEXEL_FORMATS);
  const wanted = shadow ? random.pick(['nearest', 'bilinear']) : random.weighted(FILTERS);
  // Floats of 32 bits cannot be filtered, and only two dimensions have coordinates for loads here.
  const loads = format === 'rgba32float' ? kind === '2d' : wanted !== 'load' || kind === '2d';
  const filter = format === 'rgba32float' ? (loads ? 'load' : 'nearest') : loads ? wanted : 'nearest';
  return {
    kind,
    format: format === 'rgba32float' && !loads ? 'rgba16float' : format,
    filter,
    side: kind === '3d' ? random.pick([16, 32, 64]) : random.pick([64, 256, 512]),
    reads: random.pick([1, 1, 1, 2, 4, 8]),
    step: random.weighted(STEPS),
  };
}

function depthOf(random) {
  if (random.chance(0.5)) return null;
  const stencil = random.chance(0.25);
  return {
    format: stencil ? 'depth24plus-stencil8' : random.pick(['depth24plus', 'depth32float']),
    compare: random.pick(['less', 'less', 'less-equal', 'always']),
    write: random.chance(0.8),
    stencil,
  };
}

/** Returns the configuration of a seed. */
export function configurationOf(seed) {
  const random = randomOf(seed);
  const size = random.weighted(SIZES).split('x').map(Number);
  const format = random.weighted(FORMATS);
  const samples = format.includes('float') || random.chance(0.7) ? 1 : 4;
  const depth = depthOf(random);
  const shader = Array.from({ length: random.pick([0, 1, 1, 2, 3, 4]) }, () => {
    const name = random.weighted(Object.fromEntries(Object.entries(SNIPPETS).map(([key, [weight]]) => [key, weight])));
    return { name, times: Math.max(1, Math.round(SNIPPETS[name][1] * random.next() ** 2)) };
  });
  const passes = random.pick([1, 1, 1, 2, 4]);
  return {
    seed,
    size,
    format,
    samples,
    passes,
    chain: passes > 1 && random.chance(0.6),
    targets: random.chance(0.1) ? 2 : 1,
    geometry: geometryOf(random, size),
    varyings: random.pick([1, 1, 2, 3, 6]),
    depth,
    blend: format === 'rgba32float' ? 'none' : random.weighted(BLENDS),
    discards: random.chance(0.15),
    writesDepth: depth !== null && random.chance(0.1),
    alphaToCoverage: samples > 1 && format === 'rgba8unorm' && random.chance(0.1),
    shader,
    textures: Array.from({ length: random.pick([0, 0, 1, 1, 2, 3]) }, () => textureOf(random)),
  };
}

/** Names what a configuration contains, to find what slow ones have in common. */
export function traitsOf(configuration) {
  const { size, format, samples, passes, chain, targets, geometry, varyings, depth, blend } = configuration;
  const { kind, side, layers, draws, indexed } = geometry;
  const traits = [
    `${size.join('×')}`,
    `format ${format}`,
    `${samples} sample${samples > 1 ? 's' : ''}`,
    passes > 1 && (chain ? 'chain of passes' : 'loads its target'),
    targets > 1 && '2 targets',
    `geometry ${kind}`,
    kind === 'screen'
      ? layers > 1 && 'overdraw'
      : `${kind} of ${side <= 8 ? '2–8' : side <= 32 ? '16–32' : '64–256'} px`,
    draws > 1 && 'many draws',
    indexed && 'indexed',
    varyings > 3 && '6 varyings',
    depth && (depth.write ? 'depth write' : 'depth test'),
    depth?.stencil && 'stencil',
    `blend ${blend}`,
    configuration.discards && 'discard',
    configuration.writesDepth && 'frag_depth',
    configuration.alphaToCoverage && 'alpha to coverage',
    configuration.shader.length === 0 && 'no arithmetic',
    ...configuration.shader.map(({ name }) => `shader ${name}`),
    configuration.textures.length === 0 && 'no texture',
    ...configuration.textures.flatMap((texture) => [
      `texture ${texture.kind} ${texture.filter}`,
      `texels ${texture.format}`,
      `coordinates ${texture.step}`,
      texture.reads > 2 && 'many reads',
    ]),
  ];
  return [...new Set(traits.filter(Boolean))];
}
