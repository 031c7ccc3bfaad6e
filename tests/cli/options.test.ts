import { closestWord } from '../../src/base/closest-word';
import { describe, expect, it } from 'vitest';
import { parseBackground, parseCommand, type RenderCommand } from '../../src/cli/options/options';
import { parseCamera } from '../../src/cli/options/view-options';

const render = (...words: string[]): RenderCommand => parseCommand(['render', ...words]) as RenderCommand;
const refusal = (...words: string[]): string => {
  try {
    parseCommand(words);
  } catch (error) {
    expect((error as Error).name).toBe('CommandError');
    return (error as Error).message;
  }
  throw new Error(`accepted: ${words.join(' ')}`);
};

const PASSES = 'color, albedo, depth, normal, object, material, ao, motion, overdraw, encoding, shading-rate.';

describe('parseCommand', () => {
  it('has defaults for everything but the model', () => {
    expect(render('models/chair.glb')).toMatchObject({
      kind: 'render',
      models: ['models/chair.glb'],
      pass: 'color',
      output: '{name}.png',
      quiet: false,
      width: 1280,
      height: 720,
      samples: 4,
      engine: 'auto',
      threads: undefined,
      view: { orbit: { azimuth: 30, elevation: 18, distance: undefined } },
      lens: undefined,
      shadingRate: undefined,
      background: [0xcf, 0xd2, 0xd7, 255],
      stats: false,
      json: false,
      allowExternal: false,
      allowNetwork: false,
    });
  });

  it('accepts every option', () => {
    expect(
      render(
        'a.gltf',
        '-o',
        'x/b.PNG',
        '--size=64x32',
        '--samples',
        '1',
        '--pass',
        'overdraw',
        '--engine',
        'jit',
        '--threads',
        '12',
        '-c',
        'orbit:-45,10.5,3',
        '--aperture',
        'f/4',
        '--focus',
        '2',
        '--shading-rate',
        '2x2',
        '-b',
        'transparent',
        '--stats',
        '--json',
        '--allow-external',
        '--allow-network'
      )
    ).toMatchObject({
      output: 'x/b.PNG',
      pass: 'overdraw',
      width: 64,
      height: 32,
      samples: 1,
      engine: 'jit',
      threads: 12,
      view: { orbit: { azimuth: -45, elevation: 10.5, distance: 3 } },
      lens: { aperture: { fNumber: 4 }, focus: 2 },
      shadingRate: { everywhere: '2x2' },
      background: [0, 0, 0, 0],
      stats: true,
      json: true,
      allowExternal: true,
      allowNetwork: true,
    });
  });

  it('accepts no threads, and as many as a device does', () => {
    expect([render('a.glb', '--threads', '0').threads, render('a.glb', '--threads', '64').threads]).toEqual([0, 64]);
  });

  it('knows the sample, help and version', () => {
    expect(render('--sample')).toMatchObject({ models: [], output: '{name}.png' });
    expect(render('--sample', '--pass', 'color').output).toBe('{name}.png');
    expect(render('m/chair.gltf', '--pass', 'overdraw').output).toBe('{name}.overdraw.png');
    expect(render('m/chair.gltf', '--pass', 'encoding', '--samples', '16')).toMatchObject({
      pass: 'encoding',
      samples: 16,
      output: '{name}.encoding.png',
    });
    for (const words of [[], ['help'], ['--help'], ['render', '-h']])
      expect(parseCommand(words)).toEqual({ kind: 'help' });
    for (const words of [['version'], ['-v'], ['--version']]) expect(parseCommand(words)).toEqual({ kind: 'version' });
  });

  it.each([
    [
      ['render', 'a.glb', '--smaples', '4'],
      'There is no option --smaples. Did you mean --samples? See "rasterloom --help".',
    ],
    [['render', 'a.glb', '--frobnicate'], 'There is no option --frobnicate. See "rasterloom --help".'],
    [['rendr', 'a.glb'], 'There is no command "rendr". Did you mean "render"? See "rasterloom --help".'],
    [
      ['model.glb'],
      'There is no command "model.glb". Did you mean "rasterloom render model.glb"? See "rasterloom --help".',
    ],
    [['render'], 'Name a model to render, or use --sample for the one that comes with rasterloom.'],
    [
      ['render', 'a.glb', '-o', 'out/{nmae}.png'],
      'There is no placeholder "{nmae}" for --output. The placeholders are {name}, {n}, {frame}, {view}, {animation}, '
        + '{variant}, {scene}, {pass}; {n:3} is n with at least three digits.',
    ],
    [
      ['render', 'a.glb', '-o', '{name:3}.png'],
      '"{name:3}" in --output must be {name}: only {n} and {frame} have digits.',
    ],
    [['render', 'a.glb', '--sample'], 'Give either a model or --sample, not both.'],
    [['--stats'], 'A command is missing. Example: rasterloom render model.glb -o picture.png'],
    [['render', 'a.glb', '-o', 'a.gif'], 'The picture "a.gif" must end in .png, .jpg, .jpeg, .webp, .avif or .exr.'],
    [
      ['render', 'a.glb', '-o', 'a.jpg', '-b', 'transparent'],
      'A JPEG picture cannot be transparent: use .png or .webp, or another --background.',
    ],
    [['render', 'a.glb', '--size', '1280'], '--size must be width and height in pixels, as in 1280x720, not "1280".'],
    [['render', 'a.glb', '--size', '0x5'], '--size must be width and height in pixels, as in 1280x720, not "0x5".'],
    [['render', 'a.glb', '--size', '99999x5'], '--size 99999x5 is too large: a side has at most 8192 pixels.'],
    [
      ['render', 'a.glb', '--pass', 'overdrew'],
      'There is no pass "overdrew". Did you mean overdraw? --pass is one of ' + PASSES,
    ],
    [
      ['render', 'a.glb', '--engine', 'interpret'],
      'There is no engine "interpret". Did you mean interpreter? --engine is one of auto, jit, interpreter.',
    ],
    [['render', 'a.glb', '--engine', 'fast'], 'There is no engine "fast". --engine is one of auto, jit, interpreter.'],
    [['render', 'a.glb', '--pass', 'specular'], 'There is no pass "specular". --pass is one of ' + PASSES],
    [
      ['render', 'a.glb', '--pass', 'encodings'],
      'There is no pass "encodings". Did you mean encoding? --pass is one of ' + PASSES,
    ],
    [
      ['render', 'a.glb', '--pass', 'encoding', '--samples', '1'],
      '--pass encoding shows how the samples of a pixel are stored, but --samples 1 has only one: '
        + 'use --samples 2, 4, 8 or 16.',
    ],
    [
      ['render', 'a.glb', '--pass', 'shading-rate'],
      '--pass shading-rate needs --shading-rate, as in --shading-rate auto.',
    ],
    [['render', 'a.glb', '--focus', '2'], '--focus needs --aperture: without an aperture, everything is in focus.'],
    [
      ['render', 'a.glb', '--aperture', '-1'],
      '--aperture must be the diameter of the lens in units of the model, as in 0.05, or an f-number, '
        + 'as in f/2.8, not "-1".',
    ],
    [['render', 'a.glb', '--samples', '3'], '--samples must be 1, 2, 4, 8 or 16, not "3".'],
    [['render', 'a.glb', '--threads', '65'], '--threads must be a whole number from 0 to 64, not "65".'],
    [['render', 'a.glb', '--threads=-1'], '--threads must be a whole number from 0 to 64, not "-1".'],
    [['render', 'a.glb', '--threads', '-1'], '--threads must be a whole number from 0 to 64, not "-1".'],
    [['render', 'a.glb', '-s', '-5'], '--size must be width and height in pixels, as in 1280x720, not "-5".'],
    [['render', 'a.glb', '--threads', '1.5'], '--threads must be a whole number from 0 to 64, not "1.5".'],
    [['render', 'a.glb', '--threads', 'all'], '--threads must be a whole number from 0 to 64, not "all".'],
    [
      ['render', 'a.glb', '--thread', '2'],
      'There is no option --thread. Did you mean --threads? See "rasterloom --help".',
    ],
  ])('%j is rejected', (words, message) => {
    expect(refusal(...words)).toBe(message);
  });

  it('rejects an option without its value, and a value where none belongs', () => {
    expect(refusal('render', 'a.glb', '--size')).toMatch(/--size.*See "rasterloom --help"\.$/);
    expect(refusal('render', 'a.glb', '--stats=yes')).toMatch(/--stats.*See "rasterloom --help"\.$/);
  });
});

