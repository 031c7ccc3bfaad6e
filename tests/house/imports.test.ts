// The import table: which folder may import which, that every file is used, and that nothing refers to paths outside of
// the checkout.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

// Kernels may import `layout`, `simd` and `math`, and folders further down in the direction of data flow.
const KERNEL_ROOMS = [
  'loop',
  'compute',
  'vertex',
  'raster',
  'fragment',
  'late',
  'warp',
  'texture',
  'output',
  'visibility',
  'tile',
  'surface',
  'blocks',
];
const SOURCE_ROOMS = [
  'base',
  'memory',
  'ir',
  'wgsl',
  'codegen',
  'kernels',
  'mpipe',
  'late',
  'schedule',
  'surface',
  'shading-rate',
  'render',
];

/**
 * A folder, or a file with its own row → folders or single files that it may import. `gltf` and `cli` may only import
 * the public entry points, WebGPU's constants, and the functions that escape untrusted text and suggest words.
 * `layout` in src/ is assembly/layout and build/layout.ts, which is generated from it; `type:` marks what may be
 * imported as a type only.
 */
const TABLE: Record<string, string[]> = {
  'assembly/layout': [],
  'assembly/text': ['layout'],
  'assembly/simd': ['layout'],
  'assembly/math': ['layout', 'simd'],
  ...Object.fromEntries(
    KERNEL_ROOMS.map((room, k) => [`assembly/${room}`, ['layout', 'simd', 'math', ...KERNEL_ROOMS.slice(k + 1)]])
  ),
  // Rasterisation only appends work items: no stage after it is called from there.
  'assembly/raster': ['layout', 'simd', 'math', 'tile'],
  'assembly/oracle': ['layout', 'simd', 'math', ...KERNEL_ROOMS],
  'assembly/entry': ['layout', 'simd', 'math', ...KERNEL_ROOMS],
  'assembly/entry/lexer.ts': ['text'],
  'assembly/entry/testing.ts': ['layout', 'simd', 'math', ...KERNEL_ROOMS, 'oracle'],
  'src/base': [],
  'src/memory': ['base', 'layout'],
  'src/ir': ['base', 'layout'],
  'src/wgsl': ['base', 'ir', 'layout', 'text'],
  'src/codegen': ['base', 'ir', 'layout'],
  'src/kernels': ['base', 'memory', 'layout'],
  ...Object.fromEntries(
    ['surface', 'shading-rate', 'mpipe'].map((room) => [
      `src/${room}`,
      ['base', 'memory', 'kernels', 'layout', 'type:ir'],
    ])
  ),
  'src/late': ['base', 'layout', 'type:schedule', 'type:surface'],
  'src/schedule': ['base', 'memory', 'kernels', 'layout', 'late'],
  'src/render': ['layout', ...SOURCE_ROOMS.slice(0, -1)],
  'src/engine': ['layout', ...SOURCE_ROOMS],
  'src/api': ['layout', 'type:engine', ...SOURCE_ROOMS],
  'src/gltf': ['type:index', 'api/idl/constants', 'base/printable', 'base/closest-word'],
  'src/blends': [],
  'src/rate-image': [],
  'src/test-kit': ['index', 'virtual-time', 'base/definitions', 'wgsl/half', 'gltf', 'node'],
  'src/virtual-time': ['base/clock', 'base/definitions'],
  'src/page': ['api', 'schedule'],
  'src/page-runner': ['type:index', 'type:virtual-time'],
  'src/node': [
    'api',
    'base/clock',
    'base/definitions',
    'base/sealed-record',
    'base/printable',
    'base/closest-word',
    'type:surface',
    'gltf',
  ],
  'src/cli': [
    'index',
    'base/printable',
    'base/closest-word',
    'base/build-id',
    'base/cache-limit',
    'gltf',
    'node',
    'farm',
    'page-runner',
  ],
  'src/farm': ['index', 'base/printable', 'base/closest-word', 'gltf', 'node'],
  'src/farm.ts': ['farm'],
  'src/gltf.ts': ['index', 'gltf', 'node'],
  'src/gltf.browser.ts': ['index', 'gltf'],
  'src/view': ['gltf/math', 'type:gltf', 'gltf.browser'],
  'src/view.ts': ['view', 'type:gltf'],
  'src/index': ['api', 'engine', 'page', 'node', 'layout', ...SOURCE_ROOMS],
};

