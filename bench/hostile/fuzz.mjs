// npm run bench fuzz
// Runs each target of `npm run fuzz` from seed FIRST (1) for SECONDS (60), in a separate process. Shaders, models and
// mixed frames run three times as long. Reports the number of attempts, the failures, and the memory after the first
// tenth and at the end.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keep } from '../support/machine.mjs';

const FUZZ = fileURLToPath(new URL('../../build/testing/fuzz.js', import.meta.url));
const SECONDS = Number(process.env.SECONDS ?? 60);
const FIRST = Number(process.env.FIRST ?? 1);
/** The factor on SECONDS for each target. */
const TARGETS = {
  programs: 3,
  compute: 1,
  texts: 1,
  calls: 1,
  draws: 1,
  textures: 1,
  surfaces: 1,
  models: 3,
  words: 1,
  mixed: 3,
};

// The exit code is 1 after an attempt that fails or hangs.
let failed = 0;
const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
const targets = {};
for (const [name, times] of Object.entries(TARGETS)) {
  const file = join(folder, `${name}.json`);
  const { status } = spawnSync(process.execPath, [FUZZ, name, '1000000', String(FIRST)], {
    stdio: 'inherit',
    env: { ...process.env, FUZZ_SECONDS: String(SECONDS * times), FUZZ_FILE: file },
  });
  if (status !== 0) failed++;
  // The watchdog of an attempt that hung has reported it and killed the process.
  targets[name] = status === null ? { ended: 'by its watch' } : JSON.parse(readFileSync(file, 'utf8'));
}
rmSync(folder, { recursive: true });
keep('fuzz', { targets });
process.exitCode = failed > 0 ? 1 : 0;
