// Colour output: blends a tile's pixels by format, writes them without blending, and resolves four samples.
import { BLEND_ADD, FACTOR_ONE, FACTOR_ONE_MINUS_SRC_ALPHA } from '../../../assembly/layout/pass/draw-codes';
import { FORMAT_BGRA8UNORM, FORMAT_RGBA8UNORM } from '../../../assembly/layout/texture/formats';
import { COLOR_STORED, PACKER_QUADS } from '../../../assembly/layout/tile/tile-codes';
import { Attachment, Draw, Entry, Packer, Plane, Target, Tile, Warp } from '../../../build/layout';
import { FORMATS, type PlainFormat } from './formats';
import { LANES, LoopKernel, numbers, pixelIndex, PIXELS, REGISTER_BYTES, type HotLoop, type Side } from './kit';

const QUADS = PIXELS / 4;
/** Premultiplied source-over: operation, source factor, destination factor, for colour and alpha. */
const OVER = [BLEND_ADD, FACTOR_ONE, FACTOR_ONE_MINUS_SRC_ALPHA, BLEND_ADD, FACTOR_ONE, FACTOR_ONE_MINUS_SRC_ALPHA];
const isOverAlone = ({ format }: PlainFormat): boolean => format === FORMAT_RGBA8UNORM || format === FORMAT_BGRA8UNORM;

/** Fills a tile with valid texels of the format. At four samples, every other pixel has equal samples. */
function fillTexels(format: PlainFormat, buffer: ArrayBufferLike, at: number, samples: number): void {
  const next = numbers(format.format);
  const texels = format.view(buffer, at, PIXELS * samples);
  const color = new Float64Array(4);
  for (let i = 0; i < PIXELS * samples; i++) {
    if (samples === 1 || i % samples === 0 || (i >> 2) & 1) for (let c = 0; c < 4; c++) color[c] = next();
    texels.store(i, color);
  }
}

/** Premultiplied source-over, or (without `blends`) the source itself. `masks`: the written samples of each quad. */
function blendPlain(
  texels: ReturnType<PlainFormat['view']>,
  source: Float32Array,
  masks: Uint16Array,
  samples: number,
  blends: boolean
): void {
  const color = new Float64Array(4);
  const bits = 4 * samples;
  for (let quad = 0; quad < QUADS; quad++) {
    const mask = masks[quad]!;
    for (let bit = 0; bit < bits; bit++) {
      if (!(mask & (1 << bit))) continue;
      const lane = (quad & 15) * 4 + (samples === 1 ? bit : bit >> 2);
      const texel = quad * bits + bit;
      const a = source[3 * LANES + lane]!;
      if (blends) {
        texels.load(texel, color);
        for (let c = 0; c < 4; c++) color[c] = source[c * LANES + lane]! + color[c]! * (1 - a);
      } else for (let c = 0; c < 4; c++) color[c] = source[c * LANES + lane]!;
      texels.store(texel, color);
    }
  }
}

/** Prepares a tile context whose colours are all in the per-sample plane. */
function layOut(k: LoopKernel, context: number, plane: number, samples: 1 | 4, bytes: number): void {
  k.put(context + Tile.layerSamples, samples);
  k.put(context + Tile.samples, samples);
  k.put(context + Tile.layers, 1);
  k.put(context + Tile.width, 64);
  k.put(context + Tile.height, 64);
  const record = context + Tile.planes;
  const texels = samples === 1 ? plane : k.alloc(PIXELS * 16);
  const fields = [
    [Plane.samples, plane],
    [Plane.pixels, texels],
    [Plane.states, context + Tile.colorBlocks],
    [Plane.perSample, context + Tile.perSample],
    [Plane.paired, context + Tile.paired],
    [Plane.texelBytes, bytes],
    [Plane.layers, 1],
  ] as const;
  for (const [field, value] of fields) k.put(record + field, value);
  k.u8(context + Tile.colorBlocks, 64).fill(COLOR_STORED);
  k.u8(context + Tile.perSample, 512).fill(samples === 1 ? 0 : 255);
}

