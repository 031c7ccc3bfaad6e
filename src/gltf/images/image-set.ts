// The images of a scene. Each is decoded once for all materials, with the mip chains that they need.
import type { Texture } from '@gltf-transform/core';
import { quoted } from '../../base/printable';
import { ModelBudget } from '../budget';
import type { ImageCodecs } from './codecs';
import { ModelError } from '../errors';
import { checkImageSize, decodeImage, readImageHeader } from './image';
import { decodeKtx2, isKtx2, readKtx2Header } from './ktx2';
import { TEXTURE_SLOTS } from '../materials/material';
import { mipChain, type MipChain } from './mips';
import type { FlatScene } from '../scene/scene';

/** An image to be decoded. */
export interface ImageJob {
  bytes: Uint8Array;
  /** Name of the image in messages. */
  name: string;
  /** Uses of the image: as sRGB colours (true), as data (false), or both. */
  srgb: boolean[];
}

/** Decodes an image and makes a mip chain for each of its uses, possibly on another thread. @throws ModelError */
export type DecodeImage = (job: ImageJob) => Promise<MipChain[]>;

/** A mip chain whose pages are read when they are drawn. */
export interface TiledChain {
  srgb: boolean;
  /** Width of the first level in texels. */
  width: number;
  height: number;
  levels: number;
  /** Width and height of a page in texels. */
  pageSize: number;
  /** Returns a page's texels as RGBA. */
  loadPage(level: number, x: number, y: number): Promise<Uint8Array>;
}

/** An image of a scene, ready for upload. */
export interface SceneImage {
  texture: Texture;
  chains: (MipChain | TiledChain)[];
}

/** Makes a decoder that runs on the calling thread. */
export function createDecoder(codecs: ImageCodecs): DecodeImage {
  return async ({ bytes, name, srgb }) => {
    const levels = isKtx2(bytes) ? await decodeKtx2(bytes, name) : [await decodeImage(bytes, name, codecs)];
    return srgb.map((each) => (levels.length > 1 ? { srgb: each, levels } : mipChain(levels[0], each)));
  };
}

/** Bytes per pixel: the decoded pixel, and a mip chain for each use. */
const pixelBytes = (uses: number): number => 4 + (uses * 16) / 3;

/**
 * Returns every image that a draw of the scene uses.
 * @param budget memory account of loadModel; null if images are not decoded and take no memory
 * @throws ModelError if an image is missing or damaged, or if all together are too large
 */
export function imagesOf(scene: FlatScene, budget: ModelBudget | null = new ModelBudget()): Map<Texture, ImageJob> {
  const uses = new Map<Texture, Set<boolean>>();
  for (const { material } of scene.draws) {
    for (const slot of TEXTURE_SLOTS) {
      const use = material.textures[slot];
      if (use) uses.set(use.image, (uses.get(use.image) ?? new Set()).add(use.srgb));
    }
  }
  return new Map(
    [...uses].map(([texture, srgb], i) => {
      const given = texture.getName() || texture.getURI();
      const name = given ? `The texture image ${quoted(given)}` : `Texture image ${i + 1} of ${uses.size}`;
      return [texture, imageJob(texture, { name, srgb: [...srgb] }, budget).job];
    })
  );
}

/**
 * An image to be decoded, and its size.
 * @param budget memory account of loadModel; null if the image is not decoded and takes no memory
 * @throws ModelError if the image is missing, damaged or too large
 */
export function imageJob(
  texture: Texture,
  { name, srgb }: Omit<ImageJob, 'bytes'>,
  budget: ModelBudget | null
): { job: ImageJob; width: number; height: number } {
  const bytes = texture.getImage();
  if (!bytes) throw new ModelError(`${name} is missing.`);
  const { width, height } = isKtx2(bytes) ? readKtx2Header(bytes, name) : readImageHeader(bytes, name);
  checkImageSize(width, height, name);
  budget?.spend(width * height * pixelBytes(srgb.length), `${name}, of ${width} × ${height} pixels,`);
  return { job: { bytes, name, srgb }, width, height };
}

/**
 * Decodes images and yields them in order.
 * @param ahead number of images that are decoded ahead of the consumer; with 0, each starts when it is requested
 */
export function decodeImages(
  jobs: ReadonlyMap<Texture, ImageJob>,
  decode: DecodeImage,
  prefetchCount: number
): AsyncGenerator<SceneImage> {
  const waiting = [...jobs];
  const running: { texture: Texture; chains: Promise<MipChain[]> }[] = [];
  const begin = (most: number): void => {
    while (waiting.length > 0 && running.length < most) {
      const [texture, job] = waiting.shift()!;
      const chains = decode(job);
      // Errors are thrown in order, so that the first one in the scene is reported, whichever occurs first.
      chains.catch(() => undefined);
      running.push({ texture, chains });
    }
  };
  begin(prefetchCount);
  return (async function* () {
    for (let left = jobs.size; left > 0; left--) {
      begin(Math.max(1, prefetchCount));
      const { texture, chains } = running.shift()!;
      yield { texture, chains: await chains };
    }
  })();
}
