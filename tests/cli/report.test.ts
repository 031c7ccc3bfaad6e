// The output of --stats for work that pictures of `render` do not cause.
import { describe, expect, it } from 'vitest';
import { describe as tell, type RenderReport } from '../../src/cli/render/report';

const times = { start: 1, load: 1, decode: 1, upload: 1, render: 1, encode: 1, total: 6 };
const report: RenderReport = {
  model: 'm',
  output: 'm.png',
  frames: 1,
  files: 1,
  kept: 0,
  pictures: [],
  pass: 'color',
  width: 64,
  height: 64,
  samples: 4,
  triangles: 1,
  draws: 1,
  pipelines: 1,
  textures: 0,
  textureBytes: 0,
  bufferBytes: 0,
  peakBytes: 0,
  pngBytes: 0,
  counters: null,
  workers: null,
  programs: null,
  kernelTimes: null,
  overdraw: null,
  encoding: null,
  times,
  warnings: [],
  surfaces: [],
  loadStoreUnit: null,
  shadingRates: null,
  rateMap: null,
  streams: null,
};

describe('--stats', () => {
  it('reports a surface with moved tiles, and nothing without one', () => {
    const surface = {
      label: '[Texture "lights"]',
      format: 'r8unorm',
      sampleCount: 16,
      bytesHeld: 4096,
      bytesUncompressed: 65536,
      bytesMoved: 8192,
      bytesMovedUncompressed: 131072,
      tiles: { clear: 0, onePerPixel: 1, subset: 0, full: 0 },
      pixels: { clear: 0, onePerPixel: 4096, subset: 0, full: 0 },
    } as const;
    expect(tell({ ...report, surfaces: [surface] })).toContain(
      'surface    lights, r8unorm, 16 samples per pixel: 4.0 KiB of 64.0 KiB (6.3 %) held, '
        + '8.0 KiB of 128.0 KiB (6.3 %) moved; tiles 0 clear, 1 one value, 0 subsets, 0 full\n'
    );
    expect(tell(report)).not.toMatch(/^surface/m);
  });

  it('reports accesses to storage textures, and the cache', () => {
    const loadStoreUnit = {
      loads: 1200,
      stores: 3400,
      mergedSimilar: 6,
      bytesRead: 1024,
      bytesWritten: 2048,
      cache: { hits: 9000, misses: 8, fetches: 7, writeBacks: 6, overtaken: 0 },
    };
    const text = tell({ ...report, loadStoreUnit });
    expect(text).toContain('accesses   1,200 loads, 3,400 stores, 6 stores merged with a similar value\n');
    expect(text).toContain(
      'cache      9,000 hits, 8 misses, 7 blocks fetched, 6 write-backs; 1.0 KiB read, 2.0 KiB written\n'
    );
    expect(tell(report)).not.toMatch(/^(accesses|flushes|cache)/m);
  });
});
