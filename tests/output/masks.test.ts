// The samples of a quad that a shader keeps: discarded pixels, its sample mask and its alpha, compared with a model at
// every sample count.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DRAW_FLAG_ALPHA_TO_COVERAGE, DRAW_FLAG_LATE_DEPTH } from '../../assembly/layout/pass/draw-codes';
import { REGISTER_BYTES, WARP_QUADS } from '../../assembly/layout/limits';
import { COMPARE_ALWAYS } from '../../assembly/layout/texture/texture-codes';
import { Draw, Entry, Packer, Target, Tile, Warp } from '../../build/layout';
import { PixelKernel } from '../raster/kit';

const k = new PixelKernel('testing');
const context = k.alloc(Tile.bytes);
const draw = k.alloc(Draw.bytes);
const registers = k.alloc(2 * REGISTER_BYTES);
const warp = k.alloc(Warp.bytes);
const packer = context + Tile.packers;
const MASK = 0;
const ALPHA = 1;

/** The samples of `count` that alpha covers, in the order in which they are added. */
function alphaSamples(alpha: number, count: number): number[] {
  const order = count === 4 ? [0, 3, 1, 2] : Array.from({ length: count }, (_, i) => i);
  // A single sample behaves like the first of four.
  const share =
    count === 1
      ? alpha >= 0.125
        ? 1
        : 0
      : Math.floor(Math.min(1, Math.max(0, Number.isNaN(alpha) ? 0 : alpha)) * count + 0.5);
  return order.slice(0, share);
}

/** Bits of a quad's masks by layer. */
function bitOf(count: number, pixel: number, sample: number): [layer: number, bits: number] {
  if (count === 1) return [0, 1 << pixel];
  return [sample >> 2, (count === 2 ? 5 : 1) << (pixel * 4 + (sample & 3))];
}

interface Pixel {
  covered: number;
  killed: boolean;
  mask: number;
  alpha: number;
}

it.each([1, 2, 4, 8, 16])('masks at %i sample(s)', (count) => {
  const layers = Math.max(1, count >> 2);
  const pixel = fc.record<Pixel>({
    covered: fc.nat(2 ** count - 1),
    killed: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    mask: fc.oneof(fc.constant(-1), fc.integer()),
    alpha: fc.oneof(
      fc.constantFrom(0, 1, NaN, -1, 2, 0.5, 0.125, 0.375, 0.25, 0.0625),
      fc.integer({ min: 0, max: 64 }).map((n) => n / 64),
      fc.float({ min: 0, max: 1, noNaN: true })
    ),
  });
  fc.assert(
    fc.property(
      fc.array(pixel, { minLength: 4, maxLength: 4 * WARP_QUADS }),
      fc.boolean(),
      fc.boolean(),
      (pixels, writesMask, toCoverage) => {
        const quads = pixels.length >> 2;
        k.i32(context + Tile.samples, count);
        k.i32(context + Tile.layerSamples, count === 1 ? 1 : 4);
        k.i32(context + Tile.layers, layers);
        k.i32(context + Tile.warp, warp);
        k.i32(context + Tile.registers, registers);
        k.i32(draw + Draw.flags, DRAW_FLAG_LATE_DEPTH | (toCoverage ? DRAW_FLAG_ALPHA_TO_COVERAGE : 0));
        k.i32(draw + Draw.depthCompare, COMPARE_ALWAYS);
        k.i32(draw + Draw.sampleMaskOutRegister, writesMask ? MASK : -1);
        k.i32(draw + Draw.targets + Target.registers + 12, ALPHA);
        k.i32(packer + Packer.draw, draw);
        k.i32(packer + Packer.count, quads);
        const want: number[][] = [];
        for (let quad = 0; quad < quads; quad++) {
          const covered = [0, 0, 0, 0];
          const left = [0, 0, 0, 0];
          for (let i = 0; i < 4; i++) {
            const at = quad * 4 + i;
            const { killed, mask, alpha } = pixels[at];
            const taken = alphaSamples(Math.fround(alpha), count);
            k.i32(warp + Warp.killed + 4 * at, killed ? -1 : 0);
            k.i32(registers + MASK * REGISTER_BYTES + 4 * at, mask);
            k.f32(registers + ALPHA * REGISTER_BYTES + 4 * at, alpha);
            for (let sample = 0; sample < count; sample++) {
              const [layer, bits] = bitOf(count, i, sample);
              if (!((pixels[at].covered >> sample) & 1)) continue;
              covered[layer] |= bits;
              if (!killed && (!writesMask || (mask >> sample) & 1) && (!toCoverage || taken.includes(sample)))
                left[layer] |= bits;
            }
          }
          k.i32(packer + Packer.entries + 16 * quad + Entry.mask, covered[0] | (covered[1] << 16));
          k.i32(packer + Packer.entries + 16 * quad + Entry.mask + 4, covered[2] | (covered[3] << 16));
          want.push([left[0] | (left[1] << 16), left[2] | (left[3] << 16)]);
        }
        k.call.outputWarp(context, packer);
        for (let quad = 0; quad < quads; quad++) {
          expect(
            [
              k.readI32(packer + Packer.entries + 16 * quad + Entry.mask),
              k.readI32(packer + Packer.entries + 16 * quad + Entry.mask + 4),
            ],
            `quad ${quad}`
          ).toEqual(want[quad]);
        }
      }
    ),
    { numRuns: 300, seed: count }
  );
});
