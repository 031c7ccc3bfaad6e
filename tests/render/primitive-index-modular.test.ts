import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  create,
  type ModularPipelineDescriptor,
  type ModularPipelineDevice,
  type ModularStage,
  type ModularPipelineCommands,
} from '../../src/index';
import { KERNELS } from '../storage-programs/kit';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';
import { devices } from './primitive-index.kit';

afterAll(async () => {
  for (const device of devices.values()) (await device).destroy();
});

describe('in modular pipelines', () => {
  const CODE = `enable modular_pipelines; enable primitive_index; enable clip_distances;
    struct V { @location(0) p: vec4f }
    struct End { @builtin(position) position: vec4f, @location(0) p: vec4f }
    struct Cut { @builtin(position) position: vec4f, @builtin(clip_distances) d: array<f32, 1>, @location(0) p: vec4f }
    @vertex fn load(@location(0) p: vec4f) -> V { return V(p); }
    @vertex fn end(v: V) -> End { return End(v.p, v.p); }
    @vertex fn cut(v: V) -> Cut { return Cut(v.p, array<f32, 1>(v.p.x), v.p); }
    @geometry fn same(v: array<V, 3>) { for (var k = 0; k < 3; k++) { emitVertex(v[k]); } }
    @geometry fn ends(v: array<V, 3>) { for (var k = 0; k < 3; k++) { emitVertex(End(v[k].p, v[k].p)); } }
    @primitive fn some(v: array<V, 3>, @builtin(primitive_index) i: u32) -> @builtin(cull_primitive) bool {
      return i == 1;
    }
    @fragment fn plain(@location(0) p: vec4f) -> @location(0) vec4f { return p; }
    @fragment fn numbered(@location(0) p: vec4f, @builtin(primitive_index) i: u32) -> @location(0) vec4f {
      return p + vec4f(f32(i), 0, 0, 0);
    }`;
  type Kind = 'vertex' | 'geometry' | 'primitive';
  const KINDS: Readonly<Record<string, Kind>> = {
    load: 'vertex',
    end: 'vertex',
    cut: 'vertex',
    same: 'geometry',
    ends: 'geometry',
    some: 'primitive',
  };
  let device: GPUDevice & ModularPipelineDevice;
  let module: GPUShaderModule;
  beforeAll(async () => {
    const adapter = await create({ threads: 0, kernelUrl: KERNELS }).requestAdapter();
    device = (await adapter!.requestDevice({
      requiredFeatures: ['modular-pipelines', 'primitive-index', 'clip-distances'] as unknown as GPUFeatureName[],
    })) as typeof device;
    module = device.createShaderModule({ code: CODE });
  });
  afterAll(() => device.destroy());

  const raster = (entryPoint: string) => ({
    raster: { fragment: { module, entryPoint, targets: [{ format: 'rgba32float' as const }] } },
  });
  const toBuffer = {
    buffer: { arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x4' as const }] },
  };
  const tableOf = (names: readonly string[], more: Partial<ModularPipelineDescriptor>): ModularPipelineDescriptor => ({
    layout: 'auto',
    input: { buffers: [{ arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x4' }] }] },
    stages: names.map(
      (entryPoint) =>
        ({
          kind: KINDS[entryPoint]!,
          module,
          entryPoint,
          ...(KINDS[entryPoint] === 'geometry' && { maxVertices: 3 }),
        }) as ModularStage
    ),
    sinks: [raster('plain')],
    ...more,
  });
  async function errorOf(names: readonly string[], more: Partial<ModularPipelineDescriptor>): Promise<string | null> {
    device.pushErrorScope('validation');
    device.createModularPipeline(tableOf(names, more));
    return (await device.popErrorScope())?.message ?? null;
  }
  const ALONE = 'is only supported with vertex stages alone and one sink';
  const NUMBER = `the fragment entry point "numbered" reads @builtin(primitive_index), which ${ALONE}`;
  const forked = (fragment: string): Partial<ModularPipelineDescriptor> => ({
    edges: [[0, 1]],
    sinks: [
      { from: 1, ...raster(fragment) },
      { from: 0, ...toBuffer },
    ],
  });
  const sunk = (fragment: string): Partial<ModularPipelineDescriptor> => ({ sinks: [raster(fragment)] });
  const DISTANCES = `writes @builtin(clip_distances), which ${ALONE}`;

  test.each<[string, readonly string[], string, typeof forked, string | null]>([
    ['a number behind vertex stages', ['load', 'end'], 'numbered', sunk, null],
    ['a number behind a stage that emits', ['load', 'ends'], 'numbered', sunk, NUMBER],
    ['nothing of the kind behind it', ['load', 'ends'], 'plain', sunk, null],
    ['a number behind vertices of what was emitted', ['load', 'same', 'end'], 'numbered', sunk, NUMBER],
    ['a number behind a stage that drops', ['load', 'some', 'end'], 'numbered', sunk, NUMBER],
    ['a number of vertices that lead to a buffer, too', ['load', 'end'], 'numbered', forked, NUMBER],
    ['none of those', ['load', 'end'], 'plain', forked, null],
    ['distances behind vertex stages', ['load', 'cut'], 'plain', sunk, null],
    ['distances with a number', ['load', 'cut'], 'numbered', sunk, null],
    ['distances behind a stage that emits', ['load', 'same', 'cut'], 'plain', sunk, DISTANCES],
    ['distances behind a stage that drops', ['load', 'some', 'cut'], 'plain', sunk, DISTANCES],
    ['distances of vertices that lead to a buffer, too', ['load', 'cut'], 'plain', forked, DISTANCES],
  ])('%s', async (_, names, fragment, shape, message) => {
    const said = await errorOf(names, shape(fragment));
    if (message === null) expect(said).toBeNull();
    else expect(said).toContain(message);
  });

  test('primitive indices and clip distances after two vertex stages', async () => {
    // Three triangles, each over a third of the target's height from x = −1 to 1: the left half is clipped.
    const corners = [0, 1, 2].flatMap((k) =>
      [
        [-1, k],
        [3, k],
        [-1, k + 2],
      ].flatMap(([x, y]) => [x!, 1 - (y! * 2) / 3, 0, 1])
    );
    const vertices = device.createBuffer({
      size: corners.length * 4,
      usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST,
    });
    device.queue.writeBuffer(vertices, 0, Float32Array.from(corners));
    const target = device.createTexture({
      size: [6, 3],
      format: 'rgba32float',
      usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const copy = device.createBuffer({ size: 256 * 3, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target, loadOp: 'clear', clearValue: [-9, 0, 0, 0], storeOp: 'store' }],
    }) as GPURenderPassEncoder & ModularPipelineCommands;
    pass.setPipeline(device.createModularPipeline(tableOf(['load', 'cut'], sunk('numbered'))));
    pass.setVertexBuffer(0, vertices);
    pass.draw(9);
    pass.end();
    encoder.copyTextureToBuffer({ texture: target }, { buffer: copy, bytesPerRow: 256 }, [6, 3]);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const texels = new Float32Array(copy.getMappedRange());
    for (let y = 0; y < 3; y++)
      for (let x = 0; x < 6; x++) {
        const found = texels[y * 64 + x * 4]!;
        const at = (x + 0.5) / 3 - 1;
        expect(Math.abs(found - (at < 0 ? -9 : at + y)), `${x}, ${y}`).toBeLessThan(1e-5);
      }
  });
});
