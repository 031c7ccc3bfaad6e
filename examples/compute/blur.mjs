// node examples/compute/blur.mjs [blur.png]
// Depth of field with compute passes. The first pass writes a picture to a storage texture. Two more blur it where it
// is out of focus, first along rows and then along columns. Each workgroup loads a run of pixels with its neighbours
// into workgroup memory once; every pixel then reads as many neighbours as its blur needs. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const [file = 'blur.png'] = process.argv.slice(2);
const WIDTH = 640;
const HEIGHT = 384;

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice();
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

const module = device.createShaderModule({
  code: `
  override isColumn: bool = false;
  @group(0) @binding(0) var out: texture_storage_2d<rgba16float, write>;
  @group(0) @binding(1) var picture: texture_2d<f32>;

  // Balls in rows on a floor, each row further away; alpha: how far out of focus, 0 to 1.
  @compute @workgroup_size(8, 8) fn paint(@builtin(global_invocation_id) id: vec3u) {
    let p = (vec2f(id.xy) + 0.5 - vec2f(${WIDTH / 2}, ${HEIGHT * 0.3})) / ${HEIGHT}.0;
    let far = 0.35 / max(p.y, 0.001);
    let tiles = floor(vec2f(p.x * far * 3 + 100, far * 2));
    let floor_ = select(vec3f(0.05, 0.07, 0.12), vec3f(0.25, 0.27, 0.3), (tiles.x + tiles.y) % 2 == 0);
    var color = select(mix(vec3f(0.9, 0.55, 0.3), vec3f(0.1, 0.16, 0.35), saturate(-p.y * 4)), floor_, p.y > 0);
    var focus = select(1.0, saturate(abs(far - 1.1) * 1.2), p.y > 0);
    for (var row = 5; row >= 0; row--) {
      let distance = 0.6 + f32(row) * 0.5;
      let radius = 0.14 / distance;
      for (var k = -4; k <= 4; k++) {
        let c = vec2f((f32(k) + f32(row % 2) * 0.5) * 0.36 / distance, 0.35 / distance - radius);
        let d = (p - c) / radius;
        let h = 1 - dot(d, d);
        if (h < 0) { continue; }
        let n = vec3f(d, sqrt(h));
        let hue = 0.5 + 0.5 * cos(f32(row) * 1.3 + f32(k) * 2.1 + vec3f(0, 2.1, 4.2));
        let light = max(dot(n, normalize(vec3f(-0.5, -0.7, 0.5))), 0.0);
        color = hue * (0.15 + 0.85 * light) + 6 * pow(light, 60.0);
        focus = saturate(abs(distance - 1.1) * 1.2);
      }
    }
    textureStore(out, id.xy, vec4f(color, focus));
  }

  const LINE = 128u;
  const REACH = 16u;
  var<workgroup> line: array<vec4f, LINE + 2 * REACH>;
  fn place(along: i32, across: u32) -> vec2i {
    return select(vec2i(along, i32(across)), vec2i(i32(across), along), isColumn);
  }
  @compute @workgroup_size(LINE) fn blur(
    @builtin(local_invocation_index) i: u32, @builtin(workgroup_id) w: vec3u
  ) {
    let size = vec2i(textureDimensions(picture));
    let first = i32(w.x * LINE) - i32(REACH);
    let length = select(size.x, size.y, isColumn);
    for (var k = i; k < LINE + 2 * REACH; k += LINE) {
      line[k] = textureLoad(picture, place(clamp(first + i32(k), 0, length - 1), w.y), 0);
    }
    workgroupBarrier();
    let own = line[i + REACH];
    let width = own.a * own.a * f32(REACH) * 0.45 + 0.01;
    let reach = min(u32(width * 2.2), REACH);
    var sum = vec4f();
    for (var k = 0u; k <= 2 * reach; k++) {
      let x = (f32(k) - f32(reach)) / width;
      let near = line[i + REACH + k - reach];
      // What is in focus does not spread over what is not.
      sum += vec4f(near.rgb, 1) * exp(-0.5 * x * x) * (0.02 + near.a);
    }
    let along = first + i32(i + REACH);
    if (along < length) { textureStore(out, place(along, w.y), vec4f(sum.rgb / sum.a, own.a)); }
  }`,
});
const compute = (entryPoint, constants) =>
  device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint, constants } });
const [paint, rows, columns] = await Promise.all([
  compute('paint'),
  compute('blur', { isColumn: 0 }),
  compute('blur', { isColumn: 1 }),
]);

const { STORAGE_BINDING, TEXTURE_BINDING, RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
const textures = [0, 1].map(() =>
  device.createTexture({ size: [WIDTH, HEIGHT], format: 'rgba16float', usage: STORAGE_BINDING | TEXTURE_BINDING })
);
const groupOf = (pipeline, ...views) =>
  device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: views.map((view, binding) => ({ binding, resource: view })),
  });
const [a, b] = textures.map((texture) => texture.createView());
const encoder = device.createCommandEncoder();
const pass = encoder.beginComputePass();
for (const [pipeline, group, x, y] of [
  [paint, groupOf(paint, a), WIDTH / 8, HEIGHT / 8],
  [rows, groupOf(rows, b, a), Math.ceil(WIDTH / 128), HEIGHT],
  [columns, groupOf(columns, a, b), Math.ceil(HEIGHT / 128), WIDTH],
]) {
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(x, y);
}
pass.end();

const screen = device.createTexture({
  size: [WIDTH, HEIGHT],
  format: 'rgba8unorm-srgb',
  usage: RENDER_ATTACHMENT | COPY_SRC,
});
const drawing = device.createShaderModule({
  code: `
  @group(0) @binding(0) var picture: texture_2d<f32>;
  @vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i / 2u) * 4 - 1, f32(i % 2u) * 4 - 1, 0, 1);
  }
  @fragment fn show(@builtin(position) p: vec4f) -> @location(0) vec4f {
    return vec4f(textureLoad(picture, vec2u(p.xy), 0).rgb, 1);
  }`,
});
const show = device.createRenderPipeline({
  layout: 'auto',
  vertex: { module: drawing },
  fragment: { module: drawing, targets: [{ format: 'rgba8unorm-srgb' }] },
});
const draw = encoder.beginRenderPass({
  colorAttachments: [{ view: screen.createView(), loadOp: 'clear', storeOp: 'store' }],
});
draw.setPipeline(show);
draw.setBindGroup(0, groupOf(show, a));
draw.draw(3);
draw.end();
const pixels = device.createBuffer({
  size: WIDTH * HEIGHT * 4,
  usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
});
encoder.copyTextureToBuffer({ texture: screen }, { buffer: pixels, bytesPerRow: WIDTH * 4 }, [WIDTH, HEIGHT]);
device.queue.submit([encoder.finish()]);
await pixels.mapAsync(GPUMapMode.READ);
const data = new Uint8Array(pixels.getMappedRange());
writeFileSync(file, encode({ width: WIDTH, height: HEIGHT, channels: 4, data }));
console.log(`Wrote ${file}.`);
device.destroy();
