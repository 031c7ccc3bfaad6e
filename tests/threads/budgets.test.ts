// Budgets and worker kinds: pictures do not depend on which worker does what or on the memory. Nothing exceeds its
// budget, grows or hangs, and a budget that is too small is an error that names it.
// RASTERLOOM_FUZZ=count runs more tables, RASTERLOOM_SEED=number others.
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModularPipelineCommands, ModularStage } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { builtPackage } from '../images/open';
import { composed, drawn, tables } from '../render/modular/modular.kit';
import { emittedBy, listedBy } from '../render/modular/modular.geometry.expected';
import { emittedOn, listedOn } from '../render/modular/modular.geometry';
import { emittingTables } from '../render/modular/modular.geometry.cases';
import { CODE, frame, INPUT, keeps, prepare, SIZE, USAGE, type Device, type Kind } from './budgets.kit';
import { open, openReady } from './open';
import { GPUMapMode, GPUTextureUsage } from '../support/flags';

const CASES = Number(process.env['RASTERLOOM_FUZZ'] ?? 48);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 81);

// 320 000 bytes per worker are enough for every random table, and 40 000 for a triangle on two tiles.
const kind = fc.constantFrom<Kind>('vertices', 'pixels', 'any');
const options: fc.Arbitrary<CreateOptions> = fc
  .record({
    kinds: fc
      .array(kind, { minLength: 1, maxLength: 4 })
      .filter((kinds) => kinds.some((each) => each !== 'pixels') && kinds.some((each) => each !== 'vertices')),
    budgets: fc.record(
      {
        arenaBytes: fc.integer({ min: 40_000, max: 400_000 }),
        vertexBytes: fc.integer({ min: 1, max: 4_000_000 }),
        stageInputBytes: fc.integer({ min: 320_000, max: 1_000_000 }),
      },
      { requiredKeys: [] }
    ),
    engine: fc.constantFrom<NonNullable<CreateOptions['engine']>>('jit', 'interpreter'),
    chunkEveryDraw: fc.boolean(),
  })
  .map(({ kinds, ...others }) => ({ workerKinds: kinds, ...others }));

describe('random modular pipelines give the same results', () => {
  // One device for several tables: starting its workers takes as long as all of those.
  const DEVICES = 12;
  const each = Math.ceil(CASES / DEVICES);
  function found(words: ArrayLike<number>, wanted: (i: number) => number | undefined): number {
    for (let i = 0; i < words.length; i++) if (words[i] !== wanted(i)) return i;
    return -1;
  }
  const cases = fc.sample(options, { numRuns: DEVICES, seed: SEED });
  test.each(cases.map((given) => [JSON.stringify(given), given] as const))(
    '%s',
    async (_, given) => {
      const device = (await openReady({ ...given, threads: given.workerKinds!.length })) as Device;
      const asserting = { numRuns: each, seed: SEED, interruptAfterTimeLimit: 40_000, markInterruptAsFailure: true };
      await fc.assert(
        fc.asyncProperty(tables, async (table) => {
          const wanted = composed(table);
          expect(found(await drawn(device, table), (i) => wanted[i])).toBe(-1);
        }),
        asserting
      );
      await fc.assert(
        fc.asyncProperty(emittingTables, async (table) => {
          const wanted = emittedBy(table);
          expect(found(await emittedOn(device, table), (i) => wanted[i])).toBe(-1);
        }),
        asserting
      );
      await fc.assert(
        fc.asyncProperty(emittingTables, async (table) => {
          const emitting = table.stages.flatMap((stage) => (stage.kind === 'geometry' ? [stage.most] : []));
          fc.pre(!table.input.endsWith('strip') || emitting.length > 0);
          fc.pre(emitting.reduce((all, most) => all * most, table.vertices) < 5000);
          const { vertices } = await listedOn(device, table);
          const wanted = listedBy(table);
          expect(found(vertices, (i) => wanted[i % wanted.length])).toBe(-1);
        }),
        asserting
      );
      keeps(device, given);
      device.destroy();
    },
    120_000
  );
});

