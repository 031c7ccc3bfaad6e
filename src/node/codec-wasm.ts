// The decoders' WebAssembly, from the packages that hold it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { createCodecs, type ImageCodecs } from '../gltf/codecs';

/** A bundle in CommonJS has no import.meta. */
const here = (import.meta.url as string | undefined) ?? pathToFileURL(__filename).href;

/** A file of a package, as this one finds it. Read at once, which takes less time than a promise does. */
export const packageFile = (specifier: string): Uint8Array<ArrayBuffer> => readFileSync(
  createRequire(here).resolve(specifier)
);

/** The decoders, for Node. */
export const nodeCodecs = (): ImageCodecs => createCodecs(async (specifier) => packageFile(specifier));
