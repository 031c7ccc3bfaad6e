// What a pass discards reads as zero, whoever reads it: a copy, a later pass that loads it. What it stores stays.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBuilt } from '../images/open';
import { BUFFER, TEXTURE } from '../images/scenes/kit';

const SIZE = 96;
const MAP_READ = 1;

let device: GPUDevice;
beforeAll(async () => { device = await openBuilt(); });
afterAll(() => device.destroy());

function target(samples = 1): GPUTexture {
  return device.createTexture({
    size: [SIZE, SIZE], format: 'rgba8unorm', sampleCount: samples,
    usage: TEXTURE.ATTACHMENT | (samples === 1 ? TEXTURE.COPY_SRC | TEXTURE.COPY_DST : 0),
  });
}
function pass(texture: GPUTexture, loadOp: GPULoadOp, storeOp: GPUStoreOp, resolveTarget?: GPUTexture): void {
  const encoder = device.createCommandEncoder();
  encoder.beginRenderPass({
    colorAttachments: [
      {
        view: texture.createView(), resolveTarget: resolveTarget?.createView(), loadOp, storeOp,
        clearValue: [1, 0.5, 0.25, 1],
      },
    ],
  })
    .end();
  device.queue.submit([encoder.finish()]);
}
async function texels(texture: GPUTexture): Promise<Set<string>> {
  const rowBytes = 512;
  const buffer = device.createBuffer({ size: rowBytes * SIZE, usage: BUFFER.MAP_READ | 8 });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: rowBytes }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(MAP_READ);
  const bytes = new Uint8Array(buffer.getMappedRange());
  const seen = new Set<string>();
  for (let y = 0; y < SIZE; y++)
    for (let x = 0; x < SIZE; x++) seen.add(bytes.subarray(y * rowBytes + x * 4, y * rowBytes + x * 4 + 4).join(' '));
  return seen;
}
const CLEARED = '255 128 64 255';

describe('storeOp', () => {
  test('store keeps, discard reads as zero by a copy', async () => {
    const texture = target();
    pass(texture, 'clear', 'store');
    expect(await texels(texture)).toEqual(new Set([CLEARED]));
    pass(texture, 'load', 'discard');
    expect(await texels(texture)).toEqual(new Set(['0 0 0 0']));
  });

  test('a pass that loads what was discarded sees zero', async () => {
    const texture = target();
    pass(texture, 'clear', 'discard');
    pass(texture, 'load', 'store');
    expect(await texels(texture)).toEqual(new Set(['0 0 0 0']));
  });

  test('a pass that clears takes the mark away', async () => {
    const texture = target();
    pass(texture, 'clear', 'discard');
    pass(texture, 'clear', 'store');
    expect(await texels(texture)).toEqual(new Set([CLEARED]));
  });

  test('a multi-sample target may be discarded after its resolve', async () => {
    const [samples, resolved] = [target(4), target()];
    pass(samples, 'clear', 'discard', resolved);
    expect(await texels(resolved)).toEqual(new Set([CLEARED]));
    pass(samples, 'load', 'discard', resolved);
    expect(await texels(resolved)).toEqual(new Set(['0 0 0 0']));
  });

  test('a write to a part leaves zeros around it', async () => {
    const texture = target();
    pass(texture, 'clear', 'discard');
    device.queue.writeTexture({ texture, origin: [5, 6] }, new Uint8Array([9, 8, 7, 6]), {}, [1, 1]);
    expect(await texels(texture)).toEqual(new Set(['0 0 0 0', '9 8 7 6']));
  });
});
