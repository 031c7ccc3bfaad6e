// node bench/gallery/pages.mjs REPOSITORY [--revision r185] [--package three@0.185.1] [--out FOLDER]
//     [--rename FROM=TO …]
// Lays out the example pages of three.js for `npm run bench gallery`, in build/gallery/pages, which is not committed.
// Pages and their files come from a revision of a git repository, with or without a work tree; three.js itself and its
// add-ons come from the npm package. Files that a partial clone lacks are listed and left out. `--rename`
// replaces texts in the pages: those of a fork name its own package.
//
//     git clone --depth 1 --branch r185 https://github.com/mrdoob/three.js ../three.js
//     node bench/gallery/pages.mjs ../three.js --revision r185 --package three@0.185.1
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const OUT = fileURLToPath(new URL('../../build/gallery/pages', import.meta.url));
/** Folders that the package has. */
const OF_PACKAGE = ['build', 'examples/jsm'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    revision: { type: 'string', default: 'r185' },
    package: { type: 'string', default: 'three@0.185.1' },
    out: { type: 'string', default: OUT },
    rename: { type: 'string', multiple: true, default: [] },
  },
});
const [repository] = positionals;
if (repository === undefined) {
  console.error('usage: node bench/gallery/pages.mjs REPOSITORY [--revision REVISION] [--package NAME@VERSION]');
  process.exit(1);
}
const out = resolve(values.out);
const git = (...words) => execFileSync('git', ['-C', repository, ...words], { encoding: 'utf8', maxBuffer: 1 << 28 });

/** Paths whose contents the repository does not have. */
function absentFiles() {
  const lines = git('ls-tree', '-r', '-l', values.revision, 'examples').trim().split('\n');
  return lines.filter((line) => /^\S+ \S+ \S+ +BAD\t/.test(line)).map((line) => line.split('\t')[1]);
}

function extract(absent) {
  const files = ['examples', ...OF_PACKAGE.map((path) => `:!${path}`), ...absent.map((path) => `:!${path}`)];
  const archive = join(out, 'pages.tar');
  git('archive', '--output', archive, values.revision, '--', ...files);
  execFileSync('tar', ['-xf', archive, '-C', out]);
  rmSync(archive);
}

/** Fetches the package by npm. */
function addPackage() {
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
  try {
    const text = execFileSync('npm', ['pack', values.package, '--json', '--pack-destination', folder], {
      encoding: 'utf8',
    });
    execFileSync('tar', ['-xf', join(folder, JSON.parse(text)[0].filename), '-C', folder]);
    for (const path of OF_PACKAGE) cpSync(join(folder, 'package', path), join(out, path), { recursive: true });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function rename() {
  const names = values.rename.map((text) => text.split('='));
  for (const name of readdirSync(join(out, 'examples')).filter((each) => each.endsWith('.html'))) {
    const path = join(out, 'examples', name);
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      names.reduce((html, [from, to]) => html.replaceAll(from, to), text)
    );
  }
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const absent = absentFiles();
extract(absent);
addPackage();
rename();
const pages = readdirSync(join(out, 'examples')).filter((name) => /^webgpu_.*\.html$/.test(name));
console.log(`${out}: ${pages.length} WebGPU pages of ${values.revision}, with ${values.package}`);
if (absent.length > 0) console.log(`The repository lacks ${absent.length} files:\n  ${absent.join('\n  ')}`);
