// Runs small scripts on build/index.js in separate processes, written as a user would.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const INDEX = new URL('../../build/index.js', import.meta.url).href;
/**
 * A script that takes longer hangs. The limit is generous: only hanging scripts reach it, and test files run in
 * parallel.
 */
const PATIENCE_MS = 40_000;

/**
 * The beginning of every script. `workers` are the living threads that the package has started: the class Worker is
 * observed before the package is imported.
 */
const PRELUDE = `
import threads from 'node:worker_threads';
import { syncBuiltinESMExports } from 'node:module';
const workers = new Set();
threads.Worker = class extends threads.Worker {
  constructor(...args) {
    super(...args);
    workers.add(this);
    this.on('exit', () => workers.delete(this));
  }
};
syncBuiltinESMExports();
const { create } = await import(${JSON.stringify(INDEX)});
const say = (what) => console.log(JSON.stringify(what));
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const COVER = '@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {'
  + ' return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1); }';
const RED = 'return vec4f(1, 0, 0, 1);';
// Endless, by a number that no compiler knows.
const ENDLESS = 'var x = p.x; loop { x += 1.0; if (x < 0.0) { break; } if (x > 1e6) { x = 1.0; } } return vec4f(x);';
// A fraction of a second a frame.
const SLOW = 'var x = 0.0; for (var i = 0; i < 8000; i++) { x = x * 0.5 + p.y; } return vec4f(1, 0, 0, x);';
async function open(options) {
  const adapter = await create(options).requestAdapter();
  return adapter.requestDevice({ requiredFeatures: ['statistics'] });
}
/** A device on which workers render already. */
async function openReady(options) {
  const device = await open(options);
  while (device.statistics().workers < options.threads) await pause(1);
  return device;
}
/** Submits a frame of 256×256 pixels; gives a function that reads its first pixel. */
function submit(device, body = RED) {
  const module = device.createShaderModule(
    { code: COVER + '@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {' + body + '}' });
  const pipeline = device.createRenderPipeline(
    { layout: 'auto', vertex: { module }, fragment: { module, targets: [{ format: 'rgba8unorm' }] } });
  const texture = device.createTexture({ size: [256, 256], format: 'rgba8unorm', usage: 17 });
  const buffer = device.createBuffer({ size: 1024 * 256, usage: 9 });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass(
    { label: 'the pass', colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }] });
  pass.setPipeline(pipeline);
  pass.draw(3);
  pass.end();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 1024 }, [256, 256]);
  device.queue.submit([encoder.finish()]);
  return async () => {
    await buffer.mapAsync(1);
    const pixel = [...new Uint8Array(buffer.getMappedRange(), 0, 4)];
    buffer.unmap();
    return pixel;
  };
}
const draw = (device, body) => submit(device, body)();
`;

export interface Ended {
  /** The values passed to \`say\`, in order. */
  readonly said: readonly unknown[];
  /** Exit code; null if the process was killed because it ran for too long. */
  readonly code: number | null;
  /** Milliseconds from its last output to its end. */
  readonly lastedMs: number;
  readonly stderr: string;
}

/** Runs an ECMAScript module to its end. */
export function runProgram(body: string): Promise<Ended> {
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', PRELUDE + body], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let spoke = performance.now();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    spoke = performance.now();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    let ended = spoke;
    child.on('exit', () => {
      ended = performance.now();
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({
        said: stdout
          .split('\n')
          .filter(Boolean)
          .map((line): unknown => JSON.parse(line)),
        code,
        lastedMs: ended - spoke,
        stderr,
      });
    });
  });
}
