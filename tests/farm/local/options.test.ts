// Wrong options of the farm are TypeErrors that name the option.
import { describe, expect, it } from 'vitest';
import { renderMany, WarmPool } from '../../../src/farm';
import { budgetOf, readPoolOptions } from '../../../src/farm/options';
import { MIB } from './kit';

describe('options of the farm', () => {
  it.each([
    [{ concurency: 2 }, 'there is no option concurency. Did you mean concurrency?'],
    [{ concurrency: 0 }, 'concurrency must be a whole number from 1 to 64, not 0'],
    [{ concurrency: 1.5 }, 'concurrency must be a whole number from 1 to 64, not 1.5'],
    [{ concurrency: '2' }, 'concurrency must be a whole number from 1 to 64, not "2"'],
    [{ timeoutMs: -1 }, 'timeoutMs must be a whole number from 1 to 86400000, not -1'],
    [{ memoryBytes: 1 }, 'memoryBytes must be a whole number from 268435456 to 9007199254740991, not 1'],
    [
      { memoryBytes: 512 * MIB, concurrency: 3 },
      'memoryBytes must be at least 256 MiB for each of 3 concurrent jobs, not 536870912',
    ],
    [{ isolate: 'vm' }, "isolate must be 'process' or 'thread', not \"vm\""],
    [{ threads: 0 }, 'threads must be a whole number from 1 to 1024, not 0'],
    [{ modules: ['a.mjs'] }, 'modules must be an object of names with paths, not a list'],
    [{ modules: { a: 3 } }, 'modules.a must be a path or a URL, not 3'],
    [{ backoffMs: -1 }, 'backoffMs must be a whole number from 0 to 3600000, not -1'],
    [{ retries: -1 }, 'retries must be a whole number from 0 to 100, not -1'],
    [{ signal: {} }, 'signal must be an AbortSignal, not an object'],
  ])('refuses %j', (options, message) => {
    expect(() => renderMany([], options as object)).toThrow(new TypeError(`renderMany: ${message}`));
  });

  it('refuses jobs that are not iterable, and options that are no object', () => {
    expect(() => renderMany('jobs' as unknown as [])).toThrow(
      new TypeError('renderMany: the jobs must be an array or another iterable')
    );
    expect(() => new WarmPool(null as unknown as object)).toThrow(
      new TypeError('WarmPool: the options must be an object, not null')
    );
    expect(() => new WarmPool({ retries: 1 } as object)).toThrow(new TypeError('WarmPool: there is no option retries'));
  });

  it('divides threads and memory among the jobs', () => {
    const options = readPoolOptions({ concurrency: 4, threads: 10, memoryBytes: 2000 * MIB });
    expect(options).toMatchObject({ concurrency: 4, threads: 2, timeoutMs: 300_000, isolate: 'process' });
    // Devices and models of all jobs have 80 % together.
    expect(2 * options.concurrency * budgetOf(options)).toBe(1600 * MIB);
    expect(readPoolOptions({ concurrency: 8, threads: 3 }).threads).toBe(1);
  });

  it('starts fewer jobs where memory is short', () => {
    expect(readPoolOptions({ memoryBytes: 600 * MIB }).concurrency).toBe(1);
  });
});
