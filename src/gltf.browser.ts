/**
 * Pictures of glTF models in pages and workers. Files in the folder of this module are fetched on demand:
 * the studio's light, and the decoders that a model needs.
 */
import { ModelError, messageOf } from './gltf/errors';
import { shortUri, type ResourceReader } from './gltf/files/uri';
import { browserAvif } from './gltf/images/avif-browser';
import { createCodecs } from './gltf/images/codecs';
import { createDecoder, decodeImages } from './gltf/images/image-set';
import { makeLibrary, readBody, type Library } from './gltf/library/library';
import { readStudio, type Studio } from './gltf/light/studio';
import { create } from './index.browser';

export { GltfError, type GltfErrorCode } from './gltf/errors';
export type { GltfSource } from './gltf/library/library';
export type * from './gltf/library/types';

let studio: Promise<Studio> | undefined;
const decode = createDecoder(
  createCodecs({
    jpeg: () => import('./gltf/decoders/jpeg-decoder'),
    webp: () => import('./gltf/decoders/webp-decoder'),
    avif: browserAvif,
  })
);

/** Fetches a file completely. @throws ModelError */
async function fetchFile(url: URL, name: string, check: (bytes: number) => void): Promise<Uint8Array> {
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`the server responded with ${response.status}`);
    return await readBody(response, check);
  } catch (error) {
    if (error instanceof ModelError) throw error;
    throw new ModelError(`${name} cannot be fetched: ${messageOf(error)}.`, { code: 'resource', cause: error });
  }
}

const absolute = (source: URL | string): URL => new URL(source, globalThis.location.href);

/** Fetches files in the folder of the model, and with `allowNetwork` any other. */
function resources(source: URL | string | undefined, allowNetwork: boolean): ResourceReader {
  return async (target, uri, reportSize) => {
    const refuse = (why: string): never => {
      throw new ModelError(`The model needs the file ${shortUri(uri)}, ${why}.`, { code: 'resource' });
    };
    if (target.kind === 'network' ? !allowNetwork : target.kind === 'outside')
      refuse(target.kind === 'network' ? 'which allowNetwork does not allow' : 'which is outside its folder');
    if (target.kind === 'network') return fetchFile(absolute(target.url), `The file ${shortUri(uri)}`, reportSize);
    if (source === undefined) return refuse('but only the model itself was given');
    const path = target.path.split('/').map(encodeURIComponent).join('/');
    return fetchFile(new URL(`./${path}`, absolute(source)), `The file ${shortUri(uri)}`, reportSize);
  };
}

async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Time without models after which a page ends the workers and frees the device's memory, in milliseconds. */
const IDLE_MS = 10_000;

const library: Library = makeLibrary({
  idleMs: IDLE_MS,
  createGpu: create,
  studio: () =>
    (studio ??= fetchFile(new URL('./studio.bin', import.meta.url), 'The light of the studio', () => undefined).then(
      readStudio
    )),
  readSource: (source, check) => fetchFile(absolute(source), `The model ${shortUri(String(source))}`, check),
  resources,
  images: (jobs) => decodeImages(jobs, decode, 0),
  deflate,
});

/** Loads a model for many pictures. It rejects with a GltfError, or with a TypeError if an option is wrong. */
export const loadGltf: Library['loadGltf'] = library.loadGltf;

/** Draws one picture of a model. It rejects with a GltfError, or with a TypeError if an option is wrong. */
export const renderGltf: Library['renderGltf'] = library.renderGltf;