function output(format: PlainFormat, samples: 1 | 4, blends: boolean): HotLoop {
  const k = new LoopKernel();
  const context = k.alloc(Tile.bytes);
  const draw = k.alloc(Draw.bytes);
  const target = draw + Draw.targets;
  const length = PIXELS * samples * format.bytes;
  const plane = k.alloc(length);
  const registers = k.alloc(4 * REGISTER_BYTES);
  layOut(k, context, plane, samples, format.bytes);
  const warp = k.alloc(Warp.bytes);
  k.put(context + Tile.warp, warp);
  k.put(context + Tile.registers, registers);
  k.put(target + Target.format, format.format);
  k.put(target + Target.writeMask, 15);
  k.put(target + Target.blend, blends ? 1 : 0);
  k.i32(target + Target.colorOp, 6).set(OVER);
  k.i32(target + Target.registers, 4).set([0, 1, 2, 3]);
  // Alpha, and premultiplied colours.
  const next = numbers(6);
  const alpha = Float32Array.from({ length: LANES }, () => 0.2 + 0.6 * next());
  const source = Float32Array.from({ length: 4 * LANES }, (_, i) => alpha[i % LANES]! * (i < 3 * LANES ? next() : 1));
  k.f32(registers, 4 * LANES).set(source);
  // At four samples, a quarter of the quads is partially covered, as at edges.
  const masks = Uint16Array.from({ length: QUADS }, () =>
    samples === 1 ? 15 : next() < 0.75 ? 0xffff : Math.floor(next() * 0xffff)
  );
  const packers = Array.from({ length: QUADS / 16 }, (_, warp) => {
    const packer = k.alloc(Packer.bytes);
    k.put(packer + Packer.draw, draw);
    k.put(packer + Packer.kind, PACKER_QUADS);
    k.put(packer + Packer.count, 16);
    for (let i = 0; i < 16; i++) {
      k.put(packer + Packer.entries + i * Entry.bytes + Entry.index, warp * 16 + i);
      k.put(packer + Packer.entries + i * Entry.bytes + Entry.mask, masks[warp * 16 + i]!);
    }
    return packer;
  });
  // One render target for each twin; they differ only in the function that writes them.
  const side = (prepare: string, record: number): Side => {
    k.u8(record, Target.bytes).set(k.u8(target, Target.bytes));
    k.calls(prepare, ['i32'], [[record]]).run();
    const rows = packers.map((packer) => [context, packer, record, 0]);
    return {
      run: k.calls('writeTarget', ['i32', 'i32', 'i32', 'i32'], rows).run,
      output: () => format.view(k.memory.buffer, plane, PIXELS * samples).channels(),
    };
  };
  const mine = new ArrayBuffer(length);
  const texels = format.view(mine, 0, PIXELS * samples);
  return {
    name: `${blends ? 'blend' : 'write'} ${format.name}, ${samples} sample${samples === 1 ? '' : 's'}`,
    group: blends ? 'blend' : 'write',
    unit: 'pixel',
    count: PIXELS,
    tolerance: 1,
    simd: side('prepareTarget', k.alloc(Target.bytes)),
    scalar: side('prepareTargetScalar', k.alloc(Target.bytes)),
    plain: {
      run: () => {
        blendPlain(texels, source, masks, samples, blends);
      },
      output: () => texels.channels(),
    },
    restart: () => {
      fillTexels(format, k.memory.buffer, plane, samples);
      fillTexels(format, mine, 0, samples);
    },
  };
}

const named = (...names: string[]): PlainFormat[] =>
  names.map((name) => FORMATS.find((format) => format.name === name)!);

