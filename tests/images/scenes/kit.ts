// Code shared by the scenes: a 128×128 picture, the constants of the WebGPU specification as numbers, and short forms
// of common calls. No imports: the same files run in Node and in a page, on any WebGPU implementation.

export const SIZE = 128;

export interface Frame {
  device: GPUDevice;
  /** 1 or 4. */
  samples: number;
}

export interface Scene {
  /** What can go wrong, in one line. */
  shows: string;
  /** Sample counts to draw it with. */
  samples: readonly number[];
  /** Largest difference of a channel that still counts as equal, of 255. */
  within: number;
  /** Share of the pixels that must equal one reference. */
  share: number;
  /**
   * How far a channel of any other pixel may be outside of the range that the reference has there and in the eight
   * pixels around it, of 255.
   */
  stray: number;
  /** For pictures that are known exactly: returns a description of what is wrong, or undefined. */
  expect?: (pixels: Uint8Array, samples: number) => string | undefined;
  /** Submits everything and returns an rgba8unorm texture of SIZE × SIZE with COPY_SRC. */
  draw(frame: Frame): GPUTexture;
}

/** All sample counts with which a scene can be drawn with the feature 'extended-sample-counts'. */
export const allCounts = (scene: Scene): readonly number[] =>
  scene.samples.includes(4) ? [...scene.samples, 2, 8, 16] : scene.samples;

/** Fills in default tolerances: 99 % of the pixels within 8/255, the others no farther from their neighborhood. */
export function scene(
  shows: string,
  draw: (frame: Frame) => GPUTexture,
  options: Partial<Omit<Scene, 'shows' | 'draw'>> = {}
): Scene {
  return { shows, draw, samples: [1], within: 8, share: 0.99, stray: options.within ?? 8, ...options };
}

// https://www.w3.org/TR/webgpu/#namespacedef-gpubufferusage and similar namespaces
export const BUFFER = {
  MAP_READ: 1,
  COPY_SRC: 4,
  COPY_DST: 8,
  INDEX: 16,
  VERTEX: 32,
  UNIFORM: 64,
  STORAGE: 128,
  INDIRECT: 256,
} as const;
export const TEXTURE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, ATTACHMENT: 16 } as const;
export const STAGE = { VERTEX: 1, FRAGMENT: 2 } as const;
const MAP_MODE_READ = 1;

/** Common WGSL of most scenes: positions in pixels, rectangles of two triangles, a hash. */
export const PRELUDE = `
fn px(x: f32, y: f32, z: f32) -> vec4f { return vec4f(x / 64 - 1, 1 - y / 64, z, 1); }
fn corner(i: u32) -> vec2f {
  var q = array(vec2f(0, 0), vec2f(0, 1), vec2f(1, 0), vec2f(1, 0), vec2f(0, 1), vec2f(1, 1)); return q[i];
}
fn rect(i: u32, lo: vec2f, hi: vec2f, z: f32) -> vec4f { let p = mix(lo, hi, corner(i)); return px(p.x, p.y, z); }
fn whole(i: u32) -> vec4f { return rect(i, vec2f(0), vec2f(128), 0.5); }
// To a sixteenth of a pixel: what is exact in floats and in 24.8 fixed point falls on the same side of every edge
// everywhere.
fn snap(p: vec2f) -> vec2f { return round(p * 16) / 16; }
fn hash(n: u32) -> f32 {
  var x = n * 747796405u + 2891336453u; x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
  return f32(((x >> 22u) ^ x) >> 8u) / 16777216.0;
}
fn hue(k: u32) -> vec3f { return vec3f(vec3u(k * 97u + 61u, k * 57u + 151u, k * 151u + 31u) % 224u + 32u) / 255; }
`;

/** A vertex stage that covers the whole picture or viewport. */
export const COVER = `@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return whole(i); }`;

export function upload(device: GPUDevice, data: ArrayBufferView, usage: number): GPUBuffer {
  const buffer = device.createBuffer({
    size: Math.max(16, (data.byteLength + 3) & ~3),
    usage: usage | BUFFER.COPY_DST,
  });
  const padded = new Uint8Array((data.byteLength + 3) & ~3);
  padded.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  device.queue.writeBuffer(buffer, 0, padded);
  return buffer;
}

export interface PipelineOptions {
  prelude?: string;
  layout?: GPUPipelineLayout;
  formats?: GPUTextureFormat[];
  targets?: GPUColorTargetState[];
  blend?: GPUBlendState;
  writeMask?: number;
  buffers?: GPUVertexBufferLayout[];
  primitive?: GPUPrimitiveState;
  depth?: GPUDepthStencilState;
  samples?: number;
  mask?: number;
  alphaToCoverage?: boolean;
  constants?: Record<string, number>;
}

/**
 * A render pipeline whose WGSL has the entry points `vs` and `fs`; draws one rgba8unorm target at the frame's sample
 * count.
 */
