// The numbers of a frame: differences of the device's statistics.
import type { DeviceStatistics } from 'rasterloom';
import type { Counter } from '../protocol';

const whole = new Intl.NumberFormat('en');
const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** Counters of the device, in the order in which they are shown, and their names. */
const NAMES = [
  ['verticesShaded', 'Vertices'],
  ['trianglesBinned', 'Triangles'],
  ['lanesShaded', 'Fragment invocations'],
  ['fragmentWarps', 'Warps'],
  ['quadsHidden', 'Hidden quads'],
  ['sampleRuns', 'Sample stage runs'],
  ['positionHazards', 'Position hazards'],
  ['workgroups', 'Workgroups'],
  ['independentDraws', 'Independent draws'],
] as const;

/** Fragment invocations that stood for more than one pixel. */
const coarseRuns = ({ shadingRates }: DeviceStatistics): number =>
  Object.entries(shadingRates.rates).reduce((sum, [rate, { threads }]) => sum + (rate === '1x1' ? 0 : threads), 0);

export function countersOf(before: DeviceStatistics, after: DeviceStatistics): Counter[] {
  const grown = (name: string): number => (after.counters[name] ?? 0) - (before.counters[name] ?? 0);
  const counters: Counter[] = NAMES.map(([counter, name]) => ({ name, value: whole.format(grown(counter)) }));
  const lanes = 4 * grown('quadsShaded');
  const held = after.surfaces.reduce((sum, { bytesHeld }) => sum + bytesHeld, 0);
  const raw = after.surfaces.reduce((sum, { bytesUncompressed }) => sum + bytesUncompressed, 0);
  const tiles = after.work.map(({ tiles }, k) => tiles - (before.work[k]?.tiles ?? 0));
  const { compiled, interpreted } = after.programs;
  const causes = Object.entries(after.shadingRates.fallbacks).filter(
    ([cause, count]) => count > before.shadingRates.fallbacks[cause as 'storage']
  );
  return [
    ...counters,
    { name: 'Busy lanes', value: lanes > 0 ? `${((100 * grown('lanesShaded')) / lanes).toFixed(1)} %` : '–' },
    { name: 'Coarse invocations', value: whole.format(coarseRuns(after) - coarseRuns(before)) },
    ...(causes.length > 0 ? [{ name: 'Not coarse because of', value: causes.map(([cause]) => cause).join(', ') }] : []),
    ...(raw > 0 ? [{ name: 'Bytes of samples', value: `${mebibytes(held)} of ${mebibytes(raw)}` }] : []),
    { name: 'Pipelines', value: `${compiled} compiled, ${interpreted} interpreted` },
    { name: 'Worker threads', value: String(after.workers) },
    { name: 'Tiles per worker', value: tiles.join(' + ') || '–' },
    { name: 'Memory', value: mebibytes(after.memory.bytesUsed) },
  ];
}
