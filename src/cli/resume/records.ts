// Records of what was drawn, in a file in the folder of the pictures: one JSON object per line. Processes append whole
// lines, so that several may share a folder. A damaged or missing line only causes a picture to be drawn again.
import { appendFile, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { quoted } from '../../base/printable';
import { messageOf } from '../../gltf/errors';
import { OutputError } from '../errors';
import { writeWhole } from '../output-file';

const RECORD_FILE = '.rasterloom-resume.jsonl';
/** A larger file is begun again. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Lines that are replaced by later ones, from which on the file is written anew. */
const MAX_STALE_LINES = 1000;

/** What one output was drawn from. */
interface OutputRecord {
  /** Hash of the options, the version of the package, the model and the environment. */
  readonly key: string;
  /** Hash of the output. */
  readonly output: string;
  /** URIs of the files that the model refers to, with their hashes. */
  readonly resources: readonly (readonly [uri: string, hash: string])[];
}

export class Records {
  readonly #folders = new Map<string, Promise<Map<string, OutputRecord>>>();

  async find(output: string): Promise<OutputRecord | undefined> {
    return (await this.#folder(output)).get(basename(output));
  }

  /** @throws OutputError */
  async add(output: string, record: OutputRecord): Promise<void> {
    const folder = await this.#folder(output);
    folder.set(basename(output), record);
    const path = pathOf(output);
    try {
      // A line break at the beginning ends a line that was cut off.
      await appendFile(path, `\n${lineOf(basename(output), record)}\n`);
    } catch (error) {
      throw new OutputError(`The record ${quoted(path)} cannot be written: ${messageOf(error)}.`, { cause: error });
    }
  }

  #folder(output: string): Promise<Map<string, OutputRecord>> {
    const path = pathOf(output);
    let folder = this.#folders.get(path);
    if (!folder) this.#folders.set(path, (folder = readRecords(path)));
    return folder;
  }
}

const pathOf = (output: string): string => join(dirname(resolve(output)), RECORD_FILE);
const lineOf = (file: string, record: OutputRecord): string => JSON.stringify({ file, ...record });

async function readRecords(path: string): Promise<Map<string, OutputRecord>> {
  const records = new Map<string, OutputRecord>();
  let lines: string[];
  try {
    if ((await stat(path)).size > MAX_BYTES) return records;
    lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  } catch {
    return records;
  }
  for (const line of lines) {
    const parsed = parseRecord(line);
    if (parsed) records.set(...parsed);
  }
  if (lines.length > records.size + MAX_STALE_LINES) {
    const text = [...records].map(([file, record]) => `${lineOf(file, record)}\n`).join('');
    await writeWhole(path, new TextEncoder().encode(text), 'The record');
  }
  return records;
}

function parseRecord(line: string): [file: string, record: OutputRecord] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { file, key, output, resources } = value as Record<string, unknown>;
  const isText = (each: unknown): each is string => typeof each === 'string';
  const isPair = (each: unknown): each is [string, string] =>
    Array.isArray(each) && each.length === 2 && each.every(isText);
  if (!isText(file) || !isText(key) || !isText(output) || !Array.isArray(resources) || !resources.every(isPair))
    return undefined;
  return [file, { key, output, resources }];
}