describe('parseCamera', () => {
  it.each([
    '30,18',
    'orbit:',
    'orbit:30',
    'orbit:a,b',
    'orbit:30,18,2,1',
    'orbit:30,91',
    'orbit:30,18,0',
    'orbit:30,18,-2',
    'orbit:30,,2',
    'orbit:1e9,0',
    'orbit:NaN,0',
  ])('rejects %s', (text) => {
    expect(() => parseCamera(text)).toThrow(/camera/i);
  });
});

describe('parseBackground', () => {
  it.each([
    ['#fff', [255, 255, 255, 255]],
    ['#1a2B3c', [0x1a, 0x2b, 0x3c, 255]],
    ['#11223344', [0x11, 0x22, 0x33, 0x44]],
    ['#abcd', [0xaa, 0xbb, 0xcc, 0xdd]],
    ['white', [255, 255, 255, 255]],
    ['Navy', [0, 0, 128, 255]],
    ['transparent', [0, 0, 0, 0]],
  ])('%s', (text, expected) => {
    expect(parseBackground(text)).toEqual(expected);
  });

  it('rejects others, with a suggestion', () => {
    expect(() => parseBackground('whit')).toThrow('Did you mean "white"?');
    for (const text of ['', '#12345', '#ggg', 'constructor'])
      expect(() => parseBackground(text)).toThrow(/--background must be a colour/);
  });
});

describe('closestWord', () => {
  it('suggests words with up to a third of the letters wrong', () => {
    expect(closestWord('--sampel', ['--size', '--sample', '--samples'])).toBe('--sample');
    expect(closestWord('--xyz', ['--size', '--sample'])).toBeUndefined();
  });
});
