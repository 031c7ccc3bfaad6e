// The list of Rasterloom's own features: adapters grant all of them by name, and list none of them by default.
import { expect, test } from 'vitest';
import { makeCreate, supportedExtensions } from '../../src/api';
import { loadEngine } from '../support/engine';

const adapterOf = async (extensions?: readonly (typeof supportedExtensions)[number][]): Promise<GPUAdapter> => {
  const create = makeCreate(() => Promise.reject(new Error('no kernel')), {
    spawn: null,
    cores: 1,
    readImage: () => null,
    shaderStore: null,
    loadEngine,
  });
  return (await create({ extensions }).requestAdapter()) as GPUAdapter;
};

test('adapters list none of the supported extensions by default', async () => {
  const { features } = await adapterOf();
  expect(supportedExtensions.filter((name) => features.has(name))).toEqual([]);
});

test('adapters list the supported extensions that create() names', async () => {
  const { features } = await adapterOf(supportedExtensions);
  expect(supportedExtensions.filter((name) => features.has(name))).toEqual([...supportedExtensions]);
});

test('the list cannot be changed', () => {
  expect(Object.isFrozen(supportedExtensions)).toBe(true);
});
