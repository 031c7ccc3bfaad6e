// The state machine of late work: its table, and all interleavings of a small world (world.kit.ts).
import { describe, expect, test } from 'vitest';
import * as codes from '../../assembly/layout/late/work-codes';
import { nextState, workStates } from '../../src/late/states';
import { World, type Scene, type Way } from './world.kit';

const EVENTS = {
  begins: codes.WORK_BEGINS,
  parks: codes.WORK_PARKS,
  'is undone': codes.WORK_IS_UNDONE,
  'is ready': codes.WORK_IS_READY,
  ends: codes.WORK_ENDS,
  fails: codes.WORK_FAILS,
};

/** The diagram of docs/internals/late-data.md. All other pairs of a state and an event are impossible. */
const TABLE: Readonly<Record<keyof typeof EVENTS, readonly [from: string, to: string]>> = {
  begins: ['new ready', 'running'],
  parks: ['running ready', 'parked'],
  'is undone': ['running parked ready', 'undone'],
  'is ready': ['new parked undone done', 'ready'],
  ends: ['running', 'done'],
  fails: ['running parked undone ready', 'failed'],
};

describe('every state and event', () => {
  for (const [name, event] of Object.entries(EVENTS))
    test(name, () => {
      const [from, to] = TABLE[name as keyof typeof EVENTS];
      const found = workStates.map((_, state) => nextState(state, event));
      expect(found.map((next) => (next === null ? null : workStates[next]))).toEqual(
        workStates.map((state) => (from.split(' ').includes(state) ? to : null))
      );
    });
});

interface Explored {
  readonly count: number;
  readonly ends: ReadonlySet<World['phase']>;
  readonly transitions: ReadonlySet<string>;
}

/** Visits every state of a world that some order of its steps leads to. A world is repeated from its first step. */
function explore(scene: Scene): Explored {
  const successors = new Map<string, string[]>();
  const ended = new Map<string, World['phase']>();
  const transitions = new Set<string>();
  const open: (readonly number[])[] = [[]];
  for (let path = open.pop(); path; path = open.pop()) {
    const world = new World(scene);
    const names: string[] = [];
    try {
      for (const choice of path) {
        const step = world.steps[choice]!;
        names.push(step.name);
        step.run();
      }
      for (const one of world.transitions) transitions.add(one);
      world.check();
    } catch (error) {
      throw new Error(`${JSON.stringify(scene)}: ${names.join(', ')}`, { cause: error });
    }
    const { key, steps, phase } = world;
    const parent = path.length === 0 ? null : path;
    if (parent) successors.get(parents.get(parent)!)!.push(key);
    if (successors.has(key)) continue;
    successors.set(key, []);
    if (steps.length === 0) {
      ended.set(key, phase);
      if (phase !== 'done' && phase !== 'failed') throw new Error(`stuck after ${names.join(', ')}`);
    }
    steps.forEach((_, choice) => {
      const next = [...path, choice];
      parents.set(next, key);
      open.push(next);
    });
  }
  expectEnds(successors, ended);
  return { count: successors.size, ends: new Set(ended.values()), transitions };
}
/** The key of the state before the last step of a path. */
const parents = new WeakMap<readonly number[], string>();

/** Fails unless each state can still lead to an end. */
function expectEnds(successors: ReadonlyMap<string, readonly string[]>, ended: ReadonlyMap<string, unknown>): void {
  const before = new Map<string, string[]>();
  for (const [key, next] of successors)
    for (const other of next) before.set(other, [...(before.get(other) ?? []), key]);
  const live = new Set(ended.keys());
  const open = [...live];
  for (let key = open.pop(); key !== undefined; key = open.pop())
    for (const other of before.get(key) ?? [])
      if (!live.has(other)) {
        live.add(other);
        open.push(other);
      }
  expect(successors.size - live.size).toBe(0);
}

const WAYS: readonly Way[] = ['keeps', 'parks', 'replays'];
const READS: Scene['reads'] = [
  [0, 1],
  [1, 2],
];
const seen = new Set<string>();

describe('two workers, two tiles and three pages in all orders', () => {
  for (const [at, first] of WAYS.entries())
    for (const second of WAYS.slice(at))
      for (const room of [1, 2, 3])
        test(`${first}, ${second}, room for ${room}`, () => {
          const { count, ends, transitions } = explore({ ways: [first, second], reads: READS, room, lost: null });
          for (const one of transitions) seen.add(one);
          expect(count).toBeGreaterThan(100);
          expect([...ends]).toEqual(['done']);
        });
  for (const way of WAYS)
    test(`${way}, and a page that cannot be loaded`, () => {
      const { ends, transitions } = explore({ ways: [way, way], reads: READS, room: 3, lost: 1 });
      for (const one of transitions) seen.add(one);
      expect([...ends]).toEqual(['failed']);
    });
  test('these orders contain every transition of a tile', () => {
    const all = Object.values(TABLE).flatMap(([from, to]) => from.split(' ').map((state) => `${state} ${to}`));
    // Tiles are made ready before they begin where contexts are short (tests/streamed-textures/kept.test.ts). Between
    // jobs, nothing is running or ready, so no other work fails.
    const others = new Set(['new ready', 'running failed', 'ready failed']);
    expect(nextState(codes.WORK_FAILED, codes.WORK_BEGINS)).toBeNull();
    expect([...seen].sort()).toEqual(all.filter((one) => !others.has(one)).sort());
  });
});
