// Inputs and outputs by HTTP(S), also with presigned addresses.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lookup } from 'node:dns';
import { Agent as HttpAgent, request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { lookupPublic } from '../../node/models/network';
import { StorageError, type Subject } from './errors';
import { refusedHost, type AllowedPlaces } from './rules';
import type { StorageErrorCode } from './types';

/** Redirects of one input. */
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Most bytes that are read of an answer that is not used. */
const MAX_IGNORED_BYTES = 65_536;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  apng: 'image/apng',
  webp: 'image/webp',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  avif: 'image/avif',
  json: 'application/json',
};

/** Media type of an output by the end of its name. */
export function mediaType(path: string): string {
  const ending = /\.(\w+)$/.exec(path)?.[1].toLowerCase() ?? '';
  return MEDIA_TYPES[ending] ?? 'application/octet-stream';
}

/** What a status other than success means; as the predicate of a sentence. */
export function statusError(status: number, subject: Subject): StorageError {
  const [code, why] = ((): [StorageErrorCode, string] => {
    switch (status) {
      case 401:
      case 403:
        return ['denied', 'needs other credentials, or its presigned address has expired'];
      case 404:
      case 410:
        return ['missing', 'does not exist'];
      case 413:
        return ['too-large', 'is too large for the server'];
      case 408:
      case 409:
      case 425:
      case 429:
        return ['unavailable', 'is not available at the moment'];
      default:
        return status >= 500 ? ['unavailable', 'is not available at the moment'] : ['refused', 'was refused'];
    }
  })();
  return subject.error(code, `${why}: the server responded with ${status}`);
}

interface HttpOptions {
  readonly inputs: AllowedPlaces;
  readonly outputs: AllowedPlaces;
  readonly allowNetwork: boolean;
  readonly allowPrivateNetwork: boolean;
}

interface Sent {
  readonly method: 'GET' | 'PUT';
  readonly headers: Record<string, string | number>;
  readonly signal: AbortSignal;
  /** Whose contents are the body. */
  readonly file?: string;
}

/** An open answer, with what it announces. */
export interface OpenInput {
  readonly body: Readable;
  readonly bytes?: number;
  /** See {@link versionOf}. */
  readonly version?: string | undefined;
}

/**
 * What changes when the content of an address changes, without reading it: a SHA-256 of its ETag, or else of the time
 * of its last change, and of its length. Undefined if the server tells none of them.
 */
export function versionOf(mark: string | undefined, bytes: number | undefined): string | undefined {
  if (mark === undefined && bytes === undefined) return undefined;
  return createHash('sha256')
    .update(`${bytes ?? ''} ${mark ?? ''}`)
    .digest('hex');
}

export class HttpStorage {
  readonly #options: HttpOptions;
  readonly #http = new HttpAgent({ keepAlive: true });
  readonly #https = new HttpsAgent({ keepAlive: true });

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /** Opens an input, and follows redirects that the rules allow. @throws StorageError */
  open(url: URL, subject: Subject, signal: AbortSignal): Promise<OpenInput> {
    return this.#open(url, subject, signal, (at) => this.#checkInput(at, subject));
  }