/** Packages and Node modules that a folder may import; all others import nothing from outside. */
const OUTSIDE: Record<string, RegExp> = {
  // Types that are published as they are.
  'src/view': /^(react|vue|rasterloom\/view)$/,
  'src/gltf': /^(@gltf-transform\/(core|extensions)|@jsquash\/.+)$/,
  'src/gltf/decoders':
    /^(@jsquash\/.+|hdrify\/.+|fflate|fast-png|draco3dgltf\/.+|meshoptimizer\/decoder|three\/.+\/basis\/.+)$/,
  'src/node': /^(node:.+|@jsquash\/.+)$/,
  'src/cli': /^(node:.+|tinyglobby|pixelmatch)$/,
  'src/test-kit': /^(node:.+|vitest)$/,
  'src/test-kit/playwright': /^(node:.+|playwright-core|@playwright\/test(\/reporter)?)$/,
  'src/test-kit/pictures': /^(node:.+|pixelmatch)$/,
  'src/page-runner': /^node:.+$/,
  'src/farm': /^node:.+$/,
  'src/farm/queue': /^(node:.+|bullmq|ioredis)$/,
  'src/farm/telemetry': /^(node:.+|@opentelemetry\/api)$/,
  'src/farm/storage': /^(node:.+|@aws-sdk\/client-s3)$/,
  'src/index': /^node:.+$/,
};

const ENTRIES = [
  'src/index.ts',
  'src/index.browser.ts',
  'src/engine/index.ts',
  'src/gltf.ts',
  'src/farm.ts',
  'src/gltf.browser.ts',
  // Replaces extension-readers.ts in bundles for pages.
  'src/gltf/extension-readers.browser.ts',
  'src/view.ts',
  'src/gltf/decoders/jpeg-decoder.ts',
  'src/gltf/decoders/webp-decoder.ts',
  'src/register.ts',
  'src/register.browser.ts',
  'src/register.script.ts',
  'src/worker.ts',
  'src/worker.browser.ts',
  'src/extensions.ts',
  'src/blends/index.ts',
  'src/rate-image/index.ts',
  'src/virtual-time/index.ts',
  'src/test-kit/testing.ts',
  'src/test-kit/vitest.ts',
  'src/test-kit/jest.ts',
  'src/test-kit/playwright/index.ts',
  'src/page-runner/index.ts',
  'src/page-runner/worker.ts',
  'src/page-runner/hooks.ts',
  'src/node/window/worker-scope.ts',
  'src/cli/main.ts',
  'src/farm/storage/storage.ts',
  'src/node/models/decoder.ts',
  'src/gltf/light/studio-light.ts',
  'assembly/entry/kernel.ts',
  'assembly/entry/testing.ts',
  'assembly/entry/inlines.ts',
  'assembly/entry/lexer.ts',
];

interface Import {
  source: string;
  typeOnly: boolean;
}

const isTypeOnly = (node: ts.ImportDeclaration | ts.ExportDeclaration): boolean => {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const clause = node.importClause;
  const named = clause?.namedBindings;
  if (!clause || clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return clause !== undefined;
  return (
    !clause.name
    && named !== undefined
    && ts.isNamedImports(named)
    && named.elements.length > 0
    && named.elements.every((e) => e.isTypeOnly)
  );
};

function importsOf(text: string, name: string): Import[] {
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    if (
      (ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
      && node.moduleSpecifier
      && ts.isStringLiteral(node.moduleSpecifier)
    )
      found.push({ source: node.moduleSpecifier.text, typeOnly: isTypeOnly(node) });
    if (
      ts.isCallExpression(node)
      && node.expression.kind === ts.SyntaxKind.ImportKeyword
      && node.arguments[0]
      && ts.isStringLiteral(node.arguments[0])
    )
      found.push({ source: node.arguments[0].text, typeOnly: false });
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal))
      found.push({ source: node.argument.literal.text, typeOnly: true });
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest));
  return found;
}

