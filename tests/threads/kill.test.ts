// Events that end a device or take away its workers, at each step. The result is the correct picture, or a lost device
// with its reason. The process exits normally, and only WebGPU errors are thrown. Also an event that must end nothing:
// a suspended process.
import { describe, expect, test } from 'vitest';
import { runProgram } from './process.kit';

/** Returns what a script said, after it has exited normally. */
async function said(body: string): Promise<readonly unknown[]> {
  const { code, stderr, said: words } = await runProgram(body);
  expect({ code, stderr: stderr.replace(/^Rasterloom: worker threads are unavailable.*\n/, '') }).toEqual({
    code: 0,
    stderr: '',
  });
  return words;
}

/** Workers run this before the package's own script, whose URL is `script`. */
const workersWith = (before: string): string => `
  threads.Worker = class extends threads.Worker {
    constructor(url, options) {
      super('const script = ' + JSON.stringify(String(url)) + ';' + ${JSON.stringify(before)},
        { ...options, eval: true });
    }
  };
  syncBuiltinESMExports();`;

/** Draws until the device is lost, or three pictures are correct; reports the outcome. */
const OUTCOME = `
  async function outcome(device) {
    let lost = null;
    device.lost.then(({ reason, message }) => { lost = reason + ': ' + message; });
    for (let i = 0; i < 3; i++) {
      try {
        const [red] = await draw(device);
        if (red !== 255) return 'a wrong picture';
      } catch ({ name }) {
        await pause(1);
        return name + ', ' + lost;
      }
      await pause(60);
    }
    return 'red';
  }`;

test('workers that throw, sooner or later: a picture, or a lost device with its reason', async () => {
  const outcomes = await said(`${OUTCOME}
    ${workersWith(`
      const { add } = Atomics;
      let left = Number(process.env.BOOM_AFTER);
      Atomics.add = (...args) => { if (left-- <= 0) throw new Error('boom'); return add(...args); };
      import(script);`)}
    // The first is when it says that it is there, the others when it claims work.
    for (const after of [0, 1, 2, 3, 5, 9, 17, 33]) {
      process.env.BOOM_AFTER = after;
      const device = await open({ threads: 2 });
      for (const until = performance.now() + 3000; device.statistics().workers < 2 && performance.now() < until
        && after > 0;)
        await pause(1);
      say(await outcome(device));
    }`);
  expect(outcomes).toHaveLength(8);
  for (const outcome of outcomes)
    expect(outcome).toMatch(
      /^red$|^AbortError, unknown: (internal error in a worker|a worker thread has ended).*boom/s
    );
  expect(outcomes.filter((outcome) => outcome !== 'red').length).toBeGreaterThan(2);
});

test('workers whose file never loads: the calling thread draws, and the process exits', async () => {
  expect(
    await said(`${OUTCOME}
    ${workersWith('setInterval(() => undefined, 1e9);')}
    const device = await open({ threads: 2 });
    say([await outcome(device), device.statistics().workers]);`)
  ).toEqual([['red', 0]]);
});

test('memory that cannot grow, at any step: a picture, an error or a lost device', async () => {
  const outcomes = (await said(`${OUTCOME}
    const { grow } = WebAssembly.Memory.prototype;
    for (let steps = 0; steps < 10; steps++) {
      let left = steps;
      WebAssembly.Memory.prototype.grow = function (pages) {
        if (pages > 0 && left-- <= 0) throw new RangeError('WebAssembly.Memory.grow(): Unable to grow instance memory');
        return grow.call(this, pages);
      };
      try {
        const device = await open({ threads: steps % 2 * 2 }), told = [];
        device.onuncapturederror = (event) => {
          event.preventDefault();
          told.push(event.error.constructor.name + ' ' + event.error.message);
        };
        const drawn = await outcome(device);
        say([drawn, told[0] ?? '', told.filter((text) => /report it|Cannot read|internal error/.test(text))]);
        device.destroy();
      } catch (error) { say([error.name + ' ' + error.message, '', []]); }
    }`)) as [string, string, string[]][];
  expect(outcomes).toHaveLength(10);
  for (const [outcome, told, bugs] of outcomes) {
    expect(bugs).toEqual([]);
    // If resources cannot be allocated, nothing is drawn, and an error was reported.
    if (outcome === 'a wrong picture') expect(told).toMatch(/^GPUOutOfMemoryError /);
    else expect(outcome).toMatch(/^red$|memory|^(Abort|Operation)Error/i);
  }
  expect(outcomes.at(-1)![0]).toBe('red');
});

describe.each([0, 2])('with %d workers', (threads) => {
  test('destroy() at every await: each promise settles as WebGPU specifies', async () => {
    const rounds = (await said(`
      const AWAITS = 9;
      for (let at = 0; at < AWAITS; at++) {
        const device = await open({ threads: ${threads} }), names = [];
        let count = 0;
        const next = async (promise) => {
          if (count++ === at) device.destroy();
          try { await promise; names.push('kept'); } catch ({ name }) { names.push(name); }
        };
        device.pushErrorScope('validation');
        const module = device.createShaderModule(
          { code: COVER
          + '@fragment fn fs() -> @location(0) vec4f { return vec4f(1); } @compute @workgroup_size(1) fn c() {}' });
        await next(module.getCompilationInfo());
        await next(device.createRenderPipelineAsync(
          { layout: 'auto', vertex: { module }, fragment: { module, targets: [{ format: 'rgba8unorm' }] } }));
        await next(device.createComputePipelineAsync({ layout: 'auto', compute: { module } }));
        await next(device.popErrorScope());
        const read = submit(device, SLOW.replace('8000', '2000'));
        await next(device.queue.onSubmittedWorkDone());
        await next(read());
        await next(draw(device));
        const buffer = device.createBuffer({ size: 16, usage: 9 });
        await next(buffer.mapAsync(1));
        await next(Promise.resolve(device.queue.submit([])));
        device.destroy();
        say([at, names, (await device.lost).reason]);
      }`)) as [number, string[], string][];
    expect(rounds.map(([at]) => at)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    for (const [at, names, reason] of rounds) {
      expect(reason).toBe('destroyed');
      expect(names).toHaveLength(9);
      for (const name of names) expect(['kept', 'AbortError', 'OperationError', 'GPUPipelineError']).toContain(name);
      // Before the destruction, all promises are fulfilled.
      expect(names.slice(0, at)).toEqual(Array(at).fill('kept'));
    }
  });

  test('a process suspended for longer than a shader may run continues', async () => {
    expect(
      await said(`
      const { spawn } = await import('node:child_process');
      const device = await openReady({ threads: ${threads}, timeoutMs: 2000 });
      device.lost.then(({ message }) => say(message));
      await draw(device, SLOW);
      let stopped = false;
      spawn('sh', ['-c', 'sleep 0.2; kill -STOP ' + process.pid + '; sleep 2.7; kill -CONT ' + process.pid],
        { stdio: 'ignore' })
        .on('exit', () => { stopped = true; });
      let right = 0, longest = 0;
      while (!stopped) {
        const before = performance.now();
        right = (await draw(device, SLOW))[0];
        longest = Math.max(longest, performance.now() - before);
      }
      say([right, longest > 2300]);`)
    ).toEqual([[255, true]]);
  });
});
