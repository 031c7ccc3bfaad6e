// Draws a 256×256 triangle and reads it back. Prints the milliseconds that the import took, and those from the start of
// the process until the pixels were there. bench/run.mjs starts it, and bench/start/sooner.mjs does with the URL of a
// build. The arguments: the URL of a module that exports `create`, and the options of `create` in JSON.
const began = performance.now();
const { create } = await import(process.argv[2] ?? '../../build/index.js');
const imported = performance.now() - began;

const SIZE = 256;
// Dawn's objects do not keep the GPU alive.
const gpu = create(JSON.parse(process.argv[3] ?? '{}'));
const adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice();
const color = device.createTexture({ size: [SIZE, SIZE], format: 'rgba8unorm', usage: 17 });
const module = device.createShaderModule({
  code: `
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    var p = array(vec2f(-0.8, -0.8), vec2f(0.8, -0.8), vec2f(0, 0.8)); return vec4f(p[i], 0.5, 1);
  }
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return vec4f(p.xy / ${SIZE}, 0.5, 1); }`,
});
const pipeline = device.createRenderPipeline({
  layout: 'auto',
  vertex: { module },
  fragment: { module, targets: [{ format: 'rgba8unorm' }] },
});
const buffer = device.createBuffer({ size: SIZE * SIZE * 4, usage: 9 });
const encoder = device.createCommandEncoder();
const pass = encoder.beginRenderPass({
  colorAttachments: [{ view: color.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 0, 1] }],
});
pass.setPipeline(pipeline);
pass.draw(3);
pass.end();
encoder.copyTextureToBuffer({ texture: color }, { buffer, bytesPerRow: SIZE * 4 }, [SIZE, SIZE]);
device.queue.submit([encoder.finish()]);
await buffer.mapAsync(1);
const middle = new Uint8Array(buffer.getMappedRange())[(128 * SIZE + 128) * 4 + 2];
if (middle !== 128) throw new Error(`the triangle's middle is ${middle}, not 128`);
const triangle = performance.now();
console.log(JSON.stringify({ import: imported, triangle }));
process.exit(gpu ? 0 : 1);
