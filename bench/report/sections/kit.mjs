// Wording and rows that the sections of the report share.
import { figure, isNumber } from '../draw.mjs';

export const times = (key) => key.replace('@', ' ').replace(/x$/, '×');
export const keysAt = (record, samples) => Object.keys(record ?? {}).filter((key) => key.endsWith(`@${samples}x`));
export const samplesOf = (record) =>
  [...new Set(Object.keys(record ?? {}).map((key) => Number(key.match(/@(\d+)x$/)?.[1])))]
    .filter(isNumber)
    .sort((a, b) => a - b);
export const sceneOf = (key) => key.split('@')[0];
export const plural = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;
export const threadsText = (count) => (count === 0 ? 'the calling thread' : plural(count, 'thread'));
export const countWhere = (list, test) => list.filter(test).length;

/** A limit as a row of the overview: name, value, limit, and whether it is met. */
export const limit = (what, value, bound, reached, least = true) => ({
  what,
  value: figure(value),
  limit: `${least ? '≥' : '≤'} ${bound}`,
  reached,
});
