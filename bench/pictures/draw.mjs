// node bench/pictures/draw.mjs WORKERS SIZE [scene,scene]
// Draws scenes by the test kit, and prints a line of JSON for each: { name, hash, colors } or { name, error }.
import { createHash } from 'node:crypto';
import { install } from '../../build/index.js';
import { renderScene } from '../../build/testing.js';
import { pictures } from './scenes.mjs';

const [workers, size, only] = process.argv.slice(2);
const [width, height] = size.split('x').map(Number);
install({ threads: Number(workers) });
for (const name of only ? only.split(',') : pictures.keys()) {
  try {
    const { data } = await renderScene(pictures.get(name), {
      width,
      height,
      frame: 4,
      seed: 7,
      loadTimeoutMs: 600_000,
    });
    const hash = createHash('sha256').update(data).digest('hex');
    console.log(JSON.stringify({ name, hash, colors: new Set(new Uint32Array(data.buffer)).size }));
  } catch (error) {
    console.log(JSON.stringify({ name, error: String(error.stack).slice(0, 600) }));
  }
}
// Engines keep timers.
process.exit(0);
