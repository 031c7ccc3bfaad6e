// Connections to Redis, by an address with TLS and a password.
import { readFileSync } from 'node:fs';
import type { Redis, RedisOptions } from 'ioredis';
import { quoted, thrown } from '../../base/printable';
import { QueueError } from './errors';
import { redacted } from '../redact';

/** Where Redis is. */
export interface RedisAddress {
  /**
   * `redis://user:password@host:6379/0`, or `rediss://…` for TLS. Default: the environment variable `RASTERLOOM_REDIS`,
   * or `redis://127.0.0.1:6379`.
   */
  readonly url?: string | undefined;
  /** File with the certificate authority of the server; default: those of Node. */
  readonly ca?: string | undefined;
}

const DEFAULT_REDIS = 'redis://127.0.0.1:6379';

const CONNECT_MS = 5000;
/** Longest pause between two attempts to connect again. A job starts at most 10 s after Redis answers. */
const MAX_RETRY_MS = 1000;
/** Errors of a connection that is lost, and of a Redis that is starting. */
const LOST = /Command aborted|Connection is closed|ECONN(RESET|REFUSED)|EPIPE|LOADING/;
/** Pause between two questions whether Redis answers, and how long one may take before the connection is replaced. */
const PING_MS = 5000;
const PING_TIMEOUT_MS = 15_000;

/** Options of ioredis for an address. @throws QueueError */
function parseRedis({ url = process.env.RASTERLOOM_REDIS ?? DEFAULT_REDIS, ca }: RedisAddress): RedisOptions {
  const wrong = (why: string): QueueError =>
    new QueueError('option', `The address of Redis ${why}; write redis://host:6379, or rediss://host:6379 for TLS`);
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    // It may hold a password at any place.
    throw wrong('is not an address');
  }
  if (parsed.protocol !== 'redis:' && parsed.protocol !== 'rediss:')
    throw wrong(`begins with ${quoted(parsed.protocol)}`);
  if (parsed.hostname === '') throw wrong('names no host');
  if (parsed.search !== '' || parsed.hash !== '') throw wrong('has a ? or #, which must be written as %3F or %23');
  const [, db = ''] = /^\/(\d{0,4})$/.exec(parsed.pathname || '/') ?? [, undefined];
  if (!/^\/\d{0,4}$/.test(parsed.pathname || '/')) throw wrong('ends in something other than the number of a database');
  const isTls = parsed.protocol === 'rediss:';
  if (ca !== undefined && !isTls) throw wrong('has no TLS, but a certificate authority was given');
  return {
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: parsed.port === '' ? 6379 : Number(parsed.port),
    ...(parsed.username === '' ? {} : { username: decoded(parsed.username) }),
    ...(parsed.password === '' ? {} : { password: decoded(parsed.password) }),
    db: Number(db || 0),
    ...(isTls ? { tls: ca === undefined ? {} : { ca: readAuthority(ca) } } : {}),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone % stands for itself.
    return text;
  }
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new QueueError('option', `The certificate authority ${quoted(file)} cannot be read: ${thrown(error)}`);
  }
}

/** The packages of the queue, which are installed beside this one. */
interface QueuePackages {
  readonly bullmq: typeof import('bullmq');
  readonly ioredis: typeof import('ioredis');
}

/** @throws QueueError if one of them is missing */
async function loadPackages(): Promise<QueuePackages> {
  try {
    const [bullmq, ioredis] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bullmq, ioredis };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new QueueError('package', 'A queue needs the packages bullmq and ioredis; run npm install bullmq ioredis', {
      cause: error,
    });
  }
}

/** A connection that is made again whenever it is lost. */
export class Connection {
  readonly packages: QueuePackages;
  readonly client: Redis;
  /** The address for messages, without user and password. */
  readonly shown: string;
  readonly #secret: string;
  #ping: NodeJS.Timeout | undefined;
  #pending: NodeJS.Timeout | undefined;