describe('many vertices with little memory', () => {
  const flooded: Readonly<Record<string, CreateOptions & { workerKinds: readonly Kind[] }>> = {
    'one worker for vertices, three for pixels': { workerKinds: ['pixels', 'vertices', 'pixels', 'pixels'] },
    'three for vertices, one for pixels': { workerKinds: ['vertices', 'vertices', 'vertices', 'pixels'] },
    'memory for one instance': {
      workerKinds: ['any', 'any', 'any', 'any'],
      budgets: { stageInputBytes: 2 * INPUT, arenaBytes: 100_000, vertexBytes: 1 },
    },
    'memory for two of three': {
      workerKinds: ['vertices', 'any', 'vertices', 'pixels'],
      budgets: { stageInputBytes: 5 * INPUT, arenaBytes: 700_000, vertexBytes: 3_000_000 },
    },
  };
  let wanted: string | null = null;
  test.each(Object.entries(flooded))(
    '%s',
    async (_, given) => {
      if (wanted === null) {
        const plain = (await open({ threads: 0 })) as Device;
        wanted = await frame(plain);
        plain.destroy();
      }
      const device = (await openReady({ ...given, threads: given.workerKinds.length })) as Device;
      const made = prepare(device);
      expect(await frame(device, 5_000, made)).toBe(wanted);
      keeps(device, given);
      const { work, memory: before } = device.statistics();
      const busy = (of: 'tasks' | 'tiles'): number => work.filter((worker) => worker[of] > 0).length;
      expect([busy('tasks') > 0, busy('tiles') > 0]).toEqual([true, true]);
      // At most as many as there is memory for geometry that has run.
      if (given.budgets)
        expect(busy('tasks')).toBeLessThanOrEqual(Math.floor(given.budgets.stageInputBytes! / (2 * INPUT)));
      expect(made.table.statistics().bytesHeld).toBe(2 * INPUT);
      for (let i = 0; i < 4; i++) expect(await frame(device, 5_000, made)).toBe(wanted);
      expect(device.statistics().memory).toEqual(before);
      keeps(device, given);
      device.destroy();
    },
    60_000
  );
});

test('without parallel tiles, the first worker that accepts tiles renders all', async () => {
  const found: string[] = [];
  for (const workerKinds of [['any'], ['vertices', 'pixels'], ['vertices', 'vertices', 'any', 'pixels']] as const) {
    const device = (await openReady({ workerKinds, threads: workerKinds.length })) as Device;
    const module = device.createShaderModule({ code: CODE });
    const table = device.createModularPipeline({
      layout: 'auto',
      input: {},
      stages: ['load', 'look'].map((entryPoint) => ({ kind: 'vertex', module, entryPoint })),
      sinks: [{ raster: { fragment: { module, entryPoint: 'number', targets: [{ format: 'rgba8unorm' }] } } }],
    });
    const count = device.createBuffer({ size: 4, usage: USAGE.STORAGE });
    const last = device.createBuffer({ size: SIZE * SIZE * 4, usage: USAGE.STORAGE | USAGE.COPY_SRC });
    const color = device.createTexture({
      size: [SIZE, SIZE],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view: color, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(table);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: table.getBindGroupLayout(0),
        entries: [
          { binding: 0, resource: { buffer: count } },
          { binding: 1, resource: { buffer: last } },
        ],
      })
    );
    pass.draw(3000);
    pass.end();
    const copy = device.createBuffer({ size: SIZE * SIZE * 8, usage: USAGE.MAP_READ | USAGE.COPY_DST });
    encoder.copyBufferToBuffer(last, 0, copy, 0, SIZE * SIZE * 4);
    encoder.copyTextureToBuffer({ texture: color }, { buffer: copy, offset: SIZE * SIZE * 4, bytesPerRow: SIZE * 4 }, [
      SIZE,
      SIZE,
    ]);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    found.push(createHash('sha256').update(new Uint8Array(copy.getMappedRange())).digest('hex'));
    const running = device.statistics().work.map(({ tiles }) => tiles > 0);
    expect(running).toEqual(workerKinds.map((_, i) => i === workerKinds.findIndex((other) => other !== 'vertices')));
    device.destroy();
  }
  expect(new Set(found).size).toBe(1);
}, 60_000);

