// Node's zlib.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { MORE_THAN_SIZE, DAMAGED_DATA, type Inflate } from '../gltf/images/inflate';

/** CommonJS bundles have no import.meta. */
const here = (import.meta.url as string | undefined) ?? pathToFileURL(__filename).href;

/** Loaded for the first picture or image, so that a process without them starts 2 ms earlier. */
export const zlib = (): typeof import('node:zlib') => createRequire(here)('node:zlib') as typeof import('node:zlib');

/** Room for decompressed data, which is allocated at once. */
const MAX_CHUNK_BYTES = 16 * 1024 * 1024;

/** Without the streams of `inflateByStream`, which take longer to load than most images to decompress. */
export const inflateNow: Inflate = async (parts, most) => {
  try {
    return zlib().inflateSync(parts.length === 1 ? parts[0] : Buffer.concat(parts), {
      maxOutputLength: most,
      chunkSize: Math.max(64, Math.min(most, MAX_CHUNK_BYTES)),
    });
  } catch (error) {
    throw new Error((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? MORE_THAN_SIZE : DAMAGED_DATA, {
      cause: error,
    });
  }
};
