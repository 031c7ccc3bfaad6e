// Draws the picture of a pass.
/// <reference types="@webgpu/types" />
import type { Model } from '../files/load';
import { renderDeep, renderLight } from '../gpu/deep-colours';
import { drawOcclusion } from '../gpu/occlusion';
import { renderPicture, type PictureOptions } from '../gpu/render';
import { drawMotion, drawSurfaces, type SurfaceSamples } from '../gpu/surfaces';
import type { GpuScene } from '../gpu/upload';
import type { Camera } from '../scene/camera';
import type { FlatScene } from '../scene/scene';
import { fromHalves } from './half';
import { isOfColours, OCCLUSION_RADIUS, type ColourKind, type Pass, type PassPicture } from './kinds';
import { legendOf } from './legend';

/** A scene that was uploaded for a pass. */
export interface PassScene {
  readonly model: Model;
  readonly flat: FlatScene;
  readonly gpu: GpuScene;
  readonly camera: Camera;
}

export interface PassPictureOptions extends PictureOptions {
  /** Distance up to which surfaces hide the sky; undefined: OCCLUSION_RADIUS. */
  occlusionRadius?: number | undefined;
}

const TRANSPARENT = [0, 0, 0, 0] as const;

/**
 * Draws a pass.
 * @param kind of colours; other passes have one kind
 * @param surfaces draws the surfaces; a caller may keep them for several passes
 */
export async function drawPass(
  device: GPUDevice,
  scene: PassScene,
  [pass, kind]: readonly [Pass, ColourKind],
  options: PassPictureOptions,
  surfaces = () => drawSurfaces(device, scene.gpu, options)
): Promise<PassPicture> {
  const { width, height } = options;
  const picture = { pass, width, height };
  if (isOfColours(pass)) {
    const drawn = pass === 'albedo' ? { ...options, background: TRANSPARENT, blur: undefined } : options;
    return { ...picture, pixels: await coloursOf(device, scene.gpu, kind, drawn) };
  }
  if (pass === 'motion') return { ...picture, pixels: components(await drawMotion(device, scene.gpu, options), 0, 3) };
  const samples = await surfaces();
  if (pass === 'ao') {
    const { occlusionRadius = scene.flat.radius * OCCLUSION_RADIUS } = options;
    const pixels = await drawOcclusion(device, samples.normals, options, scene.camera, occlusionRadius);
    return { ...picture, pixels, isEmpty: samples.ids.every((id) => id === 0) };
  }
  if (pass === 'depth') return { ...picture, pixels: distancesOf(samples) };
  if (pass === 'normal') return { ...picture, pixels: components(samples.normals, 0, 3) };
  const pixels = samples.ids.filter((_, i) => i % 2 === (pass === 'object' ? 0 : 1));
  return { ...picture, pixels, legend: legendOf(scene.model, scene.flat, pass as 'object' | 'material', pixels) };
}

async function coloursOf(
  device: GPUDevice,
  scene: GpuScene,
  kind: ColourKind,
  options: PictureOptions
): Promise<PassPicture['pixels']> {
  if (kind === 'srgb8') return (await renderPicture(device, scene, options)) as Uint8Array<ArrayBuffer>;
  if (kind === 'srgb16') return renderDeep(device, scene, options);
  return fromHalves(await renderLight(device, scene, options));
}

function distancesOf({ normals, ids }: SurfaceSamples): Float32Array<ArrayBuffer> {
  const distances = components(normals, 3, 1);
  for (let i = 0; i < distances.length; i++) if (ids[2 * i] === 0) distances[i] = Infinity;
  return distances;
}

/** Some of four components of each pixel. */
function components(values: Float32Array, first: number, count: number): Float32Array<ArrayBuffer> {
  const out = new Float32Array((values.length / 4) * count);
  for (let i = 0, o = 0; o < out.length; i += 4) for (let c = 0; c < count; c++, o++) out[o] = values[i + first + c];
  return out;
}

/** Whether a picture shows nothing but its background. */
export function isEmptyPicture({ pass, pixels, isEmpty }: PassPicture): boolean {
  if (isEmpty !== undefined) return isEmpty;
  if (pass !== 'depth' && !isOfColours(pass)) return pixels.every((value: number) => value === 0);
  if (pass === 'depth') return pixels.every((value: number) => value === Infinity);
  for (let i = 4; i < pixels.length; i++) if (pixels[i] !== pixels[i & 3]) return false;
  return true;
}
