// The API on the real renderer: errors during execution. Needs the kernels in build/ (npm run build).
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { makeGpu } from '../../src/api';
import { cachedSource } from '../../src/kernels';
import { createRenderDevice, defaultRenderOptions, type RenderDevice } from '../../src/render';
import { opened } from '../support/engine';
import { GPUBufferUsage, GPUMapMode, GPUShaderStage, GPUTextureUsage } from '../support/flags';

const file = (name: string): URL => new URL(`../../build/${name}`, import.meta.url);
const source = cachedSource(async (build) => WebAssembly.compile(await readFile(file(`${build}.wasm`))));
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

async function real(
  options: Partial<typeof defaultRenderOptions> | { timeoutMs: number } | { memoryBudget: number } = {}
): Promise<{ device: GPUDevice; render: RenderDevice; uncaptured: string[] }> {
  let render!: RenderDevice;
  const gpu = makeGpu(async () =>
    opened((render = await createRenderDevice({ ...defaultRenderOptions, kernelSource: source, ...options })))
  );
  const device = await (await gpu.requestAdapter())!.requestDevice();
  const uncaptured: string[] = [];
  device.onuncapturederror = (event) => void uncaptured.push(event.error.message);
  return { device, render, uncaptured };
}

const COVER = `
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
  }
`;
interface Drawing {
  code: string;
  buffers?: GPUVertexBufferLayout[];
  body?: (pass: GPURenderPassEncoder) => void;
}
/** Draws on 64×64 pixels of rgba8unorm and reads the bytes back. */
async function draw(
  device: GPUDevice,
  { code, buffers = [], body = (pass) => pass.draw(3) }: Drawing
): Promise<Uint8Array> {
  const module = device.createShaderModule({ code });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, buffers },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
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
  body(pass);
  pass.end();
  encoder.copyTextureToBuffer({ texture: target }, { buffer: read, bytesPerRow: 256 }, [64, 64]);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  return new Uint8Array(read.getMappedRange());
}
const red = `${COVER} @fragment fn fs() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }`;
const pixel = (pixels: Uint8Array, x: number, y: number): number[] => [
  ...pixels.subarray((y * 64 + x) * 4, (y * 64 + x) * 4 + 4),
];

