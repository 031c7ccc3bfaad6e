// Shading rates of passes and draw calls: validation, and what reaches the renderer.
import { describe, expect, test } from 'vitest';
import type {
  DepthShadingRates,
  RegionShadingRates,
  ShadingRate,
  ShadingRateCommands,
  ShadingRatePassMembers,
  ViewportCommands,
} from '../../../src/api';
import { apiDevice, drawsOf, validationError } from '../fake';
import { GPUBufferUsage, GPUShaderStage } from '../../support/flags';

type Pass = GPURenderPassEncoder & ShadingRateCommands & ViewportCommands;
const ATTACHMENT = 16;
const SAMPLED = 4;
const FOUR: readonly ShadingRate[] = ['1x1', '1x2', '2x2', '4x4'];
const SLICES: DepthShadingRates = { near: 0, far: 1, rates: FOUR };

const rated = (): ReturnType<typeof apiDevice> =>
  apiDevice({ requiredFeatures: ['shading-rate'] as unknown as GPUFeatureName[] });
const texture = (device: GPUDevice, o: Partial<GPUTextureDescriptor> = {}): GPUTexture =>
  device.createTexture({ label: 't', size: [5, 3], format: 'r8uint', usage: SAMPLED, ...o });
const target = (device: GPUDevice): GPUTexture =>
  texture(device, { label: 'target', size: [40, 20], format: 'rgba8unorm', usage: ATTACHMENT });
function pipeline(device: GPUDevice, topology: GPUPrimitiveTopology = 'triangle-list'): GPURenderPipeline {
  const module = device.createShaderModule({
    code: `
    @vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }
    @fragment fn fs() -> @location(0) vec4f { return vec4f(); }`,
  });
  return device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    primitive: { topology },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
  });
}
/** Encodes a pass over 40 × 20 pixels, and submits it if it is valid. */
function pass(
  device: GPUDevice,
  shadingRates: ShadingRatePassMembers['shadingRates'],
  encode: (pass: Pass) => void = () => undefined
): void {
  const encoder = device.createCommandEncoder();
  const descriptor: GPURenderPassDescriptor & ShadingRatePassMembers = {
    label: 'p',
    colorAttachments: [{ view: target(device), loadOp: 'clear', storeOp: 'store' }],
    ...(shadingRates ? { shadingRates } : {}),
  };
  const begun = encoder.beginRenderPass(descriptor) as Pass;
  encode(begun);
  begun.end();
  device.queue.submit([encoder.finish()]);
}
const errorOf = async (
  shadingRates: ShadingRatePassMembers['shadingRates'],
  encode?: (pass: Pass, device: GPUDevice) => void
): Promise<string | null> => {
  const { device } = await rated();
  return validationError(device, () => pass(device, shadingRates, encode && ((begun) => encode(begun, device))));
};

test('shading rates need the feature', async () => {
  const { device } = await apiDevice();
  expect(await validationError(device, () => pass(device, { depth: SLICES }))).toBe(
    '[RenderPassEncoder "p"] beginRenderPass: shadingRates needs the feature "shading-rate"; '
      + 'ask for it in requestDevice({ requiredFeatures })'
  );
  expect(await validationError(device, () => pass(device, undefined, (begun) => begun.setShadingRate('2x2')))).toBe(
    '[RenderPassEncoder "p"] setShadingRate: it needs the feature "shading-rate"; '
      + 'ask for it in requestDevice({ requiredFeatures })'
  );
});