export function pipeline({ device, samples }: Frame, code: string, o: PipelineOptions = {}): GPURenderPipeline {
  const module = device.createShaderModule({ code: (o.prelude ?? PRELUDE) + code });
  const targets =
    o.targets
    ?? (o.formats ?? ['rgba8unorm']).map((format): GPUColorTargetState => ({
      format,
      ...(o.blend ? { blend: o.blend } : {}),
      ...(o.writeMask === undefined ? {} : { writeMask: o.writeMask }),
    }));
  return device.createRenderPipeline({
    layout: o.layout ?? 'auto',
    vertex: { module, entryPoint: 'vs', buffers: o.buffers ?? [], ...(o.constants ? { constants: o.constants } : {}) },
    fragment: { module, entryPoint: 'fs', targets, ...(o.constants ? { constants: o.constants } : {}) },
    primitive: o.primitive ?? { topology: 'triangle-list' },
    multisample: {
      count: o.samples ?? samples,
      ...(o.mask === undefined ? {} : { mask: o.mask }),
      ...(o.alphaToCoverage ? { alphaToCoverageEnabled: true } : {}),
    },
    ...(o.depth ? { depthStencil: o.depth } : {}),
  });
}

export interface Canvas {
  /** The picture, with one sample per pixel. */
  texture: GPUTexture;
  /** The attachment, which resolves if the frame is multisampled. Clears unless told to load. */
  attachment(clear?: GPUColor | 'load'): GPURenderPassColorAttachment;
}

export const BACKGROUND = { r: 0.125, g: 0.125, b: 0.1875, a: 1 };
export const BLACK = { r: 0, g: 0, b: 0, a: 0 };

export function canvas({ device, samples }: Frame, format: GPUTextureFormat = 'rgba8unorm', usage = 0): Canvas {
  const size = [SIZE, SIZE];
  const texture = device.createTexture({ size, format, usage: TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC | usage });
  const many =
    samples > 1 ? device.createTexture({ size, format, sampleCount: samples, usage: TEXTURE.ATTACHMENT }) : null;
  return {
    texture,
    attachment: (clear = BACKGROUND) => ({
      view: (many ?? texture).createView(),
      ...(many ? { resolveTarget: texture.createView() } : {}),
      storeOp: 'store',
      ...(clear === 'load' ? { loadOp: 'load' } : { loadOp: 'clear', clearValue: clear }),
    }),
  };
}

export function depthTexture({ device, samples }: Frame, format: GPUTextureFormat = 'depth32float'): GPUTexture {
  return device.createTexture({ size: [SIZE, SIZE], format, sampleCount: samples, usage: TEXTURE.ATTACHMENT });
}

export function depthAttachment(texture: GPUTexture, clear = 1): GPURenderPassDepthStencilAttachment {
  return { view: texture.createView(), depthLoadOp: 'clear', depthStoreOp: 'store', depthClearValue: clear };
}

/** One pass in one submit. */
export function paint(
  device: GPUDevice,
  descriptor: GPURenderPassDescriptor,
  body: (pass: GPURenderPassEncoder) => void
): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass(descriptor);
  body(pass);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

/** A pass with one color attachment and nothing else. */
export function paintOn(
  { device }: Frame,
  target: Canvas,
  body: (pass: GPURenderPassEncoder) => void,
  clear?: GPUColor | 'load'
): GPUTexture {
  paint(device, { colorAttachments: [target.attachment(clear)] }, body);
  return target.texture;
}

export function bind(device: GPUDevice, pipe: GPURenderPipeline, ...resources: GPUBindingResource[]): GPUBindGroup {
  return device.createBindGroup({
    layout: pipe.getBindGroupLayout(0),
    entries: resources.map((resource, binding) => ({ binding, resource })),
  });
}

/** Texels of rgba8, row by row. */
export function texels(
  width: number,
  height: number,
  at: (x: number, y: number) => readonly [number, number, number, number]
): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) out.set(at(x, y), (y * width + x) * 4);
  return out;
}

/** A texture of rgba8 texels, one array per mip level. */
export function texture2d(
  device: GPUDevice,
  width: number,
  height: number,
  levels: Uint8Array<ArrayBuffer>[],
  format: GPUTextureFormat = 'rgba8unorm'
): GPUTexture {
  const texture = device.createTexture({
    size: [width, height],
    mipLevelCount: levels.length,
    format,
    usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST | TEXTURE.COPY_SRC,
  });
  levels.forEach((data, mipLevel) => {
    const size = [Math.max(1, width >> mipLevel), Math.max(1, height >> mipLevel)] as const;
    device.queue.writeTexture({ texture, mipLevel }, data, { bytesPerRow: size[0] * 4 }, size);
  });
  return texture;
}

