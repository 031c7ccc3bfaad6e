// The images of a scene: each decoded once, however many materials use it, with the mips that these uses need.
import type { Texture } from '@gltf-transform/core';
import { quoted } from '../base/printable';
import { ModelBudget } from './budget';
import type { ImageCodecs } from './codecs';
import { ModelError } from './errors';
import { checkImageSize, decodeImage, readImageHeader } from './image';
import { TEXTURE_SLOTS } from './material';
import { mipChain, type MipChain } from './mips';
import type { FlatScene } from './scene';

/** An image to be decoded. */
export interface ImageJob {
  bytes: Uint8Array;
  /** How messages call it. */
  name: string;
  /** How it is used: as colours in sRGB (true), as data (false), or as both. */
  srgb: boolean[];
}

/** Decodes an image, and makes a chain of mips for each of its uses: here, or on another thread. @throws ModelError */
export type DecodeImage = (job: ImageJob) => Promise<MipChain[]>;

/** A chain of mips whose pages are read when they are drawn. */
export interface TiledChain {
  srgb: boolean;
  /** Of the first level. */
  width: number;
  height: number;
  levels: number;
  /** Texels on a side of a page. */
  pageSize: number;
  /** A page's texels, RGBA. */
  loadPage(level: number, x: number, y: number): Promise<Uint8Array>;
}

/** An image of a scene, ready to be uploaded. */
export interface SceneImage {
  texture: Texture;
  chains: (MipChain | TiledChain)[];
}

/** Decodes on the calling thread. */
export function createDecoder(codecs: ImageCodecs): DecodeImage {
  return async ({ bytes, name, srgb }) => {
    const pixels = await decodeImage(bytes, name, codecs);
    return srgb.map((each) => mipChain(pixels, each));
  };
}

/** Of a pixel: as it is decoded, and a chain of mips for each use. */
const pixelBytes = (uses: number): number => 4 + uses * 16 / 3;

/**
 * Every image that a draw of the scene uses.
 * @param budget that of loadModel; null: images are not decoded, and take nothing
 * @throws ModelError where one is missing or damaged, or where all together are too large
 */
export function imagesOf(scene: FlatScene, budget: ModelBudget | null = new ModelBudget()): Map<Texture, ImageJob> {
  const uses = new Map<Texture, Set<boolean>>();
  for (const { material } of scene.draws) {
    for (const slot of TEXTURE_SLOTS) {
      const use = material.textures[slot];
      if (use) uses.set(use.image, (uses.get(use.image) ?? new Set()).add(use.srgb));
    }
  }
  return new Map([...uses].map(([texture, srgb], i) => {
    const given = texture.getName() || texture.getURI();
    const name = given ? `The texture image ${quoted(given)}` : `Texture image ${i + 1} of ${uses.size}`;
    const bytes = texture.getImage();
    if (!bytes) throw new ModelError(`${name} is missing.`);
    const { width, height } = readImageHeader(bytes, name);
    checkImageSize(width, height, name);
    budget?.spend(width * height * pixelBytes(srgb.size), `${name}, of ${width} × ${height} pixels,`);
    return [texture, { bytes, name, srgb: [...srgb] }];
  }));
}

/**
 * Decodes images, and gives them in their order.
 * @param ahead how many are begun at once, and then for each that is given one more; 0: each is begun when it is asked
 * for
 */
export function decodeImages(
  jobs: ReadonlyMap<Texture, ImageJob>, decode: DecodeImage, ahead: number
): AsyncGenerator<SceneImage> {
  const waiting = [...jobs];
  const running: { texture: Texture; chains: Promise<MipChain[]> }[] = [];
  const begin = (most: number): void => {
    while (waiting.length > 0 && running.length < most) {
      const [texture, job] = waiting.shift()!;
      const chains = decode(job);
      // Its error is thrown in its turn: the first one in the scene's order is told, whichever comes first.
      chains.catch(() => undefined);
      running.push({ texture, chains });
    }
  };
  begin(ahead);
  return (async function* () {
    for (let left = jobs.size; left > 0; left--) {
      begin(Math.max(1, ahead));
      const { texture, chains } = running.shift()!;
      yield { texture, chains: await chains };
    }
  })();
}
