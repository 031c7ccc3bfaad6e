// Buffer maps, to be read by people: of each edge of a linked table, what is in its packets, what was produced for
// nobody, and what has its default.
import type { IrProgram } from '../ir';
import type { Packet, Place } from './table';
import { missingInputs, type IsWritten, type TableProgram } from './defaults';
import { isEdgeInput } from './stage';

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
 * The map of an edge. `before`: the program before it, as it was put together; null: there is none, and `isWritten`
 * says what there is. `program`: the one behind it, likewise, which reads `taken`; `shared`: what any of those reads
 * that edges lead to from there.
 */
export function bufferMap(
  before: Pick<IrProgram, 'outputs'> | null, isWritten: IsWritten | null, program: TableProgram | null, taken: Packet,
  shared: Packet
): BufferMap {
  const produced: readonly Place[] = before
    ? before.outputs.filter((output) => output.kind === 'varying')
    : shared.places;
  const missing = program && isWritten
    ? missingInputs(program.program, isWritten, null).map((index) => program.program.inputs[index]!).filter(isEdgeInput)
    : [];
  return {
    live: entries(taken.places), defaulted: entries(missing),
    dropped: entries(produced.filter((place) => !shared.places.some((input) => isSame(input, place)))),
  };
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
