// The draw calls of a pass or a bundle as words (src/render/draws/draw-list.ts).
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DrawList } from '../../../src/render/draws/draw-list';
import type { BoundGroup, DrawState } from '../../../src/render/types';
import { rounds } from '../../support/rounds';

/** A draw call: whether it has another state and other dynamic offsets than the one before, and its counts. */
interface Step {
  readonly hasState: boolean;
  readonly hasOffsets: boolean;
  readonly count: number;
}
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    hasState: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    hasOffsets: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    count: fc.integer({ min: 1, max: 100 }),
  }),
  { minLength: 1, maxLength: 200, size: 'max' }
);

const stateOf = (bound: BoundGroup): DrawState =>
  ({ groups: [bound], dynamicOffsets: 1, vertexBuffers: [], index: null, sinks: [] }) as unknown as DrawState;

/** Records draw calls as encoders do. Returns the list with the state and the offset of each. */
function record(all: readonly Step[]): { list: DrawList; states: number[]; offsets: number[] } {
  const list = new DrawList();
  const states: number[] = [];
  const offsets: number[] = [];
  let place = 0;
  all.forEach(({ hasState, hasOffsets, count }, draw) => {
    const bound = { group: { dynamic: [0] }, dynamicOffsets: [draw * 256] } as unknown as BoundGroup;
    if (draw === 0 || hasState) list.addState(stateOf(bound));
    if (draw === 0 || hasState || hasOffsets) place = list.addOffsets([bound], 1);
    list.add(list.states.length - 1, false, place);
    list.put(count, 1, draw, 0, 0);
    states.push(list.states.length - 1);
    offsets.push(place);
  });
  return { list, states, offsets };
}

/** The first place after `begin` with another value, or `end`. */
function endOf(values: readonly number[], begin: number, end: number): number {
  const next = values.findIndex((value, i) => i > begin && value !== values[begin]);
  return next < 0 ? end : Math.min(end, next);
}

test('a list finds the end of draw calls with the same state and offsets', () => {
  fc.assert(
    fc.property(steps, fc.nat(), fc.nat(), (all, from, to) => {
      const { list, states, offsets } = record(all);
      const begin = from % all.length;
      const end = begin + 1 + (to % (all.length - begin));
      const sameState = endOf(states, begin, end);
      expect(list.endOfState(begin, end)).toBe(sameState);
      expect(list.endOfOffsets(begin, sameState)).toBe(endOf(offsets, begin, sameState));
      list.release();
    }),
    { numRuns: rounds(200), seed: 5 }
  );
});

test('a trimmed list keeps its draw calls while other lists use its arrays', () => {
  fc.assert(
    fc.property(steps, steps, (all, others) => {
      const { list } = record(all);
      const commands = (): unknown[] => all.map((_, draw) => list.at(draw));
      const before = commands();
      list.trim();
      expect(list.records.length).toBe(all.length * 8);
      const other = record(others).list;
      expect(commands()).toEqual(before);
      other.release();
      const another = record(others).list;
      expect(commands()).toEqual(before);
      another.release();
    }),
    { numRuns: rounds(50), seed: 6 }
  );
});
