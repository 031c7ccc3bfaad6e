// A texture of 512 × 512 texels, a scene that reads it, and a source that holds pages back.
import type { TextureStream } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { SHARED_TILES, pageOf, turn, type Texels } from './kit';
import { type Scene } from './scenes.kit';

export const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 512, height: 512, layers: 1, levels: 10 };
export const PAGE = 64;
export const SCENE: Scene = {
  width: 200,
  height: 140,
  samples: 1,
  kind: 'implicit',
  sampler: {
    magFilter: 'linear',
    minFilter: 'linear',
    mipmapFilter: 'linear',
    addressModeU: 'repeat',
    addressModeV: 'repeat',
  },
  draws: [{ look: { scale: 0.4, offset: [0.3, 0.2], angle: 0.3 }, blends: false, discards: false }],
};
export const bytesOf = (level: number, x: number, y: number, layer: number): Uint8Array =>
  pageOf(TEXELS, PAGE, level, x, y, layer);

/** A source whose pages are delivered when the test releases them. */
export class Gate {
  readonly waiting: { readonly name: string; readonly signal: AbortSignal; readonly go: () => void }[] = [];
  isOpen = false;
  loadPage: TextureStream['loadPage'] = (level, x, y, layer, signal) =>
    this.isOpen
      ? bytesOf(level, x, y, layer)
      : new Promise((resolve) => {
          this.waiting.push({ name: `${level} ${x} ${y}`, signal, go: () => resolve(bytesOf(level, x, y, layer)) });
        });
  letGo(): void {
    for (const { go } of this.waiting.splice(0)) go();
  }
}

export async function settled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), turn(30).then(() => false)]);
}

export const SETTINGS: Record<string, CreateOptions> = {
  'the calling thread': { threads: 0 },
  'two workers': { threads: 2 },
  'three workers at every tile': SHARED_TILES,
};
