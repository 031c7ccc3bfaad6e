// Anime4K, a convolutional network in compute passes, in Node with the unmodified npm package: `npm install rasterloom
// anime4k-webgpu`, then `node anime4k.mjs` writes anime4k.png. The program enlarges a drawing from 320×180 to 640×360
// pixels: the left half with linear filtering, the right half with the network, whose weights are constants in its
// shaders.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install();
const {
  default: { CNNx2M },
} = await import('anime4k-webgpu');
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter.requestDevice();
const WIDTH = 320;
const HEIGHT = 180;
const canvas = createCanvas(2 * WIDTH, 2 * HEIGHT);
const context = canvas.getContext('webgpu');
const format = navigator.gpu.getPreferredCanvasFormat();
context.configure({ device, format });

// A face, drawn twice: discs and lines with ink outlines, each rasterised by its distance from the pixel.
const INK = [24, 20, 32];
const mix = (a, b, t) => a.map((x, i) => x + (b[i] - x) * t);
const covers = (distance) => Math.min(1, Math.max(0, 0.5 - distance));
const disc =
  (x, y, r, squeeze = 1) =>
  (px, py) =>
    Math.hypot((px - x) * squeeze, py - y) - r;
const line = (ax, ay, bx, by, r) => (px, py) => {
  const dx = bx - ax;
  const dy = by - ay;
  const t = Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(px - ax - t * dx, py - ay - t * dy) - r;
};
const face = (x) => [
  [disc(x, 84, 62), [236, 108, 60]],
  [disc(x, 98, 50, 1.05), [250, 214, 184]],
  ...[-22, 22].flatMap((side) => [
    [disc(x + side, 96, 15, 1.4), [255, 255, 255]],
    [disc(x + side + 2, 99, 9, 1.2), [60, 110, 220]],
    [disc(x + side + 4, 95, 3), [255, 255, 255]],
    [line(x + side - 12, 74, x + side + 12, 71, 1), INK],
  ]),
  [line(x - 10, 130, x, 134, 1), INK],
  [line(x, 134, x + 12, 129, 1), INK],
  ...[-36, -14, 10, 34].map((side) => [line(x + side, 30, x + side * 0.8 + 6, 62, 3), [206, 80, 44]]),
];
const shapes = [...face(80), ...face(240)];
const pixels = new Uint8Array(WIDTH * HEIGHT * 4);
for (let y = 0; y < HEIGHT; y++)
  for (let x = 0; x < WIDTH; x++) {
    let color = y > 150 ? [92, 140, 96] : [176, 216, 240];
    for (const [distance, fill] of shapes) {
      const d = distance(x + 0.5, y + 0.5);
      color = mix(mix(color, INK, covers(d - 1.5)), fill, covers(d));
    }
    pixels.set([...color, 255], (y * WIDTH + x) * 4);
  }
const drawing = device.createTexture({
  size: [WIDTH, HEIGHT],
  format: 'rgba8unorm',
  usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
});
device.queue.writeTexture({ texture: drawing }, pixels, { bytesPerRow: WIDTH * 4 }, [WIDTH, HEIGHT]);

const network = new CNNx2M({ device, inputTexture: drawing });
const module = device.createShaderModule({
  code: `
    @group(0) @binding(0) var drawing: texture_2d<f32>;
    @group(0) @binding(1) var enlarged: texture_2d<f32>;
    @group(0) @binding(2) var linear: sampler;
    @vertex fn whole(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
    }
    @fragment fn halves(@builtin(position) at: vec4f) -> @location(0) vec4f {
      let uv = at.xy / vec2f(${2 * WIDTH}, ${2 * HEIGHT});
      let left = textureSampleLevel(drawing, linear, uv, 0);
      return select(textureLoad(enlarged, vec2u(at.xy), 0), left, at.x < ${WIDTH});
    }`,
});
const pipeline = device.createRenderPipeline({
  layout: 'auto',
  vertex: { module },
  fragment: { module, targets: [{ format }] },
});
const group = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: [
    { binding: 0, resource: drawing.createView() },
    { binding: 1, resource: network.getOutputTexture().createView() },
    { binding: 2, resource: device.createSampler({ magFilter: 'linear' }) },
  ],
});
const encoder = device.createCommandEncoder();
network.pass(encoder);
const pass = encoder.beginRenderPass({
  colorAttachments: [{ view: context.getCurrentTexture().createView(), loadOp: 'clear', storeOp: 'store' }],
});
pass.setPipeline(pipeline);
pass.setBindGroup(0, group);
pass.draw(3);
pass.end();
device.queue.submit([encoder.finish()]);
writeFileSync('anime4k.png', await canvas.toPNG());
device.destroy();
