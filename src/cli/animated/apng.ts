// Animated PNG (PNG, third edition, §11.3.7), written frame by frame. The first frame is also what readers without
// animations show.
import { filterRows, pngChunk, pngStart } from '../../gltf/images/png-writer';
import { deflate } from '../../node/png';
import type { AnimationShape, FrameEncoder, Part } from './frame-encoder';
import { changedArea, cropped } from './frame-area';

export class ApngEncoder implements FrameEncoder {
  readonly #shape: AnimationShape;
  readonly #delay: { numerator: number; denominator: number };
  /** Number of the next fcTL or fdAT chunk. */
  #sequence = 0;
  #before: Uint8Array | undefined;

  constructor(shape: AnimationShape) {
    this.#shape = shape;
    this.#delay = delayOf(shape.fps);
  }

  start(): Part[] {
    const { width, height, count, loop, transparent } = this.#shape;
    const control = new DataView(new ArrayBuffer(8));
    control.setUint32(0, count);
    control.setUint32(4, loop);
    return [
      pngStart({ width, height, channels: transparent ? 4 : 3, bits: 8 }),
      ...pngChunk('acTL', bytesOf(control)),
    ].map((bytes) => ({ bytes }));
  }

  async frame(pixels: Uint8Array): Promise<Part[]> {
    const { width, height, transparent } = this.#shape;
    const isFirst = this.#before === undefined;
    const area = changedArea(this.#before, pixels, { width, height });
    this.#before = pixels;
    const control = new DataView(new ArrayBuffer(26));
    control.setUint32(0, this.#sequence++);
    [area.width, area.height, area.x, area.y].forEach((value, i) => control.setUint32(4 + i * 4, value));
    control.setUint16(20, this.#delay.numerator);
    control.setUint16(22, this.#delay.denominator);
    // The next frame is drawn over this one, and its pixels replace those below: APNG_DISPOSE_OP_NONE,
    // APNG_BLEND_OP_SOURCE.
    const channels = transparent ? 4 : 3;
    const data = await deflate(
      filterRows(cropped(pixels, width, area, channels), area.width, area.height, channels).data
    );
    return [...pngChunk('fcTL', bytesOf(control)), ...(isFirst ? pngChunk('IDAT', data) : this.#later(data))].map(
      (bytes) => ({ bytes })
    );
  }

  end(): Part[] {
    return pngChunk('IEND', new Uint8Array(0)).map((bytes) => ({ bytes }));
  }

  #later(data: Uint8Array): Uint8Array[] {
    const numbered = new Uint8Array(4 + data.length);
    new DataView(numbered.buffer).setUint32(0, this.#sequence++);
    numbered.set(data, 4);
    return pngChunk('fdAT', numbered);
  }
}

const bytesOf = (view: DataView<ArrayBuffer>): Uint8Array => new Uint8Array(view.buffer);

/** Seconds of a frame as a fraction of 16-bit numbers. */
function delayOf(fps: number): { numerator: number; denominator: number } {
  const scale = fps < 60 ? 1000 : fps < 600 ? 100 : 50;
  const denominator = Math.max(1, Math.round(fps * scale));
  const divisor = commonDivisor(scale, denominator);
  return { numerator: scale / divisor, denominator: denominator / divisor };
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
