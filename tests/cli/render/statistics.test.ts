// What the built command says about the work for a picture: statistics, traces, and passes that show where it was.
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { STATES } from '../../../src/cli/encoding';
import type { RenderReport } from '../../../src/cli/render/report';
import type { TraceFile } from '../../../src/index';
import { Workshop } from '../program';

const workshop = new Workshop();
afterAll(() => workshop.remove());

const rasterloom = workshop.run.bind(workshop);
const picture = workshop.picture.bind(workshop);

describe('rasterloom', () => {
  it('--pass overdraw shows how often each pixel was drawn', async () => {
    const { code, out, err } = await rasterloom(
      'render',
      '--sample',
      '--size',
      '320x180',
      '--samples',
      '1',
      '--pass',
      'overdraw'
    );
    expect([code, err.replace(/[\d.]+ s/, '')]).toEqual([0, 'Wrote sample.overdraw.png in .\n']);
    expect(out).toMatch(
      new RegExp(
        /^overdraw {3}[\d.]+ fragment invocations per pixel, [\d.]+ per pixel drawn to, \d+ at most\n/.source
          + /pixels {5}[\d.]+ % with 0, [\d.]+ % with 1, [\d.]+ % with 2, [\d.]+ % with 3, /.source
          + /[\d.]+ % with 4 or more\n$/.source
      )
    );
    const { overdraw, counters, kernelTimes, height } = JSON.parse(
      (await rasterloom('render', '--sample', '--size', '320x180', '--samples', '1', '--pass', 'overdraw', '--json'))
        .out
    ) as RenderReport;
    expect(height).toBe(picture('sample.overdraw.png').height);
    expect(height).toBeGreaterThan(180);
    expect(overdraw!.mean * 320 * 180).toBeCloseTo(counters!['lanesShaded']!, 6);
    expect(Object.values(overdraw!.shares).reduce((a, b) => a + b)).toBeCloseTo(1, 12);
    // The glass sphere, its ring and the disc behind it blend.
    expect(overdraw!.maximum).toBeGreaterThan(1);
    const kernel = ['vertex', 'setup', 'raster', 'pack', 'shade', 'blend', 'resolve'];
    expect(Object.keys(kernelTimes!)).toEqual([...kernel, 'prepare', 'finish']);
    expect(kernelTimes!.prepare).toBeGreaterThan(0);
  });

  it.each([2, 8])('--pass encoding shows how %i samples per pixel are stored', async (samples) => {
    const words = ['render', '--sample', '--size', '320x180', '--samples', String(samples), '--pass', 'encoding'];
    const { code, out, err } = await rasterloom(...words);
    expect([code, err.replace(/[\d.]+ s/, '')]).toEqual([0, 'Wrote sample.encoding.png in .\n']);
    expect(out).toMatch(
      new RegExp(
        `^encoding {3}rgba8unorm-srgb, ${samples} samples per pixel: [\\d.]+ KiB of [\\d.]+ [KM]iB \\([\\d.]+ `
          + '%\\)\npixels {5}[\\d.]+ % clear, [\\d.]+ % one value, [\\d.]+ % subsets, [\\d.]+ % full\n'
          + 'bytes {6}none for clear, [\\d.]+ KiB for one value, [\\d.]+ KiB for full, [\\d.]+ KiB for subsets, '
          + 'pixels beyond the edge and unused page memory\n$'
      )
    );
    const { data, width, height } = picture('sample.encoding.png');
    const { encoding, surfaces, height: said } = JSON.parse((await rasterloom(...words, '--json')).out) as RenderReport;
    expect([width, height]).toEqual([320, said]);
    // As many pixels of each color as are reported in its state.
    const shown = STATES.map(({ color }) => {
      let count = 0;
      for (let i = 0; i < 320 * 180; i++)
        if (((data[i * 3] << 16) | (data[i * 3 + 1] << 8) | data[i * 3 + 2]) === color) count++;
      return count;
    });
    const { clear, onePerPixel, subset, full } = encoding!.pixels;
    expect(shown).toEqual([clear, onePerPixel, subset, full]);
    expect(clear + onePerPixel + subset + full).toBe(320 * 180);
    for (const count of [clear, onePerPixel, subset]) expect(count).toBeGreaterThan(1000);
    const { bytes, bytesHeld, bytesUncompressed } = encoding!;
    expect(bytes.onePerPixel).toBe(onePerPixel * 4);
    expect(bytes.full).toBe(full * 4 * samples);
    expect(bytes.rest).toBeGreaterThan(subset * 8);
    expect(bytes.onePerPixel + bytes.full + bytes.rest).toBe(bytesHeld);
    expect(bytesUncompressed).toBe(5 * 3 * 4096 * samples * 4);
    expect(bytesHeld).toBeLessThan(bytesUncompressed);
    expect(surfaces.map(({ format, sampleCount }) => [format, sampleCount])).toEqual([
      ['rgba8unorm-srgb', samples],
      ['depth32float', samples],
    ]);
    expect(surfaces[0]).toMatchObject({ bytesHeld, bytesUncompressed, pixels: encoding!.pixels });
  });

  it('reports what multisampled attachments hold, and that those of a picture are not stored', async () => {
    const surfaces = async (...words: string[]): Promise<string[]> =>
      (await rasterloom('render', '--sample', '--size', '160x90', '--stats', ...words)).out
        .split('\n')
        .filter((line) => line.startsWith('surface'));
    expect(await surfaces()).toEqual([
      'surface    samples, rgba8unorm-srgb, 4 samples per pixel: nothing of 384.0 KiB held or moved, '
        + 'because no tile was stored',
      'surface    depth, depth32float, 4 samples per pixel: nothing of 384.0 KiB held or moved, '
        + 'because no tile was stored',
    ]);
    expect(await surfaces('--samples', '1')).toEqual([]);
    const [color, depth] = await surfaces('--pass', 'encoding');
    expect(color).toMatch(
      new RegExp(
        /^surface {4}samples, rgba8unorm-srgb, 4 samples per pixel: /.source
          + /[\d.]+ KiB of 384\.0 KiB \([\d.]+ %\) held, [\d.]+ KiB of [\d.]+ KiB \([\d.]+ %\) moved; /.source
          + /tiles \d clear, \d one value, \d subsets, \d full$/.source
      )
    );
    expect(depth).toContain('nothing of 384.0 KiB held or moved');
  });

  it('--stats reports the work, and how long each part took', async () => {
    const { code, out } = await rasterloom('render', '--sample', '--size', '160x90', '--stats');
    expect(code).toBe(0);
    for (const line of [
      /^vertices {3}[\d,]+ shaded in [\d,]+ warps, [\d.]+ for each vertex used$/m,
      /^culled {5}[\d,]+ by face, [\d,]+ with zero area, [\d,]+ between samples, [\d,]+ outside, [\d,]+ behind$/m,
      /^blocks {5}[\d,]+ clear, [\d,]+ plane, [\d,]+ pixel, [\d,]+ sample$/m,
      /^quads {6}[\d,]+ tested, [\d,]+ hidden \(and [\d,]+ whole blocks\), [\d,]+ shaded in [\d,]+ warps$/m,
      /^lanes {6}[\d,]+ invocations, [\d.]+ % of lanes busy$/m,
      new RegExp(
        /^of render {2}vertex [\d.]+ ms, setup [\d.]+ ms, raster [\d.]+ ms, pack [\d.]+ ms, /.source
          + /shade [\d.]+ ms, blend [\d.]+ ms, resolve [\d.]+ ms(, added up over all workers)?$/.source,
        'm'
      ),
      /^workers {4}\d+/m,
    ])
      expect(out).toMatch(line);
  });

  it('writes a trace of the threads', async () => {
    const { code, err } = await workshop.run(
      'render',
      '--sample',
      '-s',
      '200x100',
      '--threads',
      '1',
      '--trace',
      'what.json'
    );
    expect(code, err).toBe(0);
    const { traceEvents } = JSON.parse(readFileSync(workshop.path('what.json'), 'utf8')) as TraceFile;
    const names = new Set(traceEvents.map(({ name }) => name));
    for (const name of ['thread_name', 'tile', 'geometry', 'writeTexture', 'emit', 'compile'])
      expect(names).toContain(name);
    const bad = await workshop.run('render', '--sample', '--trace', 'what.txt');
    expect([bad.code, bad.err]).toEqual([
      2,
      'rasterloom: The trace "what.txt" must end in .json, the format that trace viewers open.\n',
    ]);
    expect((await workshop.run('render', '--sample', '--trace', 'none/what.json')).err).toMatch(
      /^rasterloom: The folder ".*none" for the trace does not exist\.\n$/
    );
  });

  it('reports how many warps each stage ran', async () => {
    for (const threads of ['0', '2']) {
      const { code, out } = await rasterloom(
        'render',
        '--sample',
        '--size',
        '160x90',
        '--threads',
        threads,
        '--json',
        '-o',
        'warps.png'
      );
      expect(code).toBe(0);
      const { counters, programs } = JSON.parse(out) as RenderReport;
      const of = (kind: string): number =>
        programs!.stages.reduce((sum, stage) => sum + (stage.kind === kind ? stage.warps : 0), 0);
      expect([of('vertex'), of('fragment')]).toEqual([counters!['vertexWarps'], counters!['fragmentWarps']]);
    }
  });
});
