// Runs the built command like a user.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { afterAll, describe, expect, it } from 'vitest';
import type { RenderReport } from '../../src/cli/render/report';
import { oneMesh, TRIANGLE, triangleFile } from '../gltf/build';
import { Workshop } from './program';

const ASSETS = fileURLToPath(new URL('../../../shared/assets/', import.meta.url));
const workshop = new Workshop();
afterAll(() => workshop.remove());

const rasterloom = workshop.run.bind(workshop);
const picture = workshop.picture.bind(workshop);
const hash = (name: string): string =>
  createHash('sha256')
    .update(readFileSync(workshop.path(name)))
    .digest('hex');

describe('rasterloom', () => {
  it('prints help', async () => {
    const { code, out, err } = await rasterloom('--help');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('rasterloom render model.glb -o picture.png');
    expect((await rasterloom('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('rejects unknown arguments', async () => {
    const { code, out, err } = await rasterloom('render', 'a.glb', '--smaples', '4');
    expect([code, out]).toEqual([2, '']);
    expect(err).toBe('rasterloom: There is no option --smaples. Did you mean --samples? See "rasterloom --help".\n');
  });

  it('rejects an unknown topic of help', async () => {
    expect(await rasterloom('help', 'foo')).toEqual({
      code: 2,
      out: '',
      err: 'rasterloom: There is no command "foo". See "rasterloom --help".\n',
    });
    expect((await rasterloom('help', 'tiel')).err).toContain('Did you mean "tile"?');
    expect((await rasterloom('help', 'render')).out).toContain('rasterloom render model.glb -o picture.png');
  });

  it('renders the sample, the same bytes each time', async () => {
    const first = await rasterloom('render', '--sample', '--size', '320x180', '--json');
    expect(first.err).toMatch(/^Wrote sample\.png in [\d.]+ s\.\n$/);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.out)).toMatchObject({
      model: 'sample',
      output: 'sample.png',
      width: 320,
      height: 180,
      samples: 4,
      warnings: [],
    });
    await rasterloom('render', '--sample', '--size', '320x180', '-o', 'again.png');
    expect(hash('again.png')).toBe(hash('sample.png'));
    const { width, height, channels, data } = picture('sample.png');
    expect([width, height, channels]).toEqual([320, 180, 3]);
    const colours = new Set<number>();
    for (let i = 0; i < data.length; i += 3) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    expect(colours.size).toBeGreaterThan(2000);
    expect([...data.subarray(0, 3)]).toEqual([0xcf, 0xd2, 0xd7]);
  });

  it('draws the same picture with either engine, and reports which one it was', async () => {
    const pictures = [];
    for (const engine of ['jit', 'interpreter']) {
      const { code, out } = await rasterloom(
        'render',
        '--sample',
        '--size',
        '160x90',
        '--engine',
        engine,
        '--stats',
        '-o',
        `${engine}.png`
      );
      expect(code).toBe(0);
      if (engine === 'jit')
        expect(out).toMatch(
          new RegExp(
            /^shaders {4}[1-9]\d* pipelines? compiled \([\d.]+ [KM]iB\), 0 interpreted; /.source
              + /emit [\d.]+ ms, compile [\d.]+ ms, instantiate [\d.]+ ms, warm up [\d.]+ ms$/.source,
            'm'
          )
        );
      else expect(out).toMatch(/^shaders {4}interpreted$/m);
      expect(out).toMatch(
        new RegExp(
          /^stages {5}[1-9]\d*, \d+ shared, \d+ modules? made, \d+ from memory, 0 from the shader cache, /.source
            + /\d+ kept \([\d.]+ \w+\), \d+ dropped$/.source,
          'm'
        )
      );
      expect(out).toMatch(
        new RegExp(
          /^stage {6}vertex \w+, once per vertex: [1-9]\d* draws? in [1-9]\d* pipelines?, /.source
            + /[1-9][\d,]* warps?; \d+ instructions? and \d+ per draw call, /.source,
          'm'
        )
      );
      pictures.push(picture(`${engine}.png`).data);
    }
    expect(pictures[0]).toEqual(pictures[1]);
  });

  it('draws the same picture with any number of threads, and reports how many rendered', async () => {
    const pictures = [];
    for (const threads of [0, 1, 3]) {
      const { code, out } = await rasterloom(
        'render',
        '--sample',
        '--size',
        '160x90',
        '--threads',
        String(threads),
        '--json',
        '-o',
        `${threads}.png`
      );
      expect(code).toBe(0);
      // Fewer threads rendered than requested if they had not started in time.
      expect([0, threads]).toContain((JSON.parse(out) as RenderReport).workers);
      pictures.push(picture(`${threads}.png`).data);
    }
    expect(pictures[1]).toEqual(pictures[0]);
    expect(pictures[2]).toEqual(pictures[0]);
  });

  it('keeps the given background', async () => {
    workshop.write(
      'triangle.glb',
      oneMesh((b) => ({ material: 0, attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }), {
        materials: [
          { pbrMetallicRoughness: { baseColorFactor: [1, 0, 0, 1] }, extensions: { KHR_materials_unlit: {} } },
        ],
        extensionsUsed: ['KHR_materials_unlit'],
      })
    );
    const common = ['render', 'triangle.glb', '--size', '64x64', '-c', 'orbit:0,0', '--samples'];
    expect((await rasterloom(...common, '1', '-o', 'clear.png', '-b', 'transparent')).code).toBe(0);
    const clear = picture('clear.png');
    expect(clear.channels).toBe(4);
    expect([...clear.data.subarray(63 * 4, 64 * 4)]).toEqual([0, 0, 0, 0]);
    const inside = (48 * 64 + 16) * 4;
    expect([...clear.data.subarray(inside, inside + 4)]).toEqual([255, 0, 0, 255]);
    expect((await rasterloom(...common, '4', '-o', 'half.png', '-b', '#12345678')).code).toBe(0);
    const corner = [...picture('half.png').data.subarray(63 * 4, 64 * 4)];
    [0x12, 0x34, 0x56, 0x78].forEach((x, i) => expect(Math.abs(corner[i] - x)).toBeLessThanOrEqual(1));
    const edges = picture('half.png').data.filter((_, i) => i % 4 === 3);
    expect(edges.some((a) => a > 0x78 && a < 255)).toBe(true);
  });

  it('reports an invalid model in one line, and writes nothing', async () => {
    const { json, binary } = triangleFile();
    workshop.write('data.bin', binary);
    const withUri = (uri: string) => JSON.stringify({ ...json, buffers: [{ uri, byteLength: binary.length }] });
    const header = Buffer.from('89504e470d0a1a0a0000000d49484452000186a0000186a00806000000', 'hex');
    const textured = (uri: string) =>
      oneMesh((b) => ({ material: 0, attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }), {
        materials: [{ normalTexture: { index: 0 } }],
        textures: [{ source: 0 }],
        images: [{ name: 'bumps', uri }],
      });
    const files: [string, string | Uint8Array, RegExp][] = [
      ['garbage.glb', 'not a model', /neither a \.glb nor/],
      [
        'cut.glb',
        oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } })).slice(0, 200),
        /cut off/,
      ],
      ['gone.gltf', withUri('gone.bin'), /needs the file "gone.bin", which does not exist/],
      ['up.gltf', withUri('../data.bin'), /outside its folder; use --allow-external/],
      ['net.gltf', withUri('https://example.com/data.bin'), /on the network; use --allow-network/],
      ['texture.glb', textured('bumps.png'), /needs the file "bumps.png", which does not exist/],
      [
        'huge.glb',
        textured(`data:image/png;base64,${header.toString('base64')}`),
        /The texture image "bumps" is 100000 × 100000 pixels; the limit is/,
      ],
      [
        'nan.glb',
        oneMesh((b) => ({
          attributes: {
            POSITION: b.accessor(
              'VEC3',
              TRIANGLE.map(() => NaN)
            ),
          },
        })),
        /not finite/,
      ],
    ];
    for (const [name, contents, message] of files) {
      workshop.write(name, contents);
      const { code, out, err } = await rasterloom('render', name, '-o', 'never.png');
      expect([name, code, out]).toEqual([name, 3, '']);
      expect(err).toMatch(message);
      expect(err).toMatch(/^rasterloom: [^\n]+\n$/);
    }
    workshop.write('good.gltf', withUri('data.bin'));
    expect((await rasterloom('render', 'good.gltf', '--size', '16x16')).code).toBe(0);
    expect((await rasterloom('render', 'absent.glb', '-o', 'never.png')).err).toBe(
      'rasterloom: The model "absent.glb" does not exist.\n'
    );
    expect(readdirSync(workshop.folder).filter((name) => /never|part/.test(name))).toEqual([]);
  });

  it('gives advice for a picture that does not fit into memory', async () => {
    expect(await rasterloom('render', '--sample', '-s', '8192x8192', '--samples', '16', '-o', 'never.png')).toEqual({
      code: 5,
      out: '',
      err:
        'rasterloom: Rendering failed: 8192×8192 pixels with 16 samples each need more memory than a device has; '
        + 'use a smaller --size or fewer --samples.\n',
    });
    expect(existsSync(workshop.path('never.png'))).toBe(false);
  });

  it('reads standard input and writes standard output', async () => {
    const model = oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }));
    workshop.write('tri.glb', model);
    const size = ['--size', '64x48'];
    expect((await rasterloom('render', 'tri.glb', ...size)).code).toBe(0);
    const { code, err, bytes } = await workshop.pipe(model, 'render', '-', ...size, '-o', '-', '--stats');
    expect([code, err.split('\n')[0]!.replace(/[\d.]+ s/, '')]).toEqual([
      0,
      'Wrote the picture to standard output in .',
    ]);
    expect(err).toMatch(/^triangles +1/m);
    expect(bytes).toEqual(readFileSync(workshop.path('tri.png')));
    const json = await workshop.pipe(model, 'render', '-', ...size, '-o', '-', '--json', '--pass', 'overdraw');
    expect(JSON.parse(json.err.slice(json.err.indexOf('{')))).toMatchObject({ model: '-', output: '-' });
    expect(decode(json.bytes).width).toBe(64);
    // A .gltf resolves its files in the working directory of the command.
    const { json: gltf, binary } = triangleFile();
    workshop.write('beside.bin', binary);
    const text = JSON.stringify({ ...gltf, buffers: [{ uri: 'beside.bin', byteLength: binary.length }] });
    const named = await workshop.pipe(text, 'render', '-', ...size);
    expect([named.code, named.err.replace(/[\d.]+ s/, '')]).toEqual([0, 'Wrote picture.png in .\n']);
    expect(await workshop.pipe('', 'render', '-')).toMatchObject({ code: 3, err: 'rasterloom: The file is empty.\n' });
  });

  it.skipIf(!existsSync(ASSETS)).each(['DamagedHelmet', 'chr_knight', 'whale'])(
    'renders ../shared/assets/%s.glb',
    async (name) => {
      const { code, err } = await rasterloom(
        'render',
        join(ASSETS, `${name}.glb`),
        '--size',
        '320x180',
        '-o',
        `${name}.png`
      );
      expect([code, err.replace(/[\d.]+ s/, '')]).toEqual([0, `Wrote ${name}.png in .\n`]);
      const { data } = picture(`${name}.png`);
      let drawn = 0;
      for (let i = 0; i < data.length; i += 3)
        if (data[i] !== 0xcf || data[i + 1] !== 0xd2 || data[i + 2] !== 0xd7) drawn++;
      expect(drawn).toBeGreaterThan(320 * 180 * 0.1);
    }
  );
});
