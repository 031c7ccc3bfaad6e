// Draws the picture of a pass.
import type { DeviceStatistics, StatisticsDevice } from '../../index';
import { countInvocations, drawRates, renderPicture, storeSamples, type PictureOptions } from '../../gltf/gpu/render';
import type { GpuScene } from '../../gltf/gpu/upload';
import { drawEncoding, summarizeEncoding, type EncodingReport } from '../encoding';
import { DeviceError } from '../errors';
import type { Gpu } from '../gpu';
import type { LegendPicture } from '../legend';
import type { RenderSettings } from '../options/options';
import { drawOverdraw, summarize, type OverdrawReport } from '../overdraw';
import { drawRateMap, summarizeRates, type RateMapReport } from '../rate-map';

export interface Drawn extends LegendPicture {
  overdraw?: OverdrawReport;
  encoding?: EncodingReport;
  rateMap?: RateMapReport;
  /** Statistics after drawing; null if the GPU has none. */
  statistics: DeviceStatistics | null;
}

const noMemoryFor = ({ width, height, samples }: PictureOptions): string =>
  `${width}×${height} pixels with ${samples} ${samples === 1 ? 'sample' : 'samples'} `
  + `each need more memory than a device has; use a smaller --size${samples === 1 ? '' : ' or fewer --samples'}.`;

/** Draws the picture of a pass and computes its figures. */
export async function drawPass(
  gpu: Gpu,
  scene: GpuScene,
  pass: RenderSettings['pass'],
  size: PictureOptions
): Promise<Drawn> {
  let statistics: DeviceStatistics | null = null;
  const options = {
    ...size,
    drawn: () => {
      statistics = gpu.statistics();
    },
  };
  const render = <T>(
    work: (device: StatisticsDevice, scene: GpuScene, options: PictureOptions) => Promise<T>
  ): Promise<T> => gpu.run('Rendering', () => work(gpu.device as StatisticsDevice, scene, options), noMemoryFor(size));
  if (pass === 'color') {
    const pixels = await render(renderPicture);
    return { pixels, width: options.width, height: options.height, statistics };
  }
  if (pass === 'shading-rate') {
    const rates = await render(drawRates);
    return { ...drawRateMap(rates, options.width), rateMap: summarizeRates(rates), statistics };
  }
  const needs = pass === 'overdraw' ? 'counts fragment invocations' : 'reports how it stores samples';
  if (gpu.statistics() === null)
    throw new DeviceError(`--pass ${pass} needs a GPU that ${needs}, and this one does not.`);
  if (pass === 'overdraw') {
    const counts = await render(countInvocations);
    return { ...drawOverdraw(counts, options.width), overdraw: summarize(counts), statistics };
  }
  const { states, surface } = await render(storeSamples);
  return { ...drawEncoding(states, options.width), encoding: summarizeEncoding(surface), statistics };
}
