// The limits of a device for requested limits (WebGPU, "a new device"), individually and in pairs, and the validation
// of layouts against them.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeGpu } from '../../src/api';
import {
  adapterLimits,
  defaultLimits,
  grantLimits,
  limitNames,
  type LimitName,
  type Limits,
} from '../../src/api/core/limits';
import { opened } from '../support/engine';
import { fakeDevice } from './fake';

const granted = (wanted: readonly (readonly [string, number])[]): Limits => {
  const limits = grantLimits(new Map(wanted));
  if (typeof limits === 'string') throw new Error(limits);
  return limits;
};
const isAlignment = (name: LimitName): boolean => name.startsWith('min');

/** A limit, and a value that the adapter supports: from below the default to the maximum. */
const wish = fc.constantFrom(...limitNames).chain((name) =>
  fc.tuple(
    fc.constant(name),
    isAlignment(name)
      ? fc.integer({ min: Math.log2(adapterLimits[name]), max: 12 }).map((power) => 2 ** power)
      : fc.oneof(
          fc
            .constantFrom(0, defaultLimits[name], defaultLimits[name] + 1, adapterLimits[name])
            .map((value) => Math.min(value, adapterLimits[name])),
          fc.integer({ min: 0, max: adapterLimits[name] })
        )
  )
);

/** Limits that are raised together: requesting one of a group raises all of them. */
const GROUPS: readonly (readonly LimitName[])[] = [
  ['maxStorageBuffersPerShaderStage', 'maxStorageBuffersInVertexStage', 'maxStorageBuffersInFragmentStage'],
  ['maxStorageTexturesPerShaderStage', 'maxStorageTexturesInVertexStage', 'maxStorageTexturesInFragmentStage'],
];

function expected(wanted: readonly (readonly [LimitName, number])[]): Record<LimitName, number> {
  const limits = { ...defaultLimits };
  for (const [asked, value] of wanted)
    for (const name of GROUPS.find((group) => group.includes(asked)) ?? [asked])
      limits[name] = isAlignment(name) ? Math.min(limits[name], value) : Math.max(limits[name], value);
  return limits;
}

describe('the limits of a device', () => {
  test.each([
    ['maxStorageBuffers', 10],
    ['maxStorageTextures', 6],
  ] as const)('%sPerShaderStage raises the limits of the vertex and fragment stages', (what, value) => {
    expect(granted([[`${what}PerShaderStage`, value]])).toEqual({
      ...defaultLimits,
      [`${what}PerShaderStage`]: value,
      [`${what}InVertexStage`]: value,
      [`${what}InFragmentStage`]: value,
    });
  });

  test('follow the specification for one limit, for pairs and for many', () => {
    const best = limitNames.map((name) => [name, adapterLimits[name]] as const);
    for (const a of best) for (const b of best) expect(granted([a, b])).toEqual(expected([a, b]));
    fc.assert(
      fc.property(fc.uniqueArray(wish, { maxLength: 8, selector: ([name]) => name }), (wanted) => {
        expect(granted(wanted)).toEqual(expected(wanted));
      }),
      { numRuns: 500 }
    );
  });

  test('do not depend on the order of the requests', () => {
    fc.assert(
      fc.property(fc.uniqueArray(wish, { maxLength: 5, selector: ([name]) => name }), (wanted) => {
        expect(granted(wanted)).toEqual(granted([...wanted].reverse()));
      })
    );
  });
});

describe('layouts are validated against the limits that the device reports', () => {
  const STAGES = { VERTEX: 1, FRAGMENT: 2, COMPUTE: 4 } as const;
  const kinds = {
    Buffers: { buffer: { type: 'read-only-storage' } },
    Textures: { storageTexture: { access: 'read-only', format: 'r32uint' } },
  } as const;
  const namesOf = (what: keyof typeof kinds): LimitName[] => GROUPS[what === 'Buffers' ? 0 : 1] as LimitName[];
  const cases = (['Buffers', 'Textures'] as const).flatMap((what) =>
    namesOf(what).map((name) => [name, what] as const)
  );

  test.each(cases)('for %s', async (name, what) => {
    const most = defaultLimits[name] + 2;
    const adapter = await makeGpu(() => opened(fakeDevice())).requestAdapter();
    const device = await adapter!.requestDevice({ requiredLimits: { [name]: most } });
    for (const visibility of Object.values(STAGES)) {
      const errorOf = async (count: number): Promise<string | undefined> => {
        device.pushErrorScope('validation');
        const entries = Array.from({ length: count }, (_, binding) => ({ binding, visibility, ...kinds[what] }));
        device.createBindGroupLayout({ entries });
        return (await device.popErrorScope())?.message;
      };
      expect(await errorOf(most)).toBe(undefined);
      expect(await errorOf(most + 1)).toContain(`exceed maxStorage${what}`);
    }
  });
});
