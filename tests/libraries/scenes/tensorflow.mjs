// TensorFlow.js: convolutions, pooling and a matrix product on its WebGPU backend.
export const options = { deterministic: true };
export async function draw({ show }) {
  const tf = await import('@tensorflow/tfjs');
  await import('@tensorflow/tfjs-backend-webgpu');
  await tf.setBackend('webgpu');
  await tf.ready();
  const [width, height] = [128, 80];
  const result = tf.tidy(() => {
    const x = tf.tile(tf.linspace(0, 12, width).reshape([1, width]), [height, 1]);
    const y = tf.tile(tf.linspace(0, 9, height).reshape([height, 1]), [1, width]);
    const picture = tf.sin(x).mul(tf.cos(y)).reshape([1, height, width, 1]);
    const kernel = tf.tensor4d([1, 2, 1, 0, 0, 0, -1, -2, -1, 1, 0, -1, 2, 0, -2, 1, 0, -1], [3, 3, 1, 2]);
    const edges = tf.conv2d(picture, kernel, 1, 'same').abs();
    const pooled = tf.maxPool(edges, 2, 2, 'same').resizeBilinear([height, width]);
    const mixed = pooled.reshape([height * width, 2]).matMul(tf.tensor2d([0.5, 0.1, 0.2, 0.1, 0.4, 0.6], [2, 3]));
    return tf.tanh(mixed.mul(2));
  });
  show(await result.data(), width, height, 3);
}
