// A model on a device, from which pictures are drawn: from several places, at several moments, in several variants.
/// <reference types="@webgpu/types" />
import type { Texture } from '@gltf-transform/core';
import { ModelBudget } from './budget';
import type { Model } from './files/load';
import { groundReach } from './gpu/ground';
import { renderPicture, type PictureOptions } from './gpu/render';
import { memo, type PipelineOutput } from './gpu/pipelines';
import { sceneRates, type RateRequest } from './gpu/shading-rates';
import { Textures } from './gpu/textures';
import { uploadScene, type GpuScene } from './gpu/upload';
import { decodeImages, imagesOf, type DecodeImage, type ImageJob, type SceneImage } from './images/image-set';
import type { CubeLight } from './light/cube-light';
import { decodeFileLight, lightImages } from './images/light-images';
import { lightingOf } from './light/lighting';
import { add, dot, scale, sinCosDegrees, subtract } from './math';
import { DEFAULT_LIGHT, type LightImage, type LightSettings } from './light/settings';
import type { Studio } from './light/studio';
import { placeCamera, viewCamera, type Camera, type Projection, type View } from './scene/camera';
import { drawPass } from './passes/draw';
import { outputOf, subjectOf, type ColourKind, type Pass, type PassPicture } from './passes/kinds';
import { sceneFor, type Subject } from './passes/subjects';
import { findCamera } from './scene/file-cameras';
import { animationBounds, type Bounds } from './scene/bounds';
import { dimmed } from './scene/lights';
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
  /**
   * Makes the images of a scene or of its light ready, in order; by default they are decoded on the calling thread.
   * Images of light are decoded completely.
   */
  readonly images: (jobs: ReadonlyMap<Texture, ImageJob>, use: 'scene' | 'light') => AsyncIterable<SceneImage>;
  /** Whether images of scenes are read page by page, so that they take no memory of the model's budget. */
  readonly streamed?: boolean;
}

/** Decodes images on the calling thread. */
export const imagesBy =
  (decode: DecodeImage, prefetchCount = 0): ModelContext['images'] =>
  (jobs) =>
    decodeImages(jobs, decode, prefetchCount);

/** How the picture of a pass is drawn. */
interface PassOptions extends Pick<PictureOptions, 'samples' | 'background'> {
  next?: Shot | undefined;
  occlusionRadius?: number | undefined;
  /** Called when everything is on the device. */
  prepared?: () => void;
}

/** The light of a picture whose colours are kept in this way. */
export const lightFor = (light: LightSettings = DEFAULT_LIGHT, kind: ColourKind): LightSettings =>
  kind === 'linear' ? { ...light, toneMapping: 'none' } : light;

/** A scene that is ready for a camera. */
interface ReadyScene {
  model: Model;
  flat: FlatScene;
  gpu: GpuScene;
}

/** What a scene is uploaded for, and the scene of the next frame, which motion needs. */
interface Upload {
  subject: Subject;
  next?: SceneChoice | undefined;
}

/** A flat scene, what it shows, and the memory account after it was read. */
interface Flattened {
  readonly key: string;
  readonly scene: FlatScene;
  readonly budget: ModelBudget;
}

/** A view of a scene: options for the functions of gpu/render.ts. */
interface ReadyShot extends ReadyScene {
  camera: Camera;
  blur: Blur | undefined;
  rates: PictureOptions['rates'];
}

/** Whether it matters what the model takes and how bright its lights are over a whole animation. */
const needsBounds = ({ lights }: FlatScene, { ground }: LightSettings): boolean => ground || lights.length > 0;

