// The decoders' WebAssembly, from the packages that hold it.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { createCodecs, type ImageCodecs } from '../gltf/codecs';

/** A bundle in CommonJS has no import.meta. */
const here = (import.meta.url as string | undefined) ?? pathToFileURL(__filename).href;

/** A file of a package, as this one finds it. */
export const packageFile = (specifier: string): Promise<Uint8Array<ArrayBuffer>> => readFile(
  createRequire(here).resolve(specifier)
);

/** The decoders, for Node. */
export const nodeCodecs = (): ImageCodecs => createCodecs(packageFile);
