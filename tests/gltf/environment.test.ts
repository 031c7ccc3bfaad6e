// Panoramas as light: reading files, the cube map and the harmonics, and tone mapping.
import { deflateSync } from 'node:zlib';
import { writeExr } from 'hdrify';
import { beforeAll, describe, expect, it } from 'vitest';
import { ModelBudget } from '../../src/gltf/budget';
import { imageEnvironment } from '../../src/gltf/light/image-light';
import type { Panorama } from '../../src/gltf/light/panorama';
import { PRESETS, presetPanorama } from '../../src/gltf/light/presets';
import { readPanorama } from '../../src/gltf/light/radiance-image';
import { halfToFloat } from '../../src/gltf/math';
import { beforeToneMapping, toneMapped, TONE_MAPPINGS } from '../../src/gltf/materials/tone-mapping';
import { create, globals } from '../../src/index';

const read = (bytes: Uint8Array, budget = new ModelBudget()): Promise<Panorama> =>
  readPanorama(bytes, 'The environment "a"', budget);

function hdr(width: number, height: number, pixels: number[], header = 'FORMAT=32-bit_rle_rgbe\n'): Uint8Array {
  const text = new TextEncoder().encode(`#?RADIANCE\n${header}\n-Y ${height} +X ${width}\n`);
  return Uint8Array.of(...text, ...pixels);
}

describe('.hdr files', () => {
  it('hold mantissas and a common exponent', async () => {
    const { width, height, rgb } = await read(hdr(2, 1, [128, 64, 0, 129, 255, 0, 0, 128]));
    expect([width, height]).toEqual([2, 1]);
    expect([...rgb]).toEqual([128.5 / 128, 64.5 / 128, 0, 255.5 / 256, 0, 0]);
  });

  it('may have runs, of both kinds', async () => {
    const runs = [2, 2, 0, 8, 136, 100, 136, 50, 8, 1, 2, 3, 4, 5, 6, 7, 8, 136, 136];
    const { rgb } = await read(hdr(8, 1, runs));
    expect([...rgb.subarray(0, 3)]).toEqual([100.5, 50.5, 1.5]);
    expect([...rgb.subarray(21)]).toEqual([100.5, 50.5, 8.5]);
    const old = await read(hdr(4, 1, [9, 9, 9, 136, 1, 1, 1, 3]));
    expect([...old.rgb]).toEqual(new Array(12).fill(9.5));
  });

  it('are divided by the exposure of their header', async () => {
    const { rgb } = await read(hdr(1, 1, [10, 10, 10, 136], 'FORMAT=32-bit_rle_rgbe\nEXPOSURE=2\nEXPOSURE= 2\n'));
    expect(rgb[0]).toBe(10.5 / 4);
  });

  it.each([
    ['a missing row', hdr(2, 2, [1, 2, 3, 128, 1, 2, 3, 128]), /damaged \.hdr file: row 2 of 2 is cut off/],
    ['a run beyond its row', hdr(8, 1, [2, 2, 0, 8, 137, 1]), /row 1 of 1 is cut off or has wrong runs/],
    ['no size', new TextEncoder().encode('#?RADIANCE\n\nhello\n'), /its size is missing/],
    ['half a header', new TextEncoder().encode('#?RADIANCE\nFORMAT='), /its header is cut off/],
    ['rows from the bottom', new TextEncoder().encode('#?RADIANCE\n\n+Y 2 +X 2\n'), /is turned or mirrored/],
    ['no pixels', hdr(0, 4, []), /is 0 × 4 pixels/],
    ['too many pixels', hdr(99999, 4, []), /is 99999 × 4 pixels; the limit is/],
    ['XYZ', hdr(1, 1, [1, 1, 1, 128], 'FORMAT=32-bit_rle_xyze\n'), /colours of another kind than RGB/],
    ['another format', Uint8Array.of(1, 2, 3, 4, 5), /neither a Radiance picture \(\.hdr\) nor an OpenEXR/],
  ])('with %s are refused', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toThrow(message);
  });

  it('are counted before they are decoded', async () => {
    await expect(read(hdr(8000, 8000, []), new ModelBudget(1 << 20))).rejects.toThrow(/--model-memory raises it/);
  });
});

