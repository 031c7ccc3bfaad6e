// Cells of render targets: colour formats × blend states × samples × placement; depth, stencil and late tests.
import { BLENDS, COVER, kindOf, makeFrame, QUADS, SIZE } from './frame.mjs';

const BLENDED = [
  'rgba8unorm',
  'rgba8unorm-srgb',
  'bgra8unorm',
  'bgra8unorm-srgb',
  'r8unorm',
  'rg8unorm',
  'rgb10a2unorm',
  'r16float',
  'rg16float',
  'rgba16float',
];
const FLOATS = ['r32float', 'rg32float', 'rgba32float'];
const INTEGERS = [
  'r8uint',
  'r8sint',
  'rg8uint',
  'rg8sint',
  'rgba8uint',
  'rgba8sint',
  'r16uint',
  'r16sint',
  'rg16uint',
  'rg16sint',
  'rgba16uint',
  'rgba16sint',
  'r32uint',
  'r32sint',
  'rg32uint',
  'rg32sint',
  'rgba32uint',
  'rgba32sint',
  'rgb10a2uint',
];
const LAYERS = 8;
const CELL = 8;
const ACROSS = SIZE / CELL;
const LEG = 7;
const AT = [1.3, 0.7];
const SMALL = ACROSS * ACROSS;

/** Number of quads with a pixel centre inside a right triangle with legs of LEG pixels. */
function quadsOfTriangle() {
  const quads = new Set();
  for (let y = 0; y < CELL + 2; y++)
    for (let x = 0; x < CELL + 2; x++) {
      const u = x + 0.5 - AT[0];
      const v = y + 0.5 - AT[1];
      if (u >= 0 && v >= 0 && u + v <= LEG) quads.add(`${x >> 1},${y >> 1}`);
    }
  return quads.size;
}
/** Small triangles, one in each cell of a grid, layer upon layer. */
const GRID = `
  @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> @builtin(position) vec4f {
    let at = vec2f(f32(n % ${ACROSS}u), f32(n / ${ACROSS}u % ${ACROSS}u)) * ${CELL} + vec2f(${AT})
      + vec2f(f32(i & 1u), f32(i >> 1u)) * ${LEG};
    return vec4f(at.x / ${SIZE / 2} - 1, 1 - at.y / ${SIZE / 2}, 0.5, 1);
  }
`;
const PLACEMENTS = {
  'whole blocks': { vertex: COVER, quads: QUADS, instances: 1 },
  'small triangles': { vertex: GRID, quads: SMALL * quadsOfTriangle(), instances: SMALL },
};

const groupOf = (placement, samples) => `colour targets, ${placement}, ${samples} sample${samples === 1 ? '' : 's'}`;
function colorCell(format, state, samples, placement) {
  const { vertex, quads, instances } = PLACEMENTS[placement];
  const kind = kindOf(format);
  const layers = BLENDS[state] ? LAYERS : 1;
  const color = kind === 'f32' ? 'vec4f(p.x * 0.003, p.y * 0.0035, 0.4, 0.6)' : `vec4<${kind}>(p)`;
  return {
    group: groupOf(placement, samples),
    row: format,
    column: state,
    unit: 'quad',
    count: quads * layers,
    than: relativeOf(format, state, samples, placement),
    make: (device) =>
      makeFrame(device, {
        code: `
          ${vertex} @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4<${kind}> { return ${color}; }
        `,
        target: format,
        samples,
        targets: [
          { ...(BLENDS[state] ? { blend: BLENDS[state] } : {}), ...(state === 'masked' ? { writeMask: 5 } : {}) },
        ],
        draw: (pass) => pass.draw(3, instances * layers),
      }),
  };
}
function relativeOf(format, state, samples, placement) {
  const of = (f, s, n, p) => `${groupOf(p, n)}|${f}|${s}`;
  if (format !== 'rgba8unorm') return of('rgba8unorm', state, samples, placement);
  if (samples > 1) return of(format, state, samples === 8 ? 4 : 1, placement);
  if (state === 'opaque' || state === 'over') return undefined;
  return of(format, state === 'masked' ? 'opaque' : 'over', samples, placement);
}

export function targetCells() {
  const cells = [];
  for (const placement of Object.keys(PLACEMENTS))
    for (const samples of [1, 4, 8])
      for (const format of [...BLENDED, ...FLOATS, ...INTEGERS]) {
        if (samples > 1 && (FLOATS.slice(1).includes(format) || /32[us]int/.test(format))) continue;
        for (const state of Object.keys(BLENDS)) {
          if (BLENDS[state] && !BLENDED.includes(format)) continue;
          cells.push(colorCell(format, state, samples, placement));
        }
      }
  return cells;
}