/** `src/wgsl/parser/cursor.ts` → `src/wgsl`; files outside of folders are the package's entry points. */
function roomOf(file: string): string {
  if (file === OFFSETS) return 'assembly/layout'; // Its offsets, as computed by asc.
  if (file === LEXER) return 'assembly/text'; // Compiled.
  const [top, room = ''] = file.split('/');
  return `${top}/${file.split('/').length > 2 ? room : 'index'}`;
}

/** Describes what is wrong with an import, if anything. */
function complaint(file: string, { source, typeOnly }: Import, target: string): string | undefined {
  const from = roomOf(file);
  const allowed = TABLE[file] ?? TABLE[from];
  if (!allowed) return `${file}: ${from} is not a room of the table`;
  const name = from.split('/')[1];
  if (!source.startsWith('.'))
    return (OUTSIDE[dirname(file)] ?? OUTSIDE[from])?.test(source)
      ? undefined
      : `${file} imports ${source}: ${name} may not import that from outside`;
  const to = roomOf(target);
  const room = to.slice(to.indexOf('/') + 1);
  if (to === from) return undefined;
  const crosses = to.split('/')[0] !== from.split('/')[0];
  const fine =
    (!crosses || to === 'assembly/layout' || target === LEXER)
    && (allowed.includes(room)
      || allowed.includes(target.replace(/^\w+\/|\.ts$/g, ''))
      || (typeOnly && allowed.includes(`type:${room}`)));
  return fine
    ? undefined
    : `${file} imports ${source}: ${name} may import: `
        + `${allowed.map((a) => a.replace(/^type:(.+)/, '$1 (types only)')).join(', ') || 'nothing'}`;
}

const walk = (folder: string): string[] =>
  readdirSync(resolve(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((name) => statSync(resolve(ROOT, name)).isFile());
const SOURCES = [...walk('src'), ...walk('assembly')].filter((name) => name.endsWith('.ts'));
const IMPORTS = new Map(SOURCES.map((file) => [file, importsOf(readFileSync(resolve(ROOT, file), 'utf8'), file)]));

/** Records of which only offsets are needed are imported through the generated file. */
const OFFSETS = 'build/layout';
/** The build that runs without a device is part of the front end. */
const LEXER = 'build/lexer';

function targetOf(file: string, source: string): string {
  const path = relative(ROOT, resolve(ROOT, dirname(file), source));
  return [`${path}.ts`, `${path}/index.ts`].find((name) => IMPORTS.has(name)) ?? path;
}

describe('the import table', () => {
  test('lists every folder of src/ and assembly/, and no other', () => {
    for (const top of ['src', 'assembly'])
      for (const { name } of readdirSync(resolve(ROOT, top), { withFileTypes: true }).filter((entry) =>
        entry.isDirectory()
      ))
        expect(Object.keys(TABLE), `${top}/${name} is not a room of the table`).toContain(`${top}/${name}`);
  });

  test('is respected by every file', () => {
    const wrong = [...IMPORTS]
      .flatMap(([file, imports]) => imports.map((one) => complaint(file, one, targetOf(file, one.source))))
      .filter(Boolean);
    expect(wrong).toEqual([]);
  });

  test('detects violations', () => {
    const say = (file: string, source: string, typeOnly = false): string | undefined =>
      complaint(file, { source, typeOnly }, relative(ROOT, resolve(ROOT, dirname(file), source)) + '.ts');
    expect(say('src/ir/ops.ts', '../wgsl/types')).toBe(
      'src/ir/ops.ts imports ../wgsl/types: ir may import: base, layout'
    );
    expect(say('src/ir/ops.ts', '../../assembly/warp/run')).toBe(
      'src/ir/ops.ts imports ../../assembly/warp/run: ir may import: base, layout'
    );
    expect(say('src/mpipe/link.ts', '../ir/ops')).toBe(
      'src/mpipe/link.ts imports ../ir/ops: mpipe may import: base, memory, kernels, layout, ir (types only)'
    );
    expect(say('src/mpipe/link.ts', '../ir/ops', true)).toBeUndefined();
    expect(say('assembly/texture/level.ts', '../warp/run')).toBe(
      'assembly/texture/level.ts imports ../warp/run: texture may '
        + 'import: layout, simd, math, output, visibility, tile, surface, blocks'
    );
    expect(say('assembly/raster/walk.ts', '../fragment/pack')).toBe(
      'assembly/raster/walk.ts imports ../fragment/pack: raster may import: layout, simd, math, tile'
    );
    expect(say('assembly/warp/run.ts', '../texture/level')).toBeUndefined();
    expect(say('assembly/entry/kernel.ts', '../oracle/tile')).toContain(
      'entry may import: layout, simd, math, loop, compute'
    );
    expect(say('assembly/entry/testing.ts', '../oracle/tile')).toBeUndefined();
    expect(say('src/render/pass.ts', '../api/buffer')).toContain('render may import: layout, base');
    expect(say('src/gltf/files/load.ts', '../../base/printable')).toBeUndefined();
    expect(say('src/gltf/files/load.ts', '../../base/steps')).toBe(
      'src/gltf/files/load.ts imports ../../base/steps: gltf may import: index (types only), '
        + 'api/idl/constants, base/printable, base/closest-word'
    );
    expect(say('src/wgsl/lexer.ts', 'node:fs')).toBe(
      'src/wgsl/lexer.ts imports node:fs: wgsl may not import that from outside'
    );
  });
});

/**
 * Import cycles, as `a → b → a`. Types count as well: a reader of one file has to know the other. What two files need
 * of each other belongs in a third, or behind an interface of the imported one.
 */
function circles(next: (file: string) => readonly string[], files: Iterable<string>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file)) return;
    done.add(file);
    path.push(file);
    next(file).forEach(visit);
    path.pop();
  };
  for (const file of files) visit(file);
  return found;
}

