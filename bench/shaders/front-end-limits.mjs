// npm run bench front-end-limits
// Measures createShaderModule and getCompilationInfo for very long shaders against the project's limits. The shaders
// are three.js's physical material with every map, with the maps of glTF models, and with its defaults. Each is
// measured cold, in a process without earlier modules (median of COLD processes, limit 40 ms), and warm, after WARM
// modules (median of the last LAST, limit 10 ms). Another shader is a function of 20 000 statements (first in its
// process, limit 1 s). Takes two minutes; nothing else may run in the meantime.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { create } from '../../build/index.js';
import { keep, median } from '../support/machine.mjs';
import { progress, say } from '../support/progress.mjs';
import { daylight, environment, mesh, texture } from '../three/kit.mjs';
import { programsOf } from '../three/programs.mjs';

const COLD = Number(process.env.COLD ?? 9);
const WARM = Number(process.env.WARM ?? 60);
const LAST = 20;
const STATEMENTS = 20_000;
const COLD_LIMIT = 40;
const WARM_LIMIT = 10;
const STATEMENTS_LIMIT = 1000;
const [file, wanted = '1'] = process.argv.slice(2);

/** Returns the milliseconds of each of `times` modules of a text, created one after another. */
async function measure(code, times) {
  const device = await (await create({ threads: 0 }).requestAdapter()).requestDevice();
  // Wait for the device's background work, which is not part of the module's time.
  await wait(200);
  const found = [];
  for (let i = 0; i < times; i++) {
    const began = performance.now();
    // A unique comment defeats the cache of identical texts.
    const module = device.createShaderModule({ code: `${code}\n// ${i}` });
    const { messages } = await module.getCompilationInfo();
    found.push(performance.now() - began);
    if (messages.some(({ type }) => type === 'error')) throw new Error(messages[0].message);
  }
  device.destroy();
  return found;
}

if (file !== undefined) {
  process.stdout.write(JSON.stringify(await measure(readFileSync(file, 'utf8'), Number(wanted))));
  process.exit();
}

/** A ball with the material, lit by a sun and an environment. */
const scene = (parameters) => (stage) => {
  const { T } = stage;
  daylight(stage);
  environment(stage);
  const color = () => texture(stage, 4, (x, y) => [x * 60, y * 60, 128]);
  const data = () => texture(stage, 4, (x, y) => [128 + x, 128 + y, 255], { color: false });
  const ball = mesh(stage, new T.SphereGeometry(1, 16, 8), new T.MeshPhysicalMaterial(parameters(color, data)));
  return {
    at: (time) => {
      ball.rotation.y = time;
    },
  };
};

const materials = {
  /** All maps, and every layer that can have one. */
  'every map': (color, data) => ({
    metalness: 0.5,
    roughness: 0.5,
    clearcoat: 0.5,
    sheen: 0.5,
    iridescence: 0.5,
    anisotropy: 0.5,
    transmission: 0.5,
    thickness: 0.5,
    specularIntensity: 0.5,
    emissive: 0x111111,
    map: color(),
    emissiveMap: color(),
    sheenColorMap: color(),
    specularColorMap: color(),
    lightMap: color(),
    alphaMap: data(),
    aoMap: data(),
    normalMap: data(),
    roughnessMap: data(),
    metalnessMap: data(),
    clearcoatMap: data(),
    clearcoatRoughnessMap: data(),
    clearcoatNormalMap: data(),
    sheenRoughnessMap: data(),
    iridescenceMap: data(),
    iridescenceThicknessMap: data(),
    anisotropyMap: data(),
    transmissionMap: data(),
    thicknessMap: data(),
    specularIntensityMap: data(),
  }),
  'the maps of glTF': (color, data) => ({
    map: color(),
    normalMap: data(),
    roughnessMap: data(),
    metalnessMap: data(),
    aoMap: data(),
    emissiveMap: color(),
    emissive: 0xffffff,
  }),
  'no map': () => ({ color: 0xc0a060, roughness: 0.4 }),
};

// Each map has its own texture and sampler.
const requiredLimits = { maxSampledTexturesPerShaderStage: 64, maxSamplersPerShaderStage: 64 };
const programs = {};
for (const [name, parameters] of Object.entries(materials))
  [programs[name]] = await programsOf(scene(parameters), 4000, { requiredLimits });
const lines = Array.from({ length: STATEMENTS }, (_, i) => `x = x * 0.5 + sin(x) + ${i}.25;`);
const long = `@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
  var x = p.x;\n${lines.join('\n')}\nreturn vec4f(x);\n}`;
const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
/** Measures in a separate process. */
function alone(code, times) {
  const path = join(folder, 'program.wgsl');
  writeFileSync(path, code);
  const { stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), path, `${times}`], {
    encoding: 'utf8',
    maxBuffer: 1 << 24,
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}
/** Returns the median of the first module's time over `times` processes. */
const firsts = (what, code, times) =>
  median(
    Array.from({ length: times }, (_, i) => {
      progress(i, times, what);
      return alone(code, 1)[0];
    })
  );
const rows = [];
try {
  for (const [name, code] of Object.entries(programs)) {
    const what = `physical material, ${name}`;
    const bytes = code.length;
    const lines = code.split('\n').length;
    rows.push({ what: `${what}, ${lines} lines, cold`, bytes, ms: firsts(name, code, COLD), limit: COLD_LIMIT });
    rows.push({ what: `${what}, warm`, bytes, ms: median(alone(code, WARM).slice(-LAST)), limit: WARM_LIMIT });
  }
  const ms = firsts('statements', long, 5);
  rows.push({ what: `${STATEMENTS} statements`, bytes: long.length, ms, limit: STATEMENTS_LIMIT });
} finally {
  rmSync(folder, { recursive: true });
}
let missed = 0;
for (const { what, ms, limit } of rows) {
  if (ms > limit) missed++;
  say(`${ms > limit ? '✗' : '✓'} ${what}: ${ms.toFixed(1)} ms, at most ${limit}`);
}
keep('front-end-limits', { rows });
process.exit(missed > 0 ? 1 : 0);
