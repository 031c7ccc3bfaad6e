// npm run bench costs [word …]
// The cost map: nanoseconds per pixel of full-screen passes, each with another operation (rows.mjs), on this package,
// llvmpipe and SwiftShader. Sides are processes that stay open and run in turn. Reports medians of rounds, and the
// ratios of the peers' times to ours with their 95 % interval, by the clock and by the processor time of all threads.
// Pictures are compared. Words select rows whose names contain any of them. Results are kept if all rows run with the
// default sizes.
//
//   PEERS    the peers (llvmpipe,swiftshader)
//   SIZES    sizes of the pictures (640x360,1280x720)
//   KINDS    formats with sample counts (rgba8unorm@1,rgba8unorm@4,rgba16float@1)
//   ROUNDS   rounds (9)
//   MS       milliseconds per side and round (20)
//   THREADS  worker threads of this package
//
// llvmpipe cannot multisample half floats. Without ../shared/peers, this package is measured alone.
import { requireNames } from '../support/arguments.mjs';
import { openSides } from '../support/compare-sides.mjs';
import { keep, roundTo } from '../support/machine.mjs';
import { missingPeersReason, runInPeerEnvironment } from '../support/peer-files.mjs';
import { progress, say } from '../support/progress.mjs';
import { writeReport } from '../report/report.mjs';
import { judge } from './limits.mjs';
import { ROWS } from './rows.mjs';

const missing = missingPeersReason();
if (missing) say(`This package alone: ${missing}`);
else runInPeerEnvironment(import.meta.url);

const { PEERS = 'llvmpipe,swiftshader', SIZES, KINDS, ROUNDS = '9', MS = '20', THREADS } = process.env;
const words = process.argv.slice(2);
const names = Object.keys(ROWS).filter((name) => !words.length || words.some((word) => name.includes(word)));
if (!names.length) requireNames('row', words, Object.keys(ROWS));
const peers = missing ? [] : PEERS.split(',').filter(Boolean);
requireNames('peer', peers, ['llvmpipe', 'swiftshader']);
const sizes = (SIZES ?? '640x360,1280x720').split(',');
const kinds = (KINDS ?? 'rgba8unorm@1,rgba8unorm@4,rgba16float@1').split(',');
const times = { rounds: Number(ROUNDS), ms: Number(MS), warmMs: 300 };
const MIN_LIKENESS = 0.95;
const two = roundTo(2);

const module = new URL('./pass.mjs', import.meta.url).href;
const sides = await openSides(module, peers, THREADS ? { threads: Number(THREADS) } : {});
const all = names.flatMap((row) => sizes.flatMap((size) => kinds.map((kind) => ({ row, size, kind }))));
const rows = {};
for (const [index, { row, size, kind }] of all.entries()) {
  const key = `${row}, ${kind}, ${size}`;
  progress(index, all.length, key);
  const [format, samples] = kind.split('@');
  const [width, height] = size.split('x').map(Number);
  try {
    const request = { row, format, samples: Number(samples), size: [width, height] };
    const { picture: _, ours, peers: theirs, refusals } = await sides.measure(request, times);
    const perPixel = ({ ms, cpu }) => ({
      ns: two((ms * 1e6) / (width * height)),
      cpu: two((cpu * 1e6) / (width * height)),
    });
    const measured = Object.entries(theirs).map(([peer, side]) => {
      const { ratio, cpuRatio, likeness } = side;
      return [peer, { ...perPixel(side), ratio, cpuRatio, likeness }];
    });
    rows[key] = { row, kind, size, ours: perPixel(ours), ...Object.fromEntries(measured), refusals };
    const parts = measured.map(
      ([peer, { ns, ratio, cpuRatio, likeness }]) =>
        `${peer} ${ns} ns ${ratio[0].toFixed(2)}× (${ratio[1].toFixed(2)} … ${ratio[2].toFixed(2)}; `
        + `processor ${cpuRatio[0].toFixed(2)}×)`
        + (likeness < MIN_LIKENESS ? ` OTHER PICTURE, ${two(likeness * 100)} % alike` : '')
    );
    say([key.padEnd(54), `${rows[key].ours.ns} ns`, ...parts].join('  '));
  } catch (error) {
    say(`${key} fails: ${error.message}`);
  }
}
sides.close();
const refused = Object.entries(rows).flatMap(([key, { refusals }]) =>
  Object.entries(refusals).map(([peer, why]) => ({ key, peer, why }))
);
for (const { key, peer, why } of refused) say(`left out, because ${peer} refuses it: ${key}: ${why}`);
const goals = peers.includes('llvmpipe') ? judge(rows) : [];
const missed = goals.filter(({ reached }) => !reached);
for (const { what, value, limit } of missed) say(`NOT REACHED: ${what}: ${value}, limit ${limit}`);
if (goals.length) say(`${goals.length - missed.length} of ${goals.length} limits are reached`);
if (!words.length && !SIZES && !KINDS) {
  keep('costs', { unit: 'ns a pixel', sizes, kinds, rounds: times.rounds, peers, rows, goals });
  writeReport();
}
process.exit(0);
