// The event loop of the calling thread stays free while workers run a shader that never ends: its timers fire, and it
// can destroy the device.
import { afterEach, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { open, openReady } from './open';
import { GPUBufferUsage, GPUTextureUsage } from '../support/flags';

const TIMEOUT_MS = 600;
/** Minimum number of 5 ms timers that fire in time, even on a busy machine. */
const MIN_TICKS = 10;

const DATA = '@group(0) @binding(0) var<storage, read_write> data: array<u32>;';
const COVER = `
  @vertex fn plain(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0.5, 1);
  }
  @vertex fn endless(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    var x = f32(i);
    loop { x += 1; if (x < 0) { break; } if (x > 1e6) { x = 1; } }
    return vec4f(x);
  }
  @fragment fn red() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }
  @fragment fn never(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var x = p.x;
    loop { x += 1; if (x < 0) { break; } if (x > 1e6) { x = 1; } }
    return vec4f(x);
  }`;

let device: StatisticsDevice | null = null;
afterEach(() => {
  device?.destroy();
  device = null;
});

function dispatch(on: GPUDevice, code: string): void {
  const pipeline = on.createComputePipeline({ layout: 'auto', compute: { module: on.createShaderModule({ code }) } });
  const encoder = on.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  if (code.includes('data')) {
    const buffer = on.createBuffer({ size: 64, usage: GPUBufferUsage.STORAGE });
    pass.setBindGroup(
      0,
      on.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer } }] })
    );
  }
  pass.dispatchWorkgroups(1);
  pass.end();
  on.queue.submit([encoder.finish()]);
}

function draw(on: GPUDevice, vertex: string, fragment: string, size: number): void {
  const module = on.createShaderModule({ code: COVER });
  const format = 'rgba8unorm';
  const pipeline = on.createRenderPipeline({
    layout: 'auto',
    vertex: { module, entryPoint: vertex },
    fragment: { module, entryPoint: fragment, targets: [{ format }] },
  });
  const view = on.createTexture({ size: [size, size], format, usage: GPUTextureUsage.RENDER_ATTACHMENT }).createView();
  const encoder = on.createCommandEncoder();
  const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
  pass.setPipeline(pipeline);
  pass.draw(3);
  pass.end();
  on.queue.submit([encoder.finish()]);
}

/** Counts timers until the device is lost, and returns the reason. */
async function ticksUntilLost(on: GPUDevice): Promise<{ ticks: number; lost: GPUDeviceLostInfo }> {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks++;
  }, 5);
  void on.queue.onSubmittedWorkDone();
  const lost = await on.lost;
  clearInterval(timer);
  return { ticks, lost };
}

const small: CreateOptions & { readonly threads: number } = {
  threads: 2,
  alwaysUseWorkers: false,
  timeoutMs: TIMEOUT_MS,
};

const endless: readonly (readonly [string, (on: GPUDevice) => void])[] = [
  [
    'a workgroup whose loop never ends',
    (on) =>
      dispatch(
        on,
        `${DATA}
    @compute @workgroup_size(1) fn main() { for (var k = 0u; k < 2u; k += data[0]) { data[1] = k; } }`
      ),
  ],
  [
    'a workgroup that waits at a barrier for ever',
    (on) =>
      dispatch(
        on,
        `var<workgroup> go: u32;
    @compute @workgroup_size(1) fn main() { loop { if (workgroupUniformLoad(&go) == 1u) { break; } } }`
      ),
  ],
  [
    'a workgroup of two billion rounds',
    (on) =>
      dispatch(
        on,
        `${DATA}
    @compute @workgroup_size(1) fn main() { for (var k = 0u; k < 2000000000u; k++) { data[k & 7u] += k; } }`
      ),
  ],
  [
    'a workgroup of nested loops',
    (on) =>
      dispatch(
        on,
        `${DATA}
    @compute @workgroup_size(1) fn main() {
      for (var i = 0u; i < 60000u; i++) { for (var k = 0u; k < 60000u; k++) { data[k & 7u] += k; } }
    }`
      ),
  ],
  ['a vertex shader', (on) => draw(on, 'endless', 'red', 8)],
  ['a fragment shader of some pixels', (on) => draw(on, 'plain', 'never', 8)],
];

describe.each(['jit', 'interpreter'] as const)('%s', (engine) => {
  test.each(endless)('%s leaves the event loop free until the device is lost', async (_, submit) => {
    device = await openReady({ ...small, engine });
    submit(device);
    const { ticks, lost } = await ticksUntilLost(device);
    expect(lost.message).toContain(`ran for more than ${TIMEOUT_MS} ms`);
    expect(ticks).toBeGreaterThan(MIN_TICKS);
  });
});

test.each(endless)('%s does not prevent destroying a device', async (_, submit) => {
  device = await openReady({ ...small, timeoutMs: 600_000 });
  submit(device);
  setTimeout(() => device!.destroy(), 50);
  const { lost } = await ticksUntilLost(device);
  expect(lost.reason).toBe('destroyed');
});

test('a frame that never ends waits for workers that are starting', async () => {
  device = await open(small);
  draw(device, 'plain', 'never', 512);
  const { ticks, lost } = await ticksUntilLost(device);
  expect(lost.message).toContain(`ran for more than ${TIMEOUT_MS} ms`);
  expect(ticks).toBeGreaterThan(MIN_TICKS);
});
