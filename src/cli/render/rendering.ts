// One rendering: a model becomes a picture in a file, and a report about it.
/// <reference types="@webgpu/types" />
import type { DeviceStatistics } from '../../index';
import { DEFAULT_MODEL_BYTES, ModelBudget } from '../../gltf/budget';
import { loadModel } from '../../gltf/files/load';
import type { PipelineOutput } from '../../gltf/gpu/pipelines';
import { decodeImages, type SceneImage, type TiledChain } from '../../gltf/images/image-set';
import type { Studio } from '../../gltf/light/studio';
import { lightFor, LoadedModel, type ModelContext } from '../../gltf/model';
import { isEmptyPicture } from '../../gltf/passes/draw';
import { outputOf, subjectOf, type ColourKind } from '../../gltf/passes/kinds';
import type { PassPicture } from '../../gltf/passes/kinds';
import type { Subject } from '../../gltf/passes/subjects';
import { resourcesOf } from '../../node/models/resources';
import { prepareEncoder } from '../../node/png';
import { EmptyError } from '../errors';
import { mayHaveImages, readModel } from '../model-file';
import type { Gpu } from '../gpu';
import { writeWhole } from '../output-file';
import type { Part, Progress } from '../progress';
import { openChains } from '../tile-file';
import type { RenderSettings } from '../options/options';
import { isOfModel, type CommandPass } from '../options/pass-options';
import { kindOf } from './encode';
import { framesOf } from './frames';
import type { Resumed } from '../resume/resume';
import { statisticsSince } from './model-statistics';
import { Passes, type Drawn } from './passes';
import { PictureFiles } from './picture-files';
import { filesOf, type PlannedPicture, type Task } from './plan';
import type { RenderReport } from './report';
import type { Session } from './session';

/** Independent steps run concurrently: the device opens while the first model is read. */
export class Rendering {
  readonly #task: Task;
  readonly #session: Session;
  readonly #progress: Progress;
  readonly #times: RenderReport['times'] = { start: 0, load: 0, decode: 0, upload: 0, render: 0, encode: 0, total: 0 };
  /** Functions that close what was opened; always called at the end. */
  readonly #closing: (() => void)[] = [];
  /** Why the first page of a streamed image could not be read. */
  #pageError: unknown;

  readonly #resumed: Resumed | undefined;

  /** @param resumed what is kept; undefined: all pictures are drawn, and nothing is recorded */
  constructor(task: Task, session: Session, progress: Progress, resumed?: Resumed) {
    this.#resumed = resumed;
    this.#task = task;
    this.#session = session;
    this.#progress = progress;
  }

