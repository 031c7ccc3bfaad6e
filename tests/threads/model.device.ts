// Executes the commands of model.calls.ts on a device through the public API. Pipelines are kept from program to
// program.
import { BINDING_BYTES, BUFFERS, TEXTURES, type Command, type Draw, type Pass } from './model.calls';
import { GPUShaderStage } from '../support/flags';

type Kind = 'float' | 'uint';
const kindOf = (texture: number): Kind => (TEXTURES[texture]!.format === 'r32uint' ? 'uint' : 'float');

const wgsl = (sampled: Kind, targets: readonly Kind[], topology: Draw['topology'], effect: Draw['effect']): string => `
@group(0) @binding(0) var<uniform> u: vec4u;
@group(0) @binding(1) var<storage, read> words: array<u32, ${BINDING_BYTES / 4}>;
@group(0) @binding(2) var t: texture_2d<${sampled === 'float' ? 'f32' : 'u32'}>;
struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat) c: u32 }
fn place(w: u32) -> V {
  var at = (vec2u(w, w >> 12u) & vec2u(0xfffu)) >> vec2u(u.x & 3u);
  ${topology === 'point-list' ? 'at = (at & vec2u(0xfff0u)) | vec2u(8u);' : ''}
  let q = vec2f(at) / 2048;
  return V(vec4f(q.x - 1, 1 - q.y, f32(u.y & 15u) / 16, 1), (w * 0x9e3779b1u) ^ u.z);
}
@vertex fn pulled(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> V {
  return place(words[(v + i * 5u) % ${BINDING_BYTES / 4}u]);
}
@vertex fn fetched(@location(0) w: u32, @location(1) more: u32) -> V { return place(w + more); }
fn texel(p: vec2f) -> u32 {
  let x = textureLoad(t, (vec2u(p) + (u.w & 15u)) % textureDimensions(t), 0);
  ${
    sampled === 'float'
      ? 'let b = vec4u(round(x * 255)); return b.x | (b.y << 8u) | (b.z << 16u) | (b.w << 24u);'
      : 'return x.x;'
  }
}
struct O { ${targets.map((kind, i) => `@location(${i}) o${i}: ${kind === 'float' ? 'vec4f' : 'u32'}`).join(', ')} }
@fragment fn fs(v: V) -> O {
  var c = v.c;
  ${effect === 'discard' ? 'let at = vec2u(v.p.xy); if (((at.x ^ at.y ^ u.w) & 1u) == 1u) { discard; }' : ''}
  ${effect === 'texture' ? 'c ^= texel(v.p.xy);' : ''}
  return O(
    ${targets
      .map((kind) => (kind === 'float' ? 'vec4f(vec4u(c, c >> 8u, c >> 16u, c >> 24u) & vec4u(0xfcu)) / 255' : 'c'))
      .join(', ')});
}`;

const VERTEX_BUFFERS: GPUVertexBufferLayout[] = [
  { arrayStride: 4, attributes: [{ format: 'uint32', offset: 0, shaderLocation: 0 }] },
  { arrayStride: 4, stepMode: 'instance', attributes: [{ format: 'uint32', offset: 0, shaderLocation: 1 }] },
];

interface Slots {
  readonly buffers: readonly GPUBuffer[];
  readonly textures: readonly GPUTexture[];
}

export class Renderer {
  private readonly pipelines = new Map<string, GPURenderPipeline>();
  private readonly layouts: Readonly<Record<Kind, GPUBindGroupLayout>>;

  constructor(readonly device: GPUDevice) {
    const layout = (sampleType: GPUTextureSampleType): GPUBindGroupLayout =>
      device.createBindGroupLayout({
        entries: [
          {
            binding: 0,
            visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT,
            buffer: { type: 'uniform', hasDynamicOffset: true, minBindingSize: 16 },
          },
          {
            binding: 1,
            visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT,
            buffer: { type: 'read-only-storage' },
          },
          { binding: 2, visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT, texture: { sampleType } },
        ],
      });
    this.layouts = { float: layout('unfilterable-float'), uint: layout('uint') };
  }

  forgetPipelines(): void {
    this.pipelines.clear();
  }

  createBuffer(slot: number, mappedAtCreation: boolean): GPUBuffer {
    const { size, usage } = BUFFERS[slot]!;
    return this.device.createBuffer({ size, usage, mappedAtCreation });
  }

  createTexture(slot: number): GPUTexture {
    const { width, height, format, samples, usage } = TEXTURES[slot]!;
    return this.device.createTexture({ size: [width, height], format, sampleCount: samples, usage });
  }

  encode(list: readonly Command[], slots: Slots): GPUCommandBuffer {
    const encoder = this.device.createCommandEncoder();
    for (const command of list) this.command(encoder, command, slots);
    return encoder.finish();
  }

  private command(encoder: GPUCommandEncoder, command: Command, { buffers, textures }: Slots): void {
    switch (command.do) {
      case 'copy buffer':
        return encoder.copyBufferToBuffer(
          buffers[command.from]!,
          command.at,
          buffers[command.to]!,
          command.into,
          command.bytes
        );
      case 'clear buffer':
        return encoder.clearBuffer(buffers[command.buffer]!, command.at, command.bytes);
      case 'pass':
        return this.pass(encoder, command, { buffers, textures });
      case 'copy texture': {
        const [x, y, width, height] = command.box;
        return encoder.copyTextureToTexture(
          { texture: textures[command.from]!, origin: [x, y] },
          { texture: textures[command.to]!, origin: [command.x, command.y] },
          [width, height]
        );
      }
      default: {
        const [x, y, width, height] = command.box;
        const linear = { buffer: buffers[command.buffer]!, offset: command.at, bytesPerRow: command.pitch };
        const texels = { texture: textures[command.texture]!, origin: [x, y] };
        if (command.do === 'buffer to texture') encoder.copyBufferToTexture(linear, texels, [width, height]);
        else encoder.copyTextureToBuffer(texels, linear, [width, height]);
      }
    }
  }

