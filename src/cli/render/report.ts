// The report of --stats and --json about a rendering.
import type {
  DeviceStatistics,
  DeviceTimes,
  LoadStoreStatistics,
  ShadingRateStatistics,
  StreamStatistics,
  SurfaceStatistics,
} from '../../index';
import { quoted } from '../../base/printable';
import { describeEncoding, type EncodingReport } from '../encoding';
import { milliseconds, number, share, formatBytes, sizeOfAll, table, type Row } from '../format-figures';
import { describeOverdraw, type OverdrawReport } from '../overdraw';
import type { Part } from '../progress';
import type { PictureReport } from './encode';
import { describeRateMap, rateRows, type RateMapReport } from '../rate-map';

type StageStatistics = DeviceStatistics['programs']['stages'][number];
type StageTimes = StageStatistics['times'];

export interface RenderReport {
  model: string;
  /** The picture, or the first of several. */
  output: string;
  /** Number of pictures, and of the files that hold them. */
  frames: number;
  files: number;
  /** Number of these files that --resume has kept. */
  kept: number;
  /** Each picture, with what its samples stand for. */
  pictures: readonly PictureReport[];
  /** Contents of the pictures: names of passes, separated by commas. */
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
  /** Peak memory of the process in bytes. */
  peakBytes: number;
  /** Bytes of all pictures, whatever their format. */
  pngBytes: number;
  /** The renderer's counters, by name. */
  counters: Readonly<Record<string, number>> | null;
  /** Threads that rendered; 0 if the calling thread rendered, null if the renderer does not report it. */
  workers: number | null;
  /** The engine that ran shaders, and the cost of compiling them. */
  programs: DeviceStatistics['programs'] | null;
  /**
   * Kernel times of the renderer in milliseconds by part of the work, added up over its workers; null if not measured.
   */
  kernelTimes: DeviceTimes | null;
  /** Multisampled attachments after drawing: their contents, and the bytes moved between their tiles and memory. */
  surfaces: readonly SurfaceStatistics[];
  /** Accesses of shaders to multisampled storage textures; null if there were none. */
  loadStoreUnit: LoadStoreStatistics | null;
  /** Pages of streamed images; null without --stream. */
  streams: StreamStatistics | null;
  /** Invocations, warps and pixels by shading rate; null without --shading-rate. */
  shadingRates: ShadingRateStatistics | null;
  /** Fragment shader invocations per pixel; null unless the pass is "overdraw". */
  overdraw: OverdrawReport | null;
  /** How the colour attachment is stored; null unless the pass is "encoding". */
  encoding: EncodingReport | null;
  /** Shares of the rates in the pixels that were drawn to; null unless the pass is "shading-rate". */
  rateMap: RateMapReport | null;
  /**
   * Times of the calling thread in milliseconds. They are less than the work if other threads share it. "start" is the
   * wait for the device, "decode" the wait for images.
   */
  times: Record<Part | 'start' | 'total', number>;
  warnings: string[];
}

/** Rows about streamed images. */
function streamRows(streams: StreamStatistics | null, counters: RenderReport['counters']): Row[] {
  if (!streams) return [];
  const { pagesLoaded, pageBytes, pagesEvicted } = streams;
  const again = counters?.tilesReplayed ?? 0;
  return [
    [
      'pages',
      `${number(pagesLoaded)} loaded, ${number(pagesEvicted)} evicted, ${formatBytes(pageBytes)} resident; `
        + `${number(again)} tile replays`,
    ],
  ];
}

