// Renders broken copies of models, one process per file, beside gltf-validator. Each copy differs from a model that is
// drawn in one place: structure, lengths, indices, numbers, URIs, cycles, or bytes of images and compressed data. The
// changes come from a fixed seed. The command must refuse a copy with a message, or draw it, within the time limit.
//
//   node bench/gltf/broken.mjs a.glb b.glb …
//
// --count N        number of copies (default: 500)
// --parallel N     processes at the same time (default: 1)
//
// The process ends with code 1 after a crash, a hang, or a refusal without a message.
import { Buffer } from 'node:buffer';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { validateBytes } from 'gltf-validator';

const run = promisify(execFile);
const { values: options, positionals } = parseArgs({
  options: { count: { type: 'string' }, parallel: { type: 'string' } },
  allowPositionals: true,
});
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OUT = join(ROOT, 'build/broken');
const COUNT = Number(options.count ?? 500);
const TIME_LIMIT_MS = 60_000;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;
/** Exit codes of the command for an input and a device that do not suffice, and for a picture that shows nothing. */
const REFUSALS = [3, 5, 6];

/** A generator of numbers from 0 to 1 (xorshift32), so that each copy is the same on every machine. */
function generator(seed) {
  let state = (seed + 1) * 0x9e3779b1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

function open(bytes) {
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length).toString());
  return { json, binary: Buffer.from(bytes.subarray(28 + length)) };
}

function pack({ json, binary }) {
  const text = Buffer.from(JSON.stringify(json));
  const chunks = [
    [JSON_CHUNK, Buffer.concat([text, Buffer.alloc(-text.length & 3, 0x20)])],
    [BINARY_CHUNK, Buffer.concat([binary, Buffer.alloc(-binary.length & 3)])],
  ];
  const parts = chunks.flatMap(([type, data]) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(data.length, 0);
    head.writeUInt32LE(type, 4);
    return [head, data];
  });
  const head = Buffer.from('glTF\x02\0\0\0\0\0\0\0', 'latin1');
  head.writeUInt32LE(12 + parts.reduce((sum, { length }) => sum + length, 0), 8);
  return Buffer.concat([head, ...parts]);
}

/** All places in a JSON value: objects or lists, and a key. */
function places(value, accept, path = '', found = []) {
  for (const key of Object.keys(value)) {
    const inner = value[key];
    const name = `${path}/${key}`;
    if (accept(inner, name)) found.push({ holder: value, key, name });
    if (typeof inner === 'object' && inner !== null) places(inner, accept, name, found);
  }
  return found;
}

const STRANGE = [
  -1,
  0,
  1,
  2.5,
  255,
  65535,
  2 ** 31,
  2 ** 53,
  -1e30,
  1e30,
  null,
  true,
  '',
  'NaN',
  [],
  {},
  [0],
  '__proto__',
];
const URIS = [
  '../../../etc/passwd',
  '/etc/passwd',
  'file:///etc/passwd',
  'http://127.0.0.1/x',
  'data:,',
  'a%00b',
  '%',
  '',
];

/** Kinds of changes. Each returns what it changed, or undefined if the model has no such place. */
const CHANGES = {
  value({ json }, pick) {
    const place = pick(places(json, () => true));
    const value = pick(STRANGE);
    place.holder[place.key] = value;
    return `${place.name} = ${JSON.stringify(value)}`;
  },
  removal({ json }, pick) {
    const place = pick(places(json, () => true));
    if (Array.isArray(place.holder)) place.holder.splice(Number(place.key), 1);
    else delete place.holder[place.key];
    return `${place.name} is gone`;
  },
  index({ json }, pick) {
    const place = pick(places(json, (value) => Number.isInteger(value)));
    const value = pick([place.holder[place.key] + 1, place.holder[place.key] + 1000, -1, 2 ** 31]);
    place.holder[place.key] = value;
    return `${place.name} = ${value}`;
  },
  length({ json }, pick) {
    const place = pick(places(json, (_, name) => /(byteLength|byteOffset|byteStride|count)$/.test(name)));
    if (!place) return undefined;
    const value = pick([0, 1, place.holder[place.key] * 2 + 1, place.holder[place.key] - 1, 2 ** 31 - 1, 2 ** 40]);
    place.holder[place.key] = value;
    return `${place.name} = ${value}`;
  },
  cycle({ json }, pick) {
    if (!json.nodes) return undefined;
    const from = Math.floor(pick.random() * json.nodes.length);
    const to = Math.floor(pick.random() * json.nodes.length);
    json.nodes[from].children = [...(json.nodes[from].children ?? []), to, from];
    return `node ${from} has the children ${to} and ${from}`;
  },
  uri({ json }, pick) {
    const item = pick([...(json.buffers ?? []), ...(json.images ?? [])]);
    if (!item) return undefined;
    delete item.bufferView;
    item.uri = pick(URIS);
    return `a URI is ${JSON.stringify(item.uri)}`;
  },
  image({ json, binary }, pick) {
    const views = (json.images ?? []).flatMap(({ bufferView }) => json.bufferViews?.[bufferView] ?? []);
    return spoil(binary, pick(views), pick, 'an image');
  },
  compressed({ json, binary }, pick) {
    const draco = (json.meshes ?? []).flatMap(({ primitives }) =>
      primitives.flatMap(
        ({ extensions }) => json.bufferViews?.[extensions?.KHR_draco_mesh_compression?.bufferView] ?? []
      )
    );
    const meshopt = (json.bufferViews ?? []).flatMap(({ extensions }) => extensions?.EXT_meshopt_compression ?? []);
    return spoil(binary, pick([...draco, ...meshopt]), pick, 'compressed data');
  },
  geometry({ json, binary }, pick) {
    return spoil(binary, pick(json.bufferViews ?? []), pick, 'a buffer view');
  },
  cut({ binary }, pick, file) {
    file.cut = pick.random();
    return binary.length > 0 ? `the file ends after ${(file.cut * 100).toFixed(0)} %` : undefined;
  },
};

