// npm run bench peers [-- --own] [scene,scene]
// Draws the same scenes with Rasterloom, SwiftShader and llvmpipe, interleaved in one run, so that other load on the
// machine slows all of them alike. This takes about five minutes. Reports medians of the rounds' medians, ratios, the
// limits that are met, and how close the pictures are to the references. Results are kept if every implementation drew
// every scene.
//
//   ENGINE   interpreter or jit (the default of `create()`)
//   THREADS  worker threads (the machine's cores)
//   ROUNDS   rounds (3)
//   MS       milliseconds per scene (1500)
//
// Needs ../shared/peers next to the checkout, and the packages that its README names. A peer that is not installed is
// left out, and the command that installs it is printed. `--own` takes the benchmarks' own scenes (scenes/) instead of
// those of ../shared/peers, with limits for each typical frame and for their median. Scenes that a peer refuses
// (llvmpipe runs in compatibility mode) are named and left out.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engineOf } from './support/device.mjs';
import { keep, median, roundTo } from './support/machine.mjs';
import { writeReport } from './report/report.mjs';
import { frames as usersFrames } from './scenes/index.mjs';
import { allBenchScenes, peersFolder, missingPeersReason } from './support/peer-files.mjs';

/** Minimum speed-up over each peer by scene, at 1 and at 4 samples. */
const LIMITS = {
  fill: { swiftshader: [3, 6], llvmpipe: [1.3, 5] },
  overdraw: { swiftshader: [100, 100], llvmpipe: [20, 15] },
  particles: { swiftshader: [15, 12], llvmpipe: [2, 1.4] },
  dragon: { swiftshader: [12, 20], llvmpipe: [2.5, 2.5] },
  teapots: { swiftshader: [5, 7], llvmpipe: [1.8, 2] },
  helmet: { swiftshader: [7, 9], llvmpipe: [2, 2] },
};
/**
 * The same for typical frames: for each of them, and for the median of all. `draws` is excluded, because it measures
 * JavaScript.
 */
const FRAME_LIMITS = { each: { swiftshader: 3, llvmpipe: 1.2 }, median: { swiftshader: 6, llvmpipe: 2 } };
const limited = Object.keys(usersFrames).filter((name) => name !== 'draws');
const PEERS = {
  swiftshader: { backend: 'vulkan', device: /SwiftShader/i, install: 'apt-get install -y chromium libvulkan1' },
  llvmpipe: { backend: 'opengl', device: /llvmpipe/i, install: 'apt-get install -y libegl1 libgles2 libgl1-mesa-dri' },
};
const SAMPLES = [1, 4];
const [WIDTH, HEIGHT] = [1280, 720];
const WITHIN = 8;
const { THREADS, ENGINE } = process.env;
const ROUNDS = Number(process.env.ROUNDS ?? 3);
const args = process.argv.slice(2);
const own = args.includes('--own');
const only = args.find((arg) => !arg.startsWith('-')) ?? 'all';
const ratioOf = roundTo(2);

const missing = missingPeersReason();
if (missing) {
  console.log(`Skipped: ${missing}`);
  process.exit(0);
}

