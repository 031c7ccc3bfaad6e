// Draws pictures of a glTF model, and turns its passes into colours.
import { loadGltf } from 'rasterloom/gltf';
import { FIELD_OF_VIEW, OrbitCamera, START } from '../../../src/view/orbit';
import { heightOf, type Orbit, type Settings } from '../protocol';
import type { PlaygroundDevice } from './device';
import { tiles, type Overlay } from './overlays';

/** Bytes that a model may take: it may be any file that a person has. */
const MEMORY = 384 * 2 ** 20;
/** Degrees per second. */
const TURN = 20;

type Model = Awaited<ReturnType<typeof loadGltf>>;

/** An opaque grey for each number from 0 to 1. */
function greys(numbers: Float32Array, of: (value: number) => number): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(numbers.length * 4);
  numbers.forEach((value, i) => pixels.set([255 * of(value), 255 * of(value), 255 * of(value), 255], i * 4));
  return pixels;
}

export class ModelRenderer {
  readonly #device: PlaygroundDevice;
  readonly #model: Model;
  readonly #camera = new OrbitCamera();

  private constructor(device: PlaygroundDevice, model: Model) {
    this.#device = device;
    this.#model = model;
    this.#camera.show(model.info.bounds, START);
  }

  static async load(device: PlaygroundDevice, file: Blob, threads: number): Promise<ModelRenderer> {
    return new ModelRenderer(device, await loadGltf(file, { device, memory: MEMORY, threads }));
  }

  /** What is in the model, as lines of text. */
  get lines(): string[] {
    const { triangles, draws, animations, variants, extensions, warnings } = this.#model.info;
    return [
      `${new Intl.NumberFormat('en').format(triangles)} triangles in ${draws} draw calls`,
      ...(animations.length > 0 ? [`Animations: ${animations.map(({ name }) => name || 'unnamed').join(', ')}`] : []),
      ...(variants.length > 0 ? [`Variants: ${variants.join(', ')}`] : []),
      ...(extensions.used.length > 0 ? [`Extensions: ${extensions.used.join(', ')}`] : []),
      ...warnings,
    ];
  }

  move({ turn, pan, zoom, reset }: Orbit): void {
    if (turn) this.#camera.turn(...turn);
    if (pan) this.#camera.pan(...pan);
    if (zoom !== undefined) this.#camera.zoom(zoom);
    if (reset) this.#camera.reset();
  }

  /** Turns the model by itself, and lets the camera go on. @returns whether the camera is still moving */
  advance(milliseconds: number, isTurning: boolean): boolean {
    if (isTurning) this.#camera.turn((TURN * milliseconds) / 1000, 0);
    return this.#camera.advance(milliseconds);
  }

  async draw(settings: Settings, seconds: number): Promise<Overlay> {
    if (settings.pass !== 'tiles')
      return { pixels: await this.#drawPass(settings, settings.pass, seconds), legend: [] };
    this.#device.takeTrace();
    const pixels = await this.#drawPass(settings, 'color', seconds);
    return tiles(pixels, settings.width, this.#device.takeTrace());
  }

  async #drawPass(
    { width, samples, rate }: Settings,
    pass: Exclude<Settings['pass'], 'tiles'>,
    seconds: number
  ): Promise<Uint8ClampedArray<ArrayBuffer>> {
    const { info } = this.#model;
    const height = heightOf(width);
    const shared = {
      width,
      height,
      samples,
      camera: this.#camera.lookAt(width / height),
      fieldOfView: FIELD_OF_VIEW,
      ...(rate === '1x1' ? {} : { shadingRate: rate }),
      ...(info.animations.length > 0 ? { time: seconds % (info.animations[0]!.duration || 1) } : {}),
    };
    switch (pass) {
      case 'color':
      case 'albedo': {
        const { pixels } = await this.#model.render({ ...shared, pass, ground: pass === 'color' });
        return new Uint8ClampedArray((pixels as Uint8Array<ArrayBuffer>).buffer);
      }
      case 'normal': {
        const { pixels } = await this.#model.render({ ...shared, pass });
        const colors = new Uint8ClampedArray(width * height * 4).fill(255);
        for (let i = 0; i < width * height; i++)
          for (let k = 0; k < 3; k++) colors[4 * i + k] = 127.5 + 127.5 * pixels[3 * i + k]!;
        return colors;
      }
      case 'depth': {
        const { pixels, depthRange } = await this.#model.render({ ...shared, pass });
        const [near, far] = depthRange!;
        return greys(pixels, (depth) => (depth === Infinity ? 1 : (0.9 * (depth - near)) / (far - near || 1)));
      }
      case 'ao': {
        const { pixels } = await this.#model.render({ ...shared, pass });
        return greys(pixels, (visible) => visible);
      }
      case 'object': {
        const { pixels, legend } = await this.#model.render({ ...shared, pass });
        const colors = new Map(legend!.map(({ id, color }) => [id, parseInt(color.slice(1), 16)]));
        const shown = new Uint8ClampedArray(width * height * 4).fill(255);
        pixels.forEach((id, i) => {
          const color = colors.get(id) ?? 0x20242e;
          shown.set([color >> 16, (color >> 8) & 255, color & 255], i * 4);
        });
        return shown;
      }
    }
  }

  destroy(): void {
    this.#model.dispose();
  }
}
