import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PictureLight } from '../../src/cli/light';
import { parseLight } from '../../src/cli/options/light-options';
import { DEFAULT_LIGHT } from '../../src/gltf/light/settings';

const noCache = (): Promise<null> => Promise.resolve(null);

describe('options of the light', () => {
  it('have defaults', async () => {
    const light = parseLight({});
    expect(light.environment).toBeUndefined();
    expect((await PictureLight.read(light, 1 << 20, noCache)).settings).toEqual(DEFAULT_LIGHT);
  });

  it('are parsed', () => {
    expect(
      parseLight({
        env: 'x/a.HDR',
        'env-rotation': '-90',
        'env-intensity': '2.5',
        'env-background': '0.25',
        exposure: '-1',
        'tone-mapping': 'agx',
        'shadow-size': '512',
        ground: true,
      })
    ).toMatchObject({
      environment: { file: 'x/a.HDR' },
      rotation: -90,
      intensity: 2.5,
      backdrop: 0.25,
      exposure: -1,
      toneMapping: 'agx',
      shadowSize: 512,
      ground: true,
    });
  });

  it('turn shadows off', () => {
    expect(parseLight({ shadows: 'off' }).shadowSize).toBeUndefined();
  });

  it.each([
    [{ env: 'skyy' }, 'not "skyy". Did you mean sky?'],
    [{ env: 'a.png' }, '--env must be a file that ends in .hdr or .exr, or one of studio, sky, sunset, night'],
    [{ 'env-rotation': '90' }, '--env-rotation turns an environment of --env'],
    [{ env: 'sky', 'env-rotation': '400' }, '--env-rotation must be a number from -360 to 360 (degrees), not "400".'],
    [{ 'env-intensity': '-1' }, '--env-intensity must be a number from 0 to 1000'],
    [{ 'env-background': 'x' }, '--env-background must be a number from 0 to 1'],
    [{ exposure: '99' }, '--exposure must be a number from -20 to 20 (stops)'],
    [{ shadows: 'yes' }, '--shadows must be on or off, not "yes".'],
    [{ 'shadow-size': '63' }, '--shadow-size must be a whole number of texels from 64 to 4096, not "63".'],
    [{ 'shadow-size': '1e3' }, '--shadow-size must be a whole number'],
    [{ shadows: 'off', 'shadow-size': '64' }, '--shadow-size has no effect with --shadows off'],
    [{ 'tone-mapping': 'acess' }, 'Did you mean aces?'],
  ])('%o is refused', (values, message) => {
    expect(() => parseLight(values)).toThrow(message);
  });
});

describe('files of environments', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, 'latin1');
    return join(folder, name);
  };
  const light = async (path: string, most = 1 << 20): Promise<unknown> =>
    (await PictureLight.read(parseLight({ env: path }), most, noCache)).settings;

  it('that are missing, too large or damaged are refused', async () => {
    await expect(light(join(folder, 'none.hdr'))).rejects.toThrow(/^The environment ".*none\.hdr" does not exist\.$/);
    await expect(light(file('large.hdr', '#?RADIANCE'.padEnd((1 << 20) + 1)))).rejects.toThrow(/is larger than 1 MiB/);
    await expect(light(file('a.hdr', '#?RADIANCE\n'))).rejects.toThrow(/its header is cut off\.$/);
    await expect(light(file('a.exr', 'hello'))).rejects.toThrow(/neither a Radiance picture/);
  });

  it('are read whole', async () => {
    const path = file('b.hdr', '#?RADIANCE\n\n-Y 1 +X 1\n\x64\x64\x64\x88');
    expect(await light(path)).toMatchObject({ image: { width: 1, height: 1 } });
  });
});