/** Full-screen layers, each nearer than the one before. */
const NEARER = `
  @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0.7 - 0.05 * f32(n), 1);
  }
`;
const face = (compare, passOp, more = {}) => ({
  stencilFront: { compare, passOp, ...more },
  stencilBack: { compare, passOp, ...more },
});
const depthOf = (depthCompare, depthWriteEnabled = true) => ({ depthCompare, depthWriteEnabled });
/** By name: the format and the depth/stencil state. */
const TESTS = {
  'no test': ['depth32float', depthOf('always', false)],
  'depth less': ['depth32float', depthOf('less')],
  'depth less, 16 bits': ['depth16unorm', depthOf('less')],
  'depth less, 24 bits': ['depth24plus', depthOf('less')],
  'depth less-equal': ['depth32float', depthOf('less-equal')],
  'depth greater': ['depth32float', depthOf('greater')],
  'depth equal': ['depth32float', depthOf('equal')],
  'depth not-equal': ['depth32float', depthOf('not-equal')],
  'depth always': ['depth32float', depthOf('always')],
  'depth less, not written': ['depth32float', depthOf('less', false)],
  'stencil equal, keep': ['stencil8', face('equal', 'keep')],
  'stencil less, keep': ['stencil8', face('less', 'keep')],
  'stencil never': ['stencil8', face('never', 'keep')],
  'stencil not-equal, zero': ['stencil8', face('not-equal', 'zero')],
  ...Object.fromEntries(
    ['replace', 'zero', 'invert', 'increment-clamp', 'decrement-clamp', 'increment-wrap', 'decrement-wrap'].map(
      (op) => [`stencil always, ${op}`, ['stencil8', face('always', op)]]
    )
  ),
  'stencil and depth': [
    'depth24plus-stencil8',
    { ...depthOf('less'), ...face('equal', 'keep', { depthFailOp: 'invert' }) },
  ],
  'stencil and depth, counted': [
    'depth24plus-stencil8',
    { ...depthOf('less'), ...face('always', 'increment-wrap', { depthFailOp: 'decrement-wrap' }) },
  ],
};
/** By name: the fragment shader and its settings. */
const PROGRAMS = {
  early: { code: '-> @location(0) vec4f { return vec4f(p.xy * 0.003, 0.5, 0.5); }' },
  blended: { code: '-> @location(0) vec4f { return vec4f(p.xy * 0.003, 0.5, 0.5); }', blend: BLENDS.over },
  discard: {
    code: `
      -> @location(0) vec4f {
        if (((u32(p.x) ^ u32(p.y)) & 3u) == 0u) { discard; } return vec4f(p.xy * 0.003, 0.5, 0.5);
      }
    `,
  },
  frag_depth: {
    code: '-> O { return O(vec4f(p.xy * 0.003, 0.5, 0.5), p.z); }',
    declarations: 'struct O { @location(0) c: vec4f, @builtin(frag_depth) z: f32 }',
  },
  sample_mask: {
    code: '-> O { return O(vec4f(p.xy * 0.003, 0.5, 0.5), u32(p.x)); }',
    declarations: 'struct O { @location(0) c: vec4f, @builtin(sample_mask) m: u32 }',
  },
  'alpha to coverage': {
    code: '-> @location(0) vec4f { return vec4f(p.xy * 0.003, 0.5, fract(p.x * 0.17)); }',
    multisample: { alphaToCoverageEnabled: true },
  },
};

/**
 * A shader that runs for each layer is compared with the blend, and each test with the plain depth test of its shader.
 */
function testRelative(group, row, column, samples) {
  if (row !== 'no test') return `${group}|${row === 'depth less' ? 'no test' : 'depth less'}|${column}`;
  if (column === 'early') return undefined;
  return column === 'blended'
    ? `${groupOf('whole blocks', samples)}|rgba8unorm|over`
    : `${group}|no test|${column === 'discard' ? 'blended' : 'discard'}`;
}

export function testCells() {
  const cells = [];
  for (const samples of [1, 4, 8])
    for (const [row, [depth, depthStencil]] of Object.entries(TESTS))
      for (const [column, { code, declarations = '', blend, multisample }] of Object.entries(PROGRAMS)) {
        if (multisample && samples === 1) continue;
        if (column === 'frag_depth' && depth === 'stencil8') continue;
        const group = `depth and stencil, ${samples} sample${samples === 1 ? '' : 's'}`;
        cells.push({
          group,
          row,
          column,
          unit: 'quad',
          count: QUADS * LAYERS,
          than: testRelative(group, row, column, samples),
          make: (device) =>
            makeFrame(device, {
              code: `${declarations} ${NEARER} @fragment fn fs(@builtin(position) p: vec4f) ${code}`,
              samples,
              depth,
              depthStencil,
              targets: [blend ? { blend } : {}],
              ...(multisample ? { multisample } : {}),
              prepare: (pass) => pass.setStencilReference(3),
              draw: (pass) => pass.draw(3, LAYERS),
            }),
        });
      }
  return cells;
}
