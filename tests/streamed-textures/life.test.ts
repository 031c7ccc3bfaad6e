// The life of a pass while it waits for pages, when pages fail, and when their texture is destroyed.
import { afterEach, describe, expect, test } from 'vitest';
import type { MissingPages, TextureStream } from '../../src/index';
import type { CreateOptions } from '../support/options';
import {
  SHARING_COUNTERS,
  SHARED_TILES,
  counted,
  delayedSource,
  open,
  pageOf,
  streamed,
  turn,
  whole,
  type Open,
  type Texels,
} from './kit';
import { draw, type Scene } from './scenes.kit';
import { GPUBufferUsage, GPUTextureUsage } from '../support/flags';

const TEXELS: Texels = { format: 'rgba8unorm', texelBytes: 4, width: 512, height: 512, layers: 1, levels: 10 };
const PAGE = 64;
const SCENE: Scene = {
  width: 200,
  height: 140,
  samples: 1,
  kind: 'implicit',
  sampler: {
    magFilter: 'linear',
    minFilter: 'linear',
    mipmapFilter: 'linear',
    addressModeU: 'repeat',
    addressModeV: 'repeat',
  },
  draws: [{ look: { scale: 0.4, offset: [0.3, 0.2], angle: 0.3 }, blends: false, discards: false }],
};
const bytesOf = (level: number, x: number, y: number, layer: number): Uint8Array =>
  pageOf(TEXELS, PAGE, level, x, y, layer);

/** A source whose pages are delivered when the test releases them. */
class Gate {
  readonly waiting: { readonly name: string; readonly signal: AbortSignal; readonly go: () => void }[] = [];
  isOpen = false;
  loadPage: TextureStream['loadPage'] = (level, x, y, layer, signal) =>
    this.isOpen
      ? bytesOf(level, x, y, layer)
      : new Promise((resolve) => {
          this.waiting.push({ name: `${level} ${x} ${y}`, signal, go: () => resolve(bytesOf(level, x, y, layer)) });
        });
  letGo(): void {
    for (const { go } of this.waiting.splice(0)) go();
  }
}

async function settled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), turn(30).then(() => false)]);
}

const SETTINGS: Record<string, CreateOptions> = {
  'the calling thread': { threads: 0 },
  'two workers': { threads: 2 },
  'three workers at every tile': SHARED_TILES,
};

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
        const { pagesRequested, pagesLoaded, pagesFailed } = device.statistics().streams;
        isUnderWay = pagesRequested > pagesLoaded + pagesFailed;
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

  test('occlusion queries and counters equal those of a resident texture', async () => {
    const { device } = await start();
    const [first] = SCENE.draws;
    const scene = { ...SCENE, draws: [first!, { ...first!, discards: true, blends: true }] };
    const count = (map: GPUTexture): ReturnType<typeof counted> => counted(device, () => draw(device, map, scene, 1));
    const plain = await count(whole(device, TEXELS));
    expect(plain['fragment fs']).toBe(plain['fragmentWarps']);
    const map = streamed(device, TEXELS, { loadPage: delayedSource(TEXELS, PAGE, [1]), pageSize: PAGE });
    const found = await count(map);
    expect(found['tilesReplayed']! + found['tilesParked']!).toBeGreaterThan(0);
    const waiting = ['tilesReplayed', 'tilesParked', 'tilesOverdue', 'warpsParked', 'warpsOvertaken', 'warpsReplayed'];
    for (const name of waiting) expect(plain[name]).toBe(0);
    for (const name of [...waiting, ...SHARING_COUNTERS]) expect(found[name]).toBeGreaterThanOrEqual(0);
    if (options.alwaysShareTiles) expect(found['tilesShared']).toBe(plain['tilesShared']);
    const without = (counts: typeof plain): object =>
      Object.fromEntries(Object.entries(counts).filter(([name]) => ![...waiting, ...SHARING_COUNTERS].includes(name)));
    expect(without(found)).toEqual(without(plain));
  }, 30_000);

  test('invocation counts exclude discarded invocations', async () => {
    const { device } = await start();
    const drawn = async (map: GPUTexture): Promise<Uint8Array> => {
      const counts = device.createTexture({
        size: [SCENE.width, SCENE.height],
        format: 'r32uint',
        usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
      });
      const [first] = SCENE.draws;
      return draw(
        device,
        map,
        {
          ...SCENE,
          draws: [
            { ...first!, blends: true },
            { ...first!, blends: true },
          ],
          invocationCounts: counts,
        },
        1
      );
    };
    const loadPage = delayedSource(TEXELS, PAGE, [1]);
    const expectedCounts = await drawn(whole(device, TEXELS));
    const before = device.statistics().streams.parked;
    const found = await drawn(streamed(device, TEXELS, { loadPage, pageSize: PAGE }));
    expect(Buffer.compare(found, expectedCounts)).toBe(0);
    expect(new Set(new Uint32Array(expectedCounts.buffer))).toContain(2);
    expect(device.statistics().streams.parked).toBeGreaterThan(before);
  }, 30_000);

  test('statistics count waiting work and the pages that it waits for', async () => {
    const { device } = await start();
    const gate = new Gate();
    const scene: Scene = {
      ...SCENE,
      width: 128,
      height: 64,
      kind: 'level',
      sampler: {},
      draws: [{ look: { scale: 0.4, offset: [0.5, 0.5], angle: 0 }, blends: false, discards: false }],
    };
    const flat = { ...TEXELS, levels: 1 };
    const map = streamed(device, flat, { loadPage: gate.loadPage, pageSize: PAGE, maxConcurrentLoads: 100 });
    const picture = draw(device, map, scene, 1);
    const until = async (isSo: () => boolean): Promise<void> => {
      while (!isSo()) await turn(1);
    };
    const streams = (): ReturnType<typeof device.statistics>['streams'] => device.statistics().streams;
    await until(() => streams().stalls.source === 1);
    const { length } = gate.waiting;
    // Two tiles wait for all pages that they read; none has arrived.
    expect(streams()).toMatchObject({
      pagesRequested: length,
      pagesLoaded: 0,
      pagesFailed: 0,
      pagesEvicted: 0,
      parked: 2,
      replayed: 0,
      waiting: 2,
      stalls: { source: 1, loadLimit: 0, room: 0 },
    });
    gate.letGo();
    await picture;
    expect(streams()).toMatchObject({
      pagesRequested: length,
      pagesLoaded: length,
      parked: 2,
      replayed: 2,
      waiting: 0,
      stalls: { source: 1, loadLimit: 0, room: 0 },
    });
    // The same with four loads at a time: other pages take the loads until the last ones are in flight.
    const slow = streamed(device, flat, { loadPage: gate.loadPage, pageSize: PAGE, maxConcurrentLoads: 4 });
    const later = draw(device, slow, scene, 1);
    await until(() => streams().stalls.loadLimit === 1);
    expect(gate.waiting).toHaveLength(4);
    expect(streams().waiting).toBe(2);
    gate.isOpen = true;
    gate.letGo();
    expect(Buffer.compare(await later, await picture)).toBe(0);
    expect(streams()).toMatchObject({ parked: 4, replayed: 4, waiting: 0, pagesLoaded: 2 * length });
  }, 30_000);
});

