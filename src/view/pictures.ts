// Draws the pictures of a view: one at a time, only when something has changed, smaller ones while it moves.
import type { GltfModel, GltfPictureOptions } from '../gltf/library/types';

/** Longest time of a picture while the view moves, in milliseconds, and the shares of the size that are tried. */
const MOVING_MS = 40;
const SCALES = [1, 0.75, 0.5, 0.35] as const;
/** Pictures in a row that are fast enough for the next larger size. */
const FAST_PICTURES = 8;
const MAX_SIDE = 4096;
/** Screens of more pixels per CSS pixel get a picture that is scaled up. */
const MAX_DENSITY = 2;

/** What a picture is drawn for. */
interface PictureView {
  /** Size in CSS pixels. */
  size(): { width: number; height: number };
  /** The options of a picture of this shape. */
  options(aspect: number): GltfPictureOptions;
  show(pixels: Uint8Array<ArrayBuffer>, width: number, height: number): void;
  failed(error: unknown): void;
}

/** The size of a picture in pixels. */
export function sizeOf({ width, height }: { width: number; height: number }, scale: number): [number, number] {
  const density = Math.min(MAX_DENSITY, globalThis.devicePixelRatio || 1) * scale;
  const most = Math.min(1, MAX_SIDE / (Math.max(width, height) * density));
  const side = (length: number): number => Math.max(1, Math.round(length * density * most));
  return [side(width), side(height)];
}

/** The size of pictures while the view moves: as large as they can be drawn in time. */
export class MovingScale {
  #step = 0;
  #fast = 0;

  get scale(): number {
    return SCALES[this.#step]!;
  }

  /** @param ms that a picture of this scale took */
  drawn(ms: number): void {
    if (ms > MOVING_MS) {
      this.#step = Math.min(SCALES.length - 1, this.#step + 1);
      this.#fast = 0;
    } else if (this.#step > 0 && ++this.#fast >= FAST_PICTURES) {
      // The next size must fit as well.
      const growth = SCALES[this.#step - 1]! / this.scale;
      if (ms * growth * growth < MOVING_MS) this.#step--;
      this.#fast = 0;
    }
  }
}

/** Draws the pictures of one model. */
export class Pictures {
  readonly #view: PictureView;
  readonly #model: GltfModel;
  readonly #moving = new MovingScale();
  /** What the next picture is for; null: nothing has changed. */
  #wanted: 'moving' | 'still' | null = null;
  #isDrawing = false;
  #isEnded = false;

  constructor(model: GltfModel, view: PictureView) {
    this.#model = model;
    this.#view = view;
  }

  /** Asks for a picture; if one is being drawn, it comes afterwards. */
  want(kind: 'moving' | 'still'): void {
    this.#wanted = kind;
    if (!this.#isDrawing) void this.#drawAll();
  }

  /** Draws a picture in full quality, which is not shown. */
  async draw(): Promise<{ pixels: Uint8Array<ArrayBuffer>; width: number; height: number }> {
    return this.#draw(1);
  }

  end(): void {
    this.#isEnded = true;
    this.#model.dispose();
  }

  async #drawAll(): Promise<void> {
    this.#isDrawing = true;
    try {
      while (this.#wanted !== null && !this.#isEnded) {
        const scale = this.#wanted === 'still' ? 1 : this.#moving.scale;
        this.#wanted = null;
        const began = performance.now();
        const { pixels, width, height } = await this.#draw(scale);
        const ratio = this.#moving.scale / scale;
        this.#moving.drawn((performance.now() - began) * ratio * ratio);
        if (this.#isEnded) return;
        this.#view.show(pixels, width, height);
        // The page shows a picture before the next one is drawn.
        await new Promise((done) => requestAnimationFrame(done));
      }
    } catch (error) {
      if (!this.#isEnded) this.#view.failed(error);
    } finally {
      this.#isDrawing = false;
    }
  }

  async #draw(scale: number): Promise<{ pixels: Uint8Array<ArrayBuffer>; width: number; height: number }> {
    const [width, height] = sizeOf(this.#view.size(), scale);
    const { pixels } = await this.#model.render({ ...this.#view.options(width / height), width, height });
    return { pixels: pixels as Uint8Array<ArrayBuffer>, width, height };
  }
}
