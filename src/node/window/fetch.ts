// `fetch` and `Request` for Node that also load files, within the limits of install(). Addresses on the network are
// left to the functions of Node. https://fetch.spec.whatwg.org/
import { messageOf } from '../../gltf/errors';
import { fetchResource, isLocal, requireNetwork, resolveName } from '../resources';

type Fetch = typeof globalThis.fetch;
type Input = Parameters<Fetch>[0];

const addressOf = (input: Input): string =>
  typeof input === 'object' && 'url' in input ? input.url : resolveName(String(input)).href;

/** Makes `fetch` with the previous one. */
export function makeFetch(fetchBefore: Fetch): Fetch {
  return async (input, init) => {
    const address = addressOf(input);
    if (!isLocal(new URL(address))) {
      requireNetwork(address);
      return fetchBefore(typeof input === 'object' && 'url' in input ? input : address, init);
    }
    const { method = 'GET', signal } = { ...requestOf(input), ...init };
    signal?.throwIfAborted();
    if (!/^(get|head)$/i.test(method))
      throw new TypeError(`fetch: ${address} is a file, which the method ${method} cannot change; use GET`);
    const loaded = await fetchResource(address, { signal }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw new TypeError(`fetch: ${messageOf(error)}`, { cause: error });
    });
    const { status, statusText, headers } = loaded;
    const response = new Response(/^head$/i.test(method) ? null : loaded.body.body, { status, statusText, headers });
    return Object.defineProperty(response, 'url', { value: loaded.url });
  };
}

const requestOf = (input: Input): RequestInit =>
  typeof input === 'object' && 'url' in input ? { method: input.method, signal: input.signal } : {};

/** Makes a `Request` class whose URLs may be relative, from the previous class. */
export const makeRequest = (Before: typeof globalThis.Request): typeof globalThis.Request =>
  class Request extends Before {
    constructor(input: Input, init?: RequestInit) {
      super(typeof input === 'object' && 'url' in input ? input : addressOf(input), init);
    }
  };
