// A material of eight options, as a table of fragment stages and as one compiled shader for each of the 256 choices: by
// pipeline constants of one module, and by a module for each. The part `material` of modular.mjs. Each side runs in
// processes of its own, in turns.
//
//   all     milliseconds of processor time from the shader text to the first picture with all choices
//   next    milliseconds from choosing a combination that was never drawn to its picture
//   near    the same, 16 ms after a combination that differs in one option; each option has been drawn alone before
//   memory  MiB that the process has grown after some more pictures, when all shaders are compiled
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { globals } from '../../build/index.js';
import { openDevice } from '../support/device.mjs';
import { median, roundTo } from '../support/machine.mjs';
import { progress, say } from '../support/progress.mjs';

const { GPUTextureUsage } = globals;
const WGSL = readFileSync(new URL('../../examples/modular/material.wgsl', import.meta.url), 'utf8');
const OPTIONS = ['checks', 'rings', 'bumps', 'lamp2', 'gloss', 'rim', 'film', 'fog'];
const CHOICES = 1 << OPTIONS.length;
/** Pixels of the picture, in each direction. */
const SIZE = 320;
const ROUNDS = 7;
const MORE_PICTURES = 30;
const format = 'rgba8unorm';
const round = roundTo(3);

/** The stages of the table in one function; `declared` declares the options. */
const uber = (declared) => `${WGSL}
  ${declared}
  @fragment fn uber(@location(0) at: vec2f) -> @location(0) vec4f {
    let place = normalAt(at);
    var normal = place;
    var albedo = vec3f(0.75, 0.3, 0.2);
    var light = vec3f();
    var glow = vec3f();
    if (checks_) { albedo = checked(albedo, place); }
    if (rings_) { albedo = ringed(albedo, place); }
    if (bumps_) { normal = bumped(normal, place); }
    light = lit(light, normal, vec2f(-0.5, 0.7), vec3f(1, 0.9, 0.9));
    if (lamp2_) { light = lit(light, normal, vec2f(0.9, -0.4), vec3f(0.2, 0.9, 1.4)); }
    if (gloss_) { glow = glossed(glow, normal); }
    if (rim_) { glow = rimmed(glow, place); }
    if (film_) { glow = filmed(glow, normal); }
    var color = shaded(albedo, light, glow);
    if (fog_) { color = fogged(color, place); }
    return onPaper(color, at);
  }`;
const isOn = (choice, i) => ((choice >> i) & 1) === 1;

/** For each side: prepares the device, and returns what selects a choice in a pass. */
const SIDES = {
  table(device) {
    const module = device.createShaderModule({ code: WGSL });
    const pixel = (entryPoint, more) => ({ kind: 'pixel', module, entryPoint, ...more });
    const stages = ['surface', 'checks', 'rings', 'bumps', 'lamp', 'lamp2', 'gloss', 'rim', 'film', 'shade', 'fog'].map(
      (name) =>
        name === 'lamp2'
          ? pixel('lamp', { enabled: false, constants: { lampX: 0.9, lampY: -0.4, red: 0.2, blue: 1.4 } })
          : pixel(name, { enabled: !OPTIONS.includes(name) })
    );
    const material = device.createModularPipeline({
      layout: 'auto',
      input: { topology: 'triangle-strip' },
      stages: [{ kind: 'vertex', module }, ...stages, pixel('show')],
      sinks: [{ raster: { fragment: { targets: [{ format }] } } }],
    });
    const slots = stages.flatMap(({ enabled }, i) => (enabled === false ? [i + 1] : []));
    return (pass, choice) => {
      pass.setPipeline(material);
      slots.forEach((slot, i) => pass.setStageEnabled(slot, isOn(choice, i)));
    };
  },
  constants(device) {
    const module = device.createShaderModule({
      code: uber(OPTIONS.map((name) => `override ${name}_ = false;`).join('\n')),
    });
    return pipelinesOf(device, (choice) => ({
      module,
      constants: Object.fromEntries(OPTIONS.map((name, i) => [`${name}_`, Number(isOn(choice, i))])),
    }));
  },
  modules(device) {
    return pipelinesOf(device, (choice) => ({
      module: device.createShaderModule({
        code: uber(OPTIONS.map((name, i) => `const ${name}_ = ${isOn(choice, i)};`).join('\n')),
      }),
    }));
  },
};

