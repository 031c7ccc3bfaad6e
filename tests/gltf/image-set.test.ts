import { Document, type Texture } from '@gltf-transform/core';
import { describe, expect, it } from 'vitest';
import { decodeImages, type DecodeImage, type ImageJob } from '../../src/gltf/images/image-set';
import type { MipChain } from '../../src/gltf/images/mips';

const document = new Document();
const jobsFor = (count: number): Map<Texture, ImageJob> =>
  new Map(
    Array.from({ length: count }, (_, i) => [
      document.createTexture(),
      { bytes: Uint8Array.of(i), name: `image ${i}`, srgb: [] },
    ])
  );

/** A decoder whose images finish when the test says so. */
function slow(): { decode: DecodeImage; begun: number[]; done(i: number): void; fail(i: number): void } {
  const begun: number[] = [];
  const ends: { resolve(chains: MipChain[]): void; reject(error: Error): void }[] = [];
  const decode: DecodeImage = ({ bytes }) => {
    begun.push(bytes[0]);
    return new Promise((resolve, reject) => {
      ends[bytes[0]] = { resolve, reject };
    });
  };
  return {
    decode,
    begun,
    done: (i) => ends[i].resolve([]),
    fail: (i) => ends[i].reject(new Error(`image ${i} is broken`)),
  };
}

describe('decodeImages', () => {
  it('begins each image when it is requested', async () => {
    const { decode, begun, done } = slow();
    const images = decodeImages(jobsFor(2), decode, 0);
    expect(begun).toEqual([]);
    const first = images.next();
    expect(begun).toEqual([0]);
    done(0);
    await first;
    expect(begun).toEqual([0]);
    const second = images.next();
    done(1);
    await second;
    expect([begun, (await images.next()).done]).toEqual([[0, 1], true]);
  });

  it('begins the configured number of images ahead, and returns them in order', async () => {
    const { decode, begun, done } = slow();
    const jobs = jobsFor(4);
    const images = decodeImages(jobs, decode, 2);
    expect(begun).toEqual([0, 1]);
    const first = images.next();
    done(1);
    done(0);
    const textures = [(await first).value?.texture];
    const second = images.next();
    expect(begun).toEqual([0, 1, 2]);
    textures.push((await second).value?.texture);
    done(2);
    const third = images.next();
    expect(begun).toEqual([0, 1, 2, 3]);
    textures.push((await third).value?.texture);
    done(3);
    textures.push((await images.next()).value?.texture);
    expect(textures).toEqual([...jobs.keys()]);
    expect((await images.next()).done).toBe(true);
  });

  it('reports the first error in that order', async () => {
    const { decode, fail } = slow();
    const images = decodeImages(jobsFor(3), decode, 3);
    fail(2);
    await new Promise((turn) => setTimeout(turn, 0));
    fail(0);
    await expect(images.next()).rejects.toThrow('image 0 is broken');
  });
});
