// Draws the picture of a pass.
import type { DeviceStatistics, StatisticsDevice } from '../../index';
import { countInvocations, drawRates, storeSamples, type PictureOptions } from '../../gltf/gpu/render';
import { drawSurfaces, type SurfaceSamples } from '../../gltf/gpu/surfaces';
import type { GpuScene } from '../../gltf/gpu/upload';
import { drawPass as drawModelPass, type PassPictureOptions, type PassScene } from '../../gltf/passes/draw';
import type { ColourKind, PassPicture } from '../../gltf/passes/kinds';
import { drawEncoding, summarizeEncoding, type EncodingReport } from '../encoding';
import { DeviceError } from '../errors';
import type { Gpu } from '../gpu';
import type { LegendPicture } from '../legend';
import { isOfModel, type CommandPass } from '../options/pass-options';
import { drawOverdraw, summarize, type OverdrawReport } from '../overdraw';
import { drawRateMap, summarizeRates, type RateMapReport } from '../rate-map';

export interface Drawn {
  picture: PassPicture;
  overdraw?: OverdrawReport;
  encoding?: EncodingReport;
  rateMap?: RateMapReport;
  /** Statistics after drawing; null if the GPU has none. */
  statistics: DeviceStatistics | null;
}

const noMemoryFor = ({ width, height, samples }: PictureOptions): string =>
  `${width}×${height} pixels with ${samples} ${samples === 1 ? 'sample' : 'samples'} `
  + `each need more memory than a device has; use a smaller --size${samples === 1 ? '' : ' or fewer --samples'}.`;

/** A diagnostic picture, whose pixels are colours. */
const coloured = ({ pixels, width, height }: LegendPicture): PassPicture => ({
  pass: 'color',
  pixels: pixels as Uint8Array<ArrayBuffer>,
  width,
  height,
});

/** Draws the passes of one model. Those of a frame that show its surfaces share one drawing. */
export class Passes {
  readonly #gpu: Gpu;
  #surfaces: { frame: number; samples: Promise<SurfaceSamples> } | undefined;

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /** Draws the picture of a pass and computes its figures. */
  async draw(
    scene: PassScene,
    [pass, kind]: readonly [CommandPass, ColourKind],
    size: PassPictureOptions,
    frame: number
  ): Promise<Drawn> {
    const gpu = this.#gpu;
    const device = gpu.device as StatisticsDevice;
    let statistics: DeviceStatistics | null = null;
    const options = {
      ...size,
      drawn: () => {
        statistics = gpu.statistics();
      },
    };
    const render = <T>(work: () => Promise<T>): Promise<T> => gpu.run('Rendering', work, noMemoryFor(size));
    if (isOfModel(pass)) {
      const surfaces = (): Promise<SurfaceSamples> => this.#surfacesOf(frame, scene.gpu, options);
      const picture = await render(() => drawModelPass(device, scene, [pass, kind], options, surfaces));
      return { picture, statistics };
    }
    if (pass === 'shading-rate') {
      const rates = await render(() => drawRates(device, scene.gpu, options));
      return { picture: coloured(drawRateMap(rates, options.width)), rateMap: summarizeRates(rates), statistics };
    }
    const needs = pass === 'overdraw' ? 'counts fragment invocations' : 'reports how it stores samples';
    if (gpu.statistics() === null)
      throw new DeviceError(`--pass ${pass} needs a GPU that ${needs}, and this one does not.`);
    if (pass === 'overdraw') {
      const counts = await render(() => countInvocations(device, scene.gpu, options));
      return { picture: coloured(drawOverdraw(counts, options.width)), overdraw: summarize(counts), statistics };
    }
    const { states, surface } = await render(() => storeSamples(device, scene.gpu, options));
    return { picture: coloured(drawEncoding(states, options.width)), encoding: summarizeEncoding(surface), statistics };
  }

  #surfacesOf(frame: number, scene: GpuScene, options: PictureOptions): Promise<SurfaceSamples> {
    if (this.#surfaces?.frame !== frame)
      this.#surfaces = { frame, samples: drawSurfaces(this.#gpu.device, scene, options) };
    return this.#surfaces.samples;
  }
}
