// When processes exit and when devices are lost, without workers and with two. Tests run small scripts on
// build/index.js in child processes.
import { describe, expect, test } from 'vitest';
import { builtPackage } from '../images/open';
import { runProgram, type Ended } from './process.kit';

const RED = [255, 0, 0, 255];
/** A process without pending work exits within this time, even on a busy machine. */
const PROMPT_MS = 10_000;

/** Returns what a script says that exits normally, without error output. */
async function said(body: string): Promise<readonly unknown[]> {
  const ended = await runProgram(body);
  expect({ code: ended.code, stderr: ended.stderr, said: ended.said }).toMatchObject({ code: 0, stderr: '' });
  return ended.said;
}
function expectPrompt({ code, stderr, lastedMs }: Ended): void {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(lastedMs).toBeLessThan(PROMPT_MS);
}

describe('create({ threads })', () => {
  test.each([
    [-1, '-1'],
    [1.5, '1.5'],
    [65, '65'],
    [NaN, 'NaN'],
    [Infinity, 'Infinity'],
    ['two', '"two"'],
    [null, 'null'],
    [true, 'true'],
    [{}, 'Object'],
  ])('rejects %s, with the valid range', async (threads, shown) => {
    const { create } = await builtPackage();
    expect(() => create({ threads: threads as number })).toThrow(
      new RangeError(`create: threads must be a whole number from 0 (the calling thread renders) to 64, not ${shown}`)
    );
  });

  test('accepts integers from 0 to 64, and starts nothing itself', async () => {
    expect(
      await said(`
      for (const threads of [0, 1, 2, 64, undefined]) create({ threads });
      say(workers.size);`)
    ).toEqual([0]);
  });

  test('starts workers with a device, by default one per core', async () => {
    expect(
      await said(`
      const { availableParallelism } = await import('node:os');
      for (const threads of [0, 1, 3]) {
        const before = workers.size, device = await openReady({ threads });
        say([await draw(device), device.statistics().workers, workers.size >= threads]);
        device.destroy();
      }
      const device = await open({});
      await draw(device);
      while (device.statistics().workers === 0) await pause(1);
      say(device.statistics().workers === availableParallelism());`)
    ).toEqual([[RED, 0, true], [RED, 1, true], [RED, 3, true], true]);
  });
});

test.each([
  ['throws at once', 'throw new Error("no script")', 'no script'],
  ['ends at once', 'process.exit(3)', 'it exited with code 3'],
  ['ends after a while', 'setTimeout(() => process.exit(4), 60)', 'it exited with code 4'],
])('if the script of a worker %s, the calling thread takes over and warns once', async (_, script, why) => {
  const ended = await runProgram(`
    threads.Worker = class extends threads.Worker {
      constructor(url, options) { super(${JSON.stringify(script)}, { ...options, eval: true }); }
    };
    syncBuiltinESMExports();
    const device = await open({ threads: 2 });
    let wrong = 0;
    for (const until = performance.now() + 300; performance.now() < until;)
      wrong += (await draw(device, SLOW))[0] === 255 ? 0 : 1;
    say([wrong, device.statistics().workers]);
    say(await draw(await open({ threads: 1 })));`);
  expect(ended.said).toEqual([[0, 0], RED]);
  expect(ended.stderr.trim().split('\n')).toEqual([
    `Rasterloom: worker threads are unavailable: ${why}. The calling thread renders instead; `
      + 'pictures are the same, but take longer',
  ]);
  expect(ended.code).toBe(0);
});

test('if the engine refuses shared memory, the calling thread draws with the build without it', async () => {
  const ended = await runProgram(`
    const { Memory } = WebAssembly;
    WebAssembly.Memory = class extends Memory {
      constructor(how) { if (how.shared) throw new TypeError('no shared memory'); super(how); }
    };
    const device = await open({ threads: 2 });
    say([await draw(device), await draw(device, SLOW), device.statistics().workers, workers.size]);`);
  expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
  const [[quick, slow, ...counts]] = ended.said as [[number[], number[], number, number]];
  expect([quick, slow.slice(0, 3), counts]).toEqual([RED, [255, 0, 0], [0, 0]]);
});

