// npm run bench streamed
// Measures streamed textures.
//
// (a) A trilinear loop over a fully resident streamed texture, over the same with a plain texture, by format and
// filter; and (`kinds`) other kinds of reads of one format.
//
// (b) A frame that misses 200 pages of 5 ms each, over the minimum possible time: the longest chain of dependent loads,
// or all loads divided by the number of concurrent loads, plus the frame with resident pages.
//
// (c) A thumbnail of the helmet from tiled files, in separate processes, over the same from whole images. Left out
// without ../shared/assets.
//
// The exit code is 1 if a limit is missed.
//
//   MS      milliseconds per side of (a) (4000)
//   ROUNDS  frames of (b) and processes of (c) (21)
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { globals } from '../../build/index.js';
import { chooseNames } from '../support/arguments.mjs';
import { openDevice } from '../support/device.mjs';
import { createLimitChecker } from '../support/limits.mjs';
import { keep, median, medianInterval, roundTo } from '../support/machine.mjs';
import { compare } from '../support/pairs.mjs';
import { progress, say } from '../support/progress.mjs';

const { GPUTextureUsage } = globals;
const forMs = Number(process.env.MS ?? 4000);
const ROUNDS = Number(process.env.ROUNDS ?? 21);
const RESIDENT_LIMIT = 1.3;
const STALL_LIMIT = 1.3;
const TIME_LIMIT = 0.6;
const MEMORY_LIMIT = 0.4;
const TEXELS_LIMIT = 0.1;
const device = await openDevice({ features: ['streamed-textures', 'statistics'] });
const { checkLimit, missed } = createLimitChecker();
const target = 'rgba8unorm';
const round = roundTo(3);
const roundFigure = roundTo(1);

/** A frame with one full-screen triangle. `read` returns the colour for `uv`, 0 … 1. */
function frameOf({ map, width, height, read, sampler = {} }) {
  const module = device.createShaderModule({
    code: `
    @group(0) @binding(0) var map: texture_2d<f32>;
    @group(0) @binding(1) var linear: sampler;
    struct Seen { @builtin(position) position: vec4f, @location(0) uv: vec2f }
    @vertex fn vs(@builtin(vertex_index) i: u32) -> Seen {
      let corner = vec2f(f32(i & 1u), f32(i >> 1u)) * 2;
      return Seen(vec4f(corner.x * 2 - 1, 1 - corner.y * 2, 0, 1), corner);
    }
    @fragment fn fs(seen: Seen) -> @location(0) vec4f {
      let uv = seen.uv;
      ${read}
    }`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: target }] },
  });
  const view = device
    .createTexture({
      format: target,
      size: [width, height],
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    })
    .createView();
  const bound = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [
      { binding: 0, resource: map.createView() },
      { binding: 1, resource: device.createSampler(sampler) },
    ],
  });
  return async () => {
    const began = performance.now();
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bound);
    pass.draw(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return performance.now() - began;
  };
}

/** Bytes of a page or level; a texel always has the same bytes. */
function texelsOf(level, left, top, [width, height], bytes) {
  const texels = new Uint8Array(width * height * bytes);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      for (let byte = 0; byte < bytes; byte++) {
        let hash = Math.imul(left + column, 0x9e3779b1) ^ Math.imul(top + row, 0x85ebca6b);
        hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) + level * 5 + byte;
        // Mask upper bytes of half floats, so that the values are numbers from 0 to 1.
        texels[(row * width + column) * bytes + byte] = (hash >>> 8) & (bytes > 4 && byte % 2 ? 0x3b : 255);
      }
  return texels;
}

