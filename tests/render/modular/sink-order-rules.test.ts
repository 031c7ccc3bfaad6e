import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModularPipelineDescriptor, ModularStage, SampleOrder } from '../../../src/index';
import { validationError } from '../../api/fake';
import { openBuiltWith } from '../../images/open';
import { open as openStreaming, pageOf, streamed, whole, type Texels } from '../../streamed-textures/kit';
import { open } from '../../threads/open';
import { GPUShaderStage, GPUTextureUsage } from '../../support/flags';
import {
  BUFFER,
  type Device,
  KINDS,
  type Kind,
  type Pass,
  STRIDE,
  type Type,
  VERTICES,
  type Way,
  all,
  drawOf,
  drawingTo,
  empty,
  moduleOf,
  primitivesOf,
  sorted,
  stored,
  tableOf,
  wordsOf,
} from './sink-order.kit';

const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 200, height: 150, layers: 1, levels: 8 };

describe('processing order of stream output', () => {
  let device: Device;
  let wanted: readonly string[];
  beforeAll(async () => {
    device = (await open({ threads: 0, shuffle: 99 })) as Device;
    wanted = await stored(device, KINDS.emitted, all('received', 2));
  });
  afterAll(() => device.destroy());

  const isInOrder = async (orders: readonly SampleOrder[], way: Way): Promise<boolean> => {
    const primitives = await stored(device, KINDS.emitted, orders, way);
    expect(sorted(primitives)).toEqual(sorted(wanted));
    return primitives.every((primitive, i) => primitive === wanted[i]);
  };

  test('is set by the pass for the streamed sample type, also for bundles', async () => {
    const orders = all('independent', 2);
    expect(await isInOrder(orders, {})).toBe(false);
    expect(await isInOrder(orders, { type: 'vertex' })).toBe(true);
    expect(await isInOrder(orders, { type: 'pixel' })).toBe(true);
    expect(await isInOrder(orders, { bundled: true })).toBe(false);
    expect(await isInOrder(all('received', 2), { bundled: true })).toBe(true);
    expect(device.createRenderBundleEncoder({ colorFormats: ['rgba8unorm'] })).not.toHaveProperty('setProcessingOrder');
  });

  test('is set by the pipeline, whatever the pass says', async () => {
    const saying = (order: SampleOrder | 'auto'): Way => ({
      table: tableOf(device, KINDS.emitted, { processingOrder: { primitive: order } }),
    });
    expect(await isInOrder(all('received', 2), saying('independent'))).toBe(false);
    expect(await isInOrder(all('independent', 2), saying('received'))).toBe(true);
    expect(await isInOrder(all('independent', 2), saying('auto'))).toBe(false);
    expect(await isInOrder(all('received', 2), saying('auto'))).toBe(true);
    const replaced = tableOf(device, KINDS.emitted, { processingOrder: { primitive: 'independent' } });
    replaced.replaceStage(0, { kind: 'vertex', module: moduleOf(device), entryPoint: 'load' });
    expect(await isInOrder(all('received', 2), { table: replaced })).toBe(false);
  });

  test('is ignored by a pipeline that draws as well', async () => {
    const texture = device.createTexture({ size: [1, 1], format: 'r8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT });
    const fragment = { module: moduleOf(device), targets: [{ format: 'r8unorm' as const, writeMask: 0 }] };
    const slots = [...KINDS.emitted.slots, ['vertex', 'look']] as const;
    const table = tableOf(
      device,
      { ...KINDS.emitted, slots },
      {
        edges: [
          [0, 1],
          [1, 2],
        ],
        sinks: [
          { from: 1, buffer: BUFFER },
          { from: 2, raster: { fragment } },
        ],
      }
    );
    const words = await wordsOf(
      device,
      VERTICES * 7 * STRIDE,
      (pass, setSink) => {
        pass.setProcessingOrder('primitive', 'independent');
        pass.setPipeline(table);
        setSink(pass);
        pass.draw(VERTICES);
      },
      drawingTo(texture)
    );
    expect(primitivesOf(words, 3)).toEqual(wanted.filter((primitive) => drawOf(primitive) === 0));
  });

  test('such draw calls are counted', async () => {
    const before = device.statistics().counters['independentDraws']!;
    await stored(device, KINDS.emitted, ['independent', 'received', 'independent']);
    expect(device.statistics().counters['independentDraws']! - before).toBe(2);
  });
});

test('vertices may read pages that arrive late', async () => {
  const PAGE = 16;
  const kind: Kind = {
    type: 'primitive',
    most: 7,
    slots: [
      ['vertex', 'read'],
      ['geometry', 'some'],
    ],
  };
  for (const options of [{ threads: 0 }, { threads: 3 }, { threads: 0, shuffle: 5 }]) {
    const { device: opened, errors } = await openStreaming(options);
    const device = opened as Device;
    const layout = device.createBindGroupLayout({
      entries: [{ binding: 0, visibility: GPUShaderStage.VERTEX, texture: {} }],
    });
    const table = tableOf(device, kind, { layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }) });
    const listed = async (map: GPUTexture, order: SampleOrder, counts = [VERTICES, VERTICES]): Promise<string[]> =>
      primitivesOf(
        await wordsOf(device, 2 * VERTICES * 7 * STRIDE, (pass, setSink) => {
          pass.setPipeline(table);
          pass.setBindGroup(
            0,
            device.createBindGroup({ layout, entries: [{ binding: 0, resource: map.createView() }] })
          );
          setSink(pass);
          pass.setProcessingOrder('primitive', order);
          counts.forEach((count, i) => pass.draw(count, 1, i * 7000));
        }),
        3
      );
    const wanted = await listed(whole(device, TEXELS), 'received');
    expect(wanted.length).toBeGreaterThan(1000);
    for (const order of ['received', 'independent'] as const) {
      let loads = 0;
      const map = streamed(device, TEXELS, {
        pageSize: PAGE,
        maxConcurrentLoads: 5,
        loadPage: async (level, x, y, layer) => {
          if (loads++ % 3 === 0) await new Promise((turn) => setTimeout(turn, 1));
          return pageOf(TEXELS, PAGE, level, x, y, layer);
        },
      });
      // Some pages are resident: vertices that have read them are stored before others miss theirs.
      await listed(map, order, [VERTICES / 6]);
      const found = await listed(map, order);
      expect(loads).toBeGreaterThan(50);
      expect(sorted(found)).toEqual(sorted(wanted));
      if (order === 'received') expect(found).toEqual(wanted);
    }
    expect(errors).toEqual([]);
    device.destroy();
  }
}, 60_000);