  private pass(encoder: GPUCommandEncoder, pass: Pass, slots: Slots): void {
    const { textures } = slots;
    const render = encoder.beginRenderPass({
      colorAttachments: pass.colors.map(({ texture, clear, store, resolve }) => ({
        view: textures[texture]!.createView(),
        storeOp: store,
        ...(resolve !== null && { resolveTarget: textures[resolve]!.createView() }),
        ...(clear === null
          ? { loadOp: 'load' }
          : {
              loadOp: 'clear',
              clearValue:
                kindOf(texture) === 'uint'
                  ? [clear, 0, 0, 0]
                  : [0, 8, 16, 24].map((shift) => ((clear >>> shift) & 255) / 255),
            }),
      })),
      ...(pass.depth && {
        depthStencilAttachment: {
          view: textures[pass.depth.texture]!.createView(),
          depthStoreOp: pass.depth.store,
          ...(pass.depth.clear === null
            ? { depthLoadOp: 'load' }
            : { depthLoadOp: 'clear', depthClearValue: pass.depth.clear / 16 }),
        },
      }),
    });
    for (const draw of pass.draws) this.draw(render, pass, draw, slots);
    render.end();
  }

  private draw(render: GPURenderPassEncoder, pass: Pass, draw: Draw, { buffers, textures }: Slots): void {
    const { width, height } = TEXTURES[pass.colors[0]!.texture]!;
    const sampled = kindOf(draw.texture);
    const group = this.device.createBindGroup({
      layout: this.layouts[sampled],
      entries: [
        { binding: 0, resource: { buffer: buffers[draw.uniform[0]]!, size: 16 } },
        { binding: 1, resource: { buffer: buffers[draw.storage[0]]!, offset: draw.storage[1], size: BINDING_BYTES } },
        { binding: 2, resource: textures[draw.texture]!.createView() },
      ],
    });
    render.setPipeline(this.pipeline(pass, draw, sampled));
    render.setBindGroup(0, group, [draw.uniform[1]]);
    render.setViewport(0, 0, 256, 256, 0, 1);
    render.setScissorRect(...(draw.scissor ?? [0, 0, width, height]));
    if (draw.source === 'fetched') {
      render.setVertexBuffer(0, buffers[draw.vertices[0]]!, draw.vertices[1]);
      render.setVertexBuffer(1, buffers[draw.perInstance[0]]!, draw.perInstance[1]);
    }
    const { index, indirect } = draw;
    if (index) render.setIndexBuffer(buffers[index.buffer]!, index.format, index.at);
    const args = buffers[BUFFERS.findIndex(({ role }) => role === 'args')]!;
    if (index && indirect !== null) render.drawIndexedIndirect(args, indirect);
    else if (indirect !== null) render.drawIndirect(args, indirect);
    else if (index) render.drawIndexed(draw.count, draw.instances, draw.first, index.baseVertex, draw.firstInstance);
    else render.draw(draw.count, draw.instances, draw.first, draw.firstInstance);
  }

  private pipeline(pass: Pass, draw: Draw, sampled: Kind): GPURenderPipeline {
    const shapes = pass.colors.map(({ texture }) => TEXTURES[texture]!);
    const { samples } = shapes[0]!;
    const key = JSON.stringify([
      shapes.map(({ format }) => format),
      samples,
      pass.depth !== null,
      sampled,
      draw.source,
      draw.topology,
      draw.effect,
      draw.blend,
      draw.writeMask,
      draw.sampleMask,
      draw.depth,
    ]);
    const known = this.pipelines.get(key);
    if (known) return known;
    const module = this.device.createShaderModule({
      code: wgsl(
        sampled,
        pass.colors.map(({ texture }) => kindOf(texture)),
        draw.topology,
        draw.effect
      ),
    });
    const component: GPUBlendComponent | null =
      draw.blend === 'none' ? null : { operation: draw.blend, srcFactor: 'one', dstFactor: 'one' };
    const pipeline = this.device.createRenderPipeline({
      layout: this.device.createPipelineLayout({ bindGroupLayouts: [this.layouts[sampled]] }),
      vertex: { module, entryPoint: draw.source, buffers: draw.source === 'fetched' ? VERTEX_BUFFERS : [] },
      fragment: {
        module,
        entryPoint: 'fs',
        targets: shapes.map(({ format }) => ({
          format,
          ...(format === 'rgba8unorm' && {
            writeMask: draw.writeMask,
            ...(component && { blend: { color: component, alpha: component } }),
          }),
        })),
      },
      primitive: { topology: draw.topology },
      multisample: { count: samples, mask: draw.sampleMask },
      ...(pass.depth && {
        depthStencil: { format: 'depth32float', depthCompare: draw.depth, depthWriteEnabled: draw.depth === 'less' },
      }),
    });
    this.pipelines.set(key, pipeline);
    return pipeline;
  }
}
