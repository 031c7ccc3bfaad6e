// Modular pipelines with stream output: buffers receive vertices in the order of primitives, on all engines, and
// vertices can be drawn from there.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModularPipeline, ModularStage } from '../../../src/index';
import { open } from '../../threads/open';
import { GPUMapMode, GPUTextureUsage } from '../../support/flags';
import {
  CODE,
  type Device,
  INDICES,
  type Pass,
  STRIDE,
  USAGE,
  attributes,
  empty,
  engines,
  index,
} from './modular-sinks.kit';

const INSTANCES = 3;
describe.each(Object.entries(engines))('stream output into buffers: %s', (_, options) => {
  let device: Device;
  let module: GPUShaderModule;
  let indices: GPUBuffer;
  beforeAll(async () => {
    device = (await open(options)) as unknown as Device;
    module = device.createShaderModule({ code: CODE });
    indices = device.createBuffer({ size: INDICES * 4, usage: USAGE.INDEX | USAGE.COPY_DST });
    device.queue.writeBuffer(
      indices,
      0,
      Uint32Array.from({ length: INDICES }, (__, i) => index(i))
    );
  });
  afterAll(() => device.destroy());

  const stage = (entryPoint: string): ModularStage => ({ kind: 'vertex', module, entryPoint });
  const table = (topology: 'triangle-list' | 'line-list' | 'point-list' = 'triangle-list'): ModularPipeline =>
    device.createModularPipeline({
      label: 'bake',
      layout: 'auto',
      input: { topology },
      stages: [stage('load'), stage('wave')],
      sinks: [{ buffer: { arrayStride: STRIDE, attributes } }],
    });
  const buffer = (size: number): GPUBuffer =>
    device.createBuffer({
      size,
      usage: USAGE.STORAGE | USAGE.VERTEX | USAGE.INDIRECT | USAGE.COPY_SRC | USAGE.COPY_DST,
    });

  function record(draw: (pass: Pass) => void, target: GPURenderPassDescriptor = empty): void {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass(target) as Pass;
    draw(pass);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
  async function bytesOf(source: GPUBuffer | GPUTexture, size: number): Promise<ArrayBuffer> {
    const copy = device.createBuffer({ size, usage: USAGE.MAP_READ | USAGE.COPY_DST });
    const encoder = device.createCommandEncoder();
    if ('mapState' in source) encoder.copyBufferToBuffer(source, 0, copy, 0, size);
    else encoder.copyTextureToBuffer({ texture: source }, { buffer: copy, bytesPerRow: 256 }, [64, 64]);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    return copy.getMappedRange().slice(0);
  }
  /** The expected vertex in plain arithmetic; x is separate, because it goes through a sine. */
  const vertexOf = (i: number, k: number): readonly number[] => [
    Math.fround(Math.fround(Math.fround(Math.floor(i / 40) / 20) - 1) + 0.5),
    k,
    i * 3,
    k * 3,
  ];
  function found(bytes: ArrayBuffer, from: number, vertices: number): number[][] {
    const f32 = new Float32Array(bytes);
    const u32 = new Uint32Array(bytes);
    return Array.from({ length: vertices }, (__, v) => {
      const at = from / 4 + v * 6;
      return [f32[at + 1]!, f32[at + 2]!, u32[at + 4]!, u32[at + 5]!];
    });
  }

  test.each([
    ['triangle-list', 3],
    ['line-list', 2],
    ['point-list', 1],
  ] as const)('vertices of a %s are contiguous, draw call after draw call', async (topology, corners) => {
    const target = buffer(64 + (INDICES + 100) * INSTANCES * STRIDE);
    const counts = buffer(32);
    const pipeline = table(topology);
    device.pushErrorScope('validation');
    record((pass) => {
      pass.setPipeline(pipeline);
      pass.setIndexBuffer(indices, 'uint32');
      pass.setSinkBuffer(target, 64, undefined, counts, 16);
      pass.drawIndexed(INDICES - 1, INSTANCES, 1, 2);
      pass.draw(100, 1, 7, 5);
    });
    expect(await device.popErrorScope()).toBeNull();
    const whole = Math.floor((INDICES - 1) / corners) * corners;
    const more = Math.floor(100 / corners) * corners;
    const wanted = [
      ...Array.from({ length: INSTANCES }, (__, k) =>
        Array.from({ length: whole }, (___, i) => vertexOf(index(i + 1) + 2, k))
      ).flat(),
      ...Array.from({ length: more }, (__, i) => vertexOf(7 + i, 5)),
    ];
    expect(found(await bytesOf(target, target.size), 64, wanted.length)).toEqual(wanted);
    expect([...new Uint32Array(await bytesOf(counts, 32))]).toEqual([0, 0, 0, 0, wanted.length, 1, 0, 0]);
    const { slots, bytesCopied } = pipeline.statistics();
    expect(slots.map((slot) => slot!.runs > 0)).toEqual([true, true]);
    // x, y, z and two integers of each shaded vertex.
    expect(bytesCopied).toBe(slots[1]!.verticesOut * 20);
    expect(pipeline.edges.at(-1)).toMatchObject({
      from: 1,
      to: 'buffer',
      bytesPerVertex: 20,
      dropped: [{ location: 2 }],
    });
  });

  test('also in pipelines whose vertices take more or fewer bytes', async () => {
    const short = device.createModularPipeline({
      layout: 'auto',
      input: { topology: 'point-list' },
      stages: [stage('load'), stage('wave')],
      sinks: [{ buffer: { arrayStride: 8, attributes: [{ shaderLocation: 1, offset: 0, format: 'uint32x2' }] } }],
    });
    const target = buffer(9 * STRIDE + 5 * 8);
    const counts = buffer(16);
    const long = table('point-list');
    record((pass) => {
      pass.setPipeline(long);
      pass.setSinkBuffer(target, 0, undefined, counts);
      pass.draw(4);
      pass.setPipeline(short);
      pass.draw(5, 1, 10);
      pass.setPipeline(long);
      pass.draw(5, 1, 20);
    });
    const bytes = await bytesOf(target, target.size);
    const vertices = (first: number, count: number): number[][] =>
      Array.from({ length: count }, (__, i) => [...vertexOf(first + i, 0)]);
    expect(found(bytes, 0, 4)).toEqual(vertices(0, 4));
    expect([...new Uint32Array(bytes, 4 * STRIDE, 10)]).toEqual([30, 0, 33, 0, 36, 0, 39, 0, 42, 0]);
    expect(found(bytes, 4 * STRIDE + 40, 5)).toEqual(vertices(20, 5));
    expect([...new Uint32Array(await bytesOf(counts, 16))]).toEqual([14, 1, 0, 0]);
  });

  test('branches that join again keep the output of a disabled slot in its place', async () => {
    const code = `enable modular_pipelines;
      struct N { @location(0) @interpolate(flat) n: u32 }
      @vertex fn start() -> N { return N(0); }
      ${[1, 2, 3, 4].map((n) => `@vertex fn s${n}(in: N) -> N { return N(in.n * 10 + ${n}); }`).join('\n')}`;
    const steps = device.createShaderModule({ code });
    const pipeline = device.createModularPipeline({
      layout: 'auto',
      input: { topology: 'point-list' },
      edges: [
        [0, 1],
        [0, 2],
        [0, 3],
        [1, 4],
        [2, 4],
        [3, 4],
      ],
      stages: ['start', 's1', 's2', 's3', 's4'].map((entryPoint) => ({ kind: 'vertex', module: steps, entryPoint })),
      sinks: [{ buffer: { arrayStride: 4, attributes: [{ shaderLocation: 0, offset: 0, format: 'uint32' }] } }],
    });
    const without = async (slots: readonly number[]): Promise<number[]> => {
      const target = buffer(12);
      record((pass) => {
        pass.setPipeline(pipeline);
        for (const slot of slots) pass.setStageEnabled(slot, false);
        pass.setSinkBuffer(target);
        pass.draw(1);
      });
      return [...new Uint32Array(await bytesOf(target, 12))];
    };
    expect(await without([])).toEqual([14, 24, 34]);
    expect(await without([2])).toEqual([14, 4, 34]);
    expect(await without([1])).toEqual([4, 24, 34]);
    expect(await without([1, 2, 4])).toEqual([0, 0, 3]);
  });

  test('streamed vertices draw the same picture as the pipeline itself', async () => {
    const target = buffer(INDICES * STRIDE);
    const counts = buffer(16);
    const fragment = { module, entryPoint: 'fs', targets: [{ format: 'rgba32float' as const }] };
    const direct = device.createModularPipeline({
      layout: 'auto',
      input: {},
      stages: [stage('load'), stage('wave'), stage('look')],
      sinks: [{ raster: { fragment } }],
    });
    const again = device.createRenderPipeline({
      layout: 'auto',
      fragment,
      vertex: {
        module,
        entryPoint: 'read',
        buffers: [
          {
            arrayStride: STRIDE,
            attributes: [
              { shaderLocation: 0, offset: 0, format: 'float32x3' },
              { shaderLocation: 1, offset: 16, format: 'uint32x2' },
            ],
          },
        ],
      },
    });
    const pictures = await Promise.all(
      [0, 1].map(async (way) => {
        const texture = device.createTexture({
          size: [64, 64],
          format: 'rgba32float',
          usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
        });
        const attachment = { view: texture.createView(), loadOp: 'clear', storeOp: 'store' } as const;
        if (way === 1)
          record((pass) => {
            pass.setPipeline(table());
            pass.setIndexBuffer(indices, 'uint32');
            pass.setSinkBuffer(target, 0, undefined, counts);
            pass.drawIndexed(INDICES);
          });
        record(
          (pass) => {
            if (way === 0) {
              pass.setPipeline(direct);
              pass.setIndexBuffer(indices, 'uint32');
              pass.drawIndexed(INDICES);
            } else {
              pass.setPipeline(again);
              pass.setVertexBuffer(0, target);
              pass.drawIndirect(counts, 0);
            }
          },
          { colorAttachments: [attachment] }
        );
        const copy = device.createBuffer({ size: 64 * 1024, usage: USAGE.MAP_READ | USAGE.COPY_DST });
        const encoder = device.createCommandEncoder();
        encoder.copyTextureToBuffer({ texture }, { buffer: copy, bytesPerRow: 1024 }, [64, 64]);
        device.queue.submit([encoder.finish()]);
        await copy.mapAsync(GPUMapMode.READ);
        return new Uint32Array(copy.getMappedRange().slice(0));
      })
    );
    expect(pictures[0]!.some((word) => word !== 0)).toBe(true);
    expect(pictures[1]).toEqual(pictures[0]);
  });
});