describe('errors of stream output order', () => {
  test('for a pipeline that draws', async () => {
    const device = (await openBuiltWith(['modular-pipelines', 'processing-order', 'fragment-stages'])) as Device;
    const module = moduleOf(device);
    const reading = device.createShaderModule({
      code: `enable fragment_stages;
      @fragment fn fs(@color(0) there: vec4f) -> @location(0) vec4f { return there + 0.1; }`,
    });
    const stages = (['load', 'look'] as const).map((entryPoint): ModularStage => ({
      kind: 'vertex',
      module,
      entryPoint,
    }));
    const makes = (
      processingOrder: ModularPipelineDescriptor['processingOrder'],
      fragment: object = { module },
      sinks: ModularPipelineDescriptor['sinks'] = []
    ): Promise<string | null> =>
      validationError(device, () =>
        device.createModularPipeline({
          layout: 'auto',
          input: {},
          stages,
          processingOrder,
          sinks: [...sinks, { raster: { fragment: { ...fragment, targets: [{ format: 'rgba8unorm' }] } as never } }],
        })
      );
    for (const type of ['vertex', 'primitive'] as const)
      expect(await makes({ [type]: 'independent' })).toContain(
        `processingOrder.${type} is "independent", but sinks[0] is a raster sink, `
          + 'and a modular pipeline that draws writes its buffers in order'
      );
    expect(await makes({ vertex: 'independent' }, undefined, [{ from: 0, buffer: BUFFER }])).toContain(
      'but sinks[1] is a raster sink'
    );
    expect(await makes({ vertex: 'received', primitive: 'auto', pixel: 'independent' })).toBeNull();
    expect(await makes({ pixel: 'independent' }, { module: reading })).toContain(
      'processingOrder.pixel is "independent", but the shader reads stored values in order'
    );
    expect(await makes({ pixel: 'independent' }, { module: reading, interlock: 'unordered' })).toBeNull();
    device.destroy();
  });

  test('without the feature, and for unknown names', async () => {
    const device = (await openBuiltWith(['modular-pipelines'])) as Device;
    expect(
      await validationError(device, () =>
        tableOf(device, KINDS.emitted, { processingOrder: { primitive: 'received' } })
      )
    ).toContain('processingOrder needs the feature "processing-order"');
    expect(
      await validationError(device, () => {
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginRenderPass(empty) as Pass;
        pass.setProcessingOrder('vertex', 'independent');
        pass.end();
        encoder.finish();
      })
    ).toContain('setProcessingOrder: it needs the feature "processing-order"');
    const pass = device.createCommandEncoder().beginRenderPass(empty) as Pass;
    expect(() => pass.setProcessingOrder('geometry' as Type, 'received')).toThrow(TypeError);
    expect(() => pass.setProcessingOrder('primitive', 'auto' as SampleOrder)).toThrow(TypeError);
    expect(() => tableOf(device, KINDS.emitted, { processingOrder: { vertex: 'any' as 'auto' } })).toThrow(TypeError);
    device.destroy();
  });
});
