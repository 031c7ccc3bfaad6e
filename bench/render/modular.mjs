// npm run bench:modular [-- part …]
// Measures the cost and the savings of modular pipelines. Sides alternate in one process; this takes 2 minutes. Results
// are kept if all parts run. The parts:
//
//   one      a modular pipeline with one stage over the same as a render pipeline: a grid of 100 000 vertices, visible
//            and outside the view (vertices alone), and 1 000 draw calls of 25 vertices, with the pipeline set once and
//            before each
//   chain    three chained stages over one shader with the same functions, by vertices per draw call, compiled and
//            interpreted
//   emit     a geometry stage that passes 100 000 triangles through, over the same pipeline without it, with shared and
//            unshared vertices; 50 000 wide lines by a geometry stage, over four vertices per instance; compiled and
//            interpreted
//   terrain  64 × 64 patches, tessellated and displaced by heights from a texture, over the same 1.2 million indexed
//            triangles from buffers; with 1024 × 1024 pixels, seen from above, from the ground and outside the view;
//            also the bytes of buffers and textures of both
//   enable   enabling a slot, up to the first picture with it, over creating a pipeline with one new shader of the same
//            functions, from its text to its first picture; by size of the slot's shader (`small`: a dozen operations,
//            `noise`: some hundreds). That shader is new (`first`), runs in another slot (`other slot`), or the
//            combination was drawn before (`again`); constants differ each time. `make` is the time of the calls until
//            the draw call is recorded, `whole` until it is drawn.
//   memory   three stages as three passes through buffers, over the same stages chained in a pipeline; vertices alone
//
//   MS       milliseconds per side (1500)
//   THREADS  worker threads (0, which gives the most stable figures)
import { globals } from '../../build/index.js';
import { engineOf, openDevice } from '../support/device.mjs';
import { keep, median, medianInterval } from '../support/machine.mjs';
import { compare, frameOf } from '../support/pairs.mjs';
import { progress, say } from '../support/progress.mjs';
import { writeReport } from '../report/report.mjs';

const { GPUBufferUsage, GPUShaderStage, GPUTextureUsage } = globals;
const { THREADS = 0, MS: FOR_MS = 1500 } = process.env;
const MS = Number(FOR_MS);
const threads = Number(THREADS);
const PARTS = { one, chain, emit, terrain, enable, memory };
const names = process.argv.slice(2);
const chosen = names.length ? names : Object.keys(PARTS);
const unknown = chosen.filter((name) => !(name in PARTS));
if (unknown.length) throw new Error(`no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`);
/**
 * Maximum ratio of a modular pipeline with one stage to a render pipeline; minimum ratio of creating a pipeline to
 * enabling a slot.
 */
const OVER_PIPELINE = 1.01;
const OVER_ENABLING = 100;

const SIZE = [640, 360];
const FORMAT = 'rgba8unorm';
const FRAGMENT = '@fragment fn fs(@location(0) color: vec3f) -> @location(0) vec4f { return vec4f(color, 1); }';
/** Three octaves of lattice noise with its gradient: a modifier of realistic size. */
const NOISE = `
  fn hash(at: vec3i) -> f32 {
    var h = (u32(at.x) * 73856093u) ^ (u32(at.y) * 19349663u) ^ (u32(at.z) * 83492791u);
    h = (h ^ (h >> 13u)) * 1274126177u;
    return f32((h ^ (h >> 16u)) & 65535u) / 32768 - 1;
  }
  fn noise(p: vec3f) -> f32 {
    let cell = vec3i(floor(p));
    let f = fract(p);
    let t = f * f * f * (f * (f * 6 - 15) + 10);
    let low = mix(
      mix(hash(cell), hash(cell + vec3i(1, 0, 0)), t.x), mix(hash(cell + vec3i(0, 1, 0)), hash(cell + vec3i(1, 1, 0)), t.x), t.y
    );
    let high = mix(
      mix(hash(cell + vec3i(0, 0, 1)), hash(cell + vec3i(1, 0, 1)), t.x),
      mix(hash(cell + vec3i(0, 1, 1)), hash(cell + vec3i(1, 1, 1)), t.x), t.y
    );
    return mix(low, high, t.z);
  }
  fn rough(p: vec3f) -> f32 { return 0.06 * noise(p) + 0.03 * noise(p * 2 + 5) + 0.015 * noise(p * 4 + 9); }
  fn slope(p: vec3f) -> vec3f {
    let here = rough(p);
    return vec3f(rough(p + vec3f(0.01, 0, 0)), rough(p + vec3f(0, 0.01, 0)), rough(p + vec3f(0, 0, 0.01))) * 100 - 100 * here;
  }`;
