// Compares figures with their limits.
import { say } from './progress.mjs';

/**
 * `checkLimit` prints a figure and returns it as a row; `missed` collects the missed limits. A limit is missed if the
 * whole interval is beyond it. A count is an interval of one value.
 */
export function createLimitChecker() {
  const missed = [];
  function checkLimit(what, [value, ...interval], { limit, atLeast = false, ...more } = {}) {
    const [low, high] = interval.length ? interval : [value, value];
    const row = { what, value, ...(interval.length ? { interval } : {}), ...more };
    const told = `${what}: ${value}${interval.length ? ` (${interval.join(' … ')})` : ''}`;
    if (limit === undefined) {
      say(told);
      return row;
    }
    const reached = atLeast ? high >= limit : low <= limit;
    const isSure = atLeast ? value >= limit : value <= limit;
    say(`${told} ${atLeast ? '≥' : '≤'} ${limit}: ${isSure ? 'reached' : reached ? 'undecided' : 'NOT REACHED'}`);
    if (!reached) missed.push(what);
    return { ...row, limit, atLeast, reached };
  }
  return { checkLimit, missed };
}
