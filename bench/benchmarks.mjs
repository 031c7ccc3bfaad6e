// All benchmarks, in one table: the command `npm run bench` starts them, and the help and the tables of
// docs/internals/benchmarks.md show them. Each is a module of this folder that runs in a process of its own.
//
//   name     the argument of `npm run bench`
//   module   the file, relative to this folder; its first comment explains arguments and environment variables
//   minutes  duration on a machine with two cores
//   what     what it measures, and `against`: what that is compared with
//   takes    arguments, as usage
//   needs    what must be installed or given; see NEEDS
//   first    arguments that always come first, and `flags`: options of Node

/** What a benchmark needs, as the help says it. */
export const NEEDS = {
  peers: '../shared/peers and its packages',
  build: 'the build of another commit',
  gallery: 'a checkout of an engine',
  chromium: 'Chromium',
  redis: 'redis-server',
  network: 'the npm registry',
  viewers: 'F3D, an X server, Chromium and model-viewer',
};

const row = (name, module, minutes, what, against, more = {}) => ({ name, module, minutes, what, against, ...more });

const rendering = [
  row(
    'short',
    'short.mjs',
    3,
    'A short form of everything below, which ends in one table; the same as no name',
    'scalar kernels, the interpreter, one thread, llvmpipe',
    { takes: '[part …]' }
  ),
  row('scenes', 'run.mjs', 1, 'Frames per second of the [benchmark scenes](#scenes) by samples', 'one thread', {
    first: ['scenes'],
    takes: '[scene …]',
  }),
  row(
    'draws',
    'render/draws.mjs',
    2,
    'JavaScript time and bytes of draw calls, bundles and dispatches; frames of up to 10,000 draw calls',
    'one thread, llvmpipe'
  ),
  row('work', 'render/work.mjs', 3, 'Cost of layers, samples and small triangles', 'one layer, one sample, llvmpipe', {
    takes: '[part …]',
  }),
  row('surfaces', 'render/surfaces.mjs', 3, 'Compressed multisampled surfaces', 'uncompressed ones', {
    takes: '[part …]',
  }),
  row(
    'shading-rate',
    'render/shading-rate.mjs',
    3,
    'Frames and fragment invocations at coarse shading rates',
    'the rate of one pixel',
    { takes: '[part …]' }
  ),
  row(
    'blend',
    'render/blend.mjs',
    2,
    'Blending in shaders; fragment stages per pixel, sample set and sample',
    'blend states, one stage',
    { takes: '[part …]' }
  ),
  row(
    'modular',
    'render/modular.mjs',
    2.5,
    'Modular pipelines: single stages, chains, geometry stages, enabled slots, a material as a table',
    'plain pipelines',
    { takes: '[part …]' }
  ),
  row(
    'everything',
    'everything/everything.mjs',
    7,
    '[The cost of every single feature](#costs-of-single-features)',
    'the most similar common feature, other engines',
    { takes: '[word …]' }
  ),
];

const others = [
  row(
    'peers',
    'peers.mjs',
    5,
    'Six scenes of `../shared/peers`, or the benchmark scenes with `--own`, and how similar the pictures are',
    'SwiftShader, llvmpipe',
    { takes: '[-- --own] [scene,scene]', needs: ['peers'] }
  ),
  row(
    'costs',
    'costs/costs.mjs',
    10,
    '[The cost map](#cost-map): nanoseconds per pixel of full-screen passes, each with another operation',
    'llvmpipe, SwiftShader',
    { takes: '[word …]', needs: ['peers'] }
  ),
  row(
    'search',
    'search/search.mjs',
    10,
    '[Random configurations](#search-for-slow-content) of which this package is slower, and what they share',
    'llvmpipe or SwiftShader',
    { takes: '[kinds | count [seed]]', needs: ['peers'] }
  ),
  row(
    'gallery',
    'gallery/gallery.mjs',
    90,
    '[The pages of a gallery](#gallery), such as 214 of three.js: what stops each, time, pictures, hashes',
    'SwiftShader, llvmpipe',
    { takes: '../three.js', needs: ['gallery', 'peers'] }
  ),
  row(
    'three',
    'three/three.mjs',
    40,
    '45 scenes of three.js: frames 1, 10, 30 to 60, with `FRAMES=300` also 240 to 300; processor time; pictures',
    'llvmpipe, SwiftShader',
    { takes: '[scene,scene]', needs: ['peers'] }
  ),
  row(
    'three-first',
    'three/first.mjs',
    25,
    'First frames of 45 scenes of three.js in new processes, less the time of three.js; `CACHE=1` adds caches',
    'llvmpipe, SwiftShader',
    { takes: '[scene,scene [../old/build/index.js …]]', needs: ['peers'] }
  ),
  row(
    'compute-peers',
    'compute/compute-peers.mjs',
    5,
    'Compute shaders of realistic sizes',
    'SwiftShader, llvmpipe, plain JavaScript',
    { takes: '[program …]', needs: ['peers'] }
  ),
  row('front-end-peers', 'shaders/front-end-peers.mjs', 1, 'Creating a shader module', 'Dawn', { needs: ['peers'] }),
];

