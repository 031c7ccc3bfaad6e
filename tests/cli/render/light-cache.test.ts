// The light of environments in the cache of the command.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PictureLight } from '../../../src/cli/light';
import { parseLight } from '../../../src/cli/options/light-options';
import type { Environment } from '../../../src/gltf/light/environment';
import { readFilteredLight } from '../../../src/gltf/light/filtered-light';
import { lightingOf } from '../../../src/gltf/light/lighting';
import type { LightImage } from '../../../src/gltf/light/settings';
import type { Studio } from '../../../src/gltf/light/studio';
import { create } from '../../../src/index';
import type { RecordStore } from '../../../src/node/shader-files';

const folder = mkdtempSync(join(tmpdir(), 'rasterloom-light-'));
const file = join(folder, 'a.hdr');
let device: GPUDevice;
beforeAll(async () => {
  const texels = [100, 90, 80, 130, 10, 20, 30, 129, 1, 2, 3, 128, 200, 100, 50, 131];
  writeFileSync(file, Uint8Array.of(...new TextEncoder().encode('#?RADIANCE\n\n-Y 2 +X 2\n'), ...texels));
  const adapter = await create({ threads: 0 }).requestAdapter();
  device = await adapter!.requestDevice();
});
afterAll(() => {
  device.destroy();
  rmSync(folder, { recursive: true });
});

class Records extends Map<string, Uint8Array<ArrayBuffer>> implements RecordStore {
  read(name: string): Uint8Array<ArrayBuffer> | null {
    return this.get(name) ?? null;
  }
  write(records: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): void {
    for (const [name, bytes] of records) this.set(name, bytes);
  }
  digest(parts: readonly (string | Uint8Array)[]): string {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest('hex');
  }
  whenIdle(): void {}
}

const read = (records: RecordStore, options: Parameters<typeof parseLight>[0] = {}): Promise<PictureLight> =>
  PictureLight.read(parseLight({ env: file, ...options }), 1 << 20, () => Promise.resolve(records));

/** Makes the light ready for a scene. */
const environmentOf = ({ settings }: PictureLight): Environment =>
  lightingOf(device, {} as Studio, settings.image as LightImage, false, settings).environment;

describe('the light of an environment', () => {
  it('is kept, and found with the same bits by the next command', async () => {
    const records = new Records();
    const first = await read(records);
    expect(first.settings.image).toHaveProperty('rgb');
    const made = environmentOf(first);
    await first.keep(device);
    expect(records.size).toBe(1);

    const second = await read(records);
    expect(second.settings.image).toHaveProperty('filtered');
    const found = environmentOf(second);
    expect(found.harmonics).toEqual(made.harmonics);
    const [a, b] = [await readFilteredLight(device, made), await readFilteredLight(device, found)];
    expect(a.filtered.some((byte) => byte !== 0)).toBe(true);
    expect(Buffer.compare(a.filtered, b.filtered)).toBe(0);
    records.clear();
    await second.keep(device);
    expect(records.size).toBe(0);
  });

  it('is found only for the same file, rotation and intensity', async () => {
    const records = new Records();
    const first = await read(records);
    environmentOf(first);
    await first.keep(device);
    for (const options of [{ 'env-rotation': '10' }, { 'env-intensity': '2' }, { env: 'sky' }])
      expect((await read(records, options)).settings.image).toHaveProperty('rgb');
  });

  it('is not kept before a scene is lit, nor if the environment is shown', async () => {
    const records = new Records();
    await (await read(records)).keep(device);
    const shown = await read(records, { 'env-background': '0' });
    environmentOf(shown);
    await shown.keep(device);
    expect(records.size).toBe(0);
  });
});
