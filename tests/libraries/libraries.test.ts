// Libraries as npm installs them, each with a scene that uses its own loader, text or compute passes. The pictures do
// not depend on the number of workers, and are compared with those of Dawn on SwiftShader for the same code
// (make-references.mjs). The packages are in build/engines, where .ci/run installs them by the lock file of this
// folder: cp tests/libraries/{package.json,package-lock.json,.npmrc} build/engines && npm ci --prefix build/engines
// --ignore-scripts. Scenes with missing packages are skipped.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { decode } from 'fast-png';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compare, keepFailed } from '../images/compare';
import { ENGINES, placeScenes } from './place.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const REFERENCE = fileURLToPath(new URL('./reference/', import.meta.url));
const WITHIN = 8;
const SHARE = 0.99;

interface Library {
  readonly packages: readonly string[];
  /** Flags of Node. */
  readonly flags?: readonly string[];
}
const LIBRARIES: Record<string, Library> = {
  three: { packages: ['three'] },
  'react-three-fiber': { packages: ['@react-three/fiber', 'react', 'three'] },
  babylon: { packages: ['@babylonjs/core', '@babylonjs/loaders'] },
  playcanvas: { packages: ['playcanvas'] },
  luma: { packages: ['@luma.gl/core', '@luma.gl/engine', '@luma.gl/webgpu', '@math.gl/core'] },
  deck: { packages: ['@deck.gl/core', '@deck.gl/layers', '@luma.gl/webgpu', 'happy-dom'] },
  pixi: { packages: ['pixi.js'] },
  orillusion: { packages: ['@orillusion/core', 'happy-dom'] },
  typegpu: { packages: ['typegpu'] },
  chartgpu: { packages: ['chartgpu', 'happy-dom'] },
  q5: { packages: ['q5', 'happy-dom'] },
  'antv-g': { packages: ['@antv/g', '@antv/g-webgpu', 'happy-dom'] },
  'three-gpu-pathtracer': { packages: ['three-gpu-pathtracer', 'three-mesh-bvh', 'three'] },
  tensorflow: { packages: ['@tensorflow/tfjs', '@tensorflow/tfjs-backend-webgpu'] },
  // V8's optimizing compiler would work on its 27 MB of WebAssembly for half a minute, and Node waits for that.
  onnxruntime: { packages: ['onnxruntime-web'], flags: ['--liftoff-only'] },
  anime4k: { packages: ['anime4k-webgpu'] },
  jax: { packages: ['@jax-js/jax'] },
  'wgpu-matrix': { packages: ['wgpu-matrix'] },
  'webgpu-utils': { packages: ['webgpu-utils'] },
  'loaders-gl': { packages: ['@loaders.gl/core', '@loaders.gl/gltf'] },
};
const missing = ({ packages }: Library): string[] =>
  [...packages, '@fontsource/lato', '@napi-rs/canvas'].filter(
    (name) => ![ENGINES, ROOT].some((folder) => existsSync(join(folder, 'node_modules', name)))
  );

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Draws in a process of its own. */
async function drawn(name: string, { flags = [] }: Library, threads: number): Promise<Uint8Array> {
  const file = join(folder, `${name}-${threads}.png`);
  await promisify(execFile)(process.execPath, [...flags, 'run.mjs', name, String(threads), file], { cwd: ENGINES });
  return readFileSync(file);
}

function describeMismatch(name: string, file: Uint8Array): string | undefined {
  const { width, data } = decode(file);
  const expected = decode(readFileSync(join(REFERENCE, `${name}.png`)));
  const actual = Uint8Array.from(data);
  if (width !== expected.width) return `${name}: a width of ${width}, not ${expected.width}`;
  const found = compare(actual, Uint8Array.from(expected.data), WITHIN, 'SwiftShader', width);
  if (found.share >= SHARE) return undefined;
  return (
    `${name}: ${(found.share * 100).toFixed(2)} % of the pixels are within ${WITHIN} of SwiftShader, not `
    + `${SHARE * 100} %; the largest difference is ${found.largest} at ${found.at.join(', ')}\n`
    + keepFailed(`library-${name}`, actual, found.difference, width)
  );
}

describe('an unmodified library in Node', () => {
  beforeAll(() => void placeScenes());
  for (const [name, library] of Object.entries(LIBRARIES)) {
    const absent = missing(library);
    const needs = absent.length > 0 ? ` (needs ${absent.join(', ')} in ${ENGINES}node_modules)` : '';
    test.skipIf(absent.length > 0)(
      `${name} draws what Dawn draws, with any number of workers${needs}`,
      async () => {
        const [alone, shared] = await Promise.all([drawn(name, library, 0), drawn(name, library, 2)]);
        expect(Buffer.compare(alone!, shared!)).toBe(0);
        expect(describeMismatch(name, alone!)).toBeUndefined();
      },
      180_000
    );
  }
});
