// Buffer mapping and queue order, on a fake device with its own memory.
import { describe, expect, test } from 'vitest';
import { DeviceLostError } from '../../../src/base/errors';
import { apiDevice } from '../fake';
import { GPUMapMode, GPUTextureUsage } from '../../support/flags';

const bytes = (buffer: ArrayBuffer): number[] => [...new Uint8Array(buffer)];
const MAP_READ = 1;
const MAP_WRITE = 2;
const COPY_SRC = 4;
const COPY_DST = 8;

async function read(device: GPUDevice, source: GPUBuffer): Promise<number[]> {
  const target = device.createBuffer({ size: source.size, usage: MAP_READ | COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(source, 0, target, 0, source.size);
  device.queue.submit([encoder.finish()]);
  await target.mapAsync(GPUMapMode.READ);
  return bytes(target.getMappedRange());
}

describe('mappedAtCreation', () => {
  test('written data persists after unmap, and the range is detached', async () => {
    const { device } = await apiDevice();
    const buffer = device.createBuffer({ size: 8, usage: COPY_SRC, mappedAtCreation: true });
    expect(buffer.mapState).toBe('mapped');
    const range = buffer.getMappedRange();
    expect(range).toBeInstanceOf(ArrayBuffer);
    new Uint8Array(range).set([1, 2, 3, 4, 5, 6, 7, 8]);
    buffer.unmap();
    expect([buffer.mapState, range.byteLength]).toEqual(['unmapped', 0]);
    expect(await read(device, buffer)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
  test('an invalid buffer still provides memory', async () => {
    const { device } = await apiDevice();
    device.pushErrorScope('validation');
    const buffer = device.createBuffer({ size: 8, usage: 0, mappedAtCreation: true });
    expect((await device.popErrorScope())?.message).toMatch(/usage is 0/);
    expect(buffer.getMappedRange().byteLength).toBe(8);
    buffer.unmap();
  });
  test('a size that is not a multiple of 4 is a RangeError', async () => {
    const { device } = await apiDevice();
    expect(() => device.createBuffer({ size: 6, usage: COPY_SRC, mappedAtCreation: true })).toThrow(RangeError);
  });
  test('destroy() detaches the range', async () => {
    const { device } = await apiDevice();
    const buffer = device.createBuffer({ size: 8, usage: COPY_SRC, mappedAtCreation: true });
    const range = buffer.getMappedRange();
    buffer.destroy();
    expect([range.byteLength, buffer.mapState]).toEqual([0, 'unmapped']);
  });
});

describe('device.destroy() and mapped ranges', () => {
  test('all ranges of all buffers are detached at once, mapped at creation or later', async () => {
    const { device } = await apiDevice();
    const first = device.createBuffer({ size: 16, usage: COPY_SRC, mappedAtCreation: true });
    const second = device.createBuffer({ size: 8, usage: MAP_READ });
    await second.mapAsync(GPUMapMode.READ);
    const ranges = [first.getMappedRange(0, 8), first.getMappedRange(8, 8), second.getMappedRange()];
    device.destroy();
    expect(ranges.map((range) => range.byteLength)).toEqual([0, 0, 0]);
    expect([first.mapState, second.mapState]).toEqual(['unmapped', 'unmapped']);
    expect(() => first.getMappedRange()).toThrow(/the buffer is not mapped/);
  });
  test('ranges of a device that is lost otherwise stay with the application', async () => {
    const { device, fake } = await apiDevice();
    const buffer = device.createBuffer({ size: 8, usage: COPY_SRC, mappedAtCreation: true });
    const range = buffer.getMappedRange();
    fake.runPass = () => ({
      step: () => {
        throw new DeviceLostError('a shader takes too long');
      },
    });
    const view = device
      .createTexture({ size: [4, 4], format: 'rgba8unorm', usage: GPUTextureUsage.RENDER_ATTACHMENT })
      .createView();
    const encoder = device.createCommandEncoder();
    encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] }).end();
    device.queue.submit([encoder.finish()]);
    await device.lost;
    expect([range.byteLength, buffer.mapState]).toEqual([8, 'mapped']);
    buffer.unmap();
    expect(range.byteLength).toBe(0);
  });
  test('unmap() and destroy() work with a range that the application has transferred', async () => {
    const { device } = await apiDevice();
    const [first, second] = [0, 1].map(() => device.createBuffer({ size: 8, usage: COPY_SRC, mappedAtCreation: true }));
    for (const buffer of [first!, second!]) {
      const range = buffer.getMappedRange();
      structuredClone(range, { transfer: [range] });
    }
    first!.unmap();
    device.destroy();
    expect([first!.mapState, second!.mapState]).toEqual(['unmapped', 'unmapped']);
  });
});

describe('mapAsync', () => {
  test('waits for previous work', async () => {
    const { device, fake } = await apiDevice();
    let steps = 0;
    fake.runPass = () => ({ step: () => ++steps === 3 });
    const target = device.createTexture({
      size: [4, 4],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const encoder = device.createCommandEncoder();
    encoder
      .beginRenderPass({ colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }] })
      .end();
    device.queue.submit([encoder.finish()]);
    const buffer = device.createBuffer({ size: 8, usage: MAP_READ | COPY_DST });
    device.queue.writeBuffer(buffer, 0, new Uint8Array([9, 8, 7, 6]));
    const map = buffer.mapAsync(GPUMapMode.READ);
    expect([buffer.mapState, steps, fake.log]).toEqual(['pending', 0, []]);
    await map;
    expect([buffer.mapState, steps]).toEqual(['mapped', 3]);
    expect(bytes(buffer.getMappedRange())).toEqual([9, 8, 7, 6, 0, 0, 0, 0]);
  });
  test('for reading gives a copy: writing to it changes nothing', async () => {
    const { device } = await apiDevice();
    const buffer = device.createBuffer({ size: 4, usage: MAP_READ | COPY_DST });
    await buffer.mapAsync(GPUMapMode.READ);
    new Uint8Array(buffer.getMappedRange()).fill(7);
    buffer.unmap();
    await buffer.mapAsync(GPUMapMode.READ);
    expect(bytes(buffer.getMappedRange())).toEqual([0, 0, 0, 0]);
  });
  test('for writing shows the current contents and stores what is written', async () => {
    const { device } = await apiDevice();
    const buffer = device.createBuffer({ size: 16, usage: MAP_WRITE | COPY_SRC });
    await buffer.mapAsync(GPUMapMode.WRITE, 8);
    new Uint8Array(buffer.getMappedRange(8, 4)).set([1, 2, 3, 4]);
    buffer.unmap();
    await buffer.mapAsync(GPUMapMode.WRITE);
    expect(bytes(buffer.getMappedRange(8))).toEqual([1, 2, 3, 4, 0, 0, 0, 0]);
  });
  test('rejects with AbortError on a lost device, whenever the buffer was created', async () => {
    const { device } = await apiDevice();
    const before = device.createBuffer({ size: 8, usage: MAP_READ });
    device.destroy();
    for (const buffer of [before, device.createBuffer({ size: 8, usage: MAP_READ })])
      await expect(buffer.mapAsync(GPUMapMode.READ)).rejects.toMatchObject({
        name: 'AbortError',
        message: expect.stringMatching(/the device is lost/) as string,
      });
  });
  test('rejects with AbortError when unmapped before it is ready', async () => {
    const { device } = await apiDevice();
    const buffer = device.createBuffer({ size: 4, usage: MAP_READ });
    const map = buffer.mapAsync(GPUMapMode.READ);
    buffer.unmap();
    await expect(map).rejects.toMatchObject({
      name: 'AbortError',
      message: expect.stringMatching(/unmap\(\) was called/) as string,
    });
    await buffer.mapAsync(GPUMapMode.READ);
    expect(buffer.mapState).toBe('mapped');
  });
  test('rejects with AbortError and a message when destroyed before it is ready', async () => {
    const { device } = await apiDevice();
    const buffer = device.createBuffer({ size: 4, usage: MAP_READ });
    const map = buffer.mapAsync(GPUMapMode.READ);
    buffer.destroy();
    await expect(map).rejects.toMatchObject({
      name: 'AbortError',
      message: expect.stringMatching(/destroy\(\) was called/) as string,
    });
  });
  test('rejects with OperationError for a second call, and the first continues', async () => {
    const { device } = await apiDevice();
    device.pushErrorScope('validation');
    const buffer = device.createBuffer({ size: 4, usage: MAP_READ });
    const first = buffer.mapAsync(GPUMapMode.READ);
    await expect(buffer.mapAsync(GPUMapMode.READ)).rejects.toMatchObject({ name: 'OperationError' });
    await expect(first).resolves.toBeUndefined();
    expect((await device.popErrorScope())?.message).toMatch(/pending already/);
  });
  const ranges: [string, (b: GPUBuffer) => unknown, RegExp][] = [
    ['not mapped', (b) => (b.unmap(), b.getMappedRange()), /is not mapped/],
    ['outside', (b) => b.getMappedRange(0, 8), /range 0…8 is outside the mapped range 8…32/],
    ['past the end', (b) => b.getMappedRange(24, 16), /is outside/],
    ['offset', (b) => b.getMappedRange(12), /offset 12 is not a multiple of 8/],
    ['size', (b) => b.getMappedRange(8, 6), /size 6 is not a multiple of 4/],
    [
      'overlap',
      (b) => (b.getMappedRange(8, 8), b.getMappedRange(8, 4)),
      /overlaps 8…16, which an earlier getMappedRange\(\) returned/,
    ],
  ];
  test.each(ranges)('getMappedRange throws: %s', async (_name, run, message) => {
    const { device } = await apiDevice();
    // The buffer extends beyond the mapping, on both sides.
    const buffer = device.createBuffer({ label: 'b', size: 48, usage: MAP_READ });
    await buffer.mapAsync(GPUMapMode.READ, 8, 24);
    expect(() => run(buffer)).toThrow(message);
    expect(() => run(buffer)).toThrow(DOMException);
  });
});

describe('the queue', () => {
  test('keeps the order of calls; only writes without earlier queued work run at once', async () => {
    const { device, fake } = await apiDevice();
    const buffer = device.createBuffer({ size: 16, usage: COPY_DST | COPY_SRC });
    const other = device.createBuffer({ size: 16, usage: COPY_DST | COPY_SRC });
    const data = new Uint8Array([1, 2, 3, 4]);
    device.queue.writeBuffer(buffer, 0, data);
    // The bytes were copied at the call.
    data.fill(99);
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, other, 4, 4);
    encoder.clearBuffer(buffer, 0, 8);
    const commands = encoder.finish();
    device.queue.submit([commands]);
    device.queue.writeBuffer(buffer, 8, new Uint8Array([5, 6, 7, 8]));
    expect(fake.log).toEqual(['writeBuffer 0 4']);
    await device.queue.onSubmittedWorkDone();
    expect(fake.log).toEqual(['writeBuffer 0 4', 'copyBufferToBuffer 0 4 4', 'clearBuffer 0 8', 'writeBuffer 8 4']);
    expect(await read(device, other)).toEqual([0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0]);
  });
  test('settles promises in the order of the calls', async () => {
    const { device } = await apiDevice();
    const log: string[] = [];
    const a = device.createBuffer({ size: 4, usage: MAP_READ });
    const b = device.createBuffer({ size: 4, usage: MAP_READ });
    await Promise.all([
      a.mapAsync(GPUMapMode.READ).then(() => log.push('map a')),
      device.queue.onSubmittedWorkDone().then(() => log.push('done')),
      b.mapAsync(GPUMapMode.READ).then(() => log.push('map b')),
    ]);
    expect(log).toEqual(['map a', 'done', 'map b']);
  });
  test('writeBuffer counts elements of typed arrays', async () => {
    const { device } = await apiDevice();
    const buffer = device.createBuffer({ size: 8, usage: COPY_DST | COPY_SRC });
    device.queue.writeBuffer(buffer, 0, new Uint16Array([1, 2, 3, 4]), 1, 2);
    expect((await read(device, buffer)).slice(0, 4)).toEqual([2, 0, 3, 0]);
    const view = new Uint8Array([0, 9, 9, 9, 9, 0]).subarray(1, 5);
    device.queue.writeBuffer(buffer, 4, view);
    expect((await read(device, buffer)).slice(4)).toEqual([9, 9, 9, 9]);
    expect(() => device.queue.writeBuffer(buffer, 0, new Uint16Array(3))).toThrow(/6 bytes are not a multiple of 4/);
    expect(() => device.queue.writeBuffer(buffer, 0, new Uint16Array(4), 5)).toThrow(
      /dataOffset 5 exceeds the 4 elements/
    );
    expect(() => device.queue.writeBuffer(buffer, 0, new Uint16Array(4), 2, 4)).toThrow(
      /dataOffset 2 \+ size 4 exceeds the 4 elements/
    );
  });
  test('frees destroyed memory after the work that uses it', async () => {
    const { device, fake } = await apiDevice();
    const buffer = device.createBuffer({ size: 16, usage: COPY_DST });
    const texture = device.createTexture({ size: [4, 4], format: 'rgba8unorm', usage: GPUTextureUsage.COPY_DST });
    device.queue.writeBuffer(buffer, 0, new Uint8Array(4));
    buffer.destroy();
    texture.destroy();
    buffer.destroy();
    expect(fake.alive).toBe(2);
    await device.queue.onSubmittedWorkDone();
    expect([fake.alive, fake.log]).toEqual([0, ['writeBuffer 0 4']]);
  });
  test('writeTexture stages only the bytes that it needs', async () => {
    const { device, fake } = await apiDevice();
    const texture = device.createTexture({ size: [2, 2, 2], format: 'rgba8unorm', usage: GPUTextureUsage.COPY_DST });
    device.queue.writeTexture(
      { texture },
      new Uint8Array(1000),
      { offset: 3, bytesPerRow: 20, rowsPerImage: 3 },
      [2, 2, 2]
    );
    device.queue.writeTexture({ texture }, new Uint8Array(0), {}, [0, 0, 0]);
    await device.queue.onSubmittedWorkDone();
    expect(fake.log).toEqual([`writeTexture ${20 * 3 + 20 + 8} 20 3 2×2×2`]);
  });
  test('splits a large writeTexture, so that no turn of the queue is long', async () => {
    const { device, fake } = await apiDevice();
    const width = 1000;
    const rows = 1300;
    const rowBytes = 4352;
    const rowsPerImage = 1310;
    const layers = 2;
    const data = new Uint8Array(rowBytes * (rowsPerImage + rows));
    const firstWords = new Uint32Array(data.buffer);
    for (let row = 0; row < rowsPerImage + rows; row++) firstWords[(row * rowBytes) / 4] = row;
    const written: string[] = [];
    let most = 0;
    fake.writeTexture = ({ origin: [x, y, z] }, piece, bytesPerRow, _rowsPerImage, [wide, high, deep]) => {
      expect([x, wide, deep, bytesPerRow]).toEqual([3, width, 1, rowBytes]);
      most = Math.max(most, high * bytesPerRow);
      for (let row = 0; row < high; row++) {
        const view = new DataView(piece.buffer, piece.byteOffset + row * bytesPerRow, 4);
        written.push(`${z} ${y + row}: ${view.getUint32(0, true)}`);
      }
    };
    const texture = device.createTexture({
      size: [1024, 1400, 4],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.COPY_DST,
    });
    // With earlier queued work.
    void device.queue.onSubmittedWorkDone();
    device.queue.writeTexture({ texture, origin: [3, 5, 1] }, data, { bytesPerRow: rowBytes, rowsPerImage }, [
      width,
      rows,
      layers,
    ]);
    expect(written).toEqual([]);
    // The bytes were copied at the call.
    data.fill(99);
    await device.queue.onSubmittedWorkDone();
    expect(most).toBeLessThanOrEqual(4 << 20);
    expect(written).toEqual(
      Array.from({ length: layers * rows }, (_, k) => {
        const layer = Math.floor(k / rows);
        const row = k % rows;
        return `${1 + layer} ${5 + row}: ${layer * rowsPerImage + row}`;
      })
    );
  });
  test("runs a write without earlier queued work in the call, from the caller's bytes", async () => {
    const { device, fake } = await apiDevice();
    const data = new Uint8Array(64 << 20);
    const written: unknown[] = [];
    fake.writeTexture = (_, piece, ...rest) => void written.push(piece.buffer === data.buffer, ...rest);
    fake.writeBuffer = (_, offset, piece) => void written.push(piece.buffer === data.buffer, offset, piece.length);
    const texture = device.createTexture({ size: [4096, 4096], format: 'rgba8unorm', usage: GPUTextureUsage.COPY_DST });
    const buffer = device.createBuffer({ size: 16, usage: COPY_DST });
    device.queue.writeTexture({ texture }, data, { bytesPerRow: 4096 * 4 }, [4096, 4096]);
    device.queue.writeBuffer(buffer, 4, data, 8, 12);
    expect(written).toEqual([true, 4096 * 4, 4096, [4096, 4096, 1], true, 4, 12]);
    device.destroy();
    device.queue.writeBuffer(buffer, 4, data, 8, 12);
    expect(written).toHaveLength(7);
  });
  test('copyExternalImageToTexture accepts objects like ImageData', async () => {
    const { device, fake } = await apiDevice();
    let written: number[] = [];
    fake.writeTexture = (_target, data) => void (written = [...data]);
    const texture = device.createTexture({
      size: [1, 2],
      format: 'bgra8unorm',
      usage: GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const source = {
      data: new Uint8ClampedArray([10, 20, 30, 255, 40, 50, 60, 51]),
      width: 1,
      height: 2,
      colorSpace: 'srgb',
    } as unknown as ImageData;
    device.queue.copyExternalImageToTexture({ source, flipY: true }, { texture, premultipliedAlpha: true }, [1, 2]);
    await device.queue.onSubmittedWorkDone();
    expect(written).toEqual([12, 10, 8, 51, 30, 20, 10, 255]);
    expect(() => device.queue.copyExternalImageToTexture({ source: {} as ImageData }, { texture }, [1, 1])).toThrow(
      /^copyExternalImageToTexture: source.source is not an image: use ImageData, /
    );
  });
});
