// Draws cubes on a canvas like WebGPU samples do: textured, instanced, with depth and four samples.

const CUBES = `
struct Frame { matrix: mat4x4f, turn: vec4f }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var picture: texture_2d<f32>;
@group(0) @binding(2) var filtering: sampler;
struct Corner { @builtin(position) position: vec4f, @location(0) uv: vec2f, @location(1) light: f32 }
const FACE = array(vec2f(-1, -1), vec2f(1, -1), vec2f(-1, 1), vec2f(-1, 1), vec2f(1, -1), vec2f(1, 1));
@vertex fn corner(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> Corner {
  let p = FACE[v % 6];
  let side = v / 6;
  let axis = side % 3;
  let out = select(-1.0, 1.0, side < 3);
  var at = vec3f(p.x * out, p.y, out);
  at = select(select(at.zxy, at.yzx, axis == 1), at, axis == 0);
  let c = frame.turn.x;
  let s = frame.turn.y;
  let turned = vec3f(c * at.x + s * at.z, at.y, c * at.z - s * at.x);
  let place = vec3f(f32(i % 3) - 1, f32(i / 3) - 1, 0) * 3.2;
  let normal = select(select(vec3f(s * out, 0, c * out), vec3f(c * out, 0, -s * out), axis == 2), vec3f(0, out, 0),
    axis == 1);
  return Corner(frame.matrix * vec4f(turned + place, 1), p * 0.5 + 0.5,
    0.35 + 0.65 * max(0, dot(normal, vec3f(0.4, 0.5, 0.77))));
}
@fragment fn colour(in: Corner) -> @location(0) vec4f {
  return vec4f(textureSample(picture, filtering, in.uv).rgb * in.light, 1);
}`;

/** A perspective projection along the view axis, with depth from 0 to 1. */
function perspective(aspect: number): number[] {
  const f = 2.2;
  const near = 1;
  const far = 40;
  const distance = 11;
  const scale = far / (near - far);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, scale, -1, 0, 0, near * scale - distance * scale, distance];
}

/** A checkerboard of two colors with a bright corner, so that its orientation is visible. */
export function board(size: number, light: readonly number[], dark: readonly number[]): ImageData {
  const image = new ImageData(size, size);
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const even = (((x * 4) / size) & 1) === (((y * 4) / size) & 1);
      const isCorner = x < size / 4 && y < size / 4;
      image.data.set(isCorner ? [255, 255, 255, 255] : even ? light : dark, (y * size + x) * 4);
    }
  return image;
}

interface Cubes {
  /** Draws a frame into the context's current texture. */
  draw(context: GPUCanvasContext, turn: number): void;
}

/** @param count number of cubes, at most nine */
export function makeCubes(device: GPUDevice, format: GPUTextureFormat, image: ImageBitmap, count: number): Cubes {
  const module = device.createShaderModule({ code: CUBES });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }] },
    primitive: { cullMode: 'back' },
    multisample: { count: 4 },
    depthStencil: { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' },
  });
  const uniforms = device.createBuffer({ size: 80, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  const size = [image.width, image.height];
  const texture = device.createTexture({
    size,
    format: 'rgba8unorm',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  device.queue.copyExternalImageToTexture({ source: image }, { texture }, size);
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [
      { binding: 0, resource: { buffer: uniforms } },
      { binding: 1, resource: texture.createView() },
      { binding: 2, resource: device.createSampler({ magFilter: 'linear', minFilter: 'linear' }) },
    ],
  });
  let targets: { samples: GPUTexture; depth: GPUTexture } | null = null;
  return {
    draw: (context, turn) => {
      const current = context.getCurrentTexture();
      const { width, height } = current;
      if (targets?.samples.width !== width || targets.samples.height !== height) {
        targets?.samples.destroy();
        targets?.depth.destroy();
        const shape = { size: [width, height], sampleCount: 4, usage: GPUTextureUsage.RENDER_ATTACHMENT };
        targets = {
          samples: device.createTexture({ ...shape, format }),
          depth: device.createTexture({ ...shape, format: 'depth24plus' }),
        };
      }
      device.queue.writeBuffer(
        uniforms,
        0,
        new Float32Array([...perspective(width / height), Math.cos(turn), Math.sin(turn), 0, 0])
      );
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [
          {
            view: targets.samples.createView(),
            resolveTarget: current.createView(),
            loadOp: 'clear',
            storeOp: 'discard',
            clearValue: [0.1, 0.12, 0.2, 1],
          },
        ],
        depthStencilAttachment: {
          view: targets.depth.createView(),
          depthLoadOp: 'clear',
          depthStoreOp: 'discard',
          depthClearValue: 1,
        },
      });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.draw(36, count);
      pass.end();
      device.queue.submit([encoder.finish()]);
    },
  };
}
