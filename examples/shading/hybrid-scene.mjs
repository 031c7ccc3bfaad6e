// Dunes of wax with balls in them, for examples/shading/hybrid.mjs and the benchmarks. Shadows, ambient occlusion,
// subsurface scattering and diffuse light change slowly over the picture. Ripples mirror the sun in glints smaller than
// a pixel. The scene is shaded in three ways:
//
//   pixel    everything once per pixel
//   sample   everything once per sample
//   hybrid   in fragment stages: slowly changing light once per pixel; the depth test and specular light once per
//            sample (the forward rendering of US 9,082,212, "hybrid mode")
//
// The scene uses only exactly rounded Math functions, so that it is the same on every platform.
import { texelsOf } from '../compare.mjs';

/**
 * Sides of the shadow map and of the height map in texels; half the side and the centre of the square that both cover,
 * in scene units.
 */
const SHADOWS = 1024;
const HEIGHTS = 256;
const HALF = 12;
const CENTRE = [0, -5];
const SUN = [0.4, 0.62, -0.675];
/** Extent of the dunes in x and z, and their divisions. Divisions get longer with distance. */
const LEFT = -11;
const NEAR = 5.8;
const SIDES = [22, 20];
const COLUMNS = 96;
const ROWS = 72;
/** Position in x and z, height of the centre above the dunes, radius. */
const BALLS = [
  [-1.6, 0.6, 0.25, 0.55],
  [1.5, -0.4, 0.3, 0.75],
  [0.1, -3.2, 0.3, 0.8],
  [-3.6, -4, 0.5, 1],
  [4.2, -5, 0.4, 1.1],
];
const VERTEX = {
  arrayStride: 36,
  attributes: [0, 1, 2].map((i) => ({ shaderLocation: i, offset: i * 12, format: 'float32x3' })),
};
const TEXTURE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, ATTACHMENT: 16 };
const BUFFER = { COPY_SRC: 4, COPY_DST: 8, INDEX: 16, VERTEX: 32, UNIFORM: 64, STORAGE: 128 };

/** A smooth wave: 0 … 1 and back over one turn. */
function wave(turns) {
  const u = Math.abs(turns - Math.floor(turns) - 0.5) * 2;
  return u * u * (3 - 2 * u);
}
const heightAt = (x, z) =>
  0.75 * wave(0.17 * x + 0.3 * wave(0.13 * z)) * (0.6 + 0.4 * wave(0.11 * z + 0.2)) + 0.3 * wave(0.36 * z + 0.12 * x);
function normalAt(x, z) {
  const step = 1 / 256;
  const dx = (heightAt(x + step, z) - heightAt(x - step, z)) / (2 * step);
  const dz = (heightAt(x, z + step) - heightAt(x, z - step)) / (2 * step);
  const length = Math.sqrt(dx * dx + 1 + dz * dz);
  return [-dx / length, 1 / length, -dz / length];
}
/** Returns a point of the unit circle; each whole number is a quarter turn. */
function round(quarters) {
  const q = Math.floor(quarters);
  const u = quarters - q;
  const d = 1 + u * u;
  const x = (1 - u * u) / d;
  const y = (2 * u) / d;
  return [
    [x, y],
    [-y, x],
    [-x, -y],
    [y, -x],
  ][q & 3];
}

/** Adds triangle indices for rows of vertices, counter-clockwise seen from outside. */
function addRows(indices, { first, rows, columns }) {
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const k = first + row * (columns + 1) + column;
      const below = k + columns + 1;
      indices.push(k, below, k + 1, k + 1, below, below + 1);
    }
}
/** Returns position, normal and colour of each vertex: first the balls, then the dunes. */
function meshOf() {
  const vertices = [];
  const indices = [];
  const RINGS = 28;
  const ACROSS = 56;
  BALLS.forEach(([x, z, above, radius], ball) => {
    addRows(indices, { first: vertices.length / 9, rows: RINGS, columns: ACROSS });
    const color = [
      [0.75, 0.25, 0.2],
      [0.3, 0.5, 0.35],
      [0.8, 0.65, 0.3],
    ][ball % 3];
    for (let ring = 0; ring <= RINGS; ring++)
      for (let k = 0; k <= ACROSS; k++) {
        const [y, s] = round((ring / RINGS) * 2);
        const [c, d] = round((-k / ACROSS) * 4);
        const n = [c * s, y, d * s];
        const middle = [x, heightAt(x, z) + above, z];
        vertices.push(...n.map((each, i) => middle[i] + each * radius), ...n, ...color);
      }
  });
  addRows(indices, { first: vertices.length / 9, rows: ROWS, columns: COLUMNS });
  for (let row = 0; row <= ROWS; row++)
    for (let column = 0; column <= COLUMNS; column++) {
      const far = 1 - row / ROWS;
      const x = LEFT + (column / COLUMNS) * SIDES[0];
      const z = NEAR - SIDES[1] * far * (0.4 + 0.6 * far);
      vertices.push(x, heightAt(x, z), z, ...normalAt(x, z), 0.72, 0.6, 0.45);
    }
  return { vertices: Float32Array.from(vertices), indices: Uint32Array.from(indices) };
}

