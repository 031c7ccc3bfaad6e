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

  test('output that does not fit is an error, or dropped for indirect draws', async () => {
    const errorOf = async (act: () => void): Promise<string | undefined> => {
      device.pushErrorScope('validation');
      act();
      return (await device.popErrorScope())?.message;
    };
    const drawn = (draw: (pass: Pass) => void): Promise<string | undefined> =>
      errorOf(() =>
        record((pass) => {
          pass.setPipeline(table());
          draw(pass);
        })
      );
    const small = buffer(10 * STRIDE);
    expect(await drawn((pass) => pass.draw(3))).toContain(
      '[ModularPipeline "bake"] has a buffer sink; call setSinkBuffer() for sinks[0] first'
    );
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(small);
        pass.draw(9);
        pass.draw(3);
      })
    ).toContain('draw: 288 bytes of vertices so far exceed the 240 bytes');
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(small, 2);
      })
    ).toContain('offset 2 is not a multiple of 4');
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(indices);
      })
    ).toContain('needs usage STORAGE');
    const counts = buffer(16);
    device.queue.writeBuffer(counts, 0, Uint32Array.of(300, 1, 0, 0));
    const guarded = buffer(12 * STRIDE);
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(guarded, 0, 10 * STRIDE);
        pass.drawIndirect(counts, 0);
      })
    ).toBeUndefined();
    const words = new Uint32Array(await bytesOf(guarded, guarded.size));
    // Three triangles; there is no room for the tenth vertex's triangles.
    expect([...words.slice(54)]).toEqual(Array.from({ length: 18 }, () => 0));
    expect(words[52]).toBe(24);
    const makes = (stages: readonly ModularStage[], sink: object): Promise<string | undefined> =>
      errorOf(() =>
        device.createModularPipeline({ layout: 'auto', input: {}, stages, sinks: [{ buffer: sink as never }] })
      );
    const good = { arrayStride: STRIDE, attributes };
    expect(await makes([stage('load')], { ...good, arrayStride: 22 })).toContain(
      'arrayStride 22 must be a multiple of 4'
    );
    expect(await makes([stage('load')], { arrayStride: 8, attributes })).toContain('attributes[0]: offset 16 must be');
    const builtin = 'primitive_vertices';
    expect(await makes([stage('load')], { ...good, attributes: [{ offset: 0, format: 'uint32' }] })).toContain(
      'attributes[0] must have either shaderLocation or builtin'
    );
    expect(await makes([stage('load')], { ...good, attributes: [{ builtin, offset: 0, format: 'sint32' }] })).toContain(
      'attributes[0]: the format of builtin "primitive_vertices" must be uint32, not sint32'
    );
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(small, 0, undefined, null, 0, 0, 4);
      })
    ).toContain('missedOffset is a place in counts: give counts as well');
    expect(
      await drawn((pass) => {
        pass.setSinkBuffer(small, 0, undefined, buffer(16), 0, 0, 16);
      })
    ).toContain('offset 16 + 4 bytes exceed the size 16');
    expect(
      await makes([stage('load')], { ...good, attributes: [{ shaderLocation: 1, offset: 0, format: 'float32x2' }] })
    ).toContain('format float32x2 does not fit @location(1) result.n of slot 0 ("load"), which is vec2u');
  });

  test('primitives emitted by indirect draws are kept as far as there is room', async () => {
    const pipeline = device.createModularPipeline({
      layout: 'auto',
      input: { topology: 'point-list' },
      sinks: [{ buffer: { arrayStride: STRIDE, attributes } }],
      stages: [
        stage('load'),
        { kind: 'geometry', module, entryPoint: 'twice', maxVertices: 3, topology: 'point-list' },
      ],
    });
    const target = buffer(32 * STRIDE);
    const counts = buffer(16);
    const wanted = buffer(16);
    device.queue.writeBuffer(wanted, 0, Uint32Array.of(50_000, 1, 0, 0));
    record((pass) => {
      pass.setPipeline(pipeline);
      pass.setSinkBuffer(target, 0, 10 * STRIDE, counts);
      pass.drawIndirect(wanted, 0);
    });
    // All of them fit, so there are no gaps and nothing is moved.
    expect([...new Uint32Array(await bytesOf(counts, 16))]).toEqual([10, 1, 0, 0]);
    const words = new Uint32Array(await bytesOf(target, target.size));
    expect(Array.from({ length: 10 }, (__, v) => words[v * 6 + 4])).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
    expect([...words.slice(60)].every((word) => word === 0)).toBe(true);
    const { slots, bytesCompacted } = pipeline.statistics();
    expect(bytesCompacted).toBe(0);
    // Work that only counts primitives is not reported.
    expect(slots[1]!.verticesOut).toBe(100_000);
  });

  test('direct draws need room for emitted primitives only, in order', async () => {
    const emitting = (maxVertices: number, topology: 'point-list' = 'point-list'): ModularPipeline =>
      device.createModularPipeline({
        layout: 'auto',
        input: { topology },
        sinks: [{ buffer: { arrayStride: STRIDE, attributes } }],
        stages: [stage('load'), { kind: 'geometry', module, entryPoint: 'twice', maxVertices, topology }],
      });
    const wide = emitting(64);
    const plain = table('point-list');
    const numbers = async (vertices: number, draw: (pass: Pass) => void): Promise<number[]> => {
      const target = buffer((vertices + 1) * STRIDE);
      const counts = buffer(16);
      device.pushErrorScope('validation');
      record((pass) => {
        pass.setPipeline(wide);
        pass.setSinkBuffer(target, 0, vertices * STRIDE, counts);
        draw(pass);
      });
      expect((await device.popErrorScope())?.message).toBeUndefined();
      const words = new Uint32Array(await bytesOf(target, target.size));
      expect(words.slice(vertices * 6).every((word) => word === 0)).toBe(true);
      const [held] = new Uint32Array(await bytesOf(counts, 16));
      return Array.from({ length: held! }, (__, v) => words[v * 6 + 4]!);
    };
    const twice = (first: number, count: number): number[] =>
      Array.from({ length: 2 * count }, (__, i) => first + (i >> 1));
    const thrice = (first: number, count: number): number[] =>
      Array.from({ length: count }, (__, i) => (first + i) * 3);
    // Exactly as many as arrive, then too few.
    expect(await numbers(6000, (pass) => pass.draw(3000))).toEqual(twice(0, 3000));
    expect(await numbers(5001, (pass) => pass.draw(3000))).toEqual(twice(0, 3000).slice(0, 5001));
    // One after another, with draw calls in between whose number of vertices is known.
    const several = (pass: Pass): void => {
      pass.draw(10, 1, 5);
      pass.setPipeline(plain);
      pass.draw(7, 1, 40);
      pass.setPipeline(wide);
      pass.draw(10, 1, 90);
    };
    const wanted = [...twice(5, 10), ...thrice(40, 7), ...twice(90, 10)];
    expect(await numbers(47, several)).toEqual(wanted);
    expect(await numbers(33, several)).toEqual(wanted.slice(0, 33));
    expect(await numbers(47 * 64, several)).toEqual(wanted);
  });

  test('a pipeline that draws and streams without room for gaps draws once', async () => {
    const both = device.createModularPipeline({
      layout: 'auto',
      input: { topology: 'point-list' },
      edges: [
        [0, 1],
        [1, 2],
      ],
      stages: [
        stage('load'),
        { kind: 'geometry', module, entryPoint: 'twice', maxVertices: 50, topology: 'point-list' },
        stage('look'),
      ],
      sinks: [
        { from: [1], buffer: { arrayStride: STRIDE, attributes } },
        {
          from: [2],
          raster: {
            fragment: {
              module,
              entryPoint: 'fs',
              targets: [
                {
                  format: 'rgba16float',
                  blend: { color: { srcFactor: 'one', dstFactor: 'one', operation: 'add' }, alpha: {} },
                },
              ],
            },
          },
        },
      ],
    });
    const picture = async (vertices: number): Promise<Uint8Array> => {
      const texture = device.createTexture({
        size: [32, 32],
        format: 'rgba16float',
        usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
      });
      record(
        (pass) => {
          pass.setPipeline(both);
          pass.setSinkBuffer(buffer(vertices * STRIDE));
          pass.draw(900);
        },
        { colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }] }
      );
      const copy = device.createBuffer({ size: 32 * 256, usage: USAGE.MAP_READ | USAGE.COPY_DST });
      const encoder = device.createCommandEncoder();
      encoder.copyTextureToBuffer({ texture }, { buffer: copy, bytesPerRow: 256 }, [32, 32]);
      device.queue.submit([encoder.finish()]);
      await copy.mapAsync(GPUMapMode.READ);
      return new Uint8Array(copy.getMappedRange().slice(0));
    };
    const wanted = await picture(900 * 50);
    expect(wanted.some((value) => value !== 0)).toBe(true);
    expect(await picture(1800)).toEqual(wanted);
    expect(await picture(40)).toEqual(wanted);
  });
});
