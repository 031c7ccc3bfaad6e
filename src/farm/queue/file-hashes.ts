// Hashes of input files. A file is read again only after it has changed, since many jobs show the same model.
import { createHash } from 'node:crypto';
import { createReadStream, type BigIntStats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { quoted } from '../../base/printable';
import { QueueError } from './errors';

/** Files that are remembered. */
const MAX_REMEMBERED = 10_000;
/** Most bytes of the JSON of a model that is searched for other files. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;
const GLB_MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;

export class FileHashes {
  readonly #known = new Map<string, { stamp: string; hash: Promise<string> }>();
  /** URIs in models, by the hash of the model. */
  readonly #references = new Map<string, readonly string[]>();

  /** SHA-256 of a file, as hexadecimal digits. @throws QueueError with the code `input` */
  async of(path: string): Promise<string> {
    try {
      const stamp = stampOf(await stat(path, { bigint: true }));
      const known = this.#known.get(path);
      if (known?.stamp === stamp) return await known.hash;
      if (this.#known.size >= MAX_REMEMBERED) this.#known.delete(this.#known.keys().next().value!);
      const hash = hashOfFile(path);
      this.#known.set(path, { stamp, hash });
      return await hash;
    } catch (error) {
      this.#known.delete(path);
      throw unreadable(path, error);
    }
  }

  /**
   * Hashes of a model, by its name, and of the files that it refers to, by `name#uri`.
   * @throws QueueError
   */
  async ofModel(path: string, name: string): Promise<Record<string, string>> {
    const own = await this.of(path);
    const hashes: Record<string, string> = { [name]: own };
    let references = this.#references.get(own);
    if (!references) {
      if (this.#references.size >= MAX_REMEMBERED) this.#references.clear();
      this.#references.set(own, (references = await referencesOf(path)));
    }
    for (const uri of references) {
      // The command says what is missing when it reads the model.
      const hash = await this.of(referencePath(path, uri)).catch(() => undefined);
      if (hash !== undefined) hashes[`${name}#${uri}`] = hash;
    }
    return hashes;
  }
}

/** Path of a file that a model refers to. */
export const referencePath = (model: string, uri: string): string => resolve(dirname(model), uri);

const stampOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(' ');

export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Uint8Array);
  return hash.digest('hex');
}

function unreadable(path: string, error: unknown): QueueError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : `cannot be read (${code ?? message})`;
  return new QueueError('input', `The input ${quoted(path)} ${why}`, { cause: error });
}

/** Relative URIs that a model names. Addresses and data URIs are text of the model itself, which is hashed. */
async function referencesOf(path: string): Promise<string[]> {
  if (!/\.(gltf|glb)$/i.test(path)) return [];
  try {
    if ((await stat(path)).size > MAX_JSON_BYTES) return [];
    const json = jsonOf(await readFile(path));
    const parsed = JSON.parse(json) as Record<'buffers' | 'images', { uri?: unknown }[] | undefined>;
    return [...(parsed.buffers ?? []), ...(parsed.images ?? [])]
      .map(({ uri }) => uri)
      .filter((uri): uri is string => typeof uri === 'string' && !/^([a-z][a-z0-9+.-]*:|[\\/])/i.test(uri))
      .map((uri) => decodeURIComponent(uri));
  } catch {
    // A broken model is hashed as it is, and refused when it is drawn.
    return [];
  }
}

function jsonOf(bytes: Buffer): string {
  if (bytes.length < 20 || bytes.readUInt32LE(0) !== GLB_MAGIC) return bytes.toString('utf8');
  return bytes.readUInt32LE(16) === JSON_CHUNK ? bytes.toString('utf8', 20, 20 + bytes.readUInt32LE(12)) : '{}';
}