/** WGSL that all shaders share. */
const COMMON = (aspect) => `
const sun = vec3f(${SUN});
const eye = vec3f(0, 3.1, 7.2);
const ahead = vec3f(0, -0.4, -0.9165);
const above = vec3f(0, 0.9165, -0.4);
// Looking along the sun's light, which the square of the maps is seen by from above, slanted.
fn lightOf(p: vec3f) -> vec3f {
  let flat_ = p.xz - p.y * sun.xz / sun.y - vec2f(${CENTRE});
  return vec3f(flat_ / ${HALF}, 0.8 - p.y * 0.2);
}
fn seenFrom(p: vec3f) -> vec4f {
  let v = p - eye;
  let away = dot(v, ahead);
  return vec4f(v.x / ${0.4 * aspect}, dot(v, above) / 0.4, (away - 1) * 40.0 / 39, away);
}`;
const CASTER = `
@vertex fn caster(@location(0) p: vec3f) -> @builtin(position) vec4f { return vec4f(lightOf(p), 1); }`;

/** `sampling`: interpolation sampling of all varyings; `more`: additional position and normal at each sample. */
const seen = (sampling, more) => `
struct Seen {
  @builtin(position) position: vec4f,
  @location(0) @interpolate(perspective, ${sampling}) p: vec3f,
  @location(1) @interpolate(perspective, ${sampling}) n: vec3f,
  @location(2) @interpolate(perspective, ${sampling}) color: vec3f,
  ${
    more
      ? `@location(3) @interpolate(perspective, sample) p_own: vec3f,
  @location(4) @interpolate(perspective, sample) n_own: vec3f,`
      : ''
  }
}
@vertex fn vertex(@location(0) p: vec3f, @location(1) n: vec3f, @location(2) color: vec3f) -> Seen {
  return Seen(seenFrom(p), p, n, color${more ? ', p, n' : ''});
}`;

