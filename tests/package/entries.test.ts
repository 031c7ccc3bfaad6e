// The package's entry points: files named in package.json exist, and import and require return the same.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { Project } from './kit';

const project = new Project();
afterAll(() => project.remove());

/** Every string in an object, at any depth. */
const strings = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value as object).flatMap(strings);

test('package.json refers to files in the package', () => {
  const { exports, main, types, bin, sideEffects } = JSON.parse(
    readFileSync(project.path('node_modules/rasterloom/package.json'), 'utf8')
  ) as Record<string, unknown>;
  const names = strings({ exports, main, types, bin, sideEffects });
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !existsSync(project.path(`node_modules/rasterloom/${name}`)))).toEqual([]);
});

/**
 * `require` of ES modules works in Node from 20.19 and 22.12 on; older versions and test runners use the other build.
 */
const FLAGS = ['--no-experimental-require-module', '--experimental-require-module'];
const canLoad = FLAGS.every((flag) => process.allowedNodeEnvironmentFlags.has(flag));

function run(name: string, program: string, flags: readonly string[]): string {
  project.write(name, program);
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, '--no-warnings', name], {
    cwd: project.folder,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

describe.each([
  ['as this Node does it', []],
  ['without modules', canLoad ? [FLAGS[0]!] : []],
])('require %s', (_, flags) => {
  test('draws the same as import', () => {
    const drawn = run(
      'import.mjs',
      'import { create, globals } from "rasterloom"; import { draw } from "./draw.mjs"; '
        + 'console.log(await draw(create, globals));',
      flags
    );
    expect(drawn).toMatch(/^\{ sum: \d+, workers: 2 \}\n$/);
    expect(
      run(
        'require.cjs',
        'const { create, globals } = require("rasterloom"); import("./draw.mjs").then(({ draw }) => '
          + 'draw(create, globals)).then(console.log);',
        flags
      )
    ).toBe(drawn);
  });

  test('finds its files in applications that define a document', () => {
    expect(
      run(
        'document.cjs',
        'globalThis.document = { baseURI: "http://localhost/" }; const { create, '
          + 'globals } = require("rasterloom"); import("./draw.mjs").then(({ draw }) => draw(create, '
          + 'globals)).then(console.log);',
        flags
      )
    ).toMatch(/^\{ sum: \d+, workers: 2 \}\n$/);
  });

  test('provides install()', () => {
    const say =
      'console.log(typeof navigator.gpu.requestAdapter, navigator.gpu instanceof GPU, GPUBufferUsage.UNIFORM);';
    expect(run('register.mjs', `import "rasterloom/register"; ${say}`, flags)).toBe('function true 64\n');
    expect(run('register.cjs', `require("rasterloom/register"); ${say}`, flags)).toBe('function true 64\n');
  });
});

test('rate images need no other part of the package, imported or required', () => {
  const say = 'try { createRateImage({}, { width: 0, height: 1 }); } catch (error) { console.log(error.name); }';
  const imported = run('rates.mjs', `import { createRateImage } from "rasterloom/rate-image"; ${say}`, []);
  const required = run('rates.cjs', `const { createRateImage } = require("rasterloom/rate-image"); ${say}`, []);
  expect([imported, required]).toEqual(['RangeError\n', 'RangeError\n']);
});

test('blends are strings, imported or required, independent of the rest of the package', () => {
  const say =
    'console.log(blendModes.length, compositeOperators.length, blendFunction({ mode: "hue" }).length > 500, '
    + 'kBuffer({ layers: 2 }).formats[0]);';
  const names = '{ blendFunction, blendModes, compositeOperators, kBuffer }';
  const imported = run('blends.mjs', `import ${names} from "rasterloom/blends"; ${say}`, []);
  expect([imported, run('blends.cjs', `const ${names} = require("rasterloom/blends"); ${say}`, [])]).toEqual([
    '16 13 true rgba32uint\n',
    '16 13 true rgba32uint\n',
  ]);
});

test('the element can be imported and required on a server, where it does nothing', () => {
  const say = 'console.log(typeof RasterloomView, typeof customElements);';
  expect(run('view.mjs', `import { RasterloomView } from "rasterloom/view"; ${say}`, [])).toBe('function undefined\n');
  expect(run('view.cjs', `const { RasterloomView } = require("rasterloom/view"); ${say}`, [])).toBe(
    'function undefined\n'
  );
});

test('a shader cache keeps the code of the engine, and pictures stay the same', () => {
  const draw = (name: string, load: string): string =>
    run(
      name,
      `${load} import('./draw.mjs').then(({ draw }) => draw(create, globals, { shaderCache: 'shaders' }))`
        + '.then(console.log);',
      []
    );
  const imported = 'import { create, globals } from "rasterloom";';
  const first = draw('cached.mjs', imported);
  expect(first).toMatch(/^\{ sum: \d+, workers: 2 \}\n$/);
  const files = (): { readonly name: string; readonly size: number; readonly mtimeMs: number }[] =>
    readdirSync(project.path('shaders')).map((name) => {
      const { size, mtimeMs } = statSync(project.path(`shaders/${name}`));
      return { name, size, mtimeMs };
    });
  // The second process writes it.
  expect(draw('cached.mjs', imported)).toBe(first);
  const engines = files().filter(({ size }) => size > 500_000);
  expect(engines).toHaveLength(1);
  expect(draw('cached.mjs', imported)).toBe(first);
  expect(draw('cached.cjs', 'const { create, globals } = require("rasterloom");')).toBe(first);
  // Nothing was compiled and written again.
  expect(files().filter(({ size }) => size > 500_000)).toEqual(engines);
});

test('a context without modules, as in Jest, explains what JPEG images need', () => {
  const program = `
    const { createRequire } = require('node:module'), { runInThisContext } = require('node:vm');
    const { readFileSync } = require('node:fs'), { dirname, join } = require('node:path');
    const load = (filename) => {
      const exports = {};
      const run = runInThisContext(
        '(function (exports, require, __filename) {' + readFileSync(filename) + '\\n})', { filename }
      );
      const near = (name) =>
        name.startsWith('./') ? load(join(dirname(filename), name)) : createRequire(filename)(name);
      run(exports, near, filename);
      return exports;
    };
    load(${JSON.stringify(project.path('node_modules/rasterloom/build/index.cjs'))}).install();
    // Only the size is read before the decoder is loaded.
    const header = 'ffd8ffc00011080002000203011100021100031100ffd9';
    createImageBitmap(new Blob([Buffer.from(header, 'hex')]))
      .then(() => console.log('decoded'), (error) => console.log(error.message));`;
  expect(run('context.cjs', program, [])).toMatch(/cannot be decoded: .*NODE_OPTIONS=--experimental-vm-modules/);
});

if (canLoad)
  test('import and require share one module, whose objects are compatible', () => {
    expect(
      run(
        'both.mjs',
        'import { createRequire } from "node:module"; import { create } from "rasterloom"; '
          + 'console.log(createRequire(import.meta.url)("rasterloom").create === create);',
        [FLAGS[1]!]
      )
    ).toBe('true\n');
  });