test('workers start while the caller blocks the event loop', async () => {
  const ended = await runProgram(`
    const device = await open({ threads: 2 });
    while (workers.size < 2) await pause(1);
    const until = performance.now() + 20_000;
    while (device.statistics().workers < 2 && performance.now() < until) submit(device);
    say(device.statistics().workers);
    say(await draw(device));`);
  expect(ended.said).toEqual([2, RED]);
});

test('workers start when a pipeline is created for a large pass, before the event loop runs again', async () => {
  const ended = await runProgram(`
    const device = await open({ threads: 2 });
    const begin = (side) => {
      const target = device.createTexture({ size: [side, side], format: 'rgba8unorm', usage: 16 });
      const colorAttachments = [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }];
      device.createCommandEncoder().beginRenderPass({ colorAttachments });
    };
    const code = '@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }';
    const module = device.createShaderModule({ code });
    const depthStencil = { format: 'depth32float', depthCompare: 'always', depthWriteEnabled: false };
    const started = () => {
      device.createRenderPipeline({ layout: 'auto', vertex: { module }, depthStencil });
      return workers.size;
    };
    const before = started();
    begin(256);
    const small = started();
    begin(257);
    say([before, small, started()]);`);
  expect(ended.said).toEqual([[0, 0, 2]]);
});

test('workers start when a large pass begins on a device that is not new', async () => {
  const ended = await runProgram(`
    const device = await open({ threads: 2 });
    const until = performance.now() + 300;
    while (performance.now() < until);
    const target = device.createTexture({ size: [257, 257], format: 'rgba8unorm', usage: 16 });
    const colorAttachments = [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }];
    const before = workers.size;
    device.createCommandEncoder().beginRenderPass({ colorAttachments });
    say([before, workers.size]);`);
  expect(ended.said).toEqual([[0, 2]]);
});

