// Statistics of one model: a device counts from its creation on, and models share a device.
import type { DeviceStatistics } from '../../index';

type Stage = DeviceStatistics['programs']['stages'][number];

/** Members that describe the device at the moment; others count events. */
const STATES = new Set(['pageBytes', 'waiting']);

/** Subtracts numbers, also in objects within objects. */
function minus<T extends object>(after: T, before: Readonly<Record<string, unknown>>): T {
  return Object.fromEntries(
    Object.entries(after).map(([name, value]: [string, unknown]) => {
      const old = before[name];
      if (typeof value === 'number' && typeof old === 'number') return [name, STATES.has(name) ? value : value - old];
      if (typeof value === 'object' && value !== null && typeof old === 'object' && old !== null)
        return [name, minus(value, old as Readonly<Record<string, unknown>>)];
      return [name, value];
    })
  ) as T;
}

const of = <T extends object>(after: T, before: T): T => minus(after, before as Readonly<Record<string, unknown>>);

/** What a device did between two moments. Memory, surfaces and sizes are those of the later moment. */
export function statisticsSince(before: DeviceStatistics, after: DeviceStatistics): DeviceStatistics {
  const { programs } = after;
  const { emitted, fromCache, fromStore, shared, dropped, times, stages } = before.programs;
  return {
    ...after,
    counters: of(after.counters, before.counters),
    loadStoreUnit: of(after.loadStoreUnit, before.loadStoreUnit),
    shadingRates: of(after.shadingRates, before.shadingRates),
    streams: of(after.streams, before.streams),
    ...(after.times && before.times ? { times: of(after.times, before.times) } : {}),
    programs: {
      ...programs,
      emitted: programs.emitted - emitted,
      fromCache: programs.fromCache - fromCache,
      fromStore: programs.fromStore - fromStore,
      shared: programs.shared - shared,
      dropped: programs.dropped - dropped,
      times: of(programs.times, times),
      stages: stagesSince(stages, programs.stages),
    },
  };
}

const isSame = (a: Stage, b: Stage): boolean =>
  a.name === b.name && a.kind === b.kind && a.rate === b.rate && a.instructions === b.instructions;

/** The stages that ran meanwhile. A device lists new stages after old ones. */
function stagesSince(before: readonly Stage[], after: readonly Stage[]): Stage[] {
  let next = 0;
  return after
    .map((stage) => {
      const old = before[next];
      if (old === undefined || !isSame(old, stage)) return stage;
      next++;
      return {
        ...stage,
        runs: stage.runs - old.runs,
        warps: stage.warps - old.warps,
        times: of(stage.times, old.times),
      };
    })
    .filter(({ runs }) => runs > 0);
}