/** Every blendable format at one sample, and the common ones at four samples. */
export const blends: readonly (() => HotLoop)[] = [
  ...FORMATS.filter((format) => format.blends).map((format) => () => output(format, 1, true)),
  ...named('rgba8unorm', 'rgba8unorm-srgb', 'rgba16float').map((format) => () => output(format, 4, true)),
];
/** Opaque colours. */
export const writes: readonly (() => HotLoop)[] = named('rgba8unorm', 'rgba16float', 'rgba32float').map(
  (format) => () => output(format, 1, false)
);

function resolvePlain(from: ReturnType<PlainFormat['view']>, to: ReturnType<PlainFormat['view']>): void {
  const color = new Float64Array(4);
  const sum = new Float64Array(4);
  for (let y = 0; y < 64; y++)
    for (let x = 0; x < 64; x++) {
      const at = pixelIndex(x, y) * 4;
      sum.fill(0);
      for (let sample = 0; sample < 4; sample++) {
        from.load(at + sample, color);
        for (let c = 0; c < 4; c++) sum[c]! += color[c]! / 4;
      }
      to.store(y * 64 + x, sum);
    }
}

/** Averages four 8-bit channels without conversion. */
function resolveBytes(from: Uint8Array, to: Uint8Array): void {
  for (let y = 0; y < 64; y++)
    for (let x = 0; x < 64; x++) {
      const at = pixelIndex(x, y) * 16;
      const out = (y * 64 + x) * 4;
      for (let c = 0; c < 4; c++)
        to[out + c] = (from[at + c]! + from[at + 4 + c]! + from[at + 8 + c]! + from[at + 12 + c]! + 2) >> 2;
    }
}

function resolve(format: PlainFormat): HotLoop {
  const k = new LoopKernel();
  const context = k.alloc(Tile.bytes);
  const attachment = k.alloc(Attachment.bytes);
  const length = PIXELS * 4 * format.bytes;
  const plane = k.alloc(length);
  const out = k.alloc(PIXELS * format.bytes);
  const rowBytes = 64 * format.bytes;
  const linear = isOverAlone(format);
  layOut(k, context, plane, 4, format.bytes);
  for (const [field, value] of [
    [Attachment.format, format.format],
    [Attachment.resolveAddress, out],
    [Attachment.resolveRowBytes, rowBytes],
  ] as const)
    k.put(attachment + field, value);
  fillTexels(format, k.memory.buffer, plane, 4);
  const result = (): ArrayLike<number> => format.view(k.memory.buffer, out, PIXELS).channels();
  const five = ['i32', 'i32', 'i32', 'i32', 'i32'] as const;
  const simd = k.calls('resolvePlane', ['i32', 'i32', 'i32'], [[context, attachment, 0]]);
  const pixels = Array.from({ length: PIXELS }, (_, i) => [
    format.format,
    format.bytes,
    plane + pixelIndex(i & 63, i >> 6) * 4 * format.bytes,
    out + i * format.bytes,
    context + Tile.texels,
    4,
  ]);
  const scalar = k.calls('resolvePixel', [...five, 'i32'], pixels);
  const source = k.u8(plane, length).slice();
  const mine = new Uint8Array(PIXELS * format.bytes);
  const from = format.view(source.buffer, 0, PIXELS * 4);
  const to = format.view(mine.buffer, 0, PIXELS);
  return {
    name: `resolve ${format.name}`,
    group: 'resolve',
    unit: 'pixel',
    count: PIXELS,
    tolerance: 1,
    simd: { run: simd.run, output: result },
    scalar: { run: scalar.run, output: result },
    general: true,
    plain: {
      run: linear
        ? () => {
            resolveBytes(source, mine);
          }
        : () => {
            resolvePlain(from, to);
          },
      output: () => to.channels(),
    },
  };
}
export const resolves: readonly (() => HotLoop)[] = named(
  'rgba8unorm',
  'rgba8unorm-srgb',
  'rgb10a2unorm',
  'rgba16float'
).map((format) => () => resolve(format));
