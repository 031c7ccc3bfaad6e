// The decoders' WebAssembly, from the packages that hold it.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createCodecs, type ImageCodecs } from '../gltf/codecs';

/** The decoders, for Node. */
export const nodeCodecs = (): ImageCodecs => createCodecs((specifier) => readFile(
  createRequire(import.meta.url).resolve(specifier)
));
