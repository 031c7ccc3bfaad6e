// Draws the pictures of docs/guides/gltf-options.md, gltf-animations.md and gltf-thumbnails.md with the command, after
// `npm run build`:
//
//   node examples/options/pictures.mjs [TEXT]     only files whose name contains the text
//
// Each picture is a file in this folder, of less than 20 kB: NAME.webp, or NAME.png for passes, whose values a lossy
// file would change.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { createCanvas } from '../../build/index.js';
import { makeCurve, makeRobot } from './models.mjs';

const FOLDER = fileURLToPath(new URL('./', import.meta.url));
const COMMAND = fileURLToPath(new URL('../../build/cli.js', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../sample.glb', import.meta.url));
const MOST_BYTES = 20_000;
const work = mkdtempSync(join(tmpdir(), 'rasterloom-options-'));
const ROBOT = join(work, 'robot.glb');
const STAGE = join(work, 'stage.glb');
const CURVE = join(work, 'curve.glb');

const SIZE = ['-s', '240x180'];
/** The left half of the sample scene, closer: glass, metal, paint and chalk. */
const BALLS = ['-c', 'look:-1.2,1.5,7.2,-0.55,0.55,0', '--fov', '24'];
/** Along the row of balls, from near to far. */
const ROW = ['-c', 'look:-3.2,0.8,4.1,0.5,0.5,0.2', '--fov', '26'];
/** Little light but that of the stage. */
const DIM = ['-c', 'orbit:-20,25', '--env-intensity', '0.25', '--env', 'night'];
const FRONT = ['-c', 'orbit:20,8'];

/** Diagnostic passes have a legend below. */
const MAP = ['-s', '400x250', '--quality', '60'];

/** Pictures with one value of an option each: [name, values, model, other arguments, ending]. */
const ROWS = [
  ['tone-mapping', ['neutral', 'aces', 'agx', 'linear'], SAMPLE, [...BALLS, '--exposure', '1']],
  ['exposure', ['-2', '-1', '0', '1'], SAMPLE, BALLS],
  ['env', ['studio', 'sky', 'sunset', 'night'], SAMPLE, BALLS],
  ['env-rotation', ['0', '90', '180', '270'], SAMPLE, [...BALLS, '--env', 'sunset']],
  ['env-intensity', ['0.25', '0.5', '1', '2'], SAMPLE, BALLS],
  ['env-background', ['0', '0.2', '0.5', '1'], SAMPLE, [...BALLS, '--env', 'sunset']],
  ['shadows', ['on', 'off'], STAGE, DIM],
  ['shadow-size', ['64', '256', '1024', '4096'], STAGE, DIM],
  ['background', ['#cfd2d7', 'white', '#203040', 'transparent'], ROBOT, FRONT],
  ['camera', ['orbit:30,18', 'orbit:180,10', 'orbit:0,90', 'orbit:30,18,2'], ROBOT, []],
  ['camera', ['file:front', 'file:above', 'look:1,0.3,2,0,1.1,0'], ROBOT, []],
  ['fov', ['10', '30', '60', '90'], SAMPLE, ['-c', 'orbit:20,12']],
  ['margin', ['0', '0.05', '0.2', '0.4'], ROBOT, FRONT],
  ['focus', ['2', '3', '5', '8'], SAMPLE, [...ROW, '--aperture', '0.3']],
  ['aperture', ['0.1', '0.3', '0.6'], SAMPLE, [...ROW, '--focus', '3']],
  ['variant', ['red', 'green', 'steel'], ROBOT, FRONT],
  ['time', ['0', '0.25', '0.5', '0.75'], ROBOT, ['-c', 'orbit:60,8', '--animation', 'Walk']],
  ['animation', ['Wave', 'Walk'], ROBOT, [...FRONT, '--time', '0.2']],
  ['line-width', ['1', '2', '4', '8'], CURVE, ['-c', 'orbit:10,20', '--point-size', '1']],
  ['point-size', ['1', '3', '6', '12'], CURVE, ['-c', 'orbit:10,20']],
  ['pass', ['color', 'albedo'], SAMPLE, []],
  ['pass', ['depth', 'normal', 'object', 'material'], SAMPLE, ['-s', '200x150'], 'png'],
  ['pass', ['motion'], ROBOT, ['--animation', 'Walk', '--time', '0.1'], 'png'],
  ['pass', ['overdraw', 'encoding', 'shading-rate'], SAMPLE, [...MAP, '--shading-rate', 'auto']],
  ['depth-range', ['0,13', '6,13', '8,11'], SAMPLE, ['--pass', 'depth'], 'png'],
  ['ao-radius', ['0.2', '0.6', '2'], SAMPLE, ['--pass', 'ao', '-s', '200x150'], 'png'],
  ['quality', ['1', '20', '80'], SAMPLE, BALLS],
];

/** Animated pictures have many frames. */
const SMALL = ['-s', '132x176', '--quality', '50'];

/** Pictures that no row has: [name, model, arguments]. */
const SINGLE = [
  ['orthographic-off', SAMPLE, ['-c', 'orbit:20,12', '--fov', '60']],
  ['orthographic-on', SAMPLE, ['-c', 'orbit:20,12', '--orthographic']],
  ['ground-off', ROBOT, ['-c', 'orbit:30,25']],
  ['ground-on', ROBOT, ['-c', 'orbit:30,25', '--ground']],
  ['aperture-none', SAMPLE, ROW],
  ['turntable-{frame}', ROBOT, ['--turntable', '4', '-s', '180x240']],
  ['walk-{frame}', ROBOT, ['--animation', 'Walk', '--frames', '6', '--fps', '6', '-s', '120x160', '-c', 'orbit:60,8']],
  ['walk', ROBOT, ['--animation', 'Walk', '--frames', '12', '--fps', '12', ...SMALL, '-c', 'orbit:60,8']],
  ['turn', ROBOT, ['--turntable', '20', '--fps', '10', ...SMALL, '-c', 'orbit:0,8']],
  ['thumbnail', SAMPLE, ['-s', '256x256', '-b', 'transparent']],
];

/** Enlarged parts of pictures: [name, values]. Each pixel becomes a square, so that steps at edges can be seen. */
const ENLARGED = [
  ['samples', ['1', '2', '4', '16']],
  ['shading-rate', ['1x1', '2x2', '4x4', '4x2']],
];
const ZOOM = 4;

const fileName = (option, value, ending = 'webp') => `${option}-${value.replaceAll(/[^\w.-]+/g, '_')}.${ending}`;

function render(model, output, args) {
  const options = [...SIZE, '--quiet', '--allow-empty', ...args];
  execFileSync(process.execPath, [COMMAND, 'render', model, '-o', output, ...options]);
}

async function enlarge(png, file) {
  const { data, width, height, channels } = decode(readFileSync(png));
  const canvas = createCanvas(width * ZOOM, height * ZOOM);
  const context = canvas.getContext('2d');
  const image = context.createImageData(canvas.width, canvas.height);
  for (let y = 0, at = 0; y < canvas.height; y++)
    for (let x = 0; x < canvas.width; x++, at += 4) {
      const from = (Math.floor(y / ZOOM) * width + Math.floor(x / ZOOM)) * channels;
      image.data.set([...data.subarray(from, from + 3), 255], at);
    }
  context.putImageData(image, 0, 0);
  const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.9 });
  writeFileSync(file, new Uint8Array(await blob.arrayBuffer()));
}

/** All pictures: the name of a file, and a function that draws it. */
function* pictures() {
  for (const [option, values, model, args, ending] of ROWS)
    for (const value of values)
      yield [fileName(option, value, ending), (file) => render(model, file, [...args, `--${option}=${value}`])];
  for (const [name, model, args] of SINGLE) yield [`${name}.webp`, (file) => render(model, file, args)];
  for (const [option, values] of ENLARGED)
    for (const value of values)
      yield [
        fileName(option, value),
        async (file) => {
          const png = join(work, 'small.png');
          render(SAMPLE, png, ['-s', '60x45', ...BALLS, '--fov', '6', `--${option}=${value}`]);
          await enlarge(png, file);
        },
      ];
}

writeFileSync(ROBOT, await makeRobot());
writeFileSync(STAGE, await makeRobot({ stage: true }));
writeFileSync(CURVE, await makeCurve());
for (const [name, draw] of pictures()) {
  if (!name.includes(process.argv[2] ?? '')) continue;
  await draw(FOLDER + name);
}
rmSync(work, { recursive: true });
for (const name of readdirSync(FOLDER))
  if (/\.(webp|png)$/.test(name) && statSync(FOLDER + name).size > MOST_BYTES) throw new Error(`${name} is too large`);