function inEnvironment(script, rest, env = {}) {
  return spawnSync('bash', ['-c', '. "$0/env.sh" && exec "$@"', peersFolder, process.execPath, script, ...rest], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
}

/** Returns the name that a peer reports, or nothing if it is not installed. */
function describePeer(name) {
  const { backend, device } = PEERS[name];
  const { stdout } = inEnvironment(fileURLToPath(new URL('./peer-adapter.mjs', import.meta.url)), [backend]);
  const text = stdout.trim().split('\n').at(-1) ?? '';
  return device.test(text) ? text : undefined;
}

const options = {
  ...(ENGINE ? { engine: ENGINE } : {}),
  ...(THREADS === undefined ? {} : { threads: Number(THREADS) }),
};
const engine = await engineOf(options);
const threads = options.threads ?? availableParallelism();
const pictures = mkdtempSync(join(tmpdir(), 'rasterloom-'));

function measure(name) {
  const module = name === 'rasterloom' ? fileURLToPath(new URL('../build/index.js', import.meta.url)) : name;
  const env = {
    MS: process.env.MS ?? '1500',
    CREATE: JSON.stringify(options),
    ...(own ? { SCENES: allBenchScenes } : {}),
    ...(name === 'rasterloom' && !own ? { OUTDIR: pictures } : {}),
  };
  const { stdout, stderr } = inEnvironment(
    `${peersFolder}run.mjs`,
    [module, only, SAMPLES.join(), `${WIDTH}x${HEIGHT}`],
    env
  );
  const line = stdout.trim().split('\n').at(-1) ?? '';
  if (!line.startsWith('{')) throw new Error(`${name} did not finish: ${stderr.slice(-500)}`);
  return JSON.parse(line);
}

/** Returns the share of pixels that are close to one of the references, by scene. */
function comparePictures() {
  const { stdout } = inEnvironment(`${peersFolder}compare.mjs`, [pictures, '--within', String(WITHIN)]);
  return Object.fromEntries(
    [...stdout.matchAll(/^(near|FAR ) (.+)-(\d+x)\.png: ([\d.]+) % within \d+ of (\w+), largest (\d+)/gm)].map(
      ([, near, scene, samples, percent, reference, largest]) => [
        `${scene}@${samples}`,
        { percent: Number(percent), reference, largest: Number(largest), near: near === 'near' },
      ]
    )
  );
}

const found = Object.fromEntries(Object.keys(PEERS).map((name) => [name, describePeer(name)]));
const names = ['rasterloom', ...Object.keys(PEERS).filter((name) => found[name])];
for (const [name, { install }] of Object.entries(PEERS))
  console.log(found[name] ? `${name}: ${found[name]}` : `${name} is not installed and is left out: ${install}`);
const rounds = Array.from({ length: ROUNDS }, (_, k) => {
  console.log(`round ${k + 1} of ${ROUNDS}`);
  return Object.fromEntries(names.map((name) => [name, measure(name)]));
});
const near = own ? {} : comparePictures();
rmSync(pictures, { recursive: true });

const frames = {};
const goals = {};
const failed = [];
const refused = [];
function limitOf(scene, samples, peer) {
  if (!own) return LIMITS[scene]?.[peer][SAMPLES.indexOf(parseInt(samples, 10))];
  return limited.includes(scene) ? FRAME_LIMITS.each[peer] : undefined;
}
for (const key of Object.keys(rounds[0].rasterloom).filter((name) => name.includes('@'))) {
  const [scene, samples] = key.split('@');
  const of = (name) => {
    const all = rounds.map((round) => round[name]?.[key]?.median).filter((ms) => ms !== undefined);
    return all.length ? median(all) : null;
  };
  for (const name of names)
    for (const round of rounds)
      if (round[name][key]?.error)
        (own && name !== 'rasterloom' ? refused : failed).push(`${key} on ${name}: ${round[name][key].error}`);
  const ours = of('rasterloom');
  frames[key] = { rasterloom: ours };
  for (const name of Object.keys(PEERS)) {
    const theirs = of(name);
    const ratio = ours && theirs ? ratioOf(theirs / ours) : null;
    const limit = limitOf(scene, samples, name);
    Object.assign(frames[key], { [name]: theirs, [`${name}Ratio`]: ratio });
    if (limit !== undefined && found[name] && (theirs !== null || !own))
      goals[`${key} over ${name}`] = { value: ratio, limit, reached: ratio !== null && ratio >= limit };
  }
}
const everyFrame = own && limited.every((scene) => `${scene}@1x` in frames);
for (const name of everyFrame ? names.slice(1) : [])
  for (const samples of SAMPLES) {
    const ratios = limited.map((scene) => frames[`${scene}@${samples}x`][`${name}Ratio`]);
    const value = median(ratios.filter((ratio) => ratio !== null));
    const limit = FRAME_LIMITS.median[name];
    goals[`median @${samples}x over ${name}`] = { value, limit, reached: value >= limit };
  }
console.table(frames);
console.log(
  'milliseconds a frame; a ratio is how many times as fast as that peer Rasterloom is, '
    + `with the engine '${engine}' and ${threads} thread${threads === 1 ? '' : 's'}\n`
);
for (const [name, { value, limit, reached }] of Object.entries(goals))
  console.log(
    `${name.padEnd(28)} ${String(value).padStart(7)} ≥ ${String(limit).padEnd(4)} `
      + (reached ? 'reached' : 'NOT REACHED')
  );
console.log('');
for (const [key, { percent, reference, largest }] of Object.entries(near))
  console.log(
    `${key.padEnd(13)} ${percent.toFixed(2)} % of the pixels within ${WITHIN} of ${reference}'s picture, `
      + `the farthest by ${largest}`
  );
for (const refusal of new Set(refused)) console.log(`left out: ${refusal}`);
for (const failure of new Set(failed)) console.log(`FAILED: ${failure}`);
if (failed.length) process.exit(1);
if (only === 'all') {
  keep(own ? 'peers-own' : 'peers', {
    unit: 'ms',
    width: WIDTH,
    height: HEIGHT,
    rounds: ROUNDS,
    engine,
    threads,
    peers: found,
    frames,
    goals,
    pictures: near,
  });
  writeReport();
}
