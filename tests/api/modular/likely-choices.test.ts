// Choices of modular pipelines that are linked before a draw call uses them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModularPipeline, ModularPipelineCommands, ModularPipelineDevice } from '../../../src/index';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../../support/flags';
import { open } from '../../threads/open';

type Device = GPUDevice & ModularPipelineDevice;
type Pass = GPURenderPassEncoder & ModularPipelineCommands;

/** Number of slots that draw calls switch; slot 1 is the first one. */
const OPTIONS = 8;
const CODE = `enable modular_pipelines; enable fragment_stages;
  @vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(array(vec2f(-1, -1), vec2f(3, -1), vec2f(-1, 3))[i], 0, 1);
  }
  override weight: f32 = 0;
  @fragment fn add(@link(0) sum: f32) -> @link(0) f32 { return sum + weight; }
  @fragment fn start() -> @link(0) f32 { return 0; }
  @fragment fn shown(@link(0) sum: f32) -> @location(0) vec4f { return vec4f(sum / 255); }`;
const ROW = 256;

describe.each([0, 2])('choices that were linked in advance, %d workers', (threads) => {
  let device: Device;
  beforeAll(async () => {
    device = (await open({ threads })) as unknown as Device;
    device.addEventListener('uncapturederror', ({ error }) => {
      throw error;
    });
  });
  afterAll(() => device.destroy());

  function tableOf(): ModularPipeline {
    const module = device.createShaderModule({ code: CODE });
    return device.createModularPipeline({
      layout: 'auto',
      input: {},
      stages: [
        { kind: 'vertex', module },
        { kind: 'pixel', module, entryPoint: 'start' },
        ...Array.from({ length: OPTIONS }, (_, i) => ({
          kind: 'pixel' as const,
          module,
          entryPoint: 'add',
          enabled: false,
          constants: { weight: 1 << i },
        })),
        { kind: 'pixel', module, entryPoint: 'shown' },
      ],
      sinks: [{ raster: { fragment: { targets: [{ format: 'r8unorm' }] } } }],
    });
  }

  /** Draws a choice, whose bits are options, and returns a texel: the sum of the enabled weights. */
  async function draw(table: ModularPipeline, choice: number): Promise<number> {
    const texture = device.createTexture({
      size: [4, 4],
      format: 'r8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    const copy = device.createBuffer({ size: ROW * 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
    }) as Pass;
    pass.setPipeline(table);
    for (let i = 0; i < OPTIONS; i++) pass.setStageEnabled(2 + i, ((choice >> i) & 1) === 1);
    pass.draw(3);
    pass.end();
    encoder.copyTextureToBuffer({ texture }, { buffer: copy, bytesPerRow: ROW }, [4, 4]);
    device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const [texel] = new Uint8Array(copy.getMappedRange());
    copy.destroy();
    texture.destroy();
    return texel!;
  }

  async function waitFor(isTrue: () => boolean): Promise<void> {
    for (let i = 0; i < 2000 && !isTrue(); i++) await new Promise((done) => setTimeout(done, 5));
    expect(isTrue()).toBe(true);
  }

  /** The statistics when nothing has been linked for a while. */
  async function settled(table: ModularPipeline): Promise<ReturnType<ModularPipeline['statistics']>> {
    for (let before = table.statistics(); ;) {
      await new Promise((done) => setTimeout(done, 60));
      const now = table.statistics();
      if (now.choicesUnused === before.choicesUnused) return now;
      before = now;
    }
  }

  test('differ in one switched slot, and are not counted as used before a draw call uses them', async () => {
    const table = tableOf();
    await draw(table, 0);
    await new Promise((done) => setTimeout(done, 50));
    // No slot has been switched.
    expect(table.statistics()).toMatchObject({ choicesLinked: 1, choicesUnused: 0 });
    expect(await draw(table, 0b111)).toBe(0b111);
    await waitFor(() => table.statistics().choicesUnused === 3);
    expect(table.statistics().choicesLinked).toBe(2);
    expect(await draw(table, 0b101)).toBe(0b101);
    expect(table.statistics().choicesLinked).toBe(3);
    // The neighbours of the new choice: 0b100, 0b001 and 0b111, which is in use.
    await waitFor(() => table.statistics().choicesUnused === 4);
  }, 60_000);

  test('are at most 64', async () => {
    const table = tableOf();
    let most = 0;
    // No choice has a neighbour in common with the one before, so nearly all of them are linked in vain.
    for (let i = 0; i < 24; i++) {
      const choice = (i * 0b1011_0101) % (1 << OPTIONS);
      expect(await draw(table, choice)).toBe(choice);
      const { choicesUnused } = await settled(table);
      most = Math.max(most, choicesUnused);
    }
    expect(most).toBeGreaterThan(56);
    expect(most).toBeLessThanOrEqual(64);
  }, 60_000);

  test('are dropped when a stage is replaced', async () => {
    const table = tableOf();
    await draw(table, 0b11);
    await waitFor(() => table.statistics().choicesUnused > 0);
    const module = device.createShaderModule({ code: CODE });
    table.replaceStage(2, { kind: 'pixel', module, entryPoint: 'add', enabled: false, constants: { weight: 100 } });
    expect(table.statistics().choicesUnused).toBe(0);
    expect(await draw(table, 0b01)).toBe(100);
    expect(await draw(table, 0b11)).toBe(102);
  }, 60_000);
});
