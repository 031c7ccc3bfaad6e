// `rasterloom render`: renders a model to a picture file and reports about it.
/// <reference types="@webgpu/types" />
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { quoted } from '../base/printable';
import type { DeviceStatistics, StatisticsDevice } from '../index';
import { DEFAULT_MODEL_BYTES, ModelBudget } from '../gltf/budget';
import { findCamera } from '../gltf/scene/file-cameras';
import { viewCamera, type Camera } from '../gltf/scene/camera';
import { decodeImages, imagesOf, type SceneImage } from '../gltf/images/image-set';
import { blurOf } from '../gltf/scene/lens';
import { loadModel } from '../gltf/files/load';
import { countInvocations, drawRates, renderPicture, storeSamples, type PictureOptions } from '../gltf/gpu/render';
import { flattenScene, type FlatScene } from '../gltf/scene/scene';
import { sceneRates } from '../gltf/gpu/shading-rates';
import { studioOf } from '../gltf/light/environment';
import { readStudio, type Studio } from '../gltf/light/studio';
import { uploadScene, type GpuScene } from '../gltf/gpu/upload';
import { encodePicture } from '../node/png';
import { openDecoders } from '../node/models/decoders';
import { reason } from '../node/models/files';
import { resourcesOf } from '../node/models/resources';
import { drawEncoding, summarizeEncoding, type EncodingReport } from './encoding';
import { CommandError } from './errors';
import { readAll, readFileUpTo, type Input } from './input';
import { openGpu, TRACE, type Gpu } from './gpu';
import type { LegendPicture } from './legend';
import type { RenderCommand } from './options/options';
import { drawOverdraw, summarize, type OverdrawReport } from './overdraw';
import { checkOutput, writePicture, writeWhole } from './output-file';
import { Progress, type Part, type Terminal } from './progress';
import { drawRateMap, summarizeRates, type RateMapReport } from './rate-map';
import type { RenderReport } from './report';
import { openChains } from './tile-file';

const SHADING_RATE = 'shading-rate';
const STREAMED = 'streamed-textures';

/** Dependencies of the command, which tests can replace. */
export interface RenderEnvironment {
  createGPU: (options: { engine: RenderCommand['engine']; threads?: number; extensions: true }) => GPU | Promise<GPU>;
  /** URL of the bundled scene. */
  sampleUrl: URL;
  /** URL of the file with the studio's light (gltf/light/studio.ts). */
  studioUrl: URL;
  /** URL of the script for threads that decode images. */
  decoderUrl: URL;
  stdin: Input;
  stdout: Terminal;
  stderr: Terminal;
}

/** Renders and writes the picture. @throws CommandError or ModelError; nothing has been written then */
export async function renderCommand(command: RenderCommand, environment: RenderEnvironment): Promise<RenderReport> {
  await checkOutput(command.output, environment.stdout);
  if (command.trace !== undefined) await checkOutput(command.trace, environment.stdout, 'trace');
  const progress = new Progress(environment.stderr);
  try {
    return await new Rendering(command, environment, progress).run();
  } finally {
    progress.end();
  }
}

/**
 * One rendering. Independent steps run concurrently: the device opens while the model is read, and pipelines are
 * compiled while images are decoded.
 */
class Rendering {
  readonly #command: RenderCommand;
  readonly #surroundings: RenderEnvironment;
  readonly #progress: Progress;
  readonly #times: RenderReport['times'] = { start: 0, load: 0, decode: 0, upload: 0, render: 0, encode: 0, total: 0 };
  /** Functions that close what was opened; always called at the end. */
  readonly #closing: (() => void)[] = [];

  constructor(command: RenderCommand, environment: RenderEnvironment, progress: Progress) {
    this.#command = command;
    this.#surroundings = environment;
    this.#progress = progress;
  }

