// Draw calls and passes at the limits of what is permitted.
import { describe, expect, test } from 'vitest';
import { draw, IS_BLUE, IS_RED, open, pause, pixel, RED, type Drawing } from './kit';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const NOWHERE = `
  @vertex fn vs() -> @builtin(position) vec4f { return vec4f(2, 2, 2, 0); }
  @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }
`;

describe('extreme draw calls', () => {
  test.each([1, 256, 4096])('an arena of %d bytes still holds a triangle on many tiles', async (arenaBytes) => {
    const { device, uncaptured } = await open({ arenaBytes });
    const target = device.createTexture({
      size: [640, 640],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const module = device.createShaderModule({ code: RED });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    });
    const read = device.createBuffer({ size: 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(pipeline);
    pass.draw(3, 5);
    pass.end();
    encoder.copyTextureToBuffer({ texture: target, origin: [600, 600] }, { buffer: read }, [1, 1]);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    expect([[...new Uint8Array(read.getMappedRange())].join(), uncaptured]).toEqual([IS_RED, []]);
  });

  const viewport =
    (...[x, y, width, height]: [number, number, number, number]): Drawing['body'] =>
    (pass) => {
      pass.setViewport(x, y, width, height, 0, 1);
      pass.draw(3);
    };
  test.each<[string, Drawing['body'], string]>([
    ['a viewport of no size', viewport(10, 10, 0, 0), IS_BLUE],
    ['a viewport of almost no size', viewport(32, 32, 1e-30, 1e-30), IS_BLUE],
    ['a viewport far larger than the target', viewport(-8000, -8000, 8192, 8192), IS_RED],
    ['an empty scissor', (pass) => (pass.setScissorRect(64, 64, 0, 0), pass.draw(3)), IS_BLUE],
    ['fewer vertices than a triangle, four billion times', (pass) => pass.draw(2, 0xffffffff), IS_BLUE],
    ['no vertices, four billion times', (pass) => pass.draw(0, 0xffffffff), IS_BLUE],
    ['the last vertex and instance numbers', (pass) => pass.draw(3, 1, 0xfffffffd, 0xffffffff), IS_BLUE],
  ])('%s', async (_name, body, expected) => {
    const { device, uncaptured } = await open();
    const pixels = await draw(device, { code: RED, ...(body && { body }) });
    expect([pixel(pixels, 32, 32), uncaptured]).toEqual([expected, []]);
  });

  test('an indirect draw that would take forever loses the device, with its name and its pipeline', async () => {
    const { device } = await open({ timeoutMs: 200 });
    const counts = device.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.INDIRECT });
    device.queue.writeBuffer(counts, 0, Uint32Array.of(0xffffffff, 0xffffffff, 0, 0));
    const code = `${NOWHERE}`;
    await expect(draw(device, { code, body: (pass) => pass.drawIndirect(counts, 0) })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect((await device.lost).message).toMatch(
      // Reported at the end of its first chunk, whose time counts.
      new RegExp(
        /^draw 0 with pipeline \(unlabeled\) in render pass \(unlabeled\) has drawn 12582912 of /.source
          + /18446744065119617000 vertices in \d+ ms, and/.source
      )
    );
  });

  test('tens of thousands of empty indirect draws', async () => {
    const { device, uncaptured } = await open();
    const nothing = device.createBuffer({ size: 16, usage: GPUBufferUsage.INDIRECT });
    const pixels = await draw(device, {
      code: RED,
      body: (pass) => {
        for (let i = 0; i < 50_000; i++) pass.drawIndirect(nothing, 0);
      },
    });
    expect([pixel(pixels, 32, 32), uncaptured]).toEqual([IS_BLUE, []]);
  });

  const restarts = (device: GPUDevice): Drawing => {
    const indices = device.createBuffer({ size: 4096, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.INDEX });
    device.queue.writeBuffer(indices, 0, new Uint8Array(4096).fill(255));
    const body: Drawing['body'] = (pass) => {
      pass.setIndexBuffer(indices, 'uint16');
      pass.drawIndexed(2048, 0xffffffff);
    };
    return { code: RED, primitive: { topology: 'triangle-strip', stripIndexFormat: 'uint16' }, body };
  };
  test.each<[string, (device: GPUDevice) => Drawing]>([
    ['instances that show nothing', () => ({ code: NOWHERE, body: (pass) => pass.draw(3, 0xffffffff) })],
    ['vertices that show nothing', () => ({ code: NOWHERE, body: (pass) => pass.draw(0xffffffff) })],
    ['instances of a strip that is all restarts', restarts],
  ])('four billion %s leave the event loop responsive, and device.destroy() ends them', async (_name, drawing) => {
    const { device } = await open();
    const drawn = draw(device, drawing(device)).catch((error: Error) => error.name);
    let longest = 0;
    for (let i = 0; i < 5; i++) {
      const before = performance.now();
      await pause(1);
      longest = Math.max(longest, performance.now() - before);
    }
    expect(longest).toBeLessThan(1000);
    device.destroy();
    expect(await drawn).toBe('AbortError');
  });

  test('a strip between restarts is drawn', async () => {
    const { device, uncaptured } = await open();
    const indices = device.createBuffer({ size: 4 * 100_006, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.INDEX });
    device.queue.writeBuffer(
      indices,
      0,
      new Uint32Array(100_006)
        .fill(0xffffffff)
        .fill(0, 100_000)
        .map((value, i) => (i >= 100_003 ? value : i >= 100_000 ? i - 100_000 : value))
    );
    const body: Drawing['body'] = (pass) => {
      pass.setIndexBuffer(indices, 'uint32');
      pass.drawIndexed(100_006);
    };
    const pixels = await draw(device, {
      code: RED,
      primitive: { topology: 'triangle-strip', stripIndexFormat: 'uint32' },
      body,
    });
    expect([pixel(pixels, 32, 32), uncaptured]).toEqual([IS_RED, []]);
  });
});
