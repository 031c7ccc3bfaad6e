import { describe, expect, it } from 'vitest';
import { parseLens, parseShadingRate } from '../../src/cli/options/lens-options';

describe('parseLens', () => {
  it('accepts a diameter or f-number, and a distance', () => {
    expect(parseLens(undefined, undefined)).toBeUndefined();
    expect(parseLens('0.05', undefined)).toEqual({ aperture: { diameter: 0.05 }, focus: undefined });
    expect(parseLens('f/2.8', '3')).toEqual({ aperture: { fNumber: 2.8 }, focus: 3 });
    expect(parseLens('F/16', '.5')).toEqual({ aperture: { fNumber: 16 }, focus: 0.5 });
  });

  it.each(['', '0', '-1', 'f', 'f/', 'f/0', 'f2.8', '1/2', 'NaN', '1e3', '9999999'])(
    'rejects the aperture %j',
    (text) => {
      expect(() => parseLens(text, undefined)).toThrow(
        '--aperture must be the diameter of the lens in units of the model, as in 0.05, or an f-number, '
          + `as in f/2.8, not ${JSON.stringify(text)}.`
      );
    }
  );

  it.each(['', '0', '-2', 'near', '1e9'])('rejects the focus %j', (text) => {
    expect(() => parseLens('0.05', text)).toThrow(
      `--focus must be a distance from the camera in units of the model, above 0, not ${JSON.stringify(text)}.`
    );
  });

  it('rejects a focus without a lens', () => {
    expect(() => parseLens(undefined, '3')).toThrow(
      '--focus needs --aperture: without an aperture, everything is in focus.'
    );
  });
});

describe('parseShadingRate', () => {
  it('accepts auto, a rate, and tables', () => {
    expect(parseShadingRate('auto')).toBe('auto');
    expect(parseShadingRate('2x4')).toEqual({ everywhere: '2x4' });
    expect(parseShadingRate('depth:1,50,1x1,1x1,2x2,4x4')).toEqual({
      byDistance: { near: 1, far: 50, rates: ['1x1', '1x1', '2x2', '4x4'] },
    });
    for (const count of [8, 16]) {
      const rates = Array.from({ length: count }, () => '2x2');
      expect(parseShadingRate(`depth:.5, 2.5, ${rates.join(', ')}`)).toEqual({
        byDistance: { near: 0.5, far: 2.5, rates },
      });
    }
  });

  const RATES = '1x1, 1x2, 2x1, 2x2, 2x4, 4x2, 4x4';
  it.each([
    [
      '3x3',
      `--shading-rate must be auto, one of ${RATES}, or rates by `
        + 'distance such as depth:1,50,1x1,1x1,2x2,4x4, not "3x3".',
    ],
    [
      'atuo',
      `--shading-rate must be auto, one of ${RATES}, or rates by `
        + 'distance such as depth:1,50,1x1,1x1,2x2,4x4, not "atuo".',
    ],
    [
      'autos',
      `--shading-rate must be auto, one of ${RATES}, or rates by distance such as depth:1,50,1x1,1x1,2x2,4x4, `
        + 'not "autos". Did you mean auto?',
    ],
    ['depth:1,50,1x1,1x1,2x2,4x1', `There is no shading rate "4x1". The rates are ${RATES}.`],
    [
      'depth:1,50,1x1,1x1,2x2',
      '--shading-rate depth: must have 4, 8 or 16 rates after the two distances, but "depth:1,50,1x1,1x1,2x2" has 3.',
    ],
    ...['depth:', 'depth:1', 'depth:50,1,1x1,1x1,2x2,4x4', 'depth:0,1,1x1,1x1,2x2,4x4', 'depth:2,2', 'depth:NaN,2'].map(
      (text) => [
        text,
        '--shading-rate depth: must begin with two distances from the camera, 0 < near < far, '
          + `as in depth:1,50,1x1,1x1,2x2,4x4, not ${JSON.stringify(text)}.`,
      ]
    ),
  ])('rejects %j', (text, message) => {
    expect(() => parseShadingRate(text)).toThrow(message);
  });
});
