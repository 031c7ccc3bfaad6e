// Turns the bytes of a file into a validated glTF document. The caller reads the files, so that this module runs in
// browsers as well as in Node.
import { Logger, WebIO, type Document, type GLTF, type JSONDocument } from '@gltf-transform/core';
import { ModelBudget } from '../budget';
import { openContainer } from './container';
import { ModelError, messageOf } from '../errors';
import { checkExtensions, isRead } from '../extensions';
import { loadExtensionReaders } from '../extension-readers';
import { firstOf, numberDefects, structureDefects } from './content-warnings';
import { decodeDraco } from './draco';
import { rangeWarnings } from './material-ranges';
import { decodeMeshopt, isFallbackBuffer, markFallbackBuffers } from './meshopt';
import { classifyUri, decodeDataUri, shortUri, type ResourceReader } from './uri';
import { convertToFloat32 } from './wide-floats';
import { texturesWithoutImages, validateAccessors, validateStructure, validateViews } from './validate';

/** A file that has been read and validated. */
export interface Model {
  document: Document;
  /** The file's JSON, for data that the document does not keep (node matrices). */
  json: GLTF.IGLTF;
  /** One sentence for each difference between the picture and the file's content. */
  warnings: string[];
}

const NO_FILES: ResourceReader = (_, uri) => {
  throw new ModelError(`The model needs the file ${shortUri(uri)}, but only the model itself was given.`, {
    code: 'resource',
  });
};

/**
 * Reads a .glb or .gltf.
 * @param readResource opens other files that the model refers to; without it, such a model is refused
 * @param budget memory account of the model, which flattenScene and imagesOf also use
 * @throws ModelError with one sentence for the person who chose the file
 */
export async function loadModel(
  bytes: Uint8Array,
  readResource: ResourceReader = NO_FILES,
  budget = new ModelBudget()
): Promise<Model> {
  const { json, binary } = openContainer(bytes, budget);
  validateStructure(json);
  const without = texturesWithoutImages(json);
  // Pages fetch the readers while the rest is read and checked.
  const readers = json.extensionsUsed?.some(isRead) ? loadExtensionReaders() : null;
  readers?.catch(() => undefined);
  const warnings = [...checkExtensions(json), ...[...without].map(missingImage), ...rangeWarnings(json)];
  const defects = structureDefects(json);
  const read = readOnce(readResource, budget);
  markFallbackBuffers(json);
  const buffers = await readBuffers(json, binary, read);
  validateViews(json, buffers);
  await decodeMeshopt(json, buffers, budget);
  await decodeDraco(json, buffers, budget);
  validateAccessors(json, buffers, budget);
  convertToFloat32(json, buffers, budget);
  const images = await readImages(json, read);
  const io = new WebIO().setLogger(new Logger(Logger.Verbosity.SILENT));
  if (readers) io.registerExtensions(await readers);
  try {
    const document = await io.readJSON(toJsonDocument(json, buffers, images, without));
    return { document, json, warnings: [...warnings, ...firstOf([...defects, ...numberDefects({ document, json })])] };
  } catch (error) {
    throw new ModelError(`The glTF file is damaged: ${messageOf(error).replace(/\.$/, '')}.`, { cause: error });
  }
}

const missingImage = (texture: number): string =>
  `Texture ${texture} has no image in a supported format (PNG, JPEG, WebP, AVIF or KTX2); it is not drawn.`;

type ReadUri = (uri: string) => Promise<Uint8Array>;

/** Reads the resource of a URI; repeated URIs are read only once. */
function readOnce(read: ResourceReader, budget: ModelBudget): ReadUri {
  const known = new Map<string, Uint8Array>();
  return async (uri) => {
    const earlier = known.get(uri);
    if (earlier !== undefined) return earlier;
    const target = classifyUri(uri);
    const what = `The file ${shortUri(uri)}`;
    const reportSize = (length: number): void => budget.check(length, what);
    const bytes = target.kind === 'data' ? decodeDataUri(uri) : await read(target, uri, reportSize);
    budget.spend(bytes.length, what);
    known.set(uri, bytes);
    return bytes;
  };
}

