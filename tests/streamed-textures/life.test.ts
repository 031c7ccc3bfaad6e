// The life of a pass while it waits for pages, when pages fail, and when their texture is destroyed.
import { afterEach, describe, expect, test } from 'vitest';
import type { MissingPages } from '../../src/index';
import type { CreateOptions } from '../support/options';
import { delayedSource, open, pageOf, streamed, turn, whole, type Open } from './kit';
import { draw, type Scene } from './scenes.kit';
import { GPUBufferUsage } from '../support/flags';
import { bytesOf, Gate, PAGE, SCENE, settled, SETTINGS, TEXELS } from './life.kit';

describe.each(Object.entries(SETTINGS))('with %s', (_, options) => {
  let opened: Open | null = null;
  const start = async (more: CreateOptions = {}): Promise<Open> => (opened = await open({ ...options, ...more }));
  afterEach(() => {
    opened?.device.destroy();
    opened = null;
  });
  const expected = (): Promise<Uint8Array> => draw(opened!.device, whole(opened!.device, TEXELS), SCENE, 1);

  test('a pass that waits for pages leaves the event loop free, stops time and requests each page once', async () => {
    const { device, errors } = await start({ timeoutMs: 200 });
    const gate = new Gate();
    const asked = new Set<string>();
    const all = await expected();
    const map = streamed(device, TEXELS, { loadPage: gate.loadPage, pageSize: PAGE, maxConcurrentLoads: 6 });
    const picture = draw(device, map, SCENE, 1);
    let rounds = 0;
    await turn(500);
    while (!(await settled(picture))) {
      expect(gate.waiting.length).toBeLessThanOrEqual(6);
      expect(gate.waiting.length).toBeGreaterThan(0);
      for (const { name } of gate.waiting) {
        expect(asked.has(name)).toBe(false);
        asked.add(name);
      }
      gate.letGo();
      rounds++;
    }
    expect(errors).toEqual([]);
    expect(Buffer.compare(await picture, all)).toBe(0);
    expect(rounds).toBeGreaterThan(1);
  }, 30_000);

  test('a page that does not arrive delays its own tiles only', async () => {
    const { device } = await start();
    let held: (() => void) | null = null;
    let later = 0;
    const isHeld = (level: number, x: number, y: number): boolean => level === 0 && x === 4 && y === 3;
    const look = { scale: 0.45, offset: [0.5, 0.5], angle: 0 } as const;
    const scene: Scene = { ...SCENE, kind: 'level', draws: [{ look, blends: false, discards: false }] };
    const map = streamed(
      device,
      { ...TEXELS, levels: 1 },
      {
        pageSize: PAGE,
        loadPage: (level, x, y, layer) => {
          if (held) later++;
          return isHeld(level, x, y)
            ? new Promise((resolve) => {
                held = () => resolve(bytesOf(level, x, y, layer));
              })
            : bytesOf(level, x, y, layer);
        },
      }
    );
    const picture = draw(device, map, scene, 1);
    await turn(300);
    expect(held).not.toBe(null);
    // Pages requested after it arrived anyway.
    expect(later).toBeGreaterThan(0);
    expect(device.statistics().streams.pagesLoaded).toBe(device.statistics().streams.pagesRequested - 1);
    held!();
    const all = await draw(device, whole(device, { ...TEXELS, levels: 1 }), scene, 1);
    expect(Buffer.compare(await picture, all)).toBe(0);
  }, 30_000);

  test.each(['wait', 'resident'] as const)('each pass requests a failing page once (late: %s)', async (late) => {
    const { device, errors } = await start();
    const asked = new Map<string, number>();
    const map = streamed(device, TEXELS, {
      pageSize: PAGE,
      late,
      loadPage: (level, x, y, layer) => {
        if (level > 2) return bytesOf(level, x, y, layer);
        const name = [level, x, y, layer].join();
        asked.set(name, (asked.get(name) ?? 0) + 1);
        return Promise.reject(new Error('the disk is gone'));
      },
    });
    for (let pass = 1; pass <= 3; pass++) {
      await draw(device, map, SCENE, 1);
      for (let isUnderWay = true; isUnderWay; await turn(5)) {
        const { pagesRequested, pagesLoaded, pagesFailed, pagesCancelled } = device.statistics().streams;
        isUnderWay = pagesRequested > pagesLoaded + pagesFailed + pagesCancelled;
      }
      expect(errors.length).toBe(late === 'wait' ? pass : 0);
      expect(Math.max(...asked.values())).toBe(pass);
    }
  });

  test('failing pages are named in an error, and the device continues', async () => {
    const { device, errors } = await start();
    let fails:
      'throws' | 'rejects' | 'silent' | 'bare' | 'short' | 'never' | 'detached' | 'type' | 'getter' | 'proxy' | null =
      'throws';
    const map = streamed(device, TEXELS, {
      pageSize: PAGE,
      timeoutMs: 40,
      loadPage: (level, x, y, layer) => {
        if (level > 2 || !fails) return bytesOf(level, x, y, layer);
        if (fails === 'throws') throw new Error('the disk is gone');
        if (fails === 'rejects') return Promise.reject(new TypeError('no such tile'));
        if (fails === 'silent') return Promise.reject();
        const no = (): never => {
          throw new Error('never seen');
        };
        if (fails === 'getter')
          return Promise.reject({
            get message() {
              return no();
            },
          });
        if (fails === 'proxy') return Promise.reject(new Proxy({}, { has: no, get: no, getPrototypeOf: no }));
        if (fails === 'bare') return Promise.reject(Object.create(null));
        if (fails === 'detached') {
          const bytes = bytesOf(level, x, y, layer);
          structuredClone(bytes.buffer, { transfer: [bytes.buffer as ArrayBuffer] });
          return bytes;
        }
        if (fails === 'short') return bytesOf(level, x, y, layer).subarray(4);
        return fails === 'type' ? ('texels' as unknown as Uint8Array) : new Promise(() => undefined);
      },
    });
    for (const [way, message] of [
      ['throws', 'the disk is gone'],
      ['rejects', 'no such tile'],
      ['silent', 'no reason was given'],
      ['getter', 'the reason cannot be read'],
      ['proxy', 'the reason cannot be read'],
      ['bare', 'an object'],
      ['detached', 'the result of loadPage is detached: its memory has been transferred'],
      ['short', 'loadPage returned 16380 bytes, but 64×64 texels of rgba8unorm are 16384 bytes'],
      ['never', 'no answer in 40 ms'],
      ['type', 'the result of loadPage must be an ArrayBuffer or a view of one'],
    ] as const) {
      fails = way;
      await draw(device, map, SCENE, 1);
      const [told = ''] = errors.splice(0);
      expect(told).toMatch(/^render pass "flight" failed: \[Texture "map"\]: page \(\d, \d\) of level \d /);
      expect(told).toContain('could not be loaded: ');
      expect(told).toContain(message);
    }
    fails = null;
    expect(Buffer.compare(await draw(device, map, SCENE, 1), await expected())).toBe(0);
    expect(errors).toEqual([]);
    expect(device.statistics().streams.pagesFailed).toBeGreaterThan(4);
  }, 30_000);

  test('a fallback color replaces failing pages', async () => {
    const { device, errors } = await start();
    const map = streamed(device, TEXELS, {
      pageSize: PAGE,
      fallback: [1, 0.5, 0, 1],
      loadPage: () => Promise.reject(new Error('gone')),
    });
    const picture = await draw(device, map, { ...SCENE, kind: 'level' }, 1);
    expect(errors).toEqual([]);
    const middle = (70 * 200 + 100) * 4;
    expect([...picture.subarray(middle, middle + 3)]).toEqual([255, 128, 0]);
  }, 30_000);

  test('destroy() aborts loads and fails the pass that waits for them', async () => {
    const { device, errors } = await start();
    const gate = new Gate();
    const before = device.statistics().memory.bytesUsed;
    const map = streamed(device, TEXELS, { loadPage: gate.loadPage, pageSize: PAGE });
    const picture = draw(device, map, SCENE, 1);
    await turn(200);
    const { waiting } = gate;
    expect(waiting.length).toBeGreaterThan(0);
    map.destroy();
    for (const { signal } of waiting) expect(signal.aborted).toBe(true);
    await picture;
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/\[Texture "map"\] was destroyed while the pass was waiting for \d+ of its pages/);
    gate.letGo();
    await device.queue.onSubmittedWorkDone();
    await turn(20);
    expect(device.statistics().streams.pageBytes).toBe(0);
    // Nothing remains allocated: a second pass like it needs no more memory than the first.
    const after = device.statistics().memory.bytesUsed;
    for (let i = 0; i < 3; i++) {
      const other = streamed(device, TEXELS, { loadPage: gate.loadPage, pageSize: PAGE });
      other.destroy();
    }
    await device.queue.onSubmittedWorkDone();
    expect(device.statistics().memory.bytesUsed).toBeLessThanOrEqual(after);
    expect(after).toBeGreaterThanOrEqual(before);
  }, 30_000);

  test('destroying a device aborts loads', async () => {
    const { device } = await start();
    const gate = new Gate();
    const picture = draw(device, streamed(device, TEXELS, { loadPage: gate.loadPage, pageSize: PAGE }), SCENE, 1);
    const failed = picture.then(
      () => false,
      () => true
    );
    await turn(200);
    device.destroy();
    expect(await failed).toBe(true);
    for (const { signal } of gate.waiting) expect(signal.aborted).toBe(true);
  }, 30_000);

  test('a budget smaller than the pages of one quad is an error that says so', async () => {
    const { device, errors } = await start();
    const map = streamed(
      device,
      { ...TEXELS, levels: 1 },
      { pageSize: 16, budget: 1100, loadPage: (level, x, y, layer) => pageOf(TEXELS, 16, level, x, y, layer) }
    );
    await draw(device, map, { ...SCENE, kind: 'level' }, 1);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/one quad of a triangle reads \d+ bytes of pages, but stream.budget has only 1100/);
  }, 30_000);

  test('pages are evicted when the device runs short of memory', async () => {
    const { device, errors } = await start({ memoryBudget: 96e6 });
    const pageBytes = PAGE * PAGE * 4 + 32;
    const room = 24;
    const scenes = [0, 0.3, 0.6, 0.1].map((at): Scene => ({
      ...SCENE,
      draws: [{ look: { scale: 0.4, offset: [at, 1 - at], angle: at }, blends: false, discards: false }],
    }));
    const map = whole(device, TEXELS);
    const all: Uint8Array[] = [];
    for (const scene of scenes) all.push(await draw(device, map, scene, 1));
    map.destroy();
    const paged = streamed(device, TEXELS, { pageSize: PAGE, loadPage: delayedSource(TEXELS, PAGE, [1]) });
    await device.queue.onSubmittedWorkDone();
    const { bytesBudget, bytesUsed } = device.statistics().memory;
    // Memory of a picture other than its pages was allocated for the first pictures.
    const taken = device.createBuffer({
      size: (bytesBudget - bytesUsed - 1e6 - room * pageBytes) & -4,
      usage: GPUBufferUsage.COPY_DST,
    });
    for (const [i, scene] of scenes.entries())
      expect(Buffer.compare(await draw(device, paged, scene, 1), all[i]!)).toBe(0);
    const { pagesEvicted, pagesFailed } = device.statistics().streams;
    expect({ pagesFailed, some: pagesEvicted > 0 }).toEqual({ pagesFailed: 0, some: true });
    const { memory } = device.statistics();
    const free = memory.bytesBudget - memory.bytesUsed;
    const more = device.createBuffer({ size: (free + 5 * pageBytes) & -4, usage: GPUBufferUsage.COPY_DST });
    await device.queue.onSubmittedWorkDone();
    expect(errors.join()).toBe('');
    expect(device.statistics().streams.pagesEvicted).toBeGreaterThan(pagesEvicted);
    for (const buffer of [taken, more]) buffer.destroy();
  }, 30_000);

  test('best-available mode draws the best resident level and reports missing pages', async () => {
    const { device, errors } = await start();
    const gate = new Gate();
    const missing: MissingPages[] = [];
    gate.isOpen = true;
    const map = streamed(device, TEXELS, {
      pageSize: PAGE,
      late: 'resident',
      onMissing: (report) => {
        missing.push(report);
      },
      loadPage: (level, x, y, layer, signal) =>
        level > 2 ? bytesOf(level, x, y, layer) : gate.loadPage(level, x, y, layer, signal),
    });
    gate.isOpen = false;
    const first = await draw(device, map, SCENE, 1);
    const all = await expected();
    expect(Buffer.compare(first, all)).not.toBe(0);
    expect(missing).toHaveLength(1);
    expect(missing[0]!.pages.length).toBeGreaterThan(3);
    expect(await settled(missing[0]!.arrived)).toBe(false);
    gate.isOpen = true;
    gate.letGo();
    // The reported pages, and those that are found missing after they arrived.
    let frame = first;
    for (let count = 0; count < 10 && missing.length > 0; count++) {
      await missing.pop()!.arrived;
      missing.length = 0;
      frame = await draw(device, map, SCENE, 1);
    }
    expect(Buffer.compare(frame, all)).toBe(0);
    expect(errors).toEqual([]);
  }, 30_000);

  test('an onMissing callback that throws is an error that names the texture', async () => {
    const { device, errors } = await start();
    let arrived: Promise<void> | null = null;
    const map = streamed(device, TEXELS, {
      pageSize: PAGE,
      late: 'resident',
      loadPage: (level, x, y, layer) => bytesOf(level, x, y, layer),
      onMissing: (report) => {
        ({ arrived } = report);
        throw new Error('no such list');
      },
    });
    do {
      arrived = null;
      await draw(device, map, SCENE, 1);
      expect(errors.splice(0)).toEqual(arrived ? ['[Texture "map"]: onMissing threw: no such list'] : []);
      await arrived;
    } while (arrived);
    expect(Buffer.compare(await draw(device, map, SCENE, 1), await expected())).toBe(0);
  }, 30_000);

  test('an onMissing callback that rejects is an error as well', async () => {
    const { device, errors } = await start();
    const arrivals: Promise<void>[] = [];
    const map = streamed(device, TEXELS, {
      pageSize: PAGE,
      late: 'resident',
      loadPage: (level, x, y, layer) => bytesOf(level, x, y, layer),
      onMissing: async (report) => {
        arrivals.push(report.arrived);
        await Promise.reject({
          get message() {
            throw new Error('never seen');
          },
        });
      },
    });
    await draw(device, map, SCENE, 1);
    expect(arrivals).toHaveLength(1);
    await arrivals[0];
    await new Promise((later) => setTimeout(later, 5));
    expect(errors).toEqual(['[Texture "map"]: onMissing rejected: the reason cannot be read']);
  }, 30_000);
});
