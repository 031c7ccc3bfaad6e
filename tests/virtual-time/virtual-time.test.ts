// Virtual time: what it replaces, in which order things happen, and that it waits for loads.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { virtualTime, type VirtualTime, type VirtualTimeOptions } from '../../src/virtual-time';

let time: VirtualTime | undefined;
let server: Server | undefined;
const begin = (options?: VirtualTimeOptions): VirtualTime => (time = virtualTime(options));
afterEach(() => {
  time?.restore();
  time = undefined;
  server?.close();
  server = undefined;
});

/** Answers each path `/name/ms` with `name` after `ms`. */
async function serve(): Promise<string> {
  const slow = createServer((request, response) => {
    const [, name, ms] = request.url!.split('/');
    realTimeout(() => response.end(name), Number(ms));
  });
  server = slow;
  await new Promise<void>((done) => slow.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
}
const realTimeout = setTimeout;

describe('the clock', () => {
  test('stands still until it is advanced', async () => {
    const here = begin({ start: new Date('2024-05-06T07:08:09Z') });
    const before = [new Date().toISOString(), Date.now(), performance.now()];
    expect(before).toEqual(['2024-05-06T07:08:09.000Z', Date.UTC(2024, 4, 6, 7, 8, 9), 0]);
    await new Promise<void>((done) => realTimeout(done, 5));
    expect([new Date().toISOString(), Date.now(), performance.now()]).toEqual(before);
    await here.advance(1500);
    expect([new Date().toISOString(), performance.now()]).toEqual(['2024-05-06T07:08:10.500Z', 1500]);
  });

  test('leaves dates that are given, and their class', () => {
    begin();
    expect(new Date(5).getTime()).toBe(5);
    expect(new Date()).toBeInstanceOf(Date);
    expect(Date.UTC(2000)).toBe(946_684_800_000);
    expect(Date()).toBe(new Date().toString());
    // Programs may replace the clocks by their own.
    const { now } = Date;
    Date.now = () => 7;
    expect(Date.now()).toBe(7);
    Date.now = now;
    class Special extends Date {}
    expect(new Special()).toBeInstanceOf(Special);
    expect(new Special().getTime()).toBe(Date.UTC(2020, 0, 1));
  });

  test('reports a loop that waits for time to pass', () => {
    begin();
    expect(() => {
      while (performance.now() < 5);
    }).toThrow('the clock was read 10000000 times at 0 ms; a loop waits for time to pass, which only advance()');
  });
});

test('random numbers depend on the seed only', () => {
  const numbers = (): number[] => Array.from({ length: 4 }, () => Math.random());
  const here = begin({ seed: 7 });
  const first = numbers();
  here.reseed(7);
  expect(numbers()).toEqual(first);
  here.reseed(8);
  const many = Array.from({ length: 10_000 }, () => Math.random());
  expect(many.slice(0, 4)).not.toEqual(first);
  expect(Math.min(...many)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...many)).toBeLessThan(1);
  expect(many.reduce((sum, x) => sum + x) / many.length).toBeCloseTo(0.5, 1);
});

