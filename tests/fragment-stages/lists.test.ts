// Shaders that read their target over stored surfaces whose pixels hold one to eight values: every sample, and every
// count of runs, equals a reference that knows nothing of the ways in which values are stored.
import { describe, expect, test } from 'vitest';
import type { CreateOptions } from '../support/options';
import { firstDifference } from '../support/first-difference';
import { open } from './kit';
import { samplesOf } from '../surface-programs/kit';

const USAGE = { SAMPLED: 4, ATTACHMENT: 16 } as const;
const devices: Readonly<Record<string, CreateOptions>> = {
  compiled: { engine: 'jit', threads: 0 },
  'compiled, not encoded': { engine: 'jit', threads: 0, surfaceEncoding: false },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
  'two workers': { engine: 'jit', threads: 2 },
  'at every tile': { engine: 'interpreter', threads: 2, distribution: 'any', alwaysShareTiles: true },
};
/** Six tiles' worth of blocks, some of which the surface ends within. */
const WIDTH = 76;
const HEIGHT = 22;

const turnOf = (x: number, y: number): number => ((Math.imul(x, 73856093) ^ Math.imul(y, 19349663)) >>> 7) >>> 0;
/** How many values a pixel holds. Blocks in a row have 1, 2, 3, … values, or up to as many. */
const countOf = (x: number, y: number, samples: number): number =>
  Math.min(samples, 1 + (y < 8 ? x >> 3 : turnOf(x, y) % (1 + (x >> 3))));
const valueAt = (x: number, y: number, sample: number, samples: number): number => {
  const count = countOf(x, y, samples);
  const k = Math.trunc((((sample ^ turnOf(x, y)) & (samples - 1)) * count) / samples);
  return (x * 5 + y * 3 + k * 29) & 255;
};

/** A layer: what a shader makes of a channel `v` (0 … 255), in WGSL and here. */
interface Layer {
  readonly code: string;
  readonly made: (v: number, x: number, y: number) => number;
  /** Where the format can be blended, a blend state does the same with a shader that returns `fixed`. */
  readonly fixed?: number;
  /** Samples that are written, if not all. */
  readonly mask?: number;
  /** x, y, width and height of the pixels that are written, if not all. */
  readonly within?: readonly [number, number, number, number];
}
const LAYERS = {
  add: { code: 'v * 5 + 3', made: (v) => v * 5 + 3 },
  unite: { code: 'v & vec4u(0xc0)', made: (v) => v & 0xc0 },
  level: { code: 'min(v | vec4u(77), vec4u(77))', made: () => 77 },
  raise: { code: 'max(v, vec4u(200))', made: (v) => Math.max(v, 200), fixed: 200 },
  linked: { code: 'v + linked', made: (v, x, y) => v + x * 7 + y * 11 },
  placed: { code: 'v * 3 + u32(corner.p.x)', made: (v, x) => v * 3 + x },
  masked: { code: 'v + 101', made: (v) => v + 101, mask: 0x5a5a },
  within: { code: 'v * 7', made: (v) => v * 7, within: [3, 2, 51, 18] },
  loop: {
    code: 'looped(v)',
    made: (v) => {
      let sum = v;
      for (let i = 0; i < (v & 7); i++) sum = sum * 3 + i;
      return sum;
    },
  },
} satisfies Readonly<Record<string, Layer>>;
/** Layers of one pass. */
const PASSES: readonly (readonly (keyof typeof LAYERS)[])[] = [
  ['add'],
  ['linked', 'add'],
  ['placed', 'unite', 'linked'],
  ['loop', 'within'],
  ['level', 'loop'],
  ['raise', 'loop', 'add'],
  ['within', 'masked', 'unite', 'add'],
];

const FORMATS = {
  rgba8unorm: {
    read: 'vec4f',
    decoded: 'vec4u(below * 255 + 0.5)',
    encoded: 'vec4f(v & vec4u(255)) / 255',
    /** What a channel of a texel holds of `v`. */
    bytes: (v: number) => [v, v, v, v],
  },
  r32uint: { read: 'u32', decoded: 'vec4u(below)', encoded: '(v & vec4u(255)).x', bytes: (v: number) => [v, 0, 0, 0] },
} as const;
type Format = keyof typeof FORMATS;

const codeOf = (format: Format, { code, fixed = 0 }: Layer): string => {
  const { read, decoded, encoded } = FORMATS[format];
  return `enable fragment_stages;
    struct Corner { @builtin(position) p: vec4f }
    @vertex fn vs(@builtin(vertex_index) i: u32) -> Corner {
      return Corner(vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0.5, 1));
    }
    fn looped(start: vec4u) -> vec4u {
      var v = start;
      for (var i = 0u; i < (start.x & 7); i++) { v = v * 3 + i; }
      return v;
    }
    @fragment fn pixel(corner: Corner) -> @link(0) u32 { return u32(corner.p.x) * 7 + u32(corner.p.y) * 11; }
    @fragment fn samples(corner: Corner, @link(0) linked: u32, @color(0) below: ${read}) -> @location(0) ${read} {
      var v = ${decoded};
      v = ${code};
      return ${encoded};
    }
    @fragment fn fixed() -> @location(0) ${read} {
      let v = vec4u(${fixed});
      return ${encoded};
    }
    @fragment fn first(corner: Corner, @builtin(sample_index) sample: u32) -> @location(0) ${read} {
      let x = u32(corner.p.x); let y = u32(corner.p.y);
      let turn = ((x * 73856093u) ^ (y * 19349663u)) >> 7u;
      let count = min(SAMPLES, 1 + select(turn % (1 + x / 8), x / 8, y < 8));
      let k = ((sample ^ turn) & (SAMPLES - 1)) * count / SAMPLES;
      let v = vec4u(x * 5 + y * 3 + k * 29);
      return ${encoded};
    }`;
};
const MAX = { operation: 'max', srcFactor: 'one', dstFactor: 'one' } as const;
/** Whether a layer is blended by a blend state. */
const isFixed = (format: Format, { fixed }: Layer): boolean => fixed !== undefined && format === 'rgba8unorm';
const COUNTS = ['pixelRuns', 'sampleSets', 'wholePixelSets', 'dispatches', 'mergedDispatches'] as const;