/** `k`: makes the shader unique. `more`: NOISE, which `wave` then uses. */
const functions = (k, more = '') => `enable modular_pipelines;
  struct V { @location(0) p: vec3f, @location(1) n: vec3f, @location(2) c: vec3f }
  struct Seen { @builtin(position) position: vec4f, @location(0) color: vec3f }
  @group(0) @binding(0) var<uniform> place: vec4f;
  ${k}
  ${more}
  fn twisted(v: V) -> V {
    let c = cos(v.p.y * k);
    let s = sin(v.p.y * k);
    let turn = mat3x3f(c, 0, s, 0, 1, 0, -s, 0, c);
    return V(turn * v.p, turn * v.n, vec3f(0.5) + 0.5 * v.n);
  }
  fn waved(v: V) -> V {
    let at = v.p.x * 4 + k;
    ${more ? 'return V(v.p + v.n * rough(v.p * 3 + k), normalize(v.n - 0.2 * slope(v.p * 3 + k)), v.c);' : ''}
    return V(v.p + v.n * (0.1 * sin(at)), normalize(v.n - vec3f(0.4 * cos(at), 0, 0)), v.c * vec3f(0.9, 1, 0.8));
  }
  fn seen(v: V) -> Seen {
    let day = max(dot(v.n, normalize(vec3f(0.5, 1, 0.6))), 0) * k + 0.2;
    return Seen(vec4f(v.p * vec3f(0.6, 0.9, 0.3) + place.xyz, 1), v.c * day);
  }
  @vertex fn whole(@location(0) p: vec3f, @location(1) n: vec3f) -> Seen { return seen(waved(twisted(V(p, n, vec3f())))); }
  @vertex fn twist(@location(0) p: vec3f, @location(1) n: vec3f) -> V { return twisted(V(p, n, vec3f())); }
  @vertex fn wave(v: V) -> V { return waved(v); }
  @vertex fn look(v: V) -> Seen { return seen(v); }`;
const CHAIN = ['twist', 'wave', 'look'];
const BUFFERS = [
  { arrayStride: 24, attributes: [0, 1].map((i) => ({ shaderLocation: i, offset: 12 * i, format: 'float32x3' })) },
];

async function open(options = {}, code = functions('override k: f32 = 0.75;')) {
  const device = await openDevice({ options: { threads, ...options }, features: ['modular-pipelines'] });
  const fragment = { module: device.createShaderModule({ code: FRAGMENT }), targets: [{ format: FORMAT }] };
  const group = device.createBindGroupLayout({
    entries: [{ binding: 0, visibility: GPUShaderStage.VERTEX, buffer: {} }],
  });
  const layout = device.createPipelineLayout({ bindGroupLayouts: [group] });
  return { device, fragment, group, layout, module: device.createShaderModule({ code }) };
}

/** `stages`: entry points of a module, or slots as in a pipeline's descriptor. */
const tableOf = ({ device, fragment, layout, module }, stages, input) =>
  device.createModularPipeline({
    layout,
    input: { buffers: BUFFERS, ...input },
    sinks: [{ raster: { fragment } }],
    stages: stages.map((stage) => ({
      kind: 'vertex',
      module,
      ...(typeof stage === 'string' ? { entryPoint: stage } : stage),
    })),
  });
const pipelineOf = ({ device, fragment, layout, module }, entryPoint) =>
  device.createRenderPipeline({ layout, vertex: { module, entryPoint, buffers: BUFFERS }, fragment });