/** The parts of the lighting, in the order of the stages. */
const LIGHT = `
@group(0) @binding(0) var shadows: texture_depth_2d;
@group(0) @binding(1) var compare: sampler_comparison;
@group(0) @binding(2) var heights: texture_2d<f32>;
@group(0) @binding(3) var<uniform> balls: array<vec4f, ${BALLS.length}>;
@group(0) @binding(4) var<uniform> tick: f32;

fn placeOf(light: vec3f) -> vec2f { return light.xy * vec2f(0.5, -0.5) + 0.5; }
// The share of 16 places around that the sun reaches.
fn shadowAt(p: vec3f, n: vec3f) -> f32 {
  let light = lightOf(p + n * 0.04);
  let uv = placeOf(light);
  var sum = 0.0;
  for (var y = -1.5; y < 2; y += 1) { for (var x = -1.5; x < 2; x += 1) {
    sum += textureSampleCompareLevel(shadows, compare, uv + vec2f(x, y) * ${1.5 / SHADOWS}, light.z - 0.002);
  } }
  return sum / 16;
}
// What of the sky is hidden: by balls, each as large as it looks, and by dunes that rise around.
fn occlusionAt(p: vec3f, n: vec3f) -> f32 {
  var open = 1.0;
  for (var i = 0; i < ${BALLS.length}; i++) {
    let way = balls[i].xyz - p;
    let square = dot(way, way);
    let share = balls[i].w * balls[i].w / max(square, 0.001);
    // Points of the ball itself see nothing of it.
    open *= 1 - 0.8 * max(dot(n, way) * inverseSqrt(square), 0) * min(share, 1)
      * f32(square > balls[i].w * balls[i].w * 1.01);
  }
  let middle = (p.xz - vec2f(${CENTRE})) * ${HEIGHTS / 2 / HALF} + ${HEIGHTS / 2};
  // Two rings of eight places each, 4 and 10 texels away.
  var hidden = 0.0;
  for (var k = 0; k < 16; k++) {
    let way = array(vec2f(1, 0), vec2f(0.7), vec2f(0, 1), vec2f(-0.7, 0.7))[k & 3] * select(1.0, -1.0, (k & 4) != 0);
    let away = select(4.0, 10.0, k > 7);
    let high = textureLoad(heights, vec2i(middle + way * away), 0).x;
    hidden += clamp((high - p.y) * ${HEIGHTS / 2 / HALF} / away, 0, 1);
  }
  return open * (1 - hidden / 16);
}
// Light that has come through the wax: the less, the more of it lies between here and where the sun enters.
fn subsurfaceAt(p: vec3f, n: vec3f, color: vec3f) -> vec3f {
  let light = lightOf(p - n * 0.05);
  let at = placeOf(light) * ${SHADOWS};
  var thickness = 0.0;
  for (var k = 0; k < 16; k++) {
    let near = textureLoad(shadows, vec2i(at + vec2f(f32(k & 3), f32(k >> 2)) * 4 - 6), 0);
    thickness += max(light.z - near, 0) * 0.3125;
  }
  let through = exp(-6 * thickness) * (0.35 + 0.3 * max(-dot(n, sun), 0));
  return color * color * through;
}
fn diffuseAt(p: vec3f, n: vec3f, color: vec3f, lit: f32, open: f32, through: vec3f) -> vec3f {
  let sky = mix(vec3f(0.22, 0.18, 0.15), vec3f(0.3, 0.38, 0.5), n.y * 0.5 + 0.5) * open;
  let light = color * (sky + vec3f(1.5, 1.35, 1.1) * max(dot(n, sun), 0) * lit) + through;
  return mix(light, vec3f(0.62, 0.66, 0.72), fogAt(p));
}
fn fogAt(p: vec3f) -> f32 { return smoothstep(11, 26, length(p - eye) + tick); }
// Halfway between the sun and the eye, and how much of the sun is mirrored.
fn halfwayAt(p: vec3f, lit: f32) -> vec4f {
  return vec4f(normalize(sun + normalize(eye - p)), 2.2 * lit * (1 - fogAt(p)));
}
// Of fine ripples, by the slope of \`wave\` along two directions; balls have them, too.
fn specularAt(p: vec3f, n: vec3f, halfway: vec4f) -> f32 {
  let turns = vec2f(p.x * 8.5 + p.z * 2.7 + p.y, p.z * 6.3 - p.x * 1.9);
  let t = turns - floor(turns) - 0.5;
  let u = abs(t) * 2;
  let slope = sign(t) * u * (1 - u);
  let facing = dot(normalize(n + vec3f(slope.x * 0.9, 0, slope.y * 0.7)), halfway.xyz);
  return halfway.w * pow(max(facing, 0), 160);
}
fn shown(light: vec3f) -> vec4f { return vec4f(sqrt(light / (light + 0.5) * 1.25), 1); }`;

const WHOLE = `
fn wholeOf(v: Seen) -> vec4f {
  let n = normalize(v.n);
  let lit = shadowAt(v.p, n);
  let open = occlusionAt(v.p, n);
  let through = subsurfaceAt(v.p, n, v.color);
  let light = diffuseAt(v.p, n, v.color, lit, open, through);
  return vec4f(light, specularAt(v.p, v.n, halfwayAt(v.p, lit)));
}
@fragment fn whole(v: Seen) -> @location(0) vec4f {
  let light = wholeOf(v);
  return shown(light.rgb + light.a);
}
// Of the sample alone, for finding out where it matters.
@fragment fn glints(v: Seen) -> @location(0) vec4f { return vec4f(vec3f(wholeOf(v).a), 1); }`;
/** `counts`: also counts how often the last stage runs for each pixel. */
const STAGES = (width, counts) => `
${counts ? '@group(0) @binding(5) var<storage, read_write> sets: array<atomic<u32>>;' : ''}
@fragment fn shadow(@location(0) p: vec3f, @location(1) n: vec3f) -> @link(0) f32 { return shadowAt(p, normalize(n)); }
@fragment fn occlusion(@location(0) p: vec3f, @location(1) n: vec3f) -> @link(1) f32 {
  return occlusionAt(p, normalize(n));
}
@fragment fn subsurface(@location(0) p: vec3f, @location(1) n: vec3f, @location(2) color: vec3f) -> @link(2) vec3f {
  return subsurfaceAt(p, normalize(n), color);
}
struct Diffuse { @link(3) light: vec3f, @link(4) halfway: vec4f }
@fragment fn diffuse(
  @location(0) p: vec3f, @location(1) n: vec3f, @location(2) color: vec3f,
  @link(0) lit: f32, @link(1) open: f32, @link(2) through: vec3f
) -> Diffuse {
  return Diffuse(diffuseAt(p, normalize(n), color, lit, open, through), halfwayAt(p, lit));
}
@fragment fn specular(
  @builtin(position) position: vec4f, @location(3) @interpolate(perspective, sample) p: vec3f,
  @location(4) @interpolate(perspective, sample) n: vec3f,
  @link(3) light: vec3f, @link(4) halfway: vec4f, @builtin(sample_depth) stored: f32
) -> @location(0) vec4f {
  ${counts ? `atomicAdd(&sets[u32(position.y) * ${width} + u32(position.x)], 1);` : ''}
  if (position.z >= stored) { discard; }
  return shown(light + specularAt(p, n, halfway));
}`;
const STAGE_LIST = [
  ...['shadow', 'occlusion', 'subsurface', 'diffuse'].map((entryPoint) => ({ entryPoint, rate: 'pixel' })),
  { entryPoint: 'specular', rate: 'sample' },
];

