// --timeout and --memory, as a user gives them.
import { existsSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { Workshop } from '../program';

const workshop = new Workshop();
afterAll(() => workshop.remove());

describe('rasterloom render with limits', () => {
  it('ends a model that takes too much memory, and renders the others', async () => {
    const jobs = [
      { sample: true, output: 'a.png', size: '16x16' },
      { sample: true, output: 'b.png', size: '8192x8192', samples: 16 },
      { sample: true, output: 'c.png', size: '16x16' },
    ];
    workshop.write('jobs.jsonl', jobs.map((job) => JSON.stringify(job)).join('\n'));
    const words = [
      'render',
      '--jobs',
      'jobs.jsonl',
      '--memory',
      '256',
      '--timeout',
      '600',
      '--threads',
      '1',
      '--quiet',
    ];
    expect(await workshop.run(...words)).toEqual({
      code: 1,
      out: '',
      err:
        'rasterloom: sample: All processes together took more than 256 MiB, most of them this model; '
        + 'raise --memory, or lower --parallel.\n',
    });
    expect(['a.png', 'b.png', 'c.png'].map((name) => existsSync(workshop.path(name)))).toEqual([true, false, true]);
  }, 60_000);

  it('ends a model that takes too long', async () => {
    expect(await workshop.run('render', '--sample', '-o', 'late.png', '--timeout', '0.001')).toEqual({
      code: 5,
      out: '',
      err: 'rasterloom: sample: It took longer than 0.001 s; raise --timeout, or make the picture smaller.\n',
    });
    expect(existsSync(workshop.path('late.png'))).toBe(false);
  });

  it.each([
    [['--timeout', '0'], '--timeout must be a number of seconds from 0.001 to 86400, not "0".'],
    [
      ['--memory', '256', '--parallel', '2'],
      '--memory must be a whole number of MiB from 512 to 9999999 for --parallel 2',
    ],
    [['--memory', 'much'], '--memory must be a whole number of MiB from 256'],
    [['--timeout', '9', '-o', '-'], '--timeout and --memory render in processes of their own'],
  ])('refuses %s', async (words, why) => {
    const { code, err } = await workshop.run('render', '--sample', '-o', 'x.png', ...words);
    expect(code).toBe(2);
    expect(err).toContain(why);
  });
});
