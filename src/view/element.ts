// The custom element <rasterloom-view>.
import type { GltfSource } from '../gltf/library/library';
import type { GltfInfo, GltfModel, GltfPictureOptions, GltfProgress } from '../gltf/library/types';
import {
  cameraOf,
  DRAWING,
  LOADING,
  panoramaOf,
  pictureOptionsOf,
  rotationOf,
  SURROUNDING,
  type DrawingAttribute,
} from './attributes';
import { Controls } from './controls';
import { browserDevice } from './gpu';
import { FIELD_OF_VIEW, OrbitCamera, type Orbit } from './orbit';
import { Pictures } from './pictures';
import { Stage } from './stage';

type Library = typeof import('../gltf.browser');

/** Classes for servers, where there are no elements. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/** Shares of the progress bar at which steps of loading begin, and their lengths. */
const STEPS: Record<GltfProgress['step'], readonly [begin: number, length: number]> = {
  load: [0.05, 0.45],
  // Images are decoded while the scene is uploaded.
  upload: [0.5, 0],
  decode: [0.5, 0.4],
  render: [0.9, 0.1],
};
/** Longest time between two frames of a movement, in milliseconds, for example after the tab was hidden. */
const MAX_STEP_MS = 100;
const RESTORING = 'The graphics device was lost. The model is loaded again …';

const isReduced = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** A promise that others settle. It counts as handled, because waiting for it is optional. */
class Outcome {
  readonly promise: Promise<void>;
  succeed!: () => void;
  fail!: (error: Error) => void;

  constructor() {
    this.promise = new Promise((done, fail) => {
      this.succeed = done;
      this.fail = fail;
    });
    this.promise.catch(() => undefined);
  }
}

/** Says what a person can do about a model that cannot be fetched from another origin. */
function explained(error: Error, source: GltfSource | null): string {
  if (typeof source !== 'string' || !/Failed to fetch|NetworkError|Load failed/i.test(error.message))
    return error.message;
  const { origin } = new URL(source, document.baseURI);
  return origin === location.origin
    ? error.message
    : `${error.message} The server ${origin} is unavailable, or does not allow this page to read the file `
        + '(Access-Control-Allow-Origin).';
}

/**
 * Shows a glTF model, and lets a person look around it. The element loads its code and the model when it is in the
 * document.
 *
 *     <rasterloom-view src="model.glb" alt="A helmet" auto-rotate></rasterloom-view>
 */
export class RasterloomView extends Base {
  static readonly observedAttributes = [...LOADING, ...DRAWING, ...SURROUNDING];

  readonly #stage: Stage;
  readonly #camera = new OrbitCamera();
  readonly #resize: ResizeObserver;
  readonly #visibility: IntersectionObserver;
  #ready = new Outcome();
  #loading: AbortController | null = null;
  #model: GltfModel | null = null;
  #pictures: Pictures | null = null;
  /** What was passed to `load`, instead of `src`. */
  #given: GltfSource | null = null;
  #panorama: { address: string; bytes: Uint8Array } | null = null;
  /** The time of the last frame of a movement; null while nothing moves. */
  #frameAt: number | null = null;
  /** Seconds of the animation. */
  #time = 0;
  #isVisible = true;
  #hasTriedAgain = false;

