/**
 * Pictures of glTF models in Node:
 *
 *     import { renderGltf } from 'rasterloom/gltf';
 *     const picture = await renderGltf('model.glb', { width: 512, height: 512 });
 *     await writeFile('model.png', await picture.toPNG());
 */
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ModelError } from './gltf/errors';
import { shortUri } from './gltf/files/uri';
import { decodeImages } from './gltf/images/image-set';
import { makeLibrary, type Library } from './gltf/library/library';
import { readStudio, type Studio } from './gltf/light/studio';
import { create } from './index';
import { openDecoders } from './node/models/decoders';
import { reason } from './node/models/files';
import { resourcesOf } from './node/models/resources';
import { deflate } from './node/png';

export { GltfError, type GltfErrorCode } from './gltf/errors';
export type { GltfSource } from './gltf/library/library';
export type * from './gltf/library/types';

/** Finds a file next to the built module, or in build/ when the sources are run directly. */
function besideModule(name: string): URL {
  const built = new URL(name, import.meta.url);
  const fromSources = new URL(`../build/${name}`, import.meta.url);
  return existsSync(built) || !existsSync(fromSources) ? built : fromSources;
}

let studio: Promise<Studio> | undefined;

/** The path of a source. @throws TypeError if it is on the network */
function pathOf(source: URL | string): string {
  const text = String(source);
  if (/^file:/i.test(text)) return fileURLToPath(text);
  if (source instanceof URL || /^[a-z][a-z\d+.-]+:\/\//i.test(text))
    throw new TypeError(`The source ${shortUri(text)} is no path or file URL; fetch it, and pass the response`);
  return text;
}

const library: Library = makeLibrary({
  idleMs: null,
  createGpu: create,
  studio: () => (studio ??= readFile(besideModule('studio.bin')).then(readStudio)),
  readSource: async (source, check) => {
    const path = pathOf(source);
    try {
      check((await stat(path)).size);
      return await readFile(path);
    } catch (error) {
      if (error instanceof ModelError) throw error;
      throw new ModelError(`The model ${shortUri(path)} ${reason(error)}.`, { code: 'resource', cause: error });
    }
  },
  resources: (source, allowNetwork) => {
    const isFile = source !== undefined && (typeof source === 'string' || source.protocol === 'file:');
    return resourcesOf(isFile ? pathOf(source) : undefined, { allowExternal: false, allowNetwork });
  },
  images: async function* (jobs, threads = availableParallelism()) {
    const decoders = openDecoders(jobs.values(), threads, besideModule('decoder.js'));
    try {
      yield* decodeImages(jobs, decoders.decode, decoders.prefetchCount);
    } finally {
      decoders.close();
    }
  },
  deflate,
});

/** Loads a model for many pictures. It rejects with a GltfError, or with a TypeError if an option is wrong. */
export const loadGltf: Library['loadGltf'] = library.loadGltf;

/** Draws one picture of a model. It rejects with a GltfError, or with a TypeError if an option is wrong. */
export const renderGltf: Library['renderGltf'] = library.renderGltf;
