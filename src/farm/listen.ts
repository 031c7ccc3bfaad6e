import { once } from 'node:events';
import type { Server } from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';

/** Only this machine can reach this address. */
const LOOPBACK = '127.0.0.1';
/** Most connections at a time, and the time in milliseconds for a request. */
const MAX_CONNECTIONS = 256;
const REQUEST_MS = 10_000;

/** A server that listens. */
export interface Listening {
  /** Its address, with a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

/** Lets a server listen. @throws Error that names the port and the way out */
export async function listen(
  server: Server,
  { port, host = LOOPBACK }: { port: number; host?: string | undefined }
): Promise<Listening> {
  server.maxConnections = MAX_CONNECTIONS;
  server.requestTimeout = REQUEST_MS;
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'it is in use; choose another port, or 0 for any free one' : message;
    throw new Error(`Port ${port} of ${host} cannot be opened: ${why}`, { cause: error });
  }
  const bound = server.address() as AddressInfo;
  const name = isIPv6(bound.address) ? `[${bound.address}]` : bound.address;
  return {
    url: `http://${name}:${bound.port}/`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}
