// Tables of window depth compared with the rates of view distances from which they are made.
import { describe, expect, it } from 'vitest';
import { placeCamera, viewDistance, windowDepth } from '../../src/gltf/scene/camera';
import { blurOf } from '../../src/gltf/scene/lens';
import { loadModel } from '../../src/gltf/files/load';
import { flattenScene, type FlatScene } from '../../src/gltf/scene/scene';
import {
  beginWithRates,
  coarser,
  ratesByDepth,
  sceneRates,
  type DistanceRates,
} from '../../src/gltf/gpu/shading-rates';
import { SHADING_RATES } from '../../src/gltf/rate-names';
import type { DepthShadingRates, ShadingRate } from '../../src/index';
import { oneMesh } from './build';

const planes = { near: 0.5, far: 300 };
const size = (rate: ShadingRate): number[] => rate.split('x').map(Number);
/** The rate at a view distance, as a pass looks it up. */
const at = (
  table: DepthShadingRates | undefined,
  camera: { near: number; far: number },
  distance: number
): ShadingRate => {
  if (!table) return '1x1';
  const { near, far, rates } = table;
  const place = (windowDepth(camera, distance) - near) / (far - near);
  return place < 0 || place > 1 ? '1x1' : rates[Math.min(rates.length - 1, Math.floor(place * rates.length))];
};
const wanted = ({ near, far, rates }: DistanceRates, distance: number): ShadingRate => {
  const place = (distance - near) / (far - near);
  return place < 0 || place > 1 ? '1x1' : rates[Math.min(rates.length - 1, Math.floor(place * rates.length))];
};

describe('window depth', () => {
  it('and view distance are inverse functions', () => {
    for (const distance of [0.5, 0.7, 3, 50, 300])
      expect(viewDistance(planes, windowDepth(planes, distance)) / distance).toBeCloseTo(1, 9);
    expect(windowDepth(planes, 0.5)).toBe(0);
    expect(windowDepth(planes, 300)).toBeCloseTo(1, 12);
  });
});

describe('ratesByDepth', () => {
  const asked: DistanceRates[] = [
    { near: 1, far: 50, rates: ['1x1', '1x1', '2x2', '4x4'] },
    { near: 1, far: 200, rates: ['1x1', '1x2', '2x1', '2x2', '2x4', '4x2', '4x4', '4x4'] },
    { near: 10, far: 20, rates: ['2x2', '2x2', '2x2', '2x2'] },
    { near: 100, far: 1000, rates: ['2x4', '4x2', '2x4', '4x2'] },
  ];

  it('is nowhere coarser than requested', () => {
    for (const request of asked) {
      const table = ratesByDepth(request, planes)!;
      expect(table.rates).toHaveLength(16);
      for (let distance = 0.5; distance < 300; distance *= 1.003) {
        const is = size(at(table, planes, distance));
        const may = size(wanted(request, distance));
        // At a bound of its own, rounding may decide.
        if ([1 - 1e-6, 1 + 1e-6].some((near) => wanted(request, distance * near) !== wanted(request, distance)))
          continue;
        expect([is[0] <= may[0], is[1] <= may[1]], `${distance}`).toEqual([true, true]);
      }
    }
  });

  it('is as requested where one rate covers a slice', () => {
    for (const distance of [10.01, 15, 19.9]) expect(at(ratesByDepth(asked[2], planes), planes, distance)).toBe('2x2');
    expect([9.9, 20.1].map((distance) => at(ratesByDepth(asked[2], planes), planes, distance))).toEqual(['1x1', '1x1']);
    const table = ratesByDepth(asked[0], planes);
    expect([5, 27, 36, 45].map((distance) => at(table, planes, distance))).toEqual(['1x1', '2x2', '2x2', '4x4']);
    // The 1x1 range at the near end is not part of the slices.
    expect(viewDistance(planes, table!.near)).toBeCloseTo(25.5, 9);
  });

  it("is null if everything is 1x1, or outside of the camera's view", () => {
    expect(ratesByDepth({ near: 1, far: 5, rates: ['1x1', '1x1', '1x1', '1x1'] }, planes)).toBeUndefined();
    expect(ratesByDepth({ near: 400, far: 500, rates: ['2x2', '2x2', '2x2', '2x2'] }, planes)).toBeUndefined();
  });

  it("ends at the limit of the camera's view", () => {
    const { near, far } = ratesByDepth({ near: 0.1, far: 1e6, rates: ['2x2', '2x2', '2x2', '2x2'] }, planes)!;
    expect([near, far]).toEqual([0, windowDepth(planes, 300)]);
  });
});

