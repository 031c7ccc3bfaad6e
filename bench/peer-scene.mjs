// Scenes of ../shared/peers as frames that run on any side (support/side-frames.mjs).
import { readback } from './scenes/kit.mjs';
import { peerScenes } from './support/peer-files.mjs';

export async function make(device, { name, ...shape }) {
  const { scenes } = await import(peerScenes);
  const scene = await scenes[name](device, shape);
  return {
    frame(repeats) {
      for (let i = 0; i < repeats; i++) scene.render();
    },
    picture: () => readback(device, scene.color),
    // Their resources live as long as the device.
    destroy: () => undefined,
  };
}
