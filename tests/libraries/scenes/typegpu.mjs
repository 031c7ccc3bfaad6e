// TypeGPU: a reaction and diffusion of two substances, in typed buffers and compute functions.
export async function draw({ canvas, show }) {
  const { d, tgpu } = await import('typegpu');
  const [width, height] = [canvas.width / 2, canvas.height / 2];
  const root = await tgpu.init();
  const Cells = d.arrayOf(d.vec2f, width * height);
  const layout = tgpu.bindGroupLayout({ now: { storage: Cells }, next: { storage: Cells, access: 'mutable' } });
  const cell = tgpu.fn([d.vec2i], d.vec2f)`(at) {
    let size = vec2i(${String(width)}, ${String(height)});
    let p = (at + size) % size;
    return layout.$.now[p.y * size.x + p.x];
  }`.$uses({ layout });
  const react = tgpu.computeFn({ in: { id: d.builtin.globalInvocationId }, workgroupSize: [16, 4] })`{
    let p = vec2i(in.id.xy);
    let own = cell(p);
    let beside = cell(p + vec2i(1, 0)) + cell(p - vec2i(1, 0)) + cell(p + vec2i(0, 1)) + cell(p - vec2i(0, 1));
    let spread = 0.25 * beside - own;
    let reaction = own.x * own.y * own.y;
    let change = vec2f(0.037 * (1 - own.x) - reaction, reaction - 0.097 * own.y);
    layout.$.next[p.y * ${String(width)} + p.x] = own + vec2f(0.8, 0.4) * spread + change;
  }`.$uses({ cell, layout });
  const start = Array.from({ length: width * height }, (_, i) => {
    const isSeed = (i % width) % 32 < 6 && Math.floor(i / width) % 40 < 6;
    return d.vec2f(isSeed ? 0.5 : 1, isSeed ? 0.3 : 0);
  });
  const cells = [0, 1].map(() => root.createBuffer(Cells, start).$usage('storage'));
  const groups = [0, 1].map((k) => root.createBindGroup(layout, { now: cells[k], next: cells[1 - k] }));
  const step = root.createComputePipeline({ compute: react });
  for (let k = 0; k < 200; k++) step.with(groups[k % 2]).dispatchWorkgroups(width / 16, height / 4);
  const values = await cells[0].read();
  show(
    values.map(({ y }) => 2.5 * y),
    width,
    height
  );
}
