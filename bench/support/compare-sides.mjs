// Compares frames of this package with those of peers, each in a process that stays open (side-frames.mjs).
import { likeness } from './picture.mjs';
import { median, medianInterval, roundTo } from './machine.mjs';
import { openSide } from './sides.mjs';

const FRAMES = new URL('./side-frames.mjs', import.meta.url);
const three = roundTo(3);

/**
 * Opens this package and the peers on a module that makes frames (a URL). Returns `measure(request, times)` and
 * `close()`. Requests are measured one after the other.
 */
export async function openSides(module, peers, options = {}) {
  const arguments_ = { ours: JSON.stringify(options), ...Object.fromEntries(peers.map((peer) => [peer, peer])) };
  const open = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(arguments_).map(async ([name, side]) => [name, await openSide(name, FRAMES, [side, module])])
      )
    );
  let sides = await open();
  const close = () => Object.values(sides).forEach((side) => side.close());
  async function inTurn(names, message) {
    const answers = {};
    for (const name of names) answers[name] = await sides[name].ask(message);
    return answers;
  }
  async function measure(request, times) {
    try {
      return await measureOn(inTurn, Object.keys(sides), request, times);
    } catch (error) {
      // The sides start again, because one of them may have ended.
      close();
      sides = await open();
      throw error;
    }
  }
  return { measure, close };
}

/**
 * Measures a request. `rounds` and `ms`: rounds, and milliseconds per side and round; `warmMs`: milliseconds of the
 * processor before. Frames repeat their passes until they take `frameMs` here, at most `mostRepeats` times.
 *
 * Returns the pictures, the refusals of peers, and for each peer the ratios of its times to ours (of the clock and of
 * the processor: median, lowest and highest of the 95 % interval).
 */
async function measureOn(inTurn, names, request, { rounds, ms, warmMs, frameMs = 4, mostRepeats = 16 }) {
  const first = await inTurn(names, { make: request });
  if (first.ours.refusal !== undefined) throw new Error(first.ours.refusal);
  const refusals = Object.fromEntries(
    names.filter((name) => first[name].refusal !== undefined).map((name) => [name, first[name].refusal])
  );
  const here = names.filter((name) => !(name in refusals));
  const once = await inTurn(here, { warm: warmMs / 4, repeats: 1 });
  const repeats = Math.min(mostRepeats, Math.max(1, Math.round(frameMs / once.ours.ms)));
  await inTurn(here, { warm: warmMs, repeats });
  const rows = [];
  for (let round = 0; round < rounds; round++)
    rows.push(await inTurn(round % 2 ? here.toReversed() : here, { time: ms, repeats }));
  const of = (name, figure) => three(median(rows.map((row) => row[name][figure])));
  const ratios = (name, figure) => medianInterval(rows.map((row) => row[name][figure] / row.ours[figure])).map(three);
  const peers = here
    .filter((name) => name !== 'ours')
    .map((name) => [
      name,
      {
        ms: of(name, 'ms'),
        cpu: of(name, 'cpu'),
        ratio: ratios(name, 'ms'),
        cpuRatio: ratios(name, 'cpu'),
        likeness: three(likeness(first.ours.picture, first[name].picture)),
      },
    ]);
  return {
    picture: first.ours.picture,
    refusals,
    ours: { ms: of('ours', 'ms'), cpu: of('ours', 'cpu') },
    peers: Object.fromEntries(peers),
  };
}
