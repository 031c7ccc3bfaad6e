// What an orchestrator of containers asks a worker: whether it lives, and whether it takes jobs.
import { createServer } from 'node:http';
import { listen, type Listening } from '../listen';

/** Where a server listens. */
export interface HealthOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Default: `127.0.0.1`. A container needs `0.0.0.0`, because its orchestrator asks from outside. */
  readonly host?: string;
}

/**
 * Serves `/healthz`, which answers 200 while the event loop runs, and `/readyz`, which answers 200 while the worker
 * takes jobs, and 503 otherwise.
 * @throws Error if the port is not free
 */
export function serveHealth(isReady: () => boolean, { port, host }: HealthOptions): Promise<Listening> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    const [status, text] =
      request.method !== 'GET' && request.method !== 'HEAD'
        ? [405, 'Only GET is supported']
        : path === '/healthz'
          ? [200, 'The worker runs']
          : path !== '/readyz'
            ? [404, 'There are /healthz and /readyz']
            : isReady()
              ? [200, 'The worker takes jobs']
              : [503, 'The worker takes no jobs: it has no connection to its queue, or it is stopping'];
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
    response.end(request.method === 'HEAD' ? undefined : `${text}\n`);
  });
  return listen(server, { port, host });
}
