// Shaders, pipelines, grids and comparisons that the parts of the benchmark of modular pipelines share (modular.mjs).
import { globals } from '../../build/index.js';
import { openDevice } from '../support/device.mjs';
import { roundTo } from '../support/machine.mjs';
import { compare, frameOf } from '../support/pairs.mjs';
import { progress, say } from '../support/progress.mjs';

const { GPUBufferUsage, GPUShaderStage, GPUTextureUsage } = globals;
const { THREADS = 0, MS: FOR_MS = 1500 } = process.env;
export const MS = Number(FOR_MS);
export const threads = Number(THREADS);

export const SIZE = [640, 360];
export const FORMAT = 'rgba8unorm';
const FRAGMENT = '@fragment fn fs(@location(0) color: vec3f) -> @location(0) vec4f { return vec4f(color, 1); }';
/** Three octaves of lattice noise with its gradient: a modifier of realistic size. */
export const NOISE = `
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
      mix(hash(cell), hash(cell + vec3i(1, 0, 0)), t.x),
        mix(hash(cell + vec3i(0, 1, 0)), hash(cell + vec3i(1, 1, 0)), t.x), t.y
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
    return vec3f(rough(p + vec3f(0.01, 0, 0)), rough(p + vec3f(0, 0.01, 0)), rough(p + vec3f(0, 0, 0.01))) * 100
      - 100 * here;
  }`;
/** `k`: makes the shader unique. `more`: NOISE, which `wave` then uses. */
export const functions = (k, more = '') => `enable modular_pipelines;
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
  @vertex fn whole(@location(0) p: vec3f, @location(1) n: vec3f) -> Seen {
    return seen(waved(twisted(V(p, n, vec3f()))));
  }
  @vertex fn twist(@location(0) p: vec3f, @location(1) n: vec3f) -> V { return twisted(V(p, n, vec3f())); }
  @vertex fn wave(v: V) -> V { return waved(v); }
  @vertex fn look(v: V) -> Seen { return seen(v); }`;
export const CHAIN = ['twist', 'wave', 'look'];
export const BUFFERS = [
  { arrayStride: 24, attributes: [0, 1].map((i) => ({ shaderLocation: i, offset: 12 * i, format: 'float32x3' })) },
];

export async function open(options = {}, code = functions('override k: f32 = 0.75;')) {
  const device = await openDevice({ options: { threads, ...options }, features: ['modular-pipelines'] });
  const fragment = { module: device.createShaderModule({ code: FRAGMENT }), targets: [{ format: FORMAT }] };
  const group = device.createBindGroupLayout({
    entries: [{ binding: 0, visibility: GPUShaderStage.VERTEX, buffer: {} }],
  });
  const layout = device.createPipelineLayout({ bindGroupLayouts: [group] });
  return { device, fragment, group, layout, module: device.createShaderModule({ code }) };
}

/** `stages`: entry points of a module, or slots as in a pipeline's descriptor. */
export const tableOf = ({ device, fragment, layout, module }, stages, input) =>
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
export const pipelineOf = ({ device, fragment, layout, module }, entryPoint) =>
  device.createRenderPipeline({ layout, vertex: { module, entryPoint, buffers: BUFFERS }, fragment });

export function bufferOf(device, contents, usage) {
  const buffer = device.createBuffer({ size: contents.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(buffer, 0, contents);
  return buffer;
}

/**
 * Creates frames of the draw calls that `draw` records, with the vertices and the bind group set. `prepare`: gets the
 * pass before its draw calls.
 */
export function framesOf({ device, group }, data, draw) {
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
export function gridOf(own, side) {
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

export const round = roundTo(3);

/** Prints a ratio with its interval. A limit is missed if the whole interval is beyond it. */
export function judged(text, [value, ...interval], limit, atLeast = false) {
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
export async function ratioOf(text, sides, limit) {
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
export async function overOf(text, sides, limit) {
  const [first, second] = Object.keys(sides);
  const { pairs, ms, ratios } = await compare(sides, {
    forMs: MS,
    warmMs: 300,
    onPair: (n) => progress(0, 1, `${text}, ${n} pairs`),
  });
  const told = judged(`${text}, ${first} ${ms[first]} ms, ${second} ${ms[second]}, ratio`, ratios[first], limit, true);
  return { pairs, ms, ...told };
}
