import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { wasmScripts } from './wasm-scripts.mjs';

/** Test files that take longest. In a new checkout vitest knows only file sizes and would start these last. */
const LONGEST = [
  'examples/engines',
  'images/frames',
  'streamed-textures/effects',
  'streamed-textures/adverse',
  'package/bundlers',
  'threads/life',
  'cli/command',
  'examples/examples',
  'oracle/immediate',
  'oracle/same-bits',
  'streamed-textures/compute',
  'streamed-textures/budgets',
  'threads/distribution',
  'modular/sink-order',
  'house/types',
  'streamed-textures/destinations',
  'threads/same-bits',
  'threads/budgets',
];

/**
 * Folders whose tests call functions and kernels without opening devices. Their files share processes and modules,
 * since loading these takes longer than most of the tests.
 */
const SHARING = [
  'base',
  'blocks',
  'codegen',
  'gltf',
  'ir',
  'lower',
  'math',
  'memory',
  'mpipe',
  'raster',
  'surface',
  'vertex',
  'warp',
  'wgsl',
  'wgsl-accuracy',
].map((folder) => `tests/${folder}/**/*.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isOf =
      (name: string) =>
      ({ moduleId }: TestSpecification): boolean =>
        moduleId.endsWith(`/${name}.test.ts`);
    const sorted = await super.sort(files);
    const first = LONGEST.flatMap((name) => sorted.filter(isOf(name)));
    return [...first, ...sorted.filter((file) => !first.includes(file))];
  }
}

export default defineConfig({
  plugins: [wasmScripts],
  test: {
    setupFiles: ['tests/support/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Transformed by the plugin.
    server: { deps: { inline: [/draco3dgltf/, /basis_transcoder/] } },
    pool: 'forks',
    // Use all cores: files run in separate processes and do not wait for each other. By default vitest leaves one core
    // free.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'apart', include: ['tests/**/*.test.ts'], exclude: SHARING } },
      { extends: true, test: { name: 'sharing', include: SHARING, isolate: false } },
    ],
  },
});
