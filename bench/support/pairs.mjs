// Runs sides alternately, so that other load on the machine slows all of them alike, and compares them pair by pair.
import { median, medianInterval, roundTo } from './machine.mjs';

const MIN_PAIRS = 21;
const MAX_PAIRS = 301;
const round = roundTo(3);

/** Returns a function that draws a frame and returns its milliseconds. */
export const frameOf = (device, scene) => async () => {
  const began = performance.now();
  scene.render();
  await device.queue.onSubmittedWorkDone();
  return performance.now() - began;
};

/**
 * Runs sides alternately, for at least `forMs` milliseconds each. Every other round runs in reverse order, because a
 * side pays for the state that the previous one left. A side is a function that returns milliseconds. Before, each side
 * warms up with at least three runs and for `warmMs`.
 *
 * Returns the median and the minimum of each side, and its ratio to the last side: the median of the pairs' ratios with
 * its 95 % interval. `ratio` gives the ratio of any two sides, `rows` all milliseconds of each round.
 */
export async function compare(sides, { forMs, warmMs = 0, onPair = () => {} }) {
  const names = Object.keys(sides);
  const rows = [];
  for (const name of names) {
    const until = performance.now() + warmMs;
    for (let i = 0; i < 3 || performance.now() < until; i++) await sides[name](); // compiled and warm
  }
  const began = performance.now();
  while (rows.length < MIN_PAIRS || (rows.length < MAX_PAIRS && performance.now() - began < forMs * names.length)) {
    const row = {};
    for (const name of rows.length % 2 ? names.toReversed() : names) row[name] = await sides[name]();
    rows.push(row);
    onPair(rows.length);
  }
  const of = (name) => rows.map((row) => row[name]);
  const last = names.at(-1);
  const each = (figure) => Object.fromEntries(names.map((name) => [name, round(figure(of(name)))]));
  const ratio = (name, to = last) => medianInterval(rows.map((row) => row[name] / row[to])).map(round);
  const ratios = Object.fromEntries(names.slice(0, -1).map((name) => [name, ratio(name)]));
  const least = each((values) => Math.min(...values));
  return { pairs: rows.length, ms: each(median), least, ratios, ratio, rows };
}