function bufferOf(device, contents, usage) {
  const buffer = device.createBuffer({ size: contents.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(buffer, 0, contents);
  return buffer;
}

/**
 * Creates frames of the draw calls that `draw` records, with the vertices and the bind group set. `prepare`: gets the
 * pass before its draw calls.
 */
function framesOf({ device, group }, data, draw) {
  const vertices = bufferOf(device, data, GPUBufferUsage.VERTEX);
  const places = [
    [0, 0, 0.2, 0],
    [9, 0, 0.2, 0],
  ].map((place) =>
    device.createBindGroup({
      layout: group,
      entries: [
        { binding: 0, resource: { buffer: bufferOf(device, new Float32Array(place), GPUBufferUsage.UNIFORM) } },
      ],
    })
  );
  const picture = device.createTexture({ size: SIZE, format: FORMAT, usage: GPUTextureUsage.RENDER_ATTACHMENT });
  const view = picture.createView();
  /** Returns the milliseconds from `prepare` until the first draw call was recorded. */
  const render = (pipeline, how = {}) => {
    const { draws = 1, isSeen = true, setEach = false, prepare } = how;
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, places[isSeen ? 0 : 1]);
    pass.setVertexBuffer(0, vertices);
    let recorded;
    const began = performance.now();
    prepare?.(pass);
    for (let i = 0; i < draws; i++) {
      if (setEach) pass.setPipeline(pipeline);
      draw(pass, how);
      recorded ??= performance.now() - began;
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
    return recorded;
  };
  const frame = (pipeline, how) => frameOf(device, { render: () => render(pipeline, how) });
  return { render, frame, vertices, place: places[1] };
}

/**
 * A grid of side × side points on a dome. Outside the view, its points alone are drawn, or its triangles (`isWhole`).
 */
function gridOf(own, side) {
  const data = new Float32Array(side * side * 6);
  const corners = [];
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const p = [x, y].map((i) => (i / (side - 1)) * 2 - 1);
      const up = 1 - (p[0] * p[0]) / 4 - (p[1] * p[1]) / 4;
      data.set([p[0], p[1], up, p[0] / 2, p[1] / 2, up], (y * side + x) * 6);
      const here = y * side + x;
      if (x < side - 1 && y < side - 1)
        corners.push(here, here + 1, here + side, here + side, here + 1, here + side + 1);
    }
  const indices = bufferOf(own.device, new Uint32Array(corners), GPUBufferUsage.INDEX);
  return framesOf(own, data, (pass, { isSeen = true, isWhole = isSeen }) => {
    pass.setIndexBuffer(indices, 'uint32');
    if (isWhole) pass.drawIndexed(corners.length);
    else pass.draw(side * side);
  });
}

const round = (value) => Math.round(value * 1000) / 1000;

/** Prints a ratio with its interval. A limit is missed if the whole interval is beyond it. */
function judged(text, [value, ...interval], limit, atLeast = false) {
  const told = `${text}: ${value} (${interval.join(' … ')})`;
  if (limit === undefined) {
    say(told);
    return { value, interval };
  }
  const [low, high] = interval;
  const reached = atLeast ? high >= limit : low <= limit;
  const isSure = atLeast ? value >= limit : value <= limit;
  say(`${told} ${atLeast ? '≥' : '≤'} ${limit}: ${isSure ? 'reached' : reached ? 'undecided' : 'NOT REACHED'}`);
  return { value, interval, limit, reached };
}

/** Compares two sides: the ratio of the first to the second, with a maximum. */
async function ratioOf(text, sides, limit) {
  const [first, second] = Object.keys(sides);
  const { pairs, ms, ratios } = await compare(sides, {
    forMs: MS,
    warmMs: 300,
    onPair: (n) => progress(0, 1, `${text}, ${n} pairs`),
  });
  const told = judged(`${text}, ${first} ${ms[first]} ms, ${second} ${ms[second]}, ratio`, ratios[first], limit);
  return { pairs, ms, ...told };
}

/** Compares two sides: the ratio of the first to the second, with a minimum. */
async function overOf(text, sides, limit) {
  const [first, second] = Object.keys(sides);
  const { pairs, ms, ratios } = await compare(sides, {
    forMs: MS,
    warmMs: 300,
    onPair: (n) => progress(0, 1, `${text}, ${n} pairs`),
  });
  const told = judged(`${text}, ${first} ${ms[first]} ms, ${second} ${ms[second]}, ratio`, ratios[first], limit, true);
  return { pairs, ms, ...told };
}

async function one() {
  const own = await open({ engine: 'jit' });
  const results = {};
  const table = tableOf(own, ['whole']);
  const pipeline = pipelineOf(own, 'whole');
  const large = gridOf(own, 317);
  const small = gridOf(own, 5);
  for (const [name, grid, how] of [
    ['100 000 vertices in view', large, {}],
    ['100 000 vertices out of view', large, { isSeen: false }],
    ['1 000 draws of 25', small, { draws: 1000, isSeen: false }],
    ['1 000 draws of 25, the pipeline set before each', small, { draws: 1000, isSeen: false, setEach: true }],
  ])
    results[name] = await ratioOf(
      `one stage, ${name}`,
      { table: grid.frame(table, how), pipeline: grid.frame(pipeline, how) },
      OVER_PIPELINE
    );
  own.device.destroy();
  return results;
}

async function chain() {
  const results = {};
  for (const engine of ['jit', 'interpreter']) {
    const own = await open({ engine });
    const table = tableOf(own, CHAIN);
    const pipeline = pipelineOf(own, 'whole');
    const large = gridOf(own, 317);
    const small = gridOf(own, 32);
    for (const [name, grid, how] of [
      ['100 000 vertices in view', large, {}],
      ['100 000 vertices out of view', large, { isSeen: false }],
      ['100 draws of 1 000 out of view', small, { draws: 100, isSeen: false }],
      ['1 000 vertices in view', small, {}],
      ['1 000 vertices out of view', small, { isSeen: false }],
    ])
      results[`${name}, ${engine}`] = await ratioOf(`three stages, ${name}, ${engine}`, {
        chained: grid.frame(table, how),
        merged: grid.frame(pipeline, how),
      });
    own.device.destroy();
  }
  return results;
}

const EMITTING = `enable modular_pipelines;
  struct V { @location(0) p: vec3f, @location(1) n: vec3f }
  struct Seen { @builtin(position) position: vec4f, @location(0) color: vec3f }
  @group(0) @binding(0) var<uniform> place: vec4f;
  @vertex fn load(v: V) -> V { return V(v.p * vec3f(0.6, 0.9, 0.3) + place.xyz, v.n * 0.5 + 0.5); }
  @geometry fn same(v: array<V, 3>) { for (var k = 0; k < 3; k++) { emitVertex(v[k]); } }
  @vertex fn end(v: V) -> Seen { return Seen(vec4f(v.p, 1), v.n); }

  // The ends of a line in pixels, the third number its width.
  fn corner(from_: vec3f, to: vec3f, k: u32) -> vec3f {
    let along = normalize(to.xy - from_.xy);
    let end = select(from_, to, k > 1);
    let wide = end.xy + along.yx * vec2f(-0.5, 0.5) * end.z * select(1.0, -1.0, k % 2 == 0);
    return vec3f(wide / vec2f(${SIZE}) * 2 - 1, 0) + place.xyz;
  }
  @vertex fn ends(v: V) -> V { return v; }
  @geometry fn widen(v: array<V, 2>) {
    for (var k = 0u; k < 4; k++) { emitVertex(V(corner(v[0].p, v[1].p, k), v[k / 2].n)); }
  }
  struct Line { @location(0) from_: vec3f, @location(1) a: vec3f, @location(2) to: vec3f, @location(3) b: vec3f }
  @vertex fn instance(v: Line, @builtin(vertex_index) k: u32) -> Seen {
    return Seen(vec4f(corner(v.from_, v.to, k), 1), select(v.a, v.b, k > 1));
  }`;
const GEOMETRY = { kind: 'geometry', topology: 'triangle-strip' };

/** Geometry stages, against draw calls without them. */
async function emit() {
  const results = {};
  const lines = 50_000;
  const [width, height] = SIZE;
  const data = new Float32Array(lines * 12);
  const corners = 301_056;
  const apart = new Float32Array(corners * 6).map((_, i) => (i * 0.618034) % 1);
  for (let i = 0; i < lines; i++) {
    const x = ((i * 0.618034) % 1) * width;
    const y = ((i * 0.7548777) % 1) * height;
    const angle = i * 2.4;
    const [r, g, b] = [i / lines, 1 - i / lines, 0.5];
    data.set([x, y, 1.5, r, g, b, x + 6 * Math.cos(angle), y + 6 * Math.sin(angle), 2.5, g, b, r], i * 12);
  }
  for (const engine of ['jit', 'interpreter']) {
    const own = await open({ engine }, EMITTING);
    const { device, fragment, layout, module } = own;
    const same = { ...GEOMETRY, entryPoint: 'same', maxVertices: 3 };
    const with_ = tableOf(own, ['load', same, 'end']);
    const without = tableOf(own, ['load', 'end']);
    const grid = gridOf(own, 225);
    const soup = framesOf(own, apart, (pass) => pass.draw(corners));
    const wide = tableOf(own, ['ends', { ...GEOMETRY, entryPoint: 'widen', maxVertices: 4 }, 'end'], {
      topology: 'line-list',
    });
    const instanced = device.createRenderPipeline({
      layout,
      fragment,
      primitive: { topology: 'triangle-strip' },
      vertex: {
        module,
        entryPoint: 'instance',
        buffers: [
          {
            arrayStride: 48,
            stepMode: 'instance',
            attributes: [0, 1, 2, 3].map((i) => ({ shaderLocation: i, offset: 12 * i, format: 'float32x3' })),
          },
        ],
      },
    });
    const asLines = framesOf(own, data, (pass) => pass.draw(lines * 2));
    const asInstances = framesOf(own, data, (pass) => pass.draw(4, lines));
    for (const [where, how] of [
      ['in view', {}],
      ['out of view', { isSeen: false, isWhole: true }],
    ]) {
      results[`triangles, ${where}, ${engine}`] = await ratioOf(`100 352 triangles, ${where}, ${engine}`, {
        emitted: grid.frame(with_, how),
        drawn: grid.frame(without, how),
      });
      if (how.isSeen === false)
        results[`triangles of their own, ${where}, ${engine}`] = await ratioOf(
          `100 352 triangles that share no vertices, ${where}, ${engine}`,
          { emitted: soup.frame(with_, how), drawn: soup.frame(without, how) }
        );
      results[`lines, ${where}, ${engine}`] = await ratioOf(`50 000 wide lines, ${where}, ${engine}`, {
        emitted: asLines.frame(wide, how),
        instanced: asInstances.frame(instanced, how),
      });
    }
    device.destroy();
  }
  return results;
}

/** Segments on a side of a patch; patches on a side of the terrain. */
const LEVEL = 12;
const PATCHES = 64;
const GRID = LEVEL * PATCHES;
const TERRAIN = `enable modular_pipelines;
  struct Corner { @location(0) at: vec2f }
  struct Levels { @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f }
  struct Seen { @builtin(position) position: vec4f, @location(0) height: f32 }
  @group(0) @binding(0) var<uniform> camera: mat4x4f;
  @group(0) @binding(1) var heights: texture_2d<f32>;
  fn seen(p: vec3f) -> Seen { return Seen(camera * vec4f(p, 1), p.y); }
  @vertex fn corner(@location(0) at: vec2f) -> Corner { return Corner(at); }
  @tess_control fn cut(p: array<Corner, 4>) -> Levels { return Levels(vec4f(${LEVEL}), vec2f(${LEVEL})); }
  @tess_evaluation fn place(p: array<Corner, 4>, @builtin(tess_coord) uv: vec3f) -> Seen {
    let at = mix(mix(p[0].at, p[1].at, uv.x), mix(p[3].at, p[2].at, uv.x), uv.y);
    let height = textureLoad(heights, vec2i(at * ${GRID} + 0.5), 0).x;
    return seen(vec3f(at.x, height, at.y));
  }
  @vertex fn given(@location(0) p: vec3f) -> Seen { return seen(p); }
  @fragment fn shade(@location(0) height: f32) -> @location(0) vec4f {
    return vec4f(mix(vec3f(0.2, 0.35, 0.15), vec3f(0.95), height * 8), 1);
  }`;

/**
 * View-projection matrices of the terrain, which covers the unit square, by rows: from above, from the ground, and past
 * it.
 */
function camerasOf() {
  const view = (eye, to) => {
    const unit = (v) => v.map((value) => value / Math.hypot(...v));
    const cross = (a, b) => [0, 1, 2].map((i) => a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]);
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const back = unit(eye.map((value, i) => value - to[i]));
    const side = unit(cross([0, 1, 0], back));
    const near = 0.01;
    const far = 4;
    const zoom = 1.6;
    const up = cross(back, side);
    const row = (v, factor) => [...v, -dot(v, eye)].map((value) => value * factor);
    const rows = [row(side, zoom), row(up, zoom), row(back, far / (near - far)), row(back, -1)];
    rows[2][3] += (near * far) / (near - far);
    return new Float32Array([0, 1, 2, 3].flatMap((column) => rows.map((row) => row[column])));
  };
  return {
    'from above': view([0.5, 1.1, 1.3], [0.5, 0, 0.45]),
    'from the ground': view([0.5, 0.16, 0.98], [0.5, 0.05, 0]),
    'out of view': view([0.5, 0.3, 2], [0.5, 0.3, 4]),
  };
}

