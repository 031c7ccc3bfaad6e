// f16 between the stages of a render pipeline: attributes, varyings and colors, compared with the same shader in f32
// that rounds where f16 would.
import { expect, test } from 'vitest';
import { engines, open } from '../storage-programs/kit';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const SIZE = 16;

const program = (isHalf: boolean): string => {
  const [type, scalar, round] = isHalf ? ['vec4h', 'f16', ''] : ['vec4f', 'f32', 'quantizeToF16'];
  const given = (name: string): string => (isHalf ? name : `quantizeToF16(${name})`);
  return `${isHalf ? 'enable f16;' : ''}
    struct Vertex {
      @builtin(position) position: vec4f, @location(0) colour: ${type},
        @location(1) @interpolate(linear) one: ${scalar},
      @location(2) @interpolate(flat) same: ${scalar}
    }
    @vertex fn vertex(
      @builtin(vertex_index) i: u32, @location(0) colour: ${type}, @location(1) one: ${scalar},
        @location(2) small: ${type}
    ) -> Vertex {
      let p = vec2f(f32(i & 1u), f32(i >> 1u)) * 4 - 1;
      return Vertex(
        vec4f(p, 0, 1), ${round}(${given('colour')} + ${given('small')}), ${given('one')}, ${given('one')}
      );
    }
    @fragment fn fragment(in: Vertex) -> @location(0) ${type} {
      return ${round}(${round}(${given('in.colour')} * ${given('in.one')}) + ${given('in.same')});
    }`;
};

async function draw(device: GPUDevice, isHalf: boolean): Promise<Float32Array> {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: program(isHalf) });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    fragment: { module, targets: [{ format: 'rgba32float' }] },
    vertex: {
      module,
      buffers: [
        {
          arrayStride: 32,
          attributes: [
            { shaderLocation: 0, offset: 0, format: 'float16x4' },
            { shaderLocation: 1, offset: 8, format: 'float32' },
            { shaderLocation: 2, offset: 12, format: 'unorm8x4' },
          ],
        },
      ],
    },
  });
  const vertices = device.createBuffer({ size: 96, usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST });
  const data = new DataView(new ArrayBuffer(96));
  for (let v = 0; v < 3; v++) {
    for (let k = 0; k < 4; k++) data.setUint16(v * 32 + k * 2, 0x3000 + v * 3333 + k * 777, true);
    data.setFloat32(v * 32 + 8, 0.1 + v * 1.7, true);
    data.setUint32(v * 32 + 12, 0x01234567 * (v + 1), true);
  }
  device.queue.writeBuffer(vertices, 0, data.buffer);
  const texture = device.createTexture({
    size: [SIZE, SIZE],
    format: 'rgba32float',
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const copy = device.createBuffer({ size: SIZE * 256, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  pass.setVertexBuffer(0, vertices);
  pass.draw(3);
  pass.end();
  encoder.copyTextureToBuffer({ texture }, { buffer: copy, bytesPerRow: 256 }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  await copy.mapAsync(GPUMapMode.READ);
  return new Float32Array(copy.getMappedRange().slice(0));
}

test.each(['compiled', 'interpreted', 'scalar'])('%s', async (name) => {
  const device = await open(engines[name]!);
  const halves = await draw(device, true);
  const floats = await draw(device, false);
  expect(halves).toEqual(floats);
  expect(new Set(halves).size).toBeGreaterThan(SIZE * SIZE);
  device.destroy();
});

test('the types of an interface must match on both sides', async () => {
  const device = await open(engines['compiled']!);
  const module = device.createShaderModule({
    code: `enable f16;
    struct Vertex { @builtin(position) position: vec4f, @location(0) v: vec2h }
    @vertex fn vertex() -> Vertex { return Vertex(); }
    @fragment fn fragment(@location(0) v: vec2f) -> @location(0) vec4f { return v.xyxy; }`,
  });
  device.pushErrorScope('validation');
  device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba8unorm' }] },
  });
  expect((await device.popErrorScope())?.message).toContain('is vec2h in "vertex", but vec2f in "fragment"');
  device.destroy();
});
