// Strips of a picture are compressed on another thread while the next ones are filtered. The bytes of the file do not
// depend on which of the two is faster.
import { createHash } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { encodePictureInStrips } from '../../src/node/png';

const WIDTH = 640;
const HEIGHT = 400;

afterEach(() => void vi.unstubAllGlobals());

test('the bytes of a picture in strips do not depend on timing', async () => {
  const pixels = new Uint8Array(WIDTH * HEIGHT * 4);
  let noise = 1;
  for (let i = 0; i < pixels.length; i++) {
    noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0;
    pixels[i] = i % 4 === 3 ? 255 : noise >>> 27;
  }
  const hashes = new Set<string>();
  for (const ms of [0, 100]) {
    // Turns of the event loop are as long as on a busy machine, so that each strip is compressed before the next one.
    if (ms > 0) vi.stubGlobal('setImmediate', (turn: () => void) => setTimeout(turn, ms));
    const file = await encodePictureInStrips(pixels, WIDTH, HEIGHT);
    hashes.add(createHash('sha256').update(file).digest('hex'));
  }
  expect(hashes.size).toBe(1);
});
