// Usage: node tests/images/make-references.mjs swiftshader|llvmpipe [scene …]
// Draws the image scenes with another WebGPU implementation and stores the pictures in tests/images/reference/. Needs
// `npm run build`, and the peer packages in the folder that PEER_MODULES names. Scenes that the implementation rejects
// (llvmpipe runs in compatibility mode) are named and skipped.
import { createRequire } from 'node:module';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { encode } from 'fast-png';

const [peer, ...only] = process.argv.slice(2);
const backend = { swiftshader: 'vulkan', llvmpipe: 'opengl' }[peer];
if (!backend || !process.env.PEER_MODULES) {
  console.error('usage: PEER_MODULES=… node tests/images/make-references.mjs swiftshader|llvmpipe [scene …]');
  process.exit(1);
}
const { scenes, render, openDevice, SIZE } = await import('../../build/testing/scenes.js');
const { create, globals } = await import(createRequire(`${process.env.PEER_MODULES}/`).resolve('webgpu'));
Object.assign(globalThis, globals);
const gpu = create([`backend=${backend}`]); // Dawn crashes when this object is collected while its device lives.
const device = await openDevice(gpu, peer === 'llvmpipe' ? { featureLevel: 'compatibility' } : {});

const folder = new URL(`./reference/${peer}/`, import.meta.url);
if (!only.length) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [name, scene] of Object.entries(scenes)) {
  if (only.length && !only.includes(name)) continue;
  for (const samples of scene.samples)
    try {
      const data = await render(device, scene, samples);
      writeFileSync(
        new URL(`${name}-${samples}x.png`, folder),
        encode({ width: SIZE, height: SIZE, data, channels: 4 })
      );
      const wrong = scene.expect?.(data, samples);
      if (wrong) console.error(`${name} at ${samples}: ${peer} itself is not as expected: ${wrong}`);
    } catch (error) {
      console.error(
        `${name} at ${samples}: left out: ${error.message.split('\n').slice(0, 3).join(' ').slice(0, 300)}`
      );
    }
}
process.exit(gpu ? 0 : 1); // Dawn keeps the process alive.
