// The light of a picture, with the environment that a file holds.
import { quoted } from '../base/printable';
import { ModelBudget } from '../gltf/budget';
import { presetPanorama } from '../gltf/light/presets';
import type { Panorama } from '../gltf/light/panorama';
import { readPanorama } from '../gltf/light/radiance-image';
import type { LightSettings } from '../gltf/light/settings';
import { reason } from '../node/models/files';
import { CommandError } from './errors';
import { readFileUpTo } from './input';
import type { EnvironmentRequest, LightRequest } from './options/light-options';

/** Reads the environment of a request. @throws CommandError or ModelError */
export async function readLight({ environment, ...settings }: LightRequest, most: number): Promise<LightSettings> {
  return { ...settings, panorama: await panoramaOf(environment, most) };
}

async function panoramaOf(environment: EnvironmentRequest, most: number): Promise<Panorama | undefined> {
  if ('preset' in environment) return environment.preset === 'studio' ? undefined : presetPanorama(environment.preset);
  const name = `The environment ${quoted(environment.file)}`;
  const exceeded = (): Error =>
    new CommandError(`${name} is larger than ${most >> 20} MiB; --model-memory raises the limit.`);
  let bytes: Uint8Array;
  try {
    bytes = await readFileUpTo(environment.file, { limit: most, exceeded });
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${name} ${reason(error)}.`, { cause: error });
  }
  const budget = new ModelBudget(most);
  budget.spend(bytes.length, name);
  return readPanorama(bytes, name, budget);
}