export class LoadedModel {
  readonly #model: Model;
  readonly #context: ModelContext;
  readonly #budget: ModelBudget;
  readonly #animationBounds = new Map<string, Bounds>();
  #textures: Textures | undefined;
  /** The last scenes that were flattened, and for each subject the last one that was uploaded, with what they are. */
  #flat: Flattened[] = [];
  /** Flat scenes that are kept: one, or with motion those of a frame and of the next one. */
  #keptScenes = 1;
  readonly #gpu = new Map<Subject | 'rates', { key: string; image: LightImage | undefined; scene: GpuScene }>();
  /** Decoded lights of the file, by their index. */
  readonly #fileLights = new Map<number, CubeLight>();
  /** Images of a flattened scene that are being read. */
  #reading: { flat: FlatScene; subject: Subject; images: AsyncIterable<SceneImage> } | undefined;

  private constructor(model: Model, context: ModelContext, budget: ModelBudget) {
    this.#model = model;
    this.#context = context;
    this.#budget = budget;
  }

  /** A model that was read. @param budget memory account of loadModel */
  static of(model: Model, context: ModelContext, budget = new ModelBudget()): LoadedModel {
    return new LoadedModel(model, context, budget);
  }

  /** The file as it was read. */
  get model(): Model {
    return this.#model;
  }

  /** Flattens the chosen scene, unless it is still there. @throws ModelError */
  flatten(choice: SceneChoice): FlatScene {
    return this.#flatten(choice).scene;
  }

