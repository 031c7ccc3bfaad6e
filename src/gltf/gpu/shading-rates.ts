// Shading rates of a scene: converts a request to tables of window depth.
/// <reference types="@webgpu/types" />
import type { DepthShadingRates, ShadingRate, ShadingRateCommands, ShadingRatePassMembers } from '../../index';
import { viewDistance, windowDepth, type Camera } from '../scene/camera';
import type { Blur } from '../scene/lens';
import { dot, subtract } from '../math';
import { forEachBatch } from '../scene/points';
import type { FlatScene } from '../scene/scene';

/** Rates for equal slices of view distance, 0 < near < far. Outside this range, the rate is 1x1. */
export interface DistanceRates {
  near: number;
  far: number;
  rates: readonly ShadingRate[];
}

/**
 * The requested rates: one rate for everything, rates by view distance, or automatic ones based on the scene and the
 * lens.
 */
export type RateRequest = { everywhere: ShadingRate } | { byDistance: DistanceRates } | 'auto';

/** The rates with which the scene is drawn; the coarser of both applies. */
export interface SceneRates {
  everywhere: ShadingRate;
  depth: DepthShadingRates | undefined;
  /** Whether materials with cut-out edges ignore `depth`. A coarse pixel is discarded as a whole. */
  keepsEdges?: boolean;
}

/** Number of slices in the tables that are made here, the most that are allowed. */
const SLICES = 16;
/**
 * Rates without a lens. If the farthest distance is much larger than the nearest, 2x2 begins at 1.8 times the nearest
 * distance, and 4x4 at eight times.
 */
const BY_DEPTH: readonly ShadingRate[] = Array.from({ length: SLICES }, (_, i) =>
  i < 7 ? '1x1' : i < 14 ? '2x2' : '4x4'
);
/** Tables begin at this share of the farthest distance or farther; otherwise all slices would be close to the eye. */
const NEAREST = 1 / 64;

/** Converts a request to the rates of a scene, as seen by a camera with the blur of its lens, if any. */
export function sceneRates(request: RateRequest, scene: FlatScene, camera: Camera, blur: Blur | undefined): SceneRates {
  if (request === 'auto')
    return { everywhere: '1x1', depth: automatic(nearestOf(scene, camera), camera, blur), keepsEdges: true };
  if ('everywhere' in request) return { everywhere: request.everywhere, depth: undefined };
  return { everywhere: '1x1', depth: ratesByDepth(request.byDistance, camera) };
}

/**
 * Converts rates by view distance to a table of window depths, where equal slices are thinner nearby. The table only
 * covers the range of rates other than 1x1, so that its slices are as thin as possible. A slice in which several rates
 * meet gets the finest of them. Returns undefined if all rates are 1x1.
 */
export function ratesByDepth(
  { near, far, rates }: DistanceRates,
  camera: Pick<Camera, 'near' | 'far'>
): DepthShadingRates | undefined {
  const edge = (i: number): number => near + ((far - near) * i) / rates.length;
  const first = rates.findIndex((rate) => rate !== '1x1');
  const last = rates.findLastIndex((rate) => rate !== '1x1');
  if (first < 0) return undefined;
  const slices = slicesOf(Math.max(edge(first), camera.near), Math.min(edge(last + 1), camera.far), camera);
  if (!slices) return undefined;
  return {
    near: slices.near,
    far: slices.far,
    rates: slices.distances.map(([from, to]) =>
      finest(
        // The tolerance assigns an edge that both tables share to one slice of each, however it is rounded.
        rates.filter((_, i) => edge(i + 1) > from * (1 + 1e-9) && edge(i) < to * (1 - 1e-9))
      )
    ),
  };
}

/**
 * Coarse rates where the blur of each point is twice as wide as the coarse pixel or, without a lens, where it is far
 * away. The table ends at the far plane, slightly beyond the farthest vertex, because edge pixels may be shaded at a
 * greater depth than all vertices.
 */