interface Result {
  readonly counts: readonly number[];
  readonly bytes: Uint8Array;
}

/** Draws each of PASSES over the first content. */
async function drawn(options: CreateOptions, format: Format, samples: number): Promise<Result[]> {
  const device = await open(options);
  device.addEventListener('uncapturederror', ({ error }) => {
    throw new Error(error.message);
  });
  const texture = device.createTexture({
    size: [WIDTH, HEIGHT],
    sampleCount: samples,
    format,
    usage: USAGE.SAMPLED | USAGE.ATTACHMENT,
  });
  const pipelineOf = (layer: Layer, isFirst: boolean): GPURenderPipeline => {
    const module = device.createShaderModule({ code: codeOf(format, layer).replaceAll('SAMPLES', `${samples}u`) });
    const stages = [
      { entryPoint: 'pixel', rate: 'pixel' },
      { entryPoint: 'samples', rate: 'sample' },
    ];
    return device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: isFixed(format, layer)
        ? { module, targets: [{ format, blend: { color: MAX, alpha: MAX } }], entryPoint: 'fixed' }
        : { module, targets: [{ format }], ...(isFirst ? { entryPoint: 'first' } : { stages }) },
      multisample: { count: samples, mask: layer.mask ?? 0xffffffff },
    } as GPURenderPipelineDescriptor);
  };
  const first = pipelineOf(LAYERS.add, true);
  const pipelines = new Map(Object.values(LAYERS).map((layer: Layer) => [layer, pipelineOf(layer, false)]));
  const pass = async (loadOp: GPULoadOp, draw: (encoder: GPURenderPassEncoder) => void): Promise<number[]> => {
    const { counters: before } = device.statistics();
    const encoder = device.createCommandEncoder();
    const drawing = encoder.beginRenderPass({
      colorAttachments: [{ view: texture.createView(), loadOp, storeOp: 'store' }],
    });
    draw(drawing);
    drawing.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    const { counters: now } = device.statistics();
    return COUNTS.map((name) => now[name]! - before[name]!);
  };
  const results: Result[] = [];
  for (const names of PASSES) {
    await pass('clear', (drawing) => {
      drawing.setPipeline(first);
      drawing.draw(3);
    });
    const counts = await pass('load', (drawing) => {
      for (const name of names) {
        const layer: Layer = LAYERS[name];
        const [x, y, width, height] = layer.within ?? [0, 0, WIDTH, HEIGHT];
        drawing.setPipeline(pipelines.get(layer)!);
        drawing.setScissorRect(x, y, width, height);
        drawing.draw(3);
      }
    });
    results.push({ counts, bytes: await samplesOf(device, texture) });
  }
  device.destroy();
  return results;
}

/** Values of all samples of a pixel, after each of some layers. */
function valuesOf(x: number, y: number, samples: number, layers: readonly Layer[]): number[][] {
  const values = [Array.from({ length: samples }, (_, sample) => valueAt(x, y, sample, samples))];
  for (const { made, mask = -1, within: [left, top, width, height] = [0, 0, WIDTH, HEIGHT] } of layers) {
    const isWithin = x >= left && x < left + width && y >= top && y < top + height;
    values.push(values.at(-1)!.map((v, sample) => (isWithin && (mask >> sample) & 1 ? made(v, x, y) & 255 : v)));
  }
  return values;
}

/** What `drawn` gives. */
function expected(format: Format, samples: number): Result[] {
  return PASSES.map((names) => {
    const layers: readonly Layer[] = names.map((name) => LAYERS[name]);
    const bytes = new Uint8Array(WIDTH * samples * HEIGHT * 4);
    let [runs, sets, wholes, merged] = [0, 0, 0, 0];
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 0; x < WIDTH; x++) {
        const values = valuesOf(x, y, samples, layers);
        values.at(-1)!.forEach((v, sample) => {
          bytes.set(FORMATS[format].bytes(v), (y * WIDTH * samples + sample * WIDTH + x) * 4);
        });
        layers.forEach((layer, i) => {
          const { made, mask = -1, within: [left, top, width, height] = [0, 0, WIDTH, HEIGHT] } = layer;
          if (isFixed(format, layer) || x < left || x >= left + width || y < top || y >= top + height) return;
          const before = new Set(values[i]!.filter((_, sample) => (mask >> sample) & 1));
          runs += 1;
          sets += before.size;
          wholes += before.size === 1 && mask === -1 ? 1 : 0;
          merged += before.size - new Set([...before].map((v) => made(v, x, y) & 255)).size;
        });
      }
    return { counts: [runs, sets, wholes, sets - merged, merged], bytes };
  });
}

describe.each(Object.entries(devices))('%s', (_, options) => {
  test.each([
    ['rgba8unorm', 4],
    ['rgba8unorm', 8],
    ['r32uint', 8],
    ['rgba8unorm', 16],
  ] as const)('%s at %d samples', async (format, samples) => {
    const results = await drawn(options, format, samples);
    expected(format, samples).forEach(({ counts, bytes }, i) => {
      const result = results[i]!;
      expect(firstDifference(result.bytes, bytes), `${PASSES[i]!.join()}`).toBe(-1);
      expect(result.counts, `${PASSES[i]!.join()}`).toEqual(counts);
    });
  });
});
