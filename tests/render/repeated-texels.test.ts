// Passes whose colours follow from the texels that they read, over pictures in which neighbouring quads read the same
// texels: compiled code, which copies the outputs of such quads, gives the bits of the other engines.
// RASTERLOOM_FUZZ=count runs more scenes, RASTERLOOM_SEED=number others.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { globals } from '../../src/index';
import { open } from '../compute/engines';
import { firstDifference } from '../support/first-difference';
import { rounds } from '../support/rounds';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const [WIDTH, HEIGHT] = [70, 22];
/** Texels are constant in squares of this many texels. */
const PATCH = 12;
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 61);
const engines = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
} as const;

/** Half floats: 0, −0, denormal, small, ½, 1, 3, −2, infinity, NaN. */
const HALVES = [0, 0x8000, 0x0003, 0x1400, 0x3800, 0x3c00, 0x4200, 0xc000, 0x7c00, 0x7e00];

/** Where texels come from. */
const READS = {
  'sampled at every texel': 'textureSampleLevel(first, filters, v.at.xy / size, 0)',
  'sampled between texels': 'textureSampleLevel(first, filters, (v.at.xy + 0.3) / size, 0)',
  loaded: 'textureLoad(first, vec2i(v.at.xy), 0)',
  'of two textures': 'textureLoad(first, vec2i(v.at.xy), 0) + textureLoad(second, vec2i(v.at.xy / 3), 0)',
  'through a sum': 'textureLoad(second, vec2i(textureLoad(first, vec2i(v.at.xy), 0).xy), 0)',
} as const;
/** What follows; some of it differs between quads that read the same texels. */
const ENDS = {
  curve: 'c = pow(max(c, vec4f()), vec4f(0.41666)) * 1.055 - 0.055;',
  'curve without its alpha': 'if (c.a != 0) { c = vec4f(pow(c.rgb / c.a, vec3f(0.41666)) * c.a, c.a); }',
  position: 'c = exp2(sin(c * 3)) + v.at.x / 64;',
  varying: 'c = exp2(sin(c * 3)) * v.along;',
  'flat varying': 'c = exp2(sin(c * 3)) + f32(v.number);',
  derivative: 'c = exp2(sin(c * 3)) + dpdx(c) + fwidth(pow(abs(c), vec4f(1.5)));',
  uniform: 'c = pow(abs(c), settings[u32(abs(c.x)) & 1]) + settings[1];',
  discard: 'c = exp2(sin(c * 3)); if (c.x > 1.5) { discard; }',
  loop: 'for (var i = 0; i < min(i32(c.x), 4); i++) { c = exp2(sin(c * 3)); }',
} as const;

interface Scene {
  readonly read: keyof typeof READS;
  readonly end: keyof typeof ENDS;
  readonly texels: readonly number[];
  /** Whether a second target takes a part of the result. */
  readonly two: boolean;
}

const codeOf = ({ read, end, two }: Scene): string => `
struct V {
  @builtin(position) at: vec4f,
  @location(0) along: f32,
  @location(1) @interpolate(flat) number: u32,
}
struct F { @location(0) a: vec4f, ${two ? '@location(1) b: vec4f,' : ''} }
@group(0) @binding(0) var first: texture_2d<f32>;
@group(0) @binding(1) var second: texture_2d<f32>;
@group(0) @binding(2) var filters: sampler;
@group(0) @binding(3) var<uniform> settings: array<vec4f, 2>;
@vertex fn vs(@builtin(vertex_index) i: u32) -> V {
  var corners = array(vec2f(-1, -1), vec2f(1, -1), vec2f(-1, 1), vec2f(1, 1), vec2f(-1, 1), vec2f(1, -1));
  return V(vec4f(corners[i], 0, 1), f32(i) + 1, i);
}
@fragment fn fs(v: V) -> F {
  _ = settings[0]; _ = filters; _ = second;
  let size = vec2f(${WIDTH}, ${HEIGHT});
  var c = ${READS[read]};
  ${ENDS[end]}
  var f: F;
  f.a = c;
  ${two ? 'f.b = vec4f(c.zyx * c.x, 1);' : ''}
  return f;
}`;

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

  function texture(device: GPUDevice, texels: readonly number[], turn: number): GPUTexture {
    const made = device.createTexture({
      size: [WIDTH, HEIGHT],
      format: 'rgba16float',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    const columns = Math.ceil(WIDTH / PATCH);
    const data = Uint16Array.from({ length: WIDTH * HEIGHT * 4 }, (_, i) => {
      const [x, y] = [(i >> 2) % WIDTH, Math.floor((i >> 2) / WIDTH)];
      const patch = Math.floor(y / PATCH) * columns + Math.floor(x / PATCH);
      return HALVES[texels[(patch * 4 + (i & 3) * turn) % texels.length]!]!;
    });
    device.queue.writeTexture({ texture: made }, data, { bytesPerRow: WIDTH * 8 }, [WIDTH, HEIGHT]);
    return made;
  }

  async function draw(device: GPUDevice, scene: Scene): Promise<Uint32Array> {
    const module = device.createShaderModule({ code: codeOf(scene) });
    const formats = Array.from({ length: scene.two ? 2 : 1 }, () => ({ format: 'rgba32float' }) as const);
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: formats },
    });
    const settings = device.createBuffer({ size: 32, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(settings, 0, Float32Array.of(0.5, 1, 2, 3, 0.25, 4, 1.5, 2));
    const targets = formats.map(({ format }) =>
      device.createTexture({
        size: [WIDTH, HEIGHT],
        format,
        usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
      })
    );
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: targets.map((view) => ({ view, loadOp: 'clear', storeOp: 'store', clearValue: [7, 7, 7, 7] })),
    });
    pass.setPipeline(pipeline);
    const entries = [
      texture(device, scene.texels, 1),
      texture(device, scene.texels, 3),
      device.createSampler({ magFilter: 'linear', minFilter: 'linear' }),
      settings,
    ];
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: entries.map((resource, binding) => ({ binding, resource })),
      })
    );
    pass.draw(6);
    pass.end();
    const row = Math.ceil((WIDTH * 16) / 256) * 256;
    const read = device.createBuffer({
      size: row * HEIGHT * targets.length,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
    });
    targets.forEach((source, k) =>
      encoder.copyTextureToBuffer({ texture: source }, { buffer: read, offset: k * row * HEIGHT, bytesPerRow: row }, [
        WIDTH,
        HEIGHT,
      ])
    );
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    return new Uint32Array(read.getMappedRange().slice(0));
  }

  const pick = <T>(from: Readonly<Record<string, T>>): fc.Arbitrary<string> => fc.constantFrom(...Object.keys(from));
  const scenes = fc.record({
    read: pick(READS),
    end: pick(ENDS),
    texels: fc.array(fc.nat(HALVES.length - 1), { minLength: 1, maxLength: 30 }),
    two: fc.boolean(),
  }) as fc.Arbitrary<Scene>;

  test('of every engine', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const [compiled, ...others] = await Promise.all(devices.map((device) => draw(device, scene)));
        for (const other of others) expect(firstDifference(compiled!, other)).toBe(-1);
      }),
      { numRuns: rounds(60), seed: SEED }
    );
  });
});
