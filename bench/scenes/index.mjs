// The bench's own scenes by name: the six of ../scenes.mjs, and users' frames, each with a file here.
import { scenes as six } from '../scenes.mjs';
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

/** What a scene makes must be valid on the device: errors of validation are thrown, so that a refusal is no picture. */
const checked = (make) => async (device, options) => {
  device.pushErrorScope('validation');
  const scene = make(device, options), error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  return scene;
};

/** Frames as programs of users draw them; each technique costs something else. */
export const frames = Object.fromEntries(Object.entries({
  shadows, stencil, hdr, deferred, reflections, foliage, terrain, text, interface: userInterface, crowd, voxels,
  raymarch, draws,
}).map(([name, make]) => [name, checked(make)]));
export const scenes = { ...six, ...frames };