  /**
   * The version of an input. It asks for one byte by GET, because presigned addresses allow no other method.
   * @throws StorageError
   */
  async version(url: URL, subject: Subject, signal: AbortSignal): Promise<string | undefined> {
    const { body, version } = await this.#open(url, subject, signal, (at) => this.#checkInput(at, subject), {
      range: 'bytes=0-0',
    });
    // A server without ranges sends everything.
    body.on('error', () => undefined).destroy();
    return version;
  }

  /** Opens what an output's address holds already. @throws StorageError */
  async openOutput(url: URL, subject: Subject, signal: AbortSignal): Promise<OpenInput> {
    try {
      return await this.#open(url, subject, signal, (at) => this.#checkOutput(at, subject));
    } catch (error) {
      if (error instanceof StorageError && error.code === 'denied')
        throw subject.error('conflict', 'exists, and cannot be read to compare it with this output', error);
      throw error;
    }
  }

  async #open(
    url: URL,
    subject: Subject,
    signal: AbortSignal,
    check: (at: URL) => void,
    more: { range?: string } = {}
  ): Promise<OpenInput> {
    // Hashes and lengths are those of the file, and not of a compressed form.
    const headers = { 'accept-encoding': 'identity', ...more };
    let at = url;
    for (let redirects = 0; ; redirects++) {
      check(at);
      const response = await this.#request(at, { method: 'GET', headers, signal });
      const { statusCode = 0, headers: found } = response;
      if (REDIRECTS.has(statusCode) && found.location !== undefined) {
        ignore(response);
        if (redirects === MAX_REDIRECTS) throw subject.error('refused', 'has too many redirects');
        at = redirected(at, found.location, subject);
        continue;
      }
      if (statusCode !== 200 && !(statusCode === 206 && more.range !== undefined)) {
        ignore(response);
        throw statusError(statusCode, subject);
      }
      if ((found['content-encoding'] ?? 'identity') !== 'identity') {
        response.destroy();
        throw subject.error('refused', 'is sent compressed; store it without Content-Encoding');
      }
      const whole = statusCode === 206 ? /\/(\d+)$/.exec(found['content-range'] ?? '')?.[1] : found['content-length'];
      const bytes = whole === undefined ? undefined : Number(whole);
      const version = versionOf(found.etag ?? found['last-modified'], bytes);
      return { body: response, version, ...(bytes === undefined ? {} : { bytes }) };
    }
  }

  /**
   * Sends an output on the condition that the address holds nothing.
   * @returns false if it holds something
   */
  async put(
    url: URL,
    file: string,
    subject: Subject,
    { bytes, overwrite, signal }: { bytes: number; overwrite: boolean; signal: AbortSignal }
  ): Promise<boolean> {
    this.#checkOutput(url, subject);
    const headers = {
      'content-length': bytes,
      'content-type': mediaType(url.pathname),
      ...(overwrite ? {} : { 'if-none-match': '*' }),
    };
    const response = await this.#request(url, { method: 'PUT', headers, signal, file });
    const { statusCode = 0 } = response;
    ignore(response);
    if (statusCode === 412) return false;
    if (statusCode < 200 || statusCode >= 300) throw statusError(statusCode, subject);
    return true;
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #checkInput(url: URL, subject: Subject): void {
    if (!this.#options.allowNetwork && !this.#options.inputs.hasUrl(url))
      throw subject.error(
        'refused',
        'is not at an address that the options inputs or allowNetwork of this worker allow'
      );
    this.#checkHost(url, subject);
  }

  #checkOutput(url: URL, subject: Subject): void {
    if (!this.#options.outputs.hasUrl(url))
      throw subject.error('refused', 'is not at an address that the option outputs of this worker allows');
    this.#checkHost(url, subject);
  }

  #checkHost(url: URL, subject: Subject): void {
    const refused = refusedHost(url, this.#options.allowPrivateNetwork, subject);
    if (refused) throw refused;
  }

  #request(url: URL, { method, headers, signal, file }: Sent): Promise<IncomingMessage> {
    const isPlain = url.protocol === 'http:';
    const options: RequestOptions = { method, headers, signal, agent: isPlain ? this.#http : this.#https };
    // The connection uses the addresses that were checked.
    if (!this.#options.allowPrivateNetwork) options.lookup = lookupPublic(lookup);
    return new Promise((resolve, reject) => {
      const request = (isPlain ? requestHttp : requestHttps)(url, options);
      request.on('response', (response) => {
        // A server may refuse an output before it has read all of it.
        response.once('end', () => {
          if (!request.writableFinished) request.destroy();
        });
        resolve(response);
      });
      request.on('error', reject);
      if (file === undefined) request.end();
      // After an answer, a body that cannot be sent completely no longer matters.
      else pipeline(createReadStream(file), request).catch(reject);
    });
  }
}

function redirected(from: URL, location: string, subject: Subject): URL {
  let to: URL;
  try {
    to = new URL(location, from);
  } catch (error) {
    throw subject.error('refused', 'is redirected to an address that is not valid', error);
  }
  if (!/^https?:$/.test(to.protocol) || (from.protocol === 'https:' && to.protocol === 'http:'))
    throw subject.error('refused', `is redirected from ${from.protocol} to ${to.protocol}, which is not allowed`);
  return to;
}

/** Reads the rest of a short answer, so that its connection can be used again. */
function ignore(response: IncomingMessage): void {
  let size = 0;
  response.on('error', () => undefined);
  response.on('data', (piece: Uint8Array) => {
    size += piece.length;
    if (size > MAX_IGNORED_BYTES) response.destroy();
  });
}
