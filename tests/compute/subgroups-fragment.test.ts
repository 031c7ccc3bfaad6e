// Subgroups in fragment shaders: a quad of pixels. Helper invocations and discarded pixels are inactive in subgroup
// operations, but quad operations read their values.
import { describe, expect, test } from 'vitest';
import { deviceOf, engines, read, USAGE } from './kit';
import { GPUTextureUsage } from '../support/flags';

const SIDE = 8;
const SCISSOR = [1, 1, 5, 6] as const;
const isCovered = (x: number, y: number): boolean => x >= 1 && x < 6 && y >= 1 && y < 7;
const isDiscarded = (x: number, y: number): boolean => (x + y) % 5 === 0;

const code = `enable subgroups; diagnostic(off, subgroup_uniformity);
  @vertex fn corner(@builtin(vertex_index) k: u32) -> @builtin(position) vec4f {
    return vec4f(vec2f(vec2u((k << 1u) & 2u, k & 2u)) * 2 - 1, 0.5, 1);
  }
  @fragment fn shade(
    @builtin(position) p: vec4f, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32
  ) -> @location(0) vec4u {
    let own = u32(p.y) * ${SIDE}u + u32(p.x);
    let before = subgroupBallot(true).x;
    let sum = subgroupAdd(own);
    if ((u32(p.x) + u32(p.y)) % 5u == 0u) { discard; }
    var first = 99u;
    if (u32(p.x) % 4u != 1u) { first = subgroupBroadcastFirst(own) + 16u * subgroupBallot(true).x; }
    return vec4u(
      before | (subgroupBallot(true).x << 4u) | (lane << 8u) | (size << 12u) | (u32(subgroupElect()) << 16u), sum,
      quadSwapX(own) | (quadSwapY(own) << 8u) | (quadSwapDiagonal(own) << 16u) | (quadBroadcast(own, 3) << 24u), first
    );
  }`;

const number = (x: number, y: number): number => y * SIDE + x;

/** The four words of a pixel. */
function wanted(x: number, y: number): number[] {
  if (!isCovered(x, y) || isDiscarded(x, y)) return [0, 0, 0, 0];
  const left = x & ~1;
  const top = y & ~1;
  const lanes = [
    [left, top],
    [left + 1, top],
    [left, top + 1],
    [left + 1, top + 1],
  ] as [number, number][];
  const covered = lanes.map(([i, j]) => isCovered(i, j));
  const stays = lanes.map(([i, j], k) => covered[k]! && !isDiscarded(i, j));
  const bits = (those: readonly boolean[]): number => those.reduce((all, is, k) => all | (Number(is) << k), 0);
  const lane = x - left + 2 * (y - top);
  const sum = lanes.reduce((all, [i, j], k) => all + (covered[k] ? number(i, j) : 0), 0);
  const at = (k: number): number => number(...lanes[k]!);
  const some = stays.map((is, k) => is && lanes[k]![0] % 4 !== 1);
  const first = x % 4 === 1 ? 99 : at(some.indexOf(true)) + 16 * bits(some);
  return [
    bits(covered) | (bits(stays) << 4) | (lane << 8) | (4 << 12) | (Number(lane === stays.indexOf(true)) << 16),
    sum,
    (at(lane ^ 1) | (at(lane ^ 2) << 8) | (at(lane ^ 3) << 16) | (at(3) << 24)) >>> 0,
    first,
  ];
}

describe.each(Object.keys(engines))('%s', (name) => {
  test('a fragment shader reads the values of its quad', async () => {
    const device = await deviceOf(name);
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba32uint' }] },
    });
    const target = device.createTexture({
      size: [SIDE, SIDE],
      format: 'rgba32uint',
      usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT,
    });
    const pixels = device.createBuffer({ size: 256 * SIDE, usage: USAGE.COPY_DST | USAGE.COPY_SRC });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(pipeline);
    pass.setScissorRect(...SCISSOR);
    pass.draw(3);
    pass.end();
    encoder.copyTextureToBuffer({ texture: target }, { buffer: pixels, bytesPerRow: 256 }, [SIDE, SIDE]);
    device.queue.submit([encoder.finish()]);
    expect((await device.popErrorScope())?.message).toBe(undefined);
    const words = await read(device, pixels);
    for (let y = 0; y < SIDE; y++)
      for (let x = 0; x < SIDE; x++)
        expect([...words.slice(y * 64 + 4 * x, y * 64 + 4 * x + 4)], `pixel ${x}, ${y}`).toEqual(wanted(x, y));
  });
});
