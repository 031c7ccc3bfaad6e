// Animated WebP (https://developers.google.com/speed/webp/docs/riff_container), written frame by frame: the container
// around frames that the encoder of still pictures makes.
import { encodeWebp } from '../../node/models/encoders';
import { OutputError } from '../errors';
import type { AnimationShape, FrameEncoder, Part } from './frame-encoder';
import { changedArea, cropped } from './frame-area';

const ANIMATION_FLAG = 0x02;
const ALPHA_FLAG = 0x10;
/** The frame's pixels replace those below it, and stay for the next frame. */
const REPLACE = 0x02;
const MAX_FILE_BYTES = 0xffff_fffe;

/** Chunks of a frame that contain pixels. */
const PIXEL_CHUNKS = ['ALPH', 'VP8 ', 'VP8L'];

export class AnimatedWebpEncoder implements FrameEncoder {
  readonly #shape: AnimationShape;
  readonly #quality: number;
  #index = 0;
  /** Bytes of the file so far. */
  #size = 0;
  #before: Uint8Array | undefined;

  /** @param quality 1 to 100 */
  constructor(shape: AnimationShape, quality: number) {
    this.#shape = shape;
    this.#quality = quality;
  }

  start(): Part[] {
    const { width, height, loop, transparent } = this.#shape;
    const head = new Uint8Array(12);
    head.set(ascii('RIFF'), 0);
    head.set(ascii('WEBP'), 8);
    const canvas = new DataView(new ArrayBuffer(10));
    canvas.setUint8(0, ANIMATION_FLAG | (transparent ? ALPHA_FLAG : 0));
    setUint24(canvas, 4, width - 1);
    setUint24(canvas, 7, height - 1);
    const animation = new DataView(new ArrayBuffer(6));
    animation.setUint16(4, loop, true);
    return this.#parts([head, ...chunk('VP8X', bytesOf(canvas)), ...chunk('ANIM', bytesOf(animation))]);
  }

  async frame(pixels: Uint8Array): Promise<Part[]> {
    const { width, height, fps } = this.#shape;
    // Offsets are stored as halves.
    const area = changedArea(this.#before, pixels, { width, height }, 2);
    this.#before = pixels;
    const still = await encodeWebp(cropped(pixels, width, area, 4), area.width, area.height, this.#quality);
    const head = new DataView(new ArrayBuffer(16));
    [area.x / 2, area.y / 2, area.width - 1, area.height - 1].forEach((value, i) => setUint24(head, i * 3, value));
    // Rounded moments, so that errors of milliseconds do not add up.
    const moment = (i: number): number => Math.round((i * 1000) / fps);
    setUint24(head, 12, moment(this.#index + 1) - moment(this.#index));
    head.setUint8(15, REPLACE);
    this.#index++;
    const parts = this.#parts(chunk('ANMF', joined([bytesOf(head), ...pixelChunks(still)])));
    if (this.#size > MAX_FILE_BYTES)
      throw new OutputError('The animated picture is larger than 4 GiB, the limit of WebP; use fewer frames.');
    return parts;
  }

  /** The file's size, which its head states. */
  end(): Part[] {
    const size = new DataView(new ArrayBuffer(4));
    size.setUint32(0, this.#size - 8, true);
    return [{ bytes: bytesOf(size), position: 4 }];
  }

  #parts(all: Uint8Array[]): Part[] {
    for (const { length } of all) this.#size += length;
    return all.map((bytes) => ({ bytes }));
  }
}

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (sign) => sign.charCodeAt(0));
const bytesOf = (view: DataView<ArrayBuffer>): Uint8Array => new Uint8Array(view.buffer);

function setUint24(view: DataView, at: number, value: number): void {
  view.setUint16(at, value & 0xffff, true);
  view.setUint8(at + 2, value >> 16);
}

/** A chunk: type, length, data, and a byte that makes its size even. */
function chunk(type: string, data: Uint8Array): Uint8Array[] {
  const head = new Uint8Array(8);
  head.set(ascii(type));
  new DataView(head.buffer).setUint32(4, data.length, true);
  return data.length % 2 === 0 ? [head, data] : [head, data, new Uint8Array(1)];
}

/** The chunks of a still picture that contain pixels, with their heads. */
function pixelChunks(file: Uint8Array): Uint8Array[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const found: Uint8Array[] = [];
  for (let at = 12; at + 8 <= file.length;) {
    const end = at + 8 + view.getUint32(at + 4, true);
    const whole = end + (end % 2);
    if (PIXEL_CHUNKS.includes(String.fromCharCode(...file.subarray(at, at + 4)))) found.push(file.subarray(at, whole));
    at = whole;
  }
  return found;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
