// The server of the status page. It only reads, and listens on the loopback address unless asked otherwise.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { listen, type Listening } from '../listen';
import { PAGE, SCRIPT, STYLE } from './page';
import { PictureFolder } from './pictures';
import { Snapshots } from './snapshot';
import type { StatusSource } from './types';

/** Time in milliseconds between two states of the page. */
const INTERVAL_MS = 1000;
/** Pages that are kept up to date at the same time. */
const MAX_PAGES = 64;

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const FILES: Readonly<Record<string, readonly [string, string]>> = {
  '/': ['text/html; charset=utf-8', PAGE],
  // Browsers ask for it, and log an error without it.
  '/favicon.ico': ['image/x-icon', ''],
  '/page.css': ['text/css; charset=utf-8', STYLE],
  '/page.js': ['text/javascript; charset=utf-8', SCRIPT],
};

/** Options of {@link serveStatus}. */
export interface StatusPageOptions {
  /** Default: 0, any free port. */
  readonly port?: number;
  /** Default: `127.0.0.1`. With another one, everyone who reaches it can read the page: it has no passwords. */
  readonly host?: string;
  /** Folder whose pictures the page shows. Default: none. */
  readonly pictures?: string;
}

/**
 * Serves a page that shows what a queue does. `status.json` at its address has the same figures for programs, for
 * example `queue.ageMs`, by which a farm is scaled.
 *
 *     const page = await serveStatus(await FarmQueue.open(), { port: 8080, pictures: 'pictures' });
 *     console.log(page.url);
 *
 * @throws Error if the port is not free, or there is no such folder
 */
export function serveStatus(source: StatusSource, options: StatusPageOptions = {}): Promise<Listening> {
  const page = new StatusPage(source, options);
  const server = createServer((request, response) => {
    page.answer(request, response).catch(() => response.destroy());
  });
  server.on('close', () => page.close());
  return listen(server, { port: options.port ?? 0, host: options.host });
}

class StatusPage {
  readonly #snapshots: Snapshots;
  readonly #folder: PictureFolder | undefined;
  readonly #isLocal: boolean;
  readonly #pages = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;

  constructor(source: StatusSource, { host, pictures }: StatusPageOptions) {
    this.#folder = pictures === undefined ? undefined : new PictureFolder(pictures);
    this.#snapshots = new Snapshots(source, (outputs) => this.#folder?.find(outputs) ?? Promise.resolve([]));
    this.#isLocal = host === undefined || isLoopback(host);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET') return send(response, 405, 'text/plain', 'Only GET is supported\n');
    // A site on the web could otherwise name its own host with this address, and read the page (DNS rebinding).
    if (this.#isLocal && !isLoopback(hostOf(request)))
      return send(response, 403, 'text/plain', 'This page is served for this machine only\n');
    const path = (request.url ?? '/').split('?')[0];
    if (Object.hasOwn(FILES, path)) return send(response, 200, ...FILES[path]);
    if (path === '/events') return this.#subscribe(response);
    if (path === '/status.json') return this.#sendJson(response);
    if (path.startsWith('/pictures/')) return this.#sendPicture(response, path.slice('/pictures/'.length));
    send(response, 404, 'text/plain', 'There is no such page\n');
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const page of this.#pages) page.end();
  }

  async #sendJson(response: ServerResponse): Promise<void> {
    const snapshot = await this.#snapshots.take();
    send(response, 'error' in snapshot ? 503 : 200, 'application/json', JSON.stringify(snapshot));
  }

  async #sendPicture(response: ServerResponse, encoded: string): Promise<void> {
    let name: string;
    try {
      name = decodeURIComponent(encoded);
    } catch {
      return send(response, 400, 'text/plain', 'The name of the picture is not valid\n');
    }
    const found = await this.#folder?.read(name);
    if (found) send(response, 200, found.type, found.bytes);
    else send(response, 404, 'text/plain', 'There is no such picture\n');
  }

  /** Sends the state each second, as server-sent events. */
  #subscribe(response: ServerResponse): void {
    if (this.#pages.size >= MAX_PAGES) return send(response, 503, 'text/plain', 'Too many pages are open\n');
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
    response.flushHeaders();
    this.#pages.add(response);
    response.on('close', () => this.#pages.delete(response));
    if (this.#pages.size === 1) this.#update();
  }

  /** Runs while a page is open. */
  #update(): void {
    clearTimeout(this.#timer);
    void this.#snapshots.take().then((snapshot) => {
      if (this.#pages.size === 0) return;
      // A page that reads too slowly misses states, so that nothing piles up here.
      for (const page of this.#pages) if (!page.writableNeedDrain) page.write(`data: ${JSON.stringify(snapshot)}\n\n`);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#update(), INTERVAL_MS);
    });
  }
}

function send(response: ServerResponse, status: number, type: string, body: string | Uint8Array): void {
  response.writeHead(status, { ...HEADERS, 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

const hostOf = ({ headers }: IncomingMessage): string =>
  (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[|\]$/g, '');

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
