// Pictures with a shader cache: empty, filled, damaged, and filled by others.
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scenes } from '../../images/scenes';
import { cases } from '../../compute/random/case';
import { runOn } from '../../compute/random/execute';
import { runsAll } from '../../support/combinations';
import { rounds } from '../../support/rounds';
import { draw, modulesChecked, newFolder, open, programsOf, writeRecords } from './kit';

describe('all image scenes', () => {
  // Every third scene, with one or with many samples.
  const frames = Object.entries(scenes)
    .map(([name, { samples }], i) => [name, samples.at(-(i % 2))!] as const)
    .filter((_, i) => runsAll || i % 3 === 0);
  const drawAll = async (device: GPUDevice): Promise<Map<string, Uint8Array>> => {
    const pictures = new Map<string, Uint8Array>();
    for (const [name, samples] of frames) pictures.set(`${name} at ${samples}`, await draw(device, name, samples));
    return pictures;
  };

  test.each(['jit', 'interpreter'] as const)(
    'have the same bits with a filled cache (%s)',
    async (engine) => {
      const shaderCache = newFolder();
      const wanted = await drawAll(await open({ engine }));
      const cold = await drawAll(await open({ engine, shaderCache }));
      writeRecords();
      const device = await open({ engine, shaderCache });
      let warm = new Map<string, Uint8Array>();
      // No shader is parsed, and none is compiled from the IR.
      expect(await modulesChecked(async () => (warm = await drawAll(device)))).toBe(0);
      expect(programsOf(device).emitted).toBe(0);
      for (const [name, picture] of wanted) {
        expect(cold.get(name), `${name}, empty cache`).toEqual(picture);
        expect(warm.get(name), `${name}, filled cache`).toEqual(picture);
      }
    },
    120_000
  );
});

test('random compute shaders give the same results', async () => {
  const shaderCache = newFolder();
  const without = await open({ engine: 'jit' });
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      const wanted = await runOn(without, one);
      const cold = await open({ engine: 'jit', shaderCache });
      expect(await runOn(cold, one)).toEqual(wanted);
      writeRecords();
      const warm = await open({ engine: 'jit', shaderCache });
      const checked = await modulesChecked(async () => expect(await runOn(warm, one)).toEqual(wanted));
      expect(checked).toBe(0);
      cold.destroy();
      warm.destroy();
    }),
    { numRuns: rounds(10), seed: 21 }
  );
}, 60_000);

describe('damaged records', () => {
  const damages: Record<string, (file: string, all: readonly string[]) => void> = {
    'cut off': (file) => truncateSync(file, readFileSync(file).length >> 1),
    empty: (file) => truncateSync(file, 0),
    'with two other bits': (file) => {
      const bytes = readFileSync(file);
      for (const part of [4, 2]) bytes[bytes.length - bytes.length / part]! ^= 4;
      writeFileSync(file, bytes);
    },
    'with the contents of another one': (file, all) => {
      writeFileSync(file, readFileSync(all[(all.indexOf(file) + 1) % all.length]!));
    },
    'only the second half': (file) => writeFileSync(file, readFileSync(file).subarray(readFileSync(file).length >> 1)),
    longer: (file) => writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(8)])),
  };
  const name = Object.keys(scenes)[0]!;

  test.each(['cut off', 'with another byte'])('are of use: three of four files %s', async (damage) => {
    const shaderCache = newFolder();
    const wanted = await draw(await open({ engine: 'jit', shaderCache }), name);
    writeRecords();
    readdirSync(shaderCache).forEach((file, i) => {
      const path = join(shaderCache, file);
      const bytes = readFileSync(path);
      const at = (i * 1009) % bytes.length;
      if (i % 4 !== 0)
        writeFileSync(
          path,
          damage === 'cut off' ? bytes.subarray(0, bytes.length >> 1) : bytes.fill(~bytes[at]!, at, at + 1)
        );
    });
    const device = await open({ engine: 'jit', shaderCache });
    const checked = await modulesChecked(async () => expect(await draw(device, name)).toEqual(wanted));
    expect(checked).toBe(0);
    expect(programsOf(device).emitted).toBe(0);
  });

  test.each(Object.keys(damages))(
    'are replaced: %s',
    async (damage) => {
      const shaderCache = newFolder();
      const wanted = await draw(await open({ engine: 'jit', shaderCache }), name);
      writeRecords();
      const files = readdirSync(shaderCache);
      expect(files.length).toBeGreaterThan(3);
      const paths = files.map((file) => join(shaderCache, file));
      const expectWarm = async (what: string): Promise<void> => {
        expect(readdirSync(shaderCache)).toEqual(files);
        const device = await open({ engine: 'jit', shaderCache });
        expect(await modulesChecked(() => draw(device, name)), what).toBe(0);
        expect(programsOf(device).emitted, what).toBe(0);
      };
      for (const [i, path] of paths.entries()) {
        damages[damage]!(path, paths);
        expect(await draw(await open({ engine: 'jit', shaderCache }), name), `${path} ${i}`).toEqual(wanted);
        writeRecords();
        await expectWarm(path);
      }
      for (const path of paths) damages[damage]!(path, paths);
      expect(await draw(await open({ engine: 'jit', shaderCache }), name)).toEqual(wanted);
      writeRecords();
      await expectWarm('all');
    },
    60_000
  );
});
