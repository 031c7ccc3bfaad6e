// Shading rates in the DRAW and PASS records that kernels receive.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Draw, Pass, ShadingRates, Stage } from '../../../build/layout';
import { RATE_COARSE, RATE_PIXEL } from '../../../assembly/layout/program/stage-codes';
import { create, type ShadingRateCommands, type ShadingRatePassMembers } from '../../../src/index';
import { DrawRecords } from '../../../src/render/draws/draw-records';
import * as passRecord from '../../../src/render/workspace/pass-record';
import { GPUTextureUsage } from '../../support/flags';

const CODE = `
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
  }
  @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }`;

type RatedPass = GPURenderPassEncoder & ShadingRateCommands;
interface Drawn {
  rates: number;
  stageRate: number;
  rate: number;
  regionRows: number[][];
}

/** Draws one pass of 64×64 pixels through the sources, and reads its records as they are written. */
async function drawn(
  encode: (pass: RatedPass) => void,
  members: (device: GPUDevice) => ShadingRatePassMembers = () => ({})
): Promise<{ readonly draws: Drawn[]; readonly hasRates: number }> {
  const draws: Drawn[] = [];
  const passes: number[] = [];
  const { draw, note } = DrawRecords.prototype;
  const { writePass } = passRecord;
  vi.spyOn(DrawRecords.prototype, 'draw').mockImplementation(function record(this: DrawRecords, ...args) {
    const address = draw.apply(this, args);
    const { rates } = this as unknown as { rates: { memory: WebAssembly.Memory } };
    draws.push(read(rates.memory, address));
    return address;
  });
  // Small draw calls with equal state share a record.
  vi.spyOn(DrawRecords.prototype, 'note').mockImplementation(function share(this: DrawRecords, ...args) {
    note.apply(this, args);
    const [, record, , amount] = args;
    const { rates } = this as unknown as { rates: { memory: WebAssembly.Memory } };
    for (let k = 0; k < amount; k++) draws.push(read(rates.memory, record));
  });
  vi.spyOn(passRecord, 'writePass').mockImplementation((...args) => {
    const written = writePass(...args);
    const memory = args[3];
    passes.push(new DataView(memory.buffer).getInt32(written.address + Pass.hasRates, true));
    return written;
  });
  const adapter = await create({ threads: 0 }).requestAdapter();
  const device = await adapter!.requestDevice({ requiredFeatures: ['shading-rate' as GPUFeatureName] });
  const module = device.createShaderModule({ code: CODE });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
  });
  const target = device.createTexture({
    size: [64, 64],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const encoder = device.createCommandEncoder();
  const descriptor: GPURenderPassDescriptor & ShadingRatePassMembers = {
    colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
    ...members(device),
  };
  const pass = encoder.beginRenderPass(descriptor) as RatedPass;
  pass.setPipeline(pipeline);
  encode(pass);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  device.destroy();
  return { draws, hasRates: passes[0]! };
}

function read({ buffer }: WebAssembly.Memory, draw: number): Drawn {
  const view = new DataView(buffer);
  const int = (address: number): number => view.getInt32(address, true);
  const rates = int(draw + Draw.rates);
  const of = (field: number): number => (rates === 0 ? 0 : int(rates + field));
  const region = of(ShadingRates.region);
  const rows = region === 0 ? [] : [0, 1];
  return {
    rates,
    stageRate: int(draw + Draw.fragment + Stage.rate),
    rate: of(ShadingRates.rate),
    regionRows: rows.map((y) => [...new Uint8Array(buffer, region + y * of(ShadingRates.regionRowBytes), 8)]),
  };
}

describe('draw and pass records', () => {
  afterEach(() => vi.restoreAllMocks());

  test('have no shading rates unless requested', async () => {
    const { draws, hasRates } = await drawn((pass) => pass.draw(3));
    expect(hasRates).toBe(0);
    expect(draws).toEqual([{ rates: 0, stageRate: RATE_PIXEL, rate: 0, regionRows: [] }]);
  });

  test('have the rate of each draw call', async () => {
    const { draws, hasRates } = await drawn((pass) => {
      pass.draw(3);
      for (const rate of ['2x2', '1x1', '4x2', '2x2'] as const) {
        pass.setShadingRate(rate);
        pass.draw(3);
      }
    });
    expect(hasRates).toBe(1);
    expect(draws.map(({ rate, stageRate }) => [rate, stageRate])).toEqual([
      [0, RATE_PIXEL],
      [5, RATE_COARSE],
      [0, RATE_PIXEL],
      [9, RATE_COARSE],
      [5, RATE_COARSE],
    ]);
    expect(draws[4]!.rates).toBe(draws[1]!.rates);
  });

  test('have the contents of the rate texture when the pass runs', async () => {
    const codes = Uint8Array.from({ length: 64 }, (_, i) => i);
    const { draws, hasRates } = await drawn(
      (pass) => {
        pass.draw(3);
        pass.setScissorRect(0, 0, 9, 9);
        pass.draw(3);
      },
      (device) => {
        const view = device.createTexture({
          size: [8, 8],
          format: 'r8uint',
          usage: GPUTextureUsage.COPY_DST | GPUTextureUsage.TEXTURE_BINDING,
        });
        device.queue.writeTexture({ texture: view }, codes, { bytesPerRow: 8 }, [8, 8]);
        return { shadingRates: { region: { view } } };
      }
    );
    expect(hasRates).toBe(1);
    expect(draws[1]!.rates).toBe(draws[0]!.rates);
    expect(draws[0]!.stageRate).toBe(RATE_COARSE);
    expect(draws[0]!.regionRows).toEqual([[...codes.slice(0, 8)], [...codes.slice(8, 16)]]);
  });
});