describe.each([0, 2])('with %d workers', (threads) => {
  test('a process with an idle device exits', async () => {
    const ended = await runProgram(`
      const device = await openReady({ threads: ${threads} });
      say(await draw(device));`);
    expect(ended.said).toEqual([RED]);
    expectPrompt(ended);
  });

  test('a process exits with an unused device, or with workers that are still starting', async () => {
    for (const program of [
      `await openReady({ threads: ${threads} }); say(0);`,
      `await open({ threads: ${threads} }); say(0);`,
      `await open({ threads: ${threads} }); while (workers.size < ${threads}) await pause(1); say(0);`,
      `say(await draw(await open({ threads: ${threads} })));`,
    ])
      expectPrompt(await runProgram(program));
  });

  test('a process stays alive until the promise it awaits is fulfilled, and no longer', async () => {
    const ended = await runProgram(`
      const device = await openReady({ threads: ${threads} });
      const read = submit(device, SLOW), done = device.queue.onSubmittedWorkDone().then(() => say('done'));
      say((await read()).slice(0, 3));
      await done;`);
    expect(ended.said).toEqual(['done', [255, 0, 0]]);
    expectPrompt(ended);
  });

  test('a process stays alive for a promise that is not awaited but has a reaction', async () => {
    const ended = await runProgram(`
      const device = await openReady({ threads: ${threads} });
      submit(device, SLOW);
      submit(device, SLOW)().then((pixel) => say(pixel.slice(0, 3)));`);
    expect(ended.said).toEqual([[255, 0, 0]]);
    expectPrompt(ended);
  });

  test('a thousand consecutive promises are fulfilled, each after its own work', async () => {
    expect(
      await said(`
      const device = await openReady({ threads: ${threads} });
      const buffer = device.createBuffer({ size: 16, usage: 9 }),
        texture = device.createTexture({ size: [1, 1], format: 'r32uint', usage: 17 });
      let right = 0;
      for (let i = 0; i < 1000; i++) {
        const encoder = device.createCommandEncoder();
        encoder.beginRenderPass(
          { colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store',
          clearValue: [i, 0, 0, 0] }] }).end();
        encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, [1, 1]);
        device.queue.submit([encoder.finish()]);
        await buffer.mapAsync(1);
        right += new Uint32Array(buffer.getMappedRange(), 0, 1)[0] === i;
        buffer.unmap();
      }
      say(right);`)
    ).toEqual([1000]);
  });

  test.each(['jit', 'interpreter'])(
    'an endless shader (%s) loses the device with a message, and a new device works',
    async (engine) => {
      const [reading, lost, after] = await said(`
      const device = await openReady({ threads: ${threads}, timeoutMs: 300, engine: '${engine}' });
      await draw(device, ENDLESS).catch(({ name }) => say(name));
      const { reason, message } = await device.lost;
      say({ reason, message });
      say(await draw(await openReady({ threads: ${threads} })));`);
      expect(reading).toBe('AbortError');
      expect(lost).toEqual({
        reason: 'unknown',
        message: expect.stringMatching(
          new RegExp(
            /^the \w+ shader "\w+" of pipeline \(unlabeled\) \(draw 0\) in render pass "the pass" ran /.source
              + /for more than 300 ms: does a loop never end\? \(create\(\{ timeoutMs \}\) sets the /.source
              + /limit\)$/.source
          )
        ),
      });
      expect(after).toEqual(RED);
    }
  );

  test('a process with an endless shader exits soon after the device is lost', async () => {
    expectPrompt(
      await runProgram(`
      const device = await openReady({ threads: ${threads}, timeoutMs: 200 });
      draw(device, ENDLESS).catch(({ name }) => say(name));`)
    );
  });

  test('other devices continue while one is lost', async () => {
    expect(
      await said(`
      const [endless, other] = [await openReady({ threads: ${threads}, timeoutMs: 400 }),
        await openReady({ threads: ${threads} })];
      const never = draw(endless, ENDLESS).catch(({ name }) => name);
      let frames = 0;
      while (frames < 20 && (await draw(other))[0] === 255) frames++;
      say([frames, await never, (await endless.lost).reason, await draw(other)]);`)
    ).toEqual([[20, 'AbortError', 'unknown', RED]]);
  });

  test('destroying a device during frames settles every promise and stops all threads', async () => {
    const ended = await runProgram(`
      const device = await openReady({ threads: ${threads} });
      const reads = Array.from({ length: 5 }, () => submit(device, SLOW)()), done = device.queue.onSubmittedWorkDone();
      const settled = Promise.allSettled(reads);
      await pause(20);
      device.destroy();
      say((await settled).map(({ status, reason }) => [status, reason?.name]));
      say(String(await done));
      say((await device.lost).reason);
      const later = device.createBuffer({ size: 16, usage: 9 });
      say(await later.mapAsync(1).catch(({ name }) => name));
      say(await draw(await openReady({ threads: ${threads} })));`);
    expect(ended.said).toEqual([
      Array.from({ length: 5 }, () => ['rejected', 'AbortError']),
      'undefined',
      'destroyed',
      'AbortError',
      RED,
    ]);
    expectPrompt(ended);
  });

  test('destroying a device ends its endless shader', async () => {
    const ended = await runProgram(`
      const device = await openReady({ threads: ${threads}, timeoutMs: 700 });
      const never = draw(device, ENDLESS).catch(({ name }) => say(name));
      await pause(100);
      device.destroy();
      await never;`);
    expect(ended.said).toEqual(['AbortError']);
    expect(ended.code).toBe(0);
  });

  test('twelve devices in sequence, destroyed or dropped, leave few threads', async () => {
    const [drawn, alive] = await said(`
      let drawn = 0;
      for (let i = 0; i < 12; i++) {
        const device = await openReady({ threads: ${threads} });
        drawn += (await draw(device))[0] === 255;
        if (i % 2 === 0) device.destroy();
        await pause(1);
        globalThis.gc();
      }
      await pause(300);
      globalThis.gc();
      await pause(300);
      say(drawn);
      say(workers.size);`);
    expect(drawn).toBe(12);
    // Some threads wait for the next device; those of the last one may not have been returned yet.
    expect(alive).toBeLessThanOrEqual(8 + threads * 2);
  });

  test('ten devices at the same time', async () => {
    expect(
      await said(`
      const devices = await Promise.all(Array.from({ length: 10 }, () => openReady({ threads: ${threads} })));
      const pixels = await Promise.all(devices.map((device) => draw(device, SLOW.replace('8000', '500'))));
      say(pixels.every(([r, g, b]) => r === 255 && g === 0 && b === 0));`)
    ).toEqual([true]);
  });
});

