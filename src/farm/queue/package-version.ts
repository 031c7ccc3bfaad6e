// The version of this package, which decides which jobs a worker takes.
import { existsSync, readFileSync } from 'node:fs';

/** Read from package.json, above the built module or above the sources. */
export function packageVersion(): string {
  const built = new URL('../package.json', import.meta.url);
  const file = existsSync(built) ? built : new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
