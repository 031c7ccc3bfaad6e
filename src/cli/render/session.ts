// What all renderings of a process share: the device, the studio's light, and the threads that decode images.
/// <reference types="@webgpu/types" />
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { DEFAULT_MODEL_BYTES } from '../../gltf/budget';
import { readStudio, type Studio } from '../../gltf/light/studio';
import { Decoders } from '../../node/models/decoders';
import { DeviceError } from '../errors';
import { openGpu, TRACE, type Gpu } from '../gpu';
import type { Input } from '../input';
import { PictureLight } from '../light';
import type { RenderSettings } from '../options/options';
import type { Terminal } from '../progress';
import { openCache, usableShaderCache } from '../shader-cache';

const SHADING_RATE = 'shading-rate';
const STREAMED = 'streamed-textures';

/** Dependencies of the command, which tests can replace. */
export interface RenderEnvironment {
  createGPU: (options: {
    engine: RenderSettings['engine'];
    threads?: number;
    memoryBudget?: number;
    shaderCache?: string;
    extensions: true;
  }) => GPU | Promise<GPU>;
  /** URL of the bundled scene. */
  sampleUrl: URL;
  /** URL of the file with the studio's light (gltf/light/studio.ts). */
  studioUrl: URL;
  /** URL of the script for threads that decode images. */
  decoderUrl: URL;
  /** URL of the command's script, which other processes run. */
  cliUrl: URL;
  /** Version of the package. */
  version: string;
  stdin: Input;
  stdout: Terminal;
  stderr: Terminal;
}

interface Shared {
  /** What the device and the threads were made for. */
  readonly key: string;
  readonly opening: Promise<Gpu>;
  readonly decoders: Decoders;
}

export class Session {
  readonly environment: RenderEnvironment;
  #shared: Shared | undefined;
  #studio: Promise<Studio> | undefined;
  #light: { key: string; reading: Promise<PictureLight> } | undefined;

  constructor(environment: RenderEnvironment) {
    this.environment = environment;
  }

  /** Begins to open the device for pictures with these settings, unless the last ones had a device that serves. */
  async begin(settings: RenderSettings): Promise<void> {
    const { engine, threads, shaderCache } = settings;
    const features = featuresFor(settings);
    const key = JSON.stringify([engine, threads, shaderCache, features]);
    if (this.#shared?.key === key && !(await this.#isLost())) return;
    this.close();
    const decoders = new Decoders(threads ?? availableParallelism(), this.environment.decoderUrl);
    const folder = shaderCache ? usableShaderCache() : null;
    const options = {
      engine,
      extensions: true as const,
      ...(threads === undefined ? {} : { threads }),
      ...(folder === null ? {} : { shaderCache: folder }),
    };
    const opening = openGpu(() => this.environment.createGPU(options), features);
    // The error is reported where the device is needed, so that errors of the model come first.
    opening.catch(() => undefined);
    this.#shared = { key, opening, decoders };
  }

  /** The device that `begin` has opened. @throws DeviceError if it cannot do what the settings ask for */
  async gpu({ width, height, stream, trace, shadingRate }: RenderSettings): Promise<Gpu> {
    const gpu = await this.#shared!.opening;
    const { features, limits } = gpu.device;
    const limit = limits.maxTextureDimension2D;
    if (width > limit || height > limit)
      throw new DeviceError(`--size ${width}x${height} is too large: a side has at most ${limit} pixels.`);
    if (stream !== undefined && !features.has(STREAMED))
      throw new DeviceError('--stream needs streamed textures, which this GPU does not support.');
    if (trace !== undefined && !features.has(TRACE))
      throw new DeviceError('--trace needs tracing, which this GPU does not support.');
    if (shadingRate && !features.has(SHADING_RATE))
      throw new DeviceError('--shading-rate needs shading rates, which this GPU does not support.');
    return gpu;
  }

  get decoders(): Decoders {
    return this.#shared!.decoders;
  }

  studio(): Promise<Studio> {
    return (this.#studio ??= readFile(this.environment.studioUrl).then(readStudio));
  }

  /** The light of a picture. An environment that the last picture had is not read again. @throws CommandError */
  light({ lighting, modelBytes = DEFAULT_MODEL_BYTES, shaderCache }: RenderSettings): Promise<PictureLight> {
    const key = JSON.stringify([lighting, modelBytes, shaderCache]);
    if (this.#light?.key !== key) {
      const openStore = shaderCache ? openCache : () => Promise.resolve(null);
      this.#light = { key, reading: PictureLight.read(lighting, modelBytes, openStore) };
    }
    return this.#light.reading;
  }

  /** Keeps what was computed of the last environment, for later processes. */
  async keepLight(device: GPUDevice): Promise<void> {
    await (await this.#light?.reading)?.keep(device);
  }

  /** Ends threads, and destroys the device as soon as it has opened. */
  close(): void {
    if (!this.#shared) return;
    const { opening, decoders } = this.#shared;
    this.#shared = undefined;
    decoders.close();
    opening.then(
      ({ device }) => device.destroy(),
      () => undefined
    );
  }

  async #isLost(): Promise<boolean> {
    return this.#shared!.opening.then(
      ({ isLost }) => isLost(),
      () => true
    );
  }
}

function featuresFor({ stats, json, shadingRate, stream, trace }: RenderSettings): string[] {
  return [
    // Parts of the work are timed only for a report.
    ...(stats || json ? ['statistics-times'] : []),
    ...(shadingRate ? [SHADING_RATE] : []),
    ...(stream === undefined ? [] : [STREAMED]),
    ...(trace === undefined ? [] : [TRACE]),
  ];
}
