// From the bytes of a file to a checked glTF document. Reading files is the caller's: this module runs
// in browsers as well as in Node.
import { Logger, WebIO, type Document, type GLTF, type JSONDocument } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { openContainer } from './container';
import { ModelError, messageOf } from './errors';
import { classifyUri, decodeDataUri, shortUri, type ResourceReader } from './uri';
import { validateData, validateStructure } from './validate';

/** The extensions that are drawn, or whose data glTF-Transform turns into core glTF. */
const DRAWN = new Set([
  'EXT_texture_webp', 'KHR_materials_emissive_strength', 'KHR_materials_unlit', 'KHR_mesh_quantization',
  'KHR_node_visibility', 'KHR_texture_transform',
]);
/** These change how a surface looks; without them it is drawn, but simpler than it was meant. */
const SIMPLIFIED = /^KHR_materials_/;
/** These cannot be left out by a file that requires them: its meshes or images would be missing. */
const UNREADABLE = new Set([
  'EXT_mesh_gpu_instancing', 'EXT_meshopt_compression', 'EXT_texture_avif', 'KHR_accessor_float16',
  'KHR_accessor_float64', 'KHR_draco_mesh_compression', 'KHR_mesh_primitive_restart', 'KHR_meshopt_compression',
  'KHR_texture_basisu',
]);

/** A file that has been read and checked. */
export interface Model {
  document: Document;
  /** The file's own JSON, for what the document does not keep (node matrices). */
  json: GLTF.IGLTF;
  /** What is drawn otherwise than the file asks, one sentence each. */
  warnings: string[];
}

const NO_FILES: ResourceReader = (_, uri) => {
  throw new ModelError(`The model needs the file ${shortUri(uri)}, and only the model itself was given.`);
};

/**
 * Reads a .glb or .gltf.
 * @param readResource opens the files that the model names beside itself; without it, such a model is refused
 * @throws ModelError with one sentence for whoever chose the file
 */
export async function loadModel(bytes: Uint8Array, readResource: ResourceReader = NO_FILES): Promise<Model> {
  const { json, binary } = openContainer(bytes);
  validateStructure(json);
  const warnings = checkExtensions(json);
  const buffers = await readBuffers(json, binary, readResource);
  validateData(json, buffers);
  const images = await readImages(json, readResource);
  const extensions = ALL_EXTENSIONS.filter((extension) => !UNREADABLE.has(extension.EXTENSION_NAME));
  const io = new WebIO().setLogger(new Logger(Logger.Verbosity.SILENT)).registerExtensions(extensions);
  try {
    return { document: await io.readJSON(toJsonDocument(json, buffers, images)), json, warnings };
  } catch (error) {
    throw new ModelError(`The glTF file is damaged: ${messageOf(error).replace(/\.$/, '')}.`, { cause: error });
  }
}

function checkExtensions(json: GLTF.IGLTF): string[] {
  for (const name of json.extensionsRequired ?? []) {
    if (!DRAWN.has(name) && !SIMPLIFIED.test(name)) {
      throw new ModelError(`The model requires the glTF extension ${name}, which is not read.`);
    }
  }
  const warnings: string[] = [];
  for (const name of new Set(json.extensionsUsed ?? [])) {
    if (SIMPLIFIED.test(name) && !DRAWN.has(name))
      warnings.push(`${name} is not drawn: its materials look simpler than they should.`);
    else if (UNREADABLE.has(name)) warnings.push(`${name} is not read: what it holds is left out.`);
  }
  return warnings;
}

async function readUri(uri: string, read: ResourceReader): Promise<Uint8Array> {
  const target = classifyUri(uri);
  return target.kind === 'data' ? decodeDataUri(uri) : read(target, uri);
}

async function readBuffers(
  json: GLTF.IGLTF, binary: Uint8Array | undefined, read: ResourceReader
): Promise<Uint8Array[]> {
  const buffers: Uint8Array[] = [];
  for (const [i, buffer] of (json.buffers ?? []).entries()) {
    if (buffer.uri === undefined && i === 0 && binary) buffers.push(binary);
    else if (typeof buffer.uri === 'string') buffers.push(await readUri(buffer.uri, read));
    else throw new ModelError(`The glTF file is damaged: buffer ${i} has no data.`);
  }
  return buffers;
}

async function readImages(json: GLTF.IGLTF, read: ResourceReader): Promise<(Uint8Array | undefined)[]> {
  const images: (Uint8Array | undefined)[] = [];
  for (const image of json.images ?? []) {
    images.push(image.uri !== undefined && image.bufferView === undefined ? await readUri(image.uri, read) : undefined);
  }
  return images;
}

/**
 * What glTF-Transform reads: every resource under a name of our own, so that no URI of the file is ever
 * resolved by it. Animations and cameras are left out; a picture shows the rest pose.
 */
function toJsonDocument(json: GLTF.IGLTF, buffers: Uint8Array[], images: (Uint8Array | undefined)[]): JSONDocument {
  const resources: JSONDocument['resources'] = {};
  const add = (name: string, bytes: Uint8Array): string => {
    resources[name] = bytes as Uint8Array<ArrayBuffer>;
    return name;
  };
  const copy: GLTF.IGLTF = {
    ...json, animations: undefined, cameras: undefined,
    nodes: json.nodes?.map((node) => ({ ...node, camera: undefined })),
    buffers: json.buffers?.map((buffer, i) => ({ ...buffer, uri: add(`__buffer${i}.bin`, buffers[i]) })),
    images: json.images?.map((image, i) => (images[i]
      ? { ...image, uri: add(`__image${i}.bin`, images[i]) }
      : { ...image, uri: undefined })),
  };
  return { json: copy, resources };
}