/** Replaces bytes of a view of the binary chunk, its first ones more often. */
function spoil(binary, view, pick, what) {
  if (!view || typeof view.byteLength !== 'number') return undefined;
  const start = view.byteOffset ?? 0;
  const reach = pick([16, 64, view.byteLength]);
  const count = pick([1, 4, 64]);
  for (let i = 0; i < count; i++) {
    const at = start + Math.floor(pick.random() * Math.min(reach, view.byteLength));
    if (at < binary.length) binary[at] = Math.floor(pick.random() * 256);
  }
  return `${count} bytes of ${what}`;
}

/** Makes a copy with one change. */
function breakModel(bytes, seed) {
  const random = generator(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  pick.random = random;
  for (let i = 0; i < 20; i++) random();
  const kinds = Object.keys(CHANGES);
  for (;;) {
    const model = open(bytes);
    const file = {};
    const kind = pick(kinds);
    const change = CHANGES[kind](model, pick, file);
    if (change === undefined) continue;
    const packed = pack(model);
    return { kind, change, bytes: file.cut === undefined ? packed : packed.subarray(0, packed.length * file.cut) };
  }
}

async function attempt(seed) {
  const source = positionals[seed % positionals.length];
  const { kind, change, bytes } = breakModel(readFileSync(source), seed);
  const file = join(OUT, `${seed}.glb`);
  const picture = join(OUT, `${seed}.png`);
  writeFileSync(file, bytes);
  const report = await validateBytes(new Uint8Array(bytes), { maxIssues: 100 }).catch(() => undefined);
  const isValid = report?.issues.numErrors === 0;
  const args = [join(ROOT, 'build/cli.js'), 'render', file, '-o', picture, '-s', '64x64', '--samples', '1'];
  let outcome = 'drawn';
  let message = '';
  try {
    const { stderr } = await run(process.execPath, args, { timeout: TIME_LIMIT_MS, killSignal: 'SIGKILL' });
    message = stderr;
  } catch (error) {
    message = String(error.stderr ?? '');
    outcome = error.killed ? 'hang' : REFUSALS.includes(error.code) ? 'refused' : `crash ${error.code ?? error.signal}`;
    if (outcome === 'refused' && (message.trim() === '' || /\n\s+at /.test(message))) outcome = 'crash';
    if (existsSync(picture)) outcome = 'refused with a picture';
  }
  const isFine = outcome === 'drawn' || outcome === 'refused';
  if (isFine) rmSync(file);
  rmSync(picture, { force: true });
  return { seed, source: basename(source), kind, change, isValid, outcome, isFine, message: message.trim() };
}

// For some files the validator throws once more after its promise has settled.
process.on('uncaughtException', (error) => {
  if (!String(error?.stack).includes('gltf_validator')) throw error;
});
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
const results = [];
let next = 0;
await Promise.all(
  Array.from({ length: Number(options.parallel ?? 1) }, async () => {
    while (next < COUNT) {
      const result = await attempt(next++);
      results.push(result);
      const { seed, source, kind, change, isValid, outcome, message } = result;
      const line = message.replaceAll('\n', ' ').slice(0, 200);
      console.error(`${seed} ${outcome}${isValid ? ', valid' : ''}: ${source}, ${kind}: ${change}: ${line}`);
    }
  })
);
writeFileSync(join(OUT, 'broken.json'), JSON.stringify(results, null, 2));
const count = (accept) => results.filter(accept).length;
const summary = {
  files: results.length,
  refused: count(({ outcome }) => outcome === 'refused'),
  drawn: count(({ outcome }) => outcome === 'drawn'),
  validAndRefused: count(({ outcome, isValid }) => outcome === 'refused' && isValid),
  invalidAndDrawn: count(({ outcome, isValid }) => outcome === 'drawn' && !isValid),
  wrong: count(({ isFine }) => !isFine),
};
console.log(JSON.stringify(summary, null, 2));
process.exitCode = summary.wrong === 0 ? 0 : 1;
