// A scene on a device of this package: frames, overlays and the samples of pixels.
import { heightOf, type Counter, type LegendEntry, type Probe, type Settings } from '../protocol';
import type { Scene } from '../scenes/recipe';
import { countersOf } from './counters';
import type { PlaygroundDevice } from './device';
import * as overlays from './overlays';
import { probePixel } from './probe';
import { Reader } from './read';
import { SceneRenderer, type FrameOptions } from './scene-renderer';

/** What a frame is drawn for. */
export interface SceneMoment {
  readonly seconds: number;
  readonly count: number;
  readonly pointer: readonly [x: number, y: number];
}
interface DrawnFrame {
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
  readonly milliseconds: number;
  readonly counters: readonly Counter[] | null;
  readonly legend: readonly LegendEntry[];
}

/** Runs what may cause validation errors. @throws Error with the first message */
async function checked<T>(device: GPUDevice, run: () => T): Promise<T> {
  device.pushErrorScope('out-of-memory');
  device.pushErrorScope('validation');
  const result = run();
  const errors = await Promise.all([device.popErrorScope(), device.popErrorScope()]);
  const error = errors.find((each) => each !== null);
  if (error) throw new Error(error.message);
  return result;
}

export class SceneView {
  readonly #device: PlaygroundDevice;
  readonly #renderer: SceneRenderer;
  readonly #pictures: Reader;
  readonly #extras: Reader;
  #settings: Settings;
  #counts: GPUTexture | null = null;
  /** Steps whose shaders ignore shading rates; null: not known yet. */
  #ignoring: Promise<ReadonlySet<number>> | null = null;

  private constructor(device: PlaygroundDevice, renderer: SceneRenderer, settings: Settings) {
    this.#device = device;
    this.#renderer = renderer;
    this.#settings = settings;
    this.#pictures = new Reader(device);
    this.#extras = new Reader(device);
  }

  /** @throws Error if the shader does not fit the scene */
  static async create(device: PlaygroundDevice, scene: Scene, code: string, settings: Settings): Promise<SceneView> {
    const { width, samples } = settings;
    const size = { width, height: heightOf(width), samples };
    const renderer = await checked(device, () => {
      const module = device.createShaderModule({ label: scene.id, code });
      return new SceneRenderer(device, scene, module, size);
    });
    return new SceneView(device, renderer, settings);
  }

  /** Takes settings that need no other pipelines. */
  set settings(settings: Settings) {
    this.#settings = settings;
  }

  async draw(moment: SceneMoment, counts: boolean): Promise<DrawnFrame> {
    const { overlay } = this.#settings;
    const device = this.#device;
    const options = this.#options(moment, overlay === 'encoding', overlay === 'overdraw');
    const before = counts ? device.statistics() : null;
    if (overlay === 'tiles') device.takeTrace();
    const began = performance.now();
    const encoder = device.createCommandEncoder();
    this.#clearCounts(encoder, options);
    this.#renderer.encode(encoder, options);
    const read = this.#pictures.copy(encoder, this.#renderer.picture);
    device.queue.submit([encoder.finish()]);
    const pixels = await read();
    const milliseconds = performance.now() - began;
    const counters = before && countersOf(before, device.statistics());
    return { milliseconds, counters, ...(await this.#overlay(pixels, options)) };
  }

  async probe(moment: SceneMoment, at: readonly [x: number, y: number]): Promise<Probe> {
    const options = this.#options(moment, true, true);
    const encoder = this.#device.createCommandEncoder();
    this.#clearCounts(encoder, options);
    this.#renderer.encode(encoder, options);
    this.#device.queue.submit([encoder.finish()]);
    return probePixel(this.#device, this.#renderer, this.#counts!, at);
  }

  destroy(): void {
    this.#renderer.destroy();
    this.#pictures.destroy();
    this.#extras.destroy();
    this.#counts?.destroy();
  }

  #options(moment: SceneMoment, keepsSamples: boolean, counts: boolean): FrameOptions {
    const { rate, order } = this.#settings;
    return { ...moment, keepsSamples, own: { rate, order, counts: counts ? this.#countTexture() : null } };
  }

  #countTexture(): GPUTexture {
    const { width, height } = this.#renderer.picture;
    const { RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
    const usage = RENDER_ATTACHMENT | COPY_SRC;
    this.#counts ??= this.#device.createTexture({ size: [width, height], format: 'r32uint', usage });
    return this.#counts;
  }

  #clearCounts(encoder: GPUCommandEncoder, { own }: FrameOptions): void {
    if (!own?.counts) return;
    const view = own.counts.createView();
    encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] }).end();
  }

  async #overlay(
    pixels: Uint8ClampedArray<ArrayBuffer>,
    options: FrameOptions
  ): Promise<Pick<DrawnFrame, 'pixels' | 'legend'>> {
    const device = this.#device;
    const { surface, samples, picture } = this.#renderer;
    switch (this.#settings.overlay) {
      case 'none':
        return { pixels, legend: [] };
      case 'overdraw': {
        const encoder = device.createCommandEncoder();
        const read = this.#extras.copy(encoder, this.#counts!);
        device.queue.submit([encoder.finish()]);
        return overlays.overdraw(pixels, await read());
      }
      case 'rates': {
        this.#ignoring ??= this.#findIgnoring(options);
        const ignoring = await this.#ignoring;
        const encoder = device.createCommandEncoder();
        const read = this.#extras.copy(encoder, this.#renderer.encodeRates(encoder, options, ignoring));
        device.queue.submit([encoder.finish()]);
        return overlays.shadingRates(pixels, await read());
      }
      case 'encoding': {
        const encoded = surface ?? samples;
        if (encoded.sampleCount === 1)
          return { pixels, legend: [{ color: 'transparent', text: 'One sample per pixel: nothing is encoded' }] };
        return overlays.encoding(pixels, await device.encodingStates(encoded));
      }
      case 'tiles':
        return overlays.tiles(pixels, picture.width, device.takeTrace());
    }
  }

  /** Draws each step alone: the device counts draw calls that asked for a rate in vain. */
  async #findIgnoring(options: FrameOptions): Promise<ReadonlySet<number>> {
    const ignoring = new Set<number>();
    const fallbacks = (): number =>
      Object.values(this.#device.statistics().shadingRates.fallbacks).reduce((sum, count) => sum + count, 0);
    for (let k = 0; k < this.#renderer.stepCount; k++) {
      const before = fallbacks();
      const encoder = this.#device.createCommandEncoder();
      this.#renderer.encodeStep(encoder, k, options);
      this.#device.queue.submit([encoder.finish()]);
      await this.#device.queue.onSubmittedWorkDone();
      if (fallbacks() > before) ignoring.add(k);
    }
    return ignoring;
  }
}