describe('.exr files', () => {
  const image = (): Parameters<typeof writeExr>[0] => ({
    width: 16,
    height: 20,
    data: Float32Array.from({ length: 16 * 20 * 4 }, (_, i) => (i % 4 === 3 ? 1 : (i % 64) / 4)),
    linearColorSpace: 'linear-rec709',
  });

  it('are decoded', async () => {
    const { width, height, rgb } = await read(writeExr(image()));
    expect([width, height]).toEqual([16, 20]);
    expect([...rgb.subarray(0, 6)]).toEqual([0, 0.25, 0.5, 1, 1.25, 1.5]);
  });

  it('are refused wherever they are cut off', async () => {
    const bytes = writeExr(image());
    for (let length = 4; length < bytes.length; length += 7)
      await expect(read(bytes.slice(0, length)), `${length} bytes`).rejects.toThrow(/damaged \.exr file/);
  });

  it.each([
    ['zip', 16],
    ['zips', 1],
    ['pxr24', 16],
    ['dwaa', 32],
  ] as const)(
    'with %s compression are refused if a chunk inflates to more than its rows',
    async (compression, rows) => {
      const bytes = writeExr(image(), { compression });
      expect((await read(bytes)).width).toBe(16);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      // The table of chunks begins with the offset of the first one, which follows the table.
      const tableBytes = 8 * Math.ceil(20 / rows);
      let table = 8;
      while (Number(view.getBigUint64(table, true)) !== table + tableBytes) table++;
      const zeros = deflateSync(new Uint8Array(1 << 16));
      const bomb = compression === 'dwaa' ? new Uint8Array(96) : zeros;
      // The size of the first part of a DWA chunk after inflation.
      if (compression === 'dwaa') new DataView(bomb.buffer).setBigUint64(8, 1n << 40n, true);
      const broken = new Uint8Array(bytes.length + 8 + bomb.length);
      broken.set(bytes);
      broken.set(bomb, bytes.length + 8);
      const changed = new DataView(broken.buffer);
      changed.setBigUint64(table, BigInt(bytes.length), true);
      changed.setUint32(bytes.length + 4, bomb.length, true);
      await expect(read(broken)).rejects.toThrow(/damaged .exr file: part 1 of \d+ inflates to more than the rows/);
    }
  );

  it('with damaged bytes are refused or decoded', async () => {
    const bytes = writeExr(image());
    let seed = 1;
    const noise = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) | 0) >>> 8;
    for (let round = 0; round < 200; round++) {
      const broken = bytes.slice();
      broken[4 + (noise() % (bytes.length - 4))] = noise() & 255;
      try {
        const { rgb } = await read(broken);
        expect(rgb.every((x) => x >= 0 && x < Infinity)).toBe(true);
      } catch (error) {
        expect((error as Error).name).toBe('GltfError');
      }
    }
  });
});

const flat = (width: number, height: number, color: (x: number, y: number) => number[]): Panorama => ({
  width,
  height,
  rgb: Float32Array.from({ length: width * height }, (_, i) => i).reduce(
    (rgb, i) => {
      rgb.set(color(i % width, Math.floor(i / width)), i * 3);
      return rgb;
    },
    new Float32Array(width * height * 3)
  ),
});