  /**
   * Draws what is not kept, which must be at least one picture.
   * @param shown gets each picture
   * @throws CommandError or ModelError
   */
  async run(shown?: (picture: PassPicture) => void): Promise<RenderReport> {
    try {
      return await this.#render(shown);
    } finally {
      for (const close of this.#closing) close();
    }
  }

  async #render(shown: ((picture: PassPicture) => void) | undefined): Promise<RenderReport> {
    const { settings, model, output } = this.#task;
    const { samples } = settings;
    const began = performance.now();
    const loaded = await this.#load();
    const pictures = picturesOf(this.#task, loaded.model);
    const files = new PictureFiles(this.#task, this.#session.environment.stdout, this.#resumed);
    // Errors of the model come before those of the device.
    const scene = await this.#timed('load', () => loaded.model.flatten(pictures[0].settings.choice));
    const first = pictures.find((_, number) => !files.isKept(number))!.settings;
    // Threads decode its images while the device opens.
    loaded.model.begin(first.choice, shownSubject(first.pass));
    loaded.studio = await this.#timed('load', () => this.#session.studio());
    const gpu = await this.#timed('start', () => this.#session.gpu(settings));
    loaded.gpu = gpu;
    const before = gpu.statistics();
    const passes = new Passes(gpu);
    const figures: Pick<Drawn, 'overdraw' | 'encoding' | 'rateMap'> = {};
    let last!: { ready: Ready; drawn: Drawn };
    try {
      let emptyCount = 0;
      for (const [number, shot] of pictures.entries()) {
        if (files.isKept(number)) continue;
        last = await this.#draw(gpu, loaded.model, shot, passes);
        const { picture, statistics: _, ...more } = last.drawn;
        Object.assign(figures, more);
        if (isOfModel(shot.settings.pass) && !settings.allowEmpty && isEmptyPicture(picture)) emptyCount++;
        if (emptyCount === pictures.length)
          throw new EmptyError('Nothing can be seen in the picture; choose another --camera, or use --allow-empty.');
        shown?.(picture);
        await this.#timed('encode', () => files.add(number, picture));
      }
      await this.#timed('encode', () => files.end());
    } catch (error) {
      await files.discard();
      throw error;
    }
    const { ready, drawn } = last;
    const statistics = before && drawn.statistics && statisticsSince(before, drawn.statistics);
    await this.#writeTrace(gpu);
    await gpu.run('Keeping the light', () => this.#session.keepLight(gpu.device));
    this.#times.total = performance.now() - began;
    return {
      model: model ?? 'sample',
      output,
      frames: pictures.length,
      files: filesOf(this.#task).length,
      kept: this.#resumed?.kept.size ?? 0,
      pass: [...new Set(pictures.map((picture) => picture.settings.pass))].join(','),
      width: drawn.picture.width,
      height: drawn.picture.height,
      samples,
      triangles: scene.triangles,
      draws: scene.draws.length,
      ...ready.gpu.counts,
      counters: statistics?.counters ?? null,
      workers: statistics?.workers ?? null,
      programs: statistics?.programs ?? null,
      kernelTimes: statistics?.times ?? null,
      shadingRates: settings.shadingRate ? (statistics?.shadingRates ?? null) : null,
      surfaces: statistics?.surfaces ?? [],
      loadStoreUnit: usedUnit(statistics),
      streams: settings.stream === undefined ? null : (statistics?.streams ?? null),
      overdraw: figures.overdraw ?? null,
      encoding: figures.encoding ?? null,
      rateMap: figures.rateMap ?? null,
      pictures: files.reports,
      peakBytes: process.resourceUsage().maxRSS * 1024,
      pngBytes: files.bytes,
      times: this.#times,
      warnings: [...scene.warnings, ...ready.gpu.warnings],
    };
  }

  /** Reads the model. The device opens meanwhile. */
  async #load(): Promise<ModelOnDevice> {
    const { settings, model } = this.#task;
    const { environment } = this.#session;
    const { modelBytes = DEFAULT_MODEL_BYTES, stream } = settings;
    const bytes = await this.#timed('load', () =>
      readModel(model ?? environment.sampleUrl, environment.stdin, modelBytes)
    );
    await this.#session.begin(settings);
    // A thread for images starts while the renderer is loaded.
    if (stream === undefined && mayHaveImages(bytes)) this.#session.decoders.prepare();
    const loaded = new ModelOnDevice((jobs, use) => this.#images(jobs, use), stream !== undefined);
    loaded.model = await this.#timed('load', async () => {
      const budget = new ModelBudget(modelBytes);
      const reader = model === undefined ? undefined : resourcesOf(model, settings);
      const resources = reader && this.#resumed ? this.#resumed.watch(reader) : reader;
      return LoadedModel.of(await loadModel(bytes, resources, budget), loaded, budget);
    });
    this.#closing.push(() => loaded.model.dispose());
    return loaded;
  }

  async #timed<T>(part: Part | 'start', work: () => T | Promise<T>): Promise<T> {
    const before = performance.now();
    if (part !== 'start') this.#progress.at(part);
    const result = await work();
    this.#times[part] += performance.now() - before;
    return result;
  }