describe('a budget that is too small', () => {
  async function told(device: GPUDevice, act: () => unknown): Promise<string | undefined> {
    device.pushErrorScope('validation');
    act();
    return (await device.popErrorScope())?.message;
  }

  test('for a pipeline instance: an error with slots and bytes, at creation or when enabling a slot', async () => {
    const budgets = { stageInputBytes: 2 * INPUT - 1 };
    const device = (await open({ threads: 0, budgets })) as Device;
    const wrong = (call: string): string =>
      `${call}: the queued inputs of its stages need ${2 * INPUT} bytes for each worker (slot 1 ${INPUT}, `
      + `slot 3 ${INPUT}), but create({ budgets: { stageInputBytes } }) is ${2 * INPUT - 1}: raise it, `
      + 'use fewer stages that emit vertices, or pass less data between stages';
    expect(await told(device, () => prepare(device))).toBe(wrong('[ModularPipeline "split"] createModularPipeline'));
    expect(await told(device, () => prepare(device, ['load', 'split', 'look']))).toBe(undefined);
    const module = device.createShaderModule({ code: CODE });
    const split: ModularStage = { kind: 'geometry', module, entryPoint: 'split', maxVertices: 9 };
    const table = device.createModularPipeline({
      label: 'split',
      layout: 'auto',
      input: {},
      stages: [
        { kind: 'vertex', module, entryPoint: 'load' },
        split,
        null,
        { ...split, enabled: false },
        { kind: 'vertex', module, entryPoint: 'look' },
      ],
      sinks: [{ raster: { fragment: { module, entryPoint: 'fs', targets: [{ format: 'rgba8unorm' }] } } }],
    });
    const view = device
      .createTexture({
        size: [64, 64],
        format: 'rgba8unorm',
        usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
      })
      .createView();
    const draw = (turn: boolean): void => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }],
      }) as GPURenderPassEncoder & ModularPipelineCommands;
      pass.setPipeline(table);
      if (turn) pass.setStageEnabled(3, true);
      pass.draw(3);
      pass.end();
      encoder.finish();
    };
    expect(await told(device, () => draw(false))).toBe(undefined);
    expect(await told(device, () => draw(true))).toContain(wrong('').slice(2));
    expect(await told(device, () => table.replaceStage(2, split))).toContain(
      `need ${2 * INPUT} bytes for each worker (slot 1`
    );
    const buffer = { arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] } as const;
    expect(
      await told(device, () =>
        device.createModularPipeline({
          layout: 'auto',
          input: {},
          stages: [{ kind: 'vertex', module, entryPoint: 'load' }, split, split],
          sinks: [{ buffer }],
        })
      )
    ).toMatch(/slot 1 \d+, slot 2 \d+, the buffer of sinks\[0\] \d+\)/);
    device.destroy();
  });

  test('for a triangle: an error of the pass with the number of bytes that suffices', async () => {
    const pass = (device: GPUDevice, width: number, height: number): void => {
      const view = device
        .createTexture({ size: [width, height], format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT })
        .createView();
      const encoder = device.createCommandEncoder({ label: 'frame' });
      encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] }).end();
      encoder.finish();
    };
    const small = await open({ threads: 0, budgets: { arenaBytes: 1 } });
    const error = await told(small, () => pass(small, SIZE, SIZE));
    const least = Number(/ pixels needs (\d+) bytes /.exec(error!)![1]);
    expect(error).toContain(
      `a pass of 256×256 pixels needs ${least} bytes for one triangle, but create({ budgets: `
        + '{ arenaBytes } }) is 1: raise it, or leave it out'
    );
    small.destroy();
    const plain = (await open({ threads: 0 })) as Device;
    const wanted = await frame(plain, 300);
    plain.destroy();
    for (const threads of [0, 3]) {
      const device = (await open({ threads, budgets: { arenaBytes: least } })) as Device;
      expect(await frame(device, 300)).toBe(wanted);
      keeps(device, { budgets: { arenaBytes: least } });
      expect(await told(device, () => pass(device, SIZE, SIZE + 64))).toContain('a pass of 256×320 pixels');
      device.destroy();
    }
  }, 60_000);
});

test('invalid budgets and worker kinds are rejected', async () => {
  const { create } = await builtPackage();
  const wrong = (given: object): string => {
    try {
      create(given as CreateOptions);
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`;
    }
    return 'nothing';
  };
  const names = '"vertices", "pixels", "any"';
  for (const [given, message] of [
    [{ workerKinds: 'any' }, `TypeError: create: workerKinds must be an array of ${names}, one for each worker`],
    [{ workerKinds: ['any', 'both'] }, `TypeError: create: workerKinds[1] must be ${names}, not "both"`],
    [{ workerKinds: [] }, 'RangeError: create: workerKinds must have 1 to 64 workers, not 0'],
    [{ workerKinds: Array(65).fill('any') }, 'RangeError: create: workerKinds must have 1 to 64 workers, not 65'],
    [
      { workerKinds: ['any', 'any'], threads: 3 },
      'RangeError: create: threads is 3, but workerKinds has 2 workers; leave one of them out',
    ],
    [
      { workerKinds: ['any'], threads: 0 },
      'RangeError: create: threads is 0, but workerKinds has 1 workers; leave one of them out',
    ],
    [
      { workerKinds: ['pixels', 'pixels'] },
      'RangeError: create: workerKinds has no worker for vertices: add one of kind "vertices" or "any"',
    ],
    [
      { workerKinds: ['vertices'] },
      'RangeError: create: workerKinds has no worker for pixels: add one of kind "pixels" or "any"',
    ],
    [{ budgets: 5 }, 'TypeError: create: budgets must be an object of numbers of bytes, not 5'],
    [
      { budgets: { arena: 5 } },
      'TypeError: create: budgets: unknown member "arena"; known members are "arenaBytes", "stageInputBytes", '
        + '"vertexBytes", "decodedBytes"',
    ],
    [
      { budgets: { arenaBytes: 0 } },
      'RangeError: create: budgets.arenaBytes must be a whole number greater than 0, not 0',
    ],
    [
      { budgets: { vertexBytes: 1.5 } },
      'RangeError: create: budgets.vertexBytes must be a whole number greater than 0, not 1.5',
    ],
    [{ budgets: { stageInputBytes: undefined }, workerKinds: ['pixels', 'vertices'], threads: 2 }, 'nothing'],
  ] as const)
    expect(wrong(given)).toBe(message);
});
