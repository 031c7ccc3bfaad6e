// The library call: a model that is loaded once and drawn many times. What differs between Node and pages is given by a
// platform.
/// <reference types="@webgpu/types" />
import type { Texture } from '@gltf-transform/core';
import { DEFAULT_MODEL_BYTES, ModelBudget } from '../budget';
import { GltfError, ModelError } from '../errors';
import { loadModel } from '../files/load';
import type { ResourceReader } from '../files/uri';
import type { ImageJob, SceneImage } from '../images/image-set';
import type { Panorama } from '../light/panorama';
import { presetPanorama } from '../light/presets';
import { readPanorama } from '../light/radiance-image';
import type { LightSettings } from '../light/settings';
import type { Studio } from '../light/studio';
import { LoadedModel } from '../model';
import type { Deflate } from '../passes/exr-writer';
import type { PassPicture } from '../passes/kinds';
import { depthRange } from '../passes/png-samples';
import { runOn, useSharedDevice } from './device';
import { toExr, toPng } from './encode';
import { describeModel } from './info';
import { checkLoadOptions, readPictureOptions, type PictureRequest } from './options';
import type {
  GltfCallOptions,
  GltfInfo,
  GltfLoadOptions,
  GltfModel,
  GltfPicture,
  GltfPictureOptions,
  GltfPixels,
  GltfProgress,
} from './types';

/** A model's file: its bytes, or where it is. */
export type GltfSource = Uint8Array | ArrayBuffer | Blob | Response | URL | string;

/** What Node and pages do differently. */
interface Platform {
  createGpu(options: { threads?: number; extensions: true }): unknown;
  studio(): Promise<Studio>;
  /** Reads a file by its path or URL. `check` gets the number of bytes before they are read. */
  readSource(source: URL | string, check: (bytes: number) => void): Promise<Uint8Array>;
  /** Opens other files; `source` is undefined for a model without a place. */
  resources(source: URL | string | undefined, allowNetwork: boolean): ResourceReader;
  /** Decodes images in order. */
  images(jobs: ReadonlyMap<Texture, ImageJob>, threads: number | undefined): AsyncIterable<SceneImage>;
  /** Compresses bytes in the format of zlib. */
  deflate: Deflate;
  /** How long the shared device outlives its last model, in milliseconds; null: as long as the process. */
  idleMs: number | null;
}

/** Functions of `rasterloom/gltf`. */
export interface Library {
  loadGltf(source: GltfSource, options?: GltfLoadOptions): Promise<GltfModel>;
  renderGltf<const Options extends GltfLoadOptions & GltfPictureOptions>(
    source: GltfSource,
    options?: Options
  ): Promise<GltfPicture<GltfPixels<Options>>>;
}

export function makeLibrary(platform: Platform): Library {
  return {
    loadGltf: async (source, options = {}) => {
      checkLoadOptions(options, 'loadGltf');
      return load(platform, source, options);
    },
    renderGltf: async <Options extends GltfLoadOptions & GltfPictureOptions>(
      source: GltfSource,
      options: GltfLoadOptions & GltfPictureOptions = {}
    ) => {
      checkLoadOptions(options, 'renderGltf');
      const request = readPictureOptions(options, 'renderGltf');
      const model = await load(platform, source, options);
      try {
        return (await model.draw(request, options)) as GltfPicture<GltfPixels<Options>>;
      } finally {
        model.dispose();
      }
    },
  };
}

/** One call with its signal and its progress. */
class Call {
  readonly #options: GltfCallOptions;

  constructor(options: GltfCallOptions) {
    this.#options = options;
  }

  /** @throws the signal's reason */
  at(step: GltfProgress['step'], done = 0): void {
    this.#options.signal?.throwIfAborted();
    this.#options.onProgress?.({ step, done });
  }

