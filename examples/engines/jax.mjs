// jax-js with its WebGPU backend in Node, with the unmodified npm package: `npm install rasterloom @jax-js/jax`, then
// `node jax.mjs` writes jax.png: smoke that flows past a ball. `jit` compiles plain functions into compute shaders that
// gather, roll and add arrays. The program reads the result back and writes it to the canvas.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install();
const { blockUntilReady, defaultDevice, getWebGPUDevice, init, jit, numpy: np } = await import('@jax-js/jax');
await init('webgpu');
defaultDevice('webgpu');
const WIDTH = 320;
const HEIGHT = 180;
const STEPS = 100;
const ROUNDS = 16;
const SPEED = 3;

// An operation consumes its arrays; `ref` keeps an array for another use.
const [y, x] = np.meshgrid([np.arange(HEIGHT), np.arange(WIDTH)], { indexing: 'ij' }).map((a) => a.astype('float32'));
const BALL = { x: 80, y: 88, radius: 26 };
const far = np.sqrt(np.add(np.square(x.ref.sub(BALL.x)), np.square(y.ref.sub(BALL.y))));
const free = np.clip(far.sub(BALL.radius), 0, 1);
const stripes = np.less(np.remainder(y.ref.add(10), 20), 7).astype('float32');
const inlet = np.less(x.ref, 4).astype('float32');

const roll = (a, down, right) => np.roll(a, [down, right], [0, 1]);
/** Returns the values at the points that the flow came from, interpolated between four cells. */
const carried = (a, u, v) => {
  const fromX = np.clip(x.ref.sub(u), 0, WIDTH - 1.001);
  const fromY = np.clip(y.ref.sub(v), 0, HEIGHT - 1.001);
  const left = np.floor(fromX.ref);
  const top = np.floor(fromY.ref);
  const s = fromX.sub(left.ref);
  const t = fromY.sub(top.ref);
  const at = top.mul(WIDTH).add(left).astype('int32');
  const flat = np.ravel(a);
  const cell = (offset) => np.take(flat.ref, at.ref.add(offset));
  const upper = cell(0).mul(np.subtract(1, s.ref)).add(cell(1).mul(s.ref));
  const lower = cell(WIDTH)
    .mul(np.subtract(1, s.ref))
    .add(cell(WIDTH + 1).mul(s));
  return upper.mul(np.subtract(1, t.ref)).add(lower.mul(t));
};
const step = jit((u, v, smoke) => {
  const nextU = carried(u.ref, u.ref, v.ref);
  const nextV = carried(v.ref, u.ref, v.ref);
  const nextSmoke = carried(smoke, u, v);
  const open = np.subtract(1, inlet.ref);
  return [
    nextU.mul(open.ref).add(inlet.ref.mul(SPEED)).mul(free.ref),
    nextV.mul(open.ref).mul(free.ref),
    nextSmoke.mul(open).add(inlet.ref.mul(stripes.ref)).mul(free.ref),
  ];
});
const divergence = jit((u, v) =>
  roll(u.ref, 0, -1)
    .sub(roll(u, 0, 1))
    .add(roll(v.ref, -1, 0))
    .sub(roll(v, 1, 0))
    .mul(0.5)
);
const round = jit((p, d) =>
  roll(p.ref, 0, 1)
    .add(roll(p.ref, 0, -1))
    .add(roll(p.ref, 1, 0))
    .add(roll(p, -1, 0))
    .sub(d)
    .mul(0.25)
);
const project = jit((u, v, p) => [
  u
    .sub(
      roll(p.ref, 0, -1)
        .sub(roll(p.ref, 0, 1))
        .mul(0.5)
    )
    .mul(free.ref),
  v
    .sub(
      roll(p.ref, -1, 0)
        .sub(roll(p, 1, 0))
        .mul(0.5)
    )
    .mul(free.ref),
]);

let u = free.ref.mul(SPEED);
let v = np.zeros([HEIGHT, WIDTH]);
let smoke = np.zeros([HEIGHT, WIDTH]);
// A slight vertical flow breaks the symmetry of the two halves.
v = v.add(np.sin(x.ref.mul(0.05)).mul(free.ref).mul(0.3));
for (let k = 0; k < STEPS; k++) {
  [u, v, smoke] = step(u, v, smoke);
  const d = divergence(u.ref, v.ref);
  let p = np.zeros([HEIGHT, WIDTH]);
  for (let i = 0; i < ROUNDS; i++) p = round(p, d.ref);
  d.dispose();
  [u, v] = project(u, v, p);
  // Wait here: work that is submitted during this time starts afterwards.
  await blockUntilReady([u, v, smoke]);
}

// Two pixels per cell, interpolated between four cells. The ball is yellow and lit from above.
const thick = smoke.dataSync();
const pixels = new Uint8Array(4 * WIDTH * HEIGHT * 4);
const colors = { dark: [16, 26, 48], smoke: [196, 214, 232], ball: [250, 196, 40] };
for (let row = 0; row < 2 * HEIGHT; row++)
  for (let column = 0; column < 2 * WIDTH; column++) {
    const right = Math.min(Math.max(column / 2 - 0.25, 0), WIDTH - 1.001);
    const s = right % 1;
    const down = Math.min(Math.max(row / 2 - 0.25, 0), HEIGHT - 1.001);
    const t = down % 1;
    const at = Math.floor(down) * WIDTH + Math.floor(right);
    const between = (k) => thick[k] * (1 - s) + thick[k + 1] * s;
    const share = between(at) * (1 - t) + between(at + WIDTH) * t;
    const nx = (right - BALL.x) / BALL.radius;
    const ny = (down - BALL.y) / BALL.radius;
    const nz = 1 - nx * nx - ny * ny;
    const light = 0.25 + 0.75 * Math.max(0, 0.5 * Math.sqrt(Math.max(nz, 0)) - 0.4 * nx - 0.75 * ny);
    const color = [0, 1, 2].map((c) =>
      nz > 0 ? colors.ball[c] * Math.min(1, light) : colors.dark[c] + (colors.smoke[c] - colors.dark[c]) * share
    );
    pixels.set([...color, 255], (row * 2 * WIDTH + column) * 4);
  }
const device = getWebGPUDevice();
const canvas = createCanvas(2 * WIDTH, 2 * HEIGHT);
const context = canvas.getContext('webgpu');
context.configure({ device, format: 'rgba8unorm', usage: globalThis.GPUTextureUsage.COPY_DST, alphaMode: 'opaque' });
device.queue.writeTexture({ texture: context.getCurrentTexture() }, pixels, { bytesPerRow: 8 * WIDTH }, [
  2 * WIDTH,
  2 * HEIGHT,
]);
writeFileSync('jax.png', new Uint8Array(await canvas.toPNG()));
