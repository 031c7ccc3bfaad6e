// Index ranges through the API: each vertex is shaded once, whatever the batches are, and cached facts about an index
// buffer do not outlive its contents.
import { expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { openBuiltWith } from '../images/open';
import { BUFFER, readPixels, SIZE, TEXTURE } from '../images/scenes/kit';

const CODE = `
  @vertex fn vs(@location(0) p: vec2f) -> @builtin(position) vec4f { return vec4f(p, 0, 1); }
  @fragment fn fs() -> @location(0) vec4f { return vec4f(1); }`;

function setUp(device: GPUDevice): {
  draw: (indices: GPUBuffer, count: number, instances?: number) => Promise<number>;
  buffer: (indices: Uint16Array) => GPUBuffer;
} {
  const module = device.createShaderModule({ code: CODE });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: {
      module,
      buffers: [{ arrayStride: 8, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x2' }] }],
    },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
  });
  // A grid of 32×32 vertices that covers the picture.
  const points = Float32Array.from({ length: 2048 }, (_, i) =>
    i & 1 ? 1 - (i >> 6) / 15.5 : ((i >> 1) & 31) / 15.5 - 1
  );
  const vertices = device.createBuffer({ size: points.byteLength, usage: BUFFER.VERTEX | BUFFER.COPY_DST });
  device.queue.writeBuffer(vertices, 0, points);
  const texture = device.createTexture({
    size: [SIZE, SIZE],
    format: 'rgba8unorm',
    usage: TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC,
  });
  const buffer = (indices: Uint16Array): GPUBuffer => {
    const made = device.createBuffer({
      size: (indices.byteLength + 3) & ~3,
      usage: BUFFER.INDEX | BUFFER.COPY_DST | BUFFER.COPY_SRC,
    });
    device.queue.writeBuffer(made, 0, indices);
    return made;
  };
  const draw = async (indices: GPUBuffer, count: number, instances = 1): Promise<number> => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(pipeline);
    pass.setVertexBuffer(0, vertices);
    pass.setIndexBuffer(indices, 'uint16');
    pass.drawIndexed(count, instances);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const pixels = await readPixels(device, texture);
    return pixels.filter((value, i) => (i & 3) === 0 && value === 255).length;
  };
  return { draw, buffer };
}

/** Two triangles for each cell of the rows `from` … `to` − 1 of a grid with `columns` vertices per row. */
function cells(from: number, to: number, columns = 32): Uint16Array {
  const indices: number[] = [];
  for (let y = from; y < to; y++)
    for (let x = 0; x < columns - 1; x++) {
      const k = y * columns + x;
      indices.push(k, k + 1, k + columns, k + 1, k + columns + 1, k + columns);
    }
  return Uint16Array.from(indices);
}

test('a mesh shades each vertex once', async () => {
  const device = (await openBuiltWith(['statistics'])) as StatisticsDevice;
  const { draw, buffer } = setUp(device);
  const all = cells(0, 31);
  expect(await draw(buffer(all), all.length)).toBe(SIZE * SIZE);
  expect(device.statistics().counters).toMatchObject({ verticesShaded: 1024, verticesUsed: 1024 });
  device.destroy();
});

test('indices that skip most vertices shade the used ones only', async () => {
  const device = (await openBuiltWith(['statistics'])) as StatisticsDevice;
  const { draw, buffer } = setUp(device);
  expect(await draw(buffer(Uint16Array.of(0, 31, 992, 31, 1023, 992)), 6)).toBe(SIZE * SIZE);
  expect(device.statistics().counters).toMatchObject({ verticesShaded: 4 });
  device.destroy();
});

test('a buffer that is written, copied to or cleared between draw calls is scanned again', async () => {
  const device = (await openBuiltWith(['statistics'])) as StatisticsDevice;
  const { draw, buffer } = setUp(device);
  const half = cells(0, 8);
  const indices = buffer(half);
  const upper = await draw(indices, half.length);
  expect(upper).toBeGreaterThan(0);
  const lower = cells(23, 31);
  device.queue.writeBuffer(indices, 0, lower);
  expect(Math.abs((await draw(indices, lower.length)) - upper)).toBeLessThanOrEqual(SIZE);
  const copy = device.createCommandEncoder();
  copy.copyBufferToBuffer(buffer(cells(10, 18)), 0, indices, 0, lower.byteLength);
  device.queue.submit([copy.finish()]);
  expect(Math.abs((await draw(indices, lower.length)) - upper)).toBeLessThanOrEqual(SIZE);
  const clear = device.createCommandEncoder();
  clear.clearBuffer(indices);
  device.queue.submit([clear.finish()]);
  expect(await draw(indices, lower.length)).toBe(0);
  device.destroy();
});

