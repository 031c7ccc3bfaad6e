// Pictures per core-hour: renders each model many times in a process of rasterloom/farm, as a worker does, and counts
// the CPU time of that process with all its threads. CPU time does not depend on what else the machine does, as
// wall-clock time would. `node bench/farm/capacity.mjs --count 40` takes another number of pictures.
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { renderMany } from '../../build/farm.js';
import { keep, median } from '../support/machine.mjs';

const { values } = parseArgs({ options: { count: { type: 'string', default: '40' } } });
const count = Number(values.count);
const MODELS = {
  sample: '../../examples/sample.glb',
  knight: '../../../shared/assets/chr_knight.glb',
  helmet: '../../../shared/assets/DamagedHelmet.glb',
};
const SIZES = ['256x256', '512x512', '1024x1024'];
/** The first jobs of a process compile shaders and fill caches. */
const WARM = 5;

const folder = mkdtempSync(join(tmpdir(), 'rasterloom-capacity-'));
const rows = [];
for (const [model, name] of Object.entries(MODELS)) {
  const input = fileURLToPath(new URL(name, import.meta.url));
  if (!existsSync(input)) {
    console.log(`Skipped: ${model} is not there.`);
    continue;
  }
  for (const size of SIZES) {
    const output = join(folder, 'picture.png');
    const jobs = Array.from({ length: count + WARM }, (_, i) => ({ id: String(i), input, output, size, samples: 4 }));
    const cpu = [];
    const wall = [];
    for await (const result of renderMany(jobs, { concurrency: 1, threads: 1 })) {
      if (!('sha256' in result)) throw new Error(`${result.code}: ${result.message}`);
      cpu.push(result.stats.cpuMilliseconds);
      wall.push(result.stats.milliseconds);
    }
    const cpuMs = cpu.slice(WARM).reduce((sum, ms) => sum + ms, 0) / count;
    const wallMs = median(wall.slice(WARM));
    const perCoreHour = Math.round(3_600_000 / cpuMs);
    const bytes = { input: statSync(input).size, output: statSync(output).size };
    rows.push({ model, size, cpuMs, wallMs, wallMs95: at(wall.slice(WARM), 0.95), perCoreHour, bytes });
    console.log(
      `${model.padEnd(8)} ${size.padEnd(10)} ${cpuMs.toFixed(1)} ms CPU, ${perCoreHour} pictures per core-hour`
    );
  }
}
rmSync(folder, { recursive: true });
keep('farm-capacity', { count, rows });

function at(list, part) {
  return [...list].sort((a, b) => a - b)[Math.floor(part * (list.length - 1))];
}
