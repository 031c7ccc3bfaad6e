// Checks of numbers among the options.
import { QueueError } from './errors';

/** @throws QueueError unless it is a whole number in a range */
export function checkWhole(name: string, value: number, least: number, most: number): number {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new QueueError('option', `${name} must be a whole number from ${least} to ${most}, not ${value}`);
  return value;
}