describe('the API with the renderer', () => {
  test('a triangle', async () => {
    const { device, uncaptured } = await real();
    const pixels = await draw(device, { code: red });
    expect([pixel(pixels, 0, 0), pixel(pixels, 63, 63), uncaptured]).toEqual([[255, 0, 0, 255], [255, 0, 0, 255], []]);
  });

  const positions =
    (values: number[]): Drawing['body'] & object =>
    (pass) => {
      const { device } = current;
      const buffer = device.createBuffer({
        size: values.length * 4,
        usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST,
      });
      device.queue.writeBuffer(buffer, 0, new Float32Array(values));
      pass.setVertexBuffer(0, buffer);
      pass.draw(values.length / 4);
    };
  let current!: Awaited<ReturnType<typeof real>>;
  test.each<[string, number[]]>([
    ['NaN', [NaN, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1]],
    ['infinity', [Infinity, 0, 0, 1, -Infinity, 1, 0, 1, 0, Infinity, 0, 1]],
    ['w of 0', [0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]],
    ['zero area', [0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1]],
    ['huge', [-1e30, -1e30, 0.5, 1, 1e30, -1e30, 0.5, 1, 0, 1e30, 0.5, 1]],
    ['huge w', [1e38, 1e38, 1e38, 1e38, -1e38, 0, 0, 1e38, 1, 1, 1, 1e-38]],
  ])('positions of %s neither trap nor hang', async (_name, values) => {
    current = await real();
    const code = `
      @vertex fn vs(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }
      @fragment fn fs() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }
    `;
    const buffers: GPUVertexBufferLayout[] = [
      { arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x4' }] },
    ];
    const pixels = await draw(current.device, { code, buffers, body: positions(values) });
    expect(pixels.length).toBe(64 * 256);
    for (let i = 0; i < pixels.length; i += 4)
      expect(['255,0,0,255', '0,0,255,255']).toContain(pixels.subarray(i, i + 4).join());
    expect(current.uncaptured).toEqual([]);
  });

  test('out-of-bounds indices read zeros or the edge of the buffer, never beyond it', async () => {
    current = await real();
    const { device } = current;
    const code = `
      @vertex fn vs(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }
      @fragment fn fs() -> @location(0) vec4f { return vec4f(1, 0, 0, 1); }
    `;
    const vertices = device.createBuffer({ size: 48, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.VERTEX });
    const indices = device.createBuffer({ size: 24, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.INDEX });
    device.queue.writeBuffer(vertices, 0, new Float32Array([-1, -1, 0.5, 1, 3, -1, 0.5, 1, -1, 3, 0.5, 1]));
    device.queue.writeBuffer(indices, 0, new Uint32Array([0, 1, 2, 3, 0xfffffff0, 0x7fffffff]));
    const pixels = await draw(device, {
      code,
      buffers: [{ arrayStride: 16, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x4' }] }],
      body: (pass) => (
        pass.setVertexBuffer(0, vertices),
        pass.setIndexBuffer(indices, 'uint32'),
        pass.drawIndexed(6),
        pass.drawIndexed(3, 1, 0, 0x7fffffff)
      ),
    });
    expect(pixel(pixels, 32, 32)).toEqual([255, 0, 0, 255]);
    expect(current.uncaptured).toEqual([]);
  });

  test('a shader that never ends loses its device with a message, and other devices continue', async () => {
    const { device } = await real({ timeoutMs: 100 });
    const endless = `
      ${COVER}
      @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
        var x = p.x; loop { x = fract(x * 1.5 + 0.1); if x > 2.0 { break; } } return vec4f(x);
      }
    `;
    await expect(draw(device, { code: endless })).rejects.toMatchObject({ name: 'AbortError' });
    const { reason, message } = await device.lost;
    expect([reason, message]).toEqual(['unknown', expect.stringMatching(/100 ms.*never end/)]);
    expect(pixel(await draw((await real()).device, { code: red }), 1, 1)).toEqual([255, 0, 0, 255]);
  });

  test('an out-of-memory error names the object, and the device continues', async () => {
    const { device, uncaptured } = await real({ memoryBudget: 160 << 20 });
    device.pushErrorScope('out-of-memory');
    device.createTexture({
      label: 'enormous',
      size: [8192, 8192],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING,
    });
    const error = await device.popErrorScope();
    expect(error?.message).toMatch(/enormous/);
    expect(pixel(await draw(device, { code: red }), 1, 1)).toEqual([255, 0, 0, 255]);
    expect(uncaptured).toEqual([]);
  });

  test('a destroyed texture can be bound; submit rejects it and leaves nothing behind', async () => {
    const { device, render } = await real();
    const bind = async (): Promise<string> => {
      const texture = device.createTexture({
        label: 'gone',
        size: [64, 64],
        format: 'rgba8unorm',
        usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT,
      });
      texture.destroy();
      await device.queue.onSubmittedWorkDone();
      const layout = device.createBindGroupLayout({
        entries: [{ binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: {} }],
      });
      device.pushErrorScope('validation');
      const group = device.createBindGroup({ layout, entries: [{ binding: 0, resource: texture.createView() }] });
      const other = device.createTexture({
        size: [4, 4],
        format: 'rgba8unorm',
        usage: GPUTextureUsage.RENDER_ATTACHMENT,
      });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: other.createView(), loadOp: 'clear', storeOp: 'store' }],
      });
      pass.setBindGroup(0, group);
      pass.end();
      device.queue.submit([encoder.finish()]);
      other.destroy();
      await device.queue.onSubmittedWorkDone();
      return (await device.popErrorScope())?.message ?? '';
    };
    expect(await bind()).toMatch(/uses \[Texture "gone"\], which is destroyed/);
    const before = render.memoryStatistics().bytesUsed;
    for (let i = 0; i < 20; i++) await bind();
    expect(render.memoryStatistics().bytesUsed).toBe(before);
  });

  test('four thousand dropped textures and pipelines leave memory constant', async () => {
    const { device, render, uncaptured } = await real();
    const module = device.createShaderModule({ code: red });
    const settle = async (): Promise<number> => {
      for (let i = 0; i < 4; i++) {
        collect();
        await new Promise((done) => setTimeout(done, 5));
      }
      return render.memoryStatistics().bytesUsed;
    };
    const make = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        device
          .createTexture({
            size: [256, 256],
            format: 'rgba8unorm',
            usage: GPUTextureUsage.TEXTURE_BINDING,
            mipLevelCount: 9,
          })
          .createView();
        device.createRenderPipeline({
          layout: 'auto',
          vertex: { module },
          fragment: { module, targets: [{ format: 'rgba8unorm' }] },
        });
        if (i % 100 === 99) await device.queue.onSubmittedWorkDone();
      }
    };
    await make(100);
    const before = await settle();
    await make(4_000);
    expect(uncaptured).toEqual([]);
    expect(await settle()).toBeLessThanOrEqual(before + (1 << 20));
  });
});

test('a process without pending work exits', () => {
  const program = `
    import { create, globals } from ${JSON.stringify(file('index.js').href)};
    const device = await (await create().requestAdapter()).requestDevice();
    const buffer = device.createBuffer({ size: 16, usage: globals.GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(buffer, 0, new Uint8Array(16));
    await device.queue.onSubmittedWorkDone();
    console.log('done');`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    timeout: 20_000,
    encoding: 'utf8',
  });
  expect([stdout, stderr, status]).toEqual(['done\n', '', 0]);
});