const shaders = [
  row('kernels', 'run.mjs', 1, '[Hot loops](#hot-loops) of the kernels', 'scalar twins, plain TypeScript', {
    first: ['kernels'],
    takes: '[word …]',
  }),
  row(
    'jit',
    'shaders/jit.mjs',
    3,
    '[Compiled shaders](#compiled-shaders); compile times; cycles of builtin functions and texture reads',
    'interpreted shaders',
    { takes: '[part | scene …]' }
  ),
  row(
    'front-end',
    'shaders/front-end.mjs',
    3,
    'Compile time per kilobyte of WGSL, by the shape of the shader',
    'limits',
    { takes: '[shape …]' }
  ),
  row('front-end-limits', 'shaders/front-end-limits.mjs', 2, 'Compile time of the longest real shaders', 'limits'),
  row(
    'compute',
    'compute/compute.mjs',
    2,
    'Seven compute shaders',
    'the interpreter, scalar kernels, plain JavaScript',
    { takes: '[program …]' }
  ),
];

const starting = [
  row(
    'start',
    'run.mjs',
    0.5,
    'From the start of a process to its first picture, with and without a shader cache',
    'SwiftShader',
    { first: ['start'] }
  ),
  row(
    'first',
    'start/first-frames.mjs',
    3,
    'First frames, and how long they block the calling thread',
    'later frames',
    { takes: '[scene …]' }
  ),
  row('command', 'start/command.mjs', 1, 'The time of `rasterloom render` by its parts', 'another build', {
    takes: '../old/build [model.glb …]',
    needs: ['build'],
  }),
  row(
    'sooner',
    'start/sooner.mjs',
    1,
    'Whether shaders and the first picture of a process are ready sooner',
    'another build',
    { takes: '../old/build', needs: ['build'] }
  ),
  row(
    'page',
    'start/page.mjs',
    3,
    'The first picture of a page of three.js in Chromium',
    'an empty and a filled shader cache',
    { needs: ['chromium'] }
  ),
  row('threads', 'scheduling/threads.mjs', 0.5, 'Frames on all threads', 'one thread', { takes: '[scene …]' }),
  row(
    'scaling',
    'scheduling/scaling.mjs',
    3,
    '[Predicted speed-up with 1 to 64 workers](#scaling), and what limits it at 16',
    'a measurement with two threads',
    { takes: '[scene …]' }
  ),
  row(
    'distribution',
    'scheduling/distribution.mjs',
    5,
    'Tile sharing: pictures of few tiles, and frames of many',
    'one worker'
  ),
  row('processing-order', 'scheduling/processing-order.mjs', 2, 'Order-independent draws', 'the same draws in order'),
  row(
    'queued',
    'scheduling/queued.mjs',
    0.5,
    '10,000 queued frames: memory, frames per second, and latency of the last one',
    'no workers',
    { takes: '[frames]' }
  ),
];

const pages = [
  row(
    'compressed',
    'streaming/compressed.mjs',
    2,
    'Compressed textures, decoded as a whole or in pages; memory',
    'uncompressed ones'
  ),
  row(
    'streamed',
    'streaming/streamed.mjs',
    3,
    'Streamed textures whose pages are resident, and frames that wait for pages',
    'plain textures, the least possible time'
  ),
  row(
    'scheduler',
    'scheduling/scheduler.mjs',
    4,
    'What the scheduler for missing pages costs if none is missing, and what it gains if some are',
    'no scheduler',
    { takes: '[scene …]' }
  ),
];

