// Options that `create` rejects, and how the errors describe them.
import { describe, expect, test } from 'vitest';
import { makeCreate, type CreateOptions } from '../../src/api';
import { loadEngine } from '../support/engine';
import { forCreate } from '../support/options';

const create = makeCreate(() => Promise.reject(new Error('no kernel')), {
  spawn: null,
  cores: 2,
  readImage: () => null,
  shaderStore: null,
  loadEngine,
});
function said(given: unknown): string {
  try {
    create(given as CreateOptions);
    return '';
  } catch (error) {
    return String(error);
  }
}

test.each([
  [undefined],
  [{}],
  [Object.create(null)],
  [['backend=vulkan', 'enable-dawn-features=x']],
  [{ simd: false, deterministic: true, scheduler: { runToCompletion: true, lockstepQuads: false } }],
  [{ scheduler: { slots: 2, budgets: { vertex: 0, pixel: 1 } } }],
  [forCreate({ alwaysUseWorkers: true, threads: 2 })],
])('accepts %j', (given) => {
  expect(said(given)).toBe('');
});

test('rejects the options of tests by their plain names', () => {
  expect(said({ alwaysUseWorkers: true })).toContain('alwaysUseWorkers');
});

describe('invalid options', () => {
  test.each<[unknown, string]>([
    [null, 'null'],
    ['x', '"x"'],
    [5, '5'],
    [() => undefined, 'a function'],
  ])('%s', (given, shown) => {
    expect(said(given)).toBe(`TypeError: create: options must be an object, or an array of strings, not ${shown}`);
  });
});

describe('unknown names', () => {
  test.each(['schedular', 'timeoutMS', 'toString', '__proto__'])('%s', (name) => {
    expect(said(JSON.parse(`{ "${name}": 5 }`))).toBe(
      `TypeError: create: unknown member "${name}"; known members are "engine", "threads", "deterministic", `
        + '"simd", "workerKinds", "distribution", "budgets", "scheduler", "memoryBudget", "timeoutMs", '
        + '"shaderLimits", "shaderCache", "shaderCacheBytes", "kernelUrl", "workerUrl", '
        + '"extensions", "canvasFormat", "surfaceEncoding", "arenaBytes"'
    );
  });
  test.each([
    [
      { scheduler: { budgets: { toString: 1 } } },
      'scheduler.budgets: unknown member "toString"; known members are "vertex", "pixel"',
    ],
    [
      { budgets: { arena: 1 } },
      'budgets: unknown member "arena"; known members are "arenaBytes", '
        + '"stageInputBytes", "vertexBytes", "decodedBytes"',
    ],
  ])('%j', (given, message) => {
    expect(said(given)).toBe(`TypeError: create: ${message}`);
  });
});

test.each<[object, string]>([
  [{ deterministic: 'no' }, 'TypeError: create: deterministic must be true or false, not "no"'],
  [{ simd: 'no' }, 'TypeError: create: simd must be true or false, not "no"'],
  [{ simd: null }, 'TypeError: create: simd must be true or false, not null'],
  [{ surfaceEncoding: 0 }, 'TypeError: create: surfaceEncoding must be true or false, not 0'],
  [
    { scheduler: { runToCompletion: 'false' } },
    'TypeError: create: scheduler.runToCompletion must be true or false, not "false"',
  ],
  [
    { scheduler: { lockstepQuads: 'no' } },
    'TypeError: create: scheduler.lockstepQuads must be true or false, not "no"',
  ],
  [{ scheduler: [] }, 'TypeError: create: scheduler must be an object, not Array'],
  [{ scheduler: null }, 'TypeError: create: scheduler must be an object, not null'],
  [
    { scheduler: { budgets: [] } },
    'TypeError: create: scheduler.budgets must be an object of numbers of workers, not Array',
  ],
  [{ budgets: [] }, 'TypeError: create: budgets must be an object of numbers of bytes, not Array'],
  [{ shaderLimits: [] }, 'TypeError: create: shaderLimits must be an object of numbers, not Array'],
  [
    { scheduler: { slots: Object.create(null) } },
    'RangeError: create: scheduler.slots must be a whole number from 2 to 32, not Object',
  ],
  [{ scheduler: { slots: 5n } }, 'RangeError: create: scheduler.slots must be a whole number from 2 to 32, not 5n'],
  [{ scheduler: { slots: '5' } }, 'RangeError: create: scheduler.slots must be a whole number from 2 to 32, not "5"'],
  [
    { scheduler: { priority: ['pixel', 'vertex'] } },
    'TypeError: create: scheduler.priority must be "pixel", "vertex", not Array',
  ],
  [
    { threads: Object.create(null) },
    'RangeError: create: threads must be a whole number from 0 (the calling thread renders) to 64, not Object',
  ],
  [
    { kernelUrl: Object.create(null) },
    'TypeError: create: kernelUrl must be a URL, as a string or an object, not Object',
  ],
  [{ canvasFormat: 'rgba16float' }, 'TypeError: create: canvasFormat must be '],
  [{ extensions: [Object.create(null)] }, 'TypeError: create: extensions: unknown feature Object; known features are '],
])('%#: %s', (given, message) => {
  expect(said(given).slice(0, message.length)).toBe(message);
});
