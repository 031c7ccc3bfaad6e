// Draws a scene of a library: `node run.mjs SCENE SIDE FILE` writes the picture to FILE as a PNG. SIDE is a number of
// worker threads, or 'swiftshader'. What the library prints goes to the error stream.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { openStage } from './stage.mjs';

const [name, side, file] = process.argv.slice(2);
const { exit } = process;
for (const method of ['log', 'info', 'debug']) console[method] = console.error;
const { draw, options } = await import(`./scenes/${name}.mjs`);
// Loops of animation callbacks do not keep the process alive.
setInterval(() => undefined, 1000);
const stage = await openStage(side, options);
const { width, height, data } = await stage.pixels((await draw(stage)) ?? stage.canvas);
writeFileSync(
  file,
  encode({ width, height, channels: 4, data: new Uint8Array(data.buffer, data.byteOffset, data.length) })
);
for (const error of stage.errors) console.error(`WebGPU: ${error}`);
exit(stage.errors.length === 0 ? 0 : 1);
