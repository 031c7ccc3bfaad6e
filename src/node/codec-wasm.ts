// Loads the WebAssembly of the image decoders from their packages.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { AVIF_PACKAGE, createCodecs, MissingCodec, type ImageCodecs, type LoadCodecs } from '../gltf/images/codecs';
import { inflateNow } from './zlib';

/** CommonJS bundles have no import.meta. */
const here = (import.meta.url as string | undefined) ?? pathToFileURL(__filename).href;

/** The path of a file of a package, as resolved from this module. @throws Error if it is not installed */
export const packagePath = (specifier: string): string => createRequire(here).resolve(specifier);

/** Reads a file of a package. A synchronous read takes less time than a promise. */
export const packageFile = (specifier: string): Uint8Array<ArrayBuffer> => readFileSync(packagePath(specifier));

/** The image decoders for Node. */
export const nodeCodecs = (): ImageCodecs =>
  createCodecs(MODULES, async (specifier) => packageFile(specifier), inflateNow);
const MODULES: LoadCodecs = {
  jpeg: () => import('@jsquash/jpeg/decode.js'),
  webp: () => import('@jsquash/webp/decode.js'),
  avif: loadAvif,
};

async function loadAvif(): Promise<unknown> {
  let path: string;
  try {
    path = packagePath(`${AVIF_PACKAGE}/decode.js`);
  } catch (error) {
    const advice = `install it by npm install ${AVIF_PACKAGE}`;
    throw new MissingCodec(`AVIF images need the package ${AVIF_PACKAGE}; ${advice}`, { cause: error });
  }
  return import(pathToFileURL(path).href);
}
