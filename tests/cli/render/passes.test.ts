// Passes and formats through the built command.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readExr } from 'hdrify/dist/exr/readExr.js';
import { parseCommand } from '../../../src/cli/options/options';
import { packageFile } from '../../../src/node/codec-wasm';
import { hasAvif } from '../../../src/node/models/encoders';
import { Builder } from '../../gltf/build';
import { Workshop } from '../program';

const workshop = new Workshop();
afterAll(() => workshop.remove());

/** Two quads at different distances; the second slides to the right by one unit per second. */
function model(): Uint8Array {
  const b = new Builder();
  const attributes = { POSITION: b.accessor('VEC3', Float32Array.of(-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0)) };
  const times = b.accessor('SCALAR', Float32Array.of(0, 1));
  const ways = b.accessor('VEC3', Float32Array.of(0, 0, 1, 1, 0, 1));
  return b.glb({
    scene: 0,
    scenes: [{ nodes: [0, 1] }],
    nodes: [
      { mesh: 0, name: 'wall', scale: [2, 2, 1] },
      { mesh: 0, name: 'card', scale: [0.5, 0.5, 1], translation: [0, 0, 1] },
    ],
    meshes: [{ primitives: [{ attributes, indices: b.accessor('SCALAR', Uint8Array.of(0, 1, 2, 0, 2, 3)) }] }],
    animations: [
      {
        samplers: [{ input: times, output: ways }],
        channels: [{ sampler: 0, target: { node: 1, path: 'translation' } }],
      },
    ],
  });
}

const VIEW = ['-s', '64x64', '-c', 'look:0,0,5,0,0,0'];
beforeAll(() => workshop.write('model.glb', model()));

/** Mean difference of NAME.avif and NAME.png in steps of 8 bits. */
async function differenceOf(name: string, bitDepth: 8 | 10 | 12): Promise<number> {
  const decoder = createRequire(import.meta.url).resolve('@jsquash/avif/decode.js');
  const { init, default: decode } = (await import(decoder)) as {
    init(options: object): Promise<void>;
    default(bytes: Uint8Array, options: object): Promise<{ data: Uint8ClampedArray | Uint16Array }>;
  };
  await init({ wasmBinary: packageFile('@jsquash/avif/codec/dec/avif_dec.wasm') });
  const pixels = (await decode(new Uint8Array(readFileSync(workshop.path(`${name}.avif`))), { bitDepth })).data;
  const { data, depth } = workshop.picture(`${name}.png`);
  const [step, pngStep] = [(2 ** bitDepth - 1) / 255, (2 ** depth - 1) / 255];
  let sum = 0;
  for (let i = 0; i < 64 * 64; i++)
    for (let c = 0; c < 3; c++) sum += Math.abs(pixels[4 * i + c] / step - data[3 * i + c] / pngStep);
  return sum / (64 * 64 * 3);
}

