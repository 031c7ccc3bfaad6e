// Parses the values of --aperture, --focus and --shading-rate.
import { closestWord } from '../../base/closest-word';
import { quoted } from '../../base/printable';
import type { Lens } from '../../gltf/scene/lens';
import type { RateRequest } from '../../gltf/gpu/shading-rates';
import { SHADING_RATES } from '../../gltf/rate-names';
import type { ShadingRate } from '../../index';
import { CommandError } from '../errors';

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)$/;
const numberOf = (text: string): number => (NUMBER.test(text.trim()) ? Number(text) : NaN);
/** Maximum lens and distance, so that their products fit single precision. */
const MAX_VALUE = 1e6;
const isLength = (x: number): boolean => x > 0 && x <= MAX_VALUE;

/** Parses a lens: its diameter or `f/N`, and the distance of the focus. */
export function parseLens(aperture: string | undefined, focus: string | undefined): Lens | undefined {
  if (aperture === undefined) {
    if (focus !== undefined)
      throw new CommandError('--focus needs --aperture: without an aperture, everything is in focus.');
    return undefined;
  }
  const [, ratio] = /^f\/(.*)$/i.exec(aperture) ?? [];
  const size = numberOf(ratio ?? aperture);
  if (!isLength(size))
    throw new CommandError(
      '--aperture must be the diameter of the lens in units of the model, as in 0.05, or an f-number, '
        + `as in f/2.8, not ${quoted(aperture)}.`
    );
  const distance = focus === undefined ? undefined : numberOf(focus);
  if (distance !== undefined && !isLength(distance))
    throw new CommandError(
      `--focus must be a distance from the camera in units of the model, above 0, not ${quoted(focus)}.`
    );
  return { aperture: ratio === undefined ? { diameter: size } : { fNumber: size }, focus: distance };
}

/** Parses `auto`, a rate, or `depth:near,far` with the rates of 4, 8 or 16 slices. */
export function parseShadingRate(text: string): RateRequest {
  if (text === 'auto') return 'auto';
  const all = SHADING_RATES.join(', ');
  const table = /^depth:(.*)$/
    .exec(text)?.[1]
    .split(',')
    .map((part) => part.trim());
  if (!table) {
    const rate = SHADING_RATES.find((name) => name === text);
    if (rate) return { everywhere: rate };
    const hint = closestWord(text, ['auto', ...SHADING_RATES]);
    throw new CommandError(
      `--shading-rate must be auto, one of ${all}, or rates by distance such as depth:1,50,1x1,1x1,2x2,4x4, `
        + `not ${quoted(text)}.${hint ? ` Did you mean ${hint}?` : ''}`
    );
  }
  const [near, far] = [table[0], table[1] ?? ''].map(numberOf);
  if (!isLength(near) || !isLength(far) || near >= far)
    throw new CommandError(
      '--shading-rate depth: must begin with two distances from the camera, 0 < near < far, '
        + `as in depth:1,50,1x1,1x1,2x2,4x4, not ${quoted(text)}.`
    );
  const rates = table.slice(2);
  const wrong = rates.find((name) => !SHADING_RATES.some((rate) => rate === name));
  if (wrong !== undefined) throw new CommandError(`There is no shading rate ${quoted(wrong)}. The rates are ${all}.`);
  if (![4, 8, 16].includes(rates.length))
    throw new CommandError(
      '--shading-rate depth: must have 4, 8 or 16 rates after the two distances, '
        + `but ${quoted(text)} has ${rates.length}.`
    );
  return { byDistance: { near, far, rates: rates as ShadingRate[] } };
}
