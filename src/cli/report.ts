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
  /** Milliseconds. */
  times: Record<Part | 'start' | 'total', number>;
  warnings: string[];
}

const number = (value: number): string => value.toLocaleString('en-US');
const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

/** A report for people: one fact a line. */
export function describe(report: RenderReport): string {
  const { times } = report;
  const rows: [string, string][] = [
    ['picture', `${report.width} × ${report.height}, ${report.samples} sample${report.samples > 1 ? 's' : ''} a pixel, ${mebibytes(report.pngBytes)}`],
    ['triangles', `${number(report.triangles)} in ${number(report.draws)} draw${report.draws === 1 ? '' : 's'}, ${report.pipelines} pipeline${report.pipelines === 1 ? '' : 's'}`],
    ['textures', `${report.textures}, ${mebibytes(report.textureBytes)} with mips and light`],
    ['buffers', mebibytes(report.bufferBytes)],
    ['memory', `${mebibytes(report.peakBytes)} at most, of the whole process`],
    ...(['start', 'load', 'decode', 'upload', 'render', 'encode', 'total'] as const).map((part): [string, string] => [part, `${times[part].toFixed(1)} ms`]),
  ];
  return rows.map(([name, value]) => `${name.padEnd(10)} ${value}\n`).join('');
}
