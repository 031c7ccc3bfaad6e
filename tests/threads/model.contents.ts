// Compares what buffers and textures contain at the end of a program with the model.
import { BUFFERS, TEXTURES } from './model.calls';
import type { Renderer } from './model.device';
import type { Findings } from './model.findings';
import { ModelTexture, resolveInto, type Memory } from './model.oracle';
import { patient } from './model.promises';
import { GPUBufferUsage, GPUMapMode } from '../support/flags';

interface Remaining {
  readonly renderer: Renderer;
  readonly memory: Memory;
  readonly buffers: readonly GPUBuffer[];
  readonly textures: readonly GPUTexture[];
  /** Keeps a resource until it is destroyed at the end. */
  readonly keep: <T extends GPUBuffer | GPUTexture>(made: T) => T;
}
interface Read {
  readonly what: string;
  readonly buffer: GPUBuffer;
  readonly expected: Uint8Array;
  /** Significant bytes of a row, and the distance between rows. */
  readonly row: number;
  readonly pitch: number;
}

/** Reads all remaining contents through buffers that the program does not use. */
export async function compareContents(remaining: Remaining, findings: Findings): Promise<void> {
  const reads = [...readBuffers(remaining), ...readTextures(remaining)];
  await Promise.all(
    reads.map(async ({ what, buffer, expected, row, pitch }) => {
      await patient(buffer.mapAsync(GPUMapMode.READ), what);
      const bytes = new Uint8Array(buffer.getMappedRange());
      const given = new Uint8Array(expected.length);
      for (let i = 0; i * row < expected.length; i++) given.set(bytes.subarray(i * pitch, i * pitch + row), i * row);
      findings.compare(what, given, expected);
    })
  );
}

function* readBuffers({ renderer, memory, buffers, keep }: Remaining): Generator<Read> {
  const { device } = renderer;
  for (const [slot, { role, size }] of BUFFERS.entries()) {
    const { destroyed, bytes } = memory.buffers[slot]!;
    // Buffers that can be read only by mapping are compared while they are mapped.
    if (destroyed) continue;
    if (role === 'read') {
      yield { what: `buffer ${slot}`, buffer: buffers[slot]!, expected: bytes, row: size, pitch: size };
      continue;
    }
    const buffer = keep(device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST }));
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffers[slot]!, 0, buffer, 0, size);
    device.queue.submit([encoder.finish()]);
    yield { what: `buffer ${slot}`, buffer, expected: bytes, row: size, pitch: size };
  }
}

function* readTextures({ renderer, memory, textures, keep }: Remaining): Generator<Read> {
  const { device } = renderer;
  for (const [slot, { format, width, height, samples }] of TEXTURES.entries()) {
    let texture = textures[slot]!;
    let model = memory.textures[slot]!;
    if (model.destroyed || (samples === 4 && format === 'depth32float')) continue;
    const encoder = device.createCommandEncoder();
    if (samples === 4) {
      const from = texture.createView();
      const all = model;
      texture = keep(renderer.createTexture(0));
      model = new ModelTexture(TEXTURES[0]!);
      resolveInto(all, model);
      encoder
        .beginRenderPass({
          colorAttachments: [{ view: from, resolveTarget: texture.createView(), loadOp: 'load', storeOp: 'store' }],
        })
        .end();
    }
    const pitch = Math.ceil((width * 4) / 256) * 256;
    const buffer = keep(
      device.createBuffer({ size: pitch * height, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
    );
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: pitch }, [width, height]);
    device.queue.submit([encoder.finish()]);
    yield { what: `texture ${slot}`, buffer, expected: new Uint8Array(model.words.buffer), row: width * 4, pitch };
  }
}