/** Triangles by tessellation, against the same triangles from buffers. */
async function terrain() {
  const results = {};
  const side = GRID + 1;
  const size = [1024, 1024];
  const hills = (x, y) => Math.sin(x * 31 + 4 * Math.sin(y * 9)) * Math.cos(y * 27 + 3 * Math.sin(x * 11));
  const heightAt = (x, y) => 0.03 + 0.03 * hills(x, y) + 0.004 * Math.sin(x * 300) * Math.sin(y * 280);
  const heights = Float32Array.from({ length: side * side }, (_, i) =>
    heightAt((i % side) / GRID, Math.floor(i / side) / GRID)
  );
  for (const engine of ['jit', 'interpreter']) {
    const device = await openDevice({ options: { threads, engine }, features: ['modular-pipelines'] });
    const module = device.createShaderModule({ code: TERRAIN });
    const texture = device.createTexture({
      size: [side, side],
      format: 'r32float',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    device.queue.writeTexture({ texture }, heights, { bytesPerRow: side * 4 }, [side, side]);
    const layout = device.createBindGroupLayout({
      entries: [
        { binding: 0, visibility: GPUShaderStage.VERTEX, buffer: {} },
        { binding: 1, visibility: GPUShaderStage.VERTEX, texture: { sampleType: 'unfilterable-float' } },
      ],
    });
    const corners = new Float32Array((PATCHES + 1) ** 2 * 2);
    const patches = new Uint32Array(PATCHES ** 2 * 4);
    const points = new Float32Array(side * side * 3);
    const indices = new Uint32Array(GRID * GRID * 6);
    for (let y = 0; y <= PATCHES; y++)
      for (let x = 0; x <= PATCHES; x++) {
        const here = y * (PATCHES + 1) + x;
        corners.set([x / PATCHES, y / PATCHES], here * 2);
        if (x < PATCHES && y < PATCHES)
          patches.set([here, here + 1, here + PATCHES + 2, here + PATCHES + 1], (y * PATCHES + x) * 4);
      }
    for (let y = 0; y < side; y++)
      for (let x = 0; x < side; x++) {
        const here = y * side + x;
        points.set([x / GRID, heights[here], y / GRID], here * 3);
        if (x < GRID && y < GRID)
          indices.set([here, here + 1, here + side + 1, here, here + side + 1, here + side], (y * GRID + x) * 6);
      }
    const common = {
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      depthStencil: { format: 'depth24plus', depthCompare: 'less', depthWriteEnabled: true },
      fragment: { module, targets: [{ format: FORMAT }] },
    };
    const buffers = (format, arrayStride) => [{ arrayStride, attributes: [{ shaderLocation: 0, offset: 0, format }] }];
    const { layout: both, ...raster } = common;
    const sides = {
      tessellated: {
        pipeline: device.createModularPipeline({
          layout: both,
          input: { buffers: buffers('float32x2', 8), topology: 'patch-list', patchVertices: 4 },
          stages: [
            { kind: 'vertex', module, entryPoint: 'corner' },
            { kind: 'tess_control', module },
            { kind: 'tess_evaluation', module, domain: 'quads', maxLevel: LEVEL },
          ],
          sinks: [{ raster }],
        }),
        vertices: corners,
        indices: patches,
        more: heights.byteLength,
      },
      indexed: {
        pipeline: device.createRenderPipeline({
          ...common,
          vertex: { module, entryPoint: 'given', buffers: buffers('float32x3', 12) },
        }),
        vertices: points,
        indices,
        more: 0,
      },
    };
    const usage = GPUTextureUsage.RENDER_ATTACHMENT;
    const target = (format) => device.createTexture({ size, format, usage }).createView();
    const view = target(FORMAT);
    const depth = target('depth24plus');
    const drawn = {};
    const bytes = {};
    for (const [name, { pipeline, vertices, indices: list, more }] of Object.entries(sides)) {
      const own = [bufferOf(device, vertices, GPUBufferUsage.VERTEX), bufferOf(device, list, GPUBufferUsage.INDEX)];
      const held = name === 'tessellated' ? pipeline.statistics().bytesHeld : 0;
      bytes[name] = vertices.byteLength + list.byteLength + more + held * Math.max(1, threads);
      drawn[name] = (group) =>
        frameOf(device, {
          render() {
            const encoder = device.createCommandEncoder();
            const pass = encoder.beginRenderPass({
              colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }],
              depthStencilAttachment: {
                view: depth,
                depthLoadOp: 'clear',
                depthClearValue: 1,
                depthStoreOp: 'discard',
              },
            });
            pass.setPipeline(pipeline);
            pass.setBindGroup(0, group);
            pass.setVertexBuffer(0, own[0]);
            pass.setIndexBuffer(own[1], 'uint32');
            pass.drawIndexed(list.length);
            pass.end();
            device.queue.submit([encoder.finish()]);
          },
        });
    }
    for (const [where, camera] of Object.entries(camerasOf())) {
      const group = device.createBindGroup({
        layout,
        entries: [
          { binding: 0, resource: { buffer: bufferOf(device, camera, GPUBufferUsage.UNIFORM) } },
          { binding: 1, resource: texture.createView() },
        ],
      });
      results[`${where}, ${engine}`] = await ratioOf(
        `a terrain of ${GRID * GRID * 2} triangles, ${where}, ${engine}`,
        { tessellated: drawn.tessellated(group), indexed: drawn.indexed(group) },
        engine === 'jit' ? 1.3 : undefined
      );
    }
    results.bytes = {
      ...bytes,
      ...judged(
        `bytes, tessellated ${bytes.tessellated}, indexed ${bytes.indexed}, ratio`,
        Array(3).fill(round(bytes.tessellated / bytes.indexed)),
        0.25
      ),
    };
    device.destroy();
  }
  return results;
}

