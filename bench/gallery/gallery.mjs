// Runs the pages of an engine's gallery by `rasterloom page`, and says what stops each. Pages of three.js:
//
//     git clone --depth 1 --branch r185 https://github.com/mrdoob/three.js ../three.js
//     npm run bench gallery ../three.js
//
// The pictures and a table, `results.json`, are written into build/gallery.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `node bench/gallery/gallery.mjs ROOT [--folder examples] [--match REGEX] [--frame N] [--size WxH]
  [--jobs N] [--timeout SECONDS] [--out FOLDER] [--network]`;
const CLI = fileURLToPath(new URL('../../build/cli.js', import.meta.url));
const OUT = fileURLToPath(new URL('../../build/gallery', import.meta.url));
/** What the exit codes of `rasterloom page` say. */
const RESULTS = { 0: 'drawn', 3: 'missing file', 6: 'blank', 8: 'error', 9: 'timeout', 10: 'package' };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: 'examples' },
    match: { type: 'string', default: '^webgpu_.*\\.html$' },
    frame: { type: 'string', default: '30' },
    size: { type: 'string', default: '400x250' },
    jobs: { type: 'string', default: '1' },
    timeout: { type: 'string', default: '180' },
    out: { type: 'string', default: OUT },
    network: { type: 'boolean', default: false },
  },
});
const [root] = positionals;
if (root === undefined) {
  console.error(USAGE);
  process.exit(1);
}

/** Runs one page, and returns its line of the table. */
function run(name) {
  const { frame, size, timeout, out, folder, network } = values;
  const picture = join(out, name.replace(/\.html$/, '.png'));
  const page = join(resolve(root), folder, name);
  const options = ['--root', resolve(root), '--at-frame', frame, '--size', size, '--timeout', timeout];
  const words = [CLI, 'page', page, '-o', picture, ...options, ...(network ? ['--allow-network'] : [])];
  const began = performance.now();
  return new Promise((done) => {
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    child.stderr.on('data', (data) => {
      text = (text + data).slice(-20_000);
    });
    child.on('close', (code) => {
      const seconds = Number(((performance.now() - began) / 1000).toFixed(1));
      done({ name, result: RESULTS[code] ?? `exit ${code}`, seconds, text: text.replaceAll(resolve(root), '') });
    });
  });
}

const names = readdirSync(join(root, values.folder)).filter((name) => new RegExp(values.match).test(name));
mkdirSync(values.out, { recursive: true });
const table = [];
const waiting = [...names];
async function work() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const line = await run(name);
    table.push(line);
    const why = line.result === 'drawn' ? '' : (line.text.trim().split('\n')[0] ?? '').slice(0, 160);
    console.log(`${line.name.padEnd(52)} ${line.result.padEnd(13)} ${line.seconds.toFixed(1).padStart(6)} s  ${why}`);
    writeFileSync(join(values.out, 'results.json'), JSON.stringify(table, null, 1));
  }
}
await Promise.all(Array.from({ length: Number(values.jobs) }, work));
console.log(`${table.filter(({ result }) => result === 'drawn').length} of ${table.length} pages are drawn.`);
