// What URLs name, and paths of files, in Node.
import { readFile } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** As fetch, and for files; a path is one from the working directory. */
export async function fetchResource(name: string, init?: RequestInit): Promise<Response> {
  const url = URL.canParse(name) ? new URL(name) : pathToFileURL(name);
  return url.protocol === 'file:' ? new Response(new Uint8Array(await promisify(readFile)(url))) : fetch(url, init);
}
