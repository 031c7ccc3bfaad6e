// Stencil of a quad, SIMD and scalar twin, compared with a model: every comparison and operation, any masks, at every
// sample count.
import { describe, expect, it } from 'vitest';
import { TILE_PIXELS } from '../../assembly/layout/surface/tile-order';
import { Draw, Tile } from '../../build/layout';
import { PixelKernel, random } from '../raster/kit';

const k = new PixelKernel('testing');
const context = k.alloc(Tile.bytes);
const draw = k.alloc(Draw.bytes);
const PLANE_BYTES = 4 * TILE_PIXELS * 4;
const plane = k.alloc(PLANE_BYTES);
const QUAD = 37;
/** By COMPARE_*, from never on, and by STENCIL_*. */
const COMPARE: readonly ((reference: number, stored: number) => boolean)[] = [
  () => false,
  (a, b) => a < b,
  (a, b) => a === b,
  (a, b) => a <= b,
  (a, b) => a > b,
  (a, b) => a !== b,
  (a, b) => a >= b,
  () => true,
];
const OPERATE: readonly ((stored: number, reference: number) => number)[] = [
  (s) => s,
  () => 0,
  (_, r) => r,
  (s) => ~s,
  (s) => Math.min(s + 1, 255),
  (s) => Math.max(s - 1, 0),
  (s) => s + 1,
  (s) => s - 1,
];
/** A kernel's function of a quad, whose mask is a u64. */
const call = (name: string, mask: bigint, code: number): bigint =>
  (k.call[name] as unknown as (...args: (number | bigint)[]) => bigint)(context, draw, QUAD, mask, code);
const TWINS = ['Simd', 'Scalar'] as const;

describe.each([1, 2, 4, 8, 16])('stencil at %i sample(s)', (samples) => {
  const next = random(samples);
  const layers = Math.max(1, samples >> 2);
  const perLayer = samples === 1 ? 4 : 16;
  const byte = (): number => [0, 1, 127, 128, 254, 255, Math.floor(next() * 256)][Math.floor(next() * 7)];
  const at = (bit: number): number => plane + (bit >> 4) * TILE_PIXELS * 4 + QUAD * perLayer + (bit & 15);
  const bits = layers === 1 ? perLayer : 16 * layers;
  const state = { readMask: 0, writeMask: 0, reference: 0, mask: 0n, stored: [] as number[] };

  function shuffle(): void {
    Object.assign(state, { readMask: byte(), writeMask: byte(), reference: byte(), mask: 0n });
    for (let bit = 0; bit < bits; bit++) if (next() < 0.7) state.mask |= 1n << BigInt(bit);
    state.stored = Array.from({ length: bits }, () => (next() < 0.3 ? state.reference : byte()));
    k.i32(context + Tile.samples, samples);
    k.i32(context + Tile.layerSamples, samples === 1 ? 1 : 4);
    k.i32(context + Tile.layers, layers);
    k.i32(context + Tile.stencil, plane);
    // Bits beyond a byte are ignored.
    k.i32(draw + Draw.stencilReadMask, state.readMask | 0x5a00);
    k.i32(draw + Draw.stencilWriteMask, state.writeMask | 0x5a00);
    k.i32(draw + Draw.stencilReference, state.reference | 0x5a00);
  }
  const fill = (): void => {
    k.bytes(plane, PLANE_BYTES).fill(0xc3);
    state.stored.forEach((value, bit) => {
      k.bytes(at(bit), 1)[0] = value;
    });
  };
  const isIn = (mask: bigint, bit: number): boolean => ((mask >> BigInt(bit)) & 1n) === 1n;

  it.each(COMPARE.map((_, i) => i + 1))('comparison %i', (compare) => {
    for (let round = 0; round < 40; round++) {
      shuffle();
      let want = 0n;
      state.stored.forEach((value, bit) => {
        const passes = COMPARE[compare - 1](state.reference & state.readMask, value & state.readMask);
        if (passes && isIn(state.mask, bit)) want |= 1n << BigInt(bit);
      });
      for (const twin of TWINS) {
        fill();
        const passed = call(`testSamples${twin}`, state.mask, compare);
        expect(BigInt.asUintN(64, passed), twin).toBe(want);
      }
    }
  });

  it.each(OPERATE.map((_, i) => i))('operation %i', (operation) => {
    for (let round = 0; round < 40; round++) {
      shuffle();
      const { writeMask, reference, mask } = state;
      const want = state.stored.map((value, bit) =>
        isIn(mask, bit) ? (value & ~writeMask) | (OPERATE[operation](value, reference) & writeMask) : value
      );
      for (const twin of TWINS) {
        fill();
        call(`operateSamples${twin}`, mask, operation);
        expect(
          want.map((_, bit) => k.bytes(at(bit), 1)[0]),
          twin
        ).toEqual(want);
        // With the initial values back in the quad, the whole plane is as it was filled.
        want.forEach((_, bit) => (k.bytes(at(bit), 1)[0] = state.stored[bit]));
        const written = Buffer.from(k.bytes(plane, PLANE_BYTES));
        fill();
        expect(written.equals(k.bytes(plane, PLANE_BYTES)), twin).toBe(true);
      }
    }
  });
});
