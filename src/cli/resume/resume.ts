// Decides which outputs of an earlier run are kept, and records what was drawn.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { DEFAULT_MODEL_BYTES } from '../../gltf/budget';
import { classifyUri, type ResourceReader } from '../../gltf/files/uri';
import { resourcesOf } from '../../node/models/resources';
import type { RenderCommand, RenderSettings } from '../options/options';
import { filesOf, type Task } from '../render/plan';
import { Records } from './records';

/** Settings that do not change a bit of a picture. */
const NEUTRAL = new Set<string>([
  'kind',
  'models',
  'output',
  'quiet',
  'batch',
  'stats',
  'json',
  'threads',
  'engine',
  'shaderCache',
  'stream',
  'trace',
  'modelBytes',
] satisfies (keyof RenderCommand)[]);

/** A task with the outputs that are kept. */
export interface Resumed {
  /** Numbers of the task's files that are kept. */
  readonly kept: ReadonlySet<number>;
  /** Reads files that the model refers to, and remembers them. */
  watch(read: ResourceReader): ResourceReader;
  /** Records that a file was written. @param hash of its contents */
  written(file: number, hash: string): Promise<void>;
}

export const hashOf = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

export class Resume {
  readonly #records = new Records();
  readonly #version: string;
  readonly #sampleUrl: URL;

  /** @param sampleUrl of the model of tasks that name none */
  constructor(version: string, sampleUrl: URL) {
    this.#version = version;
    this.#sampleUrl = sampleUrl;
  }

  /** Finds what is kept of a task. Inputs that cannot be read keep nothing. */
  async of(task: Task): Promise<Resumed> {
    const inputs = await this.#inputsOf(task);
    const files = filesOf(task);
    const keys = files.map((_, i) => this.#keyOf(task.pictures[i].settings, inputs));
    const kept = new Set<number>();
    for (const [i, file] of files.entries())
      if (inputs !== undefined && (await this.#isKept(task, file, keys[i]))) kept.add(i);
    const resources = new Map<string, string>();
    return {
      kept,
      watch: (read) => async (target, uri, reportSize) => {
        const bytes = await read(target, uri, reportSize);
        resources.set(uri, hashOf(bytes));
        return bytes;
      },
      written: (file, hash) =>
        inputs === undefined
          ? Promise.resolve()
          : this.#records.add(files[file], { key: keys[file], output: hash, resources: [...resources] }),
    };
  }

  /** Hashes of the model and of the environment; undefined if one of them cannot be read. */
  async #inputsOf({ model, settings }: Task): Promise<string[] | undefined> {
    const { environment } = settings.lighting;
    const paths = [model ?? this.#sampleUrl, ...(environment && 'file' in environment ? [environment.file] : [])];
    const most = settings.modelBytes ?? DEFAULT_MODEL_BYTES;
    try {
      const hashes: string[] = [];
      for (const path of paths) {
        const found = await stat(path);
        // A FIFO can be read only once.
        if (!found.isFile() || found.size > most) return undefined;
        hashes.push(hashOf(await readFile(path)));
      }
      return hashes;
    } catch {
      return undefined;
    }
  }

  #keyOf(settings: RenderSettings, inputs: readonly string[] | undefined): string {
    const drawn = Object.entries(settings).filter(([name]) => !NEUTRAL.has(name));
    return hashOf(JSON.stringify([this.#version, inputs, drawn]));
  }

  async #isKept({ model, settings }: Task, file: string, key: string): Promise<boolean> {
    const record = await this.#records.find(file);
    if (record?.key !== key) return false;
    try {
      if ((await hashOfFile(file)) !== record.output) return false;
      const read = resourcesOf(model, settings);
      for (const [uri, hash] of record.resources) {
        const target = classifyUri(uri);
        // What is on the network may have changed.
        if (target.kind === 'network' || target.kind === 'data') return false;
        if (hashOf(await read(target, uri, limitTo(settings.modelBytes))) !== hash) return false;
      }
      return true;
    } catch {
      return false;
    }
  }
}

/** Refuses a file that is too large to be one that was drawn. */
const limitTo =
  (most = DEFAULT_MODEL_BYTES) =>
  (bytes: number): void => {
    if (bytes > most) throw new Error('too large');
  };

/** Hashes a file piece by piece. */
async function hashOfFile(path: string): Promise<string> {
  if (!(await stat(path)).isFile()) throw new Error('not a file');
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Uint8Array);
  return hash.digest('hex');
}
