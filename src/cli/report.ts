// What --stats and --json tell about a rendering.
import type { Part } from './progress';

export interface RenderReport {
  model: string;
  output: string;
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
  /** Milliseconds. */
  times: Record<Part | 'start' | 'total', number>;
  warnings: string[];
}

const number = (value: number): string => value.toLocaleString('en-US');
const sizeOf = (bytes: number): string => (bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`);

/** What became of vertices, triangles and quads. */
function counterRows(counters: RenderReport['counters']): [string, string][] {
  if (!counters) return [];
  const of = (name: string): number => counters[name] ?? 0;
  const perUse = of('verticesShaded') / Math.max(1, of('verticesUsed'));
  const lanes = of('lanesShaded') / Math.max(1, of('quadsShaded') * 4);
  return [
    ['vertices', `${number(of('verticesShaded'))} shaded, ${perUse.toFixed(2)} per vertex used`],
    ['culled', `${number(of('trianglesCulledByFace'))} triangles by face, ${number(of('trianglesCulledOtherwise'))} empty or outside; ${number(of('trianglesClipped'))} clipped, ${number(of('trianglesBinned'))} drawn`],
    ['quads', `${number(of('quadsShaded'))} shaded in ${number(of('fragmentWarps'))} warps, ${(lanes * 100).toFixed(0)} % of their lanes covered`],
    ['tiles', `${number(of('tilesRun'))} in ${number(of('chunks'))} chunk${of('chunks') === 1 ? '' : 's'}`],
  ];
}

/** A report for people: one fact a line. */
export function describe(report: RenderReport): string {
  const { times } = report;
  const rows: [string, string][] = [
    ['picture', `${report.width} × ${report.height}, ${report.samples} sample${report.samples > 1 ? 's' : ''} a pixel, ${sizeOf(report.pngBytes)}`],
    ['triangles', `${number(report.triangles)} in ${number(report.draws)} draw${report.draws === 1 ? '' : 's'}, ${report.pipelines} pipeline${report.pipelines === 1 ? '' : 's'}`],
    ['textures', `${report.textures}, ${sizeOf(report.textureBytes)} with mips and light`],
    ['buffers', sizeOf(report.bufferBytes)],
    ...counterRows(report.counters),
    ['memory', `${sizeOf(report.peakBytes)} at most, of the whole process`],
    ...(['start', 'load', 'decode', 'upload', 'render', 'encode', 'total'] as const).map((part): [string, string] => [part, `${times[part].toFixed(1)} ms`]),
  ];
  return rows.map(([name, value]) => `${name.padEnd(10)} ${value}\n`).join('');
}