  async run(): Promise<RenderReport> {
    try {
      return await this.#render();
    } finally {
      for (const close of this.#closing) close();
    }
  }

  async #render(): Promise<RenderReport> {
    const command = this.#command;
    const { width, height, samples, background, model, lens, shadingRate, pass } = command;
    const began = performance.now();
    const file = await this.#timed('load', () =>
      readModel(
        model ?? this.#surroundings.sampleUrl,
        this.#surroundings.stdin,
        command.modelBytes ?? DEFAULT_MODEL_BYTES
      )
    );
    // Loaded first, so that the device opens while the model is read.
    const opening = this.#openGpu(await this.#createGPU());
    const budget = new ModelBudget(command.modelBytes);
    const scene = await this.#timed('load', async () =>
      flattenScene(
        await loadModel(file, model === undefined ? undefined : resourcesOf(model, command), budget),
        budget,
        command.choice
      )
    );
    const images = imagesOf(scene, command.stream === undefined ? budget : null);
    const ready = command.stream === undefined ? this.#decode(images) : await this.#openTiles(images, command.stream);
    const studio = await this.#timed('load', async () => readStudio(await readFile(this.#surroundings.studioUrl)));
    const gpu = await this.#timed('start', () => opening);
    const limit = gpu.device.limits.maxTextureDimension2D;
    if (width > limit || height > limit)
      throw new CommandError(`--size ${width}x${height} is too large: a side has at most ${limit} pixels.`);
    if (command.stream !== undefined && !gpu.device.features.has(STREAMED))
      throw new CommandError('--stream needs streamed textures, which this GPU does not support.');
    if (command.trace !== undefined && !gpu.device.features.has(TRACE))
      throw new CommandError('--trace needs tracing, which this GPU does not support.');
    if (shadingRate && !gpu.device.features.has(SHADING_RATE))
      throw new CommandError('--shading-rate needs shading rates, which this GPU does not support.');
    const view =
      'fileCamera' in command.view ? { file: findCamera(scene.cameras, command.view.fileCamera) } : command.view;
    const camera = viewCamera(scene, view, width, height, command.projection);
    const uploaded = await this.#upload(gpu, scene, studio, camera, this.#counted(ready.images, images.size));
    ready.close();
    const blur = lens && blurOf(lens, camera, height);
    const drawn = await this.#timed('render', () =>
      drawPass(gpu, uploaded, pass, {
        width,
        height,
        samples,
        background,
        blur: pass === 'color' ? blur : undefined,
        rates: shadingRate && sceneRates(shadingRate, scene, camera, blur),
      })
    );
    const { statistics } = drawn;
    const trace = gpu.takeTrace();
    gpu.device.destroy();
    if (command.trace !== undefined && trace)
      await writeWhole(command.trace, new TextEncoder().encode(JSON.stringify(trace)), 'The trace');
    const png = await this.#timed('encode', async () => {
      const bytes = encodePicture(drawn.pixels, drawn.width, drawn.height);
      await writePicture(command.output, bytes, this.#surroundings.stdout);
      return bytes;
    });
    this.#times.total = performance.now() - began;
    return {
      model: model ?? 'sample',
      output: command.output,
      pass: command.pass,
      width: drawn.width,
      height: drawn.height,
      samples,
      triangles: scene.triangles,
      draws: scene.draws.length,
      ...uploaded.counts,
      counters: statistics?.counters ?? null,
      workers: statistics?.workers ?? null,
      programs: statistics?.programs ?? null,
      kernelTimes: statistics?.times ?? null,
      shadingRates: shadingRate ? (statistics?.shadingRates ?? null) : null,
      surfaces: statistics?.surfaces ?? [],
      loadStoreUnit: usedUnit(statistics),
      streams: command.stream === undefined ? null : (statistics?.streams ?? null),
      overdraw: drawn.overdraw ?? null,
      encoding: drawn.encoding ?? null,
      rateMap: drawn.rateMap ?? null,
      peakBytes: process.resourceUsage().maxRSS * 1024,
      pngBytes: png.length,
      times: this.#times,
      warnings: scene.warnings,
    };
  }

  async #timed<T>(part: Part | 'start', work: () => T | Promise<T>): Promise<T> {
    const before = performance.now();
    if (part !== 'start') this.#progress.at(part);
    const result = await work();
    this.#times[part] += performance.now() - before;
    return result;
  }

  #createGPU(): GPU | Promise<GPU> {
    const { engine, threads } = this.#command;
    return this.#surroundings.createGPU({ engine, extensions: true, ...(threads === undefined ? {} : { threads }) });
  }

  /** Begins to open the device. If the rendering fails before it is used, it is destroyed. */
  #openGpu(gpu: GPU): Promise<Gpu> {
    const { stats, json, shadingRate, stream, trace } = this.#command;
    // Parts of the work are timed only for a report.
    const wanted = [
      ...(stats || json ? ['statistics-times'] : []),
      ...(shadingRate ? [SHADING_RATE] : []),
      ...(stream === undefined ? [] : [STREAMED]),
      ...(trace === undefined ? [] : [TRACE]),
    ];
    const opening = openGpu(() => gpu, wanted);
    // The error is reported where the device is needed, so that errors of the model come first.
    this.#closing.push(
      () =>
        void opening.then(
          ({ device }) => device.destroy(),
          () => undefined
        )
    );
    opening.catch(() => undefined);
    return opening;
  }

  /** Returns the images in order, completely decoded. */
  #decode(images: SceneImages): ReadyImages {
    const decoders = openDecoders(
      images.values(),
      this.#command.threads ?? availableParallelism(),
      this.#surroundings.decoderUrl
    );
    this.#closing.push(() => decoders.close());
    return { images: decodeImages(images, decoders.decode, decoders.prefetchCount), close: () => decoders.close() };
  }

  /** Returns the images with pages that are read when they are drawn. */
  async #openTiles(images: SceneImages, folder: string): Promise<ReadyImages> {
    const ready: SceneImage[] = [];
    for (const [texture, job] of images) {
      const chains = await openChains(folder, job, (file) => this.#closing.push(() => void file.close()));
      ready.push({ texture, chains });
    }
    return { images: ready.values(), close: () => undefined };
  }

  /** Uploads images one by one as they are decoded. The time of waiting for them counts as decoding. */
  async #upload(
    gpu: Gpu,
    scene: FlatScene,
    studio: Studio,
    camera: Camera,
    images: AsyncIterable<SceneImage>
  ): Promise<GpuScene> {
    const { pass, samples } = this.#command;
    const before = performance.now();
    const output =
      pass === 'shading-rate'
        ? ({ outputKind: 'rates', samples: 1 } as const)
        : ({ outputKind: 'color', samples } as const);
    const uploaded = await gpu.run('Uploading the model', () =>
      uploadScene(gpu.device, scene, studioOf(gpu.device, studio, scene.lights.length > 0), images, output)
    );
    const { width, height, lineWidth, pointSize } = this.#command;
    uploaded.setCamera(camera, { width, height, lineWidth, pointSize });
    this.#times.upload = performance.now() - before - this.#times.decode;
    return uploaded;
  }

  async *#counted(images: ReadyImages['images'], all: number): AsyncGenerator<SceneImage> {
    for (let done = 0; done < all; done++) {
      this.#progress.at('decode', done / all);
      const before = performance.now();
      const { value } = (await images.next()) as IteratorYieldResult<SceneImage>;
      this.#times.decode += performance.now() - before;
      yield value;
    }
    this.#progress.at('upload');
  }
}