async function readBuffers(json: GLTF.IGLTF, binary: Uint8Array | undefined, read: ReadUri): Promise<Uint8Array[]> {
  const buffers: Uint8Array[] = [];
  for (const [i, buffer] of (json.buffers ?? []).entries()) {
    if (buffer.uri === undefined && i === 0 && binary) buffers.push(binary);
    else if (isFallbackBuffer(buffer)) buffers.push(new Uint8Array(0));
    else if (typeof buffer.uri === 'string') buffers.push(await read(buffer.uri));
    else throw new ModelError(`The glTF file is damaged: buffer ${i} has no data.`);
  }
  return buffers;
}

async function readImages(json: GLTF.IGLTF, read: ReadUri): Promise<(Uint8Array | undefined)[]> {
  const images: (Uint8Array | undefined)[] = [];
  for (const image of json.images ?? []) {
    images.push(image.uri !== undefined && image.bufferView === undefined ? await read(image.uri) : undefined);
  }
  return images;
}

/**
 * Makes the input of glTF-Transform. Every resource gets a generated name, so that it never resolves a URI of the file.
 * Animations and cameras are omitted, because the picture shows the rest pose.
 */
function toJsonDocument(
  json: GLTF.IGLTF,
  buffers: Uint8Array[],
  images: (Uint8Array | undefined)[],
  without: ReadonlySet<number>
): JSONDocument {
  const resources: JSONDocument['resources'] = {};
  const add = (name: string, bytes: Uint8Array): string => {
    resources[name] = bytes as Uint8Array<ArrayBuffer>;
    return name;
  };
  const copy: GLTF.IGLTF = {
    ...json,
    materials: json.materials?.map((material) => (without.size > 0 ? withoutTextures(material, without) : material)),
    extensionsUsed: json.extensionsUsed?.filter(isRead),
    extensionsRequired: json.extensionsRequired?.filter(isRead),
    animations: undefined,
    cameras: undefined,
    nodes: json.nodes?.map((node) => ({ ...node, camera: undefined })),
    buffers: json.buffers?.map((buffer, i) => ({ ...buffer, uri: add(`__buffer${i}.bin`, buffers[i]) })),
    textures: json.textures?.map(withoutAvif),
    images: json.images?.map((image, i) =>
      images[i]
        ? { ...image, name: nameOfImage(image), uri: add(`__image${i}.bin`, images[i]) }
        : { ...image, uri: undefined }
    ),
  };
  return { json: copy, resources };
}

/** Messages name an image by its file. */
const nameOfImage = ({ name, uri }: GLTF.IImage): string | undefined => (/^data:/i.test(uri!) ? name : uri);

/** Prefers the same image in another format, if there is one: the decoder of AVIF is an optional package. */
function withoutAvif(texture: GLTF.ITexture): GLTF.ITexture {
  const { EXT_texture_avif: avif, ...extensions } = texture.extensions ?? {};
  return avif === undefined || texture.source === undefined ? texture : { ...texture, extensions };
}

/** Depth of the uses of textures in a material: material, extensions, extension, use. */
const MATERIAL_DEPTH = 3;

/** Copies a material without its uses of some textures. */
function withoutTextures<T extends object>(value: T, textures: ReadonlySet<number>, depth = MATERIAL_DEPTH): T {
  const isRecord = (inner: unknown): inner is Record<string, unknown> =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  const isUse = (name: string, inner: unknown): boolean =>
    name.endsWith('Texture') && isRecord(inner) && textures.has(inner.index as number);
  const members = Object.entries(value as Record<string, unknown>).filter(([name, inner]) => !isUse(name, inner));
  const copy = members.map(([name, inner]) => [
    name,
    isRecord(inner) && depth > 0 ? withoutTextures(inner, textures, depth - 1) : inner,
  ]);
  return Object.fromEntries(copy) as T;
}