/** WGSL that finds pixels whose sample depths cannot belong to one surface. */
const EDGES = (samples) => `
@group(0) @binding(0) var depths: texture_depth_multisampled_2d;
@vertex fn all(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
}
@fragment fn edge(@builtin(position) p: vec4f) -> @location(0) vec4f {
  var near = 1e9;
  var far = 0.0;
  for (var i = 0; i < ${samples}; i++) {
    let away = 40 / (40 - 39 * textureLoad(depths, vec2u(p.xy), i));
    near = min(near, away);
    far = max(far, away);
  }
  return vec4f(f32(far > near * 1.03));
}`;

/** Returns the vertex and fragment parts of the pipeline for one of the ways. */
function partsOf(device, way, { width, height, format }) {
  const isStaged = way === 'hybrid' || way === 'counted';
  const isEach = way === 'sample' || way === 'glints';
  const module = device.createShaderModule({
    code: `${isStaged ? 'enable fragment_stages;' : ''}
    ${COMMON(width / height)} ${seen(isEach ? 'sample' : 'center', isStaged)} ${LIGHT}
    ${isStaged ? STAGES(width, way === 'counted') : WHOLE}`,
  });
  const run = isStaged ? { stages: STAGE_LIST } : { entryPoint: way === 'glints' ? 'glints' : 'whole' };
  return {
    vertex: { module, entryPoint: 'vertex', buffers: [VERTEX] },
    fragment: { module, ...run, targets: [{ format }] },
    depthStencil: {
      format: 'depth32float',
      depthWriteEnabled: true,
      // The last stage of the hybrid ways does its own depth test.
      depthCompare: isStaged ? 'always' : 'less',
    },
  };
}

const upload = (device, data, usage) => {
  const buffer = device.createBuffer({ size: data.byteLength, usage: usage | BUFFER.COPY_DST });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
};
function heightsOf(device) {
  const texels = Float32Array.from({ length: HEIGHTS * HEIGHTS }, (_, i) => {
    const [x, z] = [i % HEIGHTS, Math.floor(i / HEIGHTS)].map((k) => ((k + 0.5) / HEIGHTS) * 2 - 1);
    return heightAt(x * HALF + CENTRE[0], z * HALF + CENTRE[1]);
  });
  const size = [HEIGHTS, HEIGHTS];
  const texture = device.createTexture({ size, format: 'r32float', usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST });
  device.queue.writeTexture({ texture }, texels, { bytesPerRow: HEIGHTS * 4 }, size);
  return texture;
}

/**
 * Creates the scene on a device. The ways 'hybrid' and 'counted' need the feature 'fragment-stages'. `render(way)`
 * draws a frame into `color`, and stores its depth if `keepsDepth`. 'counted' is 'hybrid' that also counts, in the
 * buffer `sets` (one u32 per pixel), how often the last stage ran. 'glints' is the specular light of 'sample' alone.
 */
