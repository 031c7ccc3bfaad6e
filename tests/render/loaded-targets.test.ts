// Passes that load what earlier passes stored, with one sample: rectangles of constant depth over large and small
// areas, so that tiles and blocks are covered as a whole, in part or not at all. Compared with plain TypeScript.
// RASTERLOOM_FUZZ=count runs more scenes, RASTERLOOM_SEED=number others.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { globals } from '../../src/index';
import { open } from '../compute/engines';
import { firstDifference } from '../support/first-difference';
import { rounds } from '../support/rounds';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const SEED = Number(process.env['RASTERLOOM_SEED'] ?? 58);
const SIZES = [
  [64, 64],
  [128, 72],
  [70, 50],
  [200, 136],
] as const;
const FORMATS = { rgba8unorm: 4, rgba16float: 8, rgba32float: 16 } as const;
const COMPARES = ['less', 'less-equal', 'greater', 'equal', 'always', 'never'] as const;
const DEPTHS = [0, 0.25, 0.5, 1];
const engines = {
  compiled: { engine: 'jit', threads: 0 },
  'on two workers': { engine: 'jit', threads: 2 },
  scalar: { simd: false, threads: 0 },
} as const;

interface Draw {
  /** Scissor rectangle: left, top, width and height in 1/16 of the target. */
  readonly box: readonly [number, number, number, number];
  readonly depth: number;
  readonly color: readonly number[];
  readonly compare: (typeof COMPARES)[number];
  readonly writesDepth: boolean;
  /** GPUColorWriteFlags. */
  readonly mask: number;
}
interface Pass {
  /** Depth that the pass clears to; undefined: it loads depth. */
  readonly clearDepth: number | undefined;
  readonly clearColor: readonly number[] | undefined;
  readonly draws: readonly Draw[];
}
interface Scene {
  readonly size: (typeof SIZES)[number];
  readonly format: keyof typeof FORMATS;
  readonly passes: readonly Pass[];
}

const code = `
struct V { @builtin(position) at: vec4f, @location(0) @interpolate(flat) color: vec4f }
@vertex fn vs(@builtin(vertex_index) i: u32, @location(0) depth: f32, @location(1) color: vec4f) -> V {
  var corners = array(vec2f(-1, -1), vec2f(3, -1), vec2f(-1, 3));
  return V(vec4f(corners[i], depth, 1), color);
}
@fragment fn fs(v: V) -> @location(0) vec4f { return v.color; }`;

/** The scissor rectangle in pixels: x, y, width, height. */
function boxOf({ box }: Draw, [width, height]: Scene['size']): [number, number, number, number] {
  const at = (part: number, size: number): number => Math.round((part * size) / 16);
  const [x, y] = [at(box[0], width), at(box[1], height)];
  return [x, y, Math.min(at(box[2], width), width - x), Math.min(at(box[3], height), height - y)];
}

const passes: Readonly<Record<Draw['compare'], (depth: number, stored: number) => boolean>> = {
  less: (depth, stored) => depth < stored,
  'less-equal': (depth, stored) => depth <= stored,
  greater: (depth, stored) => depth > stored,
  equal: (depth, stored) => depth === stored,
  always: () => true,
  never: () => false,
};

/** Colours and depths by plain TypeScript. */
function expected({ size, passes: all }: Scene): { colors: Float32Array; depths: Float32Array } {
  const [width, height] = size;
  const colors = new Float32Array(width * height * 4);
  const depths = new Float32Array(width * height);
  for (const { clearDepth, clearColor, draws } of all) {
    if (clearDepth !== undefined) depths.fill(clearDepth);
    if (clearColor) for (let i = 0; i < colors.length; i++) colors[i] = clearColor[i & 3]!;
    for (const draw of draws) {
      const [x0, y0, w, h] = boxOf(draw, size);
      for (let y = y0; y < y0 + h; y++)
        for (let x = x0; x < x0 + w; x++) {
          const at = y * width + x;
          if (!passes[draw.compare](draw.depth, depths[at]!)) continue;
          if (draw.writesDepth) depths[at] = draw.depth;
          for (let c = 0; c < 4; c++) if ((draw.mask >> c) & 1) colors[at * 4 + c] = draw.color[c]!;
        }
    }
  }
  return { colors, depths };
}

