import { mkdtempSync, readdirSync, readFileSync, rmSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode } from 'fast-png';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkOutput, writePicture, writeWhole } from '../../src/cli/output-file';
import { encodePicture, encodePictureInStrips } from '../../src/node/png';

const STDOUT = { write: () => true };
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('encodePicture', () => {
  it('has an alpha channel only if it is needed', () => {
    const clear = decode(encodePicture(Uint8Array.of(1, 2, 3, 255, 4, 5, 6, 0), 2, 1));
    expect([clear.channels, ...clear.data]).toEqual([4, 1, 2, 3, 255, 4, 5, 6, 0]);
    const solid = decode(encodePicture(Uint8Array.of(1, 2, 3, 255, 4, 5, 6, 255), 2, 1));
    expect([solid.channels, ...solid.data]).toEqual([3, 1, 2, 3, 4, 5, 6]);
  });
});

describe('standard output', () => {
  it('rejects a picture if it is a terminal', async () => {
    await expect(checkOutput('-', { isTTY: true, write: () => true })).rejects.toThrow(
      /^A picture cannot be shown in a terminal/
    );
    await checkOutput('-', { write: () => true });
  });

  it('has received the picture when the promise resolves', async () => {
    const written: number[] = [];
    await writePicture('-', Uint8Array.of(1, 2), {
      write: (bytes, done) => {
        setTimeout(() => {
          written.push(...(bytes as Uint8Array));
          done?.();
        }, 1);
      },
    });
    expect(written).toEqual([1, 2]);
    await expect(
      writePicture('-', Uint8Array.of(1), { write: (_, done) => done?.(new Error('no room')) })
    ).rejects.toThrow('Standard output cannot be written: no room.');
  });
});

describe('writeWhole', () => {
  it('writes, replaces, and leaves no other files', async () => {
    const path = join(folder, 'a.png');
    await writeWhole(path, Uint8Array.of(1, 2, 3));
    await writeWhole(path, Uint8Array.of(4));
    expect([...readFileSync(path)]).toEqual([4]);
    expect(readdirSync(folder)).toEqual(['a.png']);
  });

  it('leaves nothing behind when it fails', async () => {
    const taken = join(folder, 'taken.png');
    mkdirSync(taken);
    await expect(writeWhole(taken, Uint8Array.of(1))).rejects.toThrow(/cannot be written/);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});

describe('checkOutput', () => {
  it('rejects paths that cannot become a picture', async () => {
    await expect(checkOutput(join(folder, 'gone/a.png'), STDOUT)).rejects.toThrow(/folder .* does not exist/);
    mkdirSync(join(folder, 'dir.png'));
    await expect(checkOutput(join(folder, 'dir.png'), STDOUT)).rejects.toThrow(/is a folder, not a picture/);
    writeFileSync(join(folder, 'file'), '');
    await expect(checkOutput(join(folder, 'file/a.png'), STDOUT)).rejects.toThrow(/is not a folder/);
    await expect(checkOutput(join(folder, 'new.png'), STDOUT)).resolves.toBeUndefined();
  });
});

describe('encodePictureInStrips', () => {
  it.each([
    ['opaque pixels', 255],
    ['transparent pixels', 128],
  ])('gives the same pixels as encodePicture, for %s', async (_, alpha) => {
    // Several strips, the last of which has fewer rows.
    const [width, height] = [700, 501];
    const pixels = Uint8Array.from({ length: width * height * 4 }, (_, i) =>
      (i & 3) === 3 ? alpha : (i * 7 + (i >> 9)) & 255
    );
    const strips = decode(await encodePictureInStrips(pixels, width, height, 'display-p3'), { checkCrc: true });
    const whole = decode(encodePicture(pixels, width, height, 'display-p3'), { checkCrc: true });
    expect(strips).toEqual(whole);
    expect(strips.channels).toBe(alpha === 255 ? 3 : 4);
  });

  it('encodes pixels that do not begin at a multiple of 4 bytes', async () => {
    const bytes = Uint8Array.of(9, 1, 2, 3, 255, 4, 5, 6, 0);
    const file = decode(await encodePictureInStrips(bytes.subarray(1), 2, 1));
    expect([...file.data]).toEqual([1, 2, 3, 255, 4, 5, 6, 0]);
  });
});
