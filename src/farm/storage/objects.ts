// Objects of S3-compatible storage below an address, which are put, read back, listed and removed.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { BodyCheck } from './body-check';
import { StorageError, Subject } from './errors';
import type { OpenInput } from './http';
import { placeOf } from './rules';
import type { ObjectPage, ObjectPlace, S3Storage } from './s3';
import { transfer } from './transfer';
import type { ObjectFolder, OutputInfo, PutResult, Storage, StoredObject } from './types';

interface ObjectAccess {
  readonly s3: S3Storage;
  readonly put: Storage['putOutput'];
  /** Most bytes of an object. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

export class S3Folder implements ObjectFolder {
  readonly #address: string;
  /** Beginning of all keys. */
  readonly #key: string;
  readonly #access: ObjectAccess;

  /** @param address ends with a slash */
  constructor(address: string, access: ObjectAccess) {
    this.#address = address;
    this.#key = (placeOf(address, new Subject('output', address)) as ObjectPlace).key;
    this.#access = access;
  }

  put(file: string, name: string, output: OutputInfo): Promise<PutResult> {
    return this.#access.put(file, this.#address + name, output);
  }

  async read(
    name: string,
    file: string,
    { bytes, sha256 }: { bytes: number; sha256: string },
    signal: AbortSignal
  ): Promise<void> {
    const limits = { limit: this.#access.maxBytes, bytes, sha256 };
    await this.#transfer('input', name, signal, async (place, subject, inTime) => {
      const { body } = await this.#access.s3.openOutput(place, subject, inTime);
      await pipeline(body, new BodyCheck(subject, limits), createWriteStream(file), { signal: inTime });
    });
  }

  readText(name: string, limit: number, signal: AbortSignal): Promise<string | undefined> {
    return this.#transfer('input', name, signal, async (place, subject, inTime) => {
      let found: OpenInput;
      try {
        found = await this.#access.s3.openOutput(place, subject, inTime);
      } catch (error) {
        if (error instanceof StorageError && error.code === 'missing') return undefined;
        throw error;
      }
      const pieces: Buffer[] = [];
      const collect = async (body: AsyncIterable<Buffer>): Promise<void> => {
        for await (const piece of body) pieces.push(piece);
      };
      await pipeline(found.body, new BodyCheck(subject, { limit }), collect, { signal: inTime });
      return Buffer.concat(pieces).toString('utf8');
    });
  }

  async *list(beginning: string, signal?: AbortSignal): AsyncGenerator<StoredObject, void, void> {
    for await (const { objects } of this.#pages(beginning, false, signal))
      for (const { key, ...about } of objects) yield { name: key.slice(this.#key.length), ...about };
  }

  async *folders(): AsyncGenerator<string, void, void> {
    for await (const { folders } of this.#pages('', true))
      for (const key of folders) yield key.slice(this.#key.length, -1);
  }

  async remove(name: string): Promise<void> {
    await this.#transfer('output', name, undefined, (...access) => this.#access.s3.remove(...access));
  }

  async *#pages(beginning: string, isFlat: boolean, signal?: AbortSignal): AsyncGenerator<ObjectPage, void, void> {
    let after: string | undefined;
    do {
      const from = after;
      const page: ObjectPage = await this.#transfer('input', beginning, signal, (place, subject, inTime) =>
        this.#access.s3.list(place, { after: from, isFlat }, subject, inTime)
      );
      yield page;
      after = page.next;
    } while (after !== undefined);
  }

  #transfer<T>(
    kind: 'input' | 'output',
    name: string,
    signal: AbortSignal | undefined,
    act: (place: ObjectPlace, subject: Subject, signal: AbortSignal) => Promise<T>
  ): Promise<T> {
    const address = this.#address + name;
    const subject = new Subject(kind, address);
    return transfer(subject, { timeoutMs: this.#access.timeoutMs, signal }, (inTime) =>
      act(placeOf(address, subject) as ObjectPlace, subject, inTime)
    );
  }
}
