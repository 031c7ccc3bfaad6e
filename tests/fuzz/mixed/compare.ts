// Compares the results of all configurations for a mixed frame.
import { difference, type Plane } from '../../render/oracle/immediate.draw';
import { TILE_SIZE } from '../../../assembly/layout/limits';
import { CONFIGURATIONS, open, ORACLE, type Opened } from './devices';
import { readsMap, type Frame } from './frames';
import type { Look } from './looks';
import { Painter } from './painter';
import { LISTED } from './shader';

export interface Drawer extends Opened {
  readonly painter: Painter;
}

export const openAll = (): Promise<Drawer[]> =>
  Promise.all(
    Object.entries({ ...CONFIGURATIONS, 'the oracle': ORACLE }).map(async ([name, options]) => {
      const one = await open(name, options);
      return { ...one, painter: new Painter(one.device) };
    })
  );

/** The results of a configuration for a frame, per repetition, or the message with which it rejects the frame. */
interface Left {
  readonly opened: Opened;
  readonly drawn: readonly Plane[][] | string;
  /** Chunks of all passes. */
  readonly chunks: number;
}

const appends = ({ fragment }: Look): boolean =>
  fragment.stages.some(({ steps }) => steps.some(({ kind }) => kind === 'list'));

/**
 * Whether the oracle supports the frame. It supports neither framebuffer fetch nor stages, rates (of draw calls or
 * vertices), dispatches, or late pages.
 */
const isPlain = ({ looks, passes, stream }: Frame): boolean =>
  stream === null
  && looks.every(
    ({ vertex, fragment }) =>
      !vertex.givesRate
      && fragment.isWhole
      && !fragment.fetches.includes(true)
      && !fragment.readsDepth
      && fragment.dispatches === 0
  )
  && passes.every(({ draws, table, hasRegion }) => !table && !hasRegion && draws.every(({ rate }) => !rate));

/** Whether the results of a configuration are exact: the order of pixels in lists depends on late pages. */
function isExact(frame: Frame, { options }: Opened): boolean {
  if (options.immediate && !isPlain(frame)) return false;
  if (!frame.looks.some(appends)) return true;
  return !options.immediate && (options.deterministic === true || frame.stream === null || !frame.looks.some(readsMap));
}

/**
 * Whether two configurations may append in different orders. Each chunk of a pass visits all tiles, so chunks determine
 * the order of fragments in different tiles. A chunk that ends between draw calls changes nothing if only one draw call
 * appends; chunks of a small arena may also end within a draw call.
 */
function mayReorder({ width, height, looks, passes }: Frame, a: Left, b: Left): boolean {
  if (a.chunks === b.chunks || (width <= TILE_SIZE && height <= TILE_SIZE)) return false;
  const endsWithin = [a, b].some(({ opened: { options } }) => options.arenaBytes !== undefined);
  const appending = passes.map(({ draws }) => draws.filter(({ look }) => appends(looks[look]!)).length);
  return appending.some((count) => count > (endsWithin ? 0 : 1));
}

/** The planes with sorted list entries. In a list that overflows, the order decides which entries it holds. */
const withoutOrder = (planes: readonly Plane[]): Plane[] =>
  planes.map((plane) => {
    if (plane.name !== 'list') return plane;
    const words = new Uint32Array(plane.bytes.slice().buffer);
    const entries = words.subarray(1);
    if (words[0]! > LISTED) entries.fill(0);
    else entries.sort();
    return { ...plane, bytes: new Uint8Array(words.buffer) };
  });

/** Describes how `left` differs from the expected results; null if it does not. */
function differenceOf(frame: Frame, left: Left, expected: Left): string | null {
  const { name } = left.opened;
  const { drawn } = left;
  const reference = expected.drawn;
  if (typeof drawn === 'string')
    return typeof reference === 'string' ? null : `${name} refuses what others draw: ${drawn}`;
  if (typeof reference === 'string') return `${name} draws what others refuse: ${reference}`;
  const [given, wanted] = mayReorder(frame, left, expected)
    ? [withoutOrder(drawn[0]!), withoutOrder(reference[0]!)]
    : [drawn[0]!, reference[0]!];
  const found = difference(given, wanted);
  return found === undefined ? null : `${name}, held against ${expected.opened.name}: ${found}`;
}

/** Describes the mistake; null if every configuration always gives the same results. */
export async function findMistake(frame: Frame, drawers: readonly Drawer[], times: number): Promise<string | null> {
  const chunksOf = ({ device }: Drawer): number => device.statistics().counters['chunks']!;
  let expected: Left | null = null;
  for (const each of drawers) {
    if (!isExact(frame, each)) continue;
    const { name, painter, errors } = each;
    const before = chunksOf(each);
    const drawn = await painter.draw(frame, times);
    const left = { opened: each, drawn, chunks: chunksOf(each) - before };
    if (errors.length > 0) return `${name}: ${errors.splice(0).join('; ')}`;
    if (typeof drawn !== 'string')
      for (const [i, planes] of drawn.entries()) {
        const found = i > 0 && difference(planes, drawn[0]!);
        if (found) return `${name}: drawn again (${i}), ${found}`;
      }
    const found = expected && differenceOf(frame, left, expected);
    if (found) return found;
    expected ??= left;
  }
  return null;
}
