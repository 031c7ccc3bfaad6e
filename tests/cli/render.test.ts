// The order in which the render command opens resources, with stand-ins for the GPU.
/// <reference types="@webgpu/types" />
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parseCommand, type RenderCommand } from '../../src/cli/options/options';
import { renderCommand } from '../../src/cli/render/render';
import type { RenderEnvironment } from '../../src/cli/render/session';
import { oneMesh, TRIANGLE } from '../gltf/build';
import { Workshop } from './program';

const workshop = new Workshop();
afterAll(() => workshop.remove());

async function failure(
  name: string,
  requestAdapter: () => Promise<unknown>,
  ...words: string[]
): Promise<{ message: string; asked: unknown[] }> {
  const asked: unknown[] = [];
  const surroundings: RenderEnvironment = {
    createGPU: (options) => {
      asked.push(options);
      return { requestAdapter } as unknown as GPU;
    },
    version: '0.0.0',
    cliUrl: new URL('file:///cli.js'),
    sampleUrl: pathToFileURL(workshop.path('none')),
    studioUrl: new URL('../../build/studio.bin', import.meta.url),
    decoderUrl: pathToFileURL(workshop.path('none')),
    stdin: (async function* () {})(),
    stdout: { write: () => true },
    stderr: { write: () => true },
  };
  const command = parseCommand([
    'render',
    workshop.path(name),
    '-o',
    workshop.path('x.png'),
    ...words,
  ]) as RenderCommand;
  const error: unknown = await renderCommand(command, surroundings).then(
    () => undefined,
    (thrown: unknown) => thrown
  );
  return { message: (error as Error).message, asked };
}

describe('renderCommand', () => {
  it('opens no GPU for a missing model', async () => {
    const { message, asked } = await failure('gone.glb', () => Promise.resolve(null));
    expect(message).toMatch(/^The model ".*gone.glb" does not exist\.$/);
    expect(asked).toEqual([]);
  });

  it('passes the engine and the threads to the GPU', async () => {
    writeFileSync(
      workshop.path('a.glb'),
      oneMesh((b) => ({ attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }))
    );
    expect(await failure('a.glb', () => Promise.resolve(null), '--engine', 'jit', '--threads', '3')).toEqual({
      message: 'No GPU adapter is available.',
      asked: [{ engine: 'jit', threads: 3, extensions: true }],
    });
    expect((await failure('a.glb', () => Promise.resolve(null))).asked).toEqual([{ engine: 'auto', extensions: true }]);
  });

  it('reports errors of the model before those of the GPU, and destroys the device', async () => {
    writeFileSync(workshop.path('bad.glb'), 'not a model');
    expect((await failure('bad.glb', () => Promise.reject(new Error('no kernel')))).message).toMatch(
      /neither a \.glb nor/
    );
    let destroyed = 0;
    const device = {
      lost: new Promise(() => undefined),
      destroy: () => {
        destroyed++;
      },
    };
    const adapter = {
      features: new Set(),
      limits: {},
      requestDevice: () => new Promise((resolve) => setTimeout(() => resolve(device), 20)),
    };
    expect((await failure('bad.glb', () => Promise.resolve(adapter))).message).toMatch(/neither a \.glb nor/);
    expect(destroyed).toBe(0);
    await expect.poll(() => destroyed).toBe(1);
  });
});
