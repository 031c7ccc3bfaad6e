// Options that are numbers.
import { quoted } from '../../base/printable';
import { CommandError } from '../errors';

const NUMBER = /^\s*[-+]?(\d+\.?\d*|\.\d+)\s*$/;

/**
 * Reads an option that is a number.
 * @param otherwise its value if it is not given
 * @throws CommandError if it is out of range
 */
export function numberOption(
  text: string | undefined,
  option: string,
  otherwise: number,
  [least, most]: readonly [number, number],
  unit: string
): number {
  if (text === undefined) return otherwise;
  const value = NUMBER.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most))
    throw new CommandError(`${option} must be a number from ${least} to ${most} (${unit}), not ${quoted(text)}.`);
  return value;
}
