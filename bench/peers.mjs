// npm run bench:peers [-- --own] [scene,scene] : Rasterloom, SwiftShader and llvmpipe on the same scenes, interleaved in one run, so that
// a busy minute of the machine hurts all of them. Medians of the rounds' medians and ratios to bench/results/peers.json, and which of the limits
// that Rasterloom is held to are reached. ENGINE=interpreter or jit asks for that engine; by default it is the one that `create()` takes.
// Needs ../shared/peers beside the checkout and the packages that its README names; says so and stops where they are missing.
// `--own` takes the bench's own scenes instead of those of ../shared/peers.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { engineOf } from './device.mjs';
import { keep, median } from './machine.mjs';

const path = (url) => fileURLToPath(new URL(url, import.meta.url));
const peers = path('../../shared/peers/'), modules = process.env.PEER_MODULES ?? `${homedir()}/.cache/rasterloom-peers`;
if (!existsSync(`${peers}run.mjs`) || !existsSync(`${modules}/node_modules/webgpu`)) {
  console.log(`Skipped: the peers need ../shared/peers/ beside the checkout and the packages of its README (looked in ${modules}).`);
  process.exit(0);
}
const args = process.argv.slice(2), own = args.includes('--own'), only = args.find((arg) => !arg.startsWith('-')) ?? 'all';
const ROUNDS = Number(process.env.ROUNDS ?? 3), NAMES = { rasterloom: path('../build/index.js'), swiftshader: 'swiftshader', llvmpipe: 'llvmpipe' };
/** How many times as fast as each peer a scene is to be, at 1 and at 4 samples. */
const LIMITS = { helmet: { swiftshader: 4, llvmpipe: 1.1 }, particles: { swiftshader: 8, llvmpipe: 1.2 } };
const options = process.env.ENGINE ? { engine: process.env.ENGINE } : {}, engine = await engineOf(options);

function run(peer) {
  const env = { ...process.env, MS: process.env.MS ?? '1500', CREATE: JSON.stringify(options), ...(own ? { SCENES: path('./scenes.mjs') } : {}) };
  const { stdout, stderr } = spawnSync('bash', ['-c', '. "$0/env.sh" && exec node "$0/run.mjs" "$@"', peers, NAMES[peer], only, '1,4', '1280x720'], { env, encoding: 'utf8', maxBuffer: 1 << 26 });
  const line = stdout.trim().split('\n').at(-1) ?? '';
  if (!line.startsWith('{')) throw new Error(`${peer} did not finish: ${stderr.slice(-500)}`);
  return JSON.parse(line);
}

const rounds = Array.from({ length: ROUNDS }, (_, k) => {
  console.log(`round ${k + 1} of ${ROUNDS}`);
  return Object.fromEntries(Object.keys(NAMES).map((peer) => [peer, run(peer)]));
});
const frames = {}, goals = {};
for (const scene of Object.keys(rounds[0].rasterloom).filter((key) => key.includes('@'))) {
  const of = (peer) => { const all = rounds.map((round) => round[peer][scene]?.median).filter((ms) => ms !== undefined); return all.length ? median(all) : null; };
  const [ours, swiftshader, llvmpipe] = Object.keys(NAMES).map(of), ratio = (theirs) => (ours && theirs ? Math.round((theirs / ours) * 100) / 100 : null);
  frames[scene] = { rasterloom: ours, swiftshader, llvmpipe, swiftshaderRatio: ratio(swiftshader), llvmpipeRatio: ratio(llvmpipe) };
  for (const [peer, limit] of Object.entries(own ? {} : LIMITS[scene.split('@')[0]] ?? {})) {
    const value = frames[scene][`${peer}Ratio`];
    goals[`${scene} over ${peer}`] = { value, limit, reached: value !== null && value >= limit };
  }
}
console.table(frames);
console.log(`milliseconds a frame; a ratio is how many times as fast as that peer Rasterloom is, on one thread with the engine '${engine}'\n`);
for (const [name, { value, limit, reached }] of Object.entries(goals)) console.log(`${name.padEnd(26)} ${String(value).padStart(6)} ≥ ${limit}: ${reached ? 'reached' : 'NOT REACHED'}`);
if (only === 'all') keep(own ? 'peers-own' : 'peers', { unit: 'ms', width: 1280, height: 720, rounds: ROUNDS, engine, threads: 1, frames, goals });
