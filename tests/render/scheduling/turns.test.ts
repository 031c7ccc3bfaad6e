// A pass yields within a tile: many triangles or a long shader in one tile take many steps, and the picture does not
// depend on where the steps end.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBuilt } from '../../images/open';
import { TEXTURE } from '../../images/scenes/kit';
import { GPUBufferUsage, GPUMapMode } from '../../support/flags';

let device: GPUDevice;
beforeAll(async () => {
  device = await openBuilt();
});
afterAll(() => device.destroy());

/** One tile. */
const SIZE = 64;
const blend = { color: { srcFactor: 'one', dstFactor: 'one' }, alpha: { srcFactor: 'one', dstFactor: 'one' } } as const;

function drawing(fragment: string, ordered: boolean, triangles: number): { submit(): void; texture: GPUTexture } {
  const module = device.createShaderModule({
    code: `
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 1 - f32(k) * 0.00001, 1); }
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { ${fragment} }`,
  });
  const target: GPUColorTargetState = ordered ? { format: 'rgba8unorm', blend } : { format: 'rgba8unorm' };
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [target] },
  });
  const texture = device.createTexture({
    size: [SIZE, SIZE],
    format: 'rgba8unorm',
    usage: TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC,
  });
  return {
    texture,
    submit() {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
      });
      pass.setPipeline(pipeline);
      pass.draw(3, triangles);
      pass.end();
      device.queue.submit([encoder.finish()]);
    },
  };
}

/** Counts turns of the event loop while the device is busy. */
async function turnsOf(submit: () => void): Promise<number> {
  submit();
  let turns = 0;
  let working = true;
  const count = (): void => {
    if (working) {
      turns++;
      setImmediate(count);
    }
  };
  setImmediate(count);
  await device.queue.onSubmittedWorkDone();
  working = false;
  return turns;
}

async function hashOf(texture: GPUTexture): Promise<string> {
  const buffer = device.createBuffer({ size: SIZE * 256, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  return createHash('sha256').update(new Uint8Array(buffer.getMappedRange())).digest('hex');
}

const SINES = 'var s = p.x; for (var k = 0; k < 400; k++) { s = sin(s + p.y); } return vec4f(s * 0.01);';

describe('one tile', () => {
  test('twenty blended layers of a long shader take many turns', async () => {
    const { submit } = drawing(SINES, true, 20);
    expect(await turnsOf(submit)).toBeGreaterThan(2);
  });

  test('thousands of layers of a short shader take more than one turn', async () => {
    const { submit } = drawing('return vec4f(0.001);', true, 4000);
    expect(await turnsOf(submit)).toBeGreaterThan(2);
  });

  test('the picture is reproducible', async () => {
    const { submit, texture } = drawing(SINES, true, 7);
    submit();
    const first = await hashOf(texture);
    submit();
    expect(await hashOf(texture)).toBe(first);
  });
});
