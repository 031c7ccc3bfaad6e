// A model on a device, from which pictures are drawn: from several places, at several moments, in several variants.
/// <reference types="@webgpu/types" />
import type { Texture } from '@gltf-transform/core';
import { ModelBudget } from './budget';
import { loadModel, type Model } from './files/load';
import type { ResourceReader } from './files/uri';
import { groundReach } from './gpu/ground';
import { renderPicture, type PictureOptions } from './gpu/render';
import { memo, type PipelineOutput } from './gpu/pipelines';
import { sceneRates, type RateRequest } from './gpu/shading-rates';
import { Textures } from './gpu/textures';
import { uploadScene, type GpuScene } from './gpu/upload';
import { decodeImages, imagesOf, type DecodeImage, type ImageJob, type SceneImage } from './images/image-set';
import { lightingOf } from './light/lighting';
import type { Panorama } from './light/panorama';
import { add, dot, scale, sinCosDegrees, subtract } from './math';
import { DEFAULT_LIGHT, type LightSettings } from './light/settings';
import type { Studio } from './light/studio';
import { placeCamera, viewCamera, type Camera, type Projection, type View } from './scene/camera';
import { findCamera } from './scene/file-cameras';
import { animationBounds, type Bounds } from './scene/bounds';
import { blurOf, type Blur, type Lens } from './scene/lens';
import { flattenScene, unionOf, type FlatScene, type SceneChoice } from './scene/scene';

/** A view, or a camera of the file by its name or index. */
export type ViewRequest = Exclude<View, { file: unknown }> | { fileCamera: string };

/** What a picture shows, and from where. */
export interface Shot {
  width: number;
  height: number;
  view: ViewRequest;
  projection: Projection;
  choice: SceneChoice;
  lens: Lens | undefined;
  shadingRate: RateRequest | undefined;
  /** Undefined: DEFAULT_LIGHT. */
  light?: LightSettings | undefined;
  /** Pixels. */
  lineWidth: number;
  pointSize: number;
}

/** What models need from their surroundings. It is read when the first picture is prepared. */
export interface ModelContext {
  readonly device: GPUDevice;
  readonly studio: Studio;
  /** Makes the images of a scene ready, in order; by default they are decoded on the calling thread. */
  readonly images: (jobs: ReadonlyMap<Texture, ImageJob>) => AsyncIterable<SceneImage>;
  /** Whether images are read page by page, so that they take no memory of the model's budget. */
  readonly streamed?: boolean;
}

/** Decodes images on the calling thread. */
export const imagesBy =
  (decode: DecodeImage, prefetchCount = 0): ModelContext['images'] =>
  (jobs) =>
    decodeImages(jobs, decode, prefetchCount);

/** A scene that is ready for a camera. */
interface ReadyScene {
  flat: FlatScene;
  gpu: GpuScene;
}

/** A view of a scene: options for the functions of gpu/render.ts. */
interface ReadyShot extends ReadyScene {
  camera: Camera;
  blur: Blur | undefined;
  rates: PictureOptions['rates'];
}

/** Whether bounds matter, because something is drawn from the light's side. */
const hasShadows = ({ lights }: FlatScene, { shadowSize, ground }: LightSettings): boolean =>
  ground || (lights.length > 0 && shadowSize !== undefined);

export class LoadedModel {
  readonly #model: Model;
  readonly #context: ModelContext;
  readonly #budget: ModelBudget;
  readonly #animationBounds = new Map<string, Bounds>();
  #textures: Textures | undefined;
  /** The last scene that was flattened, and the last one that was uploaded, with what they are. */
  #flat: { key: string; scene: FlatScene; budget: ModelBudget } | undefined;
  #gpu: { key: string; panorama: Panorama | undefined; scene: GpuScene } | undefined;
  /** Images of the last flattened scene that are being read. */
  #reading: { flat: FlatScene; images: AsyncIterable<SceneImage> } | undefined;

  private constructor(model: Model, context: ModelContext, budget: ModelBudget) {
    this.#model = model;
    this.#context = context;
    this.#budget = budget;
  }

  /**
   * Reads a .glb or .gltf.
   * @param readResource opens other files that the model refers to; without it, such a model is refused
   * @throws ModelError
   */
  static async load(
    bytes: Uint8Array,
    context: ModelContext,
    readResource?: ResourceReader,
    budget = new ModelBudget()
  ): Promise<LoadedModel> {
    return new LoadedModel(await loadModel(bytes, readResource, budget), context, budget);
  }

  /** A model that was read. @param budget memory account of loadModel */
  static of(model: Model, context: ModelContext, budget = new ModelBudget()): LoadedModel {
    return new LoadedModel(model, context, budget);
  }

  /** The file as it was read. */
  get model(): Model {
    return this.#model;
  }

  /** Flattens the chosen scene, unless the last picture showed the same. @throws ModelError */
  flatten(choice: SceneChoice): FlatScene {
    const key = JSON.stringify(choice);
    if (this.#flat?.key !== key) {
      // Another pose replaces the geometry of the last one.
      const budget = this.#budget.copy();
      this.#flat = { key, scene: flattenScene(this.#model, budget, choice), budget };
    }
    return this.#flat.scene;
  }

