// The benchmarks' own scenes by name: the six of scenes.mjs, and typical frames, each with a file here.
import { scenes as six } from './scenes.mjs';
import { crowd } from './crowd.mjs';
import { deferred } from './deferred.mjs';
import { draws } from './draws.mjs';
import { foliage } from './foliage.mjs';
import { hdr } from './hdr.mjs';
import { userInterface } from './interface.mjs';
import { raymarch } from './raymarch.mjs';
import { reflections } from './reflections.mjs';
import { shadows } from './shadows.mjs';
import { stencil } from './stencil.mjs';
import { terrain } from './terrain.mjs';
import { text } from './text.mjs';
import { voxels } from './voxels.mjs';

export { corridor, corridorRates } from './corridor.mjs';
export { readback } from './kit.mjs';
export { sprites } from './sprites.mjs';

/**
 * A scene must be valid on the device. Throws validation errors, so that a refused scene does not count as a picture.
 */
const checked = (make) => async (device, options) => {
  device.pushErrorScope('validation');
  const scene = make(device, options);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  return scene;
};

/** Typical frames of applications. Each is dominated by a different technique. */
export const frames = Object.fromEntries(
  Object.entries({
    shadows,
    stencil,
    hdr,
    deferred,
    reflections,
    foliage,
    terrain,
    text,
    interface: userInterface,
    crowd,
    voxels,
    raymarch,
    draws,
  }).map(([name, make]) => [name, checked(make)])
);
export const scenes = { ...six, ...frames };
