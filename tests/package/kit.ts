// The package as npm would install it, in a separate folder, with a script that draws.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly files: readonly string[] };

/**
 * Draws a small picture twice: the second time when both workers have started or after `turns` waits of 20 ms. Returns
 * the picture's checksum and the number of workers.
 */
const DRAW = `
export async function draw(create, { GPUBufferUsage, GPUTextureUsage, GPUMapMode }, { turns = 1000, ...options } = {}) {
  const adapter = await create({ threads: 2, ...options }).requestAdapter();
  const device = await adapter.requestDevice({ requiredFeatures: ['statistics'] });
  const module = device.createShaderModule({ code: \`
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i & 1) * 2 - 1, f32(i >> 1) * 2 - 1, 0, 1);
    }
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      return vec4f(sqrt(p.x / 64), p.y / 64, 0.5, 1);
    }
    \` });
  const format = 'rgba8unorm';
  const pipeline = device.createRenderPipeline(
    { layout: 'auto', vertex: { module }, fragment: { module, targets: [{ format }] } });
  const texture = device.createTexture(
    { size: [64, 64], format, usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC });
  const buffer = device.createBuffer({ size: 64 * 256, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  let sum = 0;
  for (let frame = 0; frame < 2; frame++) {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass(
      { colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.draw(3);
    pass.end();
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, [64, 64]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    sum = new Uint8Array(buffer.getMappedRange()).reduce((all, byte) => (all * 31 + byte) >>> 0, 0);
    buffer.unmap();
    for (let turn = 0; frame === 0 && turn < turns && device.statistics().workers < 2; turn++)
      await new Promise((done) => setTimeout(done, 20));
  }
  const { workers } = device.statistics();
  device.destroy();
  return { sum, workers };
}
`;
const MAIN = `
import { create, globals } from 'rasterloom';
import { draw } from './draw.js';
globalThis.drawn = (options) => draw(create, globals, options).catch((error) => String(error));
`;
const NODE = `${MAIN}
console.log(JSON.stringify(await globalThis.drawn(JSON.parse(process.argv[2] ?? '{}'))));
`;
const NODE_COMMON = NODE.replace(/console\.log.*/, (line) => `(async () => { ${line} })();`);
/** A page with an empty icon, because browsers would request one. */
export const page = (script: string): string => `<!doctype html><link rel="icon" href="data:,"><body>${script}</body>`;

/** The output of a script: a picture's checksum, or an error message. */
export type Drawn = { readonly sum: number; readonly workers: number } | string;

/** A folder with node_modules/rasterloom, which contains exactly the files listed in package.json. */
export class Project {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'rasterloom-')));

  constructor() {
    for (const name of ['package.json', ...manifest.files])
      this.copy(join(ROOT, name), `node_modules/rasterloom/${name}`);
    for (const name of ['draw.js', 'draw.mjs']) this.write(name, DRAW);
    this.write('main.js', MAIN);
    this.write('node.mjs', NODE);
    this.write('node-common.mjs', NODE_COMMON);
    this.write('index.html', page('<script type="module" src="main.js"></script>'));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Files of the installed package. */
  built(name: string): string {
    return this.path(`node_modules/rasterloom/build/${name}`);
  }

  write(name: string, contents: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), contents);
  }

  copy(from: string, to: string): void {
    mkdirSync(dirname(this.path(to)), { recursive: true });
    cpSync(from, this.path(to));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
  '.html': 'text/html',
};
/** Headers that allow a page to share memory with workers. */
export const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};
/** Headers that allow other origins to load files from here. */
export const FOR_OTHERS = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** Serves a folder. Missing files are answered with its page, like servers of single-page applications do. */
export async function serve(folder: string, headers: Record<string, string>): Promise<{ url: string; server: Server }> {
  const server = createServer(({ url = '/' }, response) => {
    const path = join(folder, new URL(url, 'http://x').pathname);
    const file = existsSync(path) && statSync(path).isFile() ? path : join(folder, 'index.html');
    response
      .writeHead(200, { ...headers, 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' })
      .end(readFileSync(file));
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}
