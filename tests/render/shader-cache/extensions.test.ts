// Own extensions with a shader cache: tessellation and geometry stages, fragment stages of all rates that read the
// target, and shading rates, in modular and in render pipelines. Pictures have the same bits, and warm devices compile
// nothing.
import { afterEach, expect, test, vi } from 'vitest';
import { create, type CreateOptions, type ModularPipelineDescriptor, type ModularStage } from '../../../src/index';
import { variants } from '../../../src/render/shaders/variants';
import { openDevice } from '../../images/scenes/kit';
import type { Device } from '../modular/modular-sinks.kit';
import { modulesChecked, newFolder, programsOf, writeRecords } from './kit';

const SIZE = 64;
const devices: GPUDevice[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const device of devices.splice(0)) device.destroy();
});

const CODE = `
  enable modular_pipelines, fragment_stages, shading_rate;
  struct Corner { @location(0) at: vec2f }
  @vertex fn corner(@builtin(vertex_index) i: u32) -> Corner {
    return Corner(array(vec2f(0, 0), vec2f(1, 0), vec2f(1, 1), vec2f(0, 1))[i]);
  }
  struct Cut { @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f, @location(0) lift: f32 }
  @tess_control fn cut(p: array<Corner, 4>) -> Cut { return Cut(vec4f(5, 3, 4, 6), vec2f(4, 5), 0.3); }
  struct Body { @location(0) p: vec3f }
  @tess_evaluation fn place(
    p: array<Corner, 4>, @builtin(tess_coord) uv: vec3f, @location(0) lift: f32
  ) -> Body {
    let at = mix(mix(p[0].at, p[1].at, uv.x), mix(p[3].at, p[2].at, uv.x), uv.y);
    return Body(vec3f(at.x, lift * sin(at.x * 9), at.y));
  }
  @geometry fn twice(in: array<Body, 3>) {
    for (var copy = 0; copy < 2; copy++) {
      for (var i = 0; i < 3; i++) {
        var body = in[i];
        body.p *= 1 - 0.4 * f32(copy);
        emitVertex(body);
      }
      endStrip();
    }
  }
  struct Seen { @builtin(position) position: vec4f, @location(0) shade: vec2f, @location(1) unused: vec3f }
  @vertex fn look(b: Body) -> Seen {
    return Seen(vec4f(b.p.x * 1.6 - 0.8, b.p.y + b.p.z * 1.4 - 0.8, 0.5, 1), b.p.xz, b.p);
  }
  @vertex fn whole(@builtin(vertex_index) i: u32) -> Seen {
    let at = array(vec2f(-0.9, -0.8), vec2f(0.9, -0.7), vec2f(0.1, 0.9))[i];
    return Seen(vec4f(at, 0.5, 1), at, vec3f(at, 1));
  }
  struct Coarse { @link(0) hue: f32, @link(1) rate: f32 }
  @fragment fn coarse(@location(0) shade: vec2f, @builtin(shading_rate) rate: u32) -> Coarse {
    return Coarse(sin(shade.x * 20), f32(rate) / 10);
  }
  struct Pixel { @link(2) light: vec3f }
  @fragment fn pixel(@link(0) hue: f32, @location(0) shade: vec2f) -> Pixel {
    return Pixel(vec3f(hue * hue, shade.y, cos(shade.x * 7)));
  }
  @fragment fn sample(@link(2) light: vec3f, @link(1) rate: f32, @color(0) below: vec4f) -> @location(0) vec4f {
    return vec4f(abs(light) * below.rgb + rate * 0.5, 1);
  }
  @fragment fn plain(@location(0) shade: vec2f, @color(0) below: vec4f) -> @location(0) vec4f {
    return vec4f(mix(below.rgb, vec3f(fract(shade * 3), 0.5), 0.7), 1);
  }`;

const format = 'rgba8unorm';
const cases = {
  tessellation: ['corner', 'cut', 'place', 'look'],
  'tessellation and a geometry stage': ['corner', 'cut', 'place', 'twice', 'look'],
  'a render pipeline': ['whole'],
};
const KINDS: Record<string, Omit<ModularStage, 'module'>> = {
  cut: { kind: 'tess_control' },
  place: { kind: 'tess_evaluation', domain: 'quads' },
  twice: { kind: 'geometry', maxVertices: 6, topology: 'triangle-strip' },
};

