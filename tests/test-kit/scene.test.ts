// renderScene: pictures of scenes at a time, for a seed, and what it leaves behind.
import { expect, test } from 'vitest';
import { install } from '../../build/index.js';
import { renderScene, type SceneContext, type SceneOptions } from '../../build/testing.js';

/** Clears the canvas in each frame, by time and chance. */
async function scene({ canvas }: SceneContext): Promise<void> {
  const device = await (await navigator.gpu.requestAdapter())!.requestDevice();
  const context = canvas.getContext('webgpu')!;
  context.configure({ device, format: 'rgba8unorm' });
  const draw = (at: number): void => {
    requestAnimationFrame(draw);
    const view = context.getCurrentTexture().createView();
    const clearValue = [at / 1000, Math.random(), (Date.now() % 1000) / 1000, 1];
    const encoder = device.createCommandEncoder();
    encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', clearValue, storeOp: 'store' }] }).end();
    device.queue.submit([encoder.finish()]);
  };
  requestAnimationFrame(draw);
}
const pixel = async (options: SceneOptions): Promise<number[]> => [
  ...(await renderScene(scene, { width: 3, height: 2, ...options })).data.subarray(0, 4),
];

test('renders the picture of a frame or a time, for a seed', async () => {
  const pictures = await Promise.all([pixel({ frame: 30 }), pixel({ time: 500 }), pixel({ frame: 30, seed: 2 })]);
  expect(pictures[0]!.filter((_, i) => i !== 1)).toEqual([128, 128, 255]);
  expect(pictures[1]).toEqual(pictures[0]);
  expect(pictures[2]![1]).not.toBe(pictures[0]![1]);
  expect((await pixel({ frame: 3, frameRate: 12 }))[0]).toBe(64);
});

test('leaves nothing behind, also after an exception', async () => {
  const names = ['document', 'navigator', 'setTimeout', 'Date', 'requestAnimationFrame', 'GPUAdapter'];
  const all = (): unknown[] => names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
  const before = all();
  let device: GPUDevice | undefined;
  const failing = renderScene(async () => {
    device = await (await navigator.gpu.requestAdapter())!.requestDevice();
    throw new Error('no model');
  });
  await expect(failing).rejects.toThrow('no model');
  expect(all()).toEqual(before);
  expect((await device!.lost).reason).toBe('destroyed');
  await expect(renderScene(() => requestAnimationFrame(() => expect.fail('a frame failed')))).rejects.toThrow(
    'a frame'
  );
  expect(all()).toEqual(before);
  expect((await renderScene(() => undefined, { width: 2, height: 1 })).data).toEqual(new Uint8ClampedArray(8));
});

test('waits for conditions in real time, and calls what the scene returns', async () => {
  const steps: unknown[] = [];
  let ready = 0;
  await renderScene(async ({ time }) => {
    await time.until(() => ++ready === 3, 'three questions');
    steps.push(ready, performance.now());
    requestAnimationFrame(() => steps.push('frame'));
    return () => steps.push('end');
  });
  expect(steps).toEqual([3, 0, 'frame', 'end']);
  await expect(renderScene(() => new Promise(() => undefined), { loadTimeoutMs: 50 })).rejects.toThrow(
    'nothing was loaded for 50 ms (loadTimeoutMs); still pending: the scene function, which must not wait for timers '
      + 'or frames (but may wait for time.until(condition))'
  );
  await expect(renderScene(({ time }) => time.until('ready' as unknown as () => void))).rejects.toThrow(
    'until: the condition must be a function'
  );
});

test('uses the globals that the application has installed', async () => {
  const uninstall = install({ threads: 0 });
  try {
    const { gpu } = navigator;
    let seen: GPU | undefined;
    await renderScene(() => void (seen = navigator.gpu));
    expect(seen).toBe(gpu);
    expect(navigator.gpu).toBe(gpu);
  } finally {
    uninstall();
  }
});

test('rejects unknown options and scenes that are no functions', () => {
  expect(() => renderScene(scene, { size: 5 } as SceneOptions)).toThrow(
    'renderScene: unknown option size; options are width, height, frame, time, seed, frameRate, loadTimeoutMs'
  );
  expect(() => renderScene('./scene.js' as unknown as () => void)).toThrow('the scene must be a function');
});
