import { GPUMapMode, GPUShaderStage, GPUTextureUsage } from '../support/flags';
// API calls and their validation errors. Each case runs in a fresh pair of error scopes. `error` is a part of
// Rasterloom's message, or null for a valid call. The verdicts (error or none) are those of Dawn.

interface Case {
  name: string;
  error: RegExp | null;
  run: (device: GPUDevice) => unknown;
  /** Where Dawn's verdict differs, and why ours is correct. */
  differs?: string;
}

const BUFFER = {
  MAP_READ: 1,
  MAP_WRITE: 2,
  COPY_SRC: 4,
  COPY_DST: 8,
  INDEX: 16,
  VERTEX: 32,
  UNIFORM: 64,
  STORAGE: 128,
  INDIRECT: 256,
};
const TEXTURE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, STORAGE: 8, ATTACHMENT: 16 };
const STAGE = { VERTEX: 1, FRAGMENT: 2, COMPUTE: 4 };

const buffer = (d: GPUDevice, size: number, usage: number): GPUBuffer => d.createBuffer({ label: 'b', size, usage });
const texture = (d: GPUDevice, o: Partial<GPUTextureDescriptor> = {}): GPUTexture =>
  d.createTexture({ label: 't', size: [16, 16], format: 'rgba8unorm', usage: 31 & ~TEXTURE.STORAGE, ...o });
const target = (d: GPUDevice, o: Partial<GPUTextureDescriptor> = {}): GPUTexture =>
  texture(d, { usage: TEXTURE.ATTACHMENT, ...o });

const WGSL = `
struct U { a: vec4f, b: mat4x4f };
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var t: texture_2d<f32>;
@vertex fn vs(@location(0) p: vec4f) -> @builtin(position) vec4f { return p + u.a; }
@vertex fn bare(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i), 0, 0, 1); }
@fragment fn fs() -> @location(0) vec4f { return textureSample(t, s, vec2f(0)); }
@fragment fn white() -> @location(0) vec4f { return vec4f(1); }
@fragment fn load() -> @location(0) vec4f { return textureLoad(t, vec2i(0), 0); }
@fragment fn gray() -> @location(0) f32 { return 1; }
@group(0) @binding(3) var whole_numbers: texture_2d<u32>;
@group(0) @binding(4) var shadow: texture_depth_2d;
@fragment fn gathers() -> @location(0) vec4u { return textureGather(0, whole_numbers, s, vec2f(0)); }
@fragment fn samples_depth() -> @location(0) vec4f { return vec4f(textureSample(shadow, s, vec2f(0))); }
@fragment fn samples_both() -> @location(0) vec4f {
  return textureSample(t, s, vec2f(0)) + textureSample(shadow, s, vec2f(0));
}
@fragment fn whole() -> @location(0) vec4u { return vec4u(1); }
@fragment fn deep() -> @builtin(frag_depth) f32 { return 0.5; }
struct V { @builtin(position) p: vec4f, @location(0) a: vec3f, @location(1) @interpolate(flat) b: u32 };
@vertex fn vary() -> V { return V(); }
@fragment fn reads(@location(0) a: vec3f, @location(1) @interpolate(flat) b: u32) -> @location(0) vec4f {
  return vec4f(a, f32(b));
}
@fragment fn reads2(@location(0) a: vec4f) -> @location(0) vec4f { return a; }
@fragment fn reads3(@location(0) @interpolate(linear) a: vec3f) -> @location(0) vec4f { return vec4f(a, 1); }
@fragment fn reads4(@location(2) a: vec3f) -> @location(0) vec4f { return vec4f(a, 1); }
@fragment fn masked() -> V2 { return V2(); }
struct V2 { @location(0) c: vec4f, @builtin(sample_mask) m: u32 };
`;
const modules = new WeakMap<GPUDevice, GPUShaderModule>();
function module(d: GPUDevice): GPUShaderModule {
  let m = modules.get(d);
  if (m === undefined) modules.set(d, (m = d.createShaderModule({ label: 'm', code: WGSL })));
  return m;
}
const COMPUTE = `
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> all: array<u32, 4100>;
@compute @workgroup_size(64) fn fine() { data[0] = 1u; }
@compute @workgroup_size(512) fn wide() {}
@compute @workgroup_size(1, 1, 65) fn deep() {}
@compute @workgroup_size(32, 16) fn many() {}
@compute @workgroup_size(1) fn large() { all[0] = 1u; }
`;
const computeModule = (d: GPUDevice): GPUShaderModule => d.createShaderModule({ code: COMPUTE });
const computePipeline = (d: GPUDevice, entryPoint: string): GPUComputePipeline =>
  d.createComputePipeline({ layout: 'auto', compute: { module: computeModule(d), entryPoint } });
function compute(d: GPUDevice, encode: (pass: GPUComputePassEncoder) => void): void {
  const pipeline = computePipeline(d, 'fine');
  copy(d, (encoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      d.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: { buffer: buffer(d, 64, BUFFER.STORAGE) } }],
      })
    );
    encode(pass);
    pass.end();
  });
}
interface Pipe {
  vs?: string;
  fs?: string | null;
  buffers?: (GPUVertexBufferLayout | null)[];
  targets?: (GPUColorTargetState | null)[];
  layout?: GPUPipelineLayout | 'auto';
  rest?: Partial<GPURenderPipelineDescriptor>;
}
const one: GPUVertexBufferLayout = {
  arrayStride: 16,
  attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x4' }],
};
function pipe(
  d: GPUDevice,
  {
    vs = 'bare',
    fs = 'white',
    buffers = vs === 'vs' ? [one] : [],
    targets = [{ format: 'rgba8unorm' }],
    layout = 'auto',
    rest = {},
  }: Pipe = {}
): GPURenderPipeline {
  return d.createRenderPipeline({
    label: 'p',
    layout,
    vertex: { module: module(d), entryPoint: vs, buffers },
    ...(fs === null ? {} : { fragment: { module: module(d), entryPoint: fs, targets } }),
    ...rest,
  });
}
function bundle(
  d: GPUDevice,
  o: Partial<GPURenderBundleEncoderDescriptor> = {},
  body?: (r: GPURenderBundleEncoder) => void
): GPURenderBundle {
  const r = d.createRenderBundleEncoder({ label: 'r', colorFormats: ['rgba8unorm'], ...o });
  if (body) body(r);
  else {
    r.setPipeline(pipe(d));
    r.draw(3);
  }
  return r.finish({ label: 'r' });
}
function replay(d: GPUDevice, b: GPURenderBundle, o: Partial<GPURenderPassDescriptor> = {}): void {
  const e = d.createCommandEncoder();
  const p = e.beginRenderPass({ colorAttachments: [attach(target(d))], ...o });
  p.executeBundles([b]);
  p.end();
  e.finish();
}
/** A group of one texture or buffer that fragment shaders use in the way of `entry`. */
function usedBy(d: GPUDevice, entry: Partial<GPUBindGroupLayoutEntry>, resource: GPUBindingResource): GPUBindGroup {
  const layout = layoutOf(d, { binding: 0, visibility: GPUShaderStage.FRAGMENT, ...entry });
  return d.createBindGroup({ layout, entries: [{ binding: 0, resource }] });
}
const SAMPLED: Partial<GPUBindGroupLayoutEntry> = { texture: {} };
const STORED: Partial<GPUBindGroupLayoutEntry> = { storageTexture: { format: 'rgba8unorm' } };
const WRITTEN: Partial<GPUBindGroupLayoutEntry> = { buffer: { type: 'storage' } };
/** Executes bundles that set one group each, and then uses something in the pass itself. */
function afterBundle(d: GPUDevice, groups: GPUBindGroup[], use: (p: GPURenderPassEncoder) => void): void {
  pass(d, (p) => {
    p.executeBundles(groups.map((g) => bundle(d, {}, (r) => r.setBindGroup(0, g))));
    use(p);
  });
}
const stored = (d: GPUDevice): GPUTexture => texture(d, { usage: TEXTURE.SAMPLED | GPUTextureUsage.STORAGE_BINDING });
const nothing = (): void => undefined;
const afterBundles: Record<string, [RegExp | null, (d: GPUDevice) => void]> = {
  'the group of a bundle again': [
    null,
    (d) => {
      const g = usedBy(d, WRITTEN, { buffer: buffer(d, 64, BUFFER.STORAGE) });
      afterBundle(d, [g, g], (p) => p.setBindGroup(0, g));
    },
  ],
  'reading a buffer that a bundle writes': [
    /is both written as storage and read in this pass/,
    (d) => {
      const b = buffer(d, 64, BUFFER.STORAGE | BUFFER.VERTEX);
      afterBundle(d, [usedBy(d, WRITTEN, { buffer: b })], (p) => p.setVertexBuffer(0, b));
    },
  ],
  'sampling a texture that a bundle stores to': [
    /is sampled in a pass that may store to it/,
    (d) => {
      const view = stored(d).createView();
      afterBundle(d, [usedBy(d, STORED, view)], (p) => p.setBindGroup(0, usedBy(d, SAMPLED, view)));
    },
  ],
  'storing to a texture that a bundle samples': [
    /is a storage texture that the pass may store to, and it is sampled there/,
    (d) => {
      const view = stored(d).createView();
      afterBundle(d, [usedBy(d, SAMPLED, view)], (p) => p.setBindGroup(0, usedBy(d, STORED, view)));
    },
  ],
  'a bundle that samples what an earlier one stores to': [
    /is sampled in a pass that may store to it/,
    (d) => {
      const view = stored(d).createView();
      afterBundle(d, [usedBy(d, STORED, view), usedBy(d, SAMPLED, view)], nothing);
    },
  ],
};
/** A draw call whose shader writes no resource, with these resources bound in addition to those that it reads. */
function drawWith(d: GPUDevice, entries: GPUBindGroupLayoutEntry[], resources: GPUBindingResource[]): void {
  const layout = layoutOf(d, ...entries);
  const p = pipe(d, { layout: d.createPipelineLayout({ bindGroupLayouts: [layout] }) });
  const group = d.createBindGroup({ layout, entries: resources.map((resource, binding) => ({ binding, resource })) });
  query(d, {}, (pass) => {
    pass.setPipeline(p);
    pass.setBindGroup(0, group);
    pass.draw(3);
  });
}
function drawBound(d: GPUDevice, type: GPUBufferBindingType, a: number, b: number, size = 256): void {
  const whole = buffer(d, 1024, BUFFER.STORAGE);
  const visibility = STAGE.FRAGMENT;
  drawWith(
    d,
    [
      { binding: 0, visibility, buffer: { type } },
      { binding: 1, visibility, buffer: { type } },
    ],
    [
      { buffer: whole, offset: a, size },
      { buffer: whole, offset: b, size },
    ]
  );
}
function drawStored(d: GPUDevice, a: number, b: number): void {
  const t = texture(d, { usage: TEXTURE.STORAGE, size: [4, 4, 2] });
  const visibility = STAGE.FRAGMENT;
  const storageTexture = { format: 'rgba8unorm' } as const;
  drawWith(
    d,
    [
      { binding: 0, visibility, storageTexture },
      { binding: 1, visibility, storageTexture },
    ],
    [a, b].map((baseArrayLayer) => t.createView({ dimension: '2d', baseArrayLayer, arrayLayerCount: 1 }))
  );
}
/** A pass with groups that bind one storage texture with several access modes. */
function storedTwice(d: GPUDevice, ...accesses: GPUStorageTextureAccess[]): void {
  const t = texture(d, { usage: TEXTURE.STORAGE, format: 'r32uint' });
  const groups = accesses.map((access) =>
    d.createBindGroup({
      layout: layoutOf(d, { binding: 0, visibility: STAGE.FRAGMENT, storageTexture: { format: 'r32uint', access } }),
      entries: [{ binding: 0, resource: t.createView() }],
    })
  );
  pass(d, (p) => groups.forEach((group, index) => p.setBindGroup(index, group)));
}
const querySet = (d: GPUDevice): GPUQuerySet => d.createQuerySet({ label: 'q', type: 'occlusion', count: 2 });
const results = (d: GPUDevice): GPUBuffer => buffer(d, 512, 0x200);
function query(
  d: GPUDevice,
  o: Partial<GPURenderPassDescriptor>,
  body: (p: GPURenderPassEncoder) => void = () => undefined
): void {
  const e = d.createCommandEncoder();
  const p = e.beginRenderPass({ colorAttachments: [attach(target(d))], ...o });
  body(p);
  p.end();
  e.finish();
}
const layoutOf = (d: GPUDevice, ...entries: GPUBindGroupLayoutEntry[]): GPUBindGroupLayout =>
  d.createBindGroupLayout({ label: 'l', entries });

