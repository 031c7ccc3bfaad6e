// Compares every scene with pictures that other WebGPU implementations drew with the same code
// (tests/images/reference).
import { afterAll, describe, expect, test } from 'vitest';
import { judge } from './compare';
import { openBuilt } from './open';
import { render, scenes } from './scenes';

// One device for all scenes; a scene that loses it fails alone.
let device: GPUDevice | undefined;
async function theDevice(): Promise<GPUDevice> {
  if (device) return device;
  const opened = (device = await openBuilt());
  void opened.lost.then(() => {
    if (device === opened) device = undefined;
  });
  return opened;
}
afterAll(() => device?.destroy());

describe('image scenes', () => {
  for (const [name, scene] of Object.entries(scenes))
    for (const samples of scene.samples)
      test(`${name} at ${samples}: ${scene.shows}`, async () => {
        expect(judge(name, scene, samples, await render(await theDevice(), scene, samples))).toBeUndefined();
      });
});
