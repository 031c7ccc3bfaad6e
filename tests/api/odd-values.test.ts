// Values that WebIDL accepts and applications rarely pass: each has a specific error or the specified effect.
import { describe, expect, it } from 'vitest';
import { makeCreate } from '../../src/api';
import { sequence, text } from '../../src/api/idl/idl';
import { grantLimits } from '../../src/api/core/limits';
import { Allocator, createMemory, OutOfMemoryError } from '../../src/memory';

describe('unusual values', () => {
  it('holes in a sequence are undefined members', () => {
    expect(sequence((value) => String(value))(new Array(2), 'list')).toEqual(['undefined', 'undefined']);
    expect(sequence(text)(['a', , 'b'], 'list')).toEqual(['a', 'undefined', 'b']);
  });

  it('names inherited by all objects are not limits', () => {
    for (const name of ['toString', 'constructor', '__proto__', 'hasOwnProperty'])
      expect(grantLimits(new Map([[name, 1e9]]))).toBe(`requiredLimits: "${name}" is not a WebGPU limit`);
  });

  it('timeouts beyond the range of timers are rejected', () => {
    const create = makeCreate(() => Promise.reject(new Error('none')), {
      spawn: null,
      cores: 1,
      readImage: () => Promise.reject(new Error('none')),
    } as never);
    expect(() => create({ timeoutMs: 2 ** 32 })).toThrow(
      'create: timeoutMs must be a whole number from 1 to 2147483647, not 4294967296'
    );
    expect(() => create({ timeoutMs: 2 ** 31 - 1 })).not.toThrow();
  });

  it('shader limits are integers with known names', () => {
    const create = makeCreate(() => Promise.reject(new Error('none')), {
      spawn: null,
      cores: 1,
      readImage: () => Promise.reject(new Error('none')),
    } as never);
    expect(() => create({ shaderLimits: { constants: 0 } })).toThrow(
      'create: shaderLimits.constants must be a whole number greater than 0, not 0'
    );
    expect(() => create({ shaderLimits: { text: 1 } as never })).toThrow('create: shaderLimits: unknown member "text"');
    expect(() => create({ shaderLimits: 3 as never })).toThrow('create: shaderLimits must be an object');
  });

  it('sizes beyond the address space are out of memory', () => {
    const allocator = new Allocator(createMemory(1), 64, 2 ** 40);
    for (const bytes of [2 ** 32, 2 ** 33]) {
      expect(() => allocator.allocate(bytes, 'texture "huge"')).toThrow(OutOfMemoryError);
      expect(() => allocator.allocatePages(bytes, 'texture "huge"')).toThrow(OutOfMemoryError);
    }
  });
});
