// Out-of-order stream output (setProcessingOrder of vertices and primitives): buffers receive the same primitives, each
// of them complete. In order, they are bit-identical to a single thread's. The `shuffle` option randomizes the schedule
// by a seed, so that a violated order is visible.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SampleOrder } from '../../../src/index';
import type { CreateOptions } from '../../support/options';
import { open, openReady } from '../../threads/open';
import { rounds } from '../../support/rounds';
import { cornersAtEnd } from './modular.geometry.expected';
import { emittingTables } from './modular.geometry.cases';
import { listedOn } from './modular.geometry';
import { GPUMapMode, GPUTextureUsage } from '../../support/flags';
import {
  type Device,
  KINDS,
  STRIDE,
  USAGE,
  VERTICES,
  all,
  drawOf,
  drawingTo,
  moduleOf,
  primitivesOf,
  sorted,
  stored,
  tableOf,
  wordsOf,
} from './sink-order.kit';

const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 18);

const engines: Readonly<Record<string, CreateOptions & { readonly threads: number }>> = {
  compiled: { engine: 'jit', threads: 0 },
  'interpreted by one worker': { engine: 'interpreter', threads: 1 },
  'by two': { threads: 2 },
  'by three, a chunk after every draw': { threads: 3, chunkEveryDraw: true },
  'by four, a small arena': { threads: 4, arenaBytes: 1024 },
  'the scalar kernel': { simd: false, threads: 0 },
  'the oracle': { immediate: true, threads: 0 },
  shuffled: { threads: 0, shuffle: 7 },
  'shuffled, by two': { threads: 2, shuffle: 12345 },
};

describe.each(Object.entries(engines))('out-of-order stream output: %s', (name, options) => {
  let device: Device;
  let alone: Device;
  beforeAll(async () => {
    [device, alone] = (await Promise.all([openReady(options), open({ threads: 0 })])) as [Device, Device];
  });
  afterAll(() => {
    device.destroy();
    alone.destroy();
  });

  test.each(Object.entries(KINDS))('store the same primitives when they are %s', async (_, kind) => {
    const wanted = await stored(alone, kind, all('received', 3));
    const table = tableOf(device, kind);
    expect(wanted.length).toBeGreaterThan(VERTICES / 3);
    expect(await stored(device, kind, all('received', 3))).toEqual(wanted);
    const found = await stored(device, kind, all('independent', 3), { table });
    expect(sorted(found)).toEqual(sorted(wanted));
    expect(table.statistics().bytesCompacted).toBe(0);
    if (options.shuffle) expect(found).not.toEqual(wanted);
  });

  test('the order can be switched within a pass', async () => {
    for (const kind of [KINDS.emitted, KINDS['of two paths']]) {
      const wanted = await stored(alone, kind, all('received', 4));
      const found = await stored(device, kind, ['received', 'independent', 'independent', 'received']);
      const [second, last] = [1, 3].map((draw) => wanted.findIndex((primitive) => drawOf(primitive) === draw));
      expect(found.slice(0, second)).toEqual(wanted.slice(0, second));
      expect(sorted(found.slice(second, last))).toEqual(sorted(wanted.slice(second, last)));
      expect(found.slice(last)).toEqual(wanted.slice(last));
      if (options.shuffle) expect(found.slice(second, last)).not.toEqual(wanted.slice(second, last));
    }
  });

  test('random modular pipelines', async () => {
    await fc.assert(
      fc.asyncProperty(emittingTables, fc.constantFrom('first', 'last', null), async (table, forks) => {
        const emitting = table.stages.flatMap((stage) => (stage.kind === 'vertex' ? [] : [stage.most]));
        // The buffer has room for the maximum output.
        fc.pre(emitting.reduce((product, most) => product * most, table.vertices) < 20_000);
        const wanted = await listedOn(alone, table, forks);
        const found = await listedOn(device, table, forks, 'independent');
        const corners = cornersAtEnd(table);
        expect(found.counts).toEqual(wanted.counts);
        expect(sorted(primitivesOf(found.vertices, corners))).toEqual(sorted(primitivesOf(wanted.vertices, corners)));
      }),
      {
        numRuns: rounds(6),
        seed: SEED + Object.keys(engines).indexOf(name),
        interruptAfterTimeLimit: 60_000,
        markInterruptAsFailure: true,
      }
    );
  }, 90_000);

  test('indirect draws drop whole primitives that do not fit', async () => {
    const room = 100 * 3 * STRIDE + 2 * STRIDE;
    const wanted = await stored(alone, KINDS.emitted, ['received']);
    const found = await stored(device, KINDS.emitted, ['independent'], { bytes: room });
    expect(found).toHaveLength(100);
    expect(new Set(found).size).toBe(100);
    const there = new Set(wanted);
    expect(found.filter((primitive) => !there.has(primitive))).toEqual([]);
  });

  test('a pass that draws as well has the same picture', async () => {
    /** The picture of three draw calls, and what they store in between. */
    const both = async (on: Device, order: SampleOrder): Promise<{ pixels: Uint8Array; primitives: string[] }> => {
      const module = moduleOf(on);
      const table = tableOf(on, KINDS.emitted);
      const drawing = on.createModularPipeline({
        layout: 'auto',
        input: {},
        sinks: [{ raster: { fragment: { module, targets: [{ format: 'rgba8unorm' }] } } }],
        stages: [
          { kind: 'vertex', module, entryPoint: 'load' },
          { kind: 'vertex', module, entryPoint: 'look' },
        ],
      });
      const texture = on.createTexture({
        size: [64, 64],
        format: 'rgba8unorm',
        usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
      });
      const words = await wordsOf(
        on,
        2 * VERTICES * 7 * STRIDE,
        (pass, setSink) => {
          pass.setProcessingOrder('primitive', order);
          setSink(pass);
          for (let i = 0; i < 5; i++) {
            pass.setPipeline(i % 2 ? table : drawing);
            pass.draw(i % 2 ? VERTICES : 3000, 1, i * 9, i);
          }
        },
        drawingTo(texture)
      );
      const copy = on.createBuffer({ size: 64 * 256, usage: USAGE.MAP_READ | USAGE.COPY_DST });
      const encoder = on.createCommandEncoder();
      encoder.copyTextureToBuffer({ texture }, { buffer: copy, bytesPerRow: 256 }, [64, 64]);
      on.queue.submit([encoder.finish()]);
      await copy.mapAsync(GPUMapMode.READ);
      const pixels = new Uint8Array(copy.getMappedRange()).slice();
      for (const used of [texture, copy]) used.destroy();
      return { pixels, primitives: primitivesOf(words, 3) };
    };
    const wanted = await both(alone, 'received');
    const found = await both(device, 'independent');
    expect(found.pixels).toEqual(wanted.pixels);
    expect(new Set(wanted.pixels).size).toBeGreaterThan(9);
    expect(sorted(found.primitives)).toEqual(sorted(wanted.primitives));
    expect((await both(device, 'received')).primitives).toEqual(wanted.primitives);
  });
});
