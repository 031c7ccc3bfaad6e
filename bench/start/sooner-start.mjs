// Measures one pipeline, or a hundred, in a separate process. bench/start/sooner.mjs starts it with the URL of a build.
// Standard input: { way, code, descriptor }. Standard output: a line of JSON with the milliseconds until they are
// `ready` and of the `longest` block of the calling thread; for a hundred pipelines also the number of WebAssembly
// modules.
import { readFileSync } from 'node:fs';
import { setImmediate, setTimeout } from 'node:timers';
import { openDeviceOf } from '../support/device.mjs';

const { way, code, descriptor } = JSON.parse(readFileSync(0, 'utf8'));
let modules = 0;
const { Module } = WebAssembly;
WebAssembly.Module = new Proxy(Module, { construct: (target, args) => (modules++, new target(...args)) });
const { create, globals } = await import(process.argv[2]);
Object.assign(globalThis, globals);
const device = await openDeviceOf(create, { features: ['statistics'] });

/** Records the longest time without a turn of the event loop. */
function watch() {
  let last = performance.now();
  let longest = 0;
  let on = true;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const turn = () => {
    look();
    if (on) setImmediate(turn);
  };
  turn();
  return () => {
    on = false;
    look();
    return longest;
  };
}

async function one() {
  const began = performance.now();
  const module = device.createShaderModule({ code });
  const whole = {
    ...descriptor,
    vertex: { ...descriptor.vertex, module },
    fragment: { ...descriptor.fragment, module },
  };
  const ended = watch();
  if (way === 'async') await device.createRenderPipelineAsync(whole);
  else device.createRenderPipeline(whole);
  return { ready: performance.now() - began, longest: ended() };
}

/** Statements that depend on the bits of k, so that shaders of different k differ in code and not only in constants. */
const statements = (k, yes, no) => Array.from({ length: 8 }, (_, bit) => ((k >> bit) & 1 ? yes : no)).join(' ');
const HEAD = 'struct V { @builtin(position) p: vec4f, @location(0) a: vec3f, @location(1) b: vec2f }';
const vertex = (k) => `${HEAD} @group(0) @binding(0) var<uniform> m: mat4x4f;
  @vertex fn vs(@location(0) p: vec3f, @location(1) n: vec3f) -> V {
    var q = p; ${statements(k, 'q = q * 1.5 + n;', 'q = normalize(q + n);')}
    return V(m * vec4f(q, 1), normalize(n + q), p.xy);
  }`;
const fragment = (k) => `${HEAD} @group(0) @binding(1) var s: sampler; @group(0) @binding(2) var t: texture_2d<f32>;
  @fragment fn fs(v: V) -> @location(0) vec4f {
    let l = normalize(vec3f(0.5, 0.8, 0.4)); let n = normalize(v.a); let h = pow(max(dot(n, l), 0), 8.0);
    var c = textureSample(t, s, v.b).rgb; ${statements(k, 'c = c * h + v.a;', 'c = sqrt(c + v.a) * n;')}
    return vec4f(c * max(dot(n, l), 0) + h, 1);
  }`;

/** Creates a hundred pipelines and waits until all are compiled. */
async function hundred() {
  const module = (text) => device.createShaderModule({ code: text });
  const stages = Array.from({ length: 100 }, (_, k) => (way === 'shared' ? [Math.floor(k / 10), k % 10] : [k, k]));
  const buffers = [
    {
      arrayStride: 24,
      attributes: [
        { format: 'float32x3', offset: 0, shaderLocation: 0 },
        { format: 'float32x3', offset: 12, shaderLocation: 1 },
      ],
    },
  ];
  const began = performance.now();
  modules = 0;
  // Keep a reference: unreachable pipelines are not compiled.
  const pipelines = stages.map(([v, f]) =>
    device.createRenderPipeline({
      layout: 'auto',
      vertex: { module: module(vertex(v)), buffers },
      fragment: { module: module(fragment(f)), targets: [{ format: 'rgba8unorm' }] },
    })
  );
  while (device.statistics().programs.compiled < pipelines.length && performance.now() - began < 60_000)
    await new Promise((turn) => setTimeout(turn, 1));
  return { ready: performance.now() - began, modules, pipelines: pipelines.length };
}

console.log(JSON.stringify(await (way === 'shared' || way === 'different' ? hundred() : one())));
process.exit(0);