describe('rejected streamed textures', () => {
  let opened: Open;
  const refusal = async (act: () => void): Promise<string> => {
    opened = await open({ threads: 0 });
    opened.device.pushErrorScope('validation');
    act();
    const error = await opened.device.popErrorScope();
    opened.device.destroy();
    return error?.message ?? '';
  };
  const loadPage: TextureStream['loadPage'] = (level, x, y, layer) => bytesOf(level, x, y, layer);
  const create = (d: Partial<GPUTextureDescriptor>, stream: Partial<TextureStream> = {}): Promise<string> =>
    refusal(() => {
      opened.device.createTexture({
        size: [256, 256],
        format: 'rgba8unorm',
        usage: GPUTextureUsage.TEXTURE_BINDING,
        stream: { loadPage, ...stream },
        ...d,
      } as GPUTextureDescriptor);
    });

  test('invalid descriptors are rejected', async () => {
    expect(await create({ usage: 4 | 2 })).toContain('must have usage TEXTURE_BINDING and no other');
    expect(await create({ format: 'depth32float' })).toContain('an uncompressed colour format');
    expect(await create({ dimension: '1d', size: [256] })).toContain('must be 2d or 3d with sample count 1');
    expect(await create({}, { pageSize: 100 })).toContain('stream.pageSize 100 must be a power of two from 16 to 1024');
    expect(await create({}, { maxConcurrentLoads: 0 })).toContain('stream.maxConcurrentLoads must be at least 1');
    expect(await create({}, { budget: 1000 })).toContain('stream.budget 1000 is less than');
    expect(await create({}, { timeoutMs: 0 })).toContain('stream.timeoutMs 0 must be greater than 0');
    expect(await create({ format: 'rgba8uint' }, { fallback: [0, 0, 0, 1] })).toContain(
      'stream.fallback needs a format'
    );
    expect(await create({ size: [70000, 10] })).toContain('65536');
    expect(await create({ size: [65536, 65536], mipLevelCount: 17 })).toBe('');
  });

  test.each([
    [
      { pagesize: 64 },
      ': unknown member "pagesize"; known members are "loadPage", "pageSize", "maxConcurrentLoads", "budget", '
        + '"late", "onMissing", "timeoutMs", "fallback"',
    ],
    [{ loadPage: 'tiles' }, '.loadPage must be a function, not "tiles"'],
  ])('%j', async (stream, message) => {
    await expect(create({}, stream as object)).rejects.toThrow(
      new TypeError(`createTexture: descriptor.stream${message}`)
    );
    opened.device.destroy();
  });

  test('writes to streamed textures are rejected', async () => {
    expect(
      await refusal(() => {
        const texture = streamed(opened.device, TEXELS, { loadPage });
        opened.device.queue.writeTexture({ texture }, new Uint8Array(4), {}, [1, 1]);
      })
    ).toBe(
      '[Texture "map"] writeTexture: destination [Texture "map"] is streamed: '
        + 'its texels come from stream.loadPage, and only shaders can read them'
    );
  });
});