interface Pass {
  color?: GPUTexture | GPUTextureView;
  color0?: Partial<GPURenderPassColorAttachment>;
  depth?: GPURenderPassDepthStencilAttachment;
  colors?: (GPURenderPassColorAttachment | null)[];
}
const attach = (
  t: GPUTexture | GPUTextureView,
  o: Partial<GPURenderPassColorAttachment> = {}
): GPURenderPassColorAttachment => ({
  view: 'createView' in t ? t.createView() : t,
  loadOp: 'clear',
  storeOp: 'store',
  ...o,
});
function pass(
  d: GPUDevice,
  body: (p: GPURenderPassEncoder, e: GPUCommandEncoder) => void = () => undefined,
  { color, color0, depth, colors }: Pass = {}
): GPUCommandBuffer {
  const e = d.createCommandEncoder({ label: 'e' });
  const p = e.beginRenderPass({
    label: 'pass',
    colorAttachments: colors ?? [attach(color ?? target(d), color0)],
    ...(depth ? { depthStencilAttachment: depth } : {}),
  });
  body(p, e);
  p.end();
  return e.finish();
}
function copy(d: GPUDevice, body: (e: GPUCommandEncoder) => void): GPUCommandBuffer {
  const e = d.createCommandEncoder({ label: 'e' });
  body(e);
  return e.finish();
}
const depth = (
  d: GPUDevice,
  format: GPUTextureFormat = 'depth32float',
  o: Partial<GPUTextureDescriptor> = {}
): GPUTextureView => target(d, { format, ...o }).createView();
const clearDepth = { depthLoadOp: 'clear', depthStoreOp: 'store', depthClearValue: 1 } as const;

const group = (name: string, cases: Record<string, [RegExp | null, (d: GPUDevice) => unknown, string?]>): Case[] =>
  Object.entries(cases).map(([what, [error, run, differs]]) => ({
    name: `${name}: ${what}`,
    error,
    run,
    ...(differs === undefined ? {} : { differs }),
  }));

const ALL = BUFFER.COPY_SRC | BUFFER.COPY_DST;

