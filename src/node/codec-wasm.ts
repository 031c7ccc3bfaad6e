// The decoders' WebAssembly, from the packages that hold it.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createCodecs, type ImageCodecs } from '../gltf/codecs';

/** Made at once: in the CommonJS build the module's place is asked of `document`, where something has put one there. */
const { resolve } = createRequire(import.meta.url);

/** A file of a package, as this one finds it. */
export const packageFile = (specifier: string): Promise<Uint8Array<ArrayBuffer>> => readFile(resolve(specifier));

/** The decoders, for Node. */
export const nodeCodecs = (): ImageCodecs => createCodecs(packageFile);
