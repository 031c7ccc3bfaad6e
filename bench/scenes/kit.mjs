// Helpers that the scenes share: WebGPU's constants as numbers, uploads, the picture and its tick, cameras, short forms
// of pipelines and bind groups, and common WGSL. The code uses only exact operations (+, −, ×, ÷ and sqrt), so that
// every scene has the same bits everywhere.

export const BUFFER = { MAP_READ: 1, COPY_DST: 8, INDEX: 16, VERTEX: 32, UNIFORM: 64, STORAGE: 128 };
export const TEXTURE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, ATTACHMENT: 16 };
export const FORMAT = 'rgba8unorm';

export function upload(device, data, usage) {
  const buffer = device.createBuffer({ size: (data.byteLength + 3) & ~3, usage: usage | BUFFER.COPY_DST });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
}

/** Reads back an rgba8unorm texture, row by row. */
export async function readback(device, texture) {
  const rowBytes = Math.ceil(texture.width / 64) * 256;
  const buffer = device.createBuffer({ size: rowBytes * texture.height, usage: BUFFER.COPY_DST | BUFFER.MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: rowBytes }, [texture.width, texture.height]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(1);
  const rows = new Uint8Array(buffer.getMappedRange());
  const pixels = new Uint8Array(texture.width * texture.height * 4);
  for (let y = 0; y < texture.height; y++)
    pixels.set(rows.subarray(y * rowBytes, y * rowBytes + texture.width * 4), y * texture.width * 4);
  buffer.destroy();
  return pixels;
}

/** Hashes an integer to 0…1, like WGSL's `hash` below. */
export function hash(n) {
  const x = (Math.imul(n, 747796405) + 2891336453) >>> 0;
  const y = Math.imul((x >>> ((x >>> 28) + 4)) ^ x, 277803737) >>> 0;
  return (((y >>> 22) ^ y) >>> 8) / 16777216;
}

/** A smooth field of −1…1 over the plane, from hashes at integer points. */
export function noise(x, y, seed = 0) {
  const i = Math.floor(x);
  const j = Math.floor(y);
  const u = x - i;
  const v = y - j;
  const s = u * u * (3 - 2 * u);
  const t = v * v * (3 - 2 * v);
  const at = (a, b) => hash((i + a) * 1597 + (j + b) * 51749 + seed * 7919) * 2 - 1;
  const low = at(0, 0) + (at(1, 0) - at(0, 0)) * s;
  const high = at(0, 1) + (at(1, 1) - at(0, 1)) * s;
  return low + (high - low) * t;
}

/** A point of the unit circle; each whole number is a quarter turn. */
export function round(t) {
  const q = Math.floor(t);
  const u = t - q;
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

const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export function normalize(a) {
  const length = Math.sqrt(dot(a, a));
  return [a[0] / length, a[1] / length, a[2] / length];
}

/** Column-major 4×4 product a × b. */
export function multiply(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 4; r++) for (let k = 0; k < 4; k++) out[c * 4 + r] += a[k * 4 + r] * b[c * 4 + k];
  return out;
}

export function lookAt(eye, target, up = [0, 1, 0]) {
  const z = normalize(subtract(eye, target));
  const x = normalize(cross(up, z));
  const y = cross(z, x);
  return Float32Array.of(
    x[0],
    y[0],
    z[0],
    0,
    x[1],
    y[1],
    z[1],
    0,
    x[2],
    y[2],
    z[2],
    0,
    -dot(x, eye),
    -dot(y, eye),
    -dot(z, eye),
    1
  );
}

/** `cot`: cotangent of half the vertical field of view. */
function perspective(aspect, cot, near, far) {
  const a = far / (near - far);
  return Float32Array.of(cot / aspect, 0, 0, 0, 0, cot, 0, 0, 0, 0, a, -1, 0, 0, near * a, 0);
}

/** Covers −half…half in x and y, and 0…depth in front of the camera. */
export const orthographic = (half, depth) =>
  Float32Array.of(1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -1 / depth, 0, 0, 0, 0, 1);

/** WGSL type of the uniform of `cameraOf`. */
export const CAMERA = 'struct Camera { m: mat4x4f, eye: vec3f, tick: f32, right: vec4f, up: vec4f, ahead: vec4f };';

/**
 * Creates a camera in a uniform buffer: projection × view, its position, the tick, and the axes of the picture. A ray
 * is `ahead` plus x × `right` plus y × `up`, with x and y in −1…1. The camera drifts with the tick, so that no two
 * frames are equal.
 */
export function cameraOf(device, { width, height }, { eye, target, cot = 1.8, near = 0.1, far = 100, drift = 1 }) {
  const buffer = device.createBuffer({ size: 128, usage: BUFFER.UNIFORM | BUFFER.COPY_DST });
  const projection = perspective(width / height, cot, near, far);
  return {
    buffer,
    update(tick) {
      const at = [eye[0] + tick * drift, eye[1], eye[2]];
      const view = lookAt(at, target);
      const axis = (k, scale) => [view[k] * scale, view[k + 4] * scale, view[k + 8] * scale, 0];
      device.queue.writeBuffer(
        buffer,
        0,
        Float32Array.of(
          ...multiply(projection, view),
          ...at,
          tick,
          ...axis(0, width / height / cot),
          ...axis(1, 1 / cot),
          ...axis(2, -1)
        )
      );
    },
  };
}

const TICKS = 50;

/**
 * Creates the picture of a scene. `attachment`: its colour attachment, with a resolve target if multisampled. `frame`
 * submits what `record` encodes, and passes the tick to it, a small number that changes every frame.
 */
export function canvas(device, { width, height, samples }) {
  const size = [width, height];
  const color = device.createTexture({ size, format: FORMAT, usage: TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC });
  const many =
    samples > 1
      ? device.createTexture({ size, format: FORMAT, sampleCount: samples, usage: TEXTURE.ATTACHMENT })
      : null;
  let frames = 0;
  return {
    color,
    attachment: (clearValue = [0, 0, 0, 1]) => ({
      view: (many ?? color).createView(),
      ...(many ? { resolveTarget: color.createView() } : {}),
      loadOp: 'clear',
      storeOp: many ? 'discard' : 'store',
      clearValue,
    }),
    frame(record) {
      const encoder = device.createCommandEncoder();
      record(encoder, (++frames % TICKS) / 1000);
      device.queue.submit([encoder.finish()]);
    },
  };
}

/** A depth attachment of the picture's size that is cleared and discarded. */
export function depthAttachment(device, { width, height, samples }, format = 'depth32float') {
  const texture = device.createTexture({
    size: [width, height],
    format,
    sampleCount: samples,
    usage: TEXTURE.ATTACHMENT,
  });
  return {
    view: texture.createView(),
    depthLoadOp: 'clear',
    depthStoreOp: 'discard',
    depthClearValue: 1,
    ...(format.includes('stencil') ? { stencilLoadOp: 'clear', stencilStoreOp: 'discard', stencilClearValue: 0 } : {}),
  };
}

export const DEPTH = { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true };
/** Blend state for premultiplied source-over. */
export const OVER = {
  color: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
  alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
};

/**
 * Creates a pipeline with the entry points `vs` and `fs`. `targets: []`: depth only, without a fragment stage.
 * `multisample` is added to the sample count.
 */
export function pipelineOf(
  device,
  code,
  { buffers = [], targets = [{ format: FORMAT }], samples = 1, cullMode = 'none', depth = DEPTH, multisample = {} }
) {
  const module = device.createShaderModule({ code });
  return device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, entryPoint: 'vs', buffers },
    ...(targets.length ? { fragment: { module, entryPoint: 'fs', targets } } : {}),
    primitive: { topology: 'triangle-list', cullMode },
    multisample: { count: samples, ...multisample },
    ...(depth ? { depthStencil: depth } : {}),
  });
}