describe('the environment on the device', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await (await create({ threads: 0 }).requestAdapter())!.requestDevice();
  });

  it('has the same light everywhere if the panorama has', () => {
    const { harmonics, destroy } = imageEnvironment(device, {
      panorama: flat(64, 32, () => [1, 0.5, 2]),
      rotation: 33,
      intensity: 2,
    });
    expect(harmonics[0].map((x) => Math.round(x * 500) / 500)).toEqual([2, 1, 4]);
    for (const rgb of harmonics.slice(1)) for (const x of rgb) expect(Math.abs(x)).toBeLessThan(0.01);
    destroy();
  });

  it('is turned as its image would be', () => {
    const color = (x: number, y: number): number[] => [(x & 63) / 63, y / 31, ((x + 7 * y) & 15) / 15];
    const turned = imageEnvironment(device, { panorama: flat(64, 32, color), rotation: 90, intensity: 1 });
    // A quarter of the columns further.
    const moved = flat(64, 32, (x, y) => color((x + 16) & 63, y));
    const other = imageEnvironment(device, { panorama: moved, rotation: 0, intensity: 1 });
    turned.harmonics.forEach((rgb, k) =>
      rgb.forEach((value, c) => expect(value).toBeCloseTo(other.harmonics[k][c], 10))
    );
  });

  it('reflects each direction from the cube map, at each roughness', async () => {
    const { view, sampler, levels } = imageEnvironment(device, {
      panorama: flat(64, 32, (_, y) => (y < 16 ? [1, 1, 1] : [0, 0, 0])),
      rotation: 0,
      intensity: 3,
    });
    const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
    const size = 64;
    const format = 'rgba16float';
    const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
    const picture = device.createTexture({ size: [size, levels], format, usage });
    // Columns turn from straight up to straight down; rows are levels.
    const module = device.createShaderModule({
      code: `@group(0) @binding(0) var cube: texture_cube<f32>;
@group(0) @binding(1) var linear: sampler;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(vec2f(vec2u(i & 1, i >> 1) * 4) - 1, 0, 1);
}
@fragment fn fs(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let angle = at.x / ${size} * 3.14159265;
  return textureSampleLevel(cube, linear, vec3f(sin(angle), cos(angle), 0), at.y - 0.5);
}`,
    });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format }] },
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: picture.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(pipeline);
    const entries = [view, sampler].map((resource, binding) => ({ binding, resource }));
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.draw(3);
    pass.end();
    const buffer = device.createBuffer({
      size: size * 8 * levels,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
    });
    encoder.copyTextureToBuffer({ texture: picture }, { buffer, bytesPerRow: size * 8 }, [size, levels]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const halves = new Uint16Array(buffer.getMappedRange());
    for (let level = 0; level < levels; level++) {
      const row = Array.from({ length: size }, (_, x) => halfToFloat(halves[(level * size + x) * 4]));
      expect(row[0], `level ${level}`).toBeGreaterThan(level === levels - 1 ? 2.2 : 2.6);
      expect(row[0]).toBeLessThanOrEqual(3.01);
      expect(row[size - 1]).toBeLessThan(level === levels - 1 ? 0.8 : 0.4);
      // The horizon sees as much above as below, and the light falls steadily.
      expect(Math.abs((row[size / 2 - 1] + row[size / 2]) / 2 - 1.5)).toBeLessThan(0.25);
      for (let x = 1; x < size; x++) expect(row[x]).toBeLessThan(row[x - 1] + 0.12);
    }
  });
});

describe('presets', () => {
  it.each(PRESETS.filter((name) => name !== 'studio'))('%s is light in every direction', (name) => {
    const { width, height, rgb } = presetPanorama(name);
    expect(rgb.length).toBe(width * height * 3);
    expect(rgb.every((x) => x > 0 && x < 1000)).toBe(true);
    expect(presetPanorama(name)).toBe(presetPanorama(name));
  });
});

describe('tone mapping', () => {
  /** Curves for greys, from the publications, without matrices: their rows add up to about 1. */
  const GREYS: Record<(typeof TONE_MAPPINGS)[number], (x: number) => number> = {
    neutral: (x) => {
      const y = x - (x < 0.08 ? x - 6.25 * x * x : 0.04);
      return y < 0.76 ? y : 1 - 0.24 ** 2 / (y + 0.24 - 0.76);
    },
    aces: (x) => {
      const v = x / 0.6;
      return (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.432951) + 0.238081);
    },
    agx: (x) => {
      const s = Math.min(1, Math.max(0, (Math.log2(x) + 12.47393) / (4.026069 + 12.47393)));
      return (
        (15.5 * s ** 6 - 40.14 * s ** 5 + 31.96 * s ** 4 - 6.868 * s ** 3 + 0.4298 * s ** 2 + 0.1191 * s - 0.00232)
        ** 2.2
      );
    },
    linear: (x) => x,
  };

  it.each(TONE_MAPPINGS)('%s maps greys by its curve', (kind) => {
    for (let x = 0.002; x < 30; x *= 1.3) {
      const expected = Math.min(1, Math.max(0, GREYS[kind](x)));
      for (const value of toneMapped([x, x, x], kind))
        expect(Math.abs(value - expected), String(x)).toBeLessThan(0.003);
    }
  });

  it.each(TONE_MAPPINGS)('%s is inverted for colours of backgrounds', (kind) => {
    for (const color of [
      [0.62, 0.65, 0.68],
      [0.05, 0.1, 0.2],
      [0.5, 0.5, 0.5],
      [0.4, 0.3, 0.2],
    ] as [number, number, number][]) {
      const light = beforeToneMapping(color, kind, 2).map((x) => x * 2) as [number, number, number];
      toneMapped(light, kind).forEach((value, c) => expect(Math.abs(value - color[c])).toBeLessThan(0.01));
    }
  });
});
