// Buffer maps, to be read by people: of each edge of a linked table, what is in its packets, what was produced for
// nobody, and what has its default.
import { edgeInputs, type Place } from './table';
import { missingInputs, writtenBy, type IsWritten, type TableProgram } from './defaults';
import { isEdgeInput, type Stage } from './stage';

/** Components of a location, some of `xyzw`. */
export interface MapEntry { readonly location: number; readonly components: string }

/** An edge: between neighbours of a table, before its first stage, or behind its last. */
export interface BufferMap {
  /** What has memory in a packet, four bytes a component and vertex: produced and consumed. */
  readonly live: readonly MapEntry[];
  /** Produced, and consumed by nobody: neither stored nor computed. */
  readonly dropped: readonly MapEntry[];
  /** Consumed, and produced by nobody: constants of the consumer. */
  readonly defaulted: readonly MapEntry[];
}

/**
 * The edges of a table in their order: `programs` as they were put together, `stages` as they were linked, the first
 * stage behind setup, or what a sink reads, as the last of both; null: there is none, and nothing behind the last edge.
 */
export function bufferMaps(
  programs: readonly (TableProgram | null)[], stages: readonly (Pick<Stage, 'inputs'> | null)[], source: IsWritten | null
): BufferMap[] {
  return programs.map((program, i) => {
    const before = i > 0 ? programs[i - 1]!.program : null, stage = stages[i] ?? null;
    const isWritten = before ? writtenBy(before) : source;
    const live = stage ? edgeInputs(stage) : [];
    const produced: readonly Place[] = before
      ? before.outputs.filter((output) => output.kind === 'varying')
      : live;
    const missing = program && isWritten
      ? missingInputs(program.program, isWritten, null)
        .map((index) => program.program.inputs[index]!).filter(isEdgeInput)
      : [];
    return {
      live: entries(live), defaulted: entries(missing),
      dropped: entries(produced.filter((place) => !live.some((input) => isSame(input, place)))),
    };
  });
}

const isSame = (a: Place, b: Place): boolean => a.location === b.location && a.component === b.component;

function entries(places: readonly Place[]): MapEntry[] {
  const byLocation = new Map<number, number[]>();
  for (const { location, component } of places)
    byLocation.set(location, [...(byLocation.get(location) ?? []), component]);
  return [...byLocation].sort(([a], [b]) => a - b).map(([location, components]) => ({
    location, components: components.sort().map((component) => 'xyzw'[component]).join(''),
  }));
}