  async #draw(
    gpu: Gpu,
    model: LoadedModel,
    shot: PlannedPicture,
    passes: Passes
  ): Promise<{ ready: Ready; drawn: Drawn }> {
    const { width, height, samples, background, pass, occlusionRadius } = shot.settings;
    const kind = kindOf(shot);
    const ready = await this.#prepare(gpu, model, shot, kind);
    const blur = pass === 'color' ? ready.blur : undefined;
    const size = { width, height, samples, background, blur, rates: ready.rates, occlusionRadius };
    try {
      const drawn = await this.#timed('render', () => {
        const drawing = passes.draw(ready, [pass, kind], size, shot.frame);
        // The GPU has its work.
        prepareEncoder();
        return drawing;
      });
      return { ready, drawn };
    } catch (error) {
      // The device fails because of the page, which says more.
      throw this.#pageError ?? error;
    }
  }

  /** Uploads the model. The time of waiting for images counts as decoding. */
  async #prepare(gpu: Gpu, model: LoadedModel, shot: PlannedPicture, kind: ColourKind): Promise<Ready> {
    const { settings, next } = shot;
    const { pass, samples } = settings;
    const before = performance.now();
    const decodedBefore = this.#times.decode;
    const output: PipelineOutput = isOfModel(pass)
      ? outputOf(pass, kind, samples)
      : pass === 'shading-rate'
        ? { outputKind: 'rates', samples: 1 }
        : { outputKind: 'color', samples };
    const subject = shownSubject(pass);
    const ready = await gpu.run('Uploading the model', async () => {
      model.begin(settings.choice, subject);
      const light = lightFor((await this.#session.light(settings)).settings, kind);
      return model.prepare({ ...settings, light }, output, subject, pass === 'motion' ? next : undefined);
    });
    this.#times.upload += performance.now() - before - (this.#times.decode - decodedBefore);
    return ready;
  }

  /** Begins to decode the images of a scene or of its light. */
  #images(jobs: ImageJobs, use: 'scene' | 'light'): AsyncGenerator<SceneImage> {
    const { stream } = this.#task.settings;
    return this.#inOrder(
      jobs,
      stream === undefined || use === 'light' ? this.#decode(jobs) : this.#openTiles(jobs, stream)
    );
  }

  async *#inOrder(jobs: ImageJobs, images: AsyncIterator<SceneImage>): AsyncGenerator<SceneImage> {
    for (let done = 0; done < jobs.size; done++) {
      this.#progress.at('decode', done / jobs.size);
      const before = performance.now();
      const { value } = (await images.next()) as IteratorYieldResult<SceneImage>;
      this.#times.decode += performance.now() - before;
      yield value;
    }
    this.#progress.at('upload');
  }

  /** Returns the images in order, completely decoded. */
  #decode(jobs: ImageJobs): AsyncIterator<SceneImage> {
    const { decode, prefetchCount } = this.#session.decoders.for(jobs.values());
    return decodeImages(jobs, decode, prefetchCount);
  }

  /** Returns the images with pages that are read when they are drawn. */
  async *#openTiles(jobs: ImageJobs, folder: string): AsyncGenerator<SceneImage> {
    for (const [texture, job] of jobs) {
      const chains = await openChains(folder, job, (file) => this.#closing.push(() => void file.close()));
      yield { texture, chains: chains.map((chain) => ({ ...chain, loadPage: this.#reporting(chain) })) };
    }
  }

  /** Loads a page, and remembers why that failed. */
  #reporting(chain: TiledChain): TiledChain['loadPage'] {
    return async (level, x, y) => {
      try {
        return await chain.loadPage(level, x, y);
      } catch (error) {
        this.#pageError ??= error;
        throw error;
      }
    };
  }

  async #writeTrace(gpu: Gpu): Promise<void> {
    const { trace } = this.#task.settings;
    const events = gpu.takeTrace();
    if (trace !== undefined && events)
      await writeWhole(trace, new TextEncoder().encode(JSON.stringify(events)), 'The trace');
  }
}

/** What of a model is uploaded for a pass. */
const shownSubject = (pass: CommandPass): Subject => (isOfModel(pass) ? subjectOf(pass) : 'light');

type ImageJobs = Parameters<ModelContext['images']>[0];

/** A model with the device that it is drawn on, which may still be opening while the model is read. */
class ModelOnDevice implements ModelContext {
  model!: LoadedModel;
  gpu!: Gpu;
  studio!: Studio;
  readonly images: ModelContext['images'];
  readonly streamed: boolean;

  constructor(images: ModelContext['images'], streamed: boolean) {
    this.images = images;
    this.streamed = streamed;
  }

  get device(): GPUDevice {
    return this.gpu.device;
  }
}

type Ready = Awaited<ReturnType<LoadedModel['prepare']>>;

/** Load/store statistics if shaders accessed storage textures, otherwise null. */
function usedUnit(statistics: DeviceStatistics | null): RenderReport['loadStoreUnit'] {
  const unit = statistics?.loadStoreUnit;
  return unit && unit.loads + unit.stores > 0 ? unit : null;
}

/** The pictures of a task, with what depends on the model. */
function picturesOf({ settings, pictures }: Task, model: LoadedModel): Task['pictures'] {
  const { frames, choice } = settings;
  if (!frames || frames.step === 0) return pictures;
  const change = (changes: Partial<RenderSettings>): Task['pictures'] =>
    pictures.map((picture) => ({
      ...picture,
      settings: { ...picture.settings, ...changes },
      next: { ...picture.next, ...changes },
    }));
  if (frames.angle > 0) {
    // For a model without animations, --fps only says how fast the views are shown.
    const isStill = choice.moment === undefined && model.model.document.getRoot().listAnimations().length === 0;
    return isStill ? change({ choice }) : pictures;
  }
  // Frames of an animation share a camera, so that the model moves and not the picture. Also those that are not drawn.
  return change({ view: model.steadyView(settings, momentsOf(framesOf(settings).map((frame) => frame.choice))) });
}

/** Moments at which the frames of an animation are measured. */
const MEASURED = 8;

/** A few of the moments, evenly spread. */
const momentsOf = <T>(choices: readonly T[]): T[] =>
  choices.length <= MEASURED
    ? [...choices]
    : Array.from({ length: MEASURED }, (_, i) => choices[Math.floor((i * choices.length) / MEASURED)]);
