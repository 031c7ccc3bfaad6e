// The contents of each format: written as bytes and read by shaders, drawn by shaders and read by shaders.
import { BLACK, BUFFER, COVER, SIZE, TEXTURE, bind, canvas, paint, paintOn, pipeline, scene, upload } from './kit';
import type { Frame, Scene } from './kit';

/** Formats that are sampled as floats, with the bytes per texel. */
const FLOATS: [GPUTextureFormat, number][] = [
  ['r8snorm', 1],
  ['r16float', 2],
  ['rg16float', 4],
  ['rgb10a2unorm', 4],
  ['rg11b10ufloat', 4],
  ['rgb9e5ufloat', 4],
  ['r32float', 4],
  ['rg32float', 8],
  ['rgba32float', 16],
  ['bgra8unorm-srgb', 4],
];
const INTEGERS: [GPUTextureFormat, number][] = [
  ['r8uint', 1],
  ['r8sint', 1],
  ['rg8uint', 2],
  ['rg8sint', 2],
  ['rgba8sint', 4],
  ['r16uint', 2],
  ['r16sint', 2],
  ['rg16uint', 4],
  ['rg16sint', 4],
  ['rgba16uint', 8],
  ['rgba16sint', 8],
  ['rgb10a2uint', 4],
  ['r32uint', 4],
  ['rg32uint', 8],
  ['rg32sint', 8],
  ['rgba32uint', 16],
  ['rgba32sint', 16],
];

/** Bytes without a pattern, but without exponents of infinities: half floats and floats stay finite. */
function noise(bytes: number, finite: boolean): Uint8Array<ArrayBuffer> {
  let seed = 77;
  return new Uint8Array(bytes).map((_, k) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const byte = seed >>> 24;
    return finite && k & 1 ? (byte & 0x83) | 0x3c : byte;
  });
}

/** One row of the picture per format: its texels' channels as colors. */
function rows(
  frame: Frame,
  formats: [GPUTextureFormat, number][],
  code: (format: GPUTextureFormat) => string
): GPUTexture {
  const { device } = frame;
  const height = Math.floor(SIZE / formats.length);
  const draws = formats.map(([format, bytes]) => {
    const texture = device.createTexture({ size: [64, 1], format, usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST });
    device.queue.writeTexture(
      { texture },
      noise(bytes * 64, /float$/.test(format)),
      { bytesPerRow: bytes * 64 },
      [64, 1]
    );
    const pipe = pipeline(frame, `${COVER} ${code(format)}`);
    return { pipe, group: bind(device, pipe, texture.createView()) };
  });
  return paintOn(frame, canvas(frame), (pass) =>
    draws.forEach(({ pipe, group }, k) => {
      pass.setScissorRect(0, k * height, SIZE, height - 1);
      pass.setPipeline(pipe);
      pass.setBindGroup(0, group);
      pass.draw(6);
    })
  );
}

const floats = (frame: Frame): GPUTexture =>
  rows(
    frame,
    FLOATS,
    () => `@group(0) @binding(0) var t: texture_2d<f32>;
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
    let c = textureLoad(t, vec2u(u32(p.x) / 2, 0), 0); let a = abs(c) / (abs(c) + 1);
    return vec4f(a.rgb, select(a.a, 1 - a.a, c.r < 0));
  }`
  );
const kindOf = (format: string): string => (format.endsWith('uint') ? 'u32' : 'i32');
const integers = (frame: Frame): GPUTexture =>
  rows(
    frame,
    INTEGERS,
    (format) => `@group(0) @binding(0) var t: texture_2d<${kindOf(format)}>;
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
    let c = vec4u(textureLoad(t, vec2u(u32(p.x) / 2, 0), 0));
    return vec4f((c ^ (c >> vec4u(8)) ^ (c >> vec4u(16)) ^ (c >> vec4u(24))) & vec4u(255)) / 255;
  }`
  );