/** Rows about vertices, triangles, blocks and quads. */
function counterRows(counters: RenderReport['counters']): Row[] {
  if (!counters) return [];
  const of = (name: string): number => counters[name] ?? 0;
  const count = (name: string): string => number(of(name));
  const perUse = of('verticesShaded') / Math.max(1, of('verticesUsed'));
  const busy = of('lanesShaded') / Math.max(1, of('quadsShaded') * 4);
  return [
    [
      'vertices',
      `${count('verticesShaded')} shaded in ${count('vertexWarps')} warps, ${perUse.toFixed(2)} for each vertex used`,
    ],
    ['drawn', `${count('trianglesBinned')} triangles, ${count('trianglesClipped')} clipped`],
    [
      'culled',
      `${count('trianglesCulledByFace')} by face, ${count('trianglesCulledByArea')} with zero area, `
        + `${count('trianglesCulledBetweenSamples')} between samples, ${count('trianglesCulledOutside')} outside, `
        + `${count('trianglesCulledBehind')} behind`,
    ],
    [
      'blocks',
      `${count('blocksClear')} clear, ${count('blocksPlane')} plane, ${count('blocksPixel')} pixel, `
        + `${count('blocksSample')} sample`,
    ],
    [
      'depth',
      `${count('depthBlocksClear')} blocks clear, ${count('depthBlocksPlane')} plane, `
        + `${count('depthBlocksStored')} stored`,
    ],
    [
      'quads',
      `${count('quadsTested')} tested, ${count('quadsHidden')} hidden (and ${count('blocksHidden')} whole `
        + `blocks), ${count('quadsShaded')} shaded in ${count('fragmentWarps')} warps`,
    ],
    ['lanes', `${count('lanesShaded')} invocations, ${share(busy)} of lanes busy`],
    ['tiles', `${count('tilesRun')} in ${count('chunks')} chunk${of('chunks') === 1 ? '' : 's'}`],
  ];
}

/** Row about the memory and traffic of a multisampled surface, relative to one with a texel per sample. */
function surfaceRow({
  label,
  format,
  sampleCount,
  bytesHeld,
  bytesUncompressed,
  bytesMoved,
  bytesMovedUncompressed,
  tiles,
}: SurfaceStatistics): Row {
  const name = /"(.*)"/.exec(label)?.[1] ?? label;
  const surface = `${name}, ${format}, ${sampleCount} samples per pixel`;
  if (bytesHeld === 0 && bytesMovedUncompressed === 0)
    return [
      'surface',
      `${surface}: nothing of ${formatBytes(bytesUncompressed)} held or moved, because no tile was stored`,
    ];
  const moved =
    bytesMovedUncompressed === 0 ? 'nothing moved' : `${sizeOfAll(bytesMoved, bytesMovedUncompressed)} moved`;
  const states =
    `tiles ${number(tiles.clear)} clear, ${number(tiles.onePerPixel)} one value, ${number(tiles.subset)} subsets, `
    + `${number(tiles.full)} full`;
  return ['surface', `${surface}: ${sizeOfAll(bytesHeld, bytesUncompressed)} held, ${moved}; ${states}`];
}

/** Rows about accesses of shaders to multisampled storage textures. */
function loadStoreRows(unit: LoadStoreStatistics | null): Row[] {
  if (!unit) return [];
  const { loads, stores, mergedSimilar, bytesRead, bytesWritten, cache } = unit;
  return [
    [
      'accesses',
      `${number(loads)} loads, ${number(stores)} stores, ${number(mergedSimilar)} stores merged with a similar value`,
    ],
    [
      'cache',
      `${number(cache.hits)} hits, ${number(cache.misses)} misses, ${number(cache.fetches)} blocks fetched, `
        + `${number(cache.writeBacks)} write-backs; ${formatBytes(bytesRead)} read, `
        + `${formatBytes(bytesWritten)} written`,
    ],
  ];
}

const stepsOf = ({ emit, compile, instantiate, warmUp }: StageTimes): string =>
  `emit ${milliseconds(emit)}, compile ${milliseconds(compile)}, instantiate ${milliseconds(instantiate)}, `
  + `warm up ${milliseconds(warmUp)}`;
const plural = (value: number, noun: string): string => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;

/** Rows about shaders: in total and by stage. */
function programRows(programs: RenderReport['programs']): Row[] {
  if (!programs) return [];
  const { engine, compiled, interpreted, emitted, fromCache, fromStore, shared, moduleBytes, times, stages } = programs;
  const how =
    engine === 'interpreter'
      ? 'interpreted'
      : `${plural(compiled, 'pipeline')} compiled (${formatBytes(moduleBytes)}), `
        + `${number(interpreted)} interpreted; ${stepsOf(times)}`;
  const found = `${number(fromCache)} from memory, ${number(fromStore)} from the shader cache`;
  const all =
    `${number(stages.length)}, ${number(shared)} shared, ${plural(emitted, 'module')} made, ${found}, `
    + `${number(programs.cachedModules)} kept (${formatBytes(programs.keptBytes)}), `
    + `${number(programs.dropped)} dropped`;
  return [['shaders', how], ['stages', all], ...stages.map(stageRow)];
}

