// Holds what all configurations leave of a mixed frame against each other.
import { difference, type Plane } from '../../render/immediate.draw';
import { CONFIGURATIONS, open, ORACLE, type Opened } from './devices';
import { readsMap, type Frame } from './frames';
import { Painter } from './painter';

export interface Drawer extends Opened { readonly painter: Painter }

export const openAll = (): Promise<Drawer[]> => Promise.all(
  Object.entries({ ...CONFIGURATIONS, 'the oracle': ORACLE }).map(async ([name, options]) => {
    const one = await open(name, options);
    return { ...one, painter: new Painter(one.device) };
  })
);

const appends = ({ looks }: Frame): boolean =>
  looks.some(({ fragment }) => fragment.stages.some(({ steps }) => steps.some(({ kind }) => kind === 'list')));

/**
 * The oracle knows neither what the targets hold, nor stages, rates (of draws or vertices), dispatches, or pages that
 * come late.
 */
const isPlain = ({ looks, passes, stream }: Frame): boolean => stream === null
  && looks.every(({ vertex, fragment }) => (
    !vertex.givesRate && fragment.isWhole && !fragment.fetches.includes(true) && !fragment.readsDepth
    && fragment.dispatches === 0
  ))
  && passes.every(({ draws, table, hasRegion }) => !table && !hasRegion && draws.every(({ rate }) => !rate));

/** Whether what a configuration leaves is exact: in lists, pages that come late decide the order of pixels. */
function isExact(frame: Frame, { options }: Opened): boolean {
  if (options.immediate && !isPlain(frame)) return false;
  if (!appends(frame)) return true;
  return !options.immediate && (options.deterministic === true || frame.stream === null || !frame.looks.some(readsMap));
}

/** What is wrong, as a sentence; null when every configuration leaves the same each time. */
export async function mistakeOf(frame: Frame, drawers: readonly Drawer[], times: number): Promise<string | null> {
  let expected: { readonly name: string; readonly drawn: readonly Plane[][] | string } | null = null;
  for (const each of drawers) {
    if (!isExact(frame, each)) continue;
    const { name, painter, errors } = each, drawn = await painter.draw(frame, times);
    if (errors.length > 0) return `${name}: ${errors.splice(0).join('; ')}`;
    if (typeof drawn === 'string') {
      if (expected !== null && typeof expected.drawn !== 'string') return `${name} refuses what others draw: ${drawn}`;
    } else {
      for (const [i, planes] of drawn.entries()) {
        const found = i > 0 && difference(planes, drawn[0]!);
        if (found) return `${name}: drawn again (${i}), ${found}`;
      }
      if (typeof expected?.drawn === 'string') return `${name} draws what others refuse: ${expected.drawn}`;
      const found = expected && difference(drawn[0]!, expected.drawn[0]!);
      if (found) return `${name}, held against ${expected!.name}: ${found}`;
    }
    expected ??= { name, drawn };
  }
  return null;
}