  /** Rejects as soon as the signal is aborted. Work that has begun ends at its next step. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.#options;
    if (!signal) return translated(work);
    signal.throwIfAborted();
    let stop: () => void;
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason as Error);
      signal.addEventListener('abort', stop);
    });
    try {
      return await Promise.race([translated(work), aborted]);
    } finally {
      signal.removeEventListener('abort', stop!);
    }
  }
}

/** Options of the command that its messages name, and those of this call. */
const NAMES: readonly [RegExp, string][] = [
  [/--model-memory\b/g, 'memory'],
  [/--allow-external to let it be read/g, 'readResource to open it'],
  [/--allow-network\b/g, 'allowNetwork'],
  [/--(camera|aperture|focus)\b/g, '$1'],
];

/** Runs work whose messages name options of the command, and lets them name those of this call. */
async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const message = NAMES.reduce((text, [from, to]) => text.replace(from, to), error.message);
    throw message === error.message ? error : new GltfError(message, { code: error.code, cause: error });
  }
}

async function load(platform: Platform, source: GltfSource, options: GltfLoadOptions): Promise<Model> {
  const call = new Call(options);
  const { memory = DEFAULT_MODEL_BYTES, threads, readResource } = options;
  return call.run(async () => {
    call.at('load');
    const budget = new ModelBudget(memory);
    // The device opens while the model is read. Errors of the model come first.
    const use = deviceFor(platform, options);
    use.device.catch(() => undefined);
    const studio = platform.studio();
    studio.catch(() => undefined);
    try {
      const { bytes, place } = await readSource(platform, source, (size) => budget.check(size, 'The file'));
      const open = readResource ? customReader(readResource) : platform.resources(place, options.allowNetwork ?? false);
      const reader: ResourceReader = (...request) => {
        call.at('load');
        return open(...request);
      };
      // It is read before the device is waited for, whose kernel other threads compile.
      const read = await loadModel(bytes, reader, budget);
      /** The call for which images are decoded. */
      const current = { call };
      const context = {
        device: await use.device,
        studio: await studio,
        images: async function* (jobs: ReadonlyMap<Texture, ImageJob>) {
          let done = 0;
          for await (const image of platform.images(jobs, threads)) {
            current.call.at('decode', ++done / jobs.size);
            yield image;
          }
        },
      };
      call.at('load');
      const loaded = LoadedModel.of(read, context, budget);
      call.at('load', 1);
      return new Model(platform, { device: context.device, release: use.release }, loaded, current);
    } catch (error) {
      use.release();
      throw error;
    }
  });
}

/** The device of a model, and what to call when the model does not need it any more. */
function deviceFor(
  platform: Platform,
  { device, threads }: GltfLoadOptions
): { device: Promise<GPUDevice>; release: () => void } {
  return device === undefined
    ? useSharedDevice((wanted) => platform.createGpu(wanted), threads, platform.idleMs)
    : { device: Promise.resolve(device as GPUDevice), release: () => undefined };
}

async function readSource(
  platform: Platform,
  source: unknown,
  check: (bytes: number) => void
): Promise<{ bytes: Uint8Array; place: URL | string | undefined }> {
  if (typeof source === 'string' || source instanceof URL)
    return { bytes: await platform.readSource(source, check), place: source };
  // Objects of another realm are no instances of this realm's classes.
  if (ArrayBuffer.isView(source))
    return { bytes: new Uint8Array(source.buffer, source.byteOffset, source.byteLength), place: undefined };
  const kind = Object.prototype.toString.call(source).slice(8, -1);
  if (kind === 'ArrayBuffer' || kind === 'SharedArrayBuffer')
    return { bytes: new Uint8Array(source as ArrayBuffer), place: undefined };
  if (kind === 'Blob' || kind === 'File') {
    check((source as Blob).size);
    return { bytes: new Uint8Array(await (source as Blob).arrayBuffer()), place: undefined };
  }
  if (kind === 'Response') {
    const { ok, status, url } = source as Response;
    if (!ok) throw new GltfError(`The server responded with ${status} instead of a model.`, { code: 'resource' });
    return { bytes: await readBody(source as Response, check), place: url === '' ? undefined : new URL(url) };
  }
  throw new TypeError('The source must be the bytes of a model, a Blob, a Response, a path or a URL');
}

