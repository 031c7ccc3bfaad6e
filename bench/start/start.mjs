// Draws a 64×64 triangle, reads it back and prints the milliseconds since the process started. bench/run.mjs starts it,
// and bench/start/sooner.mjs does with the URL of a build.
const { create } = await import(process.argv[2] ?? '../../build/index.js');

const SIZE = 64;
const adapter = await create().requestAdapter();
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
const middle = new Uint8Array(buffer.getMappedRange())[(32 * SIZE + 32) * 4 + 2];
if (middle !== 128) throw new Error(`the triangle's middle is ${middle}, not 128`);
console.log(performance.now().toFixed(1));
process.exit(0);
