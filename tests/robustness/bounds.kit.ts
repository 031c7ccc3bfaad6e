// Buffers and textures between neighbors in device memory, which hold a word that no resource contains; and shaders
// that access a resource far outside of its bounds.
import { expect } from 'vitest';
import { read, USAGE } from '../compute/kit';
import { GPUTextureUsage } from '../support/flags';

export const CANARY = 0xdeadbeef;
const NEIGHBOUR = 4096;
/** Just out of bounds, and where sizes, strides and signs wrap. */
export const FAR: readonly number[] = [
  8, 9, 15, 16, 255, 256, 65535, 65536, 0x0fffffff, 0x10000000, 0x1fffffff, 0x20000000, 0x3fffffff, 0x40000000,
  0x40000001, 0x7fffffff, 0x80000000, 0x80000001, 0xc0000000, 0xfffffff0, 0xfffffffe, 0xffffffff,
];
export const COUNT = FAR.length;

/** A buffer of the words between two neighbors; `check` fails if one of those has changed. */
export function fenced(
  device: GPUDevice,
  words: Uint32Array<ArrayBuffer>,
  usage: number
): { buffer: GPUBuffer; check: () => Promise<void> } {
  const all = [NEIGHBOUR, words.byteLength, NEIGHBOUR].map((size) =>
    device.createBuffer({ size, usage: usage | USAGE.COPY_DST | USAGE.COPY_SRC })
  );
  const canaries = new Uint32Array(NEIGHBOUR / 4).fill(CANARY);
  for (const fence of [all[0]!, all[2]!]) device.queue.writeBuffer(fence, 0, canaries);
  device.queue.writeBuffer(all[1]!, 0, words);
  return {
    buffer: all[1]!,
    check: async () => {
      for (const fence of [all[0]!, all[2]!]) expect(await read(device, fence)).toEqual(canaries);
      for (const each of all) each.destroy();
    },
  };
}

/** A texture between two others; `check` fails if one of those has changed. */
export function fencedTexture(
  device: GPUDevice,
  descriptor: GPUTextureDescriptor,
  write: (texture: GPUTexture) => void
): { texture: GPUTexture; check: () => Promise<void> } {
  const fence = (): GPUTexture => {
    const texture = device.createTexture({
      size: [16, 16],
      format: 'r32uint',
      usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST,
    });
    device.queue.writeTexture({ texture }, new Uint32Array(256).fill(CANARY), { bytesPerRow: 64 }, [16, 16]);
    return texture;
  };
  const before = fence();
  const texture = device.createTexture(descriptor);
  const after = fence();
  write(texture);
  return {
    texture,
    check: async () => {
      for (const each of [before, after]) {
        const buffer = device.createBuffer({ size: 256 * 16, usage: USAGE.COPY_DST | USAGE.COPY_SRC });
        const encoder = device.createCommandEncoder();
        encoder.copyTextureToBuffer({ texture: each }, { buffer, bytesPerRow: 256 }, [16, 16]);
        device.queue.submit([encoder.finish()]);
        const found = await read(device, buffer);
        for (let y = 0; y < 16; y++)
          expect(found.subarray(y * 64, y * 64 + 16)).toEqual(new Uint32Array(16).fill(CANARY));
        each.destroy();
      }
      texture.destroy();
    },
  };
}

/** Runs `body` for each of FAR (`far`, with index `k`), in an invocation each, or in sequence. */
export async function compute(
  device: GPUDevice,
  globals: string,
  body: string,
  resources: readonly GPUBindingResource[],
  words: number,
  size = COUNT
): Promise<Uint32Array> {
  const out = device.createBuffer({ size: COUNT * words * 4, usage: USAGE.STORAGE | USAGE.COPY_SRC });
  const far = device.createBuffer({ size: COUNT * 4, usage: USAGE.STORAGE | USAGE.COPY_DST });
  device.queue.writeBuffer(far, 0, Uint32Array.from(FAR));
  const module = device.createShaderModule({
    code: `
    @group(1) @binding(0) var<storage> all_far: array<u32, ${COUNT}>;
    @group(1) @binding(1) var<storage, read_write> out: array<array<u32, ${words}>, ${COUNT}>;
    ${globals}
    @compute @workgroup_size(${size}) fn main(@builtin(global_invocation_id) id: vec3u) {
      let k = id.x; let far = all_far[k];
      ${body}
    }`,
  });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  if (resources.length > 0)
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: resources.map((resource, binding) => ({ binding, resource })),
      })
    );
  pass.setBindGroup(
    1,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(1),
      entries: [far, out].map((buffer, binding) => ({ binding, resource: { buffer } })),
    })
  );
  pass.dispatchWorkgroups(COUNT / size);
  pass.end();
  device.queue.submit([encoder.finish()]);
  return read(device, out);
}

/** Fails if a word is neither 0 nor one of those that are allowed. */
export function within(found: Iterable<number>, allowed: Iterable<number>): void {
  const known = new Set([0, ...allowed]);
  for (const word of found) if (!known.has(word)) expect.fail(`0x${word.toString(16)} is from elsewhere`);
}

export const numbers = (count: number): Uint32Array<ArrayBuffer> =>
  Uint32Array.from({ length: count }, (_, k) => 0x1000 + k);

/** Draws points and returns their attributes and indices, in a row of pixels by point number. */
export async function drawn(
  device: GPUDevice,
  vertices: GPUBuffer,
  draw: (pass: GPURenderPassEncoder) => void,
  width = 64,
  stepMode: GPUVertexStepMode = 'vertex'
): Promise<Uint32Array> {
  const module = device.createShaderModule({
    code: `
    struct Out { @builtin(position) position: vec4f, @location(0) @interpolate(flat, either) value: vec4u }
    @vertex fn vs(
      @builtin(vertex_index) v: u32, @builtin(instance_index) n: u32, @location(0) a: vec4u, @location(1) b: u32
    ) -> Out {
      // Vertices far away have a pixel, too.
      let at = (v * 7 + n * 13) % ${width};
      return Out(vec4f((f32(at) + 0.5) / ${width / 2} - 1, 0, 0, 1), a + vec4u(b - b, 0, 0, b));
    }
    @fragment fn fs(@location(0) @interpolate(flat, either) value: vec4u) -> @location(0) vec4u { return value; }`,
  });
  const target = device.createTexture({
    size: [width, 1],
    format: 'rgba32uint',
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const buffer = device.createBuffer({ size: width * 16, usage: USAGE.COPY_DST | USAGE.COPY_SRC });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({ colorAttachments: [{ view: target, loadOp: 'clear', storeOp: 'store' }] });
  pass.setPipeline(
    device.createRenderPipeline({
      layout: 'auto',
      primitive: { topology: 'point-list' },
      vertex: {
        module,
        buffers: [
          {
            arrayStride: 16,
            stepMode,
            attributes: [
              { shaderLocation: 0, offset: 0, format: 'uint32x4' },
              { shaderLocation: 1, offset: 12, format: 'uint32' },
            ],
          },
        ],
      },
      fragment: { module, targets: [{ format: 'rgba32uint' }] },
    })
  );
  pass.setVertexBuffer(0, vertices, 0, 128);
  draw(pass);
  pass.end();
  encoder.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow: width * 16 }, [width, 1]);
  device.queue.submit([encoder.finish()]);
  return read(device, buffer);
}
