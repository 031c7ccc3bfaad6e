// Devices on the real renderer, and one draw call read back. Needs the kernels in build/ (npm run build).
import { readFile } from 'node:fs/promises';
import { makeGpu } from '../../src/api';
import { defaultShaderLimits, type ShaderLimits } from '../../src/base/shader-limits';
import { cachedSource } from '../../src/kernels';
import { createRenderDevice, defaultRenderOptions, type RenderDevice } from '../../src/render';
import { opened } from '../support/engine';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const file = (name: string): URL => new URL(`../../build/${name}`, import.meta.url);
const source = cachedSource(async (build) => WebAssembly.compile(await readFile(file(`${build}.wasm`))));

type Options = {
  -readonly [K in keyof typeof defaultRenderOptions]?: boolean | number | string | Partial<ShaderLimits>;
};
export interface Opened {
  device: GPUDevice;
  render: RenderDevice;
  /** Messages of uncaptured errors. */
  uncaptured: string[];
}

export async function open(
  options: Options = {},
  requiredLimits: Record<string, number> = {},
  features: readonly string[] = []
): Promise<Opened> {
  let render!: RenderDevice;
  const given = options.shaderLimits as Partial<ShaderLimits> | undefined;
  const gpu = makeGpu(async () =>
    opened(
      (render = await createRenderDevice({
        ...defaultRenderOptions,
        ...options,
        shaderLimits: { ...defaultShaderLimits, ...given },
        kernelSource: source,
      } as Parameters<typeof createRenderDevice>[0]))
    )
  );
  const device = await (await gpu.requestAdapter())!.requestDevice({
    requiredLimits,
    requiredFeatures: features as readonly GPUFeatureName[],
  });
  const uncaptured: string[] = [];
  device.onuncapturederror = (event) => {
    event.preventDefault();
    uncaptured.push(event.error.message);
  };
  return { device, render, uncaptured };
}

const COVER = `
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
  }
`;
export const RED = `${COVER} @fragment fn fs() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }`;
/** A shader whose fragment stage has this body; `p` is the position. */
export const fragment = (body: string, globals = ''): string =>
  `${COVER}${globals}\n@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { ${body} }`;

export interface Drawing {
  code: string;
  primitive?: GPUPrimitiveState;
  body?: (pass: GPURenderPassEncoder, pipeline: GPURenderPipeline) => void;
}

/** Draws on 64×64 blue pixels. Returns the bytes, or rejects like mapAsync. */
export async function draw(
  device: GPUDevice,
  { code, primitive = {}, body = (pass) => pass.draw(3) }: Drawing
): Promise<Uint8Array> {
  const module = device.createShaderModule({ code });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    primitive,
  });
  const target = device.createTexture({
    size: [64, 64],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const read = device.createBuffer({ size: 64 * 256, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 1, 1] }],
  });
  pass.setPipeline(pipeline);
  body(pass, pipeline);
  pass.end();
  encoder.copyTextureToBuffer({ texture: target }, { buffer: read, bytesPerRow: 256 }, [64, 64]);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  return new Uint8Array(read.getMappedRange()).slice();
}
export const pixel = (pixels: Uint8Array, x: number, y: number): string =>
  [...pixels.subarray((y * 64 + x) * 4, (y * 64 + x) * 4 + 4)].join();
export const IS_RED = '255,0,0,255';
export const IS_BLUE = '0,0,255,255';

export const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));
