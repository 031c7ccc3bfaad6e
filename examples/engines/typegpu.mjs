// TypeGPU in Node, with the unmodified npm package: `npm install rasterloom typegpu`, then `node typegpu.mjs` writes
// typegpu.png: a lit, textured cube and its shadow on a floor.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install();
const { d, tgpu } = await import('typegpu');
const root = await tgpu.init();
const canvas = createCanvas(640, 360);
const context = root.configureContext({ canvas });

// The rows of a view-projection matrix: orthographic if w is constant, perspective if w grows with distance.
const Eye = d.struct({ right: d.vec4f, up: d.vec4f, depth: d.vec4f, w: d.vec4f });
const eye = (at, focus, aspect, isPerspective) => {
  const length = (v) => Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
  const unit = (v) => v.map((x) => x / length(v));
  const cross = (a, b) => [0, 1, 2].map((i) => a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]);
  const back = unit(at);
  const right = unit(cross([0, 1, 0], back));
  const up = cross(back, right);
  const far = length(at);
  const scale = isPerspective ? 1.05 : 0.05;
  const near = isPerspective ? -1.05 : 0;
  return {
    right: d.vec4f(...right.map((x) => (x * focus) / aspect), 0),
    up: d.vec4f(...up.map((x) => x * focus), 0),
    depth: d.vec4f(...back.map((x) => -x * scale), far * scale + near),
    w: isPerspective ? d.vec4f(...back.map((x) => -x), far) : d.vec4f(0, 0, 0, 1),
  };
};
const layout = tgpu.bindGroupLayout({ seen: { uniform: Eye }, sun: { uniform: Eye } });
const shading = tgpu.bindGroupLayout({
  board: { texture: d.texture2d() },
  nearest: { sampler: 'filtering' },
  shadow: { texture: d.textureDepth2d() },
  compare: { sampler: 'comparison' },
});
const through = tgpu.fn([Eye, d.vec4f], d.vec4f)`(eye, at) {
  return vec4f(dot(eye.right, at), dot(eye.up, at), dot(eye.depth, at), dot(eye.w, at));
}`;
// The cube's sides, two triangles each, then a floor.
const Corner = d.struct({ at: d.vec4f, normal: d.vec3f, uv: d.vec2f });
const cornerOf = tgpu.fn([d.u32, d.u32], Corner)`(v, i) {
  let side = v / 6;
  let uv = vec2f(f32((0x34u >> (v % 6)) & 1), f32((0x2au >> (v % 6)) & 1));
  let out = select(-1.0, 1.0, side < 3);
  let flat = vec3f((uv.x * 2 - 1) * out, uv.y * 2 - 1, out);
  let axis = side % 3;
  let at = select(select(flat.zxy, flat.yzx, axis == 1), flat, axis == 0);
  let normal = select(select(vec3f(out, 0, 0), vec3f(0, out, 0), axis == 1), vec3f(0, 0, out), axis == 0);
  return Corner(vec4f(select(at, at * vec3f(4, 0.05, 4) - vec3f(0, 1.4, 0), i == 1), 1), normal, uv);
}`.$uses({ Corner });
const input = { v: d.builtin.vertexIndex, i: d.builtin.instanceIndex };
const shadowVertex = tgpu.vertexFn({ in: input, out: { position: d.builtin.position } })`{
  return Out(through(layout.$.sun, cornerOf(in.v, in.i).at));
}`.$uses({ through, cornerOf, layout });
const vertex = tgpu.vertexFn({
  in: input,
  out: { position: d.builtin.position, normal: d.vec3f, uv: d.vec2f, light: d.vec3f },
})`{
  let corner = cornerOf(in.v, in.i);
  let light = through(layout.$.sun, corner.at);
  return Out(through(layout.$.seen, corner.at), corner.normal, corner.uv,
    vec3f(light.xy * vec2f(0.5, -0.5) + 0.5, light.z));
}`.$uses({ through, cornerOf, layout });
const fragment = tgpu.fragmentFn({ in: { normal: d.vec3f, uv: d.vec2f, light: d.vec3f }, out: d.vec4f })`{
  let reached = textureSampleCompare(shading.$.shadow, shading.$.compare, in.light.xy, in.light.z - 0.005);
  let light = 0.2 + 0.8 * reached * max(0, dot(in.normal, normalize(vec3f(-3, 6, 2))));
  return vec4f(textureSample(shading.$.board, shading.$.nearest, in.uv).rgb * light, 1);
}`.$uses({ shading });

const group = root.createBindGroup(layout, {
  seen: root.createBuffer(Eye, eye([3, 4, 7], 2.3, 640 / 360, true)).$usage('uniform'),
  sun: root.createBuffer(Eye, eye([-3, 6, 2], 0.2, 1, false)).$usage('uniform'),
});
const board = root.createTexture({ size: [8, 8], format: 'rgba8unorm' }).$usage('sampled', 'render');
board.write(
  new Uint8Array(
    Array.from({ length: 64 }, (_, i) => ((i ^ (i >> 3)) & 1 ? [240, 180, 90, 255] : [90, 60, 50, 255])).flat()
  )
);
const shadow = root.createTexture({ size: [1024, 1024], format: 'depth32float' }).$usage('sampled', 'render');
const depth = root.createTexture({ size: [640, 360], format: 'depth24plus' }).$usage('render');
const cleared = { depthClearValue: 1, depthLoadOp: 'clear', depthStoreOp: 'store' };
const testing = (format) => ({ format, depthWriteEnabled: true, depthCompare: 'less' });
root
  .createRenderPipeline({ vertex: shadowVertex, depthStencil: testing('depth32float') })
  .with(group)
  .withDepthStencilAttachment({ view: shadow, ...cleared })
  .draw(36, 2);
root
  .createRenderPipeline({ vertex, fragment, depthStencil: testing('depth24plus') })
  .with(group)
  .with(
    root.createBindGroup(shading, {
      board,
      nearest: root.createSampler({}),
      shadow,
      compare: root.createComparisonSampler({ compare: 'less' }),
    })
  )
  .withColorAttachment({ view: context, clearValue: [0.1, 0.13, 0.19, 1] })
  .withDepthStencilAttachment({ view: depth, ...cleared })
  .draw(36, 2);
writeFileSync('typegpu.png', await canvas.toPNG());
root.destroy();
