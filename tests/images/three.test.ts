// Unmodified three.js in Node (bench/three/): each scene uses another part of it. Pictures are compared with those of
// SwiftShader for the same code through the `webgpu` package: node bench/three/run.mjs swiftshader tests/images/three
// SCENE. Pixels where both show the scene's background do not count.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const REFERENCES = fileURLToPath(new URL('./three/', import.meta.url));
const WITHIN = 8;
const SHARE = 0.99;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BACKGROUND = [0x1c, 0x22, 0x30];
/**
 * Scenes with less agreement. SwiftShader snaps vertices to a sixteenth of a pixel. This is visible where edges
 * dominate: in small objects, and most of all in points and lines one pixel wide. Ends of wide lines are covered by
 * their alpha: each implementation chooses which samples that affects.
 */
const SHARES: Readonly<Record<string, number>> = {
  batch: 0.985,
  instances: 0.97,
  lines: 0.82,
  points: 0.81,
  wideLines: 0.83,
};
const names = readdirSync(REFERENCES).map((file) => file.slice(0, -'.png'.length));

describe('unmodified three.js in Node', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-three-'));
  let output = '';
  beforeAll(() => {
    const { stdout, stderr } = spawnSync(process.execPath, ['bench/three/run.mjs', 'ours', folder], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    output =
      stdout
        .split('\n')
        .filter((line) => !line.startsWith('{'))
        .join('\n') + stderr;
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  test('prints no messages', () => expect(output).toBe(''));
  test('each scene has a reference', () => expect(readdirSync(folder).sort()).toEqual(readdirSync(REFERENCES).sort()));

  test.each(names)('%s', (name) => {
    const [a, b] = [folder, REFERENCES].map((where) => decode(readFileSync(join(where, `${name}.png`))).data);
    let all = 0;
    let near = 0;
    for (let i = 0; i < a!.length; i += 4) {
      if ([a!, b!].every((data) => BACKGROUND.every((value, c) => Math.abs(data[i + c]! - value) <= 1))) continue;
      all++;
      if ([0, 1, 2].every((c) => Math.abs(a![i + c]! - b![i + c]!) <= WITHIN)) near++;
    }
    if (near / all >= (SHARES[name] ?? SHARE)) return;
    mkdirSync(join(ROOT, 'build/failed'), { recursive: true });
    const kept = join(ROOT, 'build/failed', `three-${name}.png`);
    writeFileSync(kept, readFileSync(join(folder, `${name}.png`)));
    expect.fail(
      `${name}: ${((near / all) * 100).toFixed(2)} % of ${all} pixels are within ${WITHIN} of `
        + `${REFERENCES}${name}.png; see ${kept}`
    );
  });
});
