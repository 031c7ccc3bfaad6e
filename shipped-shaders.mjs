// Writes build/shaders.bin: the shader cache's records for the command's bundled scene. A command with an empty cache
// uses them (src/node/shader-files.ts). Their names say for which build, limits and features they are, so that others
// are not found. The file is deflated. It has the length of an index in 32 bits, the index, which is JSON with the
// lengths by name, and the records, each once.
import { Buffer } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';

/** Bytes of an empty record, which marks a file that ran once. */
const EMPTY = 72;
/** What changes the features of the device. */
const WAYS = [[], ['--stats']];

/** Renders the scene with an empty cache in a folder. */
function render(home, options) {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['build/cli.js', 'render', '--sample', '--threads', '2', '--quiet', '-o', join(home, 'sample.png'), ...options],
    { encoding: 'utf8', env: { ...process.env, XDG_CACHE_HOME: home, LOCALAPPDATA: home } }
  );
  if (status !== 0) throw new Error(`no shaders were compiled: ${stderr}`);
}

/** A record of a file, which has it twice. */
const onceOf = (file) => file.subarray(0, file.length >> 1);

export function writeShippedShaders() {
  const home = mkdtempSync(join(tmpdir(), 'rasterloom-'));
  try {
    // Records that are found are not written.
    rmSync('build/shaders.bin', { force: true });
    for (const options of WAYS) render(home, options);
    const folder = join(home, 'rasterloom', 'shaders');
    const records = readdirSync(folder)
      .sort()
      .map((file) => [file.replace('.shader', ''), onceOf(readFileSync(join(folder, file)))])
      // V8's code belongs to one version of Node.
      .filter(([, { length }]) => length > EMPTY && length < 1 << 17);
    const index = Buffer.from(JSON.stringify(Object.fromEntries(records.map(([name, { length }]) => [name, length]))));
    const head = Buffer.alloc(4);
    head.writeUInt32LE(index.length);
    const file = Buffer.concat([head, index, ...records.map(([, bytes]) => bytes)]);
    writeFileSync('build/shaders.bin', deflateRawSync(file, { level: 9 }));
  } finally {
    rmSync(home, { recursive: true });
  }
}
