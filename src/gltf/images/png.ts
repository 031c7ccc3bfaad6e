// Decodes PNG images to RGBA with eight bits per channel. fast-png handles filters and interlacing. Before that, the
// file is reduced to its essential chunks and the size of its data is checked. Neither metadata nor image data may
// decompress to more than the size in the header.
import type { DecodedPng } from 'fast-png';
import type { Pixels } from './codecs';

const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const CRITICAL_CHUNKS = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);

/** Decodes any PNG: grey, palette or colour, 1 to 16 bits, with or without transparency. */
export async function decodePng(bytes: Uint8Array): Promise<Pixels> {
  const { criticalChunks, imageData } = await readChunks(bytes);
  await checkUnpackedSize(criticalChunks, imageData);
  // Loaded for the first PNG, like the other decoders, because most models contain JPEGs.
  const { convertIndexedToRgb, decode } = await import('fast-png');
  const png = decode(criticalChunks);
  return png.palette ? paletteToRgba(png, convertIndexedToRgb(png)) : toRgba(png);
}

/** Returns the file without its ancillary chunks, and the parts of its compressed image data. */
async function readChunks(bytes: Uint8Array): Promise<{ criticalChunks: Uint8Array; imageData: Uint8Array[] }> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kept: Uint8Array[] = [bytes.subarray(0, 8)];
  const imageData: Uint8Array[] = [];
  for (let at = 8, type = ''; type !== 'IEND';) {
    if (at + 12 > bytes.length) throw new Error('it is cut off');
    const length = view.getUint32(at);
    type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (length > bytes.length - at - 12) throw new Error('it is cut off');
    if (at === 8 && (type !== 'IHDR' || length !== 13)) throw new Error('it does not begin with a header');
    if (CRITICAL_CHUNKS.has(type)) kept.push(bytes.subarray(at, at + 12 + length));
    if (type === 'IDAT') imageData.push(bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return { criticalChunks: new Uint8Array(await new Blob(kept as BlobPart[]).arrayBuffer()), imageData };
}

/** Decompresses the image data without keeping it, and stops when it exceeds the size in the header. */
async function checkUnpackedSize(criticalChunks: Uint8Array, imageData: Uint8Array[]): Promise<void> {
  const view = new DataView(criticalChunks.buffer, criticalChunks.byteOffset, criticalChunks.byteLength);
  const [width, height, depth] = [view.getUint32(16), view.getUint32(20), criticalChunks[24]];
  const channels = CHANNELS[criticalChunks[25]];
  if (channels === undefined || ![1, 2, 4, 8, 16].includes(depth)) throw new Error('its colour type is unknown');
  const bitsPerPixel = channels * depth;
  // Each of Adam7's seven passes adds filter bytes and partial bytes: less than two more bytes per row and pass.
  const least = height * Math.ceil((width * bitsPerPixel) / 8);
  const most = least + height * 14 + 64;
  let size = 0;
  const reader = new Blob(imageData as BlobPart[]).stream().pipeThrough(new DecompressionStream('deflate')).getReader();
  for (;;) {
    let piece;
    try {
      piece = await reader.read();
    } catch {
      throw new Error('its compressed data is damaged or cut off');
    }
    if (piece.done) break;
    size += piece.value.byteLength;
    if (size > most) {
      await reader.cancel();
      throw new Error('it unpacks to more than its size allows');
    }
  }
  if (size < least) throw new Error('its data ends before its last row');
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
