import { decode } from 'fast-png';
import { describe, expect, it } from 'vitest';
import { encodePng } from '../../src/node/png';

describe('encodePng', () => {
  it.each([
    [1, 1, 3],
    [1, 1, 4],
    [7, 5, 3],
    [3, 9, 4],
    [300, 2, 3],
    [1, 300, 4],
  ] as const)('%d × %d with %d channels round trips', (width, height, channels) => {
    const pixels = Uint8Array.from({ length: width * height * channels }, (_, i) => Math.imul(i, 2654435761) >>> 24);
    const png = decode(encodePng(pixels, { width, height, channels, colorSpace: 'srgb' }), { checkCrc: true });
    expect([png.width, png.height, png.depth, png.channels, ...png.data]).toEqual([
      width,
      height,
      8,
      channels,
      ...pixels,
    ]);
  });

  it('has the chunks that the format requires', () => {
    const one = { width: 1, height: 1, channels: 3, colorSpace: 'srgb' } as const;
    const png = Buffer.from(encodePng(Uint8Array.of(1, 2, 3), one));
    expect(png.subarray(0, 33).toString('hex')).toBe(
      '89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de'
    );
    expect(png.subarray(-12).toString('hex')).toBe('0000000049454e44ae426082');
  });

  it('compresses rows that resemble the ones above them', () => {
    const gradient = Uint8Array.from({ length: 256 * 256 * 3 }, (_, i) => Math.floor(i / 3) & 255);
    const shape = { width: 256, height: 256, channels: 3, colorSpace: 'srgb' } as const;
    expect(encodePng(gradient, shape).length).toBeLessThan(3000);
  });
});
