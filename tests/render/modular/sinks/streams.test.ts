// Output streams of geometry stages: random tables with fragment slots, several streams and sinks, compared with the
// plain composition of the same functions, on all engines, with and without workers.
// RASTERLOOM_FUZZ=count runs more tables, RASTERLOOM_SEED=number others.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rounds } from '../../../support/rounds';
import type { CreateOptions } from '../../../support/options';
import { open } from '../../../threads/open';
import type { Device } from '../modular-sinks.kit';
import { composedStreams, drawnStreams, STREAMS_CODE, streamTables } from './streams.kit';

const TABLES = rounds(500);
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 62);
const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  'compiled, two workers': { engine: 'jit', threads: 2 },
  'interpreted, three workers, a chunk after every draw': { engine: 'interpreter', threads: 3, chunkEveryDraw: true },
  'the scalar kernel': { simd: false, threads: 0 },
};

describe.each(Object.entries(engines))('random tables with streams: %s', (name, options) => {
  let device: Device;
  beforeAll(async () => {
    device = (await open(options)) as unknown as Device;
  });
  afterAll(() => device.destroy());

  test('buffers and pictures equal the composition', async () => {
    const module = device.createShaderModule({ code: STREAMS_CODE });
    await fc.assert(
      fc.asyncProperty(streamTables, async (table) => {
        device.pushErrorScope('validation');
        const found = await drawnStreams(device, module, table);
        expect((await device.popErrorScope())?.message).toBeUndefined();
        expect(found).toEqual(composedStreams(table));
      }),
      {
        numRuns: Math.ceil(TABLES / Object.keys(engines).length),
        seed: SEED + Object.keys(engines).indexOf(name),
        interruptAfterTimeLimit: 170_000,
        markInterruptAsFailure: true,
      }
    );
  }, 180_000);
});