/** Three chained stages, against the way without modular pipelines: a pass for each stage, through buffers. */
async function memory() {
  const results = {};
  for (const [count, side, least] of [
    ['100 000', 317, 1.3],
    ['1 000', 32, 3],
  ]) {
    const own = await open({ engine: 'jit' });
    const { device, layout, module } = own;
    const grid = gridOf(own, side);
    const chained = tableOf(own, CHAIN);
    const vertices = side * side;
    const bufferOf = () =>
      device.createBuffer({ size: vertices * 36, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.VERTEX });
    const attributes = [0, 1, 2].map((i) => ({ shaderLocation: i, offset: 12 * i, format: 'float32x3' }));
    const whole = [{ arrayStride: 36, attributes }];
    const [between, last] = [bufferOf(), bufferOf()];
    const step = (entryPoint, buffers) =>
      device.createModularPipeline({
        layout,
        input: { buffers, topology: 'point-list' },
        stages: [{ kind: 'vertex', module, entryPoint }],
        sinks: [{ buffer: { arrayStride: 36, attributes } }],
      });
    const steps = [step('twist', BUFFERS), step('wave', whole)];
    const look = device.createRenderPipeline({
      layout,
      vertex: { module, entryPoint: 'look', buffers: whole },
      fragment: own.fragment,
    });
    const passes = () => {
      const encoder = device.createCommandEncoder();
      for (const [i, pipeline] of steps.entries()) {
        const pass = encoder.beginRenderPass({ colorAttachments: [], size: [1, 1], sampleCount: 1 });
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, grid.place);
        pass.setVertexBuffer(0, i ? between : grid.vertices);
        pass.setSinkBuffer(i ? last : between);
        pass.draw(vertices);
        pass.end();
      }
      device.queue.submit([encoder.finish()]);
      grid.render(look, { isSeen: false, prepare: (pass) => pass.setVertexBuffer(0, last) });
    };
    results[`${count} vertices`] = await overOf(
      `three stages, ${count} vertices`,
      { passes: frameOf(device, { render: passes }), chained: grid.frame(chained, { isSeen: false }) },
      least
    );
    device.destroy();
  }
  return results;
}