  /**
   * Begins to read the images of a scene, so that threads decode them while the caller prepares its light.
   * @throws ModelError
   */
  begin(choice: SceneChoice): void {
    const flat = this.flatten(choice);
    if (this.#reading?.flat !== flat) this.#reading = { flat, images: this.#missingImages(flat) };
  }

  /** Uploads the chosen scene, unless the last picture showed the same. */
  async upload(choice: SceneChoice, output: PipelineOutput, light = DEFAULT_LIGHT): Promise<ReadyScene> {
    const flat = this.flatten(choice);
    const { panorama, ...rest } = light;
    const key = JSON.stringify([choice, output, rest]);
    if (this.#gpu?.key !== key || this.#gpu.panorama !== panorama) {
      const { device, studio } = this.#context;
      this.#gpu?.scene.destroy();
      this.#gpu = undefined;
      this.begin(choice);
      const { images } = this.#reading!;
      this.#reading = undefined;
      const lighting = lightingOf(device, studio, flat.lights.length > 0, light);
      const scene = await uploadScene(device, flat, lighting, images, output, {
        textures: this.#textures,
        bounds: hasShadows(flat, light) ? this.#bounds(choice, flat) : flat,
      });
      this.#gpu = { key, panorama, scene };
    }
    return { flat, gpu: this.#gpu.scene };
  }

  /** Bounds that hold for a whole animation, so that shadows do not flicker between its frames. */
  #bounds(choice: SceneChoice, flat: FlatScene): Bounds {
    if (!choice.moment) return flat;
    const key = JSON.stringify({ ...choice, moment: choice.moment.animation ?? null });
    return memo(this.#animationBounds, key, () => animationBounds(this.#model, this.#budget, choice));
  }

  /** Makes a picture's scene and camera ready. @throws ModelError */
  async prepare(shot: Shot, output: PipelineOutput): Promise<ReadyShot> {
    const { flat, gpu } = await this.upload(shot.choice, output, shot.light);
    const { width, height, lineWidth, pointSize } = shot;
    const view = 'fileCamera' in shot.view ? { file: findCamera(flat.cameras, shot.view.fileCamera) } : shot.view;
    const projection = shot.light?.ground
      ? { ...shot.projection, reach: groundReach(flat, this.#bounds(shot.choice, flat)) }
      : shot.projection;
    const camera = viewCamera(flat, view, width, height, projection);
    gpu.setCamera(camera, { width, height, lineWidth, pointSize });
    const blur = shot.lens && blurOf(shot.lens, camera, height);
    return { flat, gpu, camera, blur, rates: shot.shadingRate && sceneRates(shot.shadingRate, flat, camera, blur) };
  }

  /**
   * A view that shows the model at all of these moments, instead of one that is fitted to each. Other views stay the
   * same.
   * @throws ModelError
   */
  steadyView(shot: Shot, choices: readonly SceneChoice[]): ViewRequest {
    const { view, width, height, projection } = shot;
    if (!('orbit' in view) || view.orbit.distance !== undefined) return view;
    const all = unionOf(choices.map((choice) => flattenScene(this.#model, this.#budget.copy(), choice)));
    const camera = placeCamera(all, view.orbit, width, height, projection);
    const { eye, forward, halfHeight, orthographic } = camera;
    if (!orthographic) return { lookAt: { eye, target: add(eye, forward) } };
    // An orthographic camera takes its height from the distance of what it looks at.
    const { sin, cos } = sinCosDegrees(projection.fieldOfView / 2);
    const target = add(eye, scale(forward, dot(subtract(all.center, eye), forward)));
    return { lookAt: { eye: subtract(target, scale(forward, (halfHeight * cos) / sin)), target } };
  }

  /** Draws a picture. @returns RGBA in rows from the top, sRGB, with straight alpha */
  async draw(shot: Shot, { samples, background }: Pick<PictureOptions, 'samples' | 'background'>): Promise<Uint8Array> {
    const ready = await this.prepare(shot, { outputKind: 'color', samples });
    const { width, height } = shot;
    const { blur, rates } = ready;
    return renderPicture(this.#context.device, ready.gpu, { width, height, samples, background, blur, rates });
  }

  /** Frees its buffers and textures. */
  dispose(): void {
    this.#gpu?.scene.destroy();
    this.#gpu = undefined;
    this.#flat = undefined;
    this.#reading = undefined;
    this.#textures?.destroy();
  }

  /** The images that a scene uses and that are not on the device yet. */
  #missingImages(flat: FlatScene): AsyncIterable<SceneImage> {
    const textures = (this.#textures ??= new Textures(this.#context.device));
    const jobs = imagesOf(flat, this.#context.streamed ? null : this.#flat!.budget.copy());
    const missing = new Map<Texture, ImageJob>();
    for (const [texture, job] of jobs) {
      const srgb = job.srgb.filter((each) => !textures.has(texture, each));
      if (srgb.length > 0) missing.set(texture, { ...job, srgb });
    }
    return this.#context.images(missing);
  }
}
