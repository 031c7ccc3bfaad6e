// Scenes of three.js and Babylon.js as picture tests: the same pictures without workers and with three of them. The
// benchmark of bench/pictures draws all scenes many times.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';

const BABYLON = 'build/engines/node_modules/@babylonjs/core';
const SCENES = {
  'three.js': ['three-standard', 'three-shadow', 'three-morph', 'three-noise', 'three-film', 'three-pixelation'],
  'Babylon.js': ['babylon-physical', 'babylon-softShadow', 'babylon-film'],
};

interface Drawn {
  readonly name: string;
  readonly hash: string;
  readonly colors: number;
}

async function draw(workers: number, scenes: readonly string[]): Promise<Drawn[]> {
  const { stdout } = spawn(process.execPath, ['bench/pictures/draw.mjs', String(workers), '96x54', scenes.join()], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines = (await text(stdout)).split('\n').filter((line) => line.startsWith('{"name"'));
  return lines.map((line) => JSON.parse(line) as Drawn);
}

describe.each(Object.entries(SCENES))('%s', (engine, scenes) => {
  const isMissing = engine === 'Babylon.js' && !existsSync(BABYLON);
  test.skipIf(isMissing)('draws the same pictures with and without workers', { timeout: 300_000 }, async () => {
    const [without, withThree] = await Promise.all([draw(0, scenes), draw(3, scenes)]);
    expect(without.map(({ name }) => name)).toEqual(scenes);
    expect(withThree).toEqual(without);
    for (const { name, colors } of without) expect(colors, name).toBeGreaterThan(100);
    expect(new Set(without.map(({ hash }) => hash)).size).toBe(scenes.length);
  });
});