test('copying a texture into the index buffer invalidates its ranges', async () => {
  const device = (await openBuiltWith(['statistics'])) as StatisticsDevice;
  const { draw, buffer } = setUp(device);
  const half = cells(0, 8);
  const indices = buffer(half);
  expect(await draw(indices, half.length)).toBeGreaterThan(0);
  // Zeros, one row of the texture at a time: degenerate triangles.
  const rows = Math.floor(half.byteLength / 256);
  const zeros = device.createTexture({ size: [64, rows], format: 'rgba8unorm', usage: TEXTURE.COPY_SRC });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture: zeros }, { buffer: indices, bytesPerRow: 256 }, [64, rows]);
  device.queue.submit([encoder.finish()]);
  expect(await draw(indices, rows * 128 - ((rows * 128) % 3))).toBe(0);
  device.destroy();
});

test('small instances share batches, larger ones are ranges', async () => {
  const device = (await openBuiltWith(['statistics'])) as StatisticsDevice;
  const { draw, buffer } = setUp(device);
  for (const [rows, vertices] of [
    [0, 33],
    [1, 64],
  ] as const) {
    const before = device.statistics().counters.verticesShaded!;
    const indices = rows ? cells(0, 1) : Uint16Array.of(0, 1, 32, 1, 33, 32);
    await draw(buffer(indices), indices.length, 10);
    expect(device.statistics().counters.verticesShaded! - before).toBe(10 * (rows ? vertices : 4));
  }
  device.destroy();
});

test('memory for ranges is freed under pressure, and batches work without it', async () => {
  // Room for the pass and at most 2 MiB of vertices.
  const memoryBudget = 4 << 20;
  const device = (await openBuiltWith(['statistics'], {
    memoryBudget,
    arenaBytes: 256 << 10,
    threads: 1,
  })) as StatisticsDevice;
  const { draw, buffer } = setUp(device);
  const all = cells(0, 31);
  const indices = buffer(all);
  expect(await draw(indices, all.length)).toBe(SIZE * SIZE);
  expect(device.statistics().counters).toMatchObject({ verticesShaded: 1024 });
  const { bytesUsed, bytesBudget } = device.statistics().memory;
  device.pushErrorScope('out-of-memory');
  // Slightly more than what is left, so that the vertices' memory must be freed.
  const rest = device.createBuffer({ size: (bytesBudget - bytesUsed + 64_000) & ~3, usage: BUFFER.COPY_DST });
  expect(await device.popErrorScope()).toBeNull();
  expect(await draw(indices, all.length)).toBe(SIZE * SIZE);
  expect(device.statistics().counters.verticesShaded).toBeGreaterThan(2 * 1024);
  rest.destroy();
  await device.queue.onSubmittedWorkDone();
  const before = device.statistics().counters.verticesShaded!;
  expect(await draw(indices, all.length)).toBe(SIZE * SIZE);
  expect(device.statistics().counters.verticesShaded! - before).toBe(1024);
  device.destroy();
});

test('a long range is clipped if only its first part leaves the clip volume', async () => {
  const COLUMNS = 128;
  const ROWS = 80;
  const device = await openBuiltWith([]);
  // Three parts of shading; the upper half of the picture is in front of the near plane.
  const points = Array.from({ length: COLUMNS * ROWS }, (_, i) => {
    const row = Math.floor(i / COLUMNS);
    return [(i % COLUMNS) / ((COLUMNS - 1) / 2) - 1, 1 - row / ((ROWS - 1) / 2), row < ROWS / 2 ? -0.5 : 0.5];
  }).flat();
  const indices = cells(0, ROWS - 1, COLUMNS);
  const upload = (data: Float32Array | Uint16Array, usage: number): GPUBuffer => {
    const made = device.createBuffer({ size: data.byteLength, usage: usage | BUFFER.COPY_DST });
    device.queue.writeBuffer(made, 0, data as Float32Array<ArrayBuffer>);
    return made;
  };
  const module = device.createShaderModule({ code: CODE.replace('vec2f) ->', 'vec3f) ->').replace('p, 0, 1', 'p, 1') });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: {
      module,
      buffers: [{ arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] }],
    },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
  });
  const texture = device.createTexture({
    size: [SIZE, SIZE],
    format: 'rgba8unorm',
    usage: TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC,
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  pass.setVertexBuffer(0, upload(Float32Array.from(points), BUFFER.VERTEX));
  pass.setIndexBuffer(upload(indices, BUFFER.INDEX), 'uint16');
  pass.drawIndexed(indices.length);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const pixels = await readPixels(device, texture);
  const drawn = Array.from({ length: SIZE }, (_, y) => pixels[(y * SIZE + (SIZE >> 1)) * 4] === 255);
  expect(drawn).toEqual(Array.from({ length: SIZE }, (_, y) => y >= SIZE / 2));
  device.destroy();
});
