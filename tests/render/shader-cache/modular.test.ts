// Modular pipelines with geometry stages and stream output, by several workers, with a shader cache: what they stream
// and draw has the same bits, and warm devices compile nothing.
import { afterEach, expect, test, vi } from 'vitest';
import { create, type CreateOptions, type ModularStage } from '../../../src/index';
import { variants } from '../../../src/render/shaders/variants';
import { openDevice } from '../../images/scenes/kit';
import { attributes, CODE, type Device, empty, type Pass, STRIDE, USAGE } from '../modular/modular-sinks.kit';
import { modulesChecked, newFolder, programsOf, writeRecords } from './kit';

const VERTICES = 900;
const SIZE = 64;
const ATTACHMENT = 16;
const devices: GPUDevice[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const device of devices.splice(0)) device.destroy();
});

async function openModular(options: CreateOptions): Promise<Device> {
  const gpu = create({ extensions: true, engine: 'jit', ...options });
  const device = (await openDevice(gpu, {}, ['statistics', 'modular-pipelines'])) as Device;
  devices.push(device);
  return device;
}

/** Streams vertices through a chain of stages, and draws them from the buffer. Returns the vertices and the picture. */
async function streamAndDraw(device: Device, chain: readonly string[], samples: number): Promise<ArrayBuffer[]> {
  const module = device.createShaderModule({ code: CODE });
  const stage = (entryPoint: string): ModularStage =>
    entryPoint === 'twice'
      ? { kind: 'geometry', module, entryPoint, maxVertices: 2, topology: 'point-list' }
      : { kind: 'vertex', module, entryPoint };
  const bake = device.createModularPipeline({
    layout: 'auto',
    input: { topology: 'point-list' },
    stages: chain.map(stage),
    sinks: [{ buffer: { arrayStride: STRIDE, attributes } }],
  });
  const size = VERTICES * STRIDE * (chain.includes('twice') ? 2 : 1);
  const usage = USAGE.VERTEX | USAGE.COPY_SRC | USAGE.STORAGE | USAGE.INDIRECT | USAGE.COPY_DST;
  const streamed = device.createBuffer({ size, usage });
  const show = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, entryPoint: 'read', buffers: [{ arrayStride: STRIDE, attributes: [...attributes] }] },
    primitive: { topology: 'point-list' },
    fragment: { module, entryPoint: 'fs', targets: [{ format: 'rgba8unorm' }] },
    multisample: { count: samples },
  });
  const target = (count: number): GPUTexture =>
    device.createTexture({ size: [SIZE, SIZE], format: 'rgba8unorm', sampleCount: count, usage: ATTACHMENT | 1 });
  const picture = target(1);
  const encoder = device.createCommandEncoder();
  const baking = encoder.beginRenderPass(empty) as Pass;
  baking.setPipeline(bake as unknown as GPURenderPipeline);
  baking.setSinkBuffer(streamed);
  baking.draw(VERTICES);
  baking.end();
  const view = samples > 1 ? target(samples).createView() : picture.createView();
  const resolve = samples > 1 ? { resolveTarget: picture.createView() } : {};
  const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store', ...resolve }] });
  pass.setPipeline(show);
  pass.setVertexBuffer(0, streamed);
  pass.draw(VERTICES);
  pass.end();
  const copies = [size, SIZE * SIZE * 4].map((bytes) => device.createBuffer({ size: bytes, usage: 1 | 8 }));
  encoder.copyBufferToBuffer(streamed, 0, copies[0]!, 0, size);
  encoder.copyTextureToBuffer({ texture: picture }, { buffer: copies[1]!, bytesPerRow: SIZE * 4 }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  return Promise.all(
    copies.map(async (copy) => {
      await copy.mapAsync(1);
      return copy.getMappedRange().slice(0);
    })
  );
}

const cases = [
  { chain: ['load'], samples: 1, threads: 0 },
  { chain: ['load', 'wave'], samples: 4, threads: 2 },
  { chain: ['load', 'twice'], samples: 1, threads: 2 },
  { chain: ['load', 'wave', 'twice'], samples: 4, threads: 0 },
] as const;

test.each(cases)(
  '$chain at $samples samples, $threads workers',
  async ({ chain, samples, threads }) => {
    const shaderCache = newFolder();
    const run = async (options: CreateOptions): Promise<[ArrayBuffer[], ReturnType<typeof programsOf>]> => {
      const device = await openModular(options);
      const results = await streamAndDraw(device, chain, samples);
      return [results, programsOf(device)];
    };
    const [wanted] = await run({ threads });
    expect(new Uint8Array(wanted[0]!).some((byte) => byte > 0)).toBe(true);
    expect(new Set(new Uint32Array(wanted[1]!)).size).toBeGreaterThan(1);
    // As in a new process: the code of other devices is not found in memory.
    vi.spyOn(variants, 'find').mockReturnValue(null);
    const [cold, coldPrograms] = await run({ threads, shaderCache });
    expect(cold).toEqual(wanted);
    expect(coldPrograms).toMatchObject({ fromStore: 0 });
    writeRecords();
    for (const others of [threads, 2 - threads]) {
      let programs: ReturnType<typeof programsOf>;
      const checked = await modulesChecked(async () => {
        const [warm, counted] = await run({ threads: others, shaderCache });
        expect(warm).toEqual(wanted);
        programs = counted;
      });
      expect(checked).toBe(0);
      expect(programs!).toMatchObject({ emitted: 0, fromStore: coldPrograms.emitted });
    }
  },
  30_000
);
