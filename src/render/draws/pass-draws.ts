// Writes the records of a pass's draw calls step by step, and collects what geometry-plan.ts divides into tasks.
import type { PassContext } from '../pass-context';
import type { Pipeline } from '../pipeline/pipeline';
import type { DrawCommand, DrawState, DynamicState, PassState } from '../types';
import { DrawCalls } from './draw-calls';
import { readDrawCounts } from './draw-counts';
import type { DrawRecords, StateRecords } from './draw-records';
import { isCalls, planDraw, type Planned, type PlannedDraw } from './geometry-plan';
import type { PassSize } from './pass-size';
import type { SinkRange } from './sink-ranges';
import type { Sinks } from './sinks';

/** Number of draw calls between two looks at the clock: those with records of their own, and small ones. */
const DRAWS_A_STEP = 64;
const CALLS_A_STEP = 4096;

export class PassDraws {
  /** The draw calls in order, without those that draw nothing. */
  readonly planned: Planned[] = [];
  private readonly calls: DrawCalls;
  private readonly rooms = new Map<PlannedDraw, readonly (SinkRange | null)[]>();
  /** The next draw call to add: its run, its place in the run, and its number in the pass. */
  private run = 0;
  private at = 0;
  private number = 0;
  /** State, bind groups and records of the last draw call with a record of its own. */
  private drawn: DrawState | null = null;
  private groups: DrawCommand['groups'] | null = null;
  private shared: StateRecords | null = null;

  constructor(
    private readonly context: PassContext,
    private readonly state: PassState,
    private readonly records: DrawRecords,
    private readonly sinks: Sinks,
    private readonly size: PassSize
  ) {
    this.calls = new DrawCalls(records.words, records, this.planned, size, {
      areSingle: context.chunkEveryDraw,
      useRanges: !context.oracle,
      countsStages: context.countsStages(),
    });
  }

  /** The draw calls with DRAW records of their own. */
  get singles(): readonly PlannedDraw[] {
    return this.planned.filter((planned) => !isCalls(planned)) as PlannedDraw[];
  }

  /** The parts of stream output buffers that a draw call writes to. */
  roomsOf(draw: PlannedDraw): readonly (SinkRange | null)[] {
    return this.rooms.get(draw) ?? [];
  }

  /** Adds the next draw calls. Returns whether all have been added. */
  step(): boolean {
    const {
      state: { runs },
    } = this;
    for (let left = DRAWS_A_STEP; left > 0 && this.run < runs.length; left--) {
      const { list, begin, end, dynamic } = runs[this.run]!;
      const first = begin + this.at;
      const last = Math.min(end, first + CALLS_A_STEP);
      let next = this.calls.add(list, first, last, dynamic, this.number);
      this.number += next - first;
      if (next - first > DRAWS_A_STEP) left = 1;
      if (next < last) this.add(list.at(next++), dynamic, this.number++);
      this.at = next - begin;
      if (next < end) continue;
      this.run++;
      this.at = 0;
    }
    return this.run === runs.length;
  }

  /** Adds a draw call with a DRAW record of its own. */
  private add(command: DrawCommand, dynamic: DynamicState, number: number): void {
    const { context, records } = this;
    const counts = readDrawCounts(context.memory, command);
    if (counts.count === 0 || counts.instanceCount === 0) return;
    if (this.groups !== command.groups || this.drawn !== command.state || this.shared?.dynamic !== dynamic) {
      this.groups = command.groups;
      this.drawn = command.state;
      this.shared = records.state(command, dynamic);
    }
    const use = command.indexed ? records.indexUse(command.state, counts.first, counts.count) : null;
    const rooms = this.sinks.rooms(command, counts, dynamic);
    const record = records.draw(this.shared, command, counts, use, rooms);
    const { oracle } = context;
    const appends = rooms.some((room) => room?.cursor);
    const draw = planDraw({ record, number }, command, counts, use, { oracle, appends });
    if (!draw) return;
    this.planned.push(draw);
    if (rooms.length > 0) this.rooms.set(draw, rooms);
    this.size.add(command.state.pipeline as Pipeline, counts.instanceCount, draw.primitives * draw.amplification);
  }
}
