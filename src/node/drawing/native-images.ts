// Decodes images that only the optional package for drawing can: GIF (its first frame), BMP, ICO and SVG.
import type { Pixels } from '../../gltf/images/codecs';
import { checkImageSize } from '../../gltf/images/image';
import { messageOf } from '../../gltf/errors';
import type { Drawing } from './package';
import type { PixelReservation } from '../image-memory';

type Size = Pick<Pixels, 'width' | 'height'>;
interface NativeKind {
  readonly name: string;
  /** The size in the header; null: it is known only after decoding. */
  readonly size: Size | null;
}

/** The first version of the format has a header of 12 bytes with shorter numbers. */
function bmpSize(view: DataView): Size {
  if (view.getUint32(14, true) === 12) return { width: view.getUint16(18, true), height: view.getUint16(20, true) };
  return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
}

/** Returns the kind of an image that needs the package; null for others. */
export function nativeKind(bytes: Uint8Array): NativeKind | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, 512));
  if (/^GIF8[79]a/.test(text) && bytes.length >= 10)
    return { name: 'a GIF image', size: { width: view.getUint16(6, true), height: view.getUint16(8, true) } };
  if (text.startsWith('BM') && bytes.length >= 26) return { name: 'a BMP image', size: bmpSize(view) };
  if (text.startsWith('\0\0\x01\0') && bytes.length >= 22) return { name: 'an ICO image', size: null };
  if (/^(\xef\xbb\xbf)?\s*<(svg|\?xml|!--|!doctype svg)/i.test(text)) return { name: 'an SVG image', size: null };
  return null;
}

/**
 * @param take counts the memory of the pixels
 * @throws Error with a full sentence
 */
export async function decodeNative(
  bytes: Uint8Array,
  { name, size }: NativeKind,
  take: (width: number, height: number) => Promise<PixelReservation>,
  { load, advice }: Drawing
): Promise<{ readonly pixels: Pixels; readonly hold: PixelReservation }> {
  const kit = load();
  if (kit === null) throw new Error(`The image is ${name}, which ${advice()}.`);
  if (size !== null) checkImageSize(size.width, size.height, 'The image');
  const image = new kit.Image();
  // The package reads the bytes later, and reports errors by an exception of decode() as well.
  image.onerror = () => undefined;
  image.src = Buffer.from(bytes);
  try {
    await image.decode();
  } catch (error) {
    throw new Error(`The image cannot be decoded: it is ${name} that is damaged (${messageOf(error)}).`, {
      cause: error,
    });
  }
  const { width, height } = image;
  checkImageSize(width, height, 'The image');
  const hold = await take(width, height);
  const context = kit.createCanvas(width, height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  return { pixels: { width, height, data: new Uint8Array(data.buffer) }, hold };
}
