// Edge layouts, as the public API reports them. The layout of each edge of a linked pipeline lists the values that its
// packets contain, outputs that no later stage reads, and inputs that get default values.
import type { IrProgram } from '../ir';
import type { Packet, Place } from './table';
import { missingInputs, type IsWritten, type StageShader } from './defaults';
import { isEdgeInput } from './stage';

/** Components of a location, a subset of `xyzw`. */
export interface MapEntry {
  readonly location: number;
  readonly components: string;
}

/** An edge of a pipeline: between two stages, before the first stage, or after the last one. */
export interface EdgeLayout {
  /** Produced and consumed: stored in packets, with four bytes per component and vertex. */
  readonly live: readonly MapEntry[];
  /** Produced but not consumed: neither computed nor stored. */
  readonly dropped: readonly MapEntry[];
  /** Consumed but not produced: constants of the consumer. */
  readonly defaulted: readonly MapEntry[];
}

/**
 * The map of an edge. `before` is the shader before it, before linking; null if there is none, in which case
 * `isWritten` tells what exists. `program` is the unlinked shader after it, which reads `taken`. `shared` is what any
 * consumer reads, over all edges that lead out of this point.
 */
export function edgeLayout(
  before: Pick<IrProgram, 'outputs'> | null,
  isWritten: IsWritten | null,
  program: StageShader | null,
  taken: Packet,
  shared: Packet
): EdgeLayout {
  const produced: readonly Place[] = before
    ? before.outputs.filter((output) => output.kind === 'varying')
    : shared.places;
  const missing =
    program && isWritten
      ? missingInputs(program.program, isWritten, null)
          .map((index) => program.program.inputs[index]!)
          .filter(isEdgeInput)
      : [];
  return {
    live: mapEntries(taken.places),
    defaulted: mapEntries(missing),
    dropped: mapEntries(produced.filter((place) => !shared.places.some((input) => isSame(input, place)))),
  };
}

const isSame = (a: Place, b: Place): boolean => a.location === b.location && a.component === b.component;

/** The components by location, in order. */
export function mapEntries(places: readonly Place[]): MapEntry[] {
  const byLocation = new Map<number, number[]>();
  for (const { location, component } of places)
    byLocation.set(location, [...(byLocation.get(location) ?? []), component]);
  return [...byLocation]
    .sort(([a], [b]) => a - b)
    .map(([location, components]) => ({
      location,
      components: components
        .sort()
        .map((component) => 'xyzw'[component])
        .join(''),
    }));
}
