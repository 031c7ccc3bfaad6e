import { openDeviceOf } from './device.mjs';
import { compare, frameOf } from './pairs.mjs';
import { inTheirEnvironment, theirScenes } from './shared.mjs';
inTheirEnvironment(new URL('./zz.mjs', import.meta.url).href);
const pk = await import('../build/index.js');
Object.assign(globalThis, pk.globals);
const { scenes } = await import(theirScenes);
const [name, samples] = [process.argv[2], Number(process.argv[3] ?? 1)];
const rates = (process.env.RATES ?? 'none fine 2x2 4x4').split(' ');
const sides = {};
const table = { near: 0, far: 1, rates: ['1x1', '1x1', '1x1', '1x1'] };
for (const rate of rates) {
  const device = await openDeviceOf(pk.create, { options: { threads: Number(process.env.THREADS ?? 0), ...(process.env.ENGINE ? { engine: process.env.ENGINE } : {}) }, features: [...(rate === 'none' ? [] : ['shading-rate']), ...(process.env.TIMES ? ['statistics-times'] : [])] });
  const make = device.createCommandEncoder.bind(device);
  device.createCommandEncoder = (d) => {
    const e = make(d), begin = e.beginRenderPass.bind(e);
    e.beginRenderPass = (p) => {
      const pass = begin(rate === 'fine' ? { ...p, shadingRates: { depth: table } } : p);
      if (rate.includes('x')) pass.setShadingRate(rate);
      return pass;
    };
    return e;
  };
  const scene = await scenes[name](device, { width: 1280, height: 720, samples });
  const f = frameOf(device, scene);
  sides[rate] = f;
  if (process.env.TIMES) { for (let i = 0; i < 40; i++) await f(); const a = device.statistics(); for (let i = 0; i < 20; i++) await f(); const b = device.statistics(); const d = (x, y) => Object.entries(y).map(([k, v]) => `${k} ${Math.round((v - x[k]) / 20 * 100) / 100}`).join(', '); console.log(rate, d(a.times, b.times), 'lanes', (b.counters.lanesShaded - a.counters.lanesShaded) / 20, 'warps', (b.counters.fragmentWarps - a.counters.fragmentWarps) / 20); }
}
if (process.env.LOOP) { const until = Date.now() + 8000; while (Date.now() < until) await sides[process.env.LOOP](); process.exit(0); }
const { pairs, ms, ratios } = await compare(sides, { forMs: Number(process.env.MS ?? 2500), warmMs: 500, onPair() {} });
console.log(name, samples, 'pairs', pairs, ms, ratios);
process.exit(0);
