// The light of a picture, with the environment that a file holds, or with what an earlier process has filtered of it.
/// <reference types="@webgpu/types" />
import { BUILD_ID } from '../base/build-id';
import { quoted } from '../base/printable';
import { ModelBudget } from '../gltf/budget';
import { filteredLight } from '../gltf/light/filtered-light';
import { filteredLightOf } from '../gltf/light/lighting';
import { presetPanorama } from '../gltf/light/presets';
import { readPanorama } from '../gltf/light/radiance-image';
import type { LightImage, LightSettings } from '../gltf/light/settings';
import { reason } from '../node/models/files';
import type { RecordStore } from '../node/shader-files';
import { CommandError } from './errors';
import { readFileUpTo } from './input';
import type { EnvironmentRequest, LightRequest } from './options/light-options';

/** The light of pictures. */
export class PictureLight {
  readonly settings: LightSettings;
  readonly #store: RecordStore | null;
  /** The record that the cache lacks. */
  #missing: string | undefined;

  private constructor(settings: LightSettings, store: RecordStore | null, missing?: string) {
    this.settings = settings;
    this.#store = store;
    this.#missing = missing;
  }

  /**
   * Reads the environment of a request.
   * @param most bytes that it may take
   * @param openStore opens the cache; null without one
   * @throws CommandError or ModelError
   */
  static async read(
    { environment, ...settings }: LightRequest,
    most: number,
    openStore: () => Promise<RecordStore | null>
  ): Promise<PictureLight> {
    const source = environment && (await sourceOf(environment, most));
    if (!source) return new PictureLight({ ...settings, image: environment && 'studio' }, null);
    // The panorama itself is shown behind the model.
    const store = settings.backdrop === undefined ? await openStore() : null;
    if (!store) return new PictureLight({ ...settings, image: await source.read() }, null);
    const { rotation, intensity } = settings;
    const name = store.digest([JSON.stringify(['light', BUILD_ID, rotation, intensity]), source.contents]);
    const bytes = store.read(name);
    const known = bytes && filteredLight(bytes);
    if (known) return new PictureLight({ ...settings, image: known }, store);
    return new PictureLight({ ...settings, image: await source.read() }, store, name);
  }

  /** Keeps what was filtered of the environment for the last picture, for later processes. */
  async keep(device: GPUDevice): Promise<void> {
    const name = this.#missing;
    const { image } = this.settings;
    if (name === undefined || !image || image === 'studio') return;
    const light = await filteredLightOf(device, image);
    if (!light) return;
    this.#missing = undefined;
    this.#store!.write(new Map([[name, light.filtered]]));
  }
}

interface Source {
  /** The bytes of the file, or the name of the preset. */
  readonly contents: Uint8Array | string;
  read(): LightImage | Promise<LightImage>;
}

/** Undefined: the studio, which needs no source. */
async function sourceOf(environment: EnvironmentRequest, most: number): Promise<Source | undefined> {
  if ('file' in environment) return fileSource(environment.file, most);
  const { preset } = environment;
  return preset === 'studio' ? undefined : { contents: preset, read: () => presetPanorama(preset) };
}

async function fileSource(file: string, most: number): Promise<Source> {
  const name = `The environment ${quoted(file)}`;
  const exceeded = (): Error =>
    new CommandError(`${name} is larger than ${most >> 20} MiB; --model-memory raises the limit.`);
  let bytes: Uint8Array;
  try {
    bytes = await readFileUpTo(file, { limit: most, exceeded });
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${name} ${reason(error)}.`, { cause: error });
  }
  const read = (): Promise<LightImage> => {
    const budget = new ModelBudget(most);
    budget.spend(bytes.length, name);
    return readPanorama(bytes, name, budget);
  };
  return { contents: bytes, read };
}
