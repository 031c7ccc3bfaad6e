// Patterns of draw calls that differ in their bind groups and vertex buffers, as those of many meshes with materials.
import type { CommandWords } from '../memory/command-words';
import type { Pipeline } from '../pipeline/pipeline';
import { sameGroups } from '../resources/bound-groups';
import type { DrawState, DynamicState } from '../types';
import { sameBuffers } from './bound-stages';
import { writeGroupPattern, writeValues, type GroupPattern } from './draw-patterns';
import type { DrawRecords } from './draw-records';

/** A pattern takes about as long as the records of so many draw calls. */
const LEAST_STATES = 4;

/** What the draw calls of a pipeline had so far. */
interface Known {
  readonly dynamic: DynamicState;
  readonly immediates: DrawState['immediates'];
  /** The last state, and the number of different ones. */
  state: DrawState;
  states: number;
  /** Undefined: not written. Null: draw calls of the pipeline cannot have one. */
  pattern: GroupPattern | null | undefined;
  /** The last attribute table, and its vertex buffers. */
  attributes: number;
  buffers: DrawState['vertexBuffers'] | null;
}

export class GroupPatterns {
  private readonly known = new Map<Pipeline, Known>();

  constructor(
    private readonly words: CommandWords,
    private readonly records: DrawRecords
  ) {}

  /** Returns the pattern for a draw call with this state; null if it needs a record that the calling thread writes. */
  patternFor(state: DrawState, dynamic: DynamicState): GroupPattern | null {
    const pipeline = state.pipeline as Pipeline;
    const known = this.known.get(pipeline);
    if (known?.dynamic !== dynamic || known.immediates !== state.immediates) {
      const { immediates } = state;
      const fresh = { dynamic, immediates, state, states: 1, pattern: undefined, attributes: 0, buffers: null };
      this.known.set(pipeline, fresh);
      return null;
    }
    // Draw calls with equal states share a record.
    const { groups, vertexBuffers } = known.state;
    if (sameGroups(groups, state.groups) && sameBuffers(vertexBuffers, state.vertexBuffers)) return null;
    known.state = state;
    if (++known.states < LEAST_STATES) return null;
    if (known.pattern === undefined) {
      const records = this.records.state({ state, groups: state.groups }, dynamic);
      // Draw calls with separate records get copies.
      records.taken = true;
      known.pattern = writeGroupPattern(this.words, records.record, state);
    }
    return known.pattern;
  }

  /** Writes what the block of a draw call lacks. Returns the address. */
  valuesOf(pattern: GroupPattern, state: DrawState): number {
    const known = this.known.get(state.pipeline as Pipeline)!;
    if (!known.buffers || !sameBuffers(known.buffers, state.vertexBuffers)) {
      known.attributes = this.records.attributes(state);
      known.buffers = state.vertexBuffers;
    }
    return writeValues(this.words, pattern, state.groups, known.attributes);
  }
}