/** Binds resources at 0, 1, … of a group. Buffers may be passed directly. */
export function bound(device, pipeline, resources, group = 0) {
  return device.createBindGroup({
    layout: pipeline.getBindGroupLayout(group),
    entries: resources.map((resource, binding) => ({
      binding,
      resource: typeof resource.mapAsync === 'function' ? { buffer: resource } : resource,
    })),
  });
}

/** Attributes at locations `first`, first + 1, …, interleaved in one buffer. `counts`: floats per attribute. */
export function floats(counts, { first = 0, stepMode = 'vertex' } = {}) {
  let offset = 0;
  const attributes = counts.map((count, k) => {
    const attribute = { shaderLocation: first + k, offset, format: count === 1 ? 'float32' : `float32x${count}` };
    offset += count * 4;
    return attribute;
  });
  return { arrayStride: offset, stepMode, attributes };
}

/** A vertex stage that covers the picture at maximum depth. `uv` has its origin at the top left. */
export const WHOLE = `
struct Whole { @builtin(position) p: vec4f, @location(0) uv: vec2f };
@vertex fn vs(@builtin(vertex_index) i: u32) -> Whole {
  let q = vec2f(f32(i & 1u) * 2, f32(i >> 1u) * 2);
  return Whole(vec4f(q * 2 - 1, 1, 1), vec2f(q.x, 1 - q.y));
}`;
export const HASH = `
fn hash(n: u32) -> f32 {
  var x = n * 747796405u + 2891336453u;
  x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
  return f32(((x >> 22u) ^ x) >> 8u) / 16777216.0;
}`;
/** Environment light: a blue sky over a brown ground, with a sun. */
export const SKY = `
const SUN = vec3f(0.48, 0.72, 0.5);
fn sky(d: vec3f) -> vec3f {
  let up = mix(vec3f(0.75, 0.82, 0.9), vec3f(0.25, 0.45, 0.8), saturate(d.y * 1.6));
  return mix(up, vec3f(0.3, 0.27, 0.22), 1 - smoothstep(-0.06, 0.02, d.y));
}
fn ambient(n: vec3f) -> vec3f { return mix(vec3f(0.2, 0.17, 0.13), vec3f(0.35, 0.45, 0.6), n.y * 0.5 + 0.5); }
fn display(c: vec3f) -> vec3f {
  let x = c * 0.45;
  return pow(saturate(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14)), vec3f(1 / 2.2));
}`;