export const cases: Case[] = [
  ...group('createBuffer', {
    valid: [null, (d) => buffer(d, 16, BUFFER.VERTEX)],
    'size 0': [null, (d) => buffer(d, 0, BUFFER.VERTEX)],
    'no usage': [/\[Buffer "b"\] createBuffer: usage is 0/, (d) => buffer(d, 16, 0)],
    'unknown usage': [/unknown bits 0x8000/, (d) => buffer(d, 16, 0x8000)],
    'MAP_READ with VERTEX': [
      /MAP_READ can only be combined with COPY_DST, not with VERTEX/,
      (d) => buffer(d, 16, BUFFER.MAP_READ | BUFFER.VERTEX),
    ],
    'MAP_WRITE with COPY_DST': [
      /MAP_WRITE can only be combined with COPY_SRC, not with COPY_DST/,
      (d) => buffer(d, 16, BUFFER.MAP_WRITE | BUFFER.COPY_DST),
    ],
    'MAP_WRITE with COPY_SRC': [null, (d) => buffer(d, 16, BUFFER.MAP_WRITE | BUFFER.COPY_SRC)],
    'too large': [/exceeds the device's maxBufferSize/, (d) => buffer(d, 2 ** 40, BUFFER.VERTEX)],
  }),
  ...group('createTexture', {
    valid: [null, (d) => texture(d)],
    empty: [/size 0×16×1 is empty/, (d) => texture(d, { size: [0, 16] })],
    'too wide': [/exceeds maxTextureDimension2D 8192/, (d) => texture(d, { size: [8193, 1] })],
    'too many layers': [/257 layers exceed maxTextureArrayLayers 256/, (d) => texture(d, { size: [1, 1, 257] })],
    'no usage': [/usage is 0/, (d) => texture(d, { usage: 0 })],
    'all mips': [null, (d) => texture(d, { size: [16, 5], mipLevelCount: 5 })],
    'too many mips': [/mipLevelCount 6 must be from 1 to 5/, (d) => texture(d, { size: [16, 5], mipLevelCount: 6 })],
    'no mips': [/mipLevelCount 0/, (d) => texture(d, { mipLevelCount: 0 })],
    '2 samples': [/sampleCount 2 needs the feature "extended-sample-counts"/, (d) => texture(d, { sampleCount: 2 })],
    '3 samples': [/sampleCount must be 1 or 4, not 3/, (d) => texture(d, { sampleCount: 3 })],
    '4 samples': [null, (d) => target(d, { sampleCount: 4 })],
    '4 samples, mips': [/must have one mip level/, (d) => target(d, { sampleCount: 4, mipLevelCount: 2 })],
    '4 samples, layers': [/must have one layer/, (d) => target(d, { sampleCount: 4, size: [16, 16, 2] })],
    '4 samples, no attachment': [
      /needs usage RENDER_ATTACHMENT/,
      (d) => texture(d, { sampleCount: 4, usage: TEXTURE.SAMPLED }),
    ],
    '4 samples of rgba32float': [/cannot have 4 samples/, (d) => target(d, { sampleCount: 4, format: 'rgba32float' })],
    '4 samples of r32float': [null, (d) => target(d, { sampleCount: 4, format: 'r32float' })],
    '4 samples of r32uint': [/cannot have 4 samples/, (d) => target(d, { sampleCount: 4, format: 'r32uint' })],
    '16 samples': [/sampleCount 16 needs the feature "extended-sample-counts"/, (d) => target(d, { sampleCount: 16 })],
    '4 samples of rg8uint': [null, (d) => target(d, { sampleCount: 4, format: 'rg8uint' })],
    '3d': [null, (d) => texture(d, { dimension: '3d', size: [4, 4, 4], mipLevelCount: 3 })],
    '3d depth': [
      /is only for 2d textures/,
      (d) => target(d, { dimension: '3d', format: 'depth32float', size: [4, 4, 4] }),
    ],
    '1d': [null, (d) => texture(d, { dimension: '1d', size: [16], usage: TEXTURE.SAMPLED })],
    '1d with height': [
      /a 1d texture must have height 1/,
      (d) => texture(d, { dimension: '1d', size: [16, 2], usage: TEXTURE.SAMPLED }),
    ],
    '1d attachment': [/a 1d texture cannot be a RENDER_ATTACHMENT/, (d) => target(d, { dimension: '1d', size: [16] })],
    'snorm attachment': [/rgba8snorm cannot be rendered to/, (d) => target(d, { format: 'rgba8snorm' })],
    'rgb9e5 sampled': [null, (d) => texture(d, { format: 'rgb9e5ufloat', usage: TEXTURE.SAMPLED })],
    'viewFormats with srgb': [null, (d) => texture(d, { viewFormats: ['rgba8unorm-srgb'] })],
    'viewFormats otherwise': [
      /must be rgba8unorm with or without sRGB/,
      (d) => texture(d, { viewFormats: ['bgra8unorm'] }),
    ],
    storage: [
      /format rg8unorm cannot be used for a storage texture/,
      (d) => texture(d, { usage: TEXTURE.STORAGE, format: 'rg8unorm' }),
    ],
  }),
  ...group('createView', {
    valid: [null, (d) => texture(d).createView()],
    'srgb without viewFormats': [
      /neither the texture's rgba8unorm nor in its viewFormats/,
      (d) => texture(d).createView({ format: 'rgba8unorm-srgb' }),
    ],
    'srgb with viewFormats': [
      null,
      (d) => texture(d, { viewFormats: ['rgba8unorm-srgb'] }).createView({ format: 'rgba8unorm-srgb' }),
    ],
    'mips past the end': [
      /levels 1…2 exceed the texture's 2/,
      (d) => texture(d, { mipLevelCount: 2 }).createView({ baseMipLevel: 1, mipLevelCount: 2 }),
    ],
    'base past the end': [/mipLevelCount is 0/, (d) => texture(d).createView({ baseMipLevel: 1 })],
    cube: [null, (d) => texture(d, { size: [8, 8, 6] }).createView({ dimension: 'cube' })],
    'cube of 5 layers': [
      /layers 0…5 exceed the texture's 5/,
      (d) => texture(d, { size: [8, 8, 5] }).createView({ dimension: 'cube' }),
    ],
    'cube not square': [/square faces/, (d) => texture(d, { size: [8, 4, 6] }).createView({ dimension: 'cube' })],
    'cube-array of 9': [
      /multiple of 6 layers, not 9/,
      (d) => texture(d, { size: [8, 8, 9] }).createView({ dimension: 'cube-array' }),
    ],
    'array as 2d': [
      /takes one layer, not 2/,
      (d) => texture(d, { size: [8, 8, 2] }).createView({ dimension: '2d', arrayLayerCount: 2 }),
    ],
    'array as 2d by default count': [null, (d) => texture(d, { size: [8, 8, 2] }).createView({ dimension: '2d' })],
    '3d of 2d': [/a 2d texture cannot have views of dimension "3d"/, (d) => texture(d).createView({ dimension: '3d' })],
    '2d of 3d': [
      /a 3d texture cannot have views of dimension "2d"/,
      (d) => texture(d, { dimension: '3d', size: [4, 4, 4] }).createView({ dimension: '2d' }),
    ],
    'depth of colour': [/has no aspect "depth-only"/, (d) => texture(d).createView({ aspect: 'depth-only' })],
    'stencil aspect': [
      null,
      (d) => target(d, { format: 'depth24plus-stencil8' }).createView({ aspect: 'stencil-only' }),
    ],
    'stencil aspect as stencil8': [
      null,
      (d) => target(d, { format: 'depth24plus-stencil8' }).createView({ aspect: 'stencil-only', format: 'stencil8' }),
    ],
    'depth aspect as other': [
      /has format depth24plus, not stencil8/,
      (d) => target(d, { format: 'depth24plus-stencil8' }).createView({ aspect: 'depth-only', format: 'stencil8' }),
    ],
    'of invalid': [
      /is invalid, because its creation failed/,
      (d) => {
        d.pushErrorScope('validation');
        const t = texture(d, { usage: 0 });
        void d.popErrorScope();
        t.createView();
      },
    ],
    'more usage': [
      /usage RENDER_ATTACHMENT is not among the texture's own/,
      (d) => texture(d, { usage: TEXTURE.SAMPLED }).createView({ usage: TEXTURE.SAMPLED | TEXTURE.ATTACHMENT }),
    ],
  }),
  ...group('createSampler', {
    default: [null, (d) => d.createSampler()],
    clamps: [/lodMaxClamp 1 is less than lodMinClamp 2/, (d) => d.createSampler({ lodMinClamp: 2, lodMaxClamp: 1 })],
    negative: [/lodMinClamp -1 is negative/, (d) => d.createSampler({ lodMinClamp: -1 })],
    'anisotropy 0': [/at least 1, not 0/, (d) => d.createSampler({ maxAnisotropy: 0 })],
    'anisotropy, nearest': [
      /needs magFilter, minFilter and mipmapFilter "linear"/,
      (d) => d.createSampler({ maxAnisotropy: 4 }),
    ],
    'anisotropy, linear': [
      null,
      (d) => d.createSampler({ maxAnisotropy: 4, magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' }),
    ],
  }),
  ...group('createBindGroupLayout', {
    valid: [
      null,
      (d) =>
        layoutOf(
          d,
          { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} },
          { binding: 1, visibility: GPUShaderStage.FRAGMENT, sampler: {} },
          { binding: 2, visibility: GPUShaderStage.FRAGMENT, texture: {} }
        ),
    ],
    twice: [
      /binding 0 is given twice/,
      (d) =>
        layoutOf(
          d,
          { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} },
          { binding: 0, visibility: GPUShaderStage.FRAGMENT, sampler: {} }
        ),
    ],
    none: [
      /exactly one of .*, not none/,
      (d) => layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT }),
    ],
    both: [
      /not buffer and sampler/,
      (d) =>
        layoutOf(d, {
          binding: 0,
          visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT,
          buffer: {},
          sampler: {},
        }),
    ],
    'binding too large': [
      /binding 1000 must be less than maxBindingsPerBindGroup 1000/,
      (d) => layoutOf(d, { binding: 1000, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} }),
    ],
    visibility: [/visibility has unknown bits 0x10/, (d) => layoutOf(d, { binding: 0, visibility: 16, buffer: {} })],
    'no visibility': [null, (d) => layoutOf(d, { binding: 0, visibility: 0, buffer: {} })],
    'storage in vertex': [
      /a vertex stage cannot write/,
      (d) => layoutOf(d, { binding: 0, visibility: STAGE.VERTEX, buffer: { type: 'storage' } }),
    ],
    'read-only storage in vertex': [
      null,
      (d) => layoutOf(d, { binding: 0, visibility: STAGE.VERTEX, buffer: { type: 'read-only-storage' } }),
    ],
    'multisampled float': [
      /cannot be filtered/,
      (d) => layoutOf(d, { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: { multisampled: true } }),
    ],
    'multisampled cube': [
      /have viewDimension "2d"/,
      (d) =>
        layoutOf(d, {
          binding: 0,
          visibility: GPUShaderStage.FRAGMENT,
          texture: { multisampled: true, viewDimension: 'cube', sampleType: 'unfilterable-float' },
        }),
    ],
    multisampled: [
      null,
      (d) =>
        layoutOf(d, {
          binding: 0,
          visibility: GPUShaderStage.FRAGMENT,
          texture: { multisampled: true, sampleType: 'unfilterable-float' },
        }),
    ],
    '17 samplers': [
      /17 bindings of the fragment stage exceed maxSamplersPerShaderStage 16/,
      (d) =>
        layoutOf(
          d,
          ...Array.from({ length: 17 }, (_, binding) => ({ binding, visibility: GPUShaderStage.FRAGMENT, sampler: {} }))
        ),
    ],
    '9 dynamic': [
      /9 dynamic uniform buffers exceed/,
      (d) =>
        layoutOf(
          d,
          ...Array.from({ length: 9 }, (_, binding) => ({
            binding,
            visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT,
            buffer: { hasDynamicOffset: true },
          }))
        ),
    ],
    'storage texture': [
      null,
      (d) => layoutOf(d, { binding: 0, visibility: GPUShaderStage.COMPUTE, storageTexture: { format: 'rgba8unorm' } }),
    ],
  }),
  ...group('createPipelineLayout', {
    valid: [
      null,
      (d) =>
        d.createPipelineLayout({
          bindGroupLayouts: [
            layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} }),
          ],
        }),
    ],
    null: [null, (d) => d.createPipelineLayout({ bindGroupLayouts: [null, layoutOf(d)] })],
    '5 groups': [
      /5 bind groups exceed maxBindGroups 4/,
      (d) => d.createPipelineLayout({ bindGroupLayouts: Array.from({ length: 5 }, () => layoutOf(d)) }),
    ],
    'auto layout': [
      /was created by layout: "auto"/,
      (d) => d.createPipelineLayout({ bindGroupLayouts: [pipe(d, { vs: 'vs' }).getBindGroupLayout(0)] }),
    ],
    'sum over groups': [
      /20 bindings of the fragment stage exceed maxSamplersPerShaderStage 16/,
      (d) => {
        const ten = layoutOf(
          d,
          ...Array.from({ length: 10 }, (_, binding) => ({ binding, visibility: GPUShaderStage.FRAGMENT, sampler: {} }))
        );
        d.createPipelineLayout({ bindGroupLayouts: [ten, ten] });
      },
    ],
  }),
  ...group('createBindGroup', {
    buffer: [
      null,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} }),
          entries: [{ binding: 0, resource: { buffer: buffer(d, 64, BUFFER.UNIFORM) } }],
        }),
    ],
    missing: [
      /also has binding 0 \(buffer\)/,
      (d) =>
        d.createBindGroup({
          label: 'g',
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} }),
          entries: [],
        }),
    ],
    'not in layout': [
      /binding 1 is not in \[BindGroupLayout "l"\], which has none/,
      (d) => d.createBindGroup({ layout: layoutOf(d), entries: [{ binding: 1, resource: d.createSampler() }] }),
    ],
    twice: [
      /binding 0 is given twice/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, sampler: {} }),
          entries: [
            { binding: 0, resource: d.createSampler() },
            { binding: 0, resource: d.createSampler() },
          ],
        }),
    ],
    kind: [
      /the layout wants a buffer, not \[Sampler/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} }),
          entries: [{ binding: 0, resource: d.createSampler() }],
        }),
    ],
    usage: [
      /needs a buffer with usage UNIFORM; this one has STORAGE/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} }),
          entries: [{ binding: 0, resource: { buffer: buffer(d, 64, BUFFER.STORAGE) } }],
        }),
    ],
    alignment: [
      /offset 16 is not a multiple of 256/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} }),
          entries: [{ binding: 0, resource: { buffer: buffer(d, 64, BUFFER.UNIFORM), offset: 16 } }],
        }),
    ],
    range: [
      /offset 0 \+ size 80 exceeds the buffer's size 64/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} }),
          entries: [{ binding: 0, resource: { buffer: buffer(d, 64, BUFFER.UNIFORM), size: 80 } }],
        }),
    ],
    empty: [
      /the bound size is 0/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} }),
          entries: [{ binding: 0, resource: { buffer: buffer(d, 256, BUFFER.UNIFORM), offset: 256 } }],
        }),
    ],
    'least size': [
      /less than the 128 bytes that the layout requires/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, {
            binding: 0,
            visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT,
            buffer: { minBindingSize: 128 },
          }),
          entries: [{ binding: 0, resource: { buffer: buffer(d, 64, BUFFER.UNIFORM) } }],
        }),
    ],
    'too large for uniform': [
      /exceeds maxUniformBufferBindingSize 65536/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, buffer: {} }),
          entries: [{ binding: 0, resource: { buffer: buffer(d, 65540, BUFFER.UNIFORM) } }],
        }),
    ],
    'storage size': [
      /is not a multiple of 4/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, {
            binding: 0,
            visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT,
            buffer: { type: 'read-only-storage' },
          }),
          entries: [{ binding: 0, resource: { buffer: buffer(d, 64, BUFFER.STORAGE), size: 6 } }],
        }),
    ],
    'comparison sampler wanted': [
      /wants a comparison sampler/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, {
            binding: 0,
            visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT,
            sampler: { type: 'comparison' },
          }),
          entries: [{ binding: 0, resource: d.createSampler() }],
        }),
    ],
    'comparison sampler given': [
      /wants a filtering sampler, but this is a comparison sampler/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, sampler: {} }),
          entries: [{ binding: 0, resource: d.createSampler({ compare: 'less' }) }],
        }),
    ],
    'non-filtering': [
      /wants a non-filtering sampler/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, {
            binding: 0,
            visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT,
            sampler: { type: 'non-filtering' },
          }),
          entries: [{ binding: 0, resource: d.createSampler({ magFilter: 'linear' }) }],
        }),
    ],
    texture: [
      null,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: {} }),
          entries: [{ binding: 0, resource: texture(d).createView() }],
        }),
    ],
    'texture usage': [
      /needs usage TEXTURE_BINDING; this one has RENDER_ATTACHMENT/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: {} }),
          entries: [{ binding: 0, resource: target(d).createView() }],
        }),
    ],
    'texture dimension': [
      /wants viewDimension "2d", not "cube"/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: {} }),
          entries: [{ binding: 0, resource: texture(d, { size: [4, 4, 6] }).createView({ dimension: 'cube' }) }],
        }),
    ],
    unfilterable: [
      /has sample type "unfilterable-float", but the layout wants "float"/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: {} }),
          entries: [{ binding: 0, resource: texture(d, { format: 'r32float' }).createView() }],
        }),
    ],
    'unfilterable wanted': [
      null,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, {
            binding: 0,
            visibility: GPUShaderStage.FRAGMENT,
            texture: { sampleType: 'unfilterable-float' },
          }),
          entries: [{ binding: 0, resource: texture(d).createView() }],
        }),
    ],
    'depth as unfilterable': [
      null,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, {
            binding: 0,
            visibility: GPUShaderStage.FRAGMENT,
            texture: { sampleType: 'unfilterable-float' },
          }),
          entries: [
            {
              binding: 0,
              resource: texture(d, {
                format: 'depth32float',
                usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT,
              }).createView(),
            },
          ],
        }),
    ],
    integer: [
      /has sample type "uint"/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: {} }),
          entries: [{ binding: 0, resource: texture(d, { format: 'rgba8uint' }).createView() }],
        }),
    ],
    'both aspects': [
      /choose one aspect of depth24plus-stencil8/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: { sampleType: 'depth' } }),
          entries: [
            {
              binding: 0,
              resource: texture(d, {
                format: 'depth24plus-stencil8',
                usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT,
              }).createView(),
            },
          ],
        }),
    ],
    samples: [
      /wants one sample, but the texture has 4/,
      (d) =>
        d.createBindGroup({
          layout: layoutOf(d, {
            binding: 0,
            visibility: GPUShaderStage.FRAGMENT,
            texture: { sampleType: 'unfilterable-float' },
          }),
          entries: [
            {
              binding: 0,
              resource: texture(d, {
                sampleCount: 4,
                usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT,
              }).createView(),
            },
          ],
        }),
    ],
  }),
  ...group('createRenderPipeline', {
    valid: [null, (d) => pipe(d)],
    'no entry point': [
      /vertex: \[ShaderModule "m"\] has no entry point "nope"; its @vertex entry points are "vs", "bare", "vary"/,
      (d) => pipe(d, { vs: 'nope' }),
    ],
    'wrong stage': [/entry point "white" is @fragment, not @vertex/, (d) => pipe(d, { vs: 'white' })],
    'entry point left out, more than one': [
      /entryPoint is omitted, but/,
      (d) =>
        d.createRenderPipeline({
          layout: 'auto',
          vertex: { module: module(d) },
          fragment: { module: module(d), entryPoint: 'white', targets: [{ format: 'rgba8unorm' }] },
        }),
    ],
    'unknown constant': [
      /the module has no override "k"/,
      (d) =>
        d.createRenderPipeline({
          layout: 'auto',
          vertex: { module: module(d), entryPoint: 'bare', constants: { k: 1 } },
          fragment: { module: module(d), entryPoint: 'white', targets: [{ format: 'rgba8unorm' }] },
        }),
    ],
    'writes nothing': [/the pipeline writes nothing/, (d) => pipe(d, { fs: null })],
    'depth only': [
      null,
      (d) =>
        pipe(d, {
          fs: null,
          rest: { depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'less' } },
        }),
    ],
    'attribute missing': [
      /entry point "vs" reads @location\(0\) p: vec4f, but no attribute/,
      (d) => pipe(d, { vs: 'vs', buffers: [] }),
    ],
    'attribute type': [
      /as vec4f, but the attribute's format uint32x4 gives u32/,
      (d) =>
        pipe(d, {
          vs: 'vs',
          buffers: [{ arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 0, format: 'uint32x4' }] }],
        }),
    ],
    'attribute of fewer components': [
      null,
      (d) =>
        pipe(d, {
          vs: 'vs',
          buffers: [{ arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 0, format: 'unorm8x2' }] }],
        }),
    ],
    'attribute past the stride': [
      /offset 8 \+ 16 bytes of float32x4 exceed arrayStride 16/,
      (d) =>
        pipe(d, {
          buffers: [{ arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 8, format: 'float32x4' }] }],
        }),
    ],
    'stride 0': [
      null,
      (d) =>
        pipe(d, { buffers: [{ arrayStride: 0, attributes: [{ shaderLocation: 0, offset: 8, format: 'float32x4' }] }] }),
    ],
    'stride 6': [
      /arrayStride 6 is not a multiple of 4/,
      (d) => pipe(d, { buffers: [{ arrayStride: 6, attributes: [] }] }),
    ],
    'stride too large': [
      /arrayStride 2052 exceeds/,
      (d) => pipe(d, { buffers: [{ arrayStride: 2052, attributes: [] }] }),
    ],
    'attribute alignment': [
      /offset 2 is not a multiple of 4/,
      (d) =>
        pipe(d, { buffers: [{ arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 2, format: 'float32' }] }] }),
    ],
    'attribute alignment of small formats': [
      null,
      (d) =>
        pipe(d, { buffers: [{ arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 2, format: 'uint8x2' }] }] }),
    ],
    'location twice': [/shaderLocation 0 is taken/, (d) => pipe(d, { buffers: [one, one] })],
    'location too large': [
      /shaderLocation 16 must be less than/,
      (d) =>
        pipe(d, { buffers: [{ arrayStride: 16, attributes: [{ shaderLocation: 16, offset: 0, format: 'float32' }] }] }),
    ],
    '9 buffers': [
      /9 buffers exceed maxVertexBuffers 8/,
      (d) => pipe(d, { buffers: Array.from({ length: 9 }, () => null) }),
    ],
    varyings: [null, (d) => pipe(d, { vs: 'vary', fs: 'reads' })],
    'varying type': [
      /@location\(0\) a is vec3f in "vary", but vec4f in "reads2"/,
      (d) => pipe(d, { vs: 'vary', fs: 'reads2' }),
    ],
    'varying interpolation': [
      /@interpolate\(perspective, center\) in "vary", but @interpolate\(linear, center\) in "reads3"/,
      (d) => pipe(d, { vs: 'vary', fs: 'reads3' }),
    ],
    'varying missing': [
      /reads @location\(2\) a, which vertex entry point "vary" does not write/,
      (d) => pipe(d, { vs: 'vary', fs: 'reads4' }),
    ],
    'varying unread': [null, (d) => pipe(d, { vs: 'vary', fs: 'white' })],
    'strip format without strip': [
      /stripIndexFormat is only for strips/,
      (d) => pipe(d, { rest: { primitive: { topology: 'triangle-list', stripIndexFormat: 'uint16' } } }),
    ],
    unclippedDepth: [
      /needs the feature "depth-clip-control"/,
      (d) => pipe(d, { rest: { primitive: { unclippedDepth: true } } }),
    ],
    'output missing': [
      /has no output @location\(1\)/,
      (d) => pipe(d, { targets: [{ format: 'rgba8unorm' }, { format: 'rgba8unorm' }] }),
    ],
    'output missing, not written': [
      null,
      (d) => pipe(d, { targets: [{ format: 'rgba8unorm' }, { format: 'rgba8unorm', writeMask: 0 }] }),
    ],
    'null target': [null, (d) => pipe(d, { targets: [null, { format: 'rgba8unorm', writeMask: 0 }] })],
    'output type': [/takes f32, but entry point "whole" outputs vec4u/, (d) => pipe(d, { fs: 'whole' })],
    'output for uint': [null, (d) => pipe(d, { fs: 'whole', targets: [{ format: 'rgba8uint' }] })],
    'output components': [/has 4 channels, but entry point "gray" outputs f32/, (d) => pipe(d, { fs: 'gray' })],
    'output of one component': [null, (d) => pipe(d, { fs: 'gray', targets: [{ format: 'r8unorm' }] })],
    'alpha of one component': [
      /blending reads the source's alpha/,
      (d) =>
        pipe(d, {
          fs: 'gray',
          targets: [{ format: 'r8unorm', blend: { color: { srcFactor: 'src-alpha' }, alpha: {} } }],
        }),
    ],
    'target is depth': [
      /depth32float\) is not a colour format/,
      (d) => pipe(d, { targets: [{ format: 'depth32float' }] }),
    ],
    'too few components that are not written': [
      /rgba8unorm\) has 4 channels, but entry point "gray" outputs f32 at @location\(0\)/,
      (d) => pipe(d, { fs: 'gray', targets: [{ format: 'rgba8unorm', writeMask: 0 }] }),
    ],
    'target not renderable': [/cannot be rendered to/, (d) => pipe(d, { targets: [{ format: 'rgba8snorm' }] })],
    'blend not blendable': [
      /cannot be blended/,
      (d) => pipe(d, { targets: [{ format: 'rgba32float', blend: { color: {}, alpha: {} } }] }),
    ],
    'min with factors': [
      /operation "min" needs srcFactor and dstFactor "one"/,
      (d) => pipe(d, { targets: [{ format: 'rgba8unorm', blend: { color: { operation: 'min' }, alpha: {} } }] }),
    ],
    min: [
      null,
      (d) =>
        pipe(d, {
          targets: [
            {
              format: 'rgba8unorm',
              blend: { color: { operation: 'min', srcFactor: 'one', dstFactor: 'one' }, alpha: {} },
            },
          ],
        }),
    ],
    writeMask: [
      /writeMask 0x10 has unknown bits/,
      (d) => pipe(d, { targets: [{ format: 'rgba8unorm', writeMask: 16 }] }),
    ],
    '9 targets': [/9 targets exceed/, (d) => pipe(d, { targets: Array.from({ length: 9 }, () => null) })],
    'target bytes': [
      /take 40 bytes per sample/,
      (d) =>
        pipe(d, {
          targets: [
            { format: 'rgba8unorm' },
            ...Array.from({ length: 4 }, () => ({ format: 'rgba8unorm', writeMask: 0 }) as const),
          ],
        }),
    ],
    'target bytes fit': [
      null,
      (d) =>
        pipe(d, {
          targets: [
            { format: 'rgba8unorm' },
            ...Array.from({ length: 3 }, () => ({ format: 'rgba8unorm', writeMask: 0 }) as const),
          ],
        }),
    ],
    'target bytes aligned': [
      /take 33 bytes|take 36 bytes|bytes per sample/,
      (d) =>
        pipe(d, {
          targets: [
            { format: 'rgba8unorm' },
            { format: 'r8unorm', writeMask: 0 },
            { format: 'rgba32float', writeMask: 0 },
            { format: 'r32float', writeMask: 0 },
            { format: 'r8unorm', writeMask: 0 },
          ],
        }),
    ],
    'depth format': [
      /is neither a depth nor a stencil format/,
      (d) =>
        pipe(d, { rest: { depthStencil: { format: 'rgba8unorm', depthWriteEnabled: false, depthCompare: 'always' } } }),
    ],
    'depthWriteEnabled missing': [
      /depthWriteEnabled must be given/,
      (d) => pipe(d, { rest: { depthStencil: { format: 'depth32float', depthCompare: 'always' } } }),
    ],
    'depthCompare missing': [
      /depthCompare must be given/,
      (d) => pipe(d, { rest: { depthStencil: { format: 'depth32float', depthWriteEnabled: true } } }),
    ],
    'depthCompare not needed': [
      null,
      (d) => pipe(d, { rest: { depthStencil: { format: 'depth32float', depthWriteEnabled: false } } }),
    ],
    'stencil without stencil': [
      /has no stencil/,
      (d) =>
        pipe(d, {
          rest: {
            depthStencil: {
              format: 'depth32float',
              depthWriteEnabled: false,
              depthCompare: 'always',
              stencilFront: { passOp: 'replace' },
            },
          },
        }),
    ],
    'depth without depth': [
      /has no depth/,
      (d) => pipe(d, { rest: { depthStencil: { format: 'stencil8', depthWriteEnabled: true, depthCompare: 'less' } } }),
    ],
    'stencil only': [
      null,
      (d) => pipe(d, { rest: { depthStencil: { format: 'stencil8', stencilFront: { passOp: 'replace' } } } }),
    ],
    'frag_depth without depth': [
      /writes @builtin\(frag_depth\)/,
      (d) => pipe(d, { fs: 'deep', targets: [{ format: 'rgba8unorm', writeMask: 0 }] }),
    ],
    frag_depth: [
      null,
      (d) =>
        pipe(d, {
          fs: 'deep',
          targets: [],
          rest: { depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'less' } },
        }),
    ],
    'bias of lines': [
      /depth bias is only for triangles/,
      (d) =>
        pipe(d, {
          rest: {
            primitive: { topology: 'line-list' },
            depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'less', depthBias: 1 },
          },
        }),
    ],
    samples: [
      /multisample.count 2 needs the feature "extended-sample-counts"/,
      (d) => pipe(d, { rest: { multisample: { count: 2 } } }),
    ],
    alphaToCoverage: [null, (d) => pipe(d, { rest: { multisample: { count: 4, alphaToCoverageEnabled: true } } })],
    'alphaToCoverage of 1 sample': [
      /needs more than one sample/,
      (d) => pipe(d, { rest: { multisample: { alphaToCoverageEnabled: true } } }),
    ],
    'alphaToCoverage with mask': [
      /writes @builtin\(sample_mask\)/,
      (d) => pipe(d, { fs: 'masked', rest: { multisample: { count: 4, alphaToCoverageEnabled: true } } }),
    ],
    'alphaToCoverage without alpha': [
      /needs a first target with alpha/,
      (d) =>
        pipe(d, {
          fs: 'gray',
          targets: [{ format: 'r8unorm' }],
          rest: { multisample: { count: 4, alphaToCoverageEnabled: true } },
        }),
    ],
    'layout lacks binding': [
      /uses @group\(0\) @binding\(0\) u, which the layout does not have/,
      (d) => pipe(d, { vs: 'vs', layout: d.createPipelineLayout({ bindGroupLayouts: [] }) }),
    ],
    'layout visibility': [
      /does not make it visible to GPUShaderStage.VERTEX/,
      (d) =>
        pipe(d, {
          vs: 'vs',
          layout: d.createPipelineLayout({
            bindGroupLayouts: [layoutOf(d, { binding: 0, visibility: GPUShaderStage.FRAGMENT, buffer: {} })],
          }),
        }),
    ],
    'layout kind': [
      /is a buffer, but the layout has a sampler/,
      (d) =>
        pipe(d, {
          vs: 'vs',
          layout: d.createPipelineLayout({
            bindGroupLayouts: [layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX, sampler: {} })],
          }),
        }),
    ],
    'layout buffer type': [
      /is a uniform buffer, but the layout has type "read-only-storage"/,
      (d) =>
        pipe(d, {
          vs: 'vs',
          layout: d.createPipelineLayout({
            bindGroupLayouts: [
              layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX, buffer: { type: 'read-only-storage' } }),
            ],
          }),
        }),
    ],
    'layout size': [
      /needs 80 bytes, but the layout's minBindingSize is 64/,
      (d) =>
        pipe(d, {
          vs: 'vs',
          layout: d.createPipelineLayout({
            bindGroupLayouts: [
              layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX, buffer: { minBindingSize: 64 } }),
            ],
          }),
        }),
    ],
    'layout fits': [
      null,
      (d) =>
        pipe(d, {
          vs: 'vs',
          layout: d.createPipelineLayout({
            bindGroupLayouts: [
              layoutOf(
                d,
                { binding: 0, visibility: GPUShaderStage.VERTEX, buffer: {} },
                { binding: 7, visibility: GPUShaderStage.FRAGMENT, sampler: {} }
              ),
            ],
          }),
        }),
    ],
    'unfilterable with filtering': [
      /whose sampleType in the layout is "unfilterable-float", with the filtering sampler/,
      (d) =>
        pipe(d, {
          fs: 'fs',
          layout: d.createPipelineLayout({
            bindGroupLayouts: [
              layoutOf(
                d,
                { binding: 1, visibility: GPUShaderStage.FRAGMENT, sampler: {} },
                { binding: 2, visibility: GPUShaderStage.FRAGMENT, texture: { sampleType: 'unfilterable-float' } }
              ),
            ],
          }),
        }),
    ],
    'unfilterable with non-filtering': [
      null,
      (d) =>
        pipe(d, {
          fs: 'fs',
          layout: d.createPipelineLayout({
            bindGroupLayouts: [
              layoutOf(
                d,
                { binding: 1, visibility: GPUShaderStage.FRAGMENT, sampler: { type: 'non-filtering' } },
                { binding: 2, visibility: GPUShaderStage.FRAGMENT, texture: { sampleType: 'unfilterable-float' } }
              ),
            ],
          }),
        }),
    ],
    ...Object.fromEntries(
      (
        [
          ['uint texture', 'gathers', { sampleType: 'uint' }, 3],
          ['depth texture', 'samples_depth', { sampleType: 'depth' }, 4],
        ] as const
      ).flatMap(([name, fs, given, binding]) =>
        (['filtering', 'non-filtering'] as const).map((type) => [
          `${name} with a ${type} sampler`,
          [
            type === 'filtering'
              ? new RegExp(`whose sampleType in the layout is "${given.sampleType}", with the filtering sampler`)
              : null,
            (d: GPUDevice) =>
              pipe(d, {
                fs,
                targets: [{ format: fs === 'gathers' ? 'rgba8uint' : 'rgba8unorm' }],
                layout: d.createPipelineLayout({
                  bindGroupLayouts: [
                    layoutOf(
                      d,
                      { binding: 1, visibility: GPUShaderStage.FRAGMENT, sampler: { type } },
                      { binding, visibility: GPUShaderStage.FRAGMENT, texture: given }
                    ),
                  ],
                }),
              }),
          ],
        ])
      )
    ),
    ...Object.fromEntries(
      (
        [
          ['filters', { magFilter: 'linear' }, /sampler/],
          ['does not filter', {}, null],
        ] as const
      ).flatMap(([name, sampler, error]) =>
        (['samples_depth', 'samples_both'] as const).map((fs) => [
          `auto layout of ${fs} with a sampler that ${name}`,
          [
            error,
            (d: GPUDevice) =>
              d.createBindGroup({
                layout: pipe(d, { fs }).getBindGroupLayout(0),
                entries: [
                  { binding: 1, resource: d.createSampler(sampler) },
                  ...(fs === 'samples_both' ? [{ binding: 2, resource: texture(d).createView() }] : []),
                  { binding: 4, resource: texture(d, { format: 'depth32float', usage: TEXTURE.SAMPLED }).createView() },
                ],
              }),
          ],
        ])
      )
    ),
    'depth layout for float texture': [
      /has sample type "unfilterable-float", but the layout has "depth"/,
      (d) =>
        pipe(d, {
          fs: 'load',
          layout: d.createPipelineLayout({
            bindGroupLayouts: [
              layoutOf(d, { binding: 2, visibility: GPUShaderStage.FRAGMENT, texture: { sampleType: 'depth' } }),
            ],
          }),
        }),
    ],
    'texture dimension': [
      /has dimension "2d", but the layout has viewDimension "cube"/,
      (d) =>
        pipe(d, {
          fs: 'load',
          layout: d.createPipelineLayout({
            bindGroupLayouts: [
              layoutOf(d, { binding: 2, visibility: GPUShaderStage.FRAGMENT, texture: { viewDimension: 'cube' } }),
            ],
          }),
        }),
    ],
    'integer layout': [
      /has sample type "unfilterable-float", but the layout has "uint"/,
      (d) =>
        pipe(d, {
          fs: 'load',
          layout: d.createPipelineLayout({
            bindGroupLayouts: [
              layoutOf(d, { binding: 2, visibility: GPUShaderStage.FRAGMENT, texture: { sampleType: 'uint' } }),
            ],
          }),
        }),
    ],
    'getBindGroupLayout past the end': [
      /index 4 must be less than maxBindGroups 4/,
      (d) => pipe(d).getBindGroupLayout(4),
    ],
    'getBindGroupLayout of an empty group': [
      null,
      (d) => d.createBindGroup({ layout: pipe(d).getBindGroupLayout(0), entries: [] }),
    ],
    'auto leaves out the unused': [
      /binding 1 is not in .* \(layout: "auto" leaves out what the shaders do not use\)/,
      (d) =>
        d.createBindGroup({
          layout: pipe(d, { vs: 'vs' }).getBindGroupLayout(0),
          entries: [{ binding: 1, resource: d.createSampler() }],
        }),
    ],
    'auto texture that is only loaded': [
      null,
      (d) =>
        d.createBindGroup({
          layout: pipe(d, { fs: 'load' }).getBindGroupLayout(0),
          entries: [{ binding: 2, resource: texture(d, { format: 'r32float' }).createView() }],
        }),
    ],
    'auto texture that is sampled': [
      /the layout wants "float"/,
      (d) =>
        d.createBindGroup({
          layout: pipe(d, { fs: 'fs' }).getBindGroupLayout(0),
          entries: [
            { binding: 2, resource: texture(d, { format: 'r32float' }).createView() },
            { binding: 1, resource: d.createSampler() },
          ],
        }),
    ],
  }),
  ...group('beginRenderPass', {
    valid: [null, (d) => pass(d)],
    'texture as view': [
      null,
      (d) =>
        pass(d, undefined, {
          colors: [{ view: target(d) as unknown as GPUTextureView, loadOp: 'clear', storeOp: 'store' }],
        }),
    ],
    'no attachment': [/the pass has no attachment/, (d) => pass(d, undefined, { colors: [] })],
    'null attachments': [/the pass has no attachment/, (d) => pass(d, undefined, { colors: [null] })],
    usage: [
      /needs usage RENDER_ATTACHMENT; it has TEXTURE_BINDING/,
      (d) => pass(d, undefined, { color: texture(d, { usage: TEXTURE.SAMPLED }) }),
    ],
    mips: [/has 2 mip levels/, (d) => pass(d, undefined, { color: target(d, { mipLevelCount: 2 }) })],
    layers: [/has 2 layers/, (d) => pass(d, undefined, { color: target(d, { size: [16, 16, 2] }) })],
    'one layer of an array': [
      null,
      (d) =>
        pass(d, undefined, {
          color: target(d, { size: [16, 16, 2] }).createView({ baseArrayLayer: 1, arrayLayerCount: 1 }),
        }),
    ],
    'depth as colour': [
      /is not a colour format that can be rendered to/,
      (d) => pass(d, undefined, { color: target(d, { format: 'depth32float' }) }),
    ],
    sizes: [
      /is 8×8, but the other attachments are 16×16/,
      (d) => pass(d, undefined, { colors: [attach(target(d)), attach(target(d, { size: [8, 8] }))] }),
    ],
    samples: [
      /has 4 samples, but the other attachments have 1/,
      (d) => pass(d, undefined, { colors: [attach(target(d)), attach(target(d, { sampleCount: 4 }))] }),
    ],
    resolve: [
      null,
      (d) =>
        pass(d, undefined, { color: target(d, { sampleCount: 4 }), color0: { resolveTarget: target(d).createView() } }),
    ],
    'resolve of one sample': [
      /only a multisampled attachment can be resolved/,
      (d) => pass(d, undefined, { color0: { resolveTarget: target(d).createView() } }),
    ],
    'resolve into 4': [
      /a resolve target has one/,
      (d) =>
        pass(d, undefined, {
          color: target(d, { sampleCount: 4 }),
          color0: { resolveTarget: target(d, { sampleCount: 4 }).createView() },
        }),
    ],
    'resolve size': [
      /is 8×8, but .* is 16×16/,
      (d) =>
        pass(d, undefined, {
          color: target(d, { sampleCount: 4 }),
          color0: { resolveTarget: target(d, { size: [8, 8] }).createView() },
        }),
    ],
    'resolve format': [
      /format bgra8unorm differs from rgba8unorm/,
      (d) =>
        pass(d, undefined, {
          color: target(d, { sampleCount: 4 }),
          color0: { resolveTarget: target(d, { format: 'bgra8unorm' }).createView() },
        }),
    ],
    'resolve of integers': [
      /cannot be resolved/,
      (d) =>
        pass(d, undefined, {
          color: target(d, { sampleCount: 4, format: 'rgba8uint' }),
          color0: { resolveTarget: target(d, { format: 'rgba8uint' }).createView() },
        }),
    ],
    twice: [
      /are the same part of \[Texture "t"\]/,
      (d) => {
        const t = target(d);
        pass(d, undefined, { colors: [attach(t), attach(t)] });
      },
    ],
    'two levels': [
      null,
      (d) => {
        const t = target(d, { size: [16, 16, 2] });
        pass(d, undefined, {
          colors: [
            attach(t.createView({ dimension: '2d' })),
            attach(t.createView({ dimension: '2d', baseArrayLayer: 1 })),
          ],
        });
      },
    ],
    '3d needs a slice': [
      /set depthSlice/,
      (d) => pass(d, undefined, { color: target(d, { dimension: '3d', size: [16, 16, 4] }) }),
    ],
    '3d slice': [
      null,
      (d) =>
        pass(d, undefined, { color: target(d, { dimension: '3d', size: [16, 16, 4] }), color0: { depthSlice: 3 } }),
    ],
    '3d slice past the end': [
      /depthSlice 4 does not exist/,
      (d) =>
        pass(d, undefined, { color: target(d, { dimension: '3d', size: [16, 16, 4] }), color0: { depthSlice: 4 } }),
    ],
    'slice of 2d': [/depthSlice is only for 3d views/, (d) => pass(d, undefined, { color0: { depthSlice: 0 } })],
    depth: [null, (d) => pass(d, undefined, { depth: { view: depth(d), ...clearDepth } })],
    'depth without ops': [
      /depthLoadOp and depthStoreOp must be given/,
      (d) => pass(d, undefined, { depth: { view: depth(d) } }),
    ],
    'depth read-only': [null, (d) => pass(d, undefined, { depth: { view: depth(d), depthReadOnly: true } })],
    'depth read-only with ops': [
      /must be omitted with depthReadOnly/,
      (d) => pass(d, undefined, { depth: { view: depth(d), depthReadOnly: true, ...clearDepth } }),
    ],
    'stencil ops without stencil': [
      /which has no stencil/,
      (d) =>
        pass(d, undefined, {
          depth: { view: depth(d), ...clearDepth, stencilLoadOp: 'clear', stencilStoreOp: 'store' },
        }),
    ],
    'stencil ops missing': [
      /stencilLoadOp and stencilStoreOp must be given/,
      (d) => pass(d, undefined, { depth: { view: depth(d, 'depth24plus-stencil8'), ...clearDepth } }),
    ],
    'depth clear missing': [
      /needs a depthClearValue/,
      (d) => pass(d, undefined, { depth: { view: depth(d), depthLoadOp: 'clear', depthStoreOp: 'store' } }),
    ],
    'depth clear range': [
      /depthClearValue 1.5 must be from 0 to 1/,
      (d) => pass(d, undefined, { depth: { view: depth(d), ...clearDepth, depthClearValue: 1.5 } }),
    ],
    'one aspect': [
      /must have all aspects of depth24plus-stencil8/,
      (d) =>
        pass(d, undefined, {
          depth: {
            view: target(d, { format: 'depth24plus-stencil8' }).createView({ aspect: 'depth-only' }),
            ...clearDepth,
          },
        }),
    ],
    'colour as depth': [
      /is neither depth nor stencil/,
      (d) => pass(d, undefined, { depth: { view: target(d).createView(), ...clearDepth } }),
    ],
    'pass twice open': [
      /is open; call its end\(\) first/,
      (d) => {
        const e = d.createCommandEncoder();
        e.beginRenderPass({ colorAttachments: [attach(target(d))] });
        e.beginRenderPass({ colorAttachments: [attach(target(d))] });
        e.finish();
      },
    ],
    'finish with open pass': [
      /is still open; call its end\(\) first/,
      (d) => {
        const e = d.createCommandEncoder();
        e.beginRenderPass({ colorAttachments: [attach(target(d))] });
        e.finish();
      },
    ],
    'end twice': [
      /the pass has ended/,
      (d) => {
        const e = d.createCommandEncoder();
        const p = e.beginRenderPass({ colorAttachments: [attach(target(d))] });
        p.end();
        p.end();
        e.finish();
      },
    ],
    'finish twice': [
      /the encoder is finished already/,
      (d) => {
        const e = d.createCommandEncoder();
        e.finish();
        e.finish();
      },
    ],
    'encode after finish': [
      /the encoder is finished; create a new one/,
      (d) => {
        const e = d.createCommandEncoder();
        e.finish();
        e.pushDebugGroup('x');
      },
    ],
    'debug group open': [/debug group\(s\) are open/, (d) => copy(d, (e) => e.pushDebugGroup('x'))],
    'debug group pop': [/no debug group is open/, (d) => copy(d, (e) => e.popDebugGroup())],
    'debug groups': [null, (d) => pass(d, (p) => (p.pushDebugGroup('a'), p.insertDebugMarker('b'), p.popDebugGroup()))],
    'debug group open in a pass': [/debug group\(s\) are open/, (d) => pass(d, (p) => p.pushDebugGroup('x'))],
  }),
  ...group('draw', {
    valid: [null, (d) => pass(d, (p) => (p.setPipeline(pipe(d)), p.draw(3)))],
    'no pipeline': [/no pipeline is set/, (d) => pass(d, (p) => p.draw(3))],
    formats: [
      /renders to colour formats \[bgra8unorm\], but the pass has \[rgba8unorm\]/,
      (d) => pass(d, (p) => (p.setPipeline(pipe(d, { targets: [{ format: 'bgra8unorm' }] })), p.draw(3))),
    ],
    'null at the end': [
      null,
      (d) => pass(d, (p) => (p.setPipeline(pipe(d, { targets: [{ format: 'rgba8unorm' }, null] })), p.draw(3))),
    ],
    'depth format': [
      /has depthStencil format none, but the pass has depth32float/,
      (d) => pass(d, (p) => p.setPipeline(pipe(d)), { depth: { view: depth(d), ...clearDepth } }),
    ],
    'pipeline samples': [
      /renders 4 sample\(s\), but the pass has 1/,
      (d) => pass(d, (p) => p.setPipeline(pipe(d, { rest: { multisample: { count: 4 } } }))),
    ],
    'depth read-only': [
      /writes depth, but the pass has depthReadOnly/,
      (d) =>
        pass(
          d,
          (p) =>
            p.setPipeline(
              pipe(d, {
                rest: { depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'less' } },
              })
            ),
          { depth: { view: depth(d), depthReadOnly: true } }
        ),
    ],
    'bind group missing': [
      /needs a bind group at index 0; call setBindGroup\(0, …\)/,
      (d) =>
        pass(
          d,
          (p) => (p.setPipeline(pipe(d, { vs: 'vs' })), p.setVertexBuffer(0, buffer(d, 48, BUFFER.VERTEX)), p.draw(3))
        ),
    ],
    'bind group of another auto layout': [
      /does not fit .* the pipeline has layout "auto"/,
      (d) => {
        const a = pipe(d, { vs: 'vs' });
        const b = pipe(d, { vs: 'vs' });
        const g = d.createBindGroup({
          layout: a.getBindGroupLayout(0),
          entries: [{ binding: 0, resource: { buffer: buffer(d, 80, BUFFER.UNIFORM) } }],
        });
        pass(
          d,
          (p) => (p.setPipeline(b), p.setBindGroup(0, g), p.setVertexBuffer(0, buffer(d, 48, BUFFER.VERTEX)), p.draw(3))
        );
      },
    ],
    'bind group': [
      null,
      (d) => {
        const a = pipe(d, { vs: 'vs' });
        const g = d.createBindGroup({
          layout: a.getBindGroupLayout(0),
          entries: [{ binding: 0, resource: { buffer: buffer(d, 80, BUFFER.UNIFORM) } }],
        });
        pass(
          d,
          (p) => (p.setPipeline(a), p.setBindGroup(0, g), p.setVertexBuffer(0, buffer(d, 48, BUFFER.VERTEX)), p.draw(3))
        );
      },
    ],
    'bind group of an equal layout': [
      null,
      (d) => {
        const entry = { binding: 0, visibility: GPUShaderStage.VERTEX, buffer: {} };
        const a = pipe(d, { vs: 'vs', layout: d.createPipelineLayout({ bindGroupLayouts: [layoutOf(d, entry)] }) });
        const g = d.createBindGroup({
          layout: layoutOf(d, entry),
          entries: [{ binding: 0, resource: { buffer: buffer(d, 80, BUFFER.UNIFORM) } }],
        });
        pass(
          d,
          (p) => (p.setPipeline(a), p.setBindGroup(0, g), p.setVertexBuffer(0, buffer(d, 48, BUFFER.VERTEX)), p.draw(3))
        );
      },
    ],
    'late size': [
      /u needs 80 bytes, but 64 bytes of \[Buffer "b"\] are bound/,
      (d) => {
        const entry = { binding: 0, visibility: GPUShaderStage.VERTEX, buffer: {} };
        const a = pipe(d, { vs: 'vs', layout: d.createPipelineLayout({ bindGroupLayouts: [layoutOf(d, entry)] }) });
        const g = d.createBindGroup({
          layout: layoutOf(d, entry),
          entries: [{ binding: 0, resource: { buffer: buffer(d, 64, BUFFER.UNIFORM) } }],
        });
        pass(
          d,
          (p) => (p.setPipeline(a), p.setBindGroup(0, g), p.setVertexBuffer(0, buffer(d, 48, BUFFER.VERTEX)), p.draw(3))
        );
      },
    ],
    'dynamic offsets missing': [
      /takes 1 dynamic offsets, not 0/,
      (d) => {
        const l = layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX, buffer: { hasDynamicOffset: true } });
        const g = d.createBindGroup({
          layout: l,
          entries: [{ binding: 0, resource: { buffer: buffer(d, 512, BUFFER.UNIFORM), size: 256 } }],
        });
        pass(d, (p) => p.setBindGroup(0, g));
      },
    ],
    'dynamic offset': [
      null,
      (d) => {
        const l = layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX, buffer: { hasDynamicOffset: true } });
        const g = d.createBindGroup({
          layout: l,
          entries: [{ binding: 0, resource: { buffer: buffer(d, 512, BUFFER.UNIFORM), size: 256 } }],
        });
        pass(d, (p) => p.setBindGroup(0, g, [256]));
      },
    ],
    'dynamic offset alignment': [
      /dynamic offset 16 of binding 0 is not a multiple of 256/,
      (d) => {
        const l = layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX, buffer: { hasDynamicOffset: true } });
        const g = d.createBindGroup({
          layout: l,
          entries: [{ binding: 0, resource: { buffer: buffer(d, 512, BUFFER.UNIFORM), size: 256 } }],
        });
        pass(d, (p) => p.setBindGroup(0, g, [16]));
      },
    ],
    'dynamic offset range': [
      /dynamic offset 512 \+ offset 0 \+ size 256 of binding 0 exceeds/,
      (d) => {
        const l = layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX, buffer: { hasDynamicOffset: true } });
        const g = d.createBindGroup({
          layout: l,
          entries: [{ binding: 0, resource: { buffer: buffer(d, 512, BUFFER.UNIFORM), size: 256 } }],
        });
        pass(d, (p) => p.setBindGroup(0, g, [512]));
      },
    ],
    'dynamic offset range, from the offset of the binding': [
      /dynamic offset 256 \+ offset 256 \+ size 256 of binding 0 exceeds/,
      (d) => {
        const l = layoutOf(d, { binding: 0, visibility: GPUShaderStage.VERTEX, buffer: { hasDynamicOffset: true } });
        const g = d.createBindGroup({
          layout: l,
          entries: [{ binding: 0, resource: { buffer: buffer(d, 512, BUFFER.UNIFORM), offset: 256, size: 256 } }],
        });
        pass(d, (p) => p.setBindGroup(0, g, [256]));
      },
    ],
    'group index': [/index 4 must be less than maxBindGroups 4/, (d) => pass(d, (p) => p.setBindGroup(4, null))],
    'vertex buffer missing': [
      /needs a vertex buffer in slot 0/,
      (d) => pass(d, (p) => (p.setPipeline(pipe(d, { buffers: [one] })), p.draw(3))),
    ],
    'vertex buffer too small': [
      /3 vertices need 48 bytes in vertex slot 0, but 44 bytes/,
      (d) =>
        pass(
          d,
          (p) => (
            p.setPipeline(pipe(d, { buffers: [one] })),
            p.setVertexBuffer(0, buffer(d, 44, BUFFER.VERTEX)),
            p.draw(3)
          )
        ),
    ],
    'last vertex in part': [
      null,
      (d) =>
        pass(
          d,
          (p) => (
            p.setPipeline(pipe(d, { buffers: [{ ...one, arrayStride: 32 }] })),
            p.setVertexBuffer(0, buffer(d, 80, BUFFER.VERTEX)),
            p.draw(3)
          )
        ),
    ],
    'first vertex': [
      /4 vertices need 64 bytes/,
      (d) =>
        pass(
          d,
          (p) => (
            p.setPipeline(pipe(d, { buffers: [one] })),
            p.setVertexBuffer(0, buffer(d, 48, BUFFER.VERTEX)),
            p.draw(3, 1, 1)
          )
        ),
    ],
    instances: [
      /2 instances need 32 bytes/,
      (d) =>
        pass(
          d,
          (p) => (
            p.setPipeline(pipe(d, { buffers: [{ ...one, stepMode: 'instance' }] })),
            p.setVertexBuffer(0, buffer(d, 16, BUFFER.VERTEX)),
            p.draw(3, 2)
          )
        ),
    ],
    'indexed vertices are not counted': [
      null,
      (d) =>
        pass(
          d,
          (p) => (
            p.setPipeline(pipe(d, { buffers: [one] })),
            p.setVertexBuffer(0, buffer(d, 16, BUFFER.VERTEX)),
            p.setIndexBuffer(buffer(d, 12, BUFFER.INDEX), 'uint32'),
            p.drawIndexed(3)
          )
        ),
    ],
    'vertex usage': [
      /needs usage VERTEX; it has INDEX/,
      (d) => pass(d, (p) => p.setVertexBuffer(0, buffer(d, 16, BUFFER.INDEX))),
    ],
    'vertex slot': [
      /slot 8 must be less than maxVertexBuffers 8/,
      (d) => pass(d, (p) => p.setVertexBuffer(8, buffer(d, 16, BUFFER.VERTEX))),
    ],
    'vertex offset': [
      /offset 2 is not a multiple of 4/,
      (d) => pass(d, (p) => p.setVertexBuffer(0, buffer(d, 16, BUFFER.VERTEX), 2)),
    ],
    'vertex range': [
      /offset 8 \+ size 16 exceeds the size 16/,
      (d) => pass(d, (p) => p.setVertexBuffer(0, buffer(d, 16, BUFFER.VERTEX), 8, 16)),
    ],
    'index buffer missing': [
      /no index buffer is set/,
      (d) => pass(d, (p) => (p.setPipeline(pipe(d)), p.drawIndexed(3))),
    ],
    'index range': [
      /first index 1 \+ count 3 of uint32 exceed the 12 bytes/,
      (d) =>
        pass(
          d,
          (p) => (
            p.setPipeline(pipe(d)),
            p.setIndexBuffer(buffer(d, 12, BUFFER.INDEX), 'uint32'),
            p.drawIndexed(3, 1, 1)
          )
        ),
    ],
    'index offset': [
      /offset 2 is not a multiple of 4/,
      (d) => pass(d, (p) => p.setIndexBuffer(buffer(d, 12, BUFFER.INDEX), 'uint32', 2)),
    ],
    'strip without format': [
      /differs from the pipeline's stripIndexFormat \(none\)/,
      (d) =>
        pass(
          d,
          (p) => (
            p.setPipeline(pipe(d, { rest: { primitive: { topology: 'triangle-strip' } } })),
            p.setIndexBuffer(buffer(d, 12, BUFFER.INDEX), 'uint32'),
            p.drawIndexed(3)
          )
        ),
    ],
    strip: [
      null,
      (d) =>
        pass(
          d,
          (p) => (
            p.setPipeline(pipe(d, { rest: { primitive: { topology: 'triangle-strip', stripIndexFormat: 'uint32' } } })),
            p.setIndexBuffer(buffer(d, 12, BUFFER.INDEX), 'uint32'),
            p.drawIndexed(3)
          )
        ),
    ],
    indirect: [
      null,
      (d) => pass(d, (p) => (p.setPipeline(pipe(d)), p.drawIndirect(buffer(d, 16, BUFFER.INDIRECT), 0))),
    ],
    'indirect range': [
      /indirectOffset 4 \+ 16 bytes/,
      (d) => pass(d, (p) => (p.setPipeline(pipe(d)), p.drawIndirect(buffer(d, 16, BUFFER.INDIRECT), 4))),
    ],
    'indirect usage': [
      /needs usage INDIRECT/,
      (d) => pass(d, (p) => (p.setPipeline(pipe(d)), p.drawIndirect(buffer(d, 16, BUFFER.VERTEX), 0))),
    ],
    viewport: [null, (d) => pass(d, (p) => p.setViewport(-5, -5, 100, 100, 0, 1))],
    'viewport depth': [
      /minDepth 0.5 is greater than maxDepth 0.25/,
      (d) => pass(d, (p) => p.setViewport(0, 0, 1, 1, 0.5, 0.25)),
    ],
    'viewport depth range': [/must be from 0 to 1/, (d) => pass(d, (p) => p.setViewport(0, 0, 1, 1, 0, 1.5))],
    'viewport size': [
      /must be from 0 to maxTextureDimension2D/,
      (d) => pass(d, (p) => p.setViewport(0, 0, 9000, 1, 0, 1)),
    ],
    scissor: [/exceeds the attachments' 16×16/, (d) => pass(d, (p) => p.setScissorRect(8, 8, 9, 1))],
    'scissor empty': [null, (d) => pass(d, (p) => p.setScissorRect(16, 16, 0, 0))],
    'sampled attachment': [
      /is sampled while the pass renders to it as colorAttachments\[0\]/,
      (d) => {
        const t = texture(d);
        const g = d.createBindGroup({
          label: 'g',
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: {} }),
          entries: [{ binding: 0, resource: t.createView() }],
        });
        pass(d, (p) => p.setBindGroup(0, g), { color: t });
      },
    ],
    'sampled other level': [
      null,
      (d) => {
        const t = texture(d, { mipLevelCount: 2 });
        const g = d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: {} }),
          entries: [{ binding: 0, resource: t.createView({ baseMipLevel: 1 }) }],
        });
        pass(d, (p) => p.setBindGroup(0, g), { color: t.createView({ mipLevelCount: 1 }) });
      },
    ],
    'sampled read-only depth': [
      null,
      (d) => {
        const t = texture(d, {
          format: 'depth32float',
          usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT,
        });
        const g = d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: { sampleType: 'depth' } }),
          entries: [{ binding: 0, resource: t.createView() }],
        });
        pass(d, (p) => p.setBindGroup(0, g), { depth: { view: t.createView(), depthReadOnly: true } });
      },
    ],
    'sampled depth': [
      /is sampled while the pass renders to it as depthStencilAttachment/,
      (d) => {
        const t = texture(d, {
          format: 'depth32float',
          usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT,
        });
        const g = d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: { sampleType: 'depth' } }),
          entries: [{ binding: 0, resource: t.createView() }],
        });
        pass(d, (p) => p.setBindGroup(0, g), { depth: { view: t.createView(), ...clearDepth } });
      },
    ],
    'storage and vertex': [
      /is both written as storage and read in this pass/,
      (d) => {
        const b = buffer(d, 64, BUFFER.STORAGE | BUFFER.VERTEX);
        const g = d.createBindGroup({
          layout: layoutOf(d, { binding: 0, visibility: GPUShaderStage.FRAGMENT, buffer: { type: 'storage' } }),
          entries: [{ binding: 0, resource: { buffer: b } }],
        });
        pass(d, (p) => (p.setBindGroup(0, g), p.setVertexBuffer(0, b)));
      },
    ],
  }),
  ...group('copyBufferToBuffer', {
    valid: [null, (d) => copy(d, (e) => e.copyBufferToBuffer(buffer(d, 16, ALL), 0, buffer(d, 16, ALL), 0, 16))],
    usage: [
      /needs usage COPY_SRC; it has COPY_DST/,
      (d) => copy(d, (e) => e.copyBufferToBuffer(buffer(d, 16, BUFFER.COPY_DST), 0, buffer(d, 16, ALL), 0, 16)),
    ],
    same: [
      /are both \[Buffer "b"\]/,
      (d) => {
        const b = buffer(d, 16, ALL);
        copy(d, (e) => e.copyBufferToBuffer(b, 0, b, 8, 8));
      },
    ],
    alignment: [
      /source offset 2 is not a multiple of 4/,
      (d) => copy(d, (e) => e.copyBufferToBuffer(buffer(d, 16, ALL), 2, buffer(d, 16, ALL), 0, 4)),
    ],
    range: [
      /destination offset 8 \+ size 16 exceeds/,
      (d) => copy(d, (e) => e.copyBufferToBuffer(buffer(d, 16, ALL), 0, buffer(d, 16, ALL), 8, 16)),
    ],
    empty: [null, (d) => copy(d, (e) => e.copyBufferToBuffer(buffer(d, 16, ALL), 16, buffer(d, 16, ALL), 16, 0))],
    'short form': [null, (d) => copy(d, (e) => e.copyBufferToBuffer(buffer(d, 16, ALL), buffer(d, 16, ALL)))],
  }),
  ...group('copies of textures', {
    'buffer to texture': [
      null,
      (d) =>
        copy(d, (e) =>
          e.copyBufferToTexture(
            { buffer: buffer(d, 256 * 15 + 64, ALL), bytesPerRow: 256 },
            { texture: texture(d) },
            [16, 16]
          )
        ),
    ],
    'buffer too small': [
      /exceeds the size 3900 of/,
      (d) =>
        copy(d, (e) =>
          e.copyBufferToTexture({ buffer: buffer(d, 3900, ALL), bytesPerRow: 256 }, { texture: texture(d) }, [16, 16])
        ),
    ],
    'bytesPerRow 64': [
      /bytesPerRow 64 is not a multiple of 256; pad the rows to 256 bytes/,
      (d) =>
        copy(d, (e) =>
          e.copyBufferToTexture({ buffer: buffer(d, 4096, ALL), bytesPerRow: 64 }, { texture: texture(d) }, [16, 16])
        ),
    ],
    'bytesPerRow missing': [
      /bytesPerRow must be given/,
      (d) => copy(d, (e) => e.copyBufferToTexture({ buffer: buffer(d, 4096, ALL) }, { texture: texture(d) }, [16, 16])),
    ],
    'bytesPerRow not needed': [
      null,
      (d) => copy(d, (e) => e.copyBufferToTexture({ buffer: buffer(d, 64, ALL) }, { texture: texture(d) }, [16, 1])),
    ],
    'bytesPerRow too small': [
      /is less than the 512 bytes of 128 texels/,
      (d) =>
        copy(d, (e) =>
          e.copyBufferToTexture(
            { buffer: buffer(d, 65536, ALL), bytesPerRow: 256 },
            { texture: texture(d, { size: [128, 2] }) },
            [128, 2]
          )
        ),
    ],
    'rowsPerImage missing': [
      /rowsPerImage must be given/,
      (d) =>
        copy(d, (e) =>
          e.copyBufferToTexture(
            { buffer: buffer(d, 65536, ALL), bytesPerRow: 256 },
            { texture: texture(d, { size: [16, 16, 2] }) },
            [16, 16, 2]
          )
        ),
    ],
    // The second image starts 20 rows of 256 bytes after the first, and ends after 15 rows and 64 bytes.
    'rowsPerImage exceeds the height': [
      null,
      (d) =>
        copy(d, (e) =>
          e.copyBufferToTexture(
            { buffer: buffer(d, 9024, ALL), bytesPerRow: 256, rowsPerImage: 20 },
            { texture: texture(d, { size: [16, 16, 2] }) },
            [16, 16, 2]
          )
        ),
    ],
    'rowsPerImage exceeds the buffer': [
      /size 9024 exceeds the size 9020 of/,
      (d) =>
        copy(d, (e) =>
          e.copyBufferToTexture(
            { buffer: buffer(d, 9020, ALL), bytesPerRow: 256, rowsPerImage: 20 },
            { texture: texture(d, { size: [16, 16, 2] }) },
            [16, 16, 2]
          )
        ),
    ],
    'offset alignment': [
      /offset 2 is not a multiple of 4/,
      (d) =>
        copy(d, (e) =>
          e.copyBufferToTexture({ buffer: buffer(d, 4096, ALL), offset: 2 }, { texture: texture(d) }, [1, 1])
        ),
    ],
    outside: [
      /destination x 8 \+ 16 exceeds 16/,
      (d) =>
        copy(d, (e) =>
          e.copyBufferToTexture({ buffer: buffer(d, 4096, ALL) }, { texture: texture(d), origin: [8, 0] }, [16, 1])
        ),
    ],
    'outside of level': [
      /exceeds 8, the size of level 1/,
      (d) =>
        copy(d, (e) =>
          e.copyBufferToTexture(
            { buffer: buffer(d, 4096, ALL) },
            { texture: texture(d, { mipLevelCount: 2 }), mipLevel: 1 },
            [16, 1]
          )
        ),
    ],
    level: [
      /mipLevel 1 does not exist: .* has 1 level/,
      (d) =>
        copy(d, (e) =>
          e.copyBufferToTexture({ buffer: buffer(d, 4096, ALL) }, { texture: texture(d), mipLevel: 1 }, [1, 1])
        ),
    ],
    'to 4 samples': [
      /has 4 samples; resolve it/,
      (d) =>
        copy(d, (e) =>
          e.copyBufferToTexture(
            { buffer: buffer(d, 65536, ALL), bytesPerRow: 256 },
            {
              texture: texture(d, {
                sampleCount: 4,
                usage: GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT,
              }),
            },
            [16, 16]
          )
        ),
    ],
    'to depth32float': [
      /cannot be written from memory/,
      (d) =>
        copy(d, (e) =>
          e.copyBufferToTexture(
            { buffer: buffer(d, 65536, ALL), bytesPerRow: 256 },
            { texture: texture(d, { format: 'depth32float' }) },
            [16, 16]
          )
        ),
    ],
    'from depth32float': [
      null,
      (d) =>
        copy(d, (e) =>
          e.copyTextureToBuffer(
            { texture: texture(d, { format: 'depth32float' }) },
            { buffer: buffer(d, 65536, ALL), bytesPerRow: 256 },
            [16, 16]
          )
        ),
    ],
    'part of depth': [
      /can only be copied whole/,
      (d) =>
        copy(d, (e) =>
          e.copyTextureToBuffer(
            { texture: texture(d, { format: 'depth32float' }) },
            { buffer: buffer(d, 65536, ALL), bytesPerRow: 256 },
            [8, 8]
          )
        ),
    ],
    'from depth24plus': [
      /has no layout in memory/,
      (d) =>
        copy(d, (e) =>
          e.copyTextureToBuffer(
            { texture: texture(d, { format: 'depth24plus' }) },
            { buffer: buffer(d, 65536, ALL), bytesPerRow: 256 },
            [16, 16]
          )
        ),
    ],
    'both aspects': [
      /choose aspect/,
      (d) =>
        copy(d, (e) =>
          e.copyTextureToBuffer(
            { texture: texture(d, { format: 'depth24plus-stencil8' }) },
            { buffer: buffer(d, 65536, ALL), bytesPerRow: 256 },
            [16, 16]
          )
        ),
    ],
    stencil: [
      null,
      (d) =>
        copy(d, (e) =>
          e.copyTextureToBuffer(
            { texture: texture(d, { format: 'depth24plus-stencil8' }), aspect: 'stencil-only' },
            { buffer: buffer(d, 65536, ALL), bytesPerRow: 256 },
            [16, 16]
          )
        ),
    ],
    'texture to texture': [
      null,
      (d) => copy(d, (e) => e.copyTextureToTexture({ texture: texture(d) }, { texture: texture(d) }, [16, 16])),
    ],
    formats: [
      /differ in more than sRGB encoding/,
      (d) =>
        copy(d, (e) =>
          e.copyTextureToTexture({ texture: texture(d) }, { texture: texture(d, { format: 'bgra8unorm' }) }, [16, 16])
        ),
    ],
    srgb: [
      null,
      (d) =>
        copy(d, (e) =>
          e.copyTextureToTexture(
            { texture: texture(d) },
            { texture: texture(d, { format: 'rgba8unorm-srgb' }) },
            [16, 16]
          )
        ),
    ],
    samples: [
      /has 4 samples, but .* has 1/,
      (d) =>
        copy(d, (e) =>
          e.copyTextureToTexture(
            {
              texture: texture(d, {
                sampleCount: 4,
                usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
              }),
            },
            { texture: texture(d) },
            [16, 16]
          )
        ),
    ],
    '4 samples whole': [
      null,
      (d) =>
        copy(d, (e) =>
          e.copyTextureToTexture(
            {
              texture: texture(d, {
                sampleCount: 4,
                usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT,
              }),
            },
            {
              texture: texture(d, {
                sampleCount: 4,
                usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT,
              }),
            },
            [16, 16]
          )
        ),
    ],
    overlap: [
      /source and destination overlap/,
      (d) => {
        const t = texture(d);
        copy(d, (e) => e.copyTextureToTexture({ texture: t }, { texture: t, origin: [8, 8] }, [4, 4]));
      },
    ],
    'other layer': [
      null,
      (d) => {
        const t = texture(d, { size: [16, 16, 2] });
        copy(d, (e) => e.copyTextureToTexture({ texture: t }, { texture: t, origin: [0, 0, 1] }, [4, 4]));
      },
    ],
    clearBuffer: [null, (d) => copy(d, (e) => e.clearBuffer(buffer(d, 16, ALL)))],
    'clearBuffer range': [
      /offset 8 \+ size 16 exceeds/,
      (d) => copy(d, (e) => e.clearBuffer(buffer(d, 16, ALL), 8, 16)),
    ],
    'clearBuffer alignment': [
      /size 2 is not a multiple of 4/,
      (d) => copy(d, (e) => e.clearBuffer(buffer(d, 16, ALL), 0, 2)),
    ],
  }),
  ...group('queue', {
    writeBuffer: [null, (d) => d.queue.writeBuffer(buffer(d, 40, ALL), 8, new Uint8Array(32))],
    'writeBuffer range': [
      /^\[Buffer "b"\] writeBuffer: offset 16 \+ size 32 exceeds the buffer's size 40$/,
      (d) => d.queue.writeBuffer(buffer(d, 40, ALL), 16, new Uint8Array(32)),
    ],
    'writeBuffer alignment': [
      /offset 2 is not a multiple of 4/,
      (d) => d.queue.writeBuffer(buffer(d, 40, ALL), 2, new Uint8Array(32)),
    ],
    'writeBuffer usage': [
      /needs usage COPY_DST/,
      (d) => d.queue.writeBuffer(buffer(d, 40, BUFFER.VERTEX), 0, new Uint8Array(32)),
    ],
    'writeBuffer of destroyed': [
      /is destroyed/,
      (d) => {
        const b = buffer(d, 40, ALL);
        b.destroy();
        d.queue.writeBuffer(b, 0, new Uint8Array(32));
      },
    ],
    'writeBuffer of mapped': [
      /which is mapped; call unmap\(\) first/,
      (d) =>
        d.queue.writeBuffer(d.createBuffer({ size: 40, usage: ALL, mappedAtCreation: true }), 0, new Uint8Array(32)),
    ],
    writeTexture: [
      null,
      (d) => d.queue.writeTexture({ texture: texture(d) }, new Uint8Array(1024), { bytesPerRow: 64 }, [16, 16]),
    ],
    'writeTexture too little': [
      /1024 bytes of 16×16×1 texels exceed the 1000 bytes of data/,
      (d) => d.queue.writeTexture({ texture: texture(d) }, new Uint8Array(1000), { bytesPerRow: 64 }, [16, 16]),
    ],
    'submit twice': [
      /was already submitted/,
      (d) => {
        const c = copy(d, () => undefined);
        d.queue.submit([c]);
        d.queue.submit([c]);
      },
    ],
    'submit destroyed buffer': [
      /\[CommandBuffer \(unlabeled\)\] uses \[Buffer "b"\], which is destroyed/,
      (d) => {
        const b = buffer(d, 16, ALL);
        const c = copy(d, (e) => e.clearBuffer(b));
        b.destroy();
        d.queue.submit([c]);
      },
    ],
    'submit destroyed texture': [
      /uses \[Texture "t"\], which is destroyed/,
      (d) => {
        const t = target(d);
        const c = pass(d, undefined, { color: t });
        t.destroy();
        d.queue.submit([c]);
      },
    ],
    'submit mapped buffer': [
      /which is mapped/,
      (d) => {
        const b = d.createBuffer({ label: 'b', size: 16, usage: ALL, mappedAtCreation: true });
        d.queue.submit([copy(d, (e) => e.clearBuffer(b))]);
      },
    ],
    'createView of destroyed': [
      null,
      (d) => {
        const t = texture(d);
        t.destroy();
        t.createView();
      },
    ],
    'destroy while queued': [
      null,
      (d) => {
        const t = target(d);
        d.queue.submit([pass(d, undefined, { color: t })]);
        t.destroy();
      },
    ],
  }),
  ...group('mapAsync', {
    valid: [
      null,
      (d) =>
        void buffer(d, 16, BUFFER.MAP_READ)
          .mapAsync(GPUMapMode.READ)
          .catch(() => undefined),
    ],
    usage: [
      /mode READ needs a buffer with usage MAP_READ; this one has COPY_SRC \| COPY_DST/,
      (d) =>
        void buffer(d, 16, ALL)
          .mapAsync(GPUMapMode.READ)
          .catch(() => undefined),
    ],
    mode: [
      /mode must be GPUMapMode.READ or GPUMapMode.WRITE, not 3/,
      (d) =>
        void buffer(d, 16, BUFFER.MAP_READ)
          .mapAsync(GPUMapMode.READ | GPUMapMode.WRITE)
          .catch(() => undefined),
    ],
    offset: [
      /offset 4 is not a multiple of 8/,
      (d) =>
        void buffer(d, 16, BUFFER.MAP_READ)
          .mapAsync(GPUMapMode.READ, 4)
          .catch(() => undefined),
    ],
    range: [
      /offset 8 \+ size 16 exceeds/,
      (d) =>
        void buffer(d, 16, BUFFER.MAP_READ)
          .mapAsync(GPUMapMode.READ, 8, 16)
          .catch(() => undefined),
    ],
    twice: [
      /a mapping is pending already/,
      (d) => {
        const b = buffer(d, 16, BUFFER.MAP_READ);
        void b.mapAsync(GPUMapMode.READ).catch(() => undefined);
        void b.mapAsync(GPUMapMode.READ).catch(() => undefined);
      },
      'the specification asks for a validation error beside the rejection',
    ],
  }),
  ...group('compute pipelines', {
    plain: [null, (d) => computePipeline(d, 'fine')],
    'the only entry point': [
      null,
      (d) =>
        d.createComputePipeline({
          layout: 'auto',
          compute: { module: d.createShaderModule({ code: '@compute @workgroup_size(1) fn main() {}' }) },
        }),
    ],
    'an entry point of another stage': [
      /compute: \[ShaderModule "m"\]: entry point "fs" is @fragment, not @compute/,
      (d) => d.createComputePipeline({ layout: 'auto', compute: { module: module(d), entryPoint: 'fs' } }),
    ],
    'too wide': [/512 exceeds maxComputeWorkgroupSizeX 256/, (d) => computePipeline(d, 'wide')],
    'too deep': [/65 exceeds maxComputeWorkgroupSizeZ 64/, (d) => computePipeline(d, 'deep')],
    'too many': [/512 invocations exceed maxComputeInvocationsPerWorkgroup 256/, (d) => computePipeline(d, 'many')],
    'too much memory': [
      /workgroup variables take 16400 bytes, more than maxComputeWorkgroupStorageSize 16384/,
      (d) => computePipeline(d, 'large'),
    ],
    'a layout that is not visible': [
      /does not make it visible to GPUShaderStage.COMPUTE/,
      (d) =>
        d.createComputePipeline({
          layout: d.createPipelineLayout({
            bindGroupLayouts: [
              d.createBindGroupLayout({
                entries: [{ binding: 0, visibility: STAGE.FRAGMENT, buffer: { type: 'storage' } }],
              }),
            ],
          }),
          compute: { module: computeModule(d), entryPoint: 'fine' },
        }),
    ],
  }),
  ...group('compute passes', {
    plain: [null, (d) => compute(d, (p) => p.dispatchWorkgroups(1))],
    'of nothing': [null, (d) => compute(d, (p) => p.dispatchWorkgroups(0, 5))],
    'without a pipeline': [
      /no pipeline is set/,
      (d) =>
        copy(d, (e) => {
          const p = e.beginComputePass();
          p.dispatchWorkgroups(1);
          p.end();
        }),
    ],
    'without a group': [
      /needs a bind group at index 0/,
      (d) =>
        compute(d, (p) => {
          p.setBindGroup(0, null);
          p.dispatchWorkgroups(1);
        }),
    ],
    'too many workgroups': [
      /1 × 65536 × 1 workgroups: 65536 exceeds maxComputeWorkgroupsPerDimension 65535/,
      (d) => compute(d, (p) => p.dispatchWorkgroups(1, 65536)),
    ],
    indirect: [null, (d) => compute(d, (p) => p.dispatchWorkgroupsIndirect(buffer(d, 16, BUFFER.INDIRECT), 4))],
    'indirect, of a buffer of another kind': [
      /needs usage INDIRECT/,
      (d) => compute(d, (p) => p.dispatchWorkgroupsIndirect(buffer(d, 16, BUFFER.COPY_DST), 0)),
    ],
    'indirect, in the middle of a word': [
      /indirectOffset 2 is not a multiple of 4/,
      (d) => compute(d, (p) => p.dispatchWorkgroupsIndirect(buffer(d, 16, BUFFER.INDIRECT), 2)),
    ],
    'indirect, beyond the end': [
      /indirectOffset 8 \+ 12 bytes of arguments exceed the size 16/,
      (d) => compute(d, (p) => p.dispatchWorkgroupsIndirect(buffer(d, 16, BUFFER.INDIRECT), 8)),
    ],
    'a debug group that is open': [/1 debug group\(s\) are open/, (d) => compute(d, (p) => p.pushDebugGroup('g'))],
    'a debug group that is none': [/no debug group is open/, (d) => compute(d, (p) => p.popDebugGroup())],
    'not ended': [/is still open; call its end\(\) first/, (d) => copy(d, (e) => void e.beginComputePass())],
  }),
  ...group('writable bindings', {
    'parts of a buffer': [null, (d) => drawBound(d, 'storage', 0, 256)],
    'a part twice': [/may be written and overlaps/, (d) => drawBound(d, 'storage', 0, 0)],
    'a part twice, read': [null, (d) => drawBound(d, 'read-only-storage', 0, 0)],
    'parts that overlap': [/may be written and overlaps/, (d) => drawBound(d, 'storage', 256, 0, 512)],
    'layers of a texture': [null, (d) => drawStored(d, 0, 1)],
    'a layer twice': [/are bound for writing and overlap/, (d) => drawStored(d, 1, 1)],
    'written by vertices': [
      /a vertex stage cannot write/,
      (d) => layoutOf(d, { binding: 0, visibility: STAGE.VERTEX, storageTexture: { format: 'rgba8unorm' } }),
    ],
    'read and written in a format of four channels': [
      /format rgba8unorm does not support access "read-write"/,
      (d) =>
        layoutOf(d, {
          binding: 0,
          visibility: STAGE.FRAGMENT,
          storageTexture: { format: 'rgba8unorm', access: 'read-write' },
        }),
    ],
    'read and written': [
      null,
      (d) =>
        layoutOf(d, {
          binding: 0,
          visibility: STAGE.FRAGMENT,
          storageTexture: { format: 'r32uint', access: 'read-write' },
        }),
    ],
    'once written and once read and written in a pass': [
      /are one storage texture with access read-write and write-only; use one access in a pass/,
      (d) => storedTwice(d, 'write-only', 'read-write'),
    ],
    'once written and once read in a pass': [
      /are one storage texture with access read-only and write-only/,
      (d) => storedTwice(d, 'write-only', 'read-only'),
    ],
    'twice read and written in a pass': [null, (d) => storedTwice(d, 'read-write', 'read-write')],
    'a cube': [
      /storage textures cannot have viewDimension "cube"/,
      (d) =>
        layoutOf(d, {
          binding: 0,
          visibility: STAGE.FRAGMENT,
          storageTexture: { format: 'rgba8unorm', viewDimension: 'cube' },
        }),
    ],
  }),
  ...group('queries', {
    plain: [
      null,
      (d) =>
        query(d, { occlusionQuerySet: querySet(d) }, (p) => {
          p.beginOcclusionQuery(1);
          p.endOcclusionQuery();
          p.beginOcclusionQuery(0);
          p.endOcclusionQuery();
        }),
    ],
    none: [null, (d) => d.createQuerySet({ type: 'occlusion', count: 0 })],
    'too many': [/count 4097 exceeds 4096/, (d) => d.createQuerySet({ label: 'q', type: 'occlusion', count: 4097 })],
    'without a set': [/the pass has no occlusionQuerySet/, (d) => query(d, {}, (p) => p.beginOcclusionQuery(0))],
    'outside the set': [
      /query 2 does not exist: \[QuerySet "q"\] has 2 queries/,
      (d) => query(d, { occlusionQuerySet: querySet(d) }, (p) => p.beginOcclusionQuery(2)),
    ],
    'one in another': [
      /an occlusion query is open/,
      (d) =>
        query(d, { occlusionQuerySet: querySet(d) }, (p) => {
          p.beginOcclusionQuery(0);
          p.beginOcclusionQuery(1);
        }),
    ],
    twice: [
      /query 0 was already used in this pass/,
      (d) =>
        query(d, { occlusionQuerySet: querySet(d) }, (p) => {
          p.beginOcclusionQuery(0);
          p.endOcclusionQuery();
          p.beginOcclusionQuery(0);
          p.endOcclusionQuery();
        }),
    ],
    'ended without one': [
      /no occlusion query is open/,
      (d) => query(d, { occlusionQuerySet: querySet(d) }, (p) => p.endOcclusionQuery()),
    ],
    'left open': [
      /an occlusion query is open; call endOcclusionQuery/,
      (d) => query(d, { occlusionQuerySet: querySet(d) }, (p) => p.beginOcclusionQuery(0)),
    ],
    'timestamps without the feature': [
      /timestampWrites needs the feature "timestamp-query"/,
      (d) => query(d, { timestampWrites: { querySet: querySet(d), endOfPassWriteIndex: 0 } }),
    ],
    resolve: [null, (d) => copy(d, (e) => e.resolveQuerySet(querySet(d), 0, 2, results(d), 256))],
    'resolve without usage': [
      /needs usage QUERY_RESOLVE/,
      (d) => copy(d, (e) => e.resolveQuerySet(querySet(d), 0, 2, buffer(d, 512, BUFFER.COPY_DST), 0)),
    ],
    'resolve more than there are': [
      /firstQuery 1 \+ queryCount 2 exceeds the 2 queries/,
      (d) => copy(d, (e) => e.resolveQuerySet(querySet(d), 1, 2, results(d), 0)),
    ],
    'resolve from the end': [
      /firstQuery 2 does not exist: \[QuerySet "q"\] has 2 queries/,
      (d) => copy(d, (e) => e.resolveQuerySet(querySet(d), 2, 0, results(d), 0)),
    ],
    'resolve to an odd offset': [
      /destinationOffset 8 is not a multiple of 256/,
      (d) => copy(d, (e) => e.resolveQuerySet(querySet(d), 0, 1, results(d), 8)),
    ],
    'resolve beyond the buffer': [
      /destination offset 512 \+ size 8 exceeds the size 512/,
      (d) => copy(d, (e) => e.resolveQuerySet(querySet(d), 0, 1, results(d), 512)),
    ],
    'a destroyed set': [
      /uses \[QuerySet "q"\], which is destroyed/,
      (d) => {
        const set = querySet(d);
        const e = d.createCommandEncoder();
        e.resolveQuerySet(set, 0, 1, results(d), 0);
        set.destroy();
        d.queue.submit([e.finish()]);
      },
    ],
  }),
  ...group('bundles', {
    plain: [null, (d) => replay(d, bundle(d))],
    'of nothing': [
      null,
      (d) =>
        replay(
          d,
          bundle(d, {}, () => undefined)
        ),
    ],
    'trailing null formats': [null, (d) => replay(d, bundle(d, { colorFormats: ['rgba8unorm', null] }))],
    'no attachment': [/no attachment/, (d) => d.createRenderBundleEncoder({ colorFormats: [] })],
    'only null': [/no attachment/, (d) => d.createRenderBundleEncoder({ colorFormats: [null] })],
    'depth as colour': [
      /colorFormats\[0\]: depth32float is not a colour format/,
      (d) => d.createRenderBundleEncoder({ colorFormats: ['depth32float'] }),
    ],
    'colour as depth': [
      /depthStencilFormat rgba8unorm has neither/,
      (d) => d.createRenderBundleEncoder({ colorFormats: [], depthStencilFormat: 'rgba8unorm' }),
    ],
    'three samples': [
      /sampleCount must be 1 or 4, not 3/,
      (d) => d.createRenderBundleEncoder({ colorFormats: ['rgba8unorm'], sampleCount: 3 }),
    ],
    'nine colours': [
      /9 colour formats exceed maxColorAttachments 8/,
      (d) => d.createRenderBundleEncoder({ colorFormats: Array<GPUTextureFormat>(9).fill('r8unorm') }),
    ],
    'wide colours': [
      /the colour targets take 64 bytes per sample/,
      (d) => d.createRenderBundleEncoder({ colorFormats: Array<GPUTextureFormat>(4).fill('rgba32float') }),
    ],
    'a pipeline of other formats': [
      /renders to colour formats \[rgba8unorm\], but the bundle has \[bgra8unorm\]/,
      (d) => bundle(d, { colorFormats: ['bgra8unorm'] }),
    ],
    'a pipeline of other samples': [
      /renders 1 sample\(s\), but the bundle has 4; set multisample.count/,
      (d) => bundle(d, { sampleCount: 4 }),
    ],
    'a pass of other formats': [
      /\[RenderBundle "r"\] renders to colour formats \[rgba8unorm\], but the pass has \[bgra8unorm\]/,
      (d) => replay(d, bundle(d), { colorAttachments: [attach(target(d, { format: 'bgra8unorm' }))] }),
    ],
    'a pass of other samples': [
      /renders 1 sample\(s\), but the pass has 4; set sampleCount/,
      (d) => replay(d, bundle(d), { colorAttachments: [attach(target(d, { sampleCount: 4 }))] }),
    ],
    'a pass with depth': [
      /has depthStencil format none, but the pass has depth32float/,
      (d) =>
        replay(d, bundle(d), {
          depthStencilAttachment: { view: target(d, { format: 'depth32float' }).createView(), depthReadOnly: true },
        }),
    ],
    'writing what the pass reads': [
      /the pass has depthReadOnly, but .* was recorded without it/,
      (d) =>
        replay(
          d,
          bundle(d, { depthStencilFormat: 'depth32float' }, () => undefined),
          { depthStencilAttachment: { view: target(d, { format: 'depth32float' }).createView(), depthReadOnly: true } }
        ),
    ],
    'reading what the pass reads': [
      null,
      (d) =>
        replay(
          d,
          bundle(d, { depthStencilFormat: 'depth32float', depthReadOnly: true }, () => undefined),
          { depthStencilAttachment: { view: target(d, { format: 'depth32float' }).createView(), depthReadOnly: true } }
        ),
    ],
    'a draw without a pipeline': [
      /\[RenderBundleEncoder "r"\] draw: no pipeline is set/,
      (d) => bundle(d, {}, (r) => r.draw(3)),
    ],
    'an open debug group': [/1 debug group\(s\) are open/, (d) => bundle(d, {}, (r) => r.pushDebugGroup('g'))],
    'a debug group that is not open': [/no debug group is open/, (d) => bundle(d, {}, (r) => r.popDebugGroup())],
    'finished twice': [
      /the encoder is finished already/,
      (d) => {
        const r = d.createRenderBundleEncoder({ colorFormats: ['rgba8unorm'] });
        r.finish();
        r.finish();
      },
    ],
    'a draw after finish': [
      /the encoder is finished/,
      (d) => {
        const r = d.createRenderBundleEncoder({ colorFormats: ['rgba8unorm'] });
        r.finish();
        r.draw(3);
      },
    ],
    'sampling what the pass draws to': [
      /is sampled while the pass renders to it/,
      (d) => {
        const t = texture(d, { usage: TEXTURE.SAMPLED | TEXTURE.ATTACHMENT });
        const layout = layoutOf(d, { binding: 0, visibility: STAGE.FRAGMENT, texture: {} });
        const g = d.createBindGroup({ layout, entries: [{ binding: 0, resource: t.createView() }] });
        replay(
          d,
          bundle(d, {}, (r) => r.setBindGroup(0, g)),
          { colorAttachments: [attach(t)] }
        );
      },
    ],
    ...afterBundles,
  }),
];
