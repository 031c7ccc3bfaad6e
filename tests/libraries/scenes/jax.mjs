// jax-js: waves that `jit` compiles to compute shaders, and a gradient.
export async function draw({ show }) {
  const { defaultDevice, grad, init, jit, numpy: np } = await import('@jax-js/jax');
  await init('webgpu');
  defaultDevice('webgpu');
  const [width, height] = [128, 80];
  const [y, x] = np.meshgrid([np.arange(height), np.arange(width)], { indexing: 'ij' }).map((a) => a.astype('float32'));
  const far = (a, b) =>
    np.sqrt(
      np
        .square(x.ref.sub(a))
        .add(np.square(y.ref.sub(b)))
        .add(1)
    );
  const waves = jit((p, q) =>
    np
      .sin(p.mul(0.35))
      .add(np.cos(q.mul(0.5)))
      .mul(0.25)
      .add(0.5)
  );
  const slope = jit(grad((a) => np.square(np.sin(a.mul(0.1))).sum()));
  const bright = waves(far(30, 20), far(100, 60)).sub(slope(x.ref).mul(2));
  show(await bright.data(), width, height);
}