function pipelinesOf(device, fragmentOf) {
  const pipelines = [];
  return (pass, choice) => {
    const made = () => {
      const { module, constants } = fragmentOf(choice);
      return device.createRenderPipeline({
        layout: 'auto',
        primitive: { topology: 'triangle-strip' },
        vertex: { module },
        fragment: { module, entryPoint: 'uber', constants, targets: [{ format }] },
      });
    };
    pass.setPipeline((pipelines[choice] ??= made()));
  };
}

/** Opens a device, and returns what draws a picture of some choices and returns its milliseconds. */
async function open() {
  const device = await openDevice({ options: { threads: 0 }, features: ['modular-pipelines', 'fragment-stages'] });
  const usage = GPUTextureUsage.RENDER_ATTACHMENT;
  const view = device.createTexture({ size: [SIZE, SIZE], format, usage }).createView();
  const draw = async (choose, choices) => {
    const began = performance.now();
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
    for (const choice of choices) {
      choose(pass, choice);
      pass.draw(4, 1, 0, choice);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return performance.now() - began;
  };
  return { device, draw };
}

/** All choices in one picture. */
async function measureAll(name) {
  const { device, draw } = await open();
  const choices = Array.from({ length: CHOICES }, (_, choice) => choice);
  const { rss } = process.memoryUsage();
  const before = process.cpuUsage();
  const choose = SIDES[name](device);
  await draw(choose, choices);
  const { user, system } = process.cpuUsage(before);
  const all = (user + system) / 1000;
  for (let i = 0; i < MORE_PICTURES; i++) {
    await draw(choose, choices);
    await pause(10);
  }
  return { all, memory: (process.memoryUsage().rss - rss) / 2 ** 20 };
}

/** Single new choices, after the first one has been drawn. */
async function measureNext(name) {
  const { device, draw } = await open();
  const choose = SIDES[name](device);
  const times = [];
  for (let choice = 0; choice < CHOICES; choice += 5) {
    times.push(await draw(choose, [choice]));
    await pause(5);
  }
  return { next: median(times.slice(1)) };
}

/** New choices that differ from the former one in a single option. */
async function measureNear(name) {
  const { device, draw } = await open();
  const choose = SIDES[name](device);
  const drawn = new Set(OPTIONS.map((_, i) => 1 << i));
  for (const choice of drawn) await draw(choose, [choice]);
  await pause(1000);
  const times = [];
  for (let step = 1; step <= 80; step++) {
    // A Gray code: neighbours differ in one option.
    const choice = step ^ (step >> 1);
    const time = await draw(choose, [choice]);
    if (!drawn.has(choice)) times.push(time);
    drawn.add(choice);
    await pause(16);
  }
  return { near: median(times) };
}

const THIS = fileURLToPath(import.meta.url);
const run = (...args) => JSON.parse(execFileSync(process.execPath, [THIS, ...args], { encoding: 'utf8' }));

/** Compares the sides; each in ROUNDS processes, in turns. */
export function material() {
  const rows = [];
  for (let i = 0; i < ROUNDS; i++) {
    const row = {};
    for (const name of Object.keys(SIDES)) {
      row[name] = { ...run('all', name), ...run('next', name), ...run('near', name) };
      progress(0, 1, `material, round ${i + 1} of ${ROUNDS}, ${name}`);
    }
    rows.push(row);
  }
  const results = {};
  for (const name of Object.keys(SIDES)) {
    const of = (figure) => round(median(rows.map((row) => row[name][figure])));
    const over = (figure) => round(median(rows.map((row) => row[name][figure] / row.table[figure])));
    const figures = ['all', 'next', 'near', 'memory'];
    results[name] = Object.fromEntries(figures.map((figure) => [figure, { value: of(figure), over: over(figure) }]));
    const text = figures.map((figure) => `${figure} ${of(figure)} (${over(figure)} of the table's)`).join(', ');
    say(`256 choices, ${name}: ${text}`);
  }
  return results;
}

const [what, name] = process.argv.slice(2);
if (process.argv[1] === THIS) {
  const measure = { all: measureAll, next: measureNext, near: measureNear }[what];
  console.log(JSON.stringify(await measure(name)));
  process.exit(0);
}
