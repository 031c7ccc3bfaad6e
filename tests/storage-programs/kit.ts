// Fragment shaders that write to buffers: one or several draw calls over a target of 100 × 70, on every engine. Returns
// the contents of the buffer.
import { pathToFileURL } from 'node:url';
import { create } from '../../src/index';
import { forCreate, type CreateOptions } from '../support/options';
import { openDevice } from '../images/scenes';
import { GPUMapMode, GPUTextureUsage } from '../support/flags';

export const WIDTH = 100;
export const HEIGHT = 70;
const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, UNIFORM: 64, STORAGE: 128 } as const;
export const KERNELS = pathToFileURL('build/');

export const open = (options: CreateOptions, features: readonly string[] = []): Promise<GPUDevice> =>
  openDevice(create(forCreate({ alwaysUseWorkers: true, ...options, kernelUrl: KERNELS })), {}, [
    'texture-formats-tier2',
    'bgra8unorm-storage',
    ...features,
  ] as GPUFeatureName[]);

/** All of them run quads in the same order. */
export const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 2 },
  'compiled, on this thread': { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  'interpreted by four': { engine: 'interpreter', threads: 4 },
  scalar: { simd: false, threads: 0 },
  'three tiles at a time': { engine: 'jit', threads: 2, tileContexts: 3 },
  'three at every tile': { engine: 'jit', threads: 3, distribution: 'any', alwaysShareTiles: true },
  'four at every tile, interpreted': { engine: 'interpreter', threads: 4, distribution: 'any', alwaysShareTiles: true },
  forcedParking: { engine: 'jit', threads: 0, forcedParking: { every: 2, during: 3, warps: 3 } },
};
/** Another order. */
export const oracle: CreateOptions = { immediate: true, threads: 0 };

export interface Run {
  /** WGSL with a fragment function `main`, and `words` at binding 0, of any type. */
  readonly wgsl: string;
  readonly words: number;
  readonly initial?: Uint32Array<ArrayBuffer>;
  /**
   * Triangles over the target, three vertices in pixels each; one draw call each. Default: one that covers all of it.
   */
  readonly triangles?: readonly (readonly [number, number, number, number, number, number])[];
  readonly samples?: 1 | 4;
  /** Depth of the triangles, tested for `less` against 1, and written. */
  readonly depths?: readonly number[];
}
const ALL = [0, 0, 2 * WIDTH, 0, 0, 2 * HEIGHT] as const;

/** Positions from a uniform array; `id`: the number of the triangle; `z`: its depth. */
const VERTEX = `
  struct Corner { @builtin(position) position: vec4f, @location(0) @interpolate(flat) id: u32 };
  @group(1) @binding(0) var<uniform> corners: array<vec4f, 48>;
  @vertex fn vertex(@builtin(vertex_index) index: u32) -> Corner {
    let p = corners[index];
    return Corner(vec4f(p.x / ${WIDTH / 2} - 1, 1 - p.y / ${HEIGHT / 2}, p.z, 1), index / 3);
  }`;

function pass(device: GPUDevice, encoder: GPUCommandEncoder, samples: number, hasDepth: boolean): GPURenderPassEncoder {
  const texture = (format: GPUTextureFormat): GPUTextureView =>
    device
      .createTexture({ size: [WIDTH, HEIGHT], format, sampleCount: samples, usage: GPUTextureUsage.RENDER_ATTACHMENT })
      .createView();
  return encoder.beginRenderPass({
    colorAttachments: [{ view: texture('rgba8unorm'), loadOp: 'clear', storeOp: 'store' }],
    ...(hasDepth && {
      depthStencilAttachment: {
        view: texture('depth32float'),
        depthLoadOp: 'clear',
        depthStoreOp: 'store',
        depthClearValue: 1,
      },
    }),
  });
}

/** Returns the contents of the buffer after the draw calls. */
export async function run(device: GPUDevice, program: Run): Promise<Uint32Array> {
  const { wgsl, words, triangles = [ALL], samples = 1, depths } = program;
  device.pushErrorScope('validation');
  const buffer = device.createBuffer({ size: words * 4, usage: USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST });
  if (program.initial) device.queue.writeBuffer(buffer, 0, program.initial);
  const uniforms = device.createBuffer({ size: 48 * 16, usage: USAGE.UNIFORM | USAGE.COPY_DST });
  device.queue.writeBuffer(
    uniforms,
    0,
    new Float32Array(
      triangles.flatMap((corners, i) => [0, 2, 4].flatMap((k) => [corners[k]!, corners[k + 1]!, depths?.[i] ?? 0.5, 0]))
    )
  );
  const module = device.createShaderModule({ code: VERTEX + wgsl });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    multisample: { count: samples },
    ...(depths && { depthStencil: { format: 'depth32float', depthCompare: 'less', depthWriteEnabled: true } }),
  });
  const encoder = device.createCommandEncoder();
  const render = pass(device, encoder, samples, depths !== undefined);
  render.setPipeline(pipeline);
  render.setBindGroup(
    0,
    device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer } }] })
  );
  render.setBindGroup(
    1,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(1),
      entries: [{ binding: 0, resource: { buffer: uniforms } }],
    })
  );
  triangles.forEach((_, i) => render.draw(3, 1, i * 3));
  render.end();
  const copy = device.createBuffer({ size: words * 4, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, words * 4);
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  await copy.mapAsync(GPUMapMode.READ);
  const result = new Uint32Array(copy.getMappedRange().slice(0));
  for (const made of [buffer, uniforms, copy]) made.destroy();
  return result;
}
