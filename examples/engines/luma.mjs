// luma.gl in Node, with the unmodified npm packages: `npm install rasterloom @luma.gl/core @luma.gl/engine
// @luma.gl/shadertools @luma.gl/webgpu @math.gl/core`, then `node luma.mjs` writes luma.png: a lit, textured cube and
// its shadow on a floor.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install();
const { Buffer, luma, Texture } = await import('@luma.gl/core');
const { CubeGeometry, Model } = await import('@luma.gl/engine');
const { webgpuAdapter } = await import('@luma.gl/webgpu');
const { Matrix4 } = await import('@math.gl/core');
// In Node, luma.gl must not wait for a page and accepts no canvas. The program creates the canvas itself and draws to
// its texture.
const device = await luma.createDevice({ type: 'webgpu', adapters: [webgpuAdapter], waitForPageLoad: false });
const canvas = createCanvas(640, 360);
const context = canvas.getContext('webgpu');
const format = device.preferredColorFormat;
context.configure({ device: device.handle, format });

const source = `
struct Scene { view: mat4x4f, light: mat4x4f }
@group(0) @binding(0) var<uniform> scene: Scene;
struct Corner {
  @builtin(position) position: vec4f, @location(0) normal: vec3f, @location(1) uv: vec2f, @location(2) light: vec3f,
}
fn world(position: vec3f, i: u32) -> vec4f { // a cube, and below it a floor
  return vec4f(select(position, position * vec3f(4, 0.05, 4) - vec3f(0, 1.4, 0), i == 1), 1);
}
@vertex fn shadowMain(@location(0) positions: vec3f, @builtin(instance_index) i: u32) -> @builtin(position) vec4f {
  return scene.light * world(positions, i);
}
@fragment fn shadowFragment() {}
@vertex fn vertexMain(
  @location(0) positions: vec3f, @location(1) normals: vec3f, @location(2) texCoords: vec2f,
  @builtin(instance_index) i: u32
) -> Corner {
  let light = scene.light * world(positions, i);
  return Corner(scene.view * world(positions, i), normals, texCoords,
    vec3f(light.xy * vec2f(0.5, -0.5) + 0.5, light.z));
}`;
const lit = `${source}
@group(0) @binding(1) var board: texture_2d<f32>;
@group(0) @binding(2) var boardSampler: sampler;
@group(0) @binding(3) var shadow: texture_depth_2d;
@group(0) @binding(4) var shadowSampler: sampler_comparison;
@fragment fn fragmentMain(in: Corner) -> @location(0) vec4f {
  let reached = textureSampleCompare(shadow, shadowSampler, in.light.xy, in.light.z - 0.005);
  let light = 0.2 + 0.8 * reached * max(0, dot(in.normal, normalize(vec3f(-3, 6, 2))));
  return vec4f(textureSample(board, boardSampler, in.uv).rgb * light, 1);
}`;

const from = (eye) => new Matrix4().lookAt({ eye });
const view = new Matrix4()
  .perspective({ fovy: 0.8, aspect: 640 / 360, near: 1, far: 30 })
  .multiplyRight(from([3, 4, 7]));
const sun = new Matrix4()
  .ortho({ left: -5, right: 5, bottom: -5, top: 5, near: 1, far: 20 })
  .multiplyRight(from([-3, 6, 2]));
// Maps WebGL's depth range −1 … 1 to 0 … 1.
const depths = new Matrix4().translate([0, 0, 0.5]).scale([1, 1, 0.5]);
const scene = device.createBuffer({
  usage: Buffer.UNIFORM,
  data: new Float32Array([view, sun].flatMap((matrix) => depths.clone().multiplyRight(matrix))),
});
const board = device.createTexture({
  width: 8,
  height: 8,
  format: 'rgba8unorm',
  sampler: { addressModeU: 'repeat', addressModeV: 'repeat' },
  data: new Uint8Array(
    Array.from({ length: 64 }, (_, i) => ((i ^ (i >> 3)) & 1 ? [240, 180, 90, 255] : [90, 60, 50, 255])).flat()
  ),
});
const shadow = device.createTexture({
  width: 1024,
  height: 1024,
  format: 'depth32float',
  usage: Texture.RENDER | Texture.SAMPLE,
  sampler: { type: 'comparison-sampler', compare: 'less', minFilter: 'linear', magFilter: 'linear' },
});
const parameters = { depthWriteEnabled: true, depthCompare: 'less', cullMode: 'back' };
const common = { geometry: new CubeGeometry(), isInstanced: true, instanceCount: 2 };
const caster = new Model(device, {
  ...common,
  source,
  vertexEntryPoint: 'shadowMain',
  fragmentEntryPoint: 'shadowFragment',
  bindings: { scene },
  colorAttachmentFormats: [],
  depthStencilAttachmentFormat: 'depth32float',
  parameters: { ...parameters, depthFormat: 'depth32float' },
});
const things = new Model(device, {
  ...common,
  source: lit,
  bindings: { scene, board, shadow },
  parameters: { ...parameters, depthFormat: 'depth24plus' },
});
const draw = (model, framebuffer) => {
  const pass = device.beginRenderPass({ framebuffer, clearColor: [0.1, 0.13, 0.19, 1], clearDepth: 1 });
  model.draw(pass);
  pass.end();
};
draw(caster, device.createFramebuffer({ width: 1024, height: 1024, depthStencilAttachment: shadow }));
const shown = device.createTexture({
  handle: context.getCurrentTexture(),
  format,
  width: 640,
  height: 360,
  usage: Texture.RENDER,
});
draw(
  things,
  device.createFramebuffer({
    width: 640,
    height: 360,
    colorAttachments: [shown],
    depthStencilAttachment: 'depth24plus',
  })
);
device.submit();
writeFileSync('luma.png', await canvas.toPNG());
device.destroy();
