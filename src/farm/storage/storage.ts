// Reads inputs and writes outputs by address.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { userCacheFolder } from '../../node/private-folder';
import { BodyCheck } from './body-check';
import { EXISTS, Subject } from './errors';
import { HttpStorage, type OpenInput } from './http';
import { InputCache, hashOf } from './input-cache';
import { putLocalOutput, readLocalInput } from './local-files';
import { S3Folder } from './objects';
import { AllowedPlaces, placeOf, type Place } from './rules';
import { S3Storage } from './s3';
import { transfer } from './transfer';
import type { ExpectedInput, LocalInput, ObjectFolder, OutputInfo, PutResult, Storage, StorageOptions } from './types';

const DEFAULTS = { cacheBytes: 4 * 2 ** 30, maxFileBytes: 512 * 2 ** 20, timeoutMs: 300_000 };

const SHA256 = /^[\da-f]{64}$/;

/** Opens the storage of a worker. @throws StorageError if a folder or an address of the options cannot be used */
export const openStorage = (options: StorageOptions): Storage => new AddressStorage(options);

class AddressStorage implements Storage {
  readonly #inputs: AllowedPlaces;
  readonly #outputs: AllowedPlaces;
  readonly #options: StorageOptions;
  readonly #maxBytes: number;
  readonly #timeoutMs: number;
  readonly #http: HttpStorage;
  readonly #s3: S3Storage;
  /** Created with the first input from the network. */
  #cache: InputCache | undefined;
  /** Inputs that are being fetched, by hash: jobs that need the same one wait for it. */
  readonly #fetched = new Map<string, Promise<unknown>>();

  constructor(options: StorageOptions) {
    this.#options = options;
    this.#maxBytes = options.maxFileBytes ?? DEFAULTS.maxFileBytes;
    this.#timeoutMs = options.timeoutMs ?? DEFAULTS.timeoutMs;
    this.#inputs = new AllowedPlaces(options.inputs, (entry) => new Subject('input', entry));
    this.#outputs = new AllowedPlaces(options.outputs, (entry) => new Subject('output', entry));
    const rules = { inputs: this.#inputs, outputs: this.#outputs };
    const { allowNetwork = false, allowPrivateNetwork = false } = options;
    this.#http = new HttpStorage({ ...rules, allowNetwork, allowPrivateNetwork });
    this.#s3 = new S3Storage(options.s3 ?? {}, rules);
  }

  readInput(address: string, expected: ExpectedInput = {}): Promise<LocalInput> {
    const subject = new Subject('input', address);
    const { sha256, bytes } = expected;
    const limits = { limit: this.#maxBytes, ...(sha256 && { sha256 }), ...(bytes !== undefined && { bytes }) };
    return this.#transfer(subject, expected.signal, async (signal) => {
      if (sha256 !== undefined && !SHA256.test(sha256))
        throw subject.error('address', 'has a SHA-256 that is not 64 hexadecimal digits in lower case');
      const place = placeOf(address, subject);
      if (place.kind === 'file') return readLocalInput(place.path, this.#inputs, subject, { ...limits, signal });
      const cache = this.#openCache();
      const fetch = async (): Promise<LocalInput> => {
        const input = await this.#open(place, subject, signal);
        if (expected.version !== undefined && input.version !== expected.version) {
          input.body.on('error', () => undefined).destroy();
          throw subject.error(
            'altered',
            'has changed since the job was added: its ETag or length differs; add it again'
          );
        }
        return cache.add(input.body, subject, { bytes: input.bytes, ...limits }, signal);
      };
      if (sha256 === undefined) return fetch();
      for (;;) {
        const found = await cache.find(sha256);
        if (found) return found;
        const other = this.#fetched.get(sha256);
        if (!other) break;
        await other;
      }
      const fetching = fetch();
      this.#fetched.set(
        sha256,
        fetching.then(
          () => undefined,
          () => undefined
        )
      );
      return fetching.finally(() => this.#fetched.delete(sha256));
    });
  }

  putOutput(file: string, address: string, { sha256, signal: parent }: OutputInfo): Promise<PutResult> {
    const subject = new Subject('output', address);
    return this.#transfer(subject, parent, async (signal) => {
      const { size } = await stat(file);
      const output = {
        limit: this.#maxBytes,
        bytes: size,
        sha256,
        signal,
        overwrite: this.#options.overwrite ?? false,
      };
      const place = placeOf(address, subject);
      if (place.kind === 'file')
        return { written: await putLocalOutput(file, place.path, { allowed: this.#outputs, subject }, output) };
      // A server has stored a complete body before its hash is known here.
      if (size > this.#maxBytes) throw subject.error('too-large', `is larger than ${this.#maxBytes} bytes`);
      if ((await hashOf(file)) !== sha256) throw subject.error('altered', 'has another SHA-256 than its file');
      const written =
        place.kind === 'http'
          ? await this.#http.put(place.url, file, subject, output)
          : await this.#s3.put(place, file, subject, output);
      if (!written) await this.#compare(place, subject, output);
      return { written };
    });
  }

  objects(address: string): ObjectFolder | undefined {
    if (placeOf(address, new Subject('output', address)).kind !== 's3') return undefined;
    const put = this.putOutput.bind(this);
    return new S3Folder(address, { s3: this.#s3, put, maxBytes: this.#maxBytes, timeoutMs: this.#timeoutMs });
  }

  async close(): Promise<void> {
    this.#http.close();
    await this.#s3.close();
  }

  #openCache(): InputCache {
    const { cacheFolder, cacheBytes = DEFAULTS.cacheBytes } = this.#options;
    const folder = cacheFolder ?? join(userCacheFolder() ?? '', 'inputs');
    return (this.#cache ??= new InputCache(folder, cacheBytes));
  }

  #open(place: Exclude<Place, { kind: 'file' }>, subject: Subject, signal: AbortSignal): Promise<OpenInput> {
    return place.kind === 'http' ? this.#http.open(place.url, subject, signal) : this.#s3.open(place, subject, signal);
  }

  /** Compares what an address holds with an output that was not written. */
  async #compare(
    place: Exclude<Place, { kind: 'file' }>,
    subject: Subject,
    { bytes, sha256, signal }: { bytes: number; sha256: string; signal: AbortSignal }
  ): Promise<void> {
    const existing =
      place.kind === 's3'
        ? await this.#s3.hashOf(place, subject, signal)
        : await this.#http.openOutput(place.url, subject, signal);
    if (existing === sha256) return;
    if (typeof existing !== 'string' && (existing.bytes ?? bytes) === bytes) {
      const check = new BodyCheck(subject, { limit: this.#maxBytes });
      check.resume();
      await pipeline(existing.body, check, { signal });
      if (check.sha256 === sha256) return;
    } else if (typeof existing !== 'string') existing.body.destroy();
    throw subject.error('conflict', EXISTS);
  }

  #transfer<T>(
    subject: Subject,
    signal: AbortSignal | undefined,
    act: (signal: AbortSignal) => Promise<T>
  ): Promise<T> {
    return transfer(subject, { timeoutMs: this.#timeoutMs, signal }, act);
  }
}