const robustness = [
  row(
    'pictures',
    'pictures/same-bits.mjs',
    8,
    '73 scenes of three.js and 23 of Babylon.js as picture tests, 20 times under load with 0 to 4 workers',
    'each other: one hash per scene',
    { takes: '[scene,scene]' }
  ),
  row('soak', 'soak.mjs', 1, 'Memory and threads over 10,000 frames and 400 devices', 'limits'),
  row(
    'farm',
    'farm/local.mjs',
    2,
    'A hundred pictures in two warm processes of the farm; memory; what hostile modules cost their neighbours',
    'two processes of the command'
  ),
  row(
    'farm-memory',
    'farm/memory.mjs',
    5,
    'Resident memory of the farm over 10,000 pictures, among them 1 % of modules that allocate without end',
    'a limit of 2 GiB'
  ),
  row(
    'farm-overhead',
    'farm/overhead.mjs',
    2,
    "Processor time of a worker's own process and of Redis for a job that renders nothing",
    'a picture of 256×256 pixels',
    { needs: ['redis'] }
  ),
  row(
    'farm-faults',
    'farm/faults.mjs',
    60,
    'Every output of three workers, of which workers and Redis are killed; `--jobs 300 --rounds 1` takes 2 min',
    'the expected outputs',
    { takes: '[-- --jobs 10000 --rounds 3]', needs: ['redis'] }
  ),
  row(
    'gltf',
    'gltf/knights.mjs',
    1,
    'A hundred pictures of a small model in one process, each loaded, drawn and encoded; memory',
    'three.js, a kept model',
    { flags: ['--expose-gc'] }
  ),
  row(
    'models',
    'gltf/models.mjs',
    20,
    'Outcomes and contact sheets of glTF models of 32 public packages and repositories',
    "gltf-validator's verdicts",
    { takes: '[-- --only TEXT] [--parallel N]', needs: ['network'] }
  ),
  row(
    'viewers',
    'gltf/viewers.mjs',
    15,
    'Pictures of 20 models by the command: time, memory, and whether something is drawn',
    'F3D, `<model-viewer>` in Chromium',
    { takes: '[a.glb …]', needs: ['viewers'] }
  ),
  row('hostile', 'hostile/hostile.mjs', 6, 'Time and memory for hostile inputs, each in a separate process', 'limits', {
    takes: '[word …]',
  }),
  row(
    'fuzz',
    'hostile/fuzz.mjs',
    16,
    'Attempts, failures and memory of each [fuzz target](twins-and-oracles.md#fuzzing) in a minute',
    'no failure'
  ),
];

const together = [
  row(
    'against',
    'against.mjs',
    2,
    '[Whether this build is slower](#is-this-build-slower-than-another-one), and whether it draws the same bits',
    'another build',
    { takes: '../old/build [scene …]', needs: ['build'] }
  ),
  row(
    'all',
    'all.mjs',
    150,
    '[Everything that `bench/results` holds](#where-figures-are-stored), one after the other',
    'their limits',
    { takes: '[-- --continue]', needs: ['peers'] }
  ),
  row('report', 'run.mjs', 0.1, 'Draws the report of `bench/results` again, without measuring', 'nothing', {
    first: ['report'],
  }),
];

/** The groups of the help and of the documentation, in order. */
export const GROUPS = {
  Rendering: rendering,
  'Other implementations': others,
  'Shaders and compute': shaders,
  'Starting and scheduling': starting,
  'Textures in pages': pages,
  Robustness: robustness,
  'Builds and reports': together,
};

export const BENCHMARKS = Object.values(GROUPS).flat();

/** A duration as text: '½ min', '1½ min', '1 h'. */
export function durationText(minutes) {
  if (minutes < 0.5) return `${Math.round(minutes * 60)} s`;
  const [amount, unit] = minutes >= 60 && minutes % 30 === 0 ? [minutes / 60, 'h'] : [minutes, 'min'];
  return `${Math.floor(amount) || ''}${amount % 1 ? '½' : ''} ${unit}`;
}

/** The table of a group, in Markdown. */
export function markdownOf(group) {
  const rows = GROUPS[group].map(({ name, takes, what, against, minutes }) => {
    const usage = ['npm run bench', name, takes].filter(Boolean).join(' ').replaceAll('|', '\\|');
    return `| \`${usage}\` | ${what} | ${against} | ${durationText(minutes)} |`;
  });
  return ['| Command | What it measures | Compared with | Time |', '|---|---|---|---|', ...rows].join('\n');
}
