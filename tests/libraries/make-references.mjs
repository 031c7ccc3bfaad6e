// Usage: PEER_MODULES=… node tests/libraries/make-references.mjs [scene …]
// Draws the scenes of libraries with Dawn on SwiftShader and stores the pictures in tests/libraries/reference/. Needs
// `npm run build`, the libraries in build/engines, the package `webgpu` in the folder that PEER_MODULES names, and
// VK_ICD_FILENAMES for SwiftShader.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { placeScenes } from './place.mjs';

const reference = new URL('./reference/', import.meta.url);
const all = readdirSync(new URL('./scenes/', import.meta.url)).map((file) => file.slice(0, -'.mjs'.length));
mkdirSync(reference, { recursive: true });
const names = process.argv.slice(2);
const cwd = placeScenes();
for (const name of names.length > 0 ? names : all)
  execFileSync(process.execPath, ['run.mjs', name, 'swiftshader', fileURLToPath(new URL(`${name}.png`, reference))], {
    cwd,
    stdio: 'inherit',
  });
