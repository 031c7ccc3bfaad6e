// Decodes PNG images to RGBA with eight bits per channel. The platform's zlib decompresses the image data, to at most
// the size that the header allows. fast-png, whose own zlib is written in JavaScript, receives the data as stored
// blocks and handles filters, interlacing and palettes. docs/decisions/image-decoders.md compares libraries.
import type { DecodedPng } from '../decoders/png-decoder';
import type { Pixels } from './codecs';
import type { Inflate } from './inflate';

const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Chunks that are kept as they are. Metadata is left out, which could decompress to any size. */
const KEPT_CHUNKS = new Set(['IHDR', 'PLTE', 'tRNS']);
const CHUNK_EXTRA_BYTES = 12;
/** Maximum bytes of a stored block (RFC 1951, §3.2.4), and the bytes before its data. */
const MAX_STORED = 0xffff;
const BLOCK_HEADER_BYTES = 5;

/** Decodes any PNG: grey, palette or colour, 1 to 16 bits, with or without transparency. */
export async function decodePng(bytes: Uint8Array, inflate: Inflate): Promise<Pixels> {
  // Loaded for the first PNG, like the other decoders, because most models contain JPEGs.
  const library = import('../decoders/png-decoder');
  const { kept, imageData } = readChunks(bytes);
  const { least, most } = unpackedSize(bytes);
  const [data, { convertIndexedToRgb, decode }] = await Promise.all([inflate(imageData, most), library]);
  if (data.length < least) throw new Error('its data ends before its last row');
  const png = decode(joined([bytes.subarray(0, 8), ...kept, ...storedChunk(data), END_CHUNK]));
  return png.palette ? paletteToRgba(png, convertIndexedToRgb(png)) : toRgba(png);
}

/** Returns the chunks that are kept whole, and the parts of the compressed image data. */
function readChunks(bytes: Uint8Array): { kept: Uint8Array[]; imageData: Uint8Array<ArrayBuffer>[] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kept: Uint8Array[] = [];
  const imageData: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 8, type = ''; type !== 'IEND';) {
    if (at + CHUNK_EXTRA_BYTES > bytes.length) throw new Error('it is cut off');
    const length = view.getUint32(at);
    type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (length > bytes.length - at - CHUNK_EXTRA_BYTES) throw new Error('it is cut off');
    if (at === 8 && (type !== 'IHDR' || length !== 13)) throw new Error('it does not begin with a header');
    const end = at + CHUNK_EXTRA_BYTES + length;
    if (KEPT_CHUNKS.has(type)) kept.push(bytes.subarray(at, end));
    if (type === 'IDAT') imageData.push(bytes.subarray(at + 8, end - 4) as Uint8Array<ArrayBuffer>);
    at = end;
  }
  return { kept, imageData };
}

/** Bounds of the decompressed size of an image with the header that a file begins with. */
function unpackedSize(bytes: Uint8Array): { least: number; most: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height, depth] = [view.getUint32(16), view.getUint32(20), bytes[24]];
  const channels = CHANNELS[bytes[25]];
  if (channels === undefined || ![1, 2, 4, 8, 16].includes(depth)) throw new Error('its colour type is unknown');
  // fast-png would read wrong pixels.
  if (depth < 8 && bytes[28] === 1)
    throw new Error(`interlaced PNG with ${depth} bits per sample is not supported; save it without interlacing`);
  // Each of Adam7's seven passes adds filter bytes and partial bytes: less than two more bytes per row and pass.
  const least = height * Math.ceil((width * channels * depth) / 8);
  return { least, most: least + height * 14 + 64 };
}

/** The parts of an IDAT chunk that holds data without compression. fast-png reads no checksums by default. */
function storedChunk(data: Uint8Array): Uint8Array[] {
  const blocks = Math.max(1, Math.ceil(data.length / MAX_STORED));
  const parts: Uint8Array[] = [];
  for (let k = 0; k < blocks; k++) {
    const block = data.subarray(k * MAX_STORED, (k + 1) * MAX_STORED);
    const [low, high] = [block.length & 255, block.length >> 8];
    parts.push(Uint8Array.of(k === blocks - 1 ? 1 : 0, low, high, ~low, ~high), block);
  }
  const head = new Uint8Array(10);
  // The header of zlib's format takes 2 bytes and its checksum 4.
  new DataView(head.buffer).setUint32(0, 6 + blocks * BLOCK_HEADER_BYTES + data.length);
  head.set(
    [...'IDAT'].map((letter) => letter.charCodeAt(0)),
    4
  );
  head.set([0x78, 0x01], 8);
  return [head, ...parts, new Uint8Array(4), new Uint8Array(4)];
}

/** An IEND chunk. */
const END_CHUNK = Uint8Array.of(0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82);

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** @param colours of the palette, one per texel */
function paletteToRgba({ width, height, palette }: DecodedPng, colours: ArrayLike<number>): Pixels {
  const data = new Uint8Array(width * height * 4);
  const size = palette![0].length;
  for (let i = 0, o = 0; o < data.length; i += size, o += 4) {
    data[o] = colours[i];
    data[o + 1] = colours[i + 1];
    data[o + 2] = colours[i + 2];
    data[o + 3] = size === 4 ? colours[i + 3] : 255;
  }
  return { width, height, data };
}

function toRgba(png: DecodedPng): Pixels {
  const { width, height, depth } = png;
  if (depth === 8 && png.channels === 4) return { width, height, data: bytesOf(png.data) };
  if (depth === 8 && png.channels === 3 && !png.transparency) return { width, height, data: rgbToRgba(png.data) };
  const data = new Uint8Array(width * height * 4);
  const samples = depth < 8 ? unpackBits(png) : png.data;
  const scale = 255 / (2 ** depth - 1);
  const { channels } = png;
  const colourChannels = channels < 3 ? 1 : 3;
  const clear = png.transparency;
  for (let i = 0, o = 0; o < data.length; i += channels, o += 4) {
    let matchesClear = clear !== undefined && clear.length >= colourChannels;
    for (let c = 0; c < 3; c++) {
      const sample = samples[i + (colourChannels === 1 ? 0 : c)];
      data[o + c] = Math.floor(sample * scale + 0.5);
      if (matchesClear && sample !== clear![colourChannels === 1 ? 0 : c]) matchesClear = false;
    }
    const alpha = channels === 2 || channels === 4 ? Math.floor(samples[i + channels - 1] * scale + 0.5) : 255;
    data[o + 3] = matchesClear ? 0 : alpha;
  }
  return { width, height, data };
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

const OPAQUE = 255 << 24;
function rgbToRgba(samples: ArrayLike<number>): Uint8Array {
  const words = new Int32Array(samples.length / 3);
  for (let i = 0, o = 0; o < words.length; i += 3, o++)
    words[o] = samples[i] | (samples[i + 1] << 8) | (samples[i + 2] << 16) | OPAQUE;
  return bytesOf(words);
}

/** Unpacks grey samples of 1, 2 or 4 bits to one byte each. Rows begin at whole bytes. */
function unpackBits(png: DecodedPng): Uint8Array {
  const { width, height, depth, data } = png;
  const out = new Uint8Array(width * height);
  const rowBytes = Math.ceil((width * depth) / 8);
  const mask = 2 ** depth - 1;
  for (let y = 0, o = 0; y < height; y++) {
    for (let x = 0; x < width; x++, o++) {
      const bit = x * depth;
      out[o] = (data[y * rowBytes + (bit >> 3)] >> (8 - depth - (bit & 7))) & mask;
    }
  }
  return out;
}
