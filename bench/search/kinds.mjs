// Configurations that differ from a simple one in one property each. They show which property is slow, where random
// configurations show combinations.

const SIMPLE = {
  seed: 1,
  size: [640, 360],
  format: 'rgba8unorm',
  samples: 1,
  passes: 1,
  chain: false,
  targets: 1,
  geometry: { kind: 'screen', layers: 1, draws: 1, indexed: false },
  varyings: 1,
  depth: null,
  blend: 'none',
  discards: false,
  writesDepth: false,
  alphaToCoverage: false,
  shader: [],
  textures: [],
};
const READS = 8;
const DEPTH = { format: 'depth24plus', compare: 'less', write: true, stencil: false };
const STENCIL = { ...DEPTH, format: 'depth24plus-stencil8', stencil: true };

function reads(kind, filter, { step = 'tiled', count = READS } = {}) {
  const format = kind === 'shadow' ? 'depth32float' : 'rgba8unorm';
  return { textures: [{ kind, format, filter, side: kind === '3d' ? 32 : 256, reads: count, step }] };
}
const screen = (layers) => ({ geometry: { ...SIMPLE.geometry, layers } });
const primitives = (kind, side, count, draws = 1) => ({
  geometry: { kind, side, count, draws, indexed: kind === 'mesh' },
});

/** What each changes. */
const CHANGES = {
  simple: {},
  '64×64': { size: [64, 64] },
  '4 samples': { samples: 4 },
  '6 varyings': { varyings: 6 },
  '2 targets': { targets: 2 },
  'chain of 4 passes': { passes: 4, chain: true },
  'target loaded by 4 passes': { passes: 4 },
  '8 layers': screen(8),
  '8 layers, discard': { discards: true, ...screen(8) },
  '8 layers, alpha': { blend: 'alpha', ...screen(8) },
  '8 layers, additive, half floats': { blend: 'additive', format: 'rgba16float', ...screen(8) },
  'depth write': { depth: DEPTH },
  stencil: { depth: STENCIL },
  discard: { discards: true },
  frag_depth: { depth: DEPTH, writesDepth: true },
  'triangles of 4 px': primitives('triangles', 4, 20_000),
  'triangles of 128 px': primitives('triangles', 128, 100),
  'triangles of 128 px, 40 draws': primitives('triangles', 128, 100, 40),
  'lines of 8 px': primitives('lines', 8, 20_000),
  points: primitives('points', 4, 20_000),
  'sprites of 4 px': primitives('sprites', 4, 14_400),
  'sprites of 64 px, alpha': { blend: 'alpha', ...primitives('sprites', 64, 200) },
  'mesh of 8 px': primitives('mesh', 8, 3600),
  'nearest ×1': reads('2d', 'nearest', { count: 1 }),
  'nearest ×8': reads('2d', 'nearest'),
  'load ×8': reads('2d', 'load'),
  'bilinear ×8': reads('2d', 'bilinear'),
  'bilinear ×8, minified': reads('2d', 'bilinear', { step: 'minified' }),
  'trilinear ×8': reads('2d', 'trilinear'),
  'array nearest ×8': reads('array', 'nearest'),
  'cube nearest ×8': reads('cube', 'nearest'),
  'cube bilinear ×8': reads('cube', 'bilinear'),
  '3D nearest ×8': reads('3d', 'nearest'),
  '3D trilinear ×8': reads('3d', 'trilinear'),
  'shadow nearest ×8': reads('shadow', 'nearest'),
  'shadow bilinear ×8': reads('shadow', 'bilinear'),
};

/** The configurations by name. */
export const KINDS = Object.fromEntries(
  Object.entries(CHANGES).map(([name, change]) => [name, { ...SIMPLE, ...change }])
);