describe('a worker that dies', () => {
  test('while idle: the next frame loses the device with a message, and a new device works', async () => {
    const [reading, reason, message, after] = await said(`
      const device = await openReady({ threads: 2 });
      await draw(device);
      await [...workers][0].terminate();
      await draw(device).catch(({ name }) => say(name));
      const { reason, message } = await device.lost;
      say(reason);
      say(message);
      say(await draw(await openReady({ threads: 2 })));`);
    expect([reading, reason, after]).toEqual(['AbortError', 'unknown', RED]);
    expect(message).toMatch(/worker/);
  });

  test('in the middle of a frame: the same', async () => {
    const [reading, reason, message, after] = await said(`
      const device = await openReady({ threads: 2 });
      const read = submit(device, SLOW)().catch(({ name }) => say(name));
      await pause(20);
      await [...workers][1].terminate();
      await read;
      const { reason, message } = await device.lost;
      say(reason);
      say(message);
      say(await draw(await openReady({ threads: 2 })));`);
    expect([reading, reason, after]).toEqual(['AbortError', 'unknown', RED]);
    expect(message).toMatch(/worker/);
  });

  test('all workers at startup: the calling thread renders or the device is lost; nothing hangs', async () => {
    const [outcome] = await said(`
      console.warn = () => undefined;
      const device = await open({ threads: 2 });
      while (workers.size < 2) await pause(1);
      for (const worker of workers) worker.terminate();
      say(await Promise.race([draw(device).catch(({ name }) => name), device.lost.then(() => 'AbortError')]));`);
    expect([JSON.stringify(RED), '"AbortError"']).toContain(JSON.stringify(outcome));
  });
});

test('if threads cannot be started, the calling thread renders and warns once', async () => {
  const ended = await runProgram(`
    threads.Worker = class { constructor() { throw new Error('no threads here'); } };
    syncBuiltinESMExports();
    for (let i = 0; i < 2; i++) {
      const device = await open({ threads: 2 });
      // Small pictures call for no workers, but a device that is there for a while does.
      await new Promise((done) => setTimeout(done, 200));
      say([await draw(device), device.statistics().workers]);
    }`);
  expect(ended.said).toEqual([
    [RED, 0],
    [RED, 0],
  ]);
  expect(ended.stderr.match(/no threads here/g)).toHaveLength(1);
  expect(ended.code).toBe(0);
});

test('devices dropped without destroy() keep at most 24 threads, and yield them to active devices', async () => {
  const [most, rights, workersOfOne] = (await said(`
    let most = 0, rights = 0;
    const first = await openReady({ threads: 4 });
    for (let i = 0; i < 16; i++) {
      const device = await open({ threads: 4 });
      rights += (await draw(device))[0] === 255;
      rights += (await draw(device))[0] === 255;
      await pause(20);
      most = Math.max(most, workers.size);
    }
    // The first one has lost its own long ago, and gets others when it draws.
    while (first.statistics().workers < 4) {
      await draw(first, SLOW);
      await pause(20);
    }
    say(most);
    say(rights + ((await draw(first))[0] === 255));
    say(first.statistics().workers);`)) as [number, number, number];
  expect(most).toBeLessThanOrEqual(24);
  expect(most).toBeGreaterThan(12);
  expect([rights, workersOfOne]).toEqual([33, 4]);
});