function automatic(nearest: number, camera: Camera, blur: Blur | undefined): DepthShadingRates | undefined {
  const slices = slicesOf(Math.max(nearest, camera.far * NEAREST), camera.far, camera);
  if (!slices) return undefined;
  const { near, far } = slices;
  if (!blur) return { near, far, rates: [...BY_DEPTH] };
  const radius = (i: number): number => blur.slope * (near + ((far - near) * i) / SLICES) + blur.offset;
  return {
    near,
    far,
    rates: Array.from({ length: SLICES }, (_, i) => {
      const [from, to] = [radius(i), radius(i + 1)];
      const diameter = from * to <= 0 ? 0 : 2 * Math.min(Math.abs(from), Math.abs(to), blur.maximum);
      return diameter >= 8 ? '4x4' : diameter >= 4 ? '2x2' : '1x1';
    }),
  };
}

/**
 * Equal slices of window depth between two view distances, with the distances of each; undefined if the range is empty.
 */
function slicesOf(
  from: number,
  to: number,
  camera: Pick<Camera, 'near' | 'far'>
): { near: number; far: number; distances: [number, number][] } | undefined {
  const near = windowDepth(camera, from);
  const far = windowDepth(camera, to);
  if (!(Math.fround(near) < Math.fround(far))) return undefined;
  const distance = (i: number): number => viewDistance(camera, near + ((far - near) * i) / SLICES);
  return { near, far, distances: Array.from({ length: SLICES }, (_, i) => [distance(i), distance(i + 1)]) };
}

/** The smallest width and the smallest height of the rates. */
function finest(rates: readonly ShadingRate[]): ShadingRate {
  const least = (side: number): string => rates.map((rate) => rate.split('x')[side]).sort()[0];
  return `${least(0)}x${least(1)}` as ShadingRate;
}

/** The larger width and the larger height of two rates. No rates are four times as wide as high, or as high as wide. */
export function coarser(a: ShadingRate, b: ShadingRate): ShadingRate {
  const [width, height] = [0, 1].map((side) => Math.max(Number(a.split('x')[side]), Number(b.split('x')[side])));
  return `${width}x${height}` as ShadingRate;
}

/** View distance of the nearest vertex, clamped to the near and far planes. */
function nearestOf({ draws }: FlatScene, { eye, forward, near, far }: Camera): number {
  let nearest = far;
  forEachBatch(draws, (points) => {
    for (let i = 0; i < points.length; i += 3) {
      const way = subtract([points[i], points[i + 1], points[i + 2]], eye);
      nearest = Math.min(nearest, Math.max(near, dot(way, forward)));
    }
  });
  return nearest;
}

/** The rates of draw calls in a pass: the coarser of the scene's rate and the material's. */
export class DrawRates {
  #rate: ShadingRate;
  #keepsDepth = false;

  constructor(
    private readonly pass: GPURenderPassEncoder,
    private readonly rates: SceneRates | undefined
  ) {
    this.#rate = rates?.everywhere ?? '1x1';
  }

  /**
   * Sets the rate of the following draw calls. `material`: the rate that their material asks for; `isCut`: whether the
   * material has cut-out edges.
   */
  set(material: ShadingRate | undefined, isCut: boolean): void {
    if (!this.rates) return;
    const rate = coarser(this.rates.everywhere, material ?? '1x1');
    const keepsDepth = isCut && this.rates.keepsEdges === true;
    if (rate !== this.#rate || keepsDepth !== this.#keepsDepth)
      (this.pass as GPURenderPassEncoder & ShadingRateCommands).setShadingRate(
        rate,
        keepsDepth ? { depth: 'keep' } : undefined
      );
    this.#rate = rate;
    this.#keepsDepth = keepsDepth;
  }
}

/** Begins a pass whose draw calls have these rates. */
export function beginWithRates(
  encoder: GPUCommandEncoder,
  descriptor: GPURenderPassDescriptor,
  rates: SceneRates | undefined
): GPURenderPassEncoder {
  if (!rates) return encoder.beginRenderPass(descriptor);
  const withRates: GPURenderPassDescriptor & ShadingRatePassMembers = {
    ...descriptor,
    shadingRates: { depth: rates.depth },
  };
  const pass = encoder.beginRenderPass(withRates) as GPURenderPassEncoder & ShadingRateCommands;
  pass.setShadingRate(rates.everywhere);
  return pass;
}