/** Enabling slots, against creating a pipeline with one shader. */
async function enable() {
  const results = {};
  for (const [size, more] of Object.entries({ small: '', noise: NOISE }))
    for (const engine of ['auto', 'jit']) results[`${size}, ${engine}`] = await enabling(engine, size, more);
  return results;
}

async function enabling(engine, size, more) {
  const own = await open({ engine }, functions('override k: f32 = 0.75;', more));
  const { device } = own;
  const grid = gridOf(own, 32);
  const makes = {};
  let rounds = 0;
  const constant = () => 0.5 + ++rounds / 4096;
  const drawn = () => device.queue.onSubmittedWorkDone();
  /** A side: `before` prepares it outside the timed part, `make` returns what is drawn and how. */
  const side = (name, before, make) => async () => {
    const given = await before();
    await drawn();
    const began = performance.now();
    const [pipeline, how] = make(given);
    const made = performance.now() - began;
    const recorded = grid.render(pipeline, how);
    await drawn();
    (makes[name] ??= []).push(made + recorded);
    return performance.now() - began;
  };
  /** A modular pipeline with `wave` in slots 1 and 2, drawn until its shaders are compiled. */
  const tableWith =
    (isOn, ...choices) =>
    async () => {
      const constants = { k: constant() };
      const slots = ['twist', 'wave', 'wave', 'look'].map((entryPoint, i) => ({
        entryPoint,
        constants,
        enabled: i === 0 || i === 3 || (i === 1 && isOn),
      }));
      const table = tableOf(own, slots);
      for (let i = 0; i < 3; i++)
        for (const prepare of [undefined, ...choices]) {
          grid.render(table, { prepare });
          await drawn();
        }
      return table;
    };
  const on = (pass) => pass.setStageEnabled(1, true);
  const both = (pass) => pass.setStageEnabled(2, true);
  const sides = {
    first: side('first', tableWith(false), (table) => [table, { prepare: on }]),
    'other slot': side('other slot', tableWith(true), (table) => [table, { prepare: both }]),
    again: side('again', tableWith(true, both), (table) => [table, { prepare: both }]),
    cold: side(
      'cold',
      () => functions(`const k = f32(${constant()});`, more),
      (code) => [pipelineOf({ ...own, module: device.createShaderModule({ code }) }, 'whole')]
    ),
  };
  const { pairs, ms, ratio } = await compare(sides, {
    forMs: MS,
    onPair: (n) => progress(0, 1, `turned on, ${size}, ${engine}, ${n} rounds`),
  });
  const result = { pairs, ms, makeMs: {}, make: {}, whole: {} };
  for (const name of Object.keys(sides)) result.makeMs[name] = round(median(makes[name].slice(-pairs)));
  for (const name of ['first', 'other slot', 'again']) {
    const ratios = makes.cold.slice(-pairs).map((cold, i) => cold / makes[name].at(i - pairs));
    const text = `turned on, ${size}, ${name}, ${engine}`;
    result.make[name] = judged(
      `${text}: made in ${result.makeMs[name]} ms, a cold pipeline in ${result.makeMs.cold}, times faster`,
      medianInterval(ratios).map(round),
      OVER_ENABLING,
      true
    );
    result.whole[name] = judged(
      `${text}: drawn after ${ms[name]} ms, a cold pipeline after ${ms.cold}, times faster`,
      ratio('cold', name)
    );
  }
  device.destroy();
  return result;
}

const results = {};
for (const name of chosen) results[name] = await PARTS[name]();
if (chosen.length === Object.keys(PARTS).length) {
  keep('modular', { unit: 'ms', engine: await engineOf(), threads, results });
  writeReport();
}
process.exit(0);
