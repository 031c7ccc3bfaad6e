// Parses the container of a model: a binary .glb (glTF 2.0 §4.4), or the JSON text of a .gltf.
import type { GLTF } from '@gltf-transform/core';
import type { ModelBudget } from '../budget';
import { ModelError } from '../errors';

const MAGIC_GLTF = 0x46546c67;
const CHUNK_JSON = 0x4e4f534a;
const CHUNK_BIN = 0x004e4942;

/** The parsed JSON of a file, and the binary chunk of a .glb. */
interface Container {
  json: GLTF.IGLTF;
  binary: Uint8Array | undefined;
}

/** Bytes that each byte of JSON text counts as. 132 MB of text took 7 s, most of it for parsing and traversal. */
const BYTES_PER_CHARACTER = 6;

/** Splits a file into its JSON and its binary chunk. Lengths are checked against the size of the file. */
export function openContainer(bytes: Uint8Array, budget: ModelBudget): Container {
  if (bytes.length === 0) throw new ModelError('The file is empty.');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 4 && view.getUint32(0, true) === MAGIC_GLTF) return openBinary(bytes, view, budget);
  const first = bytes.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf);
  if (first !== 0x7b) throw new ModelError('The file is neither a .glb nor the JSON text of a .gltf.');
  return { json: parseJson(bytes, budget), binary: undefined };
}

function openBinary(bytes: Uint8Array, view: DataView, budget: ModelBudget): Container {
  if (bytes.length < 20)
    throw new ModelError(`The .glb file is cut off: it ends after ${bytes.length} bytes, inside its header.`);
  const version = view.getUint32(4, true);
  if (version !== 2)
    throw new ModelError(`The .glb file has version ${version}; only version 2 is supported.`, { code: 'unsupported' });
  const total = view.getUint32(8, true);
  if (total > bytes.length) {
    throw new ModelError(`The .glb file is cut off: it should hold ${total} bytes and ends after ${bytes.length}.`);
  }
  let json: Uint8Array | undefined;
  let binary: Uint8Array | undefined;
  for (let offset = 12, index = 0; offset + 8 <= total; index++) {
    const length = view.getUint32(offset, true);
    const type = view.getUint32(offset + 4, true);
    if (length > total - offset - 8)
      throw new ModelError(`The .glb file is damaged: chunk ${index} is longer than the file.`);
    const chunk = bytes.subarray(offset + 8, offset + 8 + length);
    if (index === 0 && type === CHUNK_JSON) json = chunk;
    else if (index === 1 && type === CHUNK_BIN) binary = chunk;
    offset += 8 + length;
  }
  if (!json) throw new ModelError('The .glb file is damaged: its first chunk is not JSON.');
  return { json: parseJson(json, budget), binary };
}

/** Maximum size of V8's strings, in bytes. */
export const MAX_TEXT_BYTES = 511 << 20;

function parseJson(bytes: Uint8Array, budget: ModelBudget): GLTF.IGLTF {
  if (bytes.length > MAX_TEXT_BYTES)
    throw new ModelError(`The JSON text of the glTF file has ${bytes.length >> 20} MiB; the limit is 511 MiB.`, {
      code: 'too-large',
    });
  budget.spend(BYTES_PER_CHARACTER * bytes.length, 'The JSON text of the glTF file');
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ModelError('The JSON text of the glTF file is damaged or cut off.');
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new ModelError('The JSON text of the glTF file is not an object.');
  }
  return json as GLTF.IGLTF;
}
