// npm run bench search [kinds | count [first seed]]
// Searches for slow content: draws random configurations (generate.mjs) on this package and on a peer, and reports
// those that are slower here. Sides are processes that stay open and run in turn. A configuration is left out if the
// peer refuses it, if the pictures differ, or if nothing is drawn. The report lists every slower configuration with its
// seed, the slowest first, and then what slow configurations have in common. To repeat one, give its seed: npm run
// bench search 1 SEED. `kinds` draws simple configurations instead, which differ in one property each (kinds.mjs).
//
//   PEER     llvmpipe or swiftshader (llvmpipe)
//   ROUNDS   rounds per configuration (5)
//   MS       milliseconds per side and round (20)
//   THREADS  worker threads
//
// Needs ../shared/peers.
import { configurationOf, traitsOf } from './generate.mjs';
import { KINDS } from './kinds.mjs';
import { openSides } from '../support/compare-sides.mjs';
import { isBlank } from '../support/picture.mjs';
import { keep, median, roundTo } from '../support/machine.mjs';
import { missingPeersReason, runInPeerEnvironment } from '../support/peer-files.mjs';
import { writeReport } from '../report/report.mjs';
import { progress, say } from '../support/progress.mjs';

const missing = missingPeersReason();
if (missing) {
  say(`Skipped: ${missing}`);
  process.exit(0);
}
runInPeerEnvironment(import.meta.url);

const { PEER = 'llvmpipe', ROUNDS = '5', MS = '20', THREADS } = process.env;
const args = process.argv.slice(2);
const ofKinds = args[0] === 'kinds';
const [count = 500, first = 1] = ofKinds ? [] : args.map(Number);
if (!(count > 0 && first >= 0))
  throw new Error(`"${args.join(' ')}" is not a count and a seed: npm run bench search [kinds | count [first seed]]`);
/** Pairs of names and configurations. */
const all = ofKinds
  ? Object.entries(KINDS)
  : Array.from({ length: count }, (_, index) => [`seed ${first + index}`, configurationOf(first + index)]);
const times = { rounds: Number(ROUNDS), ms: Number(MS), warmMs: 300 };
/** Least share of similar pixels. Thin primitives differ most. */
const MIN_LIKENESS = 0.9;
/** Limits of the share of configurations below 1, and of the least ratio. */
const LIMITS = { share: 0.02, least: 0.7 };
const two = roundTo(2);
const module = new URL('./scene.mjs', import.meta.url).href;
const sides = await openSides(module, [PEER], THREADS ? { threads: Number(THREADS) } : {});

/** Measures a configuration. Returns its figures, or the reason why it is left out. */
async function measure(configuration) {
  const { picture, refusals, ours, peers } = await sides.measure(configuration, times);
  const peer = peers[PEER];
  if (!peer) return { leftOut: `refused by ${PEER}: ${refusals[PEER]}` };
  if (isBlank(picture)) return { leftOut: 'nothing is drawn' };
  const { ratio, cpuRatio, likeness } = peer;
  if (likeness < MIN_LIKENESS) return { leftOut: 'other picture' };
  return {
    ms: ours.ms,
    peerMs: peer.ms,
    ratio: two(ratio[0]),
    interval: ratio.slice(1).map(two),
    cpuRatio: two(cpuRatio[0]),
    likeness,
  };
}

/**
 * Compares configurations with a trait with all others. Returns the traits of slow configurations: the number of
 * configurations, how many are below 1, and the median ratios with and without it.
 */
function commonTraits(results) {
  const names = [...new Set(results.flatMap(({ traits }) => traits))];
  return names
    .map((trait) => {
      const having = results.filter(({ traits }) => traits.includes(trait));
      const others = results.filter(({ traits }) => !traits.includes(trait));
      return {
        trait,
        count: having.length,
        below: having.filter(({ ratio }) => ratio < 1).length,
        median: two(median(having.map(({ ratio }) => ratio))),
        others: two(median(others.map(({ ratio }) => ratio)) ?? NaN),
      };
    })
    .filter((each) => each.count >= 3 && each.below > 0)
    .sort((a, b) => a.median / a.others - b.median / b.others);
}

const results = [];
const leftOut = {};
for (const [index, [name, configuration]] of all.entries()) {
  progress(index, all.length, name);
  let result;
  try {
    result = await measure(configuration);
  } catch (error) {
    result = { leftOut: error.message };
  }
  if (result.leftOut) (leftOut[result.leftOut] ??= []).push(name);
  else results.push({ seed: configuration.seed, ...result, traits: traitsOf(configuration) });
  if (!result.leftOut && (result.ratio < 1 || count === 1 || ofKinds))
    say(
      `${name.padEnd(ofKinds ? 34 : 10)} ${String(result.ratio).padStart(5)}× `
        + `(${result.interval.join(' … ')}; processor ${result.cpuRatio}×), ${result.ms} ms, `
        + `${PEER} ${result.peerMs} ms, ${Math.round(result.likeness * 100)} % alike`
    );
}
sides.close();

for (const [why, names] of Object.entries(leftOut))
  console.log(`left out, ${why}: ${names.length} (${names.slice(0, 8).join(', ')}${names.length > 8 ? ' …' : ''})`);
if (ofKinds) process.exit(0);
const slow = results.filter(({ ratio }) => ratio < 1).sort((a, b) => a.ratio - b.ratio);
console.log('\nSlower than the peer, the slowest first:');
for (const { seed, ratio, cpuRatio, traits } of slow)
  console.log(`${String(ratio).padStart(5)}× (processor ${cpuRatio}×) seed ${seed}: ${traits.join(', ')}`);
console.log('\nWhat they have in common, by the median ratio with and without it:');
for (const { trait, count: having, below, median: with_, others } of commonTraits(results).slice(0, 30))
  console.log(`${trait.padEnd(30)} ${with_} instead of ${others}; ${below} of ${having} below 1`);
console.log('');
const share = slow.length / results.length;
const least = slow[0]?.ratio ?? 1;
console.log(
  `${results.length} configurations, ${slow.length} below 1 (${two(share * 100)} % ≤ ${LIMITS.share * 100} %), least `
    + `${least} ≥ ${LIMITS.least}, median ${median(results.map(({ ratio }) => ratio))}: `
    + (share <= LIMITS.share && least >= LIMITS.least ? 'reached' : 'NOT REACHED')
);
if (count > 1) {
  keep('search', { peer: PEER, first, count, limits: LIMITS, leftOut, results });
  writeReport();
}
process.exit(0);
