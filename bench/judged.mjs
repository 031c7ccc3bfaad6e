// Figures against their limits.
import { say } from './progress.mjs';

/**
 * `judged` tells a figure and gives it as a row; `missed` takes what is missed. A limit is missed where the whole
 * interval lies beyond it; a count is its own interval.
 */
export function judge() {
  const missed = [];
  function judged(what, [value, ...interval], { limit, atLeast = false, ...more } = {}) {
    const [low, high] = interval.length ? interval : [value, value];
    const row = { what, value, ...(interval.length ? { interval } : {}), ...more };
    const told = `${what}: ${value}${interval.length ? ` (${interval.join(' … ')})` : ''}`;
    if (limit === undefined) {
      say(told);
      return row;
    }
    const reached = atLeast ? high >= limit : low <= limit, isSure = atLeast ? value >= limit : value <= limit;
    say(`${told} ${atLeast ? '≥' : '≤'} ${limit}: ${isSure ? 'reached' : reached ? 'undecided' : 'NOT REACHED'}`);
    if (!reached) missed.push(what);
    return { ...row, limit, atLeast, reached };
  }
  return { judged, missed };
}
