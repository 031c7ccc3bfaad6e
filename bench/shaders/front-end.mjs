// npm run bench front-end [shape …]
// Measures the front end per kilobyte of WGSL, for twenty-nine shapes of shader text (tests/wgsl/shapes.ts) at 10 kB,
// 100 kB and 1 MB: microseconds, and kilobytes that the module keeps. Cost must be linear: all sizes must agree within
// 2× after subtracting the cost of an empty module with two entry points. All shapes have these entry points around
// their text, and they are half of the cost of ten kilobytes of long names.
//
// createShaderModule makes the modules in one process. Each size gets the same amount of text, and sizes alternate. The
// result is the fastest turn, since other load on the machine can slow some of them. The first megabyte of a shape
// warms up V8's compilers. Takes about three minutes. With CHUNK of CHUNKS (0 of 1), measures a part of the shapes and
// adds its figures to the existing ones.
import { existsSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { create } from '../../build/index.js';
import { shapes } from '../../build/testing/shapes.js';
import { KEPT, keep } from '../support/machine.mjs';

const SIZES = [10_000, 100_000, 1_000_000];
const TEXT = 1_000_000;
const TURNS = 3;
const LIMIT = 2;
const words = process.argv.slice(2);
const CHUNK = Number(process.env.CHUNK ?? 0);
const CHUNKS = Number(process.env.CHUNKS ?? 1);
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const device = await (
  await create({ threads: 0 }).requestAdapter()
).requestDevice({ requiredFeatures: ['modular-pipelines'] });
device.onuncapturederror = (event) => event.preventDefault();

let marked = 0;
/** Returns the milliseconds and bytes per module of `times` modules of a text. */
async function measure(code, times) {
  const kept = [];
  // V8 keeps the targets of dereferenced weak references until the task ends. Without this turn, all modules would
  // stay.
  await setImmediate();
  collect();
  const bytes = process.memoryUsage().heapUsed;
  const began = performance.now();
  let messages = [];
  for (let i = 0; i < times; i++) {
    // A unique comment defeats the cache of identical texts.
    const module = device.createShaderModule({ code: `${code}\n// ${marked++}` });
    ({ messages } = await module.getCompilationInfo());
    kept.push(module);
  }
  const ms = (performance.now() - began) / times;
  collect();
  return {
    ms,
    bytes: (process.memoryUsage().heapUsed - bytes) / times,
    said: messages[0]?.message.split('\n')[0] ?? '',
  };
}

/** The shader of an empty module. */
const EMPTY = `@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i)); }
@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {\nvar x = p.x;\nreturn vec4f(x);\n}`;
await measure(EMPTY, 3000);
const nothing = await measure(EMPTY, 1000);
console.log(
  `a module whose program does nothing: ${(nothing.ms * 1000).toFixed(0)} µs, `
    + `${(nothing.bytes / 1000).toFixed(1)} kB kept`
);

const file = new URL('front-end.json', KEPT);
const results = CHUNK > 0 && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).shapes : {};
const spread = (values) => Number((Math.max(...values) / Math.min(...values)).toFixed(2));
let missed = 0;
for (const [index, [name, write]] of Object.entries(shapes).entries()) {
  if (words.length > 0 ? !words.includes(name) : index % CHUNKS !== CHUNK) continue;
  const texts = SIZES.map((size) => write(size));
  const best = SIZES.map(() => ({ ms: Infinity, bytes: Infinity, said: '' }));
  await measure(texts[2], 1);
  for (let turn = 0; turn < TURNS; turn++)
    for (const [k, size] of SIZES.entries()) {
      const { ms, bytes, said } = await measure(texts[k], TEXT / size);
      best[k] = { ms: Math.min(best[k].ms, ms), bytes: Math.min(best[k].bytes, bytes), said };
    }
  const us = best.map(({ ms }, k) => Math.round(((ms - nothing.ms) * 1e6) / texts[k].length));
  const kB = best.map(({ bytes }, k) => Number(((bytes - nothing.bytes) / texts[k].length).toFixed(2)));
  const time = spread(us);
  const memory = spread(kB);
  const said = best[2].said.slice(0, 100);
  // A text whose parsing stops at the hundredth error keeps less per kilobyte the longer it is. Only growth counts.
  const grows = Math.max(us[2] / us[0], us[2] / us[1], kB[2] / kB[0], kB[2] / kB[1]) > LIMIT;
  if (grows) missed++;
  results[name] = { us, kB, time, memory, ...(said && { said }) };
  console.log(
    `${grows ? '✗' : '✓'} ${name.padEnd(24)} ${us.join(' / ')} µs a kB (${time}×), ${kB.join(' / ')} `
      + `kB kept (${memory}×)  ${said}`
  );
}
device.destroy();
console.log(`\n${missed} take more for a kilobyte, by more than ${LIMIT}×, the longer they are`);
if (words.length === 0)
  keep('front-end', {
    sizes: SIZES,
    nothing: { us: Math.round(nothing.ms * 1000), kB: Number((nothing.bytes / 1000).toFixed(1)) },
    shapes: results,
  });
process.exitCode = missed > 0 ? 1 : 0;
