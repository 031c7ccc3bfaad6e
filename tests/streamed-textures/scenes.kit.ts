// Scenes that read a streamed texture in all ways: quads that are blended or discard fragments.
import { BUFFER, USAGE } from './kit';
import { GPUBufferUsage, GPUMapMode } from '../support/flags';

interface Look {
  /** Texture coordinates per target width. */
  readonly scale: number;
  readonly offset: readonly [number, number];
  /** Turns of the quad in the plane, and its tilt. */
  readonly angle: number;
}
export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly samples: number;
  readonly kind: Kind;
  readonly draws: readonly { readonly look: Look; readonly blends: boolean; readonly discards: boolean }[];
  readonly sampler: GPUSamplerDescriptor;
  /** An r32uint texture of the target's size, which is read at the pixel's position. */
  readonly invocationCounts?: GPUTexture;
}
type Kind = 'implicit' | 'bias' | 'level' | 'grad' | 'gather' | 'load' | 'dependent' | 'branch';
export const kinds: readonly Kind[] = ['implicit', 'bias', 'level', 'grad', 'gather', 'load', 'dependent', 'branch'];

const READS: Record<Kind, string> = {
  implicit: 'textureSample(map, linear, uv, layer)',
  bias: 'textureSampleBias(map, linear, uv, layer, -0.7)',
  level: 'textureSampleLevel(map, linear, uv, layer, uv.x * 3)',
  grad: 'textureSampleGrad(map, linear, uv, layer, vec2f(0.01, 0.002), vec2f(-0.001, 0.02))',
  gather: 'textureGather(1, map, linear, uv, layer)',
  load: 'textureLoad(map, vec2i(uv * 200) - 3, layer, i32(uv.y * 4))',
  // The first read decides where the second one reads.
  dependent: 'textureSampleLevel(map, linear, textureSampleLevel(map, linear, uv, layer, 0).yx * 0.7, layer, 1)',
  branch: 'read(uv, layer)',
};

function code(kind: Kind, discards: boolean): string {
  return `
    struct Look { turn: vec4f, offset: vec2f, depth: f32, layer: f32 }
    @group(0) @binding(0) var map: texture_2d_array<f32>;
    @group(0) @binding(1) var linear: sampler;
    @group(0) @binding(2) var<uniform> look: Look;
    struct Corner { @builtin(position) position: vec4f, @location(0) uv: vec2f }
    @vertex fn vs(@builtin(vertex_index) i: u32) -> Corner {
      let corner = vec2f(f32(i & 1u), f32(i >> 1u)) * 2 - 1;
      let turned = mat2x2f(look.turn.xy, look.turn.zw) * corner;
      return Corner(vec4f(corner * 0.95, look.depth, 1 + 0.5 * corner.y), turned + look.offset);
    }
    fn read(uv: vec2f, layer: i32) -> vec4f {
      if (fract(uv.x * 5) < 0.5) { return textureSampleLevel(map, linear, uv.yx, layer, 0.5); }
      return textureLoad(map, vec2i(vec2u(uv * 64) & vec2u(31)), layer, 2);
    }
    @fragment fn fs(corner: Corner) -> @location(0) vec4f {
      let uv = corner.uv;
      let layer = i32(look.layer);
      let color = ${READS[kind]};
      ${discards ? 'if (color.x > 0.6) { discard; }' : ''}
      return vec4f(color.xyz, 0.25 + color.w * 0.5);
    }`;
}

const BLEND: GPUBlendState = {
  color: { srcFactor: 'src-alpha', dstFactor: 'one-minus-src-alpha' },
  alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
};

/** Submits the scene's pass and returns a promise of the picture. */
export function draw(device: GPUDevice, map: GPUTexture, scene: Scene, layers: number): Promise<Uint8Array> {
  const { width, height, samples, kind, sampler, invocationCounts } = scene;
  const format = 'rgba8unorm';
  const target = device.createTexture({ format, size: [width, height], usage: USAGE.ATTACHMENT | USAGE.COPY_SRC });
  const many =
    samples > 1
      ? device.createTexture({ format, size: [width, height], usage: USAGE.ATTACHMENT, sampleCount: samples })
      : null;
  const depth = device.createTexture({
    format: 'depth24plus',
    size: [width, height],
    usage: USAGE.ATTACHMENT,
    sampleCount: samples,
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    label: 'flight',
    colorAttachments: [
      {
        view: (many ?? target).createView(),
        loadOp: 'clear',
        storeOp: 'store',
        clearValue: [0.1, 0.2, 0.3, 1],
        ...(many ? { resolveTarget: target.createView() } : {}),
      },
    ],
    depthStencilAttachment: {
      view: depth.createView(),
      depthLoadOp: 'clear',
      depthStoreOp: 'store',
      depthClearValue: 1,
    },
    ...(invocationCounts ? { invocationCounts } : {}),
  } as GPURenderPassDescriptor);
  scene.draws.forEach(({ look, blends, discards }, i) => {
    const module = device.createShaderModule({ code: code(kind, discards) });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      primitive: { topology: 'triangle-strip' },
      fragment: { module, targets: [{ format, ...(blends ? { blend: BLEND } : {}) }] },
      multisample: { count: samples },
      depthStencil: { format: 'depth24plus', depthWriteEnabled: !blends, depthCompare: 'less-equal' },
    });
    const uniform = device.createBuffer({ size: 32, usage: GPUBufferUsage.UNIFORM, mappedAtCreation: true });
    const { scale, offset, angle } = look;
    const sine = Math.sin(angle) * scale;
    const cosine = Math.cos(angle) * scale;
    new Float32Array(uniform.getMappedRange()).set([
      cosine,
      sine,
      -sine,
      cosine,
      ...offset,
      0.5 + 0.01 * (i % 3),
      i % layers,
    ]);
    uniform.unmap();
    pass.setPipeline(pipeline);
    const entries: GPUBindGroupEntry[] = [
      { binding: 0, resource: map.createView({ dimension: '2d-array' }) },
      ...(kind === 'load' ? [] : [{ binding: 1, resource: device.createSampler(sampler) }]),
      { binding: 2, resource: { buffer: uniform } },
    ];
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.draw(4);
  });
  pass.end();
  const rowBytes = Math.ceil((width * 4) / 256) * 256;
  const buffer = device.createBuffer({ size: rowBytes * height, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
  encoder.copyTextureToBuffer({ texture: invocationCounts ?? target }, { buffer, bytesPerRow: rowBytes }, [
    width,
    height,
  ]);
  device.queue.submit([encoder.finish()]);
  return buffer.mapAsync(GPUMapMode.READ).then(() => {
    const rows = new Uint8Array(buffer.getMappedRange());
    const picture = new Uint8Array(width * height * 4);
    for (let y = 0; y < height; y++) picture.set(rows.subarray(y * rowBytes, y * rowBytes + width * 4), y * width * 4);
    buffer.destroy();
    target.destroy();
    many?.destroy();
    depth.destroy();
    return picture;
  });
}
