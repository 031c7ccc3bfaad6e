// Stages that stream vertices.
import type { ModularPipelineDevice, ModularPipelineCommands } from '../../../src/index';
import type { CreateOptions } from '../../support/options';

export const USAGE = {
  MAP_READ: 1,
  COPY_SRC: 4,
  COPY_DST: 8,
  INDEX: 16,
  VERTEX: 32,
  STORAGE: 128,
  INDIRECT: 256,
} as const;
export const CODE = `enable modular_pipelines;
  struct V { @location(0) p: vec3f, @location(1) @interpolate(flat) n: vec2u, @location(2) unread: vec4f }
  struct W { @builtin(position) position: vec4f, @location(0) color: vec3f }
  @vertex fn load(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> V {
    let f = vec2f(f32(i % 40), f32(i / 40));
    return V(vec3f(f / vec2f(20, 20) - 1, f32(k)), vec2u(i, k), vec4f(9));
  }
  @vertex fn wave(v: V) -> V { return V(v.p + vec3f(0.01 * sin(v.p.y * 9), 0.5, 0), v.n * 3, v.unread); }
  @geometry fn twice(v: array<V, 1>) { emitVertex(v[0]); emitVertex(v[0]); }
  @vertex fn look(v: V) -> W { return W(vec4f(v.p.xy, 0.5, 1), vec3f(v.p.xy, f32(v.n.x) / 4096)); }
  @vertex fn read(@location(0) p: vec3f, @location(1) n: vec2u) -> W {
    return W(vec4f(p.xy, 0.5, 1), vec3f(p.xy, f32(n.x) / 4096));
  }
  @fragment fn fs(@location(0) color: vec3f) -> @location(0) vec4f { return vec4f(color, 1); }`;
export const STRIDE = 24;
export const INDICES = 900;
export const index = (i: number): number => (i * 37 + (i >>> 3)) % 1500;
export type Device = GPUDevice & ModularPipelineDevice;
export type Pass = GPURenderPassEncoder & ModularPipelineCommands;

export const engines: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  'interpreted by two': { engine: 'interpreter', threads: 2 },
  'compiled, four workers, chunks': { engine: 'jit', threads: 4, chunkEveryDraw: true },
  'the scalar kernel': { simd: false, threads: 0 },
};
export const attributes = [
  { shaderLocation: 1, offset: 16, format: 'uint32x2' },
  { shaderLocation: 0, offset: 0, format: 'float32x3' },
] as const;
export const empty = { colorAttachments: [], size: [1, 1], sampleCount: 1 } as unknown as GPURenderPassDescriptor;
