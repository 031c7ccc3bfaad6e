// npm run bench:front-end [-- shape …] : what the front end takes for a kilobyte of text, of twenty shapes of program
// (tests/wgsl/shapes.ts), at 10 kB, 100 kB and 1 MB: microseconds of this thread's and its helpers' processor, and
// kilobytes that the module keeps. Linear: all sizes within 2× of each other. Modules are made by createShaderModule,
// in one process.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { create } from '../build/index.js';
import { shapes } from '../build/testing/shapes.js';
import { keep } from './machine.mjs';

const SIZES = [10_000, 100_000, 1_000_000], words = process.argv.slice(2);
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const device = await (await create({ threads: 0 }).requestAdapter()).requestDevice();
device.onuncapturederror = (event) => event.preventDefault();

let marked = 0;
async function measure(write, size, times) {
  const code = write(size), kept = [];
  collect();
  const before = process.memoryUsage().heapUsed, cpu = process.cpuUsage();
  for (let i = 0; i < times; i++) {
    // The same text is read once.
    const module = device.createShaderModule({ code: `${code}\n// ${marked++}` });
    await module.getCompilationInfo();
    kept.push(module);
  }
  const { user } = process.cpuUsage(cpu);
  collect();
  const kilobytes = (code.length * times) / 1000;
  return { us: user / kilobytes, kB: Math.max(0, process.memoryUsage().heapUsed - before) / 1000 / kilobytes };
}

const results = {};
for (const [name, write] of Object.entries(shapes)) {
  if (words.length > 0 && !words.includes(name)) continue;
  await measure(write, 10_000, 20);
  const sizes = [];
  for (const size of SIZES) sizes.push(await measure(write, size, Math.max(1, Math.min(20, 300_000 / size | 0))));
  const spread = (of) => Math.max(...sizes.map(of)) / Math.min(...sizes.map(of));
  const us = sizes.map((each) => Math.round(each.us)), kB = sizes.map((each) => Number(each.kB.toFixed(2)));
  const time = Number(spread((each) => each.us).toFixed(2)), memory = Number(spread((each) => each.kB).toFixed(2));
  results[name] = { us, kB, time, memory };
  console.log(
    `${name.padEnd(22)} ${us.join(' / ')} µs a kB (${time}×), ${kB.join(' / ')} kB kept (${memory}×)`
  );
}
device.destroy();
if (words.length === 0) keep('front-end', { sizes: SIZES, shapes: results });
