// Pictures of models that tests make, on a device of this package: a black studio, so that only the lights of the file
// count, or the real one.
/// <reference types="@webgpu/types" />
import { WebIO, type Document } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { loadModel } from '../../src/gltf/files/load';
import { createDecoder } from '../../src/gltf/images/image-set';
import { readStudio, STUDIO_LEVELS, STUDIO_SIZE, type Studio } from '../../src/gltf/light/studio';
import { writeStudio } from '../../src/gltf/light/studio-light';
import { imagesBy, LoadedModel, type Shot } from '../../src/gltf/model';
import type { ColourKind, Pass, PassPicture } from '../../src/gltf/passes/kinds';
import { DEFAULT_ORBIT, DEFAULT_PROJECTION } from '../../src/gltf/scene/camera';
import { create, type CreateOptions } from '../../src/index';
import { nodeCodecs } from '../../src/node/codec-wasm';

/** Light that is black everywhere. */
function darkStudio(): Studio {
  let texels = 0;
  for (let level = 0; level < STUDIO_LEVELS; level++) texels += 6 * (STUDIO_SIZE >> level) ** 2;
  return readStudio(new Uint8Array(9 * 8 + texels * 2));
}

let opened: Promise<GPUDevice> | undefined;

/** Opens a device with the feature of shading rates. */
export async function openDevice(options: CreateOptions): Promise<GPUDevice> {
  const adapter = await create({ ...options, extensions: true }).requestAdapter();
  return adapter!.requestDevice({ requiredFeatures: ['shading-rate' as GPUFeatureName] });
}

/** A device that all tests of a file share. */
function device(): Promise<GPUDevice> {
  return (opened ??= openDevice({ threads: 2 }));
}

let bright: Studio | undefined;

/** A model on a device. @param lit whether the studio lights it, beside its own lights */
async function load(bytes: Uint8Array, lit = true, on?: GPUDevice): Promise<LoadedModel> {
  const studio = lit ? (bright ??= readStudio(writeStudio())) : darkStudio();
  const images = imagesBy(createDecoder(nodeCodecs()));
  return LoadedModel.of(await loadModel(bytes), { device: on ?? (await deviceFor(lit)), studio, images });
}

let dark: Promise<GPUDevice> | undefined;

/** Each device has one studio. */
function deviceFor(lit: boolean): Promise<GPUDevice> {
  if (lit) return device();
  return (dark ??= openDevice({ threads: 2 }));
}

/** How a picture is drawn; what is missing has the defaults of the command, on black. */
export interface Drawing extends Partial<Shot> {
  lit?: boolean;
  /** By default one that the tests of a file share. */
  device?: GPUDevice;
  samples?: 1 | 4;
  background?: readonly [number, number, number, number];
  /** Of ambient occlusion. */
  occlusionRadius?: number;
}

/** Draws a picture: RGBA in rows from the top. */
export async function draw(bytes: Uint8Array, drawing: Drawing = {}): Promise<Uint8Array> {
  const { lit = true, device: on, ...more } = drawing;
  const model = await load(bytes, lit, on);
  const pixels = await drawLoaded(model, more);
  model.dispose();
  return pixels;
}

/** Draws the picture of a pass. @param next what differs in the next frame, for motion */
export async function drawPass(
  bytes: Uint8Array,
  [pass, kind = 'srgb8']: readonly [Pass, ColourKind?],
  { samples = 1, background = [0, 0, 0, 255], occlusionRadius, ...shot }: Drawing = {},
  next?: Partial<Shot>
): Promise<PassPicture> {
  const model = await load(bytes);
  const { picture } = await model.drawPass(shotOf(shot), [pass, kind], {
    samples,
    background,
    occlusionRadius,
    next: next && shotOf({ ...shot, ...next }),
  });
  model.dispose();
  return picture;
}

const shotOf = (shot: Partial<Shot>): Shot => ({
  width: 64,
  height: 64,
  view: { orbit: DEFAULT_ORBIT },
  projection: DEFAULT_PROJECTION,
  choice: {},
  lens: undefined,
  shadingRate: undefined,
  lineWidth: 1,
  pointSize: 1,
  ...shot,
});

const drawLoaded = (
  model: LoadedModel,
  { samples = 1, background = [0, 0, 0, 255], ...shot }: Drawing
): Promise<Uint8Array> => model.draw(shotOf(shot), { samples, background });

export const toGlb = (document: Document): Promise<Uint8Array> =>
  new WebIO().registerExtensions(ALL_EXTENSIONS).writeBinary(document);
