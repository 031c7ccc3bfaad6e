// Compute passes of TypeGPU in Node, with the unmodified npm package: `npm install rasterloom typegpu`, then `node
// typegpu-compute.mjs` writes typegpu-compute.png: corals. Two substances diffuse and react in 51 200 cells (Gray-Scott
// model), for 2200 steps in one compute pass. The amount of the second substance becomes a lit height field.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install();
const { d, tgpu } = await import('typegpu');
const WIDTH = 320;
const HEIGHT = 160;
const STEPS = 2200;
const root = await tgpu.init();
const canvas = createCanvas(640, 360);
const context = root.configureContext({ canvas });

const Cells = d.arrayOf(d.vec2f, WIDTH * HEIGHT);
const Rates = d.struct({ feed: d.f32, kill: d.f32 });
const layout = tgpu.bindGroupLayout({
  rates: { uniform: Rates },
  now: { storage: Cells },
  next: { storage: Cells, access: 'mutable' },
});
// Coordinates wrap around at the edges.
const cell = tgpu.fn([d.vec2i], d.vec2f)`(at) {
  let size = vec2i(${String(WIDTH)}, ${String(HEIGHT)});
  let p = select(select(at, at - size, at >= size), at + size, at < vec2i(0));
  return layout.$.now[p.y * size.x + p.x];
}`.$uses({ layout });
const react = tgpu.computeFn({ in: { id: d.builtin.globalInvocationId }, workgroupSize: [16, 4] })`{
  let p = vec2i(in.id.xy);
  let own = cell(p);
  let beside = cell(p + vec2i(1, 0)) + cell(p - vec2i(1, 0)) + cell(p + vec2i(0, 1)) + cell(p - vec2i(0, 1));
  let across = cell(p + vec2i(1, 1)) + cell(p - vec2i(1, 1)) + cell(p + vec2i(1, -1)) + cell(p - vec2i(1, -1));
  let spread = 0.2 * beside + 0.05 * across - own;
  let reaction = own.x * own.y * own.y;
  let rates = layout.$.rates;
  // The first is fed and the second taken away, more of it towards the right.
  let kill = rates.kill + 0.004 * f32(p.x) / ${String(WIDTH)};
  let change = vec2f(rates.feed * (1 - own.x) - reaction, reaction - (rates.feed + kill) * own.y);
  layout.$.next[p.y * ${String(WIDTH)} + p.x] = own + vec2f(1, 0.5) * spread + change;
}`.$uses({ cell, layout });

const start = Array.from({ length: WIDTH * HEIGHT }, (_, i) => {
  const x = i % WIDTH;
  const y = Math.floor(i / WIDTH);
  const isSeed = x % 64 < 6 && (y + (x >> 6) * 29) % 80 < 6;
  return d.vec2f(isSeed ? 0.5 : 1, isSeed ? 0.25 : 0);
});
const cells = [0, 1].map(() => root.createBuffer(Cells, start).$usage('storage'));
const rates = root.createBuffer(Rates, { feed: 0.037, kill: 0.0585 }).$usage('uniform');
const groups = [0, 1].map((k) => root.createBindGroup(layout, { rates, now: cells[k], next: cells[1 - k] }));
const step = root.createComputePipeline({ compute: react });
const encoder = root['~unstable'].createCommandEncoder();
const pass = encoder.beginComputePass();
for (let k = 0; k < STEPS; k++)
  step
    .with(pass)
    .with(groups[k % 2])
    .dispatchWorkgroups(WIDTH / 16, HEIGHT / 4);
pass.end();
encoder.submit();

const shown = tgpu.bindGroupLayout({ cells: { storage: Cells } });
const heightOf = tgpu.fn([d.vec2f], d.f32)`(at) {
  let size = vec2i(${String(WIDTH)}, ${String(HEIGHT)});
  let p = vec2i(floor(at));
  let t = fract(at);
  let a = clamp(p, vec2i(0), size - 1);
  let b = clamp(p + 1, vec2i(0), size - 1);
  let upper = mix(shown.$.cells[a.y * size.x + a.x].y, shown.$.cells[a.y * size.x + b.x].y, t.x);
  let lower = mix(shown.$.cells[b.y * size.x + a.x].y, shown.$.cells[b.y * size.x + b.x].y, t.x);
  return mix(upper, lower, t.y);
}`.$uses({ shown });
const vertex = tgpu.vertexFn({ in: { v: d.builtin.vertexIndex }, out: { position: d.builtin.position } })`{
  return Out(vec4f(f32(in.v / 2) * 4 - 1, f32(in.v % 2) * 4 - 1, 0, 1));
}`;
const fragment = tgpu.fragmentFn({ in: { position: d.builtin.position }, out: d.vec4f })`{
  // A margin without corals.
  let at = (in.position.xy - vec2f(16, 16)) * vec2f(${String(WIDTH)}, ${String(HEIGHT)}) / vec2f(608, 328);
  let inside = all(at > vec2f(0)) && all(at < vec2f(${String(WIDTH)}, ${String(HEIGHT)}));
  let h = select(0, heightOf(at), inside);
  let right = heightOf(at + vec2f(1, 0)) - heightOf(at - vec2f(1, 0));
  let down = heightOf(at + vec2f(0, 1)) - heightOf(at - vec2f(0, 1));
  let normal = normalize(vec3f(select(vec2f(0), -4 * vec2f(right, down), inside), 1));
  let light = 0.35 + 0.75 * max(0, dot(normal, normalize(vec3f(-3, -4, 5))));
  let colour = mix(vec3f(0.07, 0.13, 0.22), vec3f(0.95, 0.5, 0.3), smoothstep(0.08, 0.3, h));
  return vec4f(colour * light, 1);
}`.$uses({ heightOf });
root
  .createRenderPipeline({ vertex, fragment })
  .with(root.createBindGroup(shown, { cells: cells[STEPS % 2] }))
  .withColorAttachment({ view: context, clearValue: [0, 0, 0, 1] })
  .draw(3);
writeFileSync('typegpu-compute.png', await canvas.toPNG());
root.destroy();
