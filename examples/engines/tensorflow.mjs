// TensorFlow.js with its WebGPU backend in Node, with the unmodified npm packages: `npm install rasterloom
// @tensorflow/tfjs @tensorflow/tfjs-backend-webgpu`, then `node tensorflow.mjs` writes tensorflow.png: a picture as a
// small network has learnt it from the positions and colours of its pixels. Matrix products, gradients and the
// optimizer run in compute shaders. The picture goes from the network to the canvas without being read back.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

// Some matrix products accumulate with atomic operations. In deterministic mode their result is the same on every run.
install({ deterministic: true });
const tf = await import('@tensorflow/tfjs');
await import('@tensorflow/tfjs-backend-webgpu');
await tf.setBackend('webgpu');
await tf.ready();
const WIDTH = 640;
const HEIGHT = 360;
const STEPS = 60;
const WAVES = 12;
const WIDE = 32;

/** Positions of a picture's pixels, from −1 to 1. */
const places = (width, height) =>
  tf.tidy(() =>
    tf.reshape(
      tf.stack(
        [
          tf.tile(tf.reshape(tf.linspace(-1, 1, width), [1, width]), [height, 1]),
          tf.tile(tf.reshape(tf.linspace(-1, 1, height), [height, 1]), [1, width]),
        ],
        2
      ),
      [width * height, 2]
    )
  );

// The training picture: a yellow disc on a blue ground that grows darker towards the bottom.
const taught = tf.tidy(() => {
  const at = places(64, 36);
  const [x, y] = tf.split(at, 2, 1);
  const none = tf.zerosLike(x);
  const far = tf.add(tf.square(tf.mul(x, 16 / 9)), tf.square(y));
  const disc = tf.cast(tf.less(far, 0.36), 'float32');
  const ground = tf.concat([none, tf.add(none, 0.2), tf.add(tf.mul(y, -0.25), 0.5)], 1);
  const colors = tf.add(tf.mul(tf.tensor2d([[0.95, 0.8, 0.1]]), disc), tf.mul(ground, tf.sub(1, disc)));
  return { at, colors };
});

// Uniformly distributed weights. A normal distribution would need a logarithm, which differs between JavaScript
// engines.
const spread = (shape, most, seed) => tf.randomUniform(shape, -most, most, 'float32', seed);
const random = (rows, columns, seed) => spread([rows, columns], Math.sqrt(3 / rows), seed);
const waves = spread([2, WAVES], 4.3, 1);
const weights = [
  [2 * WAVES, WIDE],
  [WIDE, WIDE],
  [WIDE, 3],
].map(([rows, columns], k) => ({
  by: tf.variable(random(rows, columns, k + 2)),
  plus: tf.variable(tf.zeros([columns])),
}));
const colorsAt = (at) => {
  const angles = tf.matMul(at, waves);
  return weights.reduce(
    (values, { by, plus }, k) => {
      const sums = tf.add(tf.matMul(values, by), plus);
      return k < weights.length - 1 ? tf.relu(sums) : tf.sigmoid(sums);
    },
    tf.concat([tf.sin(angles), tf.cos(angles)], 1)
  );
};

const optimizer = tf.train.adam(0.02);
const loss = () => tf.losses.meanSquaredError(taught.colors, colorsAt(taught.at));
for (let step = 0; step < STEPS; step++) optimizer.minimize(loss);

const picture = tf.tidy(() => {
  const half = tf.reshape(colorsAt(places(WIDTH / 2, HEIGHT / 2)), [HEIGHT / 2, WIDTH / 2, 3]);
  const whole = tf.reshape(tf.image.resizeBilinear(half, [HEIGHT, WIDTH], true), [WIDTH * HEIGHT, 3]);
  const bytes = tf.cast(tf.round(tf.mul(whole, 255)), 'int32');
  // Packs each pixel into one word. Its alpha of 255 makes the word negative.
  const factors = tf.tensor2d([[1, 256, 65536]], [1, 3], 'int32');
  return tf.sub(tf.sum(tf.mul(bytes, factors), 1), tf.scalar(16777216, 'int32'));
});
const { device } = tf.backend();
const canvas = createCanvas(WIDTH, HEIGHT);
const context = canvas.getContext('webgpu');
context.configure({ device, format: 'rgba8unorm', usage: globalThis.GPUTextureUsage.COPY_DST, alphaMode: 'opaque' });
const { buffer } = picture.dataToGPU();
const encoder = device.createCommandEncoder();
encoder.copyBufferToTexture(
  { buffer, bytesPerRow: WIDTH * 4 },
  { texture: context.getCurrentTexture() },
  { width: WIDTH, height: HEIGHT }
);
device.queue.submit([encoder.finish()]);
writeFileSync('tensorflow.png', new Uint8Array(await canvas.toPNG()));
