// Usage: node tests/images/make-frames.mjs swiftshader|llvmpipe [scene …]
// Draws the first frame of the bench's scenes (bench/scenes/) at a small size with another WebGPU implementation, and
// stores the pictures in tests/images/frames/, like make-references.mjs does for image scenes. Needs the same packages.
// Scenes that the implementation rejects are named and skipped.
import { createRequire } from 'node:module';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { frames, readback } from '../../bench/scenes/index.mjs';
import { SAMPLES, sizeOf } from './frame-size.mjs';

const [peer, ...only] = process.argv.slice(2);
const backend = { swiftshader: 'vulkan', llvmpipe: 'opengl' }[peer];
if (!backend || !process.env.PEER_MODULES) {
  console.error('usage: PEER_MODULES=… node tests/images/make-frames.mjs swiftshader|llvmpipe [scene …]');
  process.exit(1);
}
const { create, globals } = await import(createRequire(`${process.env.PEER_MODULES}/`).resolve('webgpu'));
Object.assign(globalThis, globals);
const gpu = create([`backend=${backend}`]); // Dawn crashes when this object is collected while its device lives.
const adapter = await gpu.requestAdapter(peer === 'llvmpipe' ? { featureLevel: 'compatibility' } : {});
const { maxStorageBuffersInVertexStage } = adapter.limits;
const device = await adapter.requestDevice({ requiredLimits: { maxStorageBuffersInVertexStage } });

const folder = new URL(`./frames/${peer}/`, import.meta.url);
if (!only.length) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [name, make] of Object.entries(frames)) {
  if (only.length && !only.includes(name)) continue;
  for (const samples of SAMPLES)
    try {
      const scene = await make(device, { ...sizeOf(name), samples });
      scene.render();
      const data = await readback(device, scene.color);
      writeFileSync(new URL(`${name}-${samples}x.png`, folder), encode({ ...sizeOf(name), data, channels: 4 }));
    } catch (error) {
      console.error(
        `${name} at ${samples}: left out: ${error.message.split('\n').slice(0, 3).join(' ').slice(0, 300)}`
      );
    }
}
process.exit(gpu ? 0 : 1); // Dawn keeps the process alive.