describe('timers and frames', () => {
  test('run in the order of their times', async () => {
    const here = begin({ frameRate: 50 });
    const events: string[] = [];
    const say = (name: string): void => void events.push(`${name} ${performance.now()}`);
    const repeated = setInterval(say, 15, 'interval');
    setTimeout(say, 20, 'timer');
    setTimeout(say, 0, 'soon');
    const frame = (at: number): void => {
      say(`frame ${here.frame} (${at})`);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    cancelAnimationFrame(requestAnimationFrame(() => say('cancelled')));
    clearTimeout(setTimeout(say, 1, 'cleared'));
    await here.advanceFrames(2);
    expect(events).toEqual(['soon 1', 'interval 15', 'timer 20', 'frame 1 (20) 20', 'interval 30', 'frame 2 (40) 40']);
    clearInterval(repeated);
    await here.advanceToFrame(3);
    expect(events.at(-1)).toBe('frame 3 (60) 60');
    await here.advance(39);
    expect([here.frame, here.now]).toEqual([4, 99]);
    await expect(here.advanceToFrame(2)).rejects.toThrow('frame 2 is in the past; 4 frames were drawn');
  });

  test('a promise chain ends before the next timer', async () => {
    const here = begin();
    const events: string[] = [];
    setTimeout(() => {
      void Promise.resolve()
        .then(() => Promise.resolve())
        .then(() => events.push('chain'));
    }, 1);
    setTimeout(() => events.push('second'), 1);
    await here.advance(1);
    expect(events).toEqual(['chain', 'second']);
  });

  test('an exception of a callback is the one of advanceFrames, and the next frames go on', async () => {
    const here = begin();
    let frames = 0;
    const frame = (): void => {
      requestAnimationFrame(frame);
      if (++frames === 1) throw new Error('broken frame');
    };
    requestAnimationFrame(frame);
    await expect(here.advanceFrames(3)).rejects.toThrow('broken frame');
    await here.advanceFrames(2);
    expect([frames, here.frame]).toEqual([3, 3]);
  });

  test("timers have the members of Node's", async () => {
    const here = begin();
    let runs = 0;
    const timer = setTimeout(() => runs++, 10);
    expect(timer.ref().unref().hasRef()).toBe(true);
    await here.advance(6);
    timer.refresh();
    await here.advance(6);
    expect(runs).toBe(0);
    await here.advance(4);
    expect(runs).toBe(1);
  });
});

describe('loads', () => {
  test('let the clock stand', async () => {
    const url = await serve();
    const here = begin();
    const events: string[] = [];
    const load = async (): Promise<void> => {
      const response = await fetch(`${url}/slow/60`);
      events.push(`${await response.text()} at ${performance.now()}`);
    };
    requestAnimationFrame(() => void load());
    setTimeout(() => events.push('timer'), 17);
    await here.advanceFrames(2);
    expect(events).toEqual([`slow at ${1000 / 60}`, 'timer']);
  });

  test('arrive in the order of the requests', async () => {
    const url = await serve();
    const here = begin();
    const events: string[] = [];
    for (const [name, ms] of [
      ['first', 50],
      ['second', 0],
      ['third', 20],
    ] as const)
      void fetch(`${url}/${name}/${ms}`).then(async (response) => events.push(await response.text()));
    await here.loaded();
    expect(events).toEqual(['first', 'second', 'third']);
    expect(here.now).toBe(0);
  });

  test('can be promises that the application names', async () => {
    const here = begin();
    let loaded = false;
    const promise = new Promise<string>((done) => realTimeout(done, 20, 'value'));
    const held = here.hold(promise, 'a model');
    expect(here.pendingLoads).toEqual(['a model']);
    void held.then(() => (loaded = true));
    await here.advanceFrames(1);
    expect(loaded).toBe(true);
    expect(await held).toBe('value');
    await expect(here.hold(Promise.reject(new Error('no model')))).rejects.toThrow('no model');
    expect(here.pendingLoads).toEqual([]);
  });

  test('let several callers wait at the same time', async () => {
    const here = begin();
    void here.hold(new Promise((done) => realTimeout(done, 20)));
    const all = Promise.all([here.loaded(), here.advanceFrames(1), here.loaded()]).then(() => 'all');
    expect(await Promise.race([all, new Promise((done) => realTimeout(done, 2000, 'not all'))])).toBe('all');
  });

  test('that take too long are named', async () => {
    const url = await serve();
    const here = begin({ loadTimeoutMs: 30 });
    const request = fetch(`${url}/never/300`).catch(() => undefined);
    await expect(here.advanceFrames(1)).rejects.toThrow(
      `virtualTime: nothing was loaded for 30 ms (loadTimeoutMs); still pending: fetch ${url}/never/300`
    );
    await request;
  });
});

describe('virtualTime', () => {
  test('restores everything', async () => {
    const names = ['Date', 'setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'fetch', 'createImageBitmap'];
    const all = (): unknown[] => [
      ...[...names, 'requestAnimationFrame'].map((name) => Object.getOwnPropertyDescriptor(globalThis, name)),
      ...['now', 'timeOrigin'].map((name) => Object.getOwnPropertyDescriptor(performance, name)),
      Object.getOwnPropertyDescriptor(Math, 'random'),
      Object.getOwnPropertyDescriptor(Response.prototype, 'json'),
      Object.getOwnPropertyDescriptor(WebAssembly, 'compile'),
    ];
    const before = all();
    const here = begin();
    expect(Date.now()).toBe(Date.UTC(2020, 0, 1));
    here.restore();
    here.restore();
    expect(all()).toEqual(before);
    await expect(here.advanceFrames(1)).rejects.toThrow('no longer in use after restore()');
    begin();
  });

  test('is used once at a time', () => {
    begin();
    expect(() => virtualTime()).toThrow('virtualTime: it is already in use; call restore() of the first one');
  });

  test.each([
    [{ sede: 1 }, 'virtualTime: unknown option sede; options are start, frameRate, seed, loadTimeoutMs'],
    [{ start: 'today' }, 'virtualTime: start must be a date, not NaN'],
    [{ frameRate: 0 }, 'virtualTime: frameRate must be above 0 and at most 1000, not 0'],
    [{ seed: 0.5 }, 'virtualTime: seed must be an integer of 32 bits, not 0.5'],
    [{ loadTimeoutMs: 0 }, 'virtualTime: loadTimeoutMs must be a positive number'],
  ])('rejects %j', (options, message) => {
    expect(() => virtualTime(options as VirtualTimeOptions)).toThrow(message);
    begin();
  });
});