  constructor() {
    super();
    this.#stage = new Stage(this);
    const { element } = this.#stage;
    new Controls(element, {
      camera: this.#camera,
      canMove: () => this.#pictures !== null && 'start' in cameraOf(this.#read),
      hasFocus: () => this.matches(':focus-within'),
      moved: () => {
        this.dispatchEvent(new Event('camerachange'));
        this.#move();
      },
    });
    this.#resize = new ResizeObserver(() => this.#pictures?.want(this.#frameAt === null ? 'still' : 'moving'));
    this.#visibility = new IntersectionObserver((entries) => {
      this.#isVisible = entries.at(-1)!.isIntersecting;
      if (this.#isVisible) this.#move();
    });
  }

  /** Address of the model, relative to the page. */
  get src(): string | null {
    return this.getAttribute('src');
  }
  set src(address: string | null) {
    if (address === null) this.removeAttribute('src');
    else this.setAttribute('src', address);
  }

  /**
   * Resolves when the first picture of the model is shown, and rejects with the error if there is none. After `src` was
   * changed, it is another promise.
   */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** What is in the model; null until it is loaded. */
  get info(): GltfInfo | null {
    return this.#model?.info ?? null;
  }

  /** Where the camera is, or where it is going. `distance` is 1 where the model fills the view. */
  get orbit(): Readonly<Orbit> {
    return this.#camera.goal;
  }
  set orbit(orbit: Partial<Orbit>) {
    this.#camera.goTo(orbit);
    this.#move();
  }

  /** Moves the camera back to where it was first. */
  resetCamera(): void {
    this.#camera.reset();
    this.#move();
  }

  /** Shows another model than that of `src`, for example a file that was dropped. Resolves like `ready`. */
  load(source: GltfSource): Promise<void> {
    this.#given = source;
    void this.#load();
    return this.ready;
  }

  /**
   * Draws a picture in full quality, as it is seen now.
   * @param type of the file, such as image/png (the default) or image/jpeg
   * @param quality of a JPEG or WebP file, 0 to 1
   */
  async toBlob(type = 'image/png', quality?: number): Promise<Blob> {
    await this.ready;
    if (!this.#pictures) throw new Error('toBlob: the view was removed from the document');
    const { pixels, width, height } = await this.#pictures.draw();
    const canvas = new OffscreenCanvas(width, height);
    const clamped = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.byteLength);
    canvas.getContext('2d')!.putImageData(new ImageData(clamped, width, height), 0, 0);
    return canvas.convertToBlob({ type, ...(quality === undefined ? {} : { quality }) });
  }

  /** Called by the browser. */
  connectedCallback(): void {
    this.#resize.observe(this);
    this.#visibility.observe(this);
    void this.#load();
  }

  /** Called by the browser. */
  disconnectedCallback(): void {
    this.#resize.disconnect();
    this.#visibility.disconnect();
    this.#unload();
  }

  /** Called by the browser. */
  attributeChangedCallback(name: string, before: string | null, value: string | null): void {
    if (before === value) return;
    if (name === 'alt') this.#stage.describe(value);
    else if (name === 'poster') this.#stage.setPoster(value);
    else if (LOADING.some((each) => each === name)) {
      if (name === 'src') this.#given = null;
      if (this.isConnected) void this.#load();
    } else void this.#attributeChanged(name);
  }

  readonly #read = (name: DrawingAttribute): string | null => this.getAttribute(name);

  async #attributeChanged(name: string): Promise<void> {
    if (!this.#pictures) return;
    if (name === 'camera') this.#placeCamera(this.#model!);
    if (name === 'animation') this.#time = 0;
    try {
      if (name === 'environment') await this.#loadPanorama();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#pictures?.want('still');
    this.#move();
  }

  #placeCamera({ info }: GltfModel): void {
    const camera = cameraOf(this.#read);
    if ('start' in camera) this.#camera.show(info.bounds, camera.start);
  }

  #unload(): void {
    this.#loading?.abort();
    this.#loading = null;
    this.#pictures?.end();
    this.#pictures = null;
    this.#model = null;
    this.#stage.clear();
    this.#stage.setProgress(null);
    this.#stage.setMessage('');
  }

  async #load(): Promise<void> {
    this.#unload();
    this.#ready.fail(new DOMException('Another model is loaded instead', 'AbortError'));
    this.#ready = new Outcome();
    const source = this.#given ?? this.src;
    if (source === null || source === '' || !this.isConnected) return;
    const loading = (this.#loading = new AbortController());
    try {
      await this.#open(source, loading.signal);
    } catch (error) {
      if (!loading.signal.aborted) this.#fail(error);
    }
  }

  async #open(source: GltfSource, signal: AbortSignal): Promise<void> {
    this.#progress({ step: 'load', done: 0 });
    const [{ loadGltf }, device]: [Library, GPUDevice | null] = await Promise.all([
      import('../gltf.browser'),
      this.getAttribute('renderer') === 'rasterloom' ? null : browserDevice(),
    ]);
    const place = typeof source === 'string' ? new URL(source, document.baseURI).href : source;
    const [model] = await Promise.all([
      loadGltf(place, {
        signal,
        onProgress: (progress) => this.#progress(progress),
        ...(device === null ? {} : { device }),
      }),
      this.#loadPanorama(),
    ]);
    if (signal.aborted) {
      model.dispose();
      return;
    }
    this.#model = model;
    this.#time = 0;
    this.#placeCamera(model);
    this.#pictures = new Pictures(model, {
      size: () => ({ width: this.clientWidth || 1, height: this.clientHeight || 1 }),
      options: (aspect) => this.#options(aspect),
      show: (pixels, width, height) => this.#show(pixels, width, height),
      failed: (error) => this.#fail(error),
    });
    // The environment may have changed meanwhile.
    await this.#loadPanorama();
    this.#pictures?.want('still');
  }

  async #loadPanorama(): Promise<void> {
    const address = panoramaOf(this.#read);
    if (address === null || address === this.#panorama?.address) return;
    const response = await fetch(new URL(address, document.baseURI));
    if (!response.ok) throw new Error(`The environment ${address} cannot be fetched: ${response.status}.`);
    this.#panorama = { address, bytes: new Uint8Array(await response.arrayBuffer()) };
  }

  #options(aspect: number): GltfPictureOptions {
    const camera = cameraOf(this.#read);
    const options = pictureOptionsOf(this.#read);
    const panorama = this.#panorama?.address === panoramaOf(this.#read) ? this.#panorama : null;
    return {
      ...options,
      ...(panorama ? { environment: panorama.bytes } : {}),
      ...(this.#loading ? { onProgress: (progress) => this.#progress(progress) } : {}),
      ...(options.animation === undefined ? {} : { time: this.#time }),
      ...('file' in camera
        ? { camera: camera.file }
        : { camera: this.#camera.lookAt(aspect), fieldOfView: FIELD_OF_VIEW }),
    };
  }

  #progress(progress: GltfProgress): void {
    const [begin, length] = STEPS[progress.step];
    const share = begin + length * progress.done;
    this.#stage.setProgress(share);
    this.dispatchEvent(new CustomEvent('progress', { detail: { ...progress, share } }));
  }

  #show(pixels: Uint8Array<ArrayBuffer>, width: number, height: number): void {
    this.#stage.put(pixels, width, height);
    this.#stage.setMessage('');
    if (this.#loading === null) return;
    this.#loading = null;
    this.#hasTriedAgain = false;
    this.#stage.setProgress(null);
    this.#ready.succeed();
    this.dispatchEvent(new Event('load'));
    this.#move();
  }

  #fail(thrown: unknown): void {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const isLost = (error as { code?: unknown }).code === 'device';
    if (isLost && !this.#hasTriedAgain) {
      // A device that was lost is replaced once.
      this.#hasTriedAgain = true;
      void this.#load();
      this.#stage.setMessage(RESTORING);
      return;
    }
    const message = explained(error, this.#given ?? this.src);
    this.#loading = null;
    this.#stage.setProgress(null);
    this.#stage.setMessage(message);
    this.#ready.fail(error);
    this.dispatchEvent(new ErrorEvent('error', { error, message }));
  }

  /** Seconds of the animation that is shown; 0 without one. */
  #duration(): number {
    const { animation } = pictureOptionsOf(this.#read);
    const all = this.#model?.info.animations ?? [];
    return all.find(({ name }, index) => animation === name || animation === index)?.duration ?? 0;
  }

  /** Begins to draw frames until nothing moves any more. */
  #move(): void {
    if (this.#frameAt !== null || !this.#pictures) return;
    this.#frameAt = performance.now();
    requestAnimationFrame((now) => this.#frame(now));
  }

  #frame(now: number): void {
    const ms = Math.min(MAX_STEP_MS, Math.max(0, now - this.#frameAt!));
    this.#frameAt = null;
    if (!this.#pictures) return;
    const isCalm = isReduced();
    if (isCalm) this.#camera.finish();
    const rotation = isCalm || !this.#isVisible ? 0 : rotationOf(this.#read);
    if (rotation !== 0 && !this.matches(':focus-within')) this.#camera.turn((rotation * ms) / 1000, 0);
    const isMoving = this.#camera.advance(ms) || rotation !== 0;
    const duration = isCalm || !this.#isVisible ? 0 : this.#duration();
    if (duration > 0) this.#time = (this.#time + ms / 1000) % duration;
    const goesOn = isMoving || duration > 0;
    this.#pictures.want(goesOn ? 'moving' : 'still');
    if (!goesOn) return;
    this.#frameAt = now;
    requestAnimationFrame((next) => this.#frame(next));
  }
}
