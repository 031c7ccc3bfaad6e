// --shading-rate and --pass shading-rate through the built command.
import { afterAll, describe, expect, it } from 'vitest';
import { RATES } from '../../src/cli/rate-map';
import type { RenderReport } from '../../src/cli/render/report';
import { oneMesh, TRIANGLE } from '../gltf/build';
import { Workshop } from './program';

const workshop = new Workshop();
afterAll(() => workshop.remove());
const words = ['render', '--sample', '--size', '320x180', '--samples', '1'];
const report = async (...more: string[]): Promise<RenderReport> => {
  const { code, out, err } = await workshop.run(...words, '--json', ...more);
  expect([code, err.replace(/Wrote .* s\.\n/, '')]).toEqual([0, '']);
  return JSON.parse(out) as RenderReport;
};

describe('--shading-rate', () => {
  it('shades everything at one rate', async () => {
    const fine = await report();
    const coarse = await report('--shading-rate', '2x2');
    expect(fine.shadingRates).toBeNull();
    const { rates, fallbacks } = coarse.shadingRates!;
    expect(rates['1x1'].threads).toBe(0);
    expect(rates['2x2'].pixels).toBe(fine.counters!['lanesShaded']);
    // The triangles are small here.
    expect(rates['2x2'].threads / rates['2x2'].pixels).toBeLessThan(0.7);
    expect(Object.values(fallbacks).every((draws) => draws === 0)).toBe(true);
  });

  it('shades by distance, alone and with a lens, and reports the rates', async () => {
    for (const more of [['depth:1,20,1x1,1x1,2x2,4x4'], ['auto'], ['auto', '--aperture', '0.8', '--focus', '7']]) {
      const { rates, lookUps } = (await report('--shading-rate', ...more)).shadingRates!;
      expect(lookUps).toBeGreaterThan(100);
      expect(rates['2x2'].threads).toBeGreaterThan(100);
      expect(rates['1x1'].threads).toBeGreaterThan(100);
    }
    const { out } = await workshop.run(...words, '--stats', '--shading-rate', '2x2');
    expect(out).toMatch(
      /^rate {7}2x2: [\d,]+ invocations in [\d,]+ warps, for [\d,]+ pixels\nrates {6}0 looked up; .*: none$/m
    );
  });

  it('keeps cut-out edges fine where rates are automatic', async () => {
    const long = Float32Array.of(-3, 0, 0, 3, 0, 0, 0, 4, -60);
    const pixels = async (alphaMode: string, ...more: string[]): Promise<number> => {
      const material = { alphaMode, doubleSided: true };
      const model = oneMesh((b) => ({ material: 0, attributes: { POSITION: b.accessor('VEC3', long) } }), {
        materials: [material],
      });
      workshop.write('edges.glb', model);
      const look = ['--camera', 'look:0,1,4,0,1,0', '--size', '160x90'];
      const { code, out, err } = await workshop.run(
        'render',
        'edges.glb',
        ...look,
        '--json',
        '--shading-rate',
        ...more
      );
      expect([code, err.replace(/Wrote .*/s, '')]).toEqual([0, '']);
      return (JSON.parse(out) as RenderReport).shadingRates!.rates['2x2'].pixels;
    };
    expect(await pixels('OPAQUE', 'auto')).toBeGreaterThan(100);
    expect(await pixels('MASK', 'auto')).toBe(0);
    expect(await pixels('MASK', '2x2')).toBeGreaterThan(100);
  });

  it('shades materials at the rates that they ask for', async () => {
    const ask = { rasterloom: { shadingRate: '4x4' } };
    const model = oneMesh((b) => ({ material: 0, attributes: { POSITION: b.accessor('VEC3', TRIANGLE) } }), {
      materials: [{ extras: ask }],
    });
    workshop.write('asks.glb', model);
    const pixels = async (...more: string[]): Promise<readonly number[]> => {
      const { code, out } = await workshop.run('render', 'asks.glb', '--size', '64x64', '--json', ...more);
      expect(code).toBe(0);
      const { shadingRates } = JSON.parse(out) as RenderReport;
      return (['1x1', '2x2', '4x4'] as const).map((rate) => shadingRates?.rates[rate].pixels ?? -1);
    };
    expect(await pixels()).toEqual([-1, -1, -1]);
    for (const rate of ['1x1', '2x2']) {
      const [fine, middle, coarse] = await pixels('--shading-rate', rate);
      expect([fine, middle]).toEqual([0, 0]);
      expect(coarse).toBeGreaterThan(500);
    }
  });

  it('--pass shading-rate draws a color for each rate', async () => {
    const more = ['--pass', 'shading-rate', '--shading-rate', 'depth:1,20,1x1,1x1,2x2,4x4'];
    const { code, out, err } = await workshop.run(...words, ...more);
    expect([code, err.replace(/[\d.]+ s/, '')]).toEqual([0, 'Wrote sample.shading-rate.png in .\n']);
    expect(out).toMatch(/^rates {6}([\d.]+ % \dx\d(, | of the pixels drawn to\n)){2,7}$/);
    const { rateMap, height } = await report(...more);
    const { data } = workshop.picture('sample.shading-rate.png');
    expect(height).toBeGreaterThan(180);
    const counts = new Map<number, number>();
    for (let i = 0; i < 320 * 180; i++) {
      const color = (data[i * 3] << 16) | (data[i * 3 + 1] << 8) | data[i * 3 + 2];
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
    const drawn = 320 * 180 - counts.get(0)!;
    expect(drawn).toBeGreaterThan(10_000);
    for (const { label, color } of RATES)
      expect((counts.get(color) ?? 0) / drawn).toBeCloseTo(rateMap![label as keyof typeof rateMap], 12);
  });
});
