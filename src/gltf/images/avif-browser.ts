// AVIF images in pages and workers, where the browser decodes them. WebCodecs keep the colours of transparent texels; a
// canvas multiplies them by alpha. Browsers convert YUV in ways of their own, so that bits differ between them.
import { MissingCodec, type CodecModule, type Pixels } from './codecs';

const TYPE = 'image/avif';
const BYTES_PER_PIXEL = 4;
const ADVICE = 'use WebP, or a browser with AVIF';

/** Returns the browser's decoder. @throws MissingCodec if it cannot decode AVIF */
export async function browserAvif(): Promise<CodecModule> {
  if ('ImageDecoder' in globalThis && !(await ImageDecoder.isTypeSupported(TYPE)))
    throw new MissingCodec(`this browser cannot decode AVIF; ${ADVICE}`);
  return { init: () => Promise.resolve(), default: decode };
}

async function decode(bytes: Uint8Array<ArrayBuffer>): Promise<Pixels> {
  return (await decodeByWebCodecs(bytes)) ?? (await decodeByCanvas(bytes));
}

/** Resolves to undefined where WebCodecs are missing, as in pages that are not secure, or return other than RGBA. */
async function decodeByWebCodecs(data: Uint8Array<ArrayBuffer>): Promise<Pixels | undefined> {
  if (!('ImageDecoder' in globalThis)) return undefined;
  const decoder = new ImageDecoder({ data, type: TYPE, colorSpaceConversion: 'none' });
  try {
    const { image } = await decoder.decode();
    try {
      return await readFrame(image);
    } finally {
      image.close();
    }
  } finally {
    decoder.close();
  }
}

/**
 * Reads RGBA from a frame. Chromium has it, not premultiplied, of images with alpha or with more than 8 bits; others
 * are YUV. Its conversion of frames to RGBA premultiplies, and differs from libavif by up to 7 of 255, the canvas by 2.
 */
async function readFrame(frame: VideoFrame): Promise<Pixels | undefined> {
  const { format, visibleRect } = frame;
  if (format === null || !/^(RGB|BGR)[AX]$/.test(format)) return undefined;
  const { width, height } = visibleRect!;
  const data = new Uint8Array(frame.allocationSize());
  const [plane] = await frame.copyTo(data);
  if (plane.offset !== 0 || plane.stride !== width * BYTES_PER_PIXEL) return undefined;
  const isReversed = format.startsWith('BGR');
  const isOpaque = format.endsWith('X');
  for (let i = 0; i < data.length; i += BYTES_PER_PIXEL) {
    if (isReversed) [data[i], data[i + 2]] = [data[i + 2], data[i]];
    if (isOpaque) data[i + 3] = 255;
  }
  return { width, height, data };
}

async function decodeByCanvas(bytes: Uint8Array<ArrayBuffer>): Promise<Pixels> {
  const blob = new Blob([bytes], { type: TYPE });
  const options: ImageBitmapOptions = { premultiplyAlpha: 'none', colorSpaceConversion: 'none' };
  const bitmap = await createImageBitmap(blob, options).catch((error: unknown) => {
    throw new MissingCodec(`it is damaged, or this browser cannot decode AVIF; ${ADVICE}`, { cause: error });
  });
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d')!;
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  const { data } = context.getImageData(0, 0, width, height);
  return { width, height, data: new Uint8Array(data.buffer) };
}
