// `storeOp: "discard"`: discarded contents read as zero, in copies and in later passes that load them. Stored contents
// stay.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBuilt } from '../images/open';
import { BUFFER, TEXTURE } from '../images/scenes/kit';

const SIZE = 96;
const MAP_READ = 1;

let device: GPUDevice;
beforeAll(async () => {
  device = await openBuilt();
});
afterAll(() => device.destroy());

function target(samples = 1): GPUTexture {
  return device.createTexture({
    size: [SIZE, SIZE],
    format: 'rgba8unorm',
    sampleCount: samples,
    usage: TEXTURE.ATTACHMENT | (samples === 1 ? TEXTURE.COPY_SRC | TEXTURE.COPY_DST : 0),
  });
}
function pass(texture: GPUTexture, loadOp: GPULoadOp, storeOp: GPUStoreOp, resolveTarget?: GPUTexture): void {
  const encoder = device.createCommandEncoder();
  encoder
    .beginRenderPass({
      colorAttachments: [
        {
          view: texture.createView(),
          resolveTarget: resolveTarget?.createView(),
          loadOp,
          storeOp,
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
  test('stored attachments keep contents, discarded ones are copied as zeros', async () => {
    const texture = target();
    pass(texture, 'clear', 'store');
    expect(await texels(texture)).toEqual(new Set([CLEARED]));
    pass(texture, 'load', 'discard');
    expect(await texels(texture)).toEqual(new Set(['0 0 0 0']));
  });

  test('a pass that loads discarded contents sees zeros', async () => {
    const texture = target();
    pass(texture, 'clear', 'discard');
    pass(texture, 'load', 'store');
    expect(await texels(texture)).toEqual(new Set(['0 0 0 0']));
  });

  test('clearing an attachment ends its discarded state', async () => {
    const texture = target();
    pass(texture, 'clear', 'discard');
    pass(texture, 'clear', 'store');
    expect(await texels(texture)).toEqual(new Set([CLEARED]));
  });

  test('a multisampled target may be discarded after its resolve', async () => {
    const [samples, resolved] = [target(4), target()];
    pass(samples, 'clear', 'discard', resolved);
    expect(await texels(resolved)).toEqual(new Set([CLEARED]));
    pass(samples, 'load', 'discard', resolved);
    expect(await texels(resolved)).toEqual(new Set(['0 0 0 0']));
  });

  test('a write to a part of a discarded texture leaves zeros around it', async () => {
    const texture = target();
    pass(texture, 'clear', 'discard');
    device.queue.writeTexture({ texture, origin: [5, 6] }, new Uint8Array([9, 8, 7, 6]), {}, [1, 1]);
    expect(await texels(texture)).toEqual(new Set(['0 0 0 0', '9 8 7 6']));
  });
});