const SIDE = 1024;
const LEVELS = 11;
const levelSize = (level) => [SIDE >> level, SIDE >> level];
const FORMATS = { rgba8unorm: 4, 'rgba8unorm-srgb': 4, rg8unorm: 2, r8unorm: 1, rgba16float: 8 };
const FILTERS = { trilinear: { magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' }, nearest: {} };

function maps(format) {
  const bytes = FORMATS[format];
  const members = { format, size: [SIDE, SIDE], mipLevelCount: LEVELS };
  const plain = device.createTexture({ ...members, usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST });
  for (let level = 0; level < LEVELS; level++)
    device.queue.writeTexture(
      { texture: plain, mipLevel: level },
      texelsOf(level, 0, 0, levelSize(level), bytes),
      { bytesPerRow: (SIDE >> level) * bytes },
      levelSize(level)
    );
  const pageSize = 128;
  const streamed = device.createTexture({
    ...members,
    usage: GPUTextureUsage.TEXTURE_BINDING,
    stream: {
      pageSize,
      maxConcurrentLoads: 64,
      loadPage: (level, x, y) =>
        texelsOf(
          level,
          x * pageSize,
          y * pageSize,
          levelSize(level).map((size) => Math.min(pageSize, size)),
          bytes
        ),
    },
  });
  return { streamed, plain };
}

/** Eight reads per pixel, at 0.7 to 2.45 texture widths across the picture. */
const LOOP = `
  var sum = vec4f();
  for (var i = 0; i < 8; i++) {
    let f = f32(i);
    sum += textureSample(map, linear, uv * (0.7 + 0.25 * f) + vec2f(0.013, 0.027) * f);
  }
  return sum * 0.125;`;

/** A loop of eight reads of one level. `read` may use the index `i`, and coordinates `at` of the pixel or random. */
const loopOf = (read, at = 'uv * 1.5 + vec2f(0.013, 0.027) * f32(i)') => `
  var sum = vec4f();
  var seed = (u32(seen.position.x) * 0x9e3779b1u) ^ (u32(seen.position.y) * 0x85ebca6bu);
  for (var i = 0u; i < 8; i++) {
    let at = ${at};
    sum += ${read};
    seed = seed * 1664525u + 1013904223u;
  }
  return sum * 0.125;`;
/** Other kinds of reads: a sampler, and the WGSL of a fragment's reads. */
const KINDS = {
  'one trilinear sample': ['trilinear', 'return textureSample(map, linear, uv * 1.5);'],
  bilinear: ['trilinear', loopOf('textureSampleLevel(map, linear, at, 0)')],
  gather: ['trilinear', loopOf('textureGather(1, map, linear, at)')],
  'nearest of one level': ['nearest', loopOf('textureSampleLevel(map, linear, at, 0)')],
  random: [
    'nearest',
    loopOf('textureSampleLevel(map, linear, at, 0)', 'vec2f(f32(seed >> 22), f32((seed >> 12) & 1023)) / 1024'),
  ],
};

async function resident(rows) {
  for (const format of Object.keys(FORMATS))
    for (const filter of Object.keys(FILTERS))
      await compareResident(rows, format, filter, {
        filter,
        read: LOOP,
        ...(filter === 'trilinear' ? { limit: RESIDENT_LIMIT } : {}),
      });
}

async function kinds(rows) {
  for (const [kind, [filter, read]] of Object.entries(KINDS))
    await compareResident(rows, 'rgba8unorm', kind, { filter, read });
}

async function compareResident(rows, format, name, { filter, read, ...limit }) {
  const all = maps(format);
  const what = `${format}, ${name}: streamed and all there over plain`;
  const sampler = { ...FILTERS[filter], addressModeU: 'repeat', addressModeV: 'repeat' };
  const sides = Object.fromEntries(
    Object.entries(all).map(([side, map]) => [side, frameOf({ map, width: 1024, height: 768, read, sampler })])
  );
  const { ms, pairs, ratios } = await compare(sides, { forMs, warmMs: 300, onPair: (n) => progress(n, 0, what) });
  rows.push(checkLimit(what, ratios.streamed, { ...limit, ms, pairs }));
  for (const map of Object.values(all)) map.destroy();
}

const PAGE = 64;
const COLUMNS = 20;
const ROWS = 10;
const PAGE_MS = 5;
/** The WGSL of each read, and the number of loads that depend on each other. */
const STALLS = {
  'a read': { chain: 1, read: 'return textureSample(map, linear, uv);' },
  'a read that depends on another': {
    chain: 2,
    read: `
    let first = textureSampleLevel(map, linear, uv, 0);
    return textureSampleLevel(map, linear, fract(uv + 0.5 + first.xy * 0.01), 0);`,
  },
};

async function stalls(rows) {
  for (const [name, { chain, read }] of Object.entries(STALLS))
    for (const maxConcurrentLoads of [8, 32]) {
      const ratios = [];
      const stalled = [];
      const bounds = [];
      const frames = [];
      let pages = 0;
      const setting = `200 pages of ${PAGE_MS} ms, ${maxConcurrentLoads} at a time`;
      const what = `${setting}, ${name}: a frame over waiting and drawing`;
      for (let k = 0; k < ROUNDS; k++) {
        progress(k, ROUNDS, what);
        let loads = 0;
        let took = 0;
        const map = device.createTexture({
          format: 'rgba8unorm',
          size: [COLUMNS * PAGE, ROWS * PAGE],
          usage: GPUTextureUsage.TEXTURE_BINDING,
          stream: {
            pageSize: PAGE,
            maxConcurrentLoads,
            loadPage: async (level, x, y) => {
              const texels = texelsOf(level, x * PAGE, y * PAGE, [PAGE, PAGE], 4);
              const began = performance.now();
              loads++;
              await wait(PAGE_MS);
              took += performance.now() - began;
              return texels;
            },
          },
        });
        const frame = frameOf({
          map,
          width: COLUMNS * PAGE,
          height: ROWS * PAGE,
          read,
          sampler: { magFilter: 'linear', minFilter: 'linear' },
        });
        const late = await frame();
        const there = [];
        for (let i = 0; i < 3; i++) there.push(await frame());
        // Timers fire late, so the measured time per page counts and not the nominal one.
        const bound = Math.max(chain, loads / maxConcurrentLoads) * (took / loads) + median(there);
        pages = loads;
        ratios.push(late / bound);
        stalled.push(late);
        bounds.push(bound);
        frames.push(median(there));
        map.destroy();
      }
      const ms = { late: round(median(stalled)), bound: round(median(bounds)), resident: round(median(frames)) };
      rows.push(checkLimit(what, medianInterval(ratios).map(round), { limit: STALL_LIMIT, pages, ms }));
    }
}

const CLI = fileURLToPath(new URL('../../build/cli.js', import.meta.url));
const HELMET = fileURLToPath(new URL('../../../shared/assets/DamagedHelmet.glb', import.meta.url));
const USAGE = fileURLToPath(new URL('./streamed-usage.mjs', import.meta.url));

/** Returns the milliseconds and the peak MiB of a process of the command line. */
function command(...args) {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', USAGE, CLI, ...args], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`rasterloom ${args.join(' ')} failed: ${stderr.slice(-500)}`);
  const ms = performance.now() - began;
  const mib = Number(/most memory: (\d+) KiB/.exec(stderr)[1]) / 1024;
  return { ms, mib, stdout };
}

function thumbnail(rows) {
  if (!existsSync(HELMET)) {
    say('The helmet’s thumbnail is left out: ../shared/assets/DamagedHelmet.glb is not there');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'rasterloom-streamed-'));
  const tiles = join(folder, 'tiles');
  const [late, whole] = ['late.png', 'whole.png'].map((name) => join(folder, name));
  try {
    const images = JSON.parse(command('tile', HELMET, '-o', tiles, '--json').stdout);
    const common = ['render', HELMET, '--size', '256x256'];
    const streaming = ['--stream', tiles];
    const found = [];
    for (let k = 0; k < ROUNDS; k++) {
      progress(k, ROUNDS, 'the helmet at 256 × 256');
      const sides = [() => command(...common, '-o', late, ...streaming), () => command(...common, '-o', whole)];
      const [a, b] =
        k % 2
          ? sides.map((side) => side())
          : sides
              .toReversed()
              .map((side) => side())
              .toReversed();
      found.push({ streamed: a, whole: b });
    }
    if (!readFileSync(late).equals(readFileSync(whole))) throw new Error('the two pictures differ');
    const { streams } = JSON.parse(command(...common, '-o', late, ...streaming, '--json').stdout);
    const texels = (images.reduce((sum, { width, height }) => sum + width * height, 0) * 4) / 3;
    const of = (figure) => ({
      streamed: roundFigure(median(found.map(({ streamed }) => streamed[figure]))),
      whole: roundFigure(median(found.map((each) => each.whole[figure]))),
    });
    const ratio = (figure) =>
      medianInterval(found.map(({ streamed, whole: all }) => streamed[figure] / all[figure])).map(round);
    const of256 = 'the helmet at 256 × 256 from tiles over from whole images';
    rows.push(
      checkLimit(`${of256}, time`, ratio('ms'), { limit: TIME_LIMIT, ms: of('ms') }),
      checkLimit(`${of256}, memory`, ratio('mib'), { limit: MEMORY_LIMIT, mib: of('mib') }),
      checkLimit('the helmet at 256 × 256, share of texels that are loaded', [round(streams.pageBytes / 4 / texels)], {
        limit: TEXELS_LIMIT,
        pages: streams.pagesLoaded,
      })
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const results = { resident: [], kinds: [], stalls: [], thumbnail: [] };
const parts = { resident, kinds, stalls, thumbnail };
const chosen = chooseNames('part', Object.keys(parts));
for (const name of chosen) await parts[name](results[name]);
device.destroy();
if (chosen.length === Object.keys(parts).length) keep('streamed', { results });
console.log(missed.length ? `\nnot reached: ${missed.join('; ')}` : '\nall limits are reached');
process.exit(missed.length ? 1 : 0);