/** Sets cell k of a grid of n × n as the viewport. */
export function cell(pass: GPURenderPassEncoder, k: number, n: number): void {
  const side = SIZE / n;
  pass.setViewport((k % n) * side, Math.floor(k / n) * side, side, side, 0, 1);
}

type Vec3 = readonly [number, number, number];

const minus = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const unit = (a: Vec3): Vec3 => {
  const l = Math.sqrt(dot(a, a));
  return [a[0] / l, a[1] / l, a[2] / l];
};

/**
 * Perspective × view, in column-major order; `cot` is the cotangent of half the field of view. No trigonometry, because
 * engines differ in it.
 */
export function camera(eye: Vec3, target: Vec3, cot: number, near: number, far: number): Float32Array<ArrayBuffer> {
  const z = unit(minus(eye, target));
  const x = unit(cross([0, 1, 0], z));
  const y = cross(z, x);
  const view = [
    [...x, -dot(x, eye)],
    [...y, -dot(y, eye)],
    [...z, -dot(z, eye)],
    [0, 0, 0, 1],
  ];
  const a = far / (near - far);
  const b = near * a;
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++) {
    out[c * 4] = cot * (view[0]?.[c] ?? 0);
    out[c * 4 + 1] = cot * (view[1]?.[c] ?? 0);
    out[c * 4 + 2] = a * (view[2]?.[c] ?? 0) + b * (view[3]?.[c] ?? 0);
    out[c * 4 + 3] = -(view[2]?.[c] ?? 0);
  }
  return out;
}

/** A point on the unit circle, by the rational parametrization; t in [0, 4) is one turn, not at constant speed. */
export function circle(t: number): readonly [number, number] {
  const quarter = Math.floor(t);
  const u = t - quarter;
  const d = 1 + u * u;
  const x = (1 - u * u) / d;
  const y = (2 * u) / d;
  return (
    [
      [x, y],
      [-y, x],
      [-x, -y],
      [y, -x],
    ] as const
  )[(quarter & 3) as 0 | 1 | 2 | 3];
}

/** Reports where a picture that should be one color differs. */
export function allEqual(pixels: Uint8Array, rgba: readonly [number, number, number, number]): string | undefined {
  for (let i = 0; i < pixels.length; i++)
    if (pixels[i] !== rgba[i & 3]) {
      const at = i >> 2;
      return `pixel ${at % SIZE}, ${Math.floor(at / SIZE)}: channel ${i & 3} is ${pixels[i]}, not ${rgba[i & 3]}`;
    }
  return undefined;
}

/** Returns the texture's bytes, four per pixel, rows without padding. */
export async function readPixels(device: GPUDevice, texture: GPUTexture): Promise<Uint8Array<ArrayBuffer>> {
  const bytesPerRow = SIZE * 4;
  const buffer = device.createBuffer({ size: bytesPerRow * SIZE, usage: BUFFER.COPY_DST | BUFFER.MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(MAP_MODE_READ);
  const pixels = new Uint8Array(buffer.getMappedRange()).slice();
  buffer.destroy();
  return pixels;
}

/**
 * Opens a device for the scenes. Requests storage buffers in the vertex stage if they are limited (compatibility mode),
 * and unclipped depth if it is available.
 */
export async function openDevice(
  gpu: GPU,
  options: GPURequestAdapterOptions = {},
  more: readonly string[] = []
): Promise<GPUDevice> {
  const adapter = await gpu.requestAdapter(options);
  if (!adapter) throw new Error('no adapter');
  const { maxStorageBuffersInVertexStage } = adapter.limits as { maxStorageBuffersInVertexStage?: number };
  // The others are our own: our adapters grant them unlisted, and @webgpu/types does not have them.
  const requiredFeatures = [
    ...['depth-clip-control', 'shader-f16', 'subgroups', 'subgroup-size-control', ...more].filter((name) =>
      adapter.features.has(name)
    ),
    ...(adapter.info.vendor === 'rasterloom' ? ['extended-sample-counts', 'multisample-storage-textures'] : []),
  ] as GPUFeatureName[];
  return adapter.requestDevice({
    requiredFeatures,
    ...(maxStorageBuffersInVertexStage ? { requiredLimits: { maxStorageBuffersInVertexStage } } : {}),
  });
}

/** Draws a scene and reads it back; throws validation errors with their full text. */
export async function render(device: GPUDevice, what: Scene, samples: number): Promise<Uint8Array<ArrayBuffer>> {
  device.pushErrorScope('validation');
  device.pushErrorScope('out-of-memory');
  const texture = what.draw({ device, samples });
  const pixels = readPixels(device, texture);
  const errors = [await device.popErrorScope(), await device.popErrorScope()];
  for (const error of errors)
    if (error) {
      await pixels.catch(() => undefined); // The first cause is reported, not its consequences.
      throw new Error(error.message);
    }
  return pixels;
}