describe('render --pass', () => {
  it('draws several passes at once, and says what their samples stand for', async () => {
    const passes = 'color,depth,normal,object,material,albedo';
    const { code, out, err } = await workshop.run('render', 'model.glb', ...VIEW, '--pass', passes, '--json');
    expect([code, err.replace(/[\d.]+ s/, '')]).toEqual([0, 'Wrote model.color.png and 5 more in .\n']);
    const report = JSON.parse(out) as {
      pass: string;
      frames: number;
      pictures: { output: string; pass: string; depthRange?: number[]; legend?: { id: number; name: string }[] }[];
    };
    expect([report.pass, report.frames]).toEqual([passes, 6]);
    expect(report.pictures.map(({ output }) => output)).toEqual(passes.split(',').map((pass) => `model.${pass}.png`));
    const of = (name: string): (typeof report.pictures)[number] => report.pictures.find(({ pass }) => pass === name)!;
    expect(of('depth').depthRange!.map((x) => Math.round(x * 1e4) / 1e4)).toEqual([4, 5]);
    expect(of('object').legend!.map(({ id, name }) => [id, name])).toEqual([
      [1, 'wall'],
      [2, 'card'],
    ]);
    expect(of('material').legend!.map(({ id, name }) => [id, name])).toEqual([[1, 'default material']]);
    const centre = (pass: string): number[] => {
      const { data, channels, width } = workshop.picture(`model.${pass}.png`);
      return [...data.slice(channels * (32 * width + 32), channels * (32 * width + 33))];
    };
    expect([centre('depth'), centre('normal'), centre('object'), centre('material')]).toEqual([
      [0],
      [128, 128, 255, 255],
      [0, 0x80, 0],
      [0x80, 0, 0],
    ]);
    await workshop.run('render', 'model.glb', ...VIEW, '--pass', 'ao', '--ao-radius', '0.01', '-o', 'small.png');
    await workshop.run('render', 'model.glb', ...VIEW, '--pass', 'ao', '--ao-radius', '4', '-o', 'large.png');
    const least = (name: string): number => Math.min(...workshop.picture(name).data);
    expect(least('small.png')).toBeGreaterThan(240);
    expect(least('large.png')).toBeLessThan(220);
  });

  it('writes 16 bits, and distances in a given range', async () => {
    const words = ['render', 'model.glb', ...VIEW, '--depth', '16'];
    await workshop.run(...words, '--pass', 'depth,object', '--depth-range', '3,6', '-o', 'deep.{pass}.png');
    const depth = workshop.picture('deep.depth.png');
    expect([depth.depth, depth.channels]).toEqual([16, 1]);
    const levels = [...new Set(depth.data)].sort((a, b) => a - b);
    // At 4 and 5 of 3 to 6, each within rounding of single precision.
    expect(levels.map((level) => Math.round((level / 65534) * 3e3))).toEqual([1000, 2000]);
    expect([...new Set(workshop.picture('deep.object.png').data)].sort()).toEqual([1, 2]);
  });

  it('writes linear light to OpenEXR files', async () => {
    const { code } = await workshop.run('render', 'model.glb', ...VIEW, '-o', 'light.exr', '-b', '#808080');
    expect(code).toBe(0);
    const plain = readExr(readFileSync(workshop.path('light.exr')));
    await workshop.run('render', 'model.glb', ...VIEW, '-o', 'bright.exr', '--exposure', '2');
    const bright = readExr(readFileSync(workshop.path('bright.exr')));
    expect([plain.width, plain.height]).toEqual([64, 64]);
    const at = 4 * (32 * 64 + 32);
    expect(bright.data[at] / plain.data[at]).toBeCloseTo(4, 2);
  });

  it('says how far surfaces move until the next frame', async () => {
    const words = ['render', 'model.glb', ...VIEW, '--pass', 'motion', '--time', '0.25', '--depth', '16'];
    const { code, out } = await workshop.run(...words, '--fps', '10', '-o', 'motion.png');
    expect([code, out.replace(/ +/g, ' ')]).toEqual([0, 'motion 64.0000 steps per pixel\n']);
    const { data } = workshop.picture('motion.png');
    const at = (x: number): number[] => [...data.slice(3 * (32 * 64 + x), 3 * (32 * 64 + x) + 3)];
    // A tenth of a unit at a distance of 4, in a picture that is 2 · 4 · tan 15° units high.
    const pixels = (0.1 * 64) / (8 * Math.tan(Math.PI / 12));
    expect(at(32)).toEqual([Math.round(32768 + 64 * pixels), 32768, 1]);
    expect(at(5)).toEqual([32768, 32768, 1]);
  });

  it('writes AVIF by an optional package, and names it if it is missing', async () => {
    const words = ['render', 'model.glb', ...VIEW, '-o', 'light.avif', '--quality', '90'];
    const { code, err } = await workshop.run(...words);
    if (!hasAvif()) {
      expect([code, err]).toEqual([
        2,
        'rasterloom: The picture "light.avif" needs the package @jsquash/avif; '
          + 'install it by npm install @jsquash/avif.\n',
      ]);
      return;
    }
    expect(code).toBe(0);
    const file = readFileSync(workshop.path('light.avif'));
    expect(file.toString('latin1', 4, 12)).toBe('ftypavif');
    await workshop.run('render', 'model.glb', ...VIEW, '-o', 'light.png');
    expect(await differenceOf('light', 8)).toBeLessThan(3);
  });

  it.skipIf(!hasAvif())('writes AVIF with 10 and 12 bits', async () => {
    await workshop.run('render', 'model.glb', ...VIEW, '-o', 'deep.png', '--depth', '16');
    for (const bits of [10, 12] as const) {
      const words = ['-o', 'deep.avif', '--quality', '90', '--depth', String(bits)];
      expect((await workshop.run('render', 'model.glb', ...VIEW, ...words)).code).toBe(0);
      const file = readFileSync(workshop.path('deep.avif'));
      // The property with the bits of each channel (ISO/IEC 23008-12 §6.5.6).
      const property = file.indexOf('pixi', 0, 'latin1') + 8;
      expect([...file.subarray(property, property + 4)]).toEqual([3, bits, bits, bits]);
      expect(await differenceOf('deep', bits)).toBeLessThan(3);
    }
  });

  it('refuses a picture in which nothing was drawn', async () => {
    const words = ['render', 'model.glb', '-s', '64x64', '-c', 'look:10,0,5,10,0,0', '--pass', 'depth'];
    expect((await workshop.run(...words)).code).toBe(6);
    expect((await workshop.run(...words, '--allow-empty')).code).toBe(0);
  });
});

