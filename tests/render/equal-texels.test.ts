// Full-screen passes over textures that are plain except for a few texels: compiled code, which shades tiles of equal
// texels once, gives the bits of the other engines. RASTERLOOM_FUZZ=count runs more scenes, RASTERLOOM_SEED=number
// others.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { globals } from '../../src/index';
import { open } from '../compute/engines';
import { firstDifference } from '../support/first-difference';
import { rounds } from '../support/rounds';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 17);
const [WIDTH, HEIGHT] = [200, 136];
const engines = {
  compiled: { engine: 'jit', threads: 0 },
  'on two workers': { engine: 'jit', threads: 2 },
  interpreted: { engine: 'interpreter', threads: 0 },
} as const;

/** Coordinates of texels; the texture has `side` columns and rows. */
const READS = {
  'by position': 'textureSample(plain, filters, v.at.xy / settings.xy)',
  mirrored: 'textureSample(plain, filters, vec2f(1, 0) + vec2f(-1, 1) * v.at.xy / settings.xy)',
  magnified: 'textureSampleLevel(plain, filters, v.at.xy * 0.25 / settings.xy + 0.3, 0)',
  reduced: 'textureSampleLevel(plain, filters, v.at.xy * 3 / settings.xy - 0.5, 0)',
  'by a varying': 'textureSample(plain, filters, v.uv)',
  'by a varying that turns': 'textureSample(plain, filters, v.turned)',
  'by a quotient that shrinks': 'textureSampleLevel(plain, filters, settings.xy / (v.at.xy + 50), 0)',
  'by a sum': 'textureSampleLevel(plain, filters, vec2f(v.uv.x + v.uv.y, v.uv.x), 0)',
  loaded: 'textureLoad(plain, vec2i(v.at.xy), 0)',
  'loaded out of range': 'textureLoad(plain, vec2i(v.at.xy) - 20, 0)',
  'of two textures': 'textureSample(plain, filters, v.uv) + textureLoad(other, vec2i(v.at.xy * 0.5), 0)',
  'through a sum': 'textureLoad(other, vec2i(textureSample(plain, filters, v.uv).xy), 0)',
} as const;
const ENDS = {
  nothing: '',
  curve: 'c = pow(max(c, vec4f()), vec4f(0.41666)) * 1.055 - 0.055;',
  'a branch': 'if (c.a != 0) { c = vec4f(c.rgb / c.a, c.a); }',
  position: 'c += v.at.x / 64;',
  derivative: 'c += fwidth(c);',
  discard: 'if (c.x > 0.6) { discard; }',
} as const;
const FORMATS = { rgba16float: 8, rgba8unorm: 4, 'rgba8unorm-srgb': 4 } as const;

interface Scene {
  readonly read: keyof typeof READS;
  readonly end: keyof typeof ENDS;
  readonly format: keyof typeof FORMATS;
  readonly filter: GPUFilterMode;
  readonly address: GPUAddressMode;
  /** Index of the value of all texels but the odd ones. */
  readonly plain: number;
  /** Odd texels: column and row, and the index of the value. */
  readonly odd: readonly (readonly [number, number, number])[];
  /** Whether the triangle is seen in perspective. */
  readonly tilts: boolean;
  readonly blends: boolean;
}

const codeOf = ({ read, end, tilts }: Scene): string => `
struct V { @builtin(position) at: vec4f, @location(0) uv: vec2f, @location(1) turned: vec2f }
@group(0) @binding(0) var plain: texture_2d<f32>;
@group(0) @binding(1) var other: texture_2d<f32>;
@group(0) @binding(2) var filters: sampler;
@group(0) @binding(3) var<uniform> settings: vec4f;
@vertex fn vs(@builtin(vertex_index) i: u32) -> V {
  var corners = array(vec2f(-1, -3), vec2f(-1, 1), vec2f(3, 1));
  let p = corners[i];
  let w = ${tilts ? '1 + 0.2 * f32(i)' : '1.0'};
  let uv = p * vec2f(0.5, -0.5) + 0.5;
  return V(vec4f(p * w, 0, w), uv, vec2f(uv.x * 0.8 + uv.y * 0.6, uv.y * 0.8 - uv.x * 0.6));
}
@fragment fn fs(v: V) -> @location(0) vec4f {
  _ = settings; _ = filters; _ = other;
  var c = ${READS[read]};
  ${ENDS[end]}
  return c;
}`;