describe('depth tables', () => {
  const eight = [...FOUR, ...FOUR];
  test.each<[string, ShadingRatePassMembers['shadingRates'], string]>([
    [
      'length',
      { depth: { ...SLICES, rates: FOUR.slice(1) } },
      'shadingRates.depth: rates must have 4, 8 or 16 entries, not 3',
    ],
    ['near', { depth: { ...SLICES, near: NaN } }, 'shadingRates.depth: near must be a finite 32-bit float, not NaN'],
    [
      'far',
      { depth: [SLICES, { ...SLICES, far: Infinity }] },
      'shadingRates.depth[1]: far must be a finite 32-bit float, not Infinity',
    ],
    [
      'range',
      { depth: { ...SLICES, near: 1 } },
      'shadingRates.depth: near and far must differ as 32-bit floats, and both are 1',
    ],
    [
      'rates',
      { depth: { ...SLICES, rates: ['1x1', '1x2', '1x4' as ShadingRate, '4x4'] } },
      'shadingRates.depth.rates[2]: "1x4" is not one of "1x1", "1x2", "2x1", "2x2", "2x4", "4x2", "4x4"',
    ],
    [
      'number',
      { depth: [] },
      'shadingRates.depth: there must be 1 to 16 tables, one for all viewports or one for each, not 0',
    ],
    [
      'high number',
      { depth: Array<DepthShadingRates>(17).fill(SLICES) },
      'shadingRates.depth: there must be 1 to 16 tables, one for all viewports or one for each, not 17',
    ],
  ])('with a wrong %s', async (_name, rates, message) => {
    expect(await errorOf(rates)).toBe(`[RenderPassEncoder "p"] beginRenderPass: ${message}`);
  });

  test('with invalid enum values are a TypeError', async () => {
    const { device } = await rated();
    expect(() => pass(device, { depth: { ...SLICES, rounding: 'up' as 'floor' } })).toThrow(
      'shadingRates.depth.rounding: "up" is not a valid SliceRounding; valid values are "floor", "nearest"'
    );
    expect(() => pass(device, { depth: { ...SLICES, at: 'middle' as 'centre' } })).toThrow(
      /valid values are "centre", "min", "max", "centroid"/
    );
    expect(() => pass(device, { depth: { near: 0, far: 1 } as DepthShadingRates })).toThrow(/lacks 'rates'/);
  });

  test('reach the renderer with their defaults', async () => {
    const { device, fake, uncaptured } = await rated();
    pass(device, { depth: { ...SLICES, rates: eight } });
    pass(device, { depth: [{ ...SLICES, rounding: 'nearest', at: 'max' }] });
    pass(device, {});
    pass(device, undefined);
    await device.queue.onSubmittedWorkDone();
    expect(uncaptured).toEqual([]);
    expect(fake.passes.map(({ rates }) => rates)).toEqual([
      { depth: [{ near: 0, far: 1, rates: eight, rounding: 'floor', at: 'centre' }], region: null },
      { depth: [{ ...SLICES, rounding: 'nearest', at: 'max' }], region: null },
      null,
      null,
    ]);
  });

  test('are given for each viewport, or one for all', async () => {
    const view = { x: 0, y: 0, width: 4, height: 4 };
    const drawn = (tables: number, viewports: number, draw: (begun: Pass, device: GPUDevice) => void) =>
      errorOf({ depth: Array<DepthShadingRates>(tables).fill(SLICES) }, (begun, device) => {
        begun.setPipeline(pipeline(device));
        if (viewports > 0) begun.setViewports(Array<typeof view>(viewports).fill(view));
        draw(begun, device);
      });
    const draw = (begun: Pass): void => begun.draw(3);
    for (const [tables, viewports] of [
      [1, 3],
      [3, 3],
      [1, 0],
    ] as const)
      expect(await drawn(tables, viewports, draw)).toBeNull();
    expect(await drawn(3, 2, () => undefined)).toBeNull();
    expect(await drawn(3, 2, draw)).toBe(
      '[RenderPassEncoder "p"] draw: the pass has 3 depth tables of shading rates and 2 viewport(s); '
        + 'use one table, or one for each viewport of setViewports()'
    );
    expect(
      await drawn(2, 0, (begun, device) => {
        begun.drawIndirect(device.createBuffer({ size: 16, usage: GPUBufferUsage.INDIRECT }), 0);
      })
    ).toMatch(/drawIndirect: the pass has 2 depth tables of shading rates and 1 viewport/);
    expect(await drawn(2, 0, (begun) => begun.executeBundles([]))).toMatch(
      /executeBundles: the pass has 2 depth tables/
    );
  });
});