describe('the arguments', () => {
  it.each([
    [
      ['--pass', 'color,depth', '-o', 'a.png'],
      '--output needs {pass} for 2 passes, as in -o \'out/{name}.{pass}.png\', not "a.png".',
    ],
    [['--pass', 'depth,depth'], '--pass "depth,depth" names depth twice.'],
    [['--pass', 'depth,'], 'There is no pass "".'],
    [['--pass', 'normals'], 'There is no pass "normals". Did you mean normal?'],
    [['--pass', 'normal', '-o', 'a.webp'], '--pass normal cannot be written to a .webp file: it would lose its values'],
    [['--pass', 'albedo', '-o', 'a.jpg'], '--pass albedo cannot be written to a .jpg file: it has a transparent'],
    [['--pass', 'overdraw', '-o', 'a.exr'], '--pass overdraw cannot be written to a .exr file: it has a legend'],
    [['--depth', '11'], '--depth must be 8, 10, 12, 16 or 32, not "11".'],
    [['--depth', '32'], 'A .png file has 8 or 16 bits per channel, not --depth 32.'],
    [['--depth', '8', '-o', 'a.exr'], 'A .exr file has 16 or 32 bits per channel, not --depth 8.'],
    [['--depth', '16', '-o', 'a.avif'], 'A .avif file has 8, 10 or 12 bits per channel, not --depth 16.'],
    [['--depth', '10'], 'A .png file has 8 or 16 bits per channel, not --depth 10.'],
    [['--depth', '16', '-o', 'a.jpeg'], 'A .jpeg file has 8 bits per channel, not --depth 16.'],
    [
      ['--depth', '32', '-o', 'a.exr'],
      '--pass color is drawn with 16 bits per channel, so that --depth 32 has no effect.',
    ],
    [['--depth', '16', '--pass', 'overdraw'], '--pass overdraw has colours with 8 bits, so that --depth 16 has no'],
    [['--depth-range', '1,2'], '--depth-range needs --pass depth.'],
    [['--depth-range', '2,1', '--pass', 'depth'], '--depth-range must be two distances, the smaller one first'],
    [['--depth-range', '1', '--pass', 'depth'], '--depth-range must be two distances, the smaller one first'],
    [['--depth-range', '1,2', '--pass', 'depth', '-o', 'a.exr'], '--depth-range is for .png files'],
    [['--frames', '3', '-o', 'a.png', '--pass', 'depth'], 'An animated picture has colours, not --pass depth; give'],
    [['--frames', '3', '-o', 'a.png', '--depth', '16'], 'An animated picture has 8 bits per channel, not --depth 16'],
    [['--frames', '3', '-o', '{pass}.png', '--pass', 'color,albedo'], 'An animated picture has one pass, not 2; give'],
    [['--ao-radius', '1'], '--ao-radius needs --pass ao.'],
    [['--ao-radius', '0', '--pass', 'ao'], '--ao-radius must be a distance above 0, in units of the model, not "0".'],
    [['--pass', 'motion'], '--pass motion needs --time, --animation, --frames or --turntable.'],
    [['--fps', '12'], '--fps needs --frames, --turntable or --pass motion.'],
    [['--pass', 'motion', '--time', '0', '--fps', '0'], '--fps must be a number above 0 and up to 1000, not "0".'],
  ])('%j are refused', (words, message) => {
    expect(() => parseCommand(['render', 'a.glb', ...words])).toThrow(message);
  });
});
