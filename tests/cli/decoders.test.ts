// Images decoded on threads equal those decoded on the calling thread, including errors. The thread's script is the
// built one.
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { encode } from 'fast-png';
import { afterAll, describe, expect, it } from 'vitest';
import { Decoders, openDecoders } from '../../src/node/models/decoders';
import { ModelError } from '../../src/gltf/errors';
import type { ImageJob } from '../../src/gltf/images/image-set';
import { Builder, TRIANGLE } from '../gltf/build';
import { Workshop } from './program';

const SCRIPT = new URL('../../build/decoder.js', import.meta.url);
const workshop = new Workshop();
afterAll(() => workshop.remove());

/** Images of noise, a MiB each, which do not compress. Compressing them takes longer than the test itself. */
const images = new Map<number, Uint8Array>();
function noise(seed: number): Uint8Array {
  const image = images.get(seed) ?? packNoise(seed);
  images.set(seed, image);
  return image;
}
function packNoise(seed: number): Uint8Array {
  let state = seed;
  const data = Uint8Array.from(
    { length: 512 * 512 * 4 },
    () => (state = (Math.imul(state, 1664525) + 1013904223) | 0) >>> 24
  );
  return encode({ width: 512, height: 512, channels: 4, data });
}
const job = (name: string, bytes: Uint8Array, srgb = [true]): ImageJob => ({ name, bytes, srgb });

describe('Decoders', () => {
  it('decodes few and small images on a thread that was prepared', async () => {
    const small = job(
      'small',
      encode({ width: 2, height: 1, channels: 4, data: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) })
    );
    for (const threads of [1, 2]) {
      const decoders = new Decoders(threads, SCRIPT);
      try {
        decoders.prepare();
        const { decode, prefetchCount } = decoders.for([small]);
        // With one thread, the caller decodes.
        expect(prefetchCount).toBe(threads === 1 ? 0 : 2);
        const [{ levels }] = await decode(small);
        expect(levels.map(({ data }) => [...data])).toEqual([
          [1, 2, 3, 4, 5, 6, 7, 8],
          [3, 4, 5, 6],
        ]);
      } finally {
        decoders.close();
      }
    }
  });
});

describe('openDecoders', () => {
  it('decodes the same on threads as on the calling thread', async () => {
    const jobs = [job('a', noise(1)), job('b', noise(2), [false]), job('c', noise(3), [true, false])];
    const threads = openDecoders(jobs, 2, SCRIPT);
    const here = openDecoders(jobs, 1, SCRIPT);
    try {
      expect([threads.prefetchCount, here.prefetchCount]).toEqual([3, 0]);
      const chains = await Promise.all(jobs.map((each) => threads.decode(each)));
      for (const [i, each] of jobs.entries()) expect(chains[i]).toEqual(await here.decode(each));
    } finally {
      threads.close();
    }
  });

  it('leaves few and small images, or a single thread, to the caller', () => {
    const small = job('small', new Uint8Array(1000));
    const large = job('large', new Uint8Array(1 << 20));
    for (const [jobs, threads] of [
      [[small, small, small], 8],
      [[large], 8],
      [[large, large], 1],
      [[large, large], 0],
      [[], 4],
    ] as const)
      expect(openDecoders(jobs, threads, SCRIPT).prefetchCount).toBe(0);
  });

  it('reports an invalid image, and continues', async () => {
    const jobs = [job('The image "a"', noise(1).slice(0, 600_000)), job('The image "b"', noise(2))];
    const { decode, close } = openDecoders(jobs, 2, SCRIPT);
    try {
      await expect(decode(jobs[0])).rejects.toThrow(new ModelError('The image "a" cannot be decoded: it is cut off.'));
      await expect(decode(jobs[0])).rejects.toBeInstanceOf(ModelError);
      expect((await decode(jobs[1]))[0].levels).toHaveLength(10);
    } finally {
      close();
    }
  });

  it('reports that a thread ended', async () => {
    const path = workshop.path('ends.mjs');
    writeFileSync(
      path,
      "import { parentPort } from 'node:worker_threads'; parentPort.on('message', "
        + "() => { throw new Error('a mistake of ours'); });"
    );
    const jobs = [job('a', noise(1)), job('b', noise(2))];
    const { decode, close } = openDecoders(jobs, 2, pathToFileURL(path));
    await expect(decode(jobs[0])).rejects.toThrow('a mistake of ours');
    close();
    const gone = openDecoders(jobs, 2, pathToFileURL(workshop.path('gone.mjs')));
    await expect(gone.decode(jobs[0])).rejects.toThrow(/Cannot find module/);
    gone.close();
  });

  it('reports a thread that ended before the first request', async () => {
    const path = workshop.path('ends-early.mjs');
    writeFileSync(path, `throw new Error('gone before it began');`);
    const jobs = [job('a', noise(1)), job('b', noise(2))];
    const { decode, close } = openDecoders(jobs, 2, pathToFileURL(path));
    // No request has been made yet: the threads' errors must not reach the process.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await expect(decode(jobs[0])).rejects.toThrow('gone before it began');
    await expect(decode(jobs[1])).rejects.toThrow('gone before it began');
    close();
  });

  it('is used by the command: the same picture, and the same errors', async () => {
    const model = (second: Uint8Array): Uint8Array => {
      const b = new Builder();
      const attributes = {
        POSITION: b.accessor('VEC3', TRIANGLE),
        NORMAL: b.accessor('VEC3', Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1)),
        TEXCOORD_0: b.accessor('VEC2', Float32Array.of(0, 0, 1, 0, 0, 1)),
      };
      const images = [noise(1), second].map((bytes) => ({ bufferView: b.view(bytes), mimeType: 'image/png' }));
      return b.glb({
        scene: 0,
        scenes: [{ nodes: [0] }],
        nodes: [{ mesh: 0 }],
        meshes: [{ primitives: [{ material: 0, attributes }] }],
        materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } }, normalTexture: { index: 1 } }],
        textures: [{ source: 0 }, { source: 1 }],
        images,
      });
    };
    workshop.write('good.glb', model(noise(2)));
    workshop.write('broken.glb', model(noise(2).slice(0, 700_000)));
    const pictures = [];
    for (const threads of ['1', '2']) {
      expect(
        (await workshop.run('render', 'good.glb', '-s', '64x64', '--threads', threads, '-o', `${threads}.png`)).code
      ).toBe(0);
      pictures.push(workshop.picture(`${threads}.png`).data);
      expect(await workshop.run('render', 'broken.glb', '--threads', threads)).toEqual({
        code: 3,
        out: '',
        err: 'rasterloom: Texture image 2 of 2 cannot be decoded: it is cut off.\n',
      });
    }
    expect(pictures[1]).toEqual(pictures[0]);
  });
});