function stageRow(stage: StageStatistics): Row {
  const { name, kind, rate, pipelines, runs, warps, state, instructions, prologue, registers, moduleBytes } = stage;
  const size =
    `${plural(instructions, 'instruction')} and ${number(prologue)} per draw call, ` + plural(registers, 'register');
  const code = state === 'compiled' ? `${formatBytes(moduleBytes)}, ${stepsOf(stage.times)}` : state;
  return [
    'stage',
    `${kind} ${name}, once per ${rate}: ${plural(runs, 'draw')} in ${plural(pipelines, 'pipeline')}, `
      + `${plural(warps, 'warp')}; ${size}; ${code}`,
  ];
}

/** Rows about the workers and the times of their parts. */
function workerRows({ workers, kernelTimes }: RenderReport): Row[] {
  const rows: Row[] = [];
  if (workers !== null) rows.push(['workers', workers > 0 ? number(workers) : '0, the calling thread rendered']);
  if (kernelTimes) {
    const parts = (['vertex', 'setup', 'raster', 'pack', 'shade', 'blend', 'resolve'] as const).map(
      (part) => `${part} ${milliseconds(kernelTimes[part])}`
    );
    rows.push(['of render', `${parts.join(', ')}${(workers ?? 0) > 1 ? ', added up over all workers' : ''}`]);
    const { prepare, finish } = kernelTimes;
    rows.push([
      'alone',
      `the calling thread prepared passes for ${milliseconds(prepare)}, finished for ${milliseconds(finish)}`,
    ]);
  }
  return rows;
}

/** Formats a report for people, with one fact per line. */
export function describe(report: RenderReport): string {
  const { times } = report;
  const rows: Row[] = [
    [
      'picture',
      `${report.width} × ${report.height}, ${report.samples} sample${report.samples > 1 ? 's' : ''} per pixel, `
        + `${formatBytes(report.pngBytes)}`,
    ],
    [
      'triangles',
      `${number(report.triangles)} in ${number(report.draws)} draw${report.draws === 1 ? '' : 's'}, `
        + `${report.pipelines} pipeline${report.pipelines === 1 ? '' : 's'}`,
    ],
    ['textures', `${report.textures}, ${formatBytes(report.textureBytes)} with mip levels and environment light`],
    ['buffers', formatBytes(report.bufferBytes)],
    ...programRows(report.programs),
    ...counterRows(report.counters),
    ...rateRows(report.shadingRates),
    ...report.surfaces.map(surfaceRow),
    ...loadStoreRows(report.loadStoreUnit),
    ...streamRows(report.streams, report.counters),
    ['memory', `${formatBytes(report.peakBytes)} at most, of the whole process`],
    ...(['start', 'load', 'decode', 'upload', 'render', 'encode', 'total'] as const).map((part): Row => [
      part,
      milliseconds(times[part]),
    ]),
    ...workerRows(report),
  ];
  return table(rows);
}

/** Entries of a legend that are printed. */
const PRINTED = 40;

/** Rows about what the samples of a picture stand for. */
function valueRows({ pass, frame, depthRange, motionScale, legend }: PictureReport): Row[] {
  const rows: Row[] = [];
  const of = frame > 0 ? `, frame ${frame}` : '';
  if (depthRange) rows.push(['depth', `${depthRange.map((each) => each.toPrecision(6)).join(' to ')}${of}`]);
  if (motionScale !== undefined) rows.push(['motion', `${motionScale.toPrecision(6)} steps per pixel${of}`]);
  // The legend of all frames is the same.
  if (legend && frame === 0) {
    for (const { id, color, name, pixels } of legend.slice(0, PRINTED))
      rows.push([pass, `${id} ${color} ${quoted(name)}, ${number(pixels)} pixels`]);
    if (legend.length > PRINTED) rows.push([pass, `and ${legend.length - PRINTED} more; --json lists all`]);
  }
  return rows;
}

/** Formats the figures of a picture that shows something other than colours; empty for others. */
export function describePass({ overdraw, encoding, rateMap, pictures }: RenderReport): string {
  return table([
    ...pictures.flatMap(valueRows),
    ...(overdraw ? describeOverdraw(overdraw) : []),
    ...(encoding ? describeEncoding(encoding) : []),
    ...(rateMap ? describeRateMap(rateMap) : []),
  ]);
}