async function open(options: CreateOptions): Promise<Device> {
  const gpu = create({ extensions: true, engine: 'jit', ...options });
  const features = ['statistics', 'modular-pipelines', 'fragment-stages', 'shading-rate'];
  const device = (await openDevice(gpu, {}, features)) as Device;
  devices.push(device);
  return device;
}

/** A pipeline with the vertex stages of a chain. `stages`: of the fragment shader; null: `plain` alone. */
function pipelineOf(device: Device, chain: readonly string[], stages: readonly object[] | null, count: number): object {
  const module = device.createShaderModule({ code: CODE });
  const fragment = { module, targets: [{ format }], ...(stages ? { stages } : { entryPoint: 'plain' }) };
  if (chain.length === 1)
    return device.createRenderPipeline({
      layout: 'auto',
      vertex: { module, entryPoint: chain[0]! },
      fragment: fragment as unknown as GPUFragmentState,
      multisample: { count },
    });
  return device.createModularPipeline({
    layout: 'auto',
    input: { topology: 'patch-list', patchVertices: 4 },
    stages: chain.map(
      (entryPoint) => ({ ...(KINDS[entryPoint] ?? { kind: 'vertex' }), module, entryPoint }) as ModularStage
    ),
    sinks: [{ raster: { fragment, multisample: { count } } }],
  } as ModularPipelineDescriptor);
}

async function drawn(device: Device, chain: readonly string[], samples: number): Promise<Uint8Array> {
  const texture = (sampleCount: number): GPUTexture =>
    device.createTexture({ size: [SIZE, SIZE], format, sampleCount, usage: 16 | 1 });
  const picture = texture(1);
  const encoder = device.createCommandEncoder();
  const view = samples > 1 ? texture(samples).createView() : picture.createView();
  const resolve = samples > 1 ? { resolveTarget: picture.createView() } : {};
  const clearValue = [0.9, 0.8, 0.7, 1];
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store', clearValue, ...resolve }],
  });
  const rates = (['coarse', 'pixel', 'sample'] as const).map((rate) => ({ entryPoint: rate, rate }));
  (pass as unknown as { setShadingRate(rate: string): void }).setShadingRate('2x2');
  for (const stages of [null, rates]) {
    pass.setPipeline(pipelineOf(device, chain, stages, samples) as GPURenderPipeline);
    pass.draw(chain.length > 1 ? 4 : 3);
  }
  pass.end();
  const copy = device.createBuffer({ size: SIZE * SIZE * 4, usage: 1 | 8 });
  encoder.copyTextureToBuffer({ texture: picture }, { buffer: copy, bytesPerRow: SIZE * 4 }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(1);
  return new Uint8Array(copy.getMappedRange()).slice();
}

test.each(Object.entries(cases).flatMap(([name, chain]) => [1, 4].map((samples) => ({ name, chain, samples }))))(
  '$name at $samples samples',
  async ({ chain, samples }) => {
    const shaderCache = newFolder();
    const wanted = await drawn(await open({ threads: 0 }), chain, samples);
    expect(new Set(new Uint32Array(wanted.buffer)).size).toBeGreaterThan(50);
    // As in a new process: the code of other devices is not found in memory.
    vi.spyOn(variants, 'find').mockReturnValue(null);
    const cold = await open({ threads: 0, shaderCache });
    expect(await drawn(cold, chain, samples)).toEqual(wanted);
    expect(programsOf(cold).emitted).toBeGreaterThan(2);
    writeRecords();
    for (const threads of [0, 2]) {
      const warm = await open({ threads, shaderCache });
      const checked = await modulesChecked(async () => expect(await drawn(warm, chain, samples)).toEqual(wanted));
      expect(checked).toBe(0);
      expect(programsOf(warm)).toMatchObject({ emitted: 0 });
    }
  }
);