  #flatten(choice: SceneChoice): Flattened {
    const key = JSON.stringify(choice);
    let found = this.#flat.find((flat) => flat.key === key);
    if (!found) {
      // Other poses replace the geometry of earlier ones.
      const budget = this.#budget.copy();
      found = { key, scene: flattenScene(this.#model, budget, choice), budget };
      this.#flat = [found, ...this.#flat].slice(0, this.#keptScenes);
    }
    return found;
  }

  /**
   * Begins to read the images of a scene, so that threads decode them while the caller opens a device and prepares its
   * light.
   * @throws ModelError
   */
  begin(choice: SceneChoice, subject: Subject = 'light'): void {
    const { scene: flat, budget } = this.#flatten(choice);
    if (this.#reading?.flat === flat && this.#reading.subject === subject) return;
    this.#reading = { flat, subject, images: this.#missingImages(sceneFor(flat, subject), budget) };
  }

  /** Uploads the chosen scene, unless the last picture showed the same. */
  async upload(
    choice: SceneChoice,
    output: PipelineOutput,
    light = DEFAULT_LIGHT,
    { subject, next }: Upload = { subject: 'light' }
  ): Promise<ReadyScene> {
    if (next) this.#keptScenes = 2;
    const flat = this.flatten(choice);
    const { image: wanted, ...rest } = subject === 'light' ? light : DEFAULT_LIGHT;
    const image = subject === 'light' ? await this.#imageOf(wanted, choice) : undefined;
    const slot = output.outputKind === 'rates' ? 'rates' : subject;
    const key = JSON.stringify([choice, output, rest, next]);
    let known = this.#gpu.get(slot);
    if (known?.key !== key || known.image !== image) {
      const { device, studio } = this.#context;
      known?.scene.destroy();
      this.#gpu.delete(slot);
      this.#textures ??= new Textures(device);
      this.begin(choice, subject);
      const { images } = this.#reading!;
      this.#reading = undefined;
      const shown = sceneFor(flat, subject, next && this.flatten(next));
      const lighting = lightingOf(device, studio, image, shown.lights.length > 0, { ...rest, image: wanted });
      const bounds = needsBounds(shown, lighting.settings) ? this.#bounds(choice, flat) : flat;
      const lights = dimmed(shown.lights, Math.min(1, bounds.dimming / flat.dimming));
      const scene = await uploadScene(device, { ...shown, lights }, lighting, images, output, {
        textures: this.#textures,
        bounds,
      });
      this.#gpu.set(slot, (known = { key, image, scene }));
    }
    return { model: this.#model, flat, gpu: known.scene };
  }

  /** The image of a picture's light: what was asked for, or else what is in the file; undefined: the studio. */
  async #imageOf(wanted: LightSettings['image'], choice: SceneChoice): Promise<LightImage | undefined> {
    if (wanted !== undefined) return wanted === 'studio' ? undefined : wanted;
    const {
      scene: { imageLight },
      budget,
    } = this.#flatten(choice);
    if (!imageLight) return undefined;
    const { index } = imageLight;
    let light = this.#fileLights.get(index);
    if (!light) {
      light = await decodeFileLight(imageLight, this.#context.images(lightImages(imageLight, budget.copy()), 'light'));
      this.#fileLights.set(index, light);
    }
    return light;
  }

  /** Bounds that hold for a whole animation, so that shadows and lights do not flicker between its frames. */
  #bounds(choice: SceneChoice, flat: FlatScene): Bounds {
    if (!choice.moment) return flat;
    const key = JSON.stringify({ ...choice, moment: choice.moment.animation ?? null });
    return memo(this.#animationBounds, key, () => animationBounds(this.#model, this.#budget, choice));
  }

  /** Makes a picture's scene and camera ready. @param next the shot of the next frame, for motion @throws ModelError */
  async prepare(shot: Shot, output: PipelineOutput, subject: Subject = 'light', next?: Shot): Promise<ReadyShot> {
    const { model, flat, gpu } = await this.upload(shot.choice, output, shot.light, { subject, next: next?.choice });
    const { width, height, lineWidth, pointSize } = shot;
    const camera = this.#cameraOf(shot);
    gpu.setCamera(camera, { width, height, lineWidth, pointSize }, next && this.#nextCamera(shot, camera, next));
    const blur = shot.lens && blurOf(shot.lens, camera, height);
    const rates = shot.shadingRate && sceneRates(shot.shadingRate, flat, camera, blur);
    return { model, flat, gpu, camera, blur, rates };
  }

  #cameraOf({ choice, view, width, height, projection, light }: Shot): Camera {
    const flat = this.flatten(choice);
    const found = 'fileCamera' in view ? { file: findCamera(flat.cameras, view.fileCamera) } : view;
    const reach = light?.ground ? { reach: groundReach(flat, this.#bounds(choice, flat)) } : {};
    return viewCamera(flat, found, width, height, { ...projection, ...reach });
  }

  /** The camera of the next frame. One that is fitted stays, so that the model moves and not the picture. */
  #nextCamera({ view }: Shot, camera: Camera, next: Shot): Camera {
    const isFitted = 'orbit' in view && view.orbit.distance === undefined;
    return isFitted ? camera : this.#cameraOf(next);
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

  /** Draws the picture of a pass. @param next the shot of the next frame, for motion */
  async drawPass(
    shot: Shot,
    [pass, kind]: readonly [Pass, ColourKind],
    { samples, background, next, occlusionRadius, prepared }: PassOptions
  ): Promise<{ picture: PassPicture; ready: ReadyShot }> {
    const light = lightFor(shot.light, kind);
    const ready = await this.prepare({ ...shot, light }, outputOf(pass, kind, samples), subjectOf(pass), next);
    prepared?.();
    const { width, height } = shot;
    const { blur, rates } = ready;
    const options = { width, height, samples, background, blur, rates, occlusionRadius };
    return { picture: await drawPass(this.#context.device, ready, [pass, kind], options), ready };
  }

  /** Frees its buffers and textures. */
  dispose(): void {
    for (const { scene } of this.#gpu.values()) scene.destroy();
    this.#gpu.clear();
    this.#flat = [];
    this.#reading = undefined;
    this.#textures?.destroy();
  }

  /** The images that a scene uses and that are not on the device yet. */
  #missingImages(flat: FlatScene, budget: ModelBudget): AsyncIterable<SceneImage> {
    const jobs = imagesOf(flat, this.#context.streamed ? null : budget.copy());
    const missing = new Map<Texture, ImageJob>();
    for (const [texture, job] of jobs) {
      const srgb = job.srgb.filter((each) => !this.#textures?.has(texture, each));
      if (srgb.length > 0) missing.set(texture, { ...job, srgb });
    }
    return this.#context.images(missing, 'scene');
  }
}
