// Copies the scenes to build/engines, where Node finds their packages.
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folder of the libraries: .ci/run installs them there. */
export const ENGINES = fileURLToPath(new URL('../../build/engines/', import.meta.url));

/** @returns the folder in which run.mjs is started */
export function placeScenes() {
  for (const name of ['stage.mjs', 'peer.mjs', 'run.mjs', 'scenes'])
    cpSync(fileURLToPath(new URL(`./${name}`, import.meta.url)), `${ENGINES}${name}`, { recursive: true });
  return ENGINES;
}
