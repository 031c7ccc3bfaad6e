// Versions of inputs at addresses, which a producer asks for when it adds a job. A job whose input has changed is
// another job, and its picture is drawn again.
import { Deadline } from '../storage/deadline';
import { Subject } from '../storage/errors';
import { HttpStorage } from '../storage/http';
import { AllowedPlaces, placeOf } from '../storage/rules';
import { S3Storage } from '../storage/s3';
import type { S3Options } from '../storage/types';

/** Time in milliseconds for one question. */
const ASK_MS = 10_000;
/** For how long an answer holds: many jobs show the same model. */
const FRESH_MS = 10_000;
const MAX_REMEMBERED = 10_000;

/** What a producer may ask. */
export interface RemoteAccess {
  /** Asks HTTP(S) addresses on this machine and on private networks. Default: false. */
  readonly allowPrivateNetwork?: boolean | undefined;
  /** S3-compatible storage. Default: from the environment. */
  readonly s3?: S3Options | undefined;
}

export class RemoteVersions {
  readonly #http: HttpStorage;
  readonly #s3: S3Storage;
  readonly #known = new Map<string, { at: number; version: Promise<string | undefined> }>();

  constructor({ allowPrivateNetwork = false, s3 = {} }: RemoteAccess = {}) {
    const none = new AllowedPlaces([], (entry) => new Subject('input', entry));
    this.#http = new HttpStorage({ inputs: none, outputs: none, allowNetwork: true, allowPrivateNetwork });
    this.#s3 = new S3Storage(s3, { inputs: none, outputs: none });
  }

  /** The version of an address; undefined if it cannot be asked, or does not tell it. */
  of(address: string): Promise<string | undefined> {
    const known = this.#known.get(address);
    if (known && Date.now() - known.at < FRESH_MS) return known.version;
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    // Workers may reach what a producer does not. They say what is wrong with an input.
    const version = this.#ask(address).catch(() => undefined);
    this.#known.set(address, { at: Date.now(), version });
    return version;
  }

  async close(): Promise<void> {
    this.#http.close();
    await this.#s3.close();
  }

  async #ask(address: string): Promise<string | undefined> {
    const subject = new Subject('input', address);
    const place = placeOf(address, subject);
    const deadline = new Deadline(ASK_MS);
    const { signal } = deadline;
    try {
      if (place.kind === 'http') return await this.#http.version(place.url, subject, signal);
      return place.kind === 's3' ? await this.#s3.version(place, subject, signal) : undefined;
    } finally {
      deadline.end();
    }
  }
}