describe('pictures of passes that load their targets', () => {
  const devices: GPUDevice[] = [];
  const pipelines = new Map<string, GPURenderPipeline>();
  beforeAll(async () => {
    for (const options of Object.values(engines)) {
      const device = await open(options);
      device.addEventListener('uncapturederror', ({ error }) => {
        throw new Error(error.message);
      });
      devices.push(device);
    }
  });
  afterAll(() => {
    for (const device of devices) device.destroy();
  });

  function pipelineOf(device: GPUDevice, format: Scene['format'], draw: Draw): GPURenderPipeline {
    const key = [devices.indexOf(device), format, draw.compare, draw.writesDepth, draw.mask].join(' ');
    const known = pipelines.get(key);
    if (known) return known;
    const module = device.createShaderModule({ code });
    const made = device.createRenderPipeline({
      layout: 'auto',
      vertex: {
        module,
        buffers: [
          {
            arrayStride: 20,
            stepMode: 'instance',
            attributes: [
              { shaderLocation: 0, offset: 0, format: 'float32' },
              { shaderLocation: 1, offset: 4, format: 'float32x4' },
            ],
          },
        ],
      },
      fragment: { module, targets: [{ format, writeMask: draw.mask }] },
      depthStencil: { format: 'depth32float', depthCompare: draw.compare, depthWriteEnabled: draw.writesDepth },
    });
    pipelines.set(key, made);
    return made;
  }

  async function read(device: GPUDevice, texture: GPUTexture, bytes: number): Promise<Uint8Array> {
    const { width, height } = texture;
    const row = Math.ceil((width * bytes) / 256) * 256;
    const buffer = device.createBuffer({
      size: row * height,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
    });
    const encoder = device.createCommandEncoder();
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: row }, [width, height]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const rows = new Uint8Array(buffer.getMappedRange());
    const packed = new Uint8Array(width * height * bytes);
    for (let y = 0; y < height; y++) packed.set(rows.subarray(y * row, y * row + width * bytes), y * width * bytes);
    buffer.destroy();
    return packed;
  }

  async function draw(device: GPUDevice, scene: Scene): Promise<{ colors: Uint8Array; depths: Uint8Array }> {
    const { format, size } = scene;
    const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
    const color = device.createTexture({ size: [...size], format, usage });
    const depth = device.createTexture({ size: [...size], format: 'depth32float', usage });
    const all = scene.passes.flatMap(({ draws }) => draws);
    const vertices = device.createBuffer({
      size: Math.max(1, all.length) * 20,
      usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST,
    });
    device.queue.writeBuffer(vertices, 0, Float32Array.from(all.flatMap((each) => [each.depth, ...each.color])));
    const encoder = device.createCommandEncoder();
    let next = 0;
    for (const { clearDepth, clearColor, draws } of scene.passes) {
      const pass = encoder.beginRenderPass({
        colorAttachments: [
          {
            view: color,
            storeOp: 'store',
            ...(clearColor ? { loadOp: 'clear' as const, clearValue: [...clearColor] } : { loadOp: 'load' as const }),
          },
        ],
        depthStencilAttachment: {
          view: depth,
          depthStoreOp: 'store',
          ...(clearDepth === undefined
            ? { depthLoadOp: 'load' as const }
            : { depthLoadOp: 'clear' as const, depthClearValue: clearDepth }),
        },
      });
      pass.setVertexBuffer(0, vertices);
      for (const each of draws) {
        pass.setPipeline(pipelineOf(device, format, each));
        pass.setScissorRect(...boxOf(each, size));
        pass.draw(3, 1, 0, next++);
      }
      pass.end();
    }
    device.queue.submit([encoder.finish()]);
    const colors = await read(device, color, FORMATS[format]);
    const depths = await read(device, depth, 4);
    for (const each of [color, depth, vertices]) each.destroy();
    return { colors, depths };
  }

  const fraction = fc.integer({ min: 0, max: 15 });
  const extent = fc.oneof(fc.constant(16), fc.integer({ min: 1, max: 16 }));
  const value = fc.array(fc.constantFrom(0, 1), { minLength: 4, maxLength: 4 });
  const draws: fc.Arbitrary<Draw> = fc.record({
    box: fc.oneof(fc.constant([0, 0, 16, 16] as const), fc.tuple(fraction, fraction, extent, extent)),
    depth: fc.constantFrom(...DEPTHS),
    color: value,
    compare: fc.constantFrom(...COMPARES),
    writesDepth: fc.boolean(),
    mask: fc.oneof(fc.constant(15), fc.integer({ min: 0, max: 15 })),
  });
  const scenes: fc.Arbitrary<Scene> = fc.record({
    size: fc.constantFrom(...SIZES),
    format: fc.constantFrom(...(Object.keys(FORMATS) as Scene['format'][])),
    passes: fc.array(
      fc.record({
        clearDepth: fc.option(fc.constantFrom(...DEPTHS), { nil: undefined, freq: 2 }),
        clearColor: fc.option(value, { nil: undefined, freq: 2 }),
        draws: fc.array(draws, { maxLength: 4 }),
      }),
      { minLength: 2, maxLength: 4 }
    ),
  });

  /** The bytes of colours of 0 and 1 in a format. */
  function bytesOf(colors: Float32Array, format: Scene['format']): Uint8Array {
    if (format === 'rgba8unorm') return Uint8Array.from(colors, (part) => part * 255);
    if (format === 'rgba32float') return new Uint8Array(colors.buffer);
    return new Uint8Array(Uint16Array.from(colors, (part) => part * 0x3c00).buffer);
  }

  test('are those of every engine', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { colors, depths } = expected(scene);
        for (const device of devices) {
          const drawn = await draw(device, scene);
          expect(firstDifference(drawn.colors, bytesOf(colors, scene.format))).toBe(-1);
          expect(firstDifference(drawn.depths, new Uint8Array(depths.buffer))).toBe(-1);
        }
      }),
      { numRuns: rounds(80), seed: SEED }
    );
  });
});