export function hybridScene(device, { width, height, samples, format = 'rgba8unorm' }) {
  const size = [width, height];
  const { ATTACHMENT, SAMPLED, COPY_SRC } = TEXTURE;
  const { vertices, indices } = meshOf();
  const target = (of, sampleCount, usage) => device.createTexture({ size, format: of, sampleCount, usage });
  const color = target(format, 1, ATTACHMENT | COPY_SRC);
  const many = samples > 1 ? target(format, samples, ATTACHMENT) : null;
  const depth = target('depth32float', samples, ATTACHMENT | SAMPLED);
  const shadows = device.createTexture({
    size: [SHADOWS, SHADOWS],
    format: 'depth32float',
    usage: ATTACHMENT | SAMPLED,
  });
  const mesh = upload(device, vertices, BUFFER.VERTEX);
  const triangles = upload(device, indices, BUFFER.INDEX);
  const sets = device.createBuffer({
    size: width * height * 4,
    usage: BUFFER.STORAGE | BUFFER.COPY_SRC | BUFFER.COPY_DST,
  });
  const tick = upload(device, Float32Array.of(0), BUFFER.UNIFORM);
  const balls = upload(
    device,
    Float32Array.from(BALLS.flatMap(([x, z, above, radius]) => [x, heightAt(x, z) + above, z, radius])),
    BUFFER.UNIFORM
  );
  const compare = device.createSampler({ compare: 'less', magFilter: 'linear', minFilter: 'linear' });
  const resources = [
    shadows.createView(),
    compare,
    heightsOf(device).createView(),
    { buffer: balls },
    { buffer: tick },
  ];
  const castModule = device.createShaderModule({ code: COMMON(width / height) + CASTER });
  const cast = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module: castModule, buffers: [VERTEX] },
    depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'less' },
  });
  const ways = new Map();
  function wayOf(way) {
    if (ways.has(way)) return ways.get(way);
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      ...partsOf(device, way, { width, height, format }),
      multisample: { count: samples },
      primitive: { cullMode: 'back' },
    });
    const all = way === 'counted' ? [...resources, { buffer: sets }] : resources;
    const made = {
      pipeline,
      group: device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: all.map((resource, binding) => ({ binding, resource })),
      }),
    };
    ways.set(way, made);
    return made;
  }
  const depthOf = (texture, isKept) => ({
    view: texture.createView(),
    depthLoadOp: 'clear',
    depthClearValue: 1,
    depthStoreOp: isKept ? 'store' : 'discard',
  });
  /** Records a render pass that draws the mesh. */
  function draw(encoder, { pipeline, group }, descriptor) {
    const pass = encoder.beginRenderPass(descriptor);
    pass.setPipeline(pipeline);
    if (group) pass.setBindGroup(0, group);
    pass.setVertexBuffer(0, mesh);
    pass.setIndexBuffer(triangles, 'uint32');
    pass.drawIndexed(indices.length);
    pass.end();
  }
  return {
    color,
    sets,
    /** Marks in `color` the pixels where the stored depth of the last frame has edges. Needs more than one sample. */
    renderEdges() {
      const module = device.createShaderModule({ code: EDGES(samples) });
      const encoder = device.createCommandEncoder();
      const pipeline = device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: { module, targets: [{ format }] },
      });
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: color.createView(), loadOp: 'clear', storeOp: 'store' }],
      });
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [{ binding: 0, resource: depth.createView() }],
        })
      );
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
    },
    render(way, { now = 0, keepsDepth = false } = {}) {
      device.queue.writeBuffer(tick, 0, Float32Array.of(now));
      const encoder = device.createCommandEncoder();
      draw(encoder, { pipeline: cast }, { colorAttachments: [], depthStencilAttachment: depthOf(shadows, true) });
      draw(encoder, wayOf(way), {
        colorAttachments: [
          {
            view: (many ?? color).createView(),
            ...(many ? { resolveTarget: color.createView() } : {}),
            loadOp: 'clear',
            storeOp: many ? 'discard' : 'store',
            clearValue: way === 'glints' ? [0, 0, 0, 1] : [0.83, 0.85, 0.87, 1],
          },
        ],
        depthStencilAttachment: depthOf(depth, keepsDepth),
      });
      device.queue.submit([encoder.finish()]);
    },
  };
}

/** Returns the indices of pixels with specular light or depth edges: only there do the ways to shade differ. */
export async function edgesOf(device, scene) {
  scene.render('glints', { keepsDepth: true });
  const glints = await texelsOf(device, scene.color);
  scene.renderEdges();
  const edges = await texelsOf(device, scene.color);
  return (i) => glints[i * 4] > 12 || edges[i * 4] > 0;
}