  private constructor(packages: QueuePackages, client: Redis, secret: string) {
    this.packages = packages;
    this.client = client;
    const { host, port, db, tls } = client.options;
    this.shown = `redis${tls ? 's' : ''}://${host}:${port}${db ? `/${db}` : ''}`;
    this.#secret = secret;
  }

  /** @throws QueueError if Redis does not answer within five seconds */
  static async open(address: string | RedisAddress | undefined): Promise<Connection> {
    const options = parseRedis(typeof address === 'object' ? address : { url: address });
    const packages = await loadPackages();
    const client = new packages.ioredis.Redis({
      ...options,
      lazyConnect: true,
      connectTimeout: CONNECT_MS,
      keepAlive: PING_MS,
      // BullMQ waits for Redis as long as it takes.
      maxRetriesPerRequest: null,
      retryStrategy: (times) => Math.min(MAX_RETRY_MS, 50 * 2 ** Math.min(times, 10)),
    });
    const connection = new Connection(packages, client, options.password ?? '');
    try {
      await connection.#connect();
    } catch (error) {
      client.disconnect();
      throw error;
    }
    // Without a listener, ioredis prints each failed attempt.
    client.on('error', () => undefined);
    return connection;
  }

  /** The text without the password of this connection, and without those of other addresses. */
  redacted(text: string): string {
    const all = redacted(text);
    return this.#secret.length < 3 ? all : all.replaceAll(this.#secret, '…');
  }

  /**
   * Asks Redis regularly, and connects again if it does not answer. Otherwise commands on a cut network wait until the
   * system gives the connection up, which takes up to a quarter of an hour.
   */
  watch(): void {
    this.#ping = setInterval(() => {
      if (this.#pending !== undefined || this.client.status !== 'ready') return;
      this.#pending = setTimeout(() => {
        this.#pending = undefined;
        this.client.disconnect(true);
      }, PING_TIMEOUT_MS);
      const answered = (): void => {
        clearTimeout(this.#pending);
        this.#pending = undefined;
      };
      this.client.ping().then(answered, answered);
    }, PING_MS);
    this.#ping.unref();
  }

  /** Does what may be done twice, again for as long as the connection is lost meanwhile. */
  async retrying<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (this.client.status === 'end' || !LOST.test(String(error))) throw error;
        await new Promise((resolve) => setTimeout(resolve, MAX_RETRY_MS));
      }
    }
  }

  /** Whether Redis is connected at the moment. */
  get isReady(): boolean {
    return this.client.status === 'ready';
  }

  close(): void {
    clearInterval(this.#ping);
    clearTimeout(this.#pending);
    this.client.disconnect();
  }

  async #connect(): Promise<void> {
    const { client } = this;
    let last: Error | undefined;
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: Error): void => {
        clearTimeout(late);
        client.off('ready', settle);
        client.off('error', failed);
        if (error) reject(this.#refusal(error));
        else resolve();
      };
      const late = setTimeout(() => settle(last ?? new Error('it did not answer')), CONNECT_MS);
      const failed = (error: Error): void => {
        last = error;
        // Other errors may pass: Redis may be starting.
        if (/WRONGPASS|NOAUTH|NOPERM|certificate|invalid (username|password)/i.test(error.message)) settle(error);
      };
      client.once('ready', () => settle());
      client.on('error', failed);
      client.connect().catch(failed);
    });
  }

  #refusal(error: Error): QueueError {
    const code = (error as NodeJS.ErrnoException).code;
    const why = this.redacted(thrown(error.message === '' ? (code ?? error) : error));
    const way = /WRONGPASS|NOAUTH|invalid (username|password)/i.test(error.message)
      ? 'give the user and the password in the address'
      : /certificate/i.test(error.message)
        ? 'name the certificate authority of the server'
        : 'start redis-server, or give another address';
    return new QueueError('redis', `Redis at ${this.shown} cannot be used (${why}); ${way}`, { cause: error });
  }
}
