// Builds assembly/ and src/ into build/: the kernels, the package for Node and for browsers, the command, the types,
// and test bundles such as the image scenes for tests in a page. The build only strips types (`npm run check` checks
// them) and keeps kernels whose sources have not changed, so it takes seconds.
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import dts from 'rollup-plugin-dts';
import { minify } from 'terser';
import { wasmBytes, wasmScripts } from './wasm-scripts.mjs';
import ts from 'typescript';
import { compileKernels } from './kernels.mjs';
import { withOffsets } from './record-offsets.mjs';
import { writeShippedShaders } from './shipped-shaders.mjs';

/** Modules that several bundles share are transpiled once. */
const transpiled = new Map();

/**
 * Identifies the compiler in this build: its sources, and the kernel whose functions it inlines. The shader cache does
 * not use records of another compiler.
 */
function buildId() {
  const hash = createHash('sha256');
  const files = readdirSync('src', { recursive: true }).filter((name) => name.endsWith('.ts'));
  for (const file of [
    ...files.sort().map((name) => `src/${name}`),
    'build/layout.ts',
    'build/kernel.wasm',
    'package.json',
  ])
    hash.update(file).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

/** Strips types, and resolves `./name` to `./name.ts` or `./name/index.ts`. */
const typescript = {
  name: 'typescript',
  resolveId(source, importer) {
    if (!importer || !/^\.\.?(\/|$)/.test(source)) return null;
    const path = resolve(dirname(importer), source);
    return [`${path}.ts`, `${path}/index.ts`].find((file) => existsSync(file)) ?? null;
  },
  transform(code, id) {
    if (!id.endsWith('.ts')) return null;
    if (id === resolve('src/base/build-id.ts')) return `export const BUILD_ID = '${buildId()}';`;
    if (!transpiled.has(id)) {
      const { outputText, sourceMapText } = ts.transpileModule(code, {
        fileName: id,
        compilerOptions: {
          target: ts.ScriptTarget.ES2022,
          module: ts.ModuleKind.ESNext,
          sourceMap: true,
          removeComments: true,
        },
      });
      transpiled.set(id, { code: withOffsets(outputText), map: sourceMapText });
    }
    return transpiled.get(id);
  },
};

/** What modules for browsers import, as they or Rollup name it. */
const FILES = ['./engine.js', 'modular.js', 'index.browser.js'];
/** Fails if a bundle for browsers imports anything but files next to it: a page has no others. */
const importsNothing = {
  name: 'imports-nothing',
  generateBundle(_, files) {
    for (const { fileName, imports = [], dynamicImports = [] } of Object.values(files))
      for (const name of [...imports, ...dynamicImports].filter((each) => !FILES.includes(each)))
        this.error(`${fileName} imports ${name}, which a page does not have`);
  },
};

/**
 * Minifies published bundles. Classes keep their names, which records of the shader cache and messages contain.
 * Functions do not: an engine with their names is 3 % larger. Strings keep their quotes, by which bundlers recognise
 * `new URL('…')`.
 */
const small = {
  name: 'small',
  async renderChunk(code, _, { file, format }) {
    if (file?.startsWith('build/testing/')) return null;
    const { code: shorter } = await minify(code, {
      module: format === 'es',
      toplevel: true,
      ecma: 2022,
      // Functions are not moved to the place of their only call, where they would be made anew for each call.
      compress: { passes: 2, reduce_funcs: false, inline: 1 },
      keep_classnames: true,
      format: { ascii_only: true, quote_style: 3, max_line_len: 32_000 },
    });
    return { code: shorter, map: null };
  },
};

/** Computes the studio light in advance, which would cost the command a tenth of a second. */
const studio = {
  name: 'studio',
  async writeBundle({ file }) {
    const { writeStudio } = await import(pathToFileURL(file));
    writeFileSync('build/studio.bin', writeStudio());
  },
};

/** Types for frameworks, which extend modules of theirs. */
const frameworkTypes = {
  name: 'framework-types',
  writeBundle() {
    for (const name of ['react', 'vue']) copyFileSync(`src/view/${name}.d.ts`, `build/view-${name}.d.ts`);
  },
};

const runnable = {
  name: 'runnable',
  writeBundle({ file }) {
    chmodSync(file, 0o755);
    copyFileSync('examples/sample.glb', 'build/sample.glb');
  },
};

/** Compresses the scalar kernel, which few users need (src/kernels/source.ts). */
const scalarKernel = {
  name: 'scalar-kernel',
  writeBundle() {
    writeFileSync('build/kernel.scalar.bin', deflateRawSync(readFileSync('build/kernel.scalar.wasm'), { level: 9 }));
  },
};

/** Compiles the shaders of the bundled scene. */
const shaders = { name: 'shaders', writeBundle: () => writeShippedShaders() };

/**
 * Resolves `import.meta.url` in CommonJS. Rollup's own code assumes a page if there is a `document`, but tests and
 * engines in Node also define one.
 */
const ownFile = {
  name: 'own-file',
  resolveImportMeta: (property) => (property === 'url' ? "require('node:url').pathToFileURL(__filename).href" : null),
};

/** Classic scripts have no import.meta. */
const noFile = { name: 'no-file', resolveImportMeta: () => 'undefined' };

/**
 * Loads files and modules of Node by `require` in CommonJS. `import` would load a second copy, test runners may not
 * have it, and code that V8 has kept cannot use it (src/node/compiled-file.ts).
 */
const requiresAll = {
  name: 'requires-all',
  renderDynamicImport: () => ({ left: 'Promise.resolve().then(() => require(', right: '))' }),
};

/**
 * Imports decoders by a function that src/node/compiled-file.ts passes, if it runs the file. Bundlers follow the other
 * import.
 */
const importsByArgument = {
  name: 'imports-by-argument',
  renderDynamicImport({ targetModuleId: id }) {
    const passed = "typeof importModule === 'function'";
    if (id === null) return { left: `(${passed} ? importModule : (name) => import(name))(`, right: ')' };
    const known = isDecoder(id) ? `./${basename(id, '.ts')}.js` : id;
    return { left: `(${passed} ? importModule(`, right: `) : import('${known}'))` };
  },
};

const isReaders = (id) => id === resolve('src/gltf/extension-readers.ts');
/** Pages load the readers of glTF extensions for the first model that needs them. */
const readersOnDemand = {
  name: 'readers-on-demand',
  resolveId: (source, importer) =>
    source.endsWith('/extension-readers') && !importer.endsWith('.browser.ts')
      ? resolve('src/gltf/extension-readers.browser.ts')
      : null,
};

const bundle = (input, file, { external = [], plugins = [], output = {} } = {}) => ({
  input,
  external,
  output: { file, format: 'es', inlineDynamicImports: true, ...output },
  plugins: [typescript, nodeResolve(), small, ...plugins],
  treeshake: { moduleSideEffects: false },
});

// The command and `rasterloom/register` import the package like a user.
const isIndex = (id) => id === resolve('src/index.ts');
// Loaded with the first device.
const isEngine = (id) => id === resolve('src/engine/index.ts');
const isVirtualTime = (id) => id === resolve('src/virtual-time/index.ts');
const isPlaywright = (id) => /^(@playwright\/test(\/reporter)?|playwright-core)$/.test(id);
const isTestKit = (id) => id === resolve('src/test-kit/core.ts');
const isCommands = (id) => id === resolve('src/cli/commands.ts');
const isFarm = (id) => id === resolve('src/farm.ts');
const isFarmCommands = (id) => id === resolve('src/cli/farm/farm.ts');
const isBrowserGltf = (id) => id === resolve('src/gltf.browser.ts');
const isBrowserIndex = (id) => id === resolve('src/index.browser.ts');
// Loaded when the first image is read or written. A process without images starts faster.
const isImageFiles = (id) => id === resolve('src/node/image-files.ts');
// Loaded for the first model that needs one.
const DECODERS = ['basis-transcoder', 'draco-decoder', 'exr-decoder', 'meshopt-decoder', 'png-decoder'];
/** Decoders of images that pages load by one file each; in Node, they are files of their packages. */
const PAGE_CODECS = ['jpeg-decoder', 'webp-decoder'];
const isDecoder = (id) => [...DECODERS, ...PAGE_CODECS].some((name) => id === resolve(`src/gltf/decoders/${name}.ts`));
const beside = (index) => ({
  paths: (id) =>
    isIndex(id)
      ? index
      : isBrowserIndex(id)
        ? './index.browser.js'
        : isEngine(id)
          ? './engine.js'
          : isImageFiles(id)
            ? `./image-files${index.endsWith('.cjs') ? '.cjs' : '.js'}`
            : isVirtualTime(id)
              ? `./virtual-time${index.endsWith('.cjs') ? '.cjs' : '.js'}`
              : isTestKit(id)
                ? './test-kit.cjs'
                : isCommands(id)
                  ? './commands.cjs'
                  : isFarm(id)
                    ? './farm.js'
                    : isFarmCommands(id)
                      ? './farm-commands.js'
                      : isDecoder(id)
                        ? `./${basename(id, '.ts')}.js`
                        : id,
});
// Readers of models and images are dependencies that npm installs.
const isDependency = (id) =>
  /^(node:|@gltf-transform\/|@jsquash\/|tinyglobby$|bullmq$|ioredis$|@aws-sdk\/|@opentelemetry\/)/.test(id);
/** Lets `import` and `require` share one CommonJS file, or its types: writes the ES module that exports the same. */
const exportedTwice = {
  name: 'exported-twice',
  writeBundle({ file }, files) {
    const [{ exports }] = Object.values(files);
    const [from, to, names] = file.endsWith('.d.cts')
      ? [file.replace('.d.cts', '.cjs'), file.replace('.cts', '.ts'), '*']
      : [file, file.replace('.cjs', '.js'), `{ ${exports.join(', ')} }`];
    writeFileSync(to, `export ${names} from './${basename(from)}';\n`);
  },
};
/** One plugin for all types: it keeps the programs of its last bundle only. */
const declarations = dts();
const typesFor = (ending, index, name, input = `src/${name}.ts`, plugins = []) => ({
  input,
  plugins: [declarations, ...plugins],
  external: (id) =>
    isIndex(id) || (isVirtualTime(id) && name !== 'virtual-time') || id === 'vitest' || isPlaywright(id),
  output: { file: `build/${name}.${ending}`, format: 'es', ...beside(index) },
});
/** Types for `import` and for `require`: TypeScript distinguishes the module kinds by file extension. */
const types = (name, input) => typesFor('d.cts', './index.cjs', name, input, [exportedTwice]);
/** All bundles. */
export const parts = [
  bundle('src/index.ts', 'build/index.js', {
    external: (id) => isDependency(id) || isImageFiles(id) || isEngine(id),
    output: beside('./index.js'),
  }),
  // For Node, also in place of CommonJS (src/files.ts), and for pages.
  bundle('src/engine/index.ts', 'build/engine.js', { plugins: [importsNothing] }),
  bundle('src/node/image-files.ts', 'build/image-files.js', { external: isDependency }),
  // For `require` where Node, or a test runner, cannot `require` ES modules.
  bundle('src/index.ts', 'build/index.cjs', {
    external: (id) => isDependency(id) || isImageFiles(id) || isEngine(id),
    output: { format: 'cjs', ...beside('./index.cjs') },
    plugins: [ownFile, requiresAll],
  }),
  bundle('src/node/image-files.ts', 'build/image-files.cjs', {
    external: isDependency,
    output: { format: 'cjs' },
    plugins: [ownFile],
  }),
  // Also modular.js, which the first device with modular pipelines loads, and which imports from the module.
  {
    input: { 'index.browser': 'src/index.browser.ts' },
    external: isEngine,
    output: {
      dir: 'build',
      entryFileNames: '[name].js',
      chunkFileNames: 'modular.js',
      format: 'es',
      ...beside('./index.browser.js'),
    },
    preserveEntrySignatures: 'allow-extension',
    plugins: [typescript, nodeResolve(), small, importsNothing, scalarKernel],
    treeshake: { moduleSideEffects: false },
  },
  bundle('src/worker.ts', 'build/worker.mjs', { external: [/^node:/] }),
  bundle('src/worker.browser.ts', 'build/worker.browser.js', { plugins: [importsNothing] }),
  bundle('src/register.ts', 'build/register.js', { external: isIndex, output: beside('./index.js') }),
  bundle('src/register.ts', 'build/register.cjs', {
    external: isIndex,
    output: { format: 'cjs', ...beside('./index.cjs') },
  }),
  bundle('src/register.browser.ts', 'build/register.browser.js', {
    external: isBrowserIndex,
    output: beside('./index.browser.js'),
  }),
  bundle('src/register.script.ts', 'build/register.script.js', {
    external: isEngine,
    output: { format: 'iife', ...beside('./index.browser.js') },
    plugins: [importsNothing, noFile],
  }),
  // commands.cjs for src/node/compiled-file.ts, gltf.cjs, and what they share. glTF-Transform is inside: its compiled
  // code is kept, too, and where Node cannot require ES modules, it cannot require its dependencies.
  {
    input: { commands: 'src/cli/commands.ts', gltf: 'src/gltf.ts' },
    external: (id) => isIndex(id) || isDecoder(id) || (isDependency(id) && !id.startsWith('@gltf-transform/')),
    output: {
      dir: 'build',
      entryFileNames: '[name].cjs',
      chunkFileNames: 'models.cjs',
      format: 'cjs',
      ...beside('./index.cjs'),
    },
    plugins: [typescript, nodeResolve(), small, ownFile, importsByArgument],
    treeshake: { moduleSideEffects: false },
  },
  bundle('src/cli/farm/farm.ts', 'build/farm-commands.js', {
    external: (id) => isIndex(id) || isDependency(id) || isDecoder(id) || isFarm(id),
    output: beside('./index.js'),
  }),
  bundle('src/gltf/light/studio-light.ts', 'build/testing/studio-light.js', { plugins: [importsNothing, studio] }),
  bundle('src/node/models/decoder.ts', 'build/decoder.js', {
    external: (id) => isDependency(id) || isDecoder(id),
    output: beside('./index.js'),
  }),
  ...DECODERS.map((name) =>
    bundle(`src/gltf/decoders/${name}.ts`, `build/${name}.js`, { plugins: [wasmScripts, importsNothing] })
  ),
  // Models for Node and for pages, with gltf-library.js, gltf-core.js and gltf-extensions.js, which both use.
  {
    input: { gltf: 'src/gltf.ts', 'gltf.browser': 'src/gltf.browser.ts' },
    external: (id) =>
      isIndex(id) || isBrowserIndex(id) || isDecoder(id) || (isDependency(id) && !id.startsWith('@gltf-transform/')),
    output: {
      dir: 'build',
      entryFileNames: '[name].js',
      chunkFileNames: ({ name }) => (name.startsWith('gltf-') ? `${name}.js` : 'gltf-library.js'),
      format: 'es',
      manualChunks: (id) =>
        isReaders(id) || /@gltf-transform.extensions/.test(id)
          ? 'gltf-extensions'
          : /node_modules.(@gltf-transform|property-graph|ktx-parse)\b/.test(id)
            ? 'gltf-core'
            : null,
      ...beside('./index.js'),
    },
    plugins: [readersOnDemand, typescript, nodeResolve(), small],
    treeshake: { moduleSideEffects: false },
  },
  ...PAGE_CODECS.map((name) =>
    bundle(`src/gltf/decoders/${name}.ts`, `build/${name}.js`, { plugins: [wasmBytes, importsNothing] })
  ),
  // For Node and for pages.
  bundle('src/blends/index.ts', 'build/blends.js', { plugins: [importsNothing] }),
  bundle('src/blends/index.ts', 'build/blends.cjs', { output: { format: 'cjs' }, plugins: [importsNothing] }),
  ...['js', 'cjs'].map((ending) =>
    bundle('src/rate-image/index.ts', `build/rate-image.${ending}`, {
      output: { format: ending === 'cjs' ? 'cjs' : 'es' },
      plugins: [importsNothing],
    })
  ),
  // For Node and for pages.
  bundle('src/virtual-time/index.ts', 'build/virtual-time.js', { plugins: [importsNothing] }),
  bundle('src/virtual-time/index.ts', 'build/virtual-time.cjs', {
    output: { format: 'cjs' },
    plugins: [importsNothing],
  }),
  bundle('src/test-kit/testing.ts', 'build/testing.js', {
    external: (id) => isIndex(id) || isVirtualTime(id) || isTestKit(id),
    output: beside('./index.js'),
  }),
  bundle('src/test-kit/testing.ts', 'build/testing.cjs', {
    external: (id) => isIndex(id) || isVirtualTime(id) || isTestKit(id),
    output: { format: 'cjs', ...beside('./index.cjs') },
  }),
  bundle('src/test-kit/core.ts', 'build/test-kit.cjs', {
    external: isDependency,
    output: { format: 'cjs' },
    plugins: [ownFile],
  }),
  bundle('src/test-kit/vitest.ts', 'build/vitest.js', {
    external: (id) => isTestKit(id) || id === 'vitest',
    output: beside('./index.js'),
  }),
  bundle('src/test-kit/jest.ts', 'build/jest.cjs', {
    external: isTestKit,
    output: { format: 'cjs', ...beside('./index.cjs') },
  }),
  // It loads the rest when it is in a page. On a server it does nothing, imported or required.
  ...['js', 'cjs'].map((ending) =>
    bundle('src/view.ts', `build/view.${ending}`, {
      external: isBrowserGltf,
      output: {
        format: ending === 'cjs' ? 'cjs' : 'es',
        paths: (id) => (isBrowserGltf(id) ? './gltf.browser.js' : id),
      },
    })
  ),
  bundle('src/test-kit/playwright/index.ts', 'build/playwright.cjs', {
    external: (id) => isTestKit(id) || isPlaywright(id) || isDependency(id),
    // Without the mark of ES modules, which imports of bundlers would take differently from those of Node.
    output: { format: 'cjs', esModule: false, exports: 'named', ...beside('./index.cjs') },
    plugins: [ownFile],
  }),
  types('index'),
  ...['register', 'extensions'].flatMap((name) => [
    typesFor('d.ts', './index.js', name),
    typesFor('d.cts', './index.cjs', name),
  ]),
  types('blends', 'src/blends/index.ts'),
  types('rate-image', 'src/rate-image/index.ts'),
  types('virtual-time', 'src/virtual-time/index.ts'),
  types('testing', 'src/test-kit/testing.ts'),
  typesFor('d.ts', './index.js', 'vitest', 'src/test-kit/vitest.ts'),
  typesFor('d.cts', './index.cjs', 'jest', 'src/test-kit/jest.ts'),
  typesFor('d.cts', './index.cjs', 'playwright', 'src/test-kit/playwright/index.ts'),
  types('gltf'),
  typesFor('d.cts', './index.cjs', 'view', 'src/view.ts', [exportedTwice, frameworkTypes]),
  bundle('src/farm.ts', 'build/farm.cjs', {
    external: isDependency,
    output: { format: 'cjs' },
    plugins: [ownFile, exportedTwice],
  }),
  types('farm'),
  bundle('src/page-runner/index.ts', 'build/page.cjs', {
    external: isDependency,
    output: { format: 'cjs' },
    plugins: [ownFile, exportedTwice],
  }),
  bundle('src/node/window/worker-scope.ts', 'build/web-worker.js', { external: isDependency }),
  // Modules of the thread that runs a page. It imports Rasterloom and the package for documents by their URLs.
  bundle('src/page-runner/worker.ts', 'build/page-worker.js', { external: isDependency }),
  bundle('src/page-runner/hooks.ts', 'build/page-hooks.js', { external: isDependency }),
  types('page', 'src/page-runner/index.ts'),
  bundle('tests/images/scenes/index.ts', 'build/testing/scenes.js', { plugins: [importsNothing] }),
  bundle('tests/browser/canvas/page.ts', 'build/testing/canvas-page.js', { plugins: [importsNothing] }),
  bundle('tests/browser/canvas/worker.ts', 'build/testing/canvas-worker.js', { plugins: [importsNothing] }),
  ...[
    ['tests/browser/gallery/index.ts', 'gallery'],
    ['tests/browser/gallery/page.ts', 'gallery-page'],
    ['tests/browser/gallery/worker.ts', 'gallery-worker'],
  ].map(([input, to]) => bundle(input, `build/testing/${to}.js`, { plugins: [importsNothing] })),
  bundle('tests/codegen/loops.ts', 'build/testing/loops.js', { external: [/^node:/] }),
  bundle('tests/codegen/steps.ts', 'build/testing/steps.js', { external: [/^node:/] }),
  bundle('bench/kernels/loops/index.ts', 'build/testing/hot-loops.js', { external: [/^node:/] }),
  bundle('tests/wgsl/shapes.ts', 'build/testing/shapes.js', { plugins: [importsNothing] }),
  bundle('tests/fuzz/main.ts', 'build/testing/fuzz.js', {
    external: (id) => isDependency(id) || id === 'fast-check',
    plugins: [wasmScripts],
  }),
  // Last, because it renders with what was built before.
  bundle('src/cli/main.ts', 'build/cli.js', {
    external: (id) => isIndex(id) || isDependency(id) || isCommands(id) || isFarmCommands(id),
    output: beside('./index.js'),
    plugins: [runnable, shaders],
  }),
];

export default async () => {
  await compileKernels();
  return parts;
};