describe('sceneRates', () => {
  /** A row of triangles from z = 0 backwards. */
  const row = async (depth: number): Promise<FlatScene> =>
    flattenScene(
      await loadModel(
        oneMesh((b) => ({
          attributes: {
            POSITION: b.accessor(
              'VEC3',
              new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -depth, 1, 0, -depth, 0, 1, -depth])
            ),
          },
        }))
      )
    );
  const orbit = { azimuth: 0, elevation: 0, distance: 3 };

  it('is the coarser of two rates', () => {
    expect(coarser('1x2', '2x1')).toBe('2x2');
    expect(coarser('4x2', '2x4')).toBe('4x4');
    expect(coarser('1x1', '1x2')).toBe('1x2');
    for (const a of SHADING_RATES) for (const b of SHADING_RATES) expect(SHADING_RATES).toContain(coarser(a, b));
  });

  it('has a rate everywhere', async () => {
    const scene = await row(4);
    expect(sceneRates({ everywhere: '2x4' }, scene, placeCamera(scene, orbit, 1, 1), undefined)).toEqual({
      everywhere: '2x4',
      depth: undefined,
    });
  });

  it('is fine for near objects, without a lens', async () => {
    const scene = await row(4);
    const camera = placeCamera(scene, orbit, 1, 1);
    const { everywhere, depth } = sceneRates('auto', scene, camera, undefined);
    expect(everywhere).toBe('1x1');
    const front = camera.middle - 2;
    const rates = [0.01, 1, 3, 3.99].map((z) => at(depth, camera, front + z));
    expect(rates).toEqual(['1x1', '1x1', '2x2', '4x4']);
  });

  it('is coarse where the lens blurs, in front of and behind the focus', async () => {
    const scene = await row(20);
    const camera = placeCamera(scene, orbit, 1, 1);
    const blur = blurOf({ aperture: { diameter: 0.55 }, focus: camera.middle }, camera, 720);
    const { depth } = sceneRates('auto', scene, camera, blur);
    const before = camera.middle - 10;
    const rates = [before + 0.1, camera.middle, before + 19.9].map((d) => at(depth, camera, d));
    expect(rates).toEqual(['4x4', '1x1', '2x2']);
    for (let d = before; d < before + 20; d += 0.1) {
      const radius = Math.abs(blur.slope * windowDepth(camera, d) + blur.offset);
      expect(size(at(depth, camera, d))[0] * 2, `${d}`).toBeLessThanOrEqual(Math.max(2, 2 * radius + 1e-6));
    }
  });
});

describe('beginWithRates', () => {
  it('sets rates in passes only if requested', () => {
    const said: unknown[] = [];
    const encoder = {
      beginRenderPass: (descriptor: object) => {
        said.push(descriptor);
        return { setShadingRate: (rate: string) => said.push(rate) };
      },
    } as unknown as GPUCommandEncoder;
    const depth: DepthShadingRates = { near: 0, far: 1, rates: ['1x1', '1x1', '2x2', '4x4'] };
    beginWithRates(encoder, { colorAttachments: [] }, undefined);
    beginWithRates(encoder, { colorAttachments: [] }, { everywhere: '2x2', depth: undefined });
    beginWithRates(encoder, { colorAttachments: [] }, { everywhere: '1x1', depth });
    expect(said).toEqual([
      { colorAttachments: [] },
      { colorAttachments: [], shadingRates: {} },
      '2x2',
      { colorAttachments: [], shadingRates: { depth } },
      '1x1',
    ]);
  });
});
