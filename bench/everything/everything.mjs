// npm run bench everything [word …]
// The cost map: cycles per quad (or texel, vertex, triangle, draw call) for everything that WebGPU offers. Each cell is
// a frame through the public API, measured over the same frame without the feature in question. It uses the minimum of
// the frame times on one thread. A cell may cost at most LIMIT times its nearest common relative, or else
// reasons.mjs explains why. Both engines, the scalar kernels and two threads also draw each cell, and all
// pictures must have the same bits.
//
// Words select the cells whose names contain all of them. Without words, the figures are kept. `--jit` skips the other
// engines and the comparison of pictures.
//
//   MS  milliseconds per cell (25)
import { globals } from '../../build/index.js';
import { allCells, keyOf } from './cells.mjs';
import { closeDevices, compareEngines, measureCell } from './measure.mjs';
import { reasonFor } from './reasons.mjs';
import { keep } from '../support/machine.mjs';
import { progress, say } from '../support/progress.mjs';
import { writeReport } from '../report/report.mjs';

Object.assign(globalThis, globals);
const LIMIT = 2.5;
/** Cells with fewer cycles per unit are reported but have no limit, because frame times are too noisy. */
const MIN_CYCLES = 4;
const args = process.argv.slice(2);
const words = args.filter((arg) => !arg.startsWith('--'));
const others = !args.includes('--jit');
const MS = Number(process.env.MS ?? 25);

const all = allCells();
const named = (cell) => words.every((word) => keyOf(cell).includes(word));
const chosen = all.filter(named);
if (!chosen.length) throw new Error(`no cell's name holds all of: ${words.join(', ')}`);
// The relatives of selected cells are measured too.
const wanted = new Set(chosen.flatMap((cell) => [keyOf(cell), ...(cell.than ? [cell.than] : [])]));
const cells = all.filter((cell) => wanted.has(keyOf(cell)));

const figures = {};
const different = [];
const failed = [];
for (const [index, cell] of cells.entries()) {
  const key = keyOf(cell);
  progress(index, cells.length, key);
  try {
    const jit = await measureCell(cell, MS);
    const { cycles, wrong } = others ? await compareEngines(cell, jit.picture) : { cycles: {}, wrong: [] };
    figures[key] = { unit: cell.unit, jit: jit.cycles, ...cycles, ...(cell.than ? { than: cell.than } : {}) };
    for (const side of wrong) different.push(`${key}: ${side} draws another picture than the JIT on one thread`);
  } catch (error) {
    failed.push(`${key}: ${error.message.split('\n').slice(0, 2).join(' ')}`);
  }
}
closeDevices();

const over = [];
for (const [key, cell] of Object.entries(figures)) {
  const common = figures[cell.than];
  if (!common) continue;
  cell.ratio = Math.round((cell.jit / Math.max(common.jit, MIN_CYCLES)) * 100) / 100;
  if (cell.ratio <= LIMIT || cell.jit < MIN_CYCLES) continue;
  cell.dear = true;
  cell.because = reasonFor(key);
  over.push({
    cell: key,
    cycles: cell.jit,
    than: cell.than,
    ratio: cell.ratio,
    because: cell.because ?? 'NOT EXPLAINED',
  });
}
const groups = [...new Set(cells.map(({ group }) => group))];
for (const group of groups) {
  say(`\n${group}, cycles a ${cells.find((cell) => cell.group === group).unit}`);
  const rows = {};
  for (const cell of cells.filter((one) => one.group === group))
    (rows[cell.row] ??= {})[cell.column] = figures[keyOf(cell)]?.jit ?? 'failed';
  console.table(rows);
}
over.sort((a, b) => b.ratio - a.ratio);
const unexplained = over.filter(({ because }) => because === 'NOT EXPLAINED');
for (const { cell, cycles, than, ratio, because } of over)
  console.log(`${ratio}×  ${cell} (${cycles} cycles) of ${than}: ${because}`);
for (const line of different) console.log(`DIFFERENT BITS: ${line}`);
for (const line of failed) console.log(`FAILED: ${line}`);
console.log(
  `${Object.keys(figures).length} cells, ${over.length} over ${LIMIT} times their relative, `
    + `${unexplained.length} of them unexplained; ${different.length} with other bits, ${failed.length} failed`
);
if (failed.length || different.length) process.exit(1);
if (!words.length && others) {
  keep('everything', { unit: 'cycles', limit: LIMIT, groups, cells: figures });
  writeReport();
}
if (unexplained.length) process.exit(1);
