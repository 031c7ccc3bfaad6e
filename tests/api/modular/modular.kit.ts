// Stages that the tests of modular pipelines share.
import type { ModularPipelineDevice } from '../../../src/index';

export type Device = GPUDevice & ModularPipelineDevice;

export const CODE = `enable modular_pipelines;
  struct V { @location(0) p: vec4f, @location(1) color: vec4f, @location(2) w: f32 }
  struct End { @builtin(position) position: vec4f, @location(0) color: vec4f }
  @vertex fn load(@location(0) p: vec3f) -> V { return V(vec4f(p, 1), vec4f(0.5), 3); }
  override by: f32 = 1;
  override to: f32 = 1;
  @vertex fn drift(v: V) -> V { return V(v.p + by + f32(bitcast<u32>(to) >> 31), v.color, v.w); }
  @vertex fn shift(v: V) -> V { return V(v.p + v.w, v.color, v.w); }
  @vertex fn whole(@location(0) p: vec4<u32>) -> V { return V(vec4f(p), vec4f(1), 1); }
  @vertex fn end(@location(0) p: vec4f, @location(1) color: vec4f) -> End { return End(p, color); }
  @geometry fn hairs(v: array<V, 3>) {
    for (var k = 0; k < 3; k++) { emitVertex(v[k]); emitVertex(V(v[k].p + 1, v[k].color, v[k].w)); endStrip(); }
  }
  struct Last { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(15) x: f32 }
  @vertex fn last(v: V) -> Last { return Last(v.p, v.color, 1); }
  struct Far { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(16) x: f32 }
  @vertex fn far(v: V) -> Far { return Far(v.p, v.color, 1); }
  @vertex fn odd(@location(0) p: vec4f) -> @location(1) vec2f { return p.xy; }
  @geometry fn every(v: array<V, 3>) { for (var k = 0; k < 3; k++) { emitVertex(End(v[k].p, v[k].color)); } }
  struct Seen { @builtin(cull_primitive) isHidden: bool, @builtin(viewport_index) viewport: u32 }
  @primitive fn cull(v: array<V, 3>, @builtin(primitive_index) i: u32) -> Seen { return Seen(v[1].w < f32(i), i); }
  struct X { @location(1) x: vec2u }
  @primitive fn wrong(v: array<X, 3>) -> @builtin(cull_primitive) bool { return v[0].x.y == 1; }
  @fragment fn fs(@location(0) color: vec4f) -> @location(0) vec4f { return color; }
  @fragment fn flatly(@location(0) @interpolate(flat) color: vec4f) -> @location(0) vec4f { return color; }`;
export const buffer = (format: GPUVertexFormat): GPUVertexBufferLayout => ({
  arrayStride: 16,
  attributes: [{ shaderLocation: 0, offset: 0, format }],
});
