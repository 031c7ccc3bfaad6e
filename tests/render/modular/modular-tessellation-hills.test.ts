import { expect, test } from 'vitest';
import type { ModularStage, ModularPipelineCommands } from '../../../src/index';
import type { CreateOptions } from '../../support/options';
import { open } from '../../threads/open';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../../support/flags';
import { type Device, SPACINGS, USAGE } from './modular-tessellation.kit';
import { firstDifference } from '../../support/first-difference';

const HILLS = `enable modular_pipelines;
  struct Corner { @location(0) at: vec2f }
  struct Levels { @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f }
  struct Place { @location(1) p: vec4f, @location(0) color: vec3f }
  struct Seen { @builtin(position) position: vec4f, @location(0) color: vec3f }
  @vertex fn load(@builtin(vertex_index) i: u32) -> Corner { return Corner(vec2f(vec2u(i % 7, i / 7)) / 6); }
  fn levelOf(a: vec2f, b: vec2f) -> f32 { return 40 / (1 + 9 * dot(a + b, a + b)); }
  @tess_control fn cut(p: array<Corner, 4>) -> Levels {
    let outer = vec4f(
      levelOf(p[3].at, p[0].at), levelOf(p[0].at, p[1].at), levelOf(p[1].at, p[2].at), levelOf(p[2].at, p[3].at)
    );
    return Levels(outer, (outer.yx + outer.wz) * 0.5);
  }
  @tess_evaluation fn place(p: array<Corner, 4>, @builtin(tess_coord) uv: vec3f) -> Place {
    let at = mix(mix(p[0].at, p[1].at, uv.x), mix(p[3].at, p[2].at, uv.x), uv.y);
    let height = sin(at.x * 14) * cos(at.y * 11);
    return Place(vec4f(at * 3 - 1.5, height * 0.4 + 0.5, 1.2 - height * 0.1), vec3f(at, height));
  }
  @vertex fn look(v: Place) -> Seen { return Seen(v.p, v.color * 0.5 + 0.5); }
  @fragment fn fs(@location(0) color: vec3f) -> @location(0) vec4f { return vec4f(color, 1); }
  @fragment fn once() -> @location(0) vec4f { return vec4f(1.0 / 255); }`;

// Common edges have the same levels and bits, so no pixel inside is missing or drawn twice.
test.each<CreateOptions>([
  { engine: 'jit', threads: 0 },
  { engine: 'jit', threads: 4, arenaBytes: 1024 },
  { engine: 'interpreter', threads: 1 },
  { simd: false, threads: 0, arenaBytes: 4096 },
])(
  'patches are drawn like their stream output, without cracks: %o',
  async (options) => {
    const device = (await open(options)) as unknown as Device;
    const size = 128;
    const module = device.createShaderModule({ code: HILLS });
    const corners = Array.from({ length: 36 }, (_, i) => {
      const here = Math.floor(i / 6) * 7 + (i % 6);
      return [here, here + 1, here + 8, here + 7];
    }).flat();
    const indices = device.createBuffer({ size: corners.length * 2, usage: 16 | USAGE.COPY_DST });
    device.queue.writeBuffer(indices, 0, Uint16Array.from(corners));
    const blend = {
      color: { srcFactor: 'one', dstFactor: 'one' },
      alpha: { srcFactor: 'one', dstFactor: 'one' },
    } as const;
    const targets: GPUColorTargetState[] = [{ format: 'rgba8unorm', blend }];
    const depthStencil = { format: 'depth24plus', depthCompare: 'less', depthWriteEnabled: true } as const;
    const usage = USAGE.STORAGE | 32 | USAGE.COPY_SRC;
    const vertices = device.createBuffer({ size: 36 * 6 * 41 * 41 * 28, usage });
    const counts = device.createBuffer({ size: 16, usage: USAGE.STORAGE | 256 });
    const attributes = [
      { shaderLocation: 1, offset: 0, format: 'float32x4' as const },
      { shaderLocation: 0, offset: 16, format: 'float32x3' as const },
    ];
    for (const spacing of SPACINGS) {
      const stages = (end: boolean): ModularStage[] => [
        { kind: 'vertex', module, entryPoint: 'load' },
        { kind: 'tess_control', module },
        { kind: 'tess_evaluation', module, domain: 'quads', spacing, maxLevel: 41 },
        ...(end ? [{ kind: 'vertex' as const, module, entryPoint: 'look' }] : []),
      ];
      const common = { layout: 'auto', input: { topology: 'patch-list', patchVertices: 4 } } as const;
      const drawing = (depth: boolean): GPURenderPipeline =>
        device.createModularPipeline({
          ...common,
          stages: stages(true),
          sinks: [
            {
              raster: {
                depthStencil: depth ? depthStencil : undefined,
                fragment: { module, entryPoint: depth ? 'fs' : 'once', targets },
              },
            },
          ],
        });
      const writing = device.createModularPipeline({
        ...common,
        stages: stages(false),
        sinks: [{ buffer: { arrayStride: 28, attributes } }],
      });
      const again = device.createRenderPipeline({
        layout: 'auto',
        depthStencil,
        fragment: { module, entryPoint: 'fs', targets },
        vertex: { module, entryPoint: 'look', buffers: [{ arrayStride: 28, attributes }] },
      });
      const drawn = async (depth: boolean, draw: (pass: GPURenderPassEncoder) => void): Promise<Uint8Array> => {
        const texture = device.createTexture({
          size: [size, size],
          format: 'rgba8unorm',
          usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
        });
        const depths = device.createTexture({
          size: [size, size],
          format: 'depth24plus',
          usage: GPUTextureUsage.RENDER_ATTACHMENT,
        });
        const copy = device.createBuffer({
          size: size * size * 4,
          usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
        });
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginRenderPass({
          colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
          ...(depth && {
            depthStencilAttachment: {
              view: depths.createView(),
              depthLoadOp: 'clear',
              depthClearValue: 1,
              depthStoreOp: 'discard',
            },
          }),
        });
        pass.setIndexBuffer(indices, 'uint16');
        draw(pass);
        pass.end();
        encoder.copyTextureToBuffer({ texture }, { buffer: copy, bytesPerRow: size * 4 }, [size, size]);
        device.queue.submit([encoder.finish()]);
        await copy.mapAsync(GPUMapMode.READ);
        return new Uint8Array(copy.getMappedRange());
      };
      const direct = await drawn(true, (pass) => {
        pass.setPipeline(drawing(true));
        pass.drawIndexed(corners.length);
      });
      const encoder = device.createCommandEncoder();
      const stream = encoder.beginRenderPass({
        colorAttachments: [],
        size: [1, 1],
        sampleCount: 1,
      } as unknown as GPURenderPassDescriptor) as GPURenderPassEncoder & ModularPipelineCommands;
      stream.setPipeline(writing);
      stream.setIndexBuffer(indices, 'uint16');
      stream.setSinkBuffer(vertices, 0, undefined, counts);
      stream.drawIndexed(corners.length);
      stream.end();
      device.queue.submit([encoder.finish()]);
      const later = await drawn(true, (pass) => {
        pass.setPipeline(again);
        pass.setVertexBuffer(0, vertices);
        pass.drawIndirect(counts, 0);
      });
      expect(firstDifference(later, direct)).toBe(-1);
      const covered = await drawn(false, (pass) => {
        pass.setPipeline(drawing(false));
        pass.drawIndexed(corners.length);
      });
      expect(covered.filter((times) => times !== 1)).toHaveLength(0);
    }
    device.destroy();
  },
  60_000
);
