// The tables and lists of what is supported: features, WGSL extensions, glTF extensions, entry points of the package.
import { expect, test } from 'vitest';
import { adapterFeatures, supportedExtensions } from '../../../src/api/core/limits';
import { METADATA_EXTENSIONS, SUPPORTED_EXTENSIONS } from '../../../src/gltf/extensions';
import { loadModel } from '../../../src/gltf/files/load';
import * as index from '../../../src/index';
import { SIGNATURES } from '../../../src/wgsl/builtin-table';
import { FEATURE_OF_EXTENSION } from '../../../src/wgsl/resolve/declarations/directives';
import { read } from '../kit';
import { checksOf, codesIn, expectNames, namesIn, type Table } from '../tables';

const sorted = (names: Iterable<string>): readonly string[] => [...names].sort();

/** The text of a page from a heading to the next one. */
function section(file: string, heading: string): string {
  const [, text] = read(file).split(`# ${heading}\n`);
  if (text === undefined) throw new Error(`${file} has no heading ${heading}`);
  return text.split(/^#/m)[0]!;
}
/** The names of a list with one or more in each item. */
const listed = (file: string, heading: string): readonly string[] =>
  [...section(file, heading).matchAll(/^- (.*)$/gm)].flatMap(([, item]) => codesIn(item!));

function ownFeatures(table: Table): void {
  expectNames(table, supportedExtensions);
}

/** `enable` of WGSL itself; the page names Rasterloom's own in a sentence. */
function wgslExtensions(table: Table): void {
  const rows = table.rows.map((row) => [codesIn(row[0]!)[0], codesIn(row[1]!)[0]]);
  const standard = [...FEATURE_OF_EXTENSION].filter(([, feature]) => adapterFeatures.includes(feature));
  expect(new Map(rows as [string, string][])).toEqual(new Map(standard));
  const own = [...FEATURE_OF_EXTENSION].filter(([, feature]) => !adapterFeatures.includes(feature));
  const [sentence] = /Rasterloom's own extensions are [^.]*/.exec(section(table.file, table.heading))!;
  expect(sorted(codesIn(sentence))).toEqual(sorted(own.map(([name]) => name)));
  expect(own.map(([name]) => name.replaceAll('_', '-'))).toEqual(own.map(([, feature]) => feature));
}

type Outcome = 'drawn' | 'warning' | 'refused';

/** What happens to a model that uses or requires an extension. */
async function outcome(json: object): Promise<Outcome> {
  try {
    const model = await loadModel(Buffer.from(JSON.stringify({ asset: { version: '2.0' }, ...json })));
    return model.warnings.length > 0 ? 'warning' : 'drawn';
  } catch (error) {
    expect((error as Error).name).toBe('GltfError');
    return 'refused';
  }
}

const statedOutcome = (cell: string): Outcome =>
  cell === 'refused' ? 'refused' : cell.includes('with a warning') ? 'warning' : 'drawn';

async function gltfExtensions(table: Table): Promise<void> {
  const single = (drawn: string): readonly string[] =>
    namesIn({ ...table, rows: table.rows.filter(([first, cell]) => cell === drawn && !/\*|others/.test(first!)) });
  expect(sorted(single('yes'))).toEqual(sorted(SUPPORTED_EXTENSIONS));
  expect(sorted(single('no effect'))).toEqual(sorted(METADATA_EXTENSIONS));
  for (const [first, , used, required] of table.rows)
    for (const code of codesIn(first!)) {
      const name = code.replace('*', 'subsurface');
      expect(await outcome({ extensionsUsed: [name] }), `${name}, used`).toBe(statedOutcome(used!));
      const both = { extensionsUsed: [name], extensionsRequired: [name] };
      expect(await outcome(both), `${name}, required`).toBe(statedOutcome(required!));
    }
}

/** Rasterloom's own functions, and those of WGSL that multisampled storage textures share. */
const OWN_TEXTURE_FUNCTIONS = ['textureLoadSample', 'textureLoadSamples', 'textureStoreSamples'];

function sampleFunctions(table: Table): void {
  const functions = table.rows.flatMap(([first]) => codesIn(first!).filter((code) => code.startsWith('texture')));
  const names = functions.map((code) => code.replace(/\(.*/, ''));
  expect(sorted(names)).toEqual(sorted([...OWN_TEXTURE_FUNCTIONS, 'textureDimensions', 'textureNumSamples']));
  for (const name of names) expect(SIGNATURES.has(name), name).toBe(true);
}

const packageJson = JSON.parse(read('package.json')) as {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly files: readonly string[];
};

function entryPoints(table: Table): void {
  const named = table.rows.flatMap(([first]) =>
    codesIn(first!).map((code) => (code.startsWith('rasterloom') ? code : `rasterloom/${code}`))
  );
  const paths = Object.keys(packageJson.exports).filter((path) => path !== './package.json');
  expect(sorted(named)).toEqual(sorted(paths.map((path) => path.replace('.', 'rasterloom'))));
  expect(sorted(codesIn(table.rows[0]![1]!))).toEqual(sorted(Object.keys(index)));
}

function kernels(table: Table): void {
  expectNames(
    { ...table, rows: table.rows.map(([first]) => [first!.replaceAll('.', '-')]) },
    packageJson.files
      .filter((file) => /kernel\..*(wasm|bin)$/.test(file))
      .map((file) => file.replace('build/', '').replaceAll('.', '-'))
  );
}

export const SUPPORT_CHECKS = [
  checksOf('docs/guides/getting-started.md')('Features beyond WebGPU', 'feature', ownFeatures),
  checksOf('docs/reference/wgsl.md')('Extensions (`enable`)', 'extension', wgslExtensions),
  checksOf('docs/features/multisampled-storage-textures.md')('WGSL', 'function or attribute', sampleFunctions),
  checksOf('docs/reference/gltf.md')('Extensions', 'extension', gltfExtensions),
  checksOf('docs/guides/bundlers.md')('Entry points of the package', 'import', entryPoints),
  checksOf('docs/reference/browsers-and-runtimes.md')('Kernels', 'file', kernels),
];

/** Lists that are no tables. */
export function testLists(): void {
  test("docs/reference/webgpu.md lists the adapter's features", async () => {
    const adapter = await index.create().requestAdapter();
    expect(sorted(listed('docs/reference/webgpu.md', 'Features'))).toEqual(sorted(adapter!.features as Set<string>));
  });

  test('docs/reference/wgsl.md lists the language features', () => {
    const { wgslLanguageFeatures } = index.create() as unknown as { wgslLanguageFeatures: ReadonlySet<string> };
    expect(listed('docs/reference/wgsl.md', 'Language features (`requires`)')).toEqual(sorted(wgslLanguageFeatures));
  });

  test('docs/reference/wgsl.md lists the texture functions', () => {
    const known = [...SIGNATURES.keys()].filter(
      (name) => name.startsWith('texture') && !OWN_TEXTURE_FUNCTIONS.includes(name)
    );
    expect(sorted(codesIn(section('docs/reference/wgsl.md', 'Texture functions')))).toEqual(sorted(known));
  });
}