describe('rate textures', () => {
  test.each<[string, Partial<GPUTextureDescriptor>, string, Partial<RegionShadingRates>?]>([
    ['format', { format: 'r8unorm' }, '"t"] has format r8unorm; it must be r8uint'],
    ['usage', { usage: 1 }, '"t"] needs usage TEXTURE_BINDING; it has COPY_SRC'],
    ['size', { size: [5, 2] }, '"t"] is 5×2, but 40×20 pixels have 5×3 blocks of 8×8'],
    ['size of blocks', {}, '"t"] is 5×3, but 40×20 pixels have 3×2 blocks of 16×16', { blockSize: 16 }],
    ['blocks', {}, 'blockSize must be 8 or 16, not 4', { blockSize: 4 as 8 }],
    ['levels', { mipLevelCount: 2 }, '"t"] has 2 mip levels; it must have one'],
    ['layers', { size: [5, 3, 2] }, '"t"] has 2 layers; it must have one'],
    ['dimension', { size: [5, 3, 1], dimension: '3d' }, '"t"] is "3d"; it must be "2d"'],
    ['samples', { sampleCount: 4, usage: SAMPLED | ATTACHMENT }, '"t"] has 4 samples; it must have one'],
  ])('with a wrong %s', async (_name, o, message, more) => {
    const { device } = await rated();
    const error = await validationError(device, () => pass(device, { region: { view: texture(device, o), ...more } }));
    expect(error).toContain('[RenderPassEncoder "p"] beginRenderPass: shadingRates.region: ');
    expect(error).toContain(message);
  });

  test('of another device, or destroyed before submit', async () => {
    const { device } = await rated();
    const other = await rated();
    expect(await validationError(device, () => pass(device, { region: { view: texture(other.device) } }))).toMatch(
      /belongs to another device/
    );
    const gone = texture(device);
    expect(await validationError(device, () => pass(device, { region: { view: gone } }, () => gone.destroy()))).toMatch(
      /"t".* destroyed/
    );
  });

  test('reach the renderer', async () => {
    const { device, fake, uncaptured } = await rated();
    pass(device, { region: { view: texture(device) } });
    const layers = texture(device, { size: [3, 2, 4] });
    pass(device, {
      region: { view: layers.createView({ dimension: '2d', baseArrayLayer: 3, arrayLayerCount: 1 }), blockSize: 16 },
    });
    await device.queue.onSubmittedWorkDone();
    expect(uncaptured).toEqual([]);
    expect(fake.passes.map(({ rates }) => [rates!.depth, rates!.region!.blockSize])).toEqual([
      [[], 8],
      [[], 16],
    ]);
    expect(fake.passes[1]!.rates!.region!.view.shape).toMatchObject({ baseArrayLayer: 3 });
  });

  test('can be sampled in their pass, and not written', async () => {
    const { device } = await rated();
    const view = texture(device);
    const layout = device.createBindGroupLayout({
      entries: [{ binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: { sampleType: 'uint' } }],
    });
    const group = device.createBindGroup({ layout, entries: [{ binding: 0, resource: view.createView() }] });
    expect(
      await validationError(device, () => pass(device, { region: { view } }, (begun) => begun.setBindGroup(0, group)))
    ).toBeNull();
    // r8uint is no storage texture format: a pass can only render to it.
    const encoder = device.createCommandEncoder();
    const attached = texture(device, { label: 'both', size: [1, 1], usage: SAMPLED | ATTACHMENT });
    expect(
      await validationError(device, () => {
        const descriptor: GPURenderPassDescriptor & ShadingRatePassMembers = {
          label: 'p',
          colorAttachments: [{ view: attached, loadOp: 'clear', storeOp: 'store' }],
          shadingRates: { region: { view: attached } },
        };
        const begun = encoder.beginRenderPass(descriptor);
        begun.end();
        encoder.finish();
      })
    ).toMatch(
      new RegExp(
        /beginRenderPass: .*"both".* in shadingRates.region is sampled while the pass renders to it as /.source
          + /colorAttachments\[0\]/.source
      )
    );
  });
});

describe('setShadingRate', () => {
  test('accepts the seven rates', async () => {
    expect(await errorOf(undefined, (begun) => begun.setShadingRate('8x8' as ShadingRate))).toBe(
      '[RenderPassEncoder "p"] setShadingRate: rate "8x8" is not one of "1x1", "1x2", "2x1", "2x2", "2x4", "4x2", "4x4"'
    );
    const { device } = await rated();
    expect(() => pass(device, undefined, (begun) => begun.setShadingRate('2x2', { depth: 'max' as 'keep' }))).toThrow(
      'setShadingRate: combiners.depth: "max" is not a valid ShadingRateCombiner; valid values are "keep", '
        + '"replace", "finest", "coarsest", "average", "product"'
    );
    expect(() =>
      pass(device, undefined, (begun) => {
        (begun as unknown as { setShadingRate(): void }).setShadingRate();
      })
    ).toThrow('setShadingRate needs 1 argument, but got 0');
  });

  test('affects later draw calls, also those in bundles', async () => {
    const { device, fake, uncaptured } = await rated();
    const drawing = pipeline(device);
    const recorder = device.createRenderBundleEncoder({ colorFormats: ['rgba8unorm'] });
    recorder.setPipeline(drawing);
    recorder.draw(6);
    const bundle = recorder.finish();
    expect('setShadingRate' in recorder).toBe(false);
    pass(device, undefined, (begun) => {
      begun.setPipeline(drawing);
      begun.draw(3);
      begun.setShadingRate('2x4', { region: 'replace' });
      begun.draw(3);
      begun.executeBundles([bundle]);
      begun.setShadingRate('1x2');
      begun.setPipeline(drawing);
      begun.draw(3);
    });
    await device.queue.onSubmittedWorkDone();
    expect(uncaptured).toEqual([]);
    const coarsest = { primitive: 'coarsest', region: 'coarsest', depth: 'coarsest' };
    expect(drawsOf(fake.passes[0]!).map(({ rate, combiners, count }) => [rate, combiners, count])).toEqual([
      ['1x1', coarsest, 3],
      ['2x4', { ...coarsest, region: 'replace' }, 3],
      ['2x4', { ...coarsest, region: 'replace' }, 6],
      ['1x2', coarsest, 3],
    ]);
  });
});