/** Reads a response completely. @param check gets the number of bytes so far */
export async function readBody(response: Response, check: (bytes: number) => void): Promise<Uint8Array> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) {
    size += piece.value.length;
    try {
      check(size);
    } catch (error) {
      void reader?.cancel();
      throw error;
    }
    pieces.push(piece.value);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

const customReader =
  (read: NonNullable<GltfLoadOptions['readResource']>): ResourceReader =>
  async (target, uri, reportSize) => {
    const result: unknown = await read(uri, target);
    const bytes = ArrayBuffer.isView(result)
      ? new Uint8Array(result.buffer, result.byteOffset, result.byteLength)
      : new Uint8Array(result as ArrayBuffer);
    reportSize(bytes.length);
    return bytes;
  };

/** Panoramas by the bytes of their files. */
const PANORAMAS = new WeakMap<Uint8Array, Promise<Panorama>>();

/** The image of an environment; undefined: that of the file, or else the studio. */
async function imageOf(environment: PictureRequest['environment']): Promise<LightSettings['image']> {
  if (environment === undefined || environment === 'studio') return environment;
  if (typeof environment === 'string') return presetPanorama(environment);
  let panorama = PANORAMAS.get(environment);
  if (!panorama) {
    panorama = readPanorama(environment, 'The environment', new ModelBudget());
    PANORAMAS.set(environment, panorama);
  }
  return panorama;
}

class Model implements GltfModel {
  readonly #platform: Platform;
  readonly #device: GPUDevice;
  readonly #release: () => void;
  readonly #model: LoadedModel;
  readonly #current: { call: Call };
  #info: GltfInfo | undefined;
  #isDisposed = false;

  constructor(
    platform: Platform,
    { device, release }: { device: GPUDevice; release: () => void },
    model: LoadedModel,
    current: { call: Call }
  ) {
    this.#current = current;
    this.#release = release;
    this.#platform = platform;
    this.#device = device;
    this.#model = model;
  }

  get info(): GltfInfo {
    return (this.#info ??= describeModel(this.#model.model, this.#model.flatten({})));
  }

  async render<Options extends GltfPictureOptions>(
    options: GltfPictureOptions = {}
  ): Promise<GltfPicture<GltfPixels<Options>>> {
    return (await this.draw(readPictureOptions(options, 'render'), options)) as GltfPicture<GltfPixels<Options>>;
  }

  /** Draws a picture whose options have been checked. */
  draw(request: PictureRequest, options: GltfCallOptions): Promise<GltfPicture<PassPicture['pixels']>> {
    const call = new Call(options);
    const began = performance.now();
    return call.run(() =>
      runOn(this.#device, 'Rendering', async () => {
        if (this.#isDisposed) throw new TypeError('render: the model was disposed');
        const { samples, background, pass, color, next, occlusionRadius } = request;
        const shot = { ...request.shot, light: { ...request.light, image: await imageOf(request.environment) } };
        this.#checkDevice(shot, samples);
        this.#current.call = call;
        call.at('upload');
        const prepared = (): void => call.at('render');
        const drawing = { samples, background, next, occlusionRadius, prepared };
        const { picture, ready } = await this.#model.drawPass(shot, [pass, color], drawing);
        const { flat, gpu } = ready;
        call.at('render', 1);
        return {
          ...picture,
          ...(pass === 'depth' ? { depthRange: depthRange(picture.pixels) } : {}),
          stats: {
            triangles: flat.triangles,
            draws: flat.draws.length,
            ...gpu.counts,
            milliseconds: performance.now() - began,
          },
          warnings: [...flat.warnings, ...gpu.warnings],
          toPNG: (wanted) => toPng(picture, this.#platform.deflate, wanted),
          toEXR: (wanted) => toExr(picture, this.#platform.deflate, wanted),
        };
      })
    );
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    // A picture that is being drawn keeps its buffers.
    void runOn(this.#device, 'Disposing', async () => this.#model.dispose())
      .catch(() => undefined)
      .then(this.#release);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #checkDevice({ width, height, shadingRate }: PictureRequest['shot'], samples: number): void {
    const { limits, features } = this.#device;
    const most = limits.maxTextureDimension2D;
    if (width > most || height > most)
      throw new TypeError(`render: the device draws at most ${most} pixels per side, not ${width} × ${height}`);
    if (samples !== 1 && samples !== 4 && !features.has('extended-sample-counts'))
      throw new TypeError(`render: the device draws 1 or 4 samples, not ${samples}`);
    if (shadingRate && !features.has('shading-rate'))
      throw new TypeError("render: shadingRate needs a device with the feature 'shading-rate'");
  }
}
