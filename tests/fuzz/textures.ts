// Writes and copies of texels, compared with an array of bytes per texture.
import { open } from '../robustness/kit';
import { Dice } from './dice';
import type { Target } from './target';
import { GPUBufferUsage, GPUMapMode, GPUTextureUsage } from '../support/flags';

const FORMATS: readonly [GPUTextureFormat, number][] = [
  ['rgba8unorm', 4],
  ['r8unorm', 1],
  ['rg8unorm', 2],
  ['rgba16float', 8],
  ['r32uint', 4],
  ['rgba32float', 16],
];
const LAYERS = 3;
type Box = readonly [x: number, y: number, z: number, width: number, height: number, layers: number];

interface Known {
  readonly texture: GPUTexture;
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

class Round {
  private readonly texel: number;
  private readonly known: Known[];
  constructor(
    private readonly device: GPUDevice,
    private readonly dice: Dice
  ) {
    const [format, texel] = dice.pick(FORMATS);
    this.texel = texel;
    this.known = Array.from({ length: 3 }, () => {
      const width = dice.pick([1, 2, 3, 17, 64, 65, 130]);
      const height = dice.pick([1, 2, 5, 64, 70]);
      const texture = device.createTexture({
        size: [width, height, LAYERS],
        format,
        usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST | GPUTextureUsage.TEXTURE_BINDING,
      });
      return { texture, width, height, bytes: new Uint8Array(width * height * LAYERS * texel) };
    });
  }

  /** A box that fits into all of them. */
  private box(...known: Known[]): Box {
    const { dice } = this;
    const w = Math.min(...known.map(({ width }) => width));
    const h = Math.min(...known.map(({ height }) => height));
    const x = dice.below(w);
    const y = dice.below(h);
    const z = dice.below(LAYERS);
    return [x, y, z, dice.below(w - x + 1), dice.below(h - y + 1), dice.below(LAYERS - z + 1)];
  }

  private rows(known: Known, [x, y, z, , height, layers]: Box, visit: (at: number, row: number) => void): void {
    for (let layer = 0; layer < layers; layer++)
      for (let row = 0; row < height; row++)
        visit((((z + layer) * known.height + y + row) * known.width + x) * this.texel, layer * height + row);
  }

  write(): void {
    const to = this.dice.pick(this.known);
    const box = this.box(to);
    const [x, y, z, width, height, layers] = box;
    const pad = this.dice.below(3) * 4;
    const bytesPerRow = width * this.texel + pad;
    const offset = this.dice.below(4) * 4;
    // Integers below 1 024, so that float16 values are never NaN, whose bits are not kept.
    const data = Uint8Array.from({ length: offset + bytesPerRow * height * layers + 16 }, () => this.dice.below(60));
    this.device.queue.writeTexture(
      { texture: to.texture, origin: [x, y, z] },
      data,
      { offset, bytesPerRow, rowsPerImage: height },
      [width, height, layers]
    );
    this.rows(to, box, (at, row) => {
      to.bytes.set(data.subarray(offset + row * bytesPerRow, offset + row * bytesPerRow + width * this.texel), at);
    });
  }

  copy(): void {
    const [from, to] = [this.dice.pick(this.known), this.dice.pick(this.known)];
    if (from === to) return;
    const box = this.box(from, to);
    const [x, y, z, ...size] = box;
    const encoder = this.device.createCommandEncoder();
    const origin = [x, y, z];
    encoder.copyTextureToTexture({ texture: from.texture, origin }, { texture: to.texture, origin }, size);
    this.device.queue.submit([encoder.finish()]);
    const sources: number[] = [];
    this.rows(from, box, (at) => sources.push(at));
    this.rows(to, box, (at, row) => {
      to.bytes.set(from.bytes.subarray(sources[row]!, sources[row]! + size[0] * this.texel), at);
    });
  }

  async read(): Promise<string | null> {
    for (const { texture, width, height, bytes } of this.known) {
      const bytesPerRow = Math.ceil((width * this.texel) / 256) * 256;
      const { device } = this;
      const buffer = device.createBuffer({
        size: bytesPerRow * height * LAYERS,
        usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
      });
      const encoder = device.createCommandEncoder();
      encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow, rowsPerImage: height }, [width, height, LAYERS]);
      device.queue.submit([encoder.finish()]);
      await buffer.mapAsync(GPUMapMode.READ);
      const found = new Uint8Array(buffer.getMappedRange());
      for (let row = 0; row < height * LAYERS; row++)
        for (let i = 0; i < width * this.texel; i++)
          if (found[row * bytesPerRow + i] !== bytes[row * width * this.texel + i])
            return `${texture.format} ${width}×${height}, row ${row}, byte ${i}: ${found[row * bytesPerRow + i]}`;
    }
    return null;
  }

  destroy(): void {
    for (const { texture } of this.known) texture.destroy();
  }
}

export const textures: Target = {
  what: 'rounds of writes and copies of texels',
  maxAttemptMs: 10_000,
  reopenAfter: 500,
  async open() {
    const { device, uncaptured } = await open();
    return async (seed) => {
      const dice = new Dice(seed);
      const round = new Round(device, dice);
      for (let left = 2 + dice.below(10); left > 0; left--) {
        if (dice.chance(0.6)) round.write();
        else round.copy();
      }
      const mistake = await round.read();
      round.destroy();
      return mistake ?? uncaptured[0] ?? null;
    };
  },
};
