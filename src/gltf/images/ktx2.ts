// KTX2 textures with Basis Universal data (KHR_texture_basisu): ETC1S and UASTC, also with Zstandard. They are
// transcoded to RGBA with 8 bits per channel, which is what samplers read fastest here.
import { ModelError, messageOf } from '../errors';
import { DAMAGED_IMAGE_ADVICE, type Pixels } from './codecs';
import { checkImageSize } from './image';
import { mipCount } from './mips';

const IDENTIFIER = [0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a];
const HEADER_BYTES = 80;

/** The transcoder's code for RGBA with 8 bits per channel. */
const RGBA32 = 13;

/** The part of Basis Universal's transcoder that is used here. */
interface Transcoder {
  initializeBasis(): void;
  readonly KTX2File: new (bytes: Uint8Array) => Ktx2File;
}

interface Ktx2File {
  isValid(): boolean;
  startTranscoding(): boolean;
  getImageTranscodedSizeInBytes(level: number, layer: number, face: number, format: number): number;
  transcodeImage(
    target: Uint8Array,
    level: number,
    layer: number,
    face: number,
    format: number,
    alphaForOpaque: number,
    channel0: number,
    channel1: number
  ): number;
  close(): void;
  delete(): void;
}

interface Ktx2Header {
  width: number;
  height: number;
  /** Levels in the file, at least 1. */
  levels: number;
}

export const isKtx2 = (bytes: Uint8Array): boolean => IDENTIFIER.every((byte, i) => bytes[i] === byte);

/** Reads and checks the header (KTX 2.0 §3). @throws ModelError if it is not one flat texture of Basis Universal */
export function readKtx2Header(bytes: Uint8Array, name: string): Ktx2Header {
  if (bytes.length < HEADER_BYTES) throw damaged(name, 'its header is cut off');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [format, , width, height, depth, layers, faces, levels] = Array.from({ length: 8 }, (_, i) =>
    view.getUint32(12 + 4 * i, true)
  );
  if (format !== 0)
    throw new ModelError(`${name} is a KTX2 texture without Basis Universal data, which glTF does not allow.`);
  if (depth > 1 || layers > 1 || faces !== 1)
    throw new ModelError(`${name} is a KTX2 texture with several layers or faces, which glTF does not allow.`);
  checkImageSize(width, height, name);
  if (levels > mipCount(width, height)) throw damaged(name, `${levels} levels are too many`);
  return { width, height, levels: Math.max(1, levels) };
}

const damaged = (name: string, why: string, cause?: unknown): ModelError =>
  new ModelError(`${name} is a KTX2 texture that is damaged (${why}); ${DAMAGED_IMAGE_ADVICE}.`, { cause });

let transcoder: Promise<Transcoder> | undefined;

function loadTranscoder(): Promise<Transcoder> {
  return (transcoder ??= (async () => {
    const { createBasisTranscoder } = await import('../decoders/basis-transcoder');
    const module = (await createBasisTranscoder()) as Transcoder;
    module.initializeBasis();
    return module;
  })());
}

/**
 * Transcodes the levels of a texture that are in its file, largest first.
 * @throws ModelError
 */
export async function decodeKtx2(bytes: Uint8Array, name: string): Promise<Pixels[]> {
  const { width, height, levels } = readKtx2Header(bytes, name);
  const { KTX2File } = await loadTranscoder();
  let file: Ktx2File | undefined;
  try {
    // Not a Buffer of Node, which the transcoder would copy by its deprecated constructor.
    file = new KTX2File(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (!file.isValid()) throw damaged(name, 'the transcoder rejects it');
    if (!file.startTranscoding()) throw damaged(name, 'its data cannot be read');
    return Array.from({ length: levels }, (_, level) => {
      const size = { width: Math.max(1, width >> level), height: Math.max(1, height >> level) };
      const data = new Uint8Array(size.width * size.height * 4);
      if (file!.getImageTranscodedSizeInBytes(level, 0, 0, RGBA32) !== data.length)
        throw damaged(name, `level ${level} has another size than its header says`);
      if (!file!.transcodeImage(data, level, 0, 0, RGBA32, 0, -1, -1))
        throw damaged(name, `level ${level} cannot be transcoded`);
      return { ...size, data };
    });
  } catch (error) {
    if (error instanceof ModelError) throw error;
    // The memory of the transcoder may be damaged.
    transcoder = undefined;
    throw damaged(name, messageOf(error), error);
  } finally {
    if (transcoder) {
      file?.close();
      file?.delete();
    }
  }
}
