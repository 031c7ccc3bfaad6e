// node bench/three/first-run.mjs SIDE SCENE: draws the first frame of a scene in this process, and prints one line of
// JSON: `ms`, and `cpu`, the processor time of all threads, of building the scene and of its first frame. The device
// exists before. SIDE: `nothing`, which measures three.js itself, `swiftshader`, `llvmpipe`, or the path of a build.
// SHADER_CACHE: the folder of a build's shader cache.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { looks } from './looks.mjs';
import { scenes } from './scenes.mjs';
import { build, openOurs, openPeer } from './stage.mjs';

const BACKENDS = { swiftshader: 'vulkan', llvmpipe: 'opengl' };
const size = { width: 640, height: 360 };
const [side, name] = process.argv.slice(2);

async function openBuild() {
  const { SHADER_CACHE: shaderCache } = process.env;
  const options = shaderCache ? { shaderCache } : {};
  const stage = await openOurs({ ...size, entry: pathToFileURL(resolve(side)).href, options });
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice({ requiredFeatures: [...adapter.features] });
  return { ...stage, parameters: { device } };
}

async function openNothing() {
  const { blankContext, blankDevice } = await import('./nothing.mjs');
  const stage = await openOurs({ ...size, entry: pathToFileURL(resolve('build/index.js')).href });
  const context = blankContext();
  const device = blankDevice(await navigator.gpu.requestAdapter());
  return { ...stage, parameters: { device, context } };
}

const stage = await (side === 'nothing'
  ? openNothing()
  : side in BACKENDS
    ? openPeer({ ...size, backend: BACKENDS[side], modules: process.env.PEER_MODULES })
    : openBuild());
// llvmpipe cannot multisample half floats.
stage.parameters.antialias = false;
const spent = process.cpuUsage();
const began = performance.now();
const { frame } = await build(stage, { ...scenes, ...looks }[name]);
await frame(0.5);
const ms = performance.now() - began;
const { user, system } = process.cpuUsage(spent);
console.log(JSON.stringify({ ms, cpu: (user + system) / 1000 }));
// Dawn keeps the process alive.
process.exit(0);