const TARGETS: GPUTextureFormat[] = [
  'r8unorm',
  'rg8unorm',
  'r16float',
  'rg16float',
  'rgba16float',
  'rgb10a2unorm',
  'r32float',
  'rg32float',
  'rgba32float',
  'bgra8unorm-srgb',
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

// A ramp drawn into each format, then read: floats directly, integers in steps.
function targets(frame: Frame): GPUTexture {
  const { device } = frame;
  const draws = TARGETS.map((format) => {
    const kind = /[us]int$/.test(format) ? kindOf(format) : 'f32';
    const texture = device.createTexture({ size: [128, 4], format, usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED });
    const value =
      kind === 'f32'
        ? 'vec4f(p.x / 128, 1 - p.x / 128, p.y / 4, 0.25 + p.x / 256)'
        : `vec4<${kind}>(vec4f(p.x - ${kind === 'i32' ? 64 : 0}, 100 `
          + `- p.x / 2${kind === 'u32' ? ' + 64' : ''}, p.y * 9, 3))`;
    const draw = pipeline(
      frame,
      `${COVER} @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4<${kind}> { return ${value}; }`,
      { formats: [format] }
    );
    paint(
      device,
      {
        colorAttachments: [
          { view: texture.createView(), loadOp: 'clear', storeOp: 'store', clearValue: { r: 1, g: 2, b: 3, a: 1 } },
        ],
      },
      (pass) => {
        pass.setPipeline(draw);
        pass.setScissorRect(0, 0, 120, 4);
        pass.draw(6);
      }
    );
    const read = pipeline(
      frame,
      `@group(0) @binding(0) var t: texture_2d<${kind}>; ${COVER}
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
        let c = vec4f(textureLoad(t, vec2u(p.xy) % vec2u(128, 4), 0)); return ${kind === 'f32' ? 'c' : 'abs(c) / 255'};
      }`
    );
    return { read, group: bind(device, read, texture.createView()) };
  });
  return paintOn(frame, canvas(frame), (pass) =>
    draws.forEach(({ read, group }, k) => {
      pass.setScissorRect(0, k * 4, SIZE, 4);
      pass.setPipeline(read);
      pass.setBindGroup(0, group);
      pass.draw(6);
    })
  );
}

// Slices of a 3D texture drawn one by one, two in one pass, then a part of it copied through a buffer and read.
function slices(frame: Frame): GPUTexture {
  const { device } = frame;
  const size = [32, 32, 4];
  const make = (): GPUTexture =>
    device.createTexture({
      size,
      dimension: '3d',
      format: 'rgba8unorm',
      usage: TEXTURE.ATTACHMENT | TEXTURE.SAMPLED | TEXTURE.COPY_SRC | TEXTURE.COPY_DST,
    });
  const volume = make();
  const copy = make();
  const slice = (depthSlice: number): GPURenderPassColorAttachment => ({
    view: volume.createView(),
    depthSlice,
    loadOp: 'clear',
    storeOp: 'store',
    clearValue: BLACK,
  });
  const fill = pipeline(
    frame,
    `${COVER} struct O { @location(0) a: vec4f, @location(1) b: vec4f };
    @group(0) @binding(0) var<uniform> u: vec4f;
    @fragment fn fs(@builtin(position) p: vec4f) -> O {
      return O(vec4f(p.xy / 32, u.x, 1), vec4f(u.y, 1 - p.xy / 32, 1));
    }`,
    { formats: ['rgba8unorm', 'rgba8unorm'] }
  );
  for (const [a, b] of [
    [0, 2],
    [3, 1],
  ] as const)
    paint(device, { colorAttachments: [slice(a), slice(b)] }, (pass) => {
      pass.setPipeline(fill);
      pass.setBindGroup(
        0,
        bind(device, fill, { buffer: upload(device, Float32Array.of(a / 3, b / 3, 0, 0), BUFFER.UNIFORM) })
      );
      pass.draw(6);
    });
  const through = device.createBuffer({ size: 256 * 32 * 4, usage: BUFFER.COPY_SRC | BUFFER.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToTexture({ texture: volume }, { texture: copy }, size);
  encoder.copyTextureToBuffer(
    { texture: volume, origin: [4, 8, 1] },
    { buffer: through, bytesPerRow: 256, rowsPerImage: 32 },
    [20, 10, 3]
  );
  encoder.copyBufferToTexture(
    { buffer: through, bytesPerRow: 256, rowsPerImage: 32 },
    { texture: copy, origin: [10, 20, 0] },
    [20, 10, 3]
  );
  device.queue.submit([encoder.finish()]);
  const pipe = pipeline(
    frame,
    `@group(0) @binding(0) var t: texture_3d<f32>; ${COVER}
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = vec2u(p.xy); return textureLoad(t, vec3u(q % 64 / 2, q.x / 64 + 2 * (q.y / 64)), 0);
    }`
  );
  const group = bind(device, pipe, copy.createView());
  return paintOn(frame, canvas(frame), (pass) => {
    pass.setPipeline(pipe);
    pass.setBindGroup(0, group);
    pass.draw(6);
  });
}

export const formats: Record<string, Scene> = {
  'float-formats': scene('texels of float formats', floats, { within: 1 }),
  'integer-formats': scene('texels of integer formats', integers, { within: 0, share: 1 }),
  'target-formats': scene('what shaders write into each format', targets, { within: 2 }),
  slices: scene('slices of a volume drawn and copied', slices, { within: 1, share: 1 }),
};
