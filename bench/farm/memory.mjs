// npm run bench farm-memory
// Memory of the farm on one machine: 10,000 pictures with a limit of 2 GiB for all processes together, and among them
// 1 % of modules that allocate without end. A thread measures the resident total every 20 ms, more often than the farm
// itself. Only while such a module runs may the total exceed the limit, by a tenth. `--period 0` leaves these modules
// out, so that processes live to the end, and their growth shows whether memory is lost.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { renderMany } from '../../build/farm.js';
import { keep, roundTo } from '../support/machine.mjs';
import { progress } from '../support/progress.mjs';

const MIB = 2 ** 20;
const LIMIT_MIB = 2048;
/** How far modules may exceed the limit before they are ended. */
const HOSTILE_SHARE = 1.1;
const SAMPLE_MS = 20;
const PARTS = 10;

/** Resident memory of a process and of all below it in MiB, by their ids. */
function treeMiB(pid, found = new Map()) {
  try {
    found.set(pid, (Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * 4096) / MIB);
    for (const thread of readdirSync(`/proc/${pid}/task`))
      for (const child of readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' '))
        if (child) treeMiB(Number(child), found);
  } catch {
    // The process or thread has ended.
  }
  return found;
}
const decile = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 10)];
const sum = (map) => [...map.values()].reduce((total, each) => total + each, 0);

if (isMainThread) await measure();
else setInterval(() => parentPort.postMessage({ at: Date.now(), tree: treeMiB(process.pid) }), SAMPLE_MS);

async function measure() {
  const { values } = parseArgs({
    options: {
      jobs: { type: 'string', default: '10000' },
      period: { type: 'string', default: '100' },
      model: { type: 'string' },
    },
  });
  const period = Number(values.period);
  const count = Number(values.jobs);
  const knight = fileURLToPath(new URL('../../../shared/assets/chr_knight.glb', import.meta.url));
  const model = values.model ?? knight;
  const sample = fileURLToPath(new URL('../../examples/sample.glb', import.meta.url));
  const models = existsSync(model) ? [model, sample] : [sample];
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-memory-'));
  const isHostile = (i) => period > 0 && i % period === period - 1;
  function* jobs() {
    for (let i = 0; i < count; i++) {
      const input = models[i % models.length];
      const output = join(folder, `${i % 100}.png`);
      if (isHostile(i)) yield { id: `${i}`, module: 'hostile', data: { act: 'memory' } };
      else yield { id: `${i}`, input, output, size: `${64 + (i % 5) * 32}x128`, camera: `orbit:${i % 360},15` };
    }
  }
  const samples = [];
  const sampler = new Worker(fileURLToPath(import.meta.url));
  sampler.on('message', (each) => samples.push(each));
  const codes = {};
  const wrong = [];
  const ends = [];
  const modules = { hostile: fileURLToPath(new URL('hostile-module.mjs', import.meta.url)) };
  try {
    const options = { memoryBytes: LIMIT_MIB * MIB, concurrency: 2, retries: 0, modules };
    for await (const { id, code, message } of renderMany(jobs(), options)) {
      ends.push(Date.now());
      if (isHostile(Number(id))) codes[code] = (codes[code] ?? 0) + 1;
      else if (code !== undefined) wrong.push(`${id}: ${code}: ${message}`);
      progress(ends.length, count, 'jobs');
    }
  } finally {
    await sampler.terminate();
    rmSync(folder, { recursive: true, force: true });
  }
  report({ count, samples, ends, codes, wrong });
}

function report({ count, samples, ends, codes, wrong }) {
  const round = roundTo(1);
  const totals = samples.map(({ tree }) => sum(tree));
  const above = totals.filter((total) => total > LIMIT_MIB);
  const most = Math.max(...totals);
  // The lowest decile leaves out the moments in which a module allocates.
  const parts = Array.from({ length: PARTS }, (_, i) => {
    const from = ends[Math.floor((i * (count - 1)) / PARTS)];
    const to = ends[Math.floor(((i + 1) * (count - 1)) / PARTS)];
    const within = samples.filter(({ at }) => at >= from && at < to);
    const own = within.map(({ tree }) => tree.get(process.pid) ?? 0);
    return { total: round(decile(within.map(({ tree }) => sum(tree)))), own: round(decile(own)) };
  });
  const reached = most <= LIMIT_MIB * HOSTILE_SHARE && wrong.length === 0;
  console.log(`${count} jobs, ${samples.length} samples of the resident total`);
  console.log(`  most: ${round(most)} MiB of ${LIMIT_MIB} MiB; above the limit: ${above.length} samples`);
  const tenths = parts.map(({ total, own }) => `${total} (${own})`);
  console.log(`  lowest decile in each tenth of the run, and of this process alone: ${tenths.join(', ')}`);
  console.log(`  reasons of hostile jobs: ${JSON.stringify(codes)}`);
  for (const each of wrong) console.log(`  wrong: ${each}`);
  const kept = { jobs: count, limitMiB: LIMIT_MIB, mostMiB: round(most), samples: samples.length };
  keep('farm-memory', { ...kept, samplesAbove: above.length, partsMiB: parts, codes, wrong, reached });
  if (!reached) process.exitCode = 1;
}