describe('imports', () => {
  test('form no cycles', () => {
    const next = (file: string): string[] =>
      (IMPORTS.get(file) ?? [])
        .filter(({ source }) => source.startsWith('.'))
        .map(({ source }) => targetOf(file, source));
    expect(circles(next, IMPORTS.keys())).toEqual([]);
  });

  test('cycles are detected', () => {
    const graph: Record<string, string[]> = { a: ['b', 'c'], b: ['d'], c: ['d', 'a'], d: ['e'], e: ['d', 'e'] };
    expect(circles((file) => graph[file]!, Object.keys(graph))).toEqual(['d → e → d', 'e → e', 'a → c → a']);
  });
});

describe('files', () => {
  test('are all reachable from an entry point', () => {
    const reached = new Set<string>();
    const open = ENTRIES.filter((entry) => IMPORTS.has(entry));
    expect(open).toEqual(ENTRIES);
    open.push(
      ...SOURCES.filter(
        (file) =>
          /^export class /m.test(readFileSync(resolve(ROOT, file), 'utf8')) && file.startsWith('assembly/layout/')
      )
    );
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (reached.has(file)) continue;
      reached.add(file);
      for (const { source } of IMPORTS.get(file) ?? []) if (source.startsWith('.')) open.push(targetOf(file, source));
    }
    expect(
      SOURCES.filter((file) => !reached.has(file) && !file.endsWith('.d.ts')),
      'files that nothing imports'
    ).toEqual([]);
  });

  test('import only existing files', () => {
    const lost = [...IMPORTS].flatMap(([file, imports]) =>
      imports
        .filter(
          ({ source }) =>
            source.startsWith('.')
            && !IMPORTS.has(targetOf(file, source))
            && ![OFFSETS, LEXER].includes(targetOf(file, source))
        )
        .map(({ source }) => `${file}: ${source}`)
    );
    expect(lost).toEqual([]);
  });

  test('contain no path of one machine', () => {
    const top = readdirSync(ROOT, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'package-lock.json')
      .map((entry) => entry.name);
    const all = [...top, ...['src', 'assembly', 'tests', 'bench', 'examples', '.ci'].flatMap(walk)].filter((name) =>
      /\.(m?[jt]s|json|md|wgsl)$|^\.ci\//.test(name)
    );
    const machine = /["'`\s(=:]\/(home|Users|root|work)\//;
    expect(all.filter((name) => machine.test(readFileSync(resolve(ROOT, name), 'utf8')))).toEqual([]);
  });
});
