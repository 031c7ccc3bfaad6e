// What --stats and --json tell about a rendering.
import type { DeviceStatistics, DeviceTimes } from '../index';
import { describeOverdraw, type OverdrawReport } from './overdraw';
import type { Part } from './progress';

export interface RenderReport {
  model: string;
  output: string;
  /** What the picture shows: "color" or "overdraw". */
  pass: string;
  width: number;
  height: number;
  samples: number;
  triangles: number;
  draws: number;
  pipelines: number;
  textures: number;
  textureBytes: number;
  bufferBytes: number;
  /** The most memory that the process held. */
  peakBytes: number;
  pngBytes: number;
  /** The renderer's own counts, by name. */
  counters: Readonly<Record<string, number>> | null;
  /** Threads that rendered; 0 where the calling one did, null where the renderer does not tell. */
  workers: number | null;
  /** The engine that ran shaders, and what compiling them took. */
  programs: DeviceStatistics['programs'] | null;
  /** Milliseconds of the renderer's kernels by part of the work, added up over its workers; null where they were not measured. */
  kernelTimes: DeviceTimes | null;
  /** Fragment invocations by pixel; null unless the pass is "overdraw". */
  overdraw: OverdrawReport | null;
  /** Milliseconds of the calling thread, which are less than the work where others share it: "start" is waiting for the device, "decode" for images. */
  times: Record<Part | 'start' | 'total', number>;
  warnings: string[];
}

const number = (value: number): string => value.toLocaleString('en-US');
const sizeOf = (bytes: number): string => (bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`);
const milliseconds = (ms: number): string => `${ms.toFixed(1)} ms`;

/** What became of vertices, triangles, blocks and quads. */
function counterRows(counters: RenderReport['counters']): [string, string][] {
  if (!counters) return [];
  const of = (name: string): number => counters[name] ?? 0;
  const count = (name: string): string => number(of(name));
  const perUse = of('verticesShaded') / Math.max(1, of('verticesUsed'));
  const busy = of('lanesShaded') / Math.max(1, of('quadsShaded') * 4);
  return [
    ['vertices', `${count('verticesShaded')} shaded, ${perUse.toFixed(2)} for each that is used`],
    ['drawn', `${count('trianglesBinned')} triangles, ${count('trianglesClipped')} clipped`],
    ['culled', `${count('trianglesCulledByFace')} by face, ${count('trianglesCulledByArea')} without area, ${count('trianglesCulledBetweenSamples')} between samples, ${count('trianglesCulledOutside')} outside, ${count('trianglesCulledBehind')} behind`],
    ['blocks', `${count('blocksClear')} clear, ${count('blocksPlane')} plane, ${count('blocksPixel')} pixel, ${count('blocksSample')} sample`],
    ['depth', `${count('depthBlocksClear')} blocks clear, ${count('depthBlocksPlane')} plane, ${count('depthBlocksStored')} stored`],
    ['quads', `${count('quadsTested')} tested, ${count('quadsHidden')} hidden (and ${count('blocksHidden')} whole blocks), ${count('quadsShaded')} shaded in ${count('fragmentWarps')} warps`],
    ['lanes', `${count('lanesShaded')} invocations, ${(busy * 100).toFixed(1)} % of lanes busy`],
    ['tiles', `${count('tilesRun')} in ${count('chunks')} chunk${of('chunks') === 1 ? '' : 's'}`],
  ];
}

/** How shaders were run. */
function programRows(programs: RenderReport['programs']): [string, string][] {
  if (!programs) return [];
  const { engine, compiled, interpreted, moduleBytes, times } = programs;
  if (engine === 'interpreter') return [['shaders', 'interpreted']];
  const steps = `emit ${milliseconds(times.emit)}, compile ${milliseconds(times.compile)}, instantiate ${milliseconds(times.instantiate)}, warm up ${milliseconds(times.warmUp)}`;
  return [['shaders', `${compiled} pipeline${compiled === 1 ? '' : 's'} compiled (${sizeOf(moduleBytes)}), ${interpreted} interpreted; ${steps}`]];
}

/** What rendered, and the time of its parts. */
function workerRows({ workers, kernelTimes }: RenderReport): [string, string][] {
  const rows: [string, string][] = [];
  if (workers !== null) rows.push(['workers', workers > 0 ? number(workers) : '0, the calling thread rendered']);
  if (kernelTimes) {
    const parts = (['vertex', 'setup', 'raster', 'shade', 'blend', 'resolve'] as const).map((part) => `${part} ${milliseconds(kernelTimes[part])}`);
    rows.push(['of render', `${parts.join(', ')}${(workers ?? 0) > 1 ? ', added up over all workers' : ''}`]);
  }
  return rows;
}

/** A report for people: one fact a line. */
export function describe(report: RenderReport): string {
  const { times } = report;
  const rows: [string, string][] = [
    ['picture', `${report.width} × ${report.height}, ${report.samples} sample${report.samples > 1 ? 's' : ''} a pixel, ${sizeOf(report.pngBytes)}`],
    ['triangles', `${number(report.triangles)} in ${number(report.draws)} draw${report.draws === 1 ? '' : 's'}, ${report.pipelines} pipeline${report.pipelines === 1 ? '' : 's'}`],
    ['textures', `${report.textures}, ${sizeOf(report.textureBytes)} with mips and light`],
    ['buffers', sizeOf(report.bufferBytes)],
    ...programRows(report.programs),
    ...counterRows(report.counters),
    ['memory', `${sizeOf(report.peakBytes)} at most, of the whole process`],
    ...(['start', 'load', 'decode', 'upload', 'render', 'encode', 'total'] as const).map((part): [string, string] => [part, milliseconds(times[part])]),
    ...workerRows(report),
  ];
  return table(rows);
}

/** The counts of a --pass overdraw picture. */
export const describePass = (overdraw: OverdrawReport): string => table(describeOverdraw(overdraw));

const table = (rows: readonly [string, string][]): string => rows.map(([name, value]) => `${name.padEnd(10)} ${value}\n`).join('');
