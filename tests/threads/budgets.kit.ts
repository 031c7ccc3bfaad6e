// Draw calls whose vertices need much memory, and what the tests of budgets check after them.
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { ModularPipelineCommands, ModularPipelineDevice, ModularStage, StatisticsDevice } from '../../src/index';
import { GPUMapMode, GPUTextureUsage } from '../support/flags';
import type { CreateOptions } from '../support/options';

export type Kind = NonNullable<CreateOptions['workerKinds']>[number];
export type Device = StatisticsDevice & GPUDevice & ModularPipelineDevice;
export const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, INDEX: 16, VERTEX: 32, STORAGE: 128 } as const;

export const CODE = `enable modular_pipelines;
  struct V { @location(0) p: vec3f, @location(1) color: vec3f }
  struct W { @builtin(position) position: vec4f, @location(0) color: vec3f }
  @vertex fn load(@builtin(vertex_index) i: u32) -> V {
    let h = i * 747796405u + 2891336453u;
    let k = ((h >> ((h >> 28u) + 4u)) ^ h) * 277803737u;
    return V(vec3f(f32(k & 1023) / 512 - 1, f32((k >> 10) & 1023) / 512 - 1, f32(i % 977) / 977),
      vec3f(f32(i % 7), f32(i % 11), f32(i % 13)) / 13);
  }
  @geometry fn split(v: array<V, 3>) {
    let c = V((v[0].p + v[1].p + v[2].p) / 3, (v[0].color + v[1].color + v[2].color) / 3);
    for (var k = 0; k < 3; k++) { emitVertex(v[k]); emitVertex(v[(k + 1) % 3]); emitVertex(c); endStrip(); }
  }
  @vertex fn shrink(v: V) -> V { return V(v.p * vec3f(0.9, 0.8, 1), v.color); }
  @vertex fn look(v: V) -> W { return W(vec4f(v.p, 1), v.color); }
  @vertex fn grid(@builtin(vertex_index) i: u32) -> W {
    let at = vec2f(f32(i % 200), f32(i / 200)) / 100 - 1;
    return W(vec4f(at, 0.3 + 0.2 * sin(at.x * 9) * at.y, 1), vec3f(at, 1) * 0.5 + 0.5);
  }
  @fragment fn fs(v: W) -> @location(0) vec4f { return vec4f(v.color, 1); }
  @group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
  @group(0) @binding(1) var<storage, read_write> last: array<u32>;
  @fragment fn number(v: W) -> @location(0) vec4f {
    let i = atomicAdd(&count, 1);
    last[u32(v.position.y) * 64 + u32(v.position.x)] = i;
    return vec4f(v.color, f32(i & 255) / 255);
  }`;
export const SIZE = 256;

/**
 * Draws a pipeline that emits, and an indexed mesh of 40 000 vertices that all workers share. Returns the picture's
 * hash.
 */
export async function frame(device: Device, triangles = 5_000, made = prepare(device)): Promise<string> {
  const { table, mesh, indices, color, depth, copy } = made;
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: color, loadOp: 'clear', storeOp: 'store' }],
    depthStencilAttachment: { view: depth, depthLoadOp: 'clear', depthClearValue: 1, depthStoreOp: 'discard' },
  }) as GPURenderPassEncoder & ModularPipelineCommands;
  pass.setPipeline(table);
  pass.draw(triangles * 3);
  pass.setPipeline(mesh);
  pass.setIndexBuffer(indices, 'uint32');
  pass.drawIndexed(199 * 199 * 6);
  pass.end();
  encoder.copyTextureToBuffer({ texture: color }, { buffer: copy, bytesPerRow: SIZE * 4 }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const hash = createHash('sha256').update(new Uint8Array(copy.getMappedRange())).digest('hex');
  copy.unmap();
  return hash;
}

export function prepare(device: Device, slots = ['load', 'split', 'shrink', 'split', 'look']) {
  const module = device.createShaderModule({ code: CODE });
  const depthStencil = { format: 'depth24plus', depthCompare: 'less', depthWriteEnabled: true } as const;
  const fragment = { module, entryPoint: 'fs', targets: [{ format: 'rgba8unorm' as const }] };
  const table = device.createModularPipeline({
    label: 'split',
    layout: 'auto',
    input: {},
    sinks: [{ raster: { depthStencil, fragment } }],
    stages: slots.map((entryPoint): ModularStage =>
      entryPoint === 'split'
        ? { kind: 'geometry', module, entryPoint, maxVertices: 9 }
        : { kind: 'vertex', module, entryPoint }
    ),
  });
  const mesh = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module, entryPoint: 'grid' },
    depthStencil,
    fragment,
  });
  const list: number[] = [];
  for (let y = 0; y < 199; y++)
    for (let x = 0; x < 199; x++) for (const corner of [0, 1, 200, 1, 201, 200]) list.push(y * 200 + x + corner);
  const indices = device.createBuffer({ size: list.length * 4, usage: USAGE.INDEX | USAGE.COPY_DST });
  device.queue.writeBuffer(indices, 0, new Uint32Array(list));
  const texture = (format: GPUTextureFormat): GPUTexture =>
    device.createTexture({
      size: [SIZE, SIZE],
      format,
      usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
    });
  return {
    table,
    mesh,
    indices,
    color: texture('rgba8unorm'),
    depth: texture('depth24plus'),
    copy: device.createBuffer({ size: SIZE * SIZE * 4, usage: USAGE.MAP_READ | USAGE.COPY_DST }),
  };
}

/** Bytes of the queued input of the stage `split`, for each worker. */
export const INPUT = 31_232 + 6 * 4096;

/** Checks that memory stayed within the budgets, and that workers did only work of their kind. */
export function keeps(device: StatisticsDevice, { budgets = {}, workerKinds }: CreateOptions): void {
  const {
    memory: { passes },
    work,
  } = device.statistics();
  for (const name of ['arenaBytes', 'stageInputBytes', 'vertexBytes'] as const)
    expect(passes[name]).toBeLessThanOrEqual(budgets[name] ?? Infinity);
  if (workerKinds) expect(work.map(({ kind }) => kind)).toEqual(workerKinds);
  for (const { kind, tasks, tiles } of work) {
    if (kind === 'pixels') expect(tasks).toBe(0);
    if (kind === 'vertices') expect(tiles).toBe(0);
  }
}
