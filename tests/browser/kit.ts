// The page that draws image scenes and hashes their pixels, and its server.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILD = new URL('../../build/', import.meta.url);
const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** Requested in every page. */
export const WORKERS = 2;
const PAGE = `<!doctype html><title>Rasterloom</title><script type="module">
  import { create, inspectShader } from '/index.browser.js';
  import { scenes, render } from '/testing/scenes.js';
  const adapter = await create({ threads: ${WORKERS} }).requestAdapter();
  const { maxStorageBuffersInVertexStage } = adapter.limits;
  const device = await adapter.requestDevice(
    { requiredFeatures: ['statistics', 'depth-clip-control'], requiredLimits: { maxStorageBuffersInVertexStage } });
  window.workers = () => device.statistics().workers;
  let lost = '';
  device.lost.then(({ message }) => { lost = message; });
  const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
  // Errors as texts: they are compared with the hash, and shown.
  window.hash = (name, samples) => render(device, scenes[name],
    samples).then(async (pixels) => hex(await crypto.subtle.digest('SHA-256', pixels)),
    (error) => lost || String(error));
  window.inspect = async (code) => {
    const { messages, entryPoints } = await inspectShader(code);
    return { messages, programs: entryPoints.map(({ code: { ir, bytecode, counts } }) => ({ ir, bytecode, counts })) };
  };
  window.statistics = async (name, samples) => {
    const adapter = await create().requestAdapter(),
      timed = await adapter.requestDevice({ requiredFeatures: ['statistics-times'] });
    await render(timed, scenes[name], samples);
    return timed.statistics();
  };
</script>`;

/**
 * Serves a folder.
 * @param index the page at the root
 * @param isIsolated whether its pages may share memory with workers
 * @param onPost called with the bodies of requests
 */
function serveFolder(
  folder: URL,
  index: string,
  isIsolated: boolean,
  onPost?: (body: string) => void
): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost');
    if (request.method === 'POST') {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        onPost?.(Buffer.concat(chunks).toString());
        response.writeHead(204).end();
      });
      return;
    }
    const file = new URL(`.${pathname}`, folder);
    if (isIsolated)
      response
        .setHeader('Cross-Origin-Opener-Policy', 'same-origin')
        .setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    if (pathname !== '/' && !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response
      .writeHead(200, { 'Content-Type': TYPES[extname(pathname) || '.html'] ?? 'application/octet-stream' })
      .end(pathname === '/' ? index : readFileSync(file));
  });
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done(server));
  });
}

/** Serves the built package, with a script that is added to the page. */
export const serve = (isIsolated: boolean, script = '', onPost?: (body: string) => void): Promise<Server> =>
  serveFolder(BUILD, `${PAGE}${script}`, isIsolated, onPost);

const SITE = new URL('playground/', BUILD);
/** Serves the playground, with a script that is added to the page. */
export const servePlayground = (isIsolated: boolean, script = '', onPost?: (body: string) => void): Promise<Server> =>
  serveFolder(SITE, `${readFileSync(new URL('index.html', SITE), 'utf8')}${script}`, isIsolated, onPost);

/** Builds the playground, unless .ci/run has built it with the documentation. */
export function buildPlayground(): void {
  if (process.env['RASTERLOOM_SITE'] !== undefined) return;
  const vite = fileURLToPath(new URL('../node_modules/vite/bin/vite.js', BUILD));
  execFileSync(process.execPath, [vite, 'build', '-c', 'docs/playground/vite.config.ts'], {
    cwd: fileURLToPath(new URL('..', BUILD)),
    stdio: 'pipe',
  });
}

export const address = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