/** Half floats: colours, 0, −0 and denormal, infinity, NaN. Bytes are the two bytes of each, joined by exclusive or. */
const VALUES = [
  [0x3800, 0x3a00, 0x2c00, 0x3c00],
  [0, 0, 0, 0],
  [0x8000, 0x0003, 0x1400, 0x3800],
  [0x7c00, 0x3c00, 0, 0x3c00],
  [0x7e00, 0x3c00, 0, 0x3c00],
  [0x3801, 0x3a00, 0x2c00, 0x3c00],
];

describe('the same bits', () => {
  const devices: GPUDevice[] = [];
  beforeAll(async () => {
    for (const options of Object.values(engines)) {
      const device = await open(options);
      device.addEventListener('uncapturederror', ({ error }) => {
        throw new Error(error.message);
      });
      devices.push(device);
    }
  });
  afterAll(() => {
    for (const device of devices) device.destroy();
  });

  function texture(device: GPUDevice, { format, plain, odd }: Scene): GPUTexture {
    const bytes = FORMATS[format];
    const made = device.createTexture({
      size: [WIDTH, HEIGHT],
      format,
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    const texelOf = (index: number): Uint8Array => {
      const words = VALUES[index]!;
      if (bytes === 8) return new Uint8Array(Uint16Array.from(words).buffer);
      return Uint8Array.from(words, (word) => word ^ (word >> 8));
    };
    const data = new Uint8Array(WIDTH * HEIGHT * bytes);
    for (let i = 0; i < WIDTH * HEIGHT; i++) data.set(texelOf(plain), i * bytes);
    for (const [x, y, index] of odd) data.set(texelOf(index), (y * WIDTH + x) * bytes);
    device.queue.writeTexture({ texture: made }, data, { bytesPerRow: WIDTH * bytes }, [WIDTH, HEIGHT]);
    return made;
  }

  async function draw(device: GPUDevice, scene: Scene): Promise<Uint8Array> {
    const module = device.createShaderModule({ code: codeOf(scene) });
    const format = 'rgba16float';
    const add = { srcFactor: 'one', dstFactor: 'one' } as const;
    const blend = scene.blends ? { blend: { color: add, alpha: add } } : {};
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format, ...blend }] },
    });
    const settings = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(settings, 0, Float32Array.of(WIDTH, HEIGHT, 0, 0));
    const target = device.createTexture({
      size: [WIDTH, HEIGHT],
      format,
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    const entries = [
      texture(device, scene),
      texture(device, { ...scene, odd: scene.odd.slice(1) }),
      device.createSampler({
        magFilter: scene.filter,
        minFilter: scene.filter,
        addressModeU: scene.address,
        addressModeV: scene.address,
      }),
      settings,
    ];
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'store', clearValue: [0.5, 0.5, 0.5, 0.5] }],
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: entries.map((resource, binding) => ({ binding, resource })),
      })
    );
    pass.draw(3);
    pass.end();
    const row = Math.ceil((WIDTH * 8) / 256) * 256;
    const read = device.createBuffer({ size: row * HEIGHT, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    encoder.copyTextureToBuffer({ texture: target }, { buffer: read, bytesPerRow: row }, [WIDTH, HEIGHT]);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    return new Uint8Array(read.getMappedRange().slice(0));
  }

  const keyOf = <T extends object>(from: T): fc.Arbitrary<keyof T> =>
    fc.constantFrom(...(Object.keys(from) as (keyof T)[]));
  const value = fc.nat(VALUES.length - 1);
  const scenes: fc.Arbitrary<Scene> = fc.record({
    read: keyOf(READS),
    end: keyOf(ENDS),
    format: keyOf(FORMATS),
    filter: fc.constantFrom<GPUFilterMode[]>('linear', 'nearest'),
    address: fc.constantFrom<GPUAddressMode[]>('clamp-to-edge', 'clamp-to-edge', 'repeat', 'mirror-repeat'),
    plain: value,
    odd: fc.array(
      fc.tuple(
        fc.oneof(fc.constantFrom(0, 62, 63, 64, 65, 127, 128, 199), fc.nat(WIDTH - 1)),
        fc.oneof(fc.constantFrom(0, 62, 63, 64, 65, 127, 128, 135), fc.nat(HEIGHT - 1)),
        value
      ),
      { maxLength: 3 }
    ),
    tilts: fc.boolean(),
    blends: fc.boolean(),
  });

  test('of every engine', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const [compiled, ...others] = await Promise.all(devices.map((device) => draw(device, scene)));
        for (const other of others) expect(firstDifference(compiled!, other)).toBe(-1);
      }),
      { numRuns: rounds(80), seed: SEED }
    );
  });
});
