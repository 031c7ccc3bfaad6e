// Checks what npm would publish: its size, and what tools find in it. publint reads package.json and the files it
// names, attw resolves the types of each entry point as Node and bundlers do. Needs a build.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Entry points that are loaded by address and have no types. */
const UNTYPED = ['register.script.js', 'worker.mjs', 'worker.browser.js', 'kernel.wasm', 'kernel.scalar.bin'];
/** Entry points that cannot be required, like the package that they are for. */
const MODULES_ONLY = ['vitest', 'view/react', 'view/vue'];
/** Limits of the package, in bytes. */
const PACKED = 2.28e6;
const UNPACKED = 6.05e6;

if (!existsSync(join(ROOT, 'build/index.d.ts'))) {
  console.error('The package is not built. Run "npm run build" first.');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'rasterloom-package-'));
try {
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const [{ filename, size, unpackedSize }] = JSON.parse(packed);
  console.log(`The package has ${size} bytes, and ${unpackedSize} when unpacked.`);
  if (size > PACKED || unpackedSize > UNPACKED) {
    console.error(`That is more than ${PACKED} or ${UNPACKED} bytes.`);
    process.exitCode = 1;
  }
  // Resolution by "main" alone knows no "exports", and Node has had them since version 12.
  const types = ['--profile', 'node16', '--exclude-entrypoints', ...UNTYPED, ...MODULES_ONLY];
  const tools = [
    ['publint', ['--pack', 'false', '--strict']],
    ['attw', [join(folder, filename), '--format', 'ascii', ...types]],
  ];
  for (const [tool, options] of tools) {
    const { status } = spawnSync('npx', ['--no-install', tool, ...options], { cwd: ROOT, stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