type SceneImages = ReturnType<typeof imagesOf>;

/** Images of a scene in order; `close` is called after their upload. */
interface ReadyImages {
  readonly images: Iterator<SceneImage> | AsyncIterator<SceneImage>;
  close(): void;
}

interface Drawn extends LegendPicture {
  overdraw?: OverdrawReport;
  encoding?: EncodingReport;
  rateMap?: RateMapReport;
  /** Statistics after drawing; null if the GPU has none. */
  statistics: DeviceStatistics | null;
}

const noMemoryFor = ({ width, height, samples }: PictureOptions): string =>
  `${width}×${height} pixels with ${samples} ${samples === 1 ? 'sample' : 'samples'} `
  + `each need more memory than a device has; use a smaller --size${samples === 1 ? '' : ' or fewer --samples'}.`;

/** Draws the picture of a pass and computes its figures. */
async function drawPass(gpu: Gpu, scene: GpuScene, pass: RenderCommand['pass'], size: PictureOptions): Promise<Drawn> {
  let statistics: DeviceStatistics | null = null;
  const options = {
    ...size,
    drawn: () => {
      statistics = gpu.statistics();
    },
  };
  const render = <T>(
    work: (device: StatisticsDevice, scene: GpuScene, options: PictureOptions) => Promise<T>
  ): Promise<T> => gpu.run('Rendering', () => work(gpu.device as StatisticsDevice, scene, options), noMemoryFor(size));
  if (pass === 'color') {
    const pixels = await render(renderPicture);
    return { pixels, width: options.width, height: options.height, statistics };
  }
  if (pass === 'shading-rate') {
    const rates = await render(drawRates);
    return { ...drawRateMap(rates, options.width), rateMap: summarizeRates(rates), statistics };
  }
  const needs = pass === 'overdraw' ? 'counts fragment invocations' : 'reports how it stores samples';
  if (gpu.statistics() === null)
    throw new CommandError(`--pass ${pass} needs a GPU that ${needs}, and this one does not.`);
  if (pass === 'overdraw') {
    const counts = await render(countInvocations);
    return { ...drawOverdraw(counts, options.width), overdraw: summarize(counts), statistics };
  }
  const { states, surface } = await render(storeSamples);
  return { ...drawEncoding(states, options.width), encoding: summarizeEncoding(surface), statistics };
}

/** Load/store statistics if shaders accessed storage textures, otherwise null. */
function usedUnit(statistics: DeviceStatistics | null): RenderReport['loadStoreUnit'] {
  const unit = statistics?.loadStoreUnit;
  return unit && unit.loads + unit.stores > 0 ? unit : null;
}

async function readModel(source: string | URL, stdin: Input, most: number): Promise<Uint8Array> {
  const name = source === '-' ? 'standard input' : quoted(String(source));
  const exceeded = (): Error =>
    new CommandError(
      `The model ${name} is larger than ${most >> 20} MiB, the memory that a model may take; `
        + '--model-memory raises the limit.'
    );
  try {
    return source === '-'
      ? await readAll(stdin, { limit: most, exceeded })
      : await readFileUpTo(source, { limit: most, exceeded });
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`The model ${name} ${reason(error)}.`, { cause: error });
  }
}
