// Writes OpenEXR files: one part with scan lines, ZIP compression, and any channels (OpenEXR file layout, version 2).

/** Compresses bytes in the format of zlib. */
export type Deflate = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array | Promise<Uint8Array>;

/** Numbers of the types in files. */
const TYPES = { uint: 0, half: 1, float: 2 } as const;
export type ExrType = keyof typeof TYPES;

/** A channel: its values are `values[first + i * stride]`; those of a half are its bits. */
export interface ExrChannel {
  readonly name: string;
  readonly type: ExrType;
  readonly values: ArrayLike<number>;
  readonly first: number;
  readonly stride: number;
}

const MAGIC = 20000630;
const ZIP = 3;
/** Rows of a chunk that is compressed by ZIP. */
const CHUNK_ROWS = 16;

const bytesOf = (type: ExrType): number => (type === 'half' ? 2 : 4);

/** Bytes of a growing file, little-endian. */
class Bytes {
  readonly #bytes: number[] = [];

  u8(value: number): this {
    this.#bytes.push(value);
    return this;
  }

  u32(value: number): this {
    for (let shift = 0; shift < 32; shift += 8) this.#bytes.push((value >>> shift) & 255);
    return this;
  }

  f32(value: number): this {
    return this.u32(new Uint32Array(Float32Array.of(value).buffer)[0]);
  }

  /** A text that ends with a zero. */
  text(text: string): this {
    for (const letter of text) this.#bytes.push(letter.charCodeAt(0));
    return this.u8(0);
  }

  attribute(name: string, type: string, value: Bytes): this {
    this.text(name).text(type).u32(value.#bytes.length);
    for (const byte of value.#bytes) this.#bytes.push(byte);
    return this;
  }

  done(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#bytes);
  }
}

/** Writes a file. Rows are from the top. */
export async function writeExr(
  width: number,
  height: number,
  channels: readonly ExrChannel[],
  deflate: Deflate
): Promise<Uint8Array<ArrayBuffer>> {
  // Files have their channels in the order of their names.
  const sorted = [...channels].sort((a, b) => (a.name < b.name ? -1 : 1));
  const header = headerOf(width, height, sorted);
  const count = Math.ceil(height / CHUNK_ROWS);
  const parts: Uint8Array[] = [header, new Uint8Array(8 * count)];
  const table = new DataView(parts[1].buffer);
  let at = header.length + 8 * count;
  for (let chunk = 0; chunk < count; chunk++) {
    const top = chunk * CHUNK_ROWS;
    const raw = rowsOf(width, top, Math.min(height, top + CHUNK_ROWS), sorted);
    const compressed = await deflate(predicted(raw));
    // What does not become smaller is stored as it is.
    const data = compressed.length < raw.length ? compressed : raw;
    table.setBigUint64(8 * chunk, BigInt(at), true);
    parts.push(new Bytes().u32(top).u32(data.length).done(), data);
    at += 8 + data.length;
  }
  const file = new Uint8Array(at);
  let end = 0;
  for (const part of parts) {
    file.set(part, end);
    end += part.length;
  }
  return file;
}

function headerOf(width: number, height: number, channels: readonly ExrChannel[]): Uint8Array<ArrayBuffer> {
  const list = new Bytes();
  // The type, that values are linear (with three bytes that are reserved), and the distance of samples in x and y.
  for (const { name, type } of channels) list.text(name).u32(TYPES[type]).u32(0).u32(1).u32(1);
  list.u8(0);
  const box = (): Bytes =>
    new Bytes()
      .u32(0)
      .u32(0)
      .u32(width - 1)
      .u32(height - 1);
  return new Bytes()
    .u32(MAGIC)
    .u32(2)
    .attribute('channels', 'chlist', list)
    .attribute('compression', 'compression', new Bytes().u8(ZIP))
    .attribute('dataWindow', 'box2i', box())
    .attribute('displayWindow', 'box2i', box())
    .attribute('lineOrder', 'lineOrder', new Bytes().u8(0))
    .attribute('pixelAspectRatio', 'float', new Bytes().f32(1))
    .attribute('screenWindowCenter', 'v2f', new Bytes().f32(0).f32(0))
    .attribute('screenWindowWidth', 'float', new Bytes().f32(1))
    .u8(0)
    .done();
}

/** The rows of a chunk: in each row, one channel after the other. */
function rowsOf(width: number, top: number, bottom: number, channels: readonly ExrChannel[]): Uint8Array<ArrayBuffer> {
  const rowBytes = channels.reduce((sum, { type }) => sum + bytesOf(type) * width, 0);
  const bytes = new Uint8Array((bottom - top) * rowBytes);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (let y = top; y < bottom; y++) {
    for (const { type, values, first, stride } of channels) {
      const size = bytesOf(type);
      for (let x = 0, i = first + y * width * stride; x < width; x++, i += stride, at += size) {
        if (type === 'half') view.setUint16(at, values[i], true);
        else if (type === 'float') view.setFloat32(at, values[i], true);
        else view.setUint32(at, values[i], true);
      }
    }
  }
  return bytes;
}

/** ZIP's preparation: bytes at even places, then those at odd places; each as the difference from the one before. */
function predicted(raw: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(raw.length);
  const half = (raw.length + 1) >> 1;
  for (let i = 0; i < raw.length; i++) out[(i & 1 ? half : 0) + (i >> 1)] = raw[i];
  for (let i = out.length - 1; i > 0; i--) out[i] = out[i] - out[i - 1] + 128;
  return out;
}
