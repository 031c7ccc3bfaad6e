// Models that common tools have compressed look like their originals. A test whose tool or model is missing is skipped;
// `npm install --prefix build/gltf-tools @gltf-transform/cli gltfpack gltf-pipeline` installs the tools.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { ssim } from '../../src/cli/compare/ssim';
import { draw } from './kit';

const HELMET = fileURLToPath(new URL('../../../shared/assets/DamagedHelmet.glb', import.meta.url));
const TOOLS = fileURLToPath(new URL('../../build/gltf-tools/node_modules/.bin/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'rasterloom-optimized-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OUTPUT = join(folder, 'helmet.glb');
const COMMANDS: [tool: string, words: string[]][] = [
  ['gltf-transform', ['optimize', HELMET, OUTPUT]],
  ['gltf-transform', ['draco', HELMET, OUTPUT]],
  ['gltf-transform', ['meshopt', HELMET, OUTPUT]],
  ['gltfpack', ['-i', HELMET, '-o', OUTPUT, '-c']],
  ['gltfpack', ['-i', HELMET, '-o', OUTPUT, '-cc']],
  ['gltf-pipeline', ['-i', HELMET, '-o', OUTPUT, '-d']],
];

const SIZE = 256;
const drawHelmet = (bytes: Uint8Array): Promise<Uint8Array> =>
  draw(bytes, { width: SIZE, height: SIZE, samples: 4, background: [207, 210, 215, 255] });
let original: Promise<Uint8Array> | undefined;

describe.skipIf(!existsSync(HELMET))('../shared/assets/DamagedHelmet.glb looks the same after', () => {
  it.for(COMMANDS)('%s %j', async ([tool, words], { skip }) => {
    if (!existsSync(join(TOOLS, tool))) skip(`${tool} is not installed`);
    const { status, stderr } = spawnSync(join(TOOLS, tool), words, { encoding: 'utf8' });
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    original ??= drawHelmet(readFileSync(HELMET));
    const compressed = await drawHelmet(readFileSync(OUTPUT));
    expect(ssim(await original, compressed, SIZE, SIZE)).toBeGreaterThan(0.98);
  });
});
