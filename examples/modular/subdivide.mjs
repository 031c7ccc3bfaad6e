// node examples/modular/subdivide.mjs [model.glb] [subdivided.glb] [--times 1..3] [--stats]
// Subdivides the meshes of a glTF model, by default the sample. A geometry stage splits each triangle into four, along
// curves that follow the normals. The stage occupies one slot for each possible repetition. Stream output writes the
// vertices to a buffer. The output model keeps everything else: materials, textures, skins and animations. Needs `npm
// run build`.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Logger, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { create, globals } from 'rasterloom';
import { printStatistics } from './statistics.mjs';

const { GPUBufferUsage, GPUMapMode } = globals;
const MOST_TIMES = 3;
/** Maximum size in bytes of the output of one pass. */
const PART_BYTES = 32 << 20;
/** Cosine of 40°. A normal farther from the mean normal at its position marks a sharp edge, which is preserved. */
const COS_SHARPEST = 0.766;

class UserError extends Error {}

/**
 * Returns the layout of a primitive's vertices: for each attribute its glTF semantic, accessor, component count and
 * offset in the vertex.
 */
function layoutOf(primitive, name) {
  const parts = [];
  const add = (semantic, accessor, size = accessor.getElementSize()) => {
    if (size > 4)
      throw new UserError(`${semantic} of ${name} is no vector: attributes of up to four numbers are read.`);
    parts.push({ semantic, accessor, size, offset: parts.reduce((sum, part) => sum + part.size, 0) });
  };
  const semantics = primitive.listSemantics();
  if (semantics.includes('JOINTS_1'))
    throw new UserError(`${name} has more than four joints a vertex; export it with four.`);
  for (const semantic of ['POSITION', 'NORMAL'])
    if (semantics.includes(semantic)) add(semantic, primitive.getAttribute(semantic));
  if (semantics.includes('NORMAL')) add('corner', null, 3);
  for (const semantic of semantics)
    if (semantic !== 'POSITION' && semantic !== 'NORMAL') add(semantic, primitive.getAttribute(semantic));
  for (const [i, target] of primitive.listTargets().entries())
    for (const semantic of target.listSemantics()) add(`target ${i} ${semantic}`, target.getAttribute(semantic));
  if (parts.length > 16)
    throw new UserError(
      `${name} has ${parts.length} attributes, with those of its morph targets; 16 can be subdivided.`
    );
  return { parts, floats: parts.at(-1).offset + parts.at(-1).size, key: parts.map((p) => p.semantic + p.size).join() };
}

/** Returns the shader for a layout: the stages that load, split and finish its vertices. */
function shaderOf({ parts }) {
  const has = (semantic) => parts.some((part) => part.semantic === semantic);
  const type = ({ size }) => (size === 1 ? 'f32' : `vec${size}f`);
  const member = ({ semantic }) => `a${parts.findIndex((part) => part.semantic === semantic)}`;
  const [p, n, m, t, j, w] = ['POSITION', 'NORMAL', 'corner', 'TANGENT', 'JOINTS_0', 'WEIGHTS_0'].map((semantic) =>
    has(semantic) ? member({ semantic }) : null
  );
  return `
  enable modular_pipelines;
  struct Vertex { ${parts.map((part, i) => `@location(${i}) a${i}: ${type(part)}`).join(', ')} }

  fn unit(v: vec3f) -> vec3f { return v * inverseSqrt(max(dot(v, v), 1e-30)); }
  fn across(v: vec3f, along: vec3f) -> vec3f { return v - along * (dot(along, v) / max(dot(along, along), 1e-30)); }

  @vertex fn load(v: Vertex) -> Vertex {
    var made = v;
    ${n ? `made.${n} = unit(v.${n});` : ''}
    return made;
  }

  // Half-way between two vertices: of a place, half-way on the cubic curve that leaves both in their tangent planes (a
  // side of a PN triangle). The same bits from both ends, so that the triangles on both sides of an edge still meet.
  fn between(a: Vertex, b: Vertex) -> Vertex {
    var v: Vertex;
    ${parts.map((_, i) => `v.a${i} = (a.a${i} + b.a${i}) * 0.5;`).join('\n    ')}
    ${
      n
        ? `
    let d = b.${p} - a.${p};
    let low = a.${p} + (d - a.${m} * dot(d, a.${m})) / 3;
    let high = b.${p} - (d - b.${m} * dot(d, b.${m})) / 3;
    v.${p} = (a.${p} + b.${p} + 3 * (low + high)) / 8;
    v.${n} = unit(v.${n});
    v.${m} = unit(v.${m});`
        : ''
    }
    ${
      j && w
        ? `
    // The four of both ends' joints that weigh most.
    var joints = array(${[...'ab'].flatMap((v) => [...'xyzw'].map((c) => `${v}.${j}.${c}`)).join(', ')});
    var weights = array(${[...'ab'].flatMap((v) => [...'xyzw'].map((c) => `${v}.${w}.${c}`)).join(', ')});
    for (var i = 4; i < 8; i++) { for (var k = 0; k < 4; k++) {
      if (joints[i] == joints[k]) { weights[k] += weights[i]; weights[i] = 0; }
    } }
    for (var i = 0; i < 4; i++) {
      var most = 0;
      for (var k = 1; k < 8; k++) {
        let isHeavier = weights[k] > weights[most];
        if (isHeavier || (weights[k] == weights[most] && joints[k] < joints[most])) { most = k; }
      }
      v.${w}[i] = max(weights[most], 0);
      v.${j}[i] = select(0, joints[most], v.${w}[i] > 0);
      weights[most] = -1;
    }
    v.${w} /= max(dot(v.${w}, vec4f(1)), 1e-30);`
        : ''
    }
    return v;
  }

  @geometry fn split(v: array<Vertex, 3>) {
    let ab = between(v[0], v[1]);
    let bc = between(v[1], v[2]);
    let ca = between(v[2], v[0]);
    emitVertex(v[0]);
    emitVertex(ab);
    emitVertex(ca);
    emitVertex(bc);
    emitVertex(v[2]);
    endStrip();
    emitVertex(ab);
    emitVertex(v[1]);
    emitVertex(bc);
  }

  // Tangents lie in the surface again.
  @vertex fn finish(v: Vertex) -> Vertex {
    var made = v;
    ${n && t ? `made.${t} = vec4f(unit(across(v.${t}.xyz, v.${n})), select(-1.0, 1.0, v.${t}.w > 0));` : ''}
    return made;
  }`;
}

const STRIP_VERTICES = 8;
const TRIANGLES_AT_MOST = STRIP_VERTICES - 2;

/** Subdivides triangles, given as float vertices, on a device. */
class Subdivider {
  #device;
  #times;
  /** Modular pipelines by layout. */
  tables = new Map();

  constructor(device, times) {
    this.#device = device;
    this.#times = times;
  }

  #tableOf(layout) {
    let table = this.tables.get(layout.key);
    if (table) return table;
    const module = this.#device.createShaderModule({ code: shaderOf(layout) });
    const arrayStride = layout.floats * 4;
    const attributes = layout.parts.map(({ size, offset }, shaderLocation) => ({
      shaderLocation,
      offset: offset * 4,
      format: size === 1 ? 'float32' : `float32x${size}`,
    }));
    const split = { kind: 'geometry', module, entryPoint: 'split', maxVertices: STRIP_VERTICES };
    table = this.#device.createModularPipeline({
      layout: 'auto',
      input: { buffers: [{ arrayStride, attributes }] },
      stages: [
        { kind: 'vertex', module, entryPoint: 'load' },
        ...Array.from({ length: MOST_TIMES }, (_, i) => ({ ...split, enabled: i < this.#times })),
        { kind: 'vertex', module, entryPoint: 'finish' },
      ],
      sinks: [{ buffer: { arrayStride, attributes } }],
    });
    this.tables.set(layout.key, table);
    return table;
  }

  /** `corners`: three vertices per triangle. @returns the vertices of the resulting triangles, in order */
  async run(layout, corners) {
    const device = this.#device;
    const { STORAGE, VERTEX, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const stride = layout.floats * 4;
    const triangles = corners.length / layout.floats / 3;
    const table = this.#tableOf(layout);
    const triangleBytes = 3 * stride * TRIANGLES_AT_MOST ** this.#times;
    const most = Math.max(1, Math.min(triangles, Math.floor(PART_BYTES / triangleBytes)));
    const bufferOf = (size, usage) => device.createBuffer({ size, usage });
    const input = bufferOf(most * 3 * stride, VERTEX | COPY_DST);
    const counts = bufferOf(16, STORAGE | COPY_SRC);
    const made = bufferOf(most * triangleBytes, STORAGE | COPY_SRC);
    const words = 4 ** this.#times * layout.floats * 3; // per input triangle
    const read = bufferOf(16 + most * words * 4, COPY_DST | MAP_READ);
    const subdivided = new Float32Array(triangles * words);
    for (let first = 0; first < triangles; first += most) {
      const count = Math.min(most, triangles - first);
      const at = first * 3 * layout.floats;
      device.queue.writeBuffer(input, 0, corners, at, count * 3 * layout.floats);
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({ colorAttachments: [], size: [1, 1], sampleCount: 1 });
      pass.setPipeline(table);
      pass.setVertexBuffer(0, input);
      pass.setSinkBuffer(made, 0, undefined, counts);
      pass.draw(count * 3);
      pass.end();
      encoder.copyBufferToBuffer(counts, 0, read, 0, 16);
      encoder.copyBufferToBuffer(made, 0, read, 16, count * words * 4);
      device.queue.submit([encoder.finish()]);
      await read.mapAsync(GPUMapMode.READ);
      const [vertices] = new Uint32Array(read.getMappedRange(0, 16));
      if (vertices * layout.floats !== count * words) throw new Error(`${vertices} vertices of ${count} triangles`);
      subdivided.set(new Float32Array(read.getMappedRange(16, count * words * 4)), first * words);
      read.unmap();
    }
    for (const buffer of [input, counts, made, read]) buffer.destroy();
    return subdivided;
  }
}

/** Returns the vertex indices of a primitive's triangles, three per triangle (glTF 2.0 §3.7.2.1). */
function trianglesOf(primitive) {
  const count = primitive.getAttribute('POSITION').getCount();
  const list = primitive.getIndices()?.getArray() ?? Uint32Array.from({ length: count }, (_, i) => i);
  const mode = primitive.getMode();
  if (mode === 4) return list.subarray(0, list.length - (list.length % 3));
  const corners = new Uint32Array(Math.max(0, list.length - 2) * 3);
  for (let i = 0; i + 2 < list.length; i++) {
    const odd = mode === 5 ? i % 2 : 0; // every second triangle of a strip is reversed
    corners.set([list[mode === 6 ? 0 : i], list[i + 1 + odd], list[i + 2 - odd]], i * 3);
  }
  return corners;
}

/**
 * Maps each position of a mesh to the unit normal that its curves use: the mean of its vertices' normals, or none where
 * a normal is far from that mean. Vertices at one position share this normal, whatever their own normals are, so no
 * gaps open.
 */
function normalsOfPositions(mesh) {
  const sums = new Map();
  const unit = (n) => {
    const length = Math.hypot(...n);
    return length > 0 ? n.map((x) => x / length) : [0, 0, 0];
  };
  const each = (visit) => {
    for (const primitive of mesh.listPrimitives()) {
      const [positions, normals] = ['POSITION', 'NORMAL'].map((semantic) => primitive.getAttribute(semantic));
      if (!positions || !normals) continue;
      for (let i = 0; i < positions.getCount(); i++)
        visit(positions.getElement(i, []).join(), unit(normals.getElement(i, [])));
    }
  };
  each((key, n) =>
    sums.set(
      key,
      (sums.get(key) ?? [0, 0, 0]).map((x, c) => x + n[c])
    )
  );
  const means = new Map(Array.from(sums, ([key, sum]) => [key, unit(sum)]));
  const curved = new Map(means);
  each((key, n) => {
    if (means.get(key).reduce((dot, x, c) => dot + x * n[c], 0) < COS_SHARPEST) curved.set(key, [0, 0, 0]);
  });
  return curved;
}

/** Returns the vertices of a primitive's triangles one after another, each with all attributes of the layout. */
function cornersOf(primitive, { parts, floats }, normals, name) {
  const list = trianglesOf(primitive);
  const vertices = primitive.getAttribute('POSITION').getCount();
  const all = new Float32Array(vertices * floats);
  const element = [];
  for (const { semantic, accessor, size, offset } of parts) {
    if (accessor && accessor.getCount() !== vertices)
      throw new UserError(`${name} has ${vertices} positions, but ${accessor.getCount()} of ${semantic}.`);
    for (let i = 0; i < vertices; i++) {
      const value = accessor
        ? accessor.getElement(i, element)
        : normals.get(primitive.getAttribute('POSITION').getElement(i, element).join());
      for (let c = 0; c < size; c++) all[i * floats + offset + c] = value[c];
    }
  }
  const corners = new Float32Array(list.length * floats);
  for (let i = 0; i < list.length; i++) {
    if (list[i] >= vertices) throw new UserError(`${name} has an index out of range: ${list[i]}, of ${vertices}.`);
    corners.set(all.subarray(list[i] * floats, (list[i] + 1) * floats), i * floats);
  }
  return corners;
}

/** Merges vertices with the same bits. @returns an index per vertex, and the positions of the vertices that remain */
function weld(vertices, floats) {
  const words = new Uint32Array(vertices.buffer);
  const count = words.length / floats;
  const mask = 2 ** Math.ceil(Math.log2(count * 2 + 1)) - 1;
  const slots = new Int32Array(mask + 1).fill(-1);
  const indices = new Uint32Array(count);
  const kept = [];
  const isSame = (a, b) => {
    for (let c = 0; c < floats; c++) if (words[a * floats + c] !== words[b * floats + c]) return false;
    return true;
  };
  for (let i = 0; i < count; i++) {
    let hash = 2166136261;
    for (let c = 0; c < floats; c++) hash = Math.imul(hash ^ words[i * floats + c], 16777619) ^ (hash >>> 15);
    let slot = hash & mask;
    while (slots[slot] >= 0 && !isSame(kept[slots[slot]], i)) slot = (slot + 1) & mask;
    if (slots[slot] < 0) slots[slot] = kept.push(i) - 1;
    indices[i] = slots[slot];
  }
  return { indices, kept };
}

/** Replaces the primitive's geometry with the subdivided triangles. */
function replace(document, primitive, { parts, floats }, vertices) {
  const { indices, kept } = weld(vertices, floats);
  const buffer = document.getRoot().listBuffers()[0];
  const old = [primitive.getIndices(), ...parts.map(({ accessor }) => accessor)];
  for (const { semantic, accessor, size, offset } of parts) {
    if (!accessor) continue;
    const array = new (semantic === 'JOINTS_0' ? Uint16Array : Float32Array)(kept.length * size);
    kept.forEach((vertex, i) => {
      for (let c = 0; c < size; c++) array[i * size + c] = vertices[vertex * floats + offset + c];
    });
    const made = document.createAccessor(accessor.getName(), buffer).setType(accessor.getType()).setArray(array);
    const [, target, name] = /^target (\d+) (.*)$/.exec(semantic) ?? [];
    if (target) primitive.listTargets()[target].setAttribute(name, made);
    else primitive.setAttribute(semantic, made);
  }
  const array = kept.length < 65535 ? Uint16Array.from(indices) : indices;
  primitive.setMode(4).setIndices(document.createAccessor('', buffer).setType('SCALAR').setArray(array));
  for (const accessor of old)
    if (accessor && accessor.listParents().every((parent) => parent === document.getRoot())) accessor.dispose();
  return kept.length;
}

async function readModel(file) {
  if (!existsSync(file)) throw new UserError(`The model ${JSON.stringify(file)} does not exist.`);
  const io = new NodeIO().setLogger(new Logger(Logger.Verbosity.SILENT)).registerExtensions(ALL_EXTENSIONS);
  const document = await io.read(file).catch((error) => {
    throw new UserError(`The model ${JSON.stringify(file)} cannot be read: ${error.message ?? error}`);
  });
  const [first, ...others] = document.getRoot().listBuffers(); // a .glb has one buffer
  for (const accessor of document.getRoot().listAccessors()) accessor.setBuffer(first);
  for (const buffer of others) buffer.dispose();
  return { io, document };
}

/** Writes to a temporary file next to the target and renames it, so the file is either complete or absent. */
function writeWhole(file, bytes) {
  const part = `${file}.${process.pid}.part`;
  try {
    writeFileSync(part, bytes, { flag: 'wx' });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw new UserError(`The model ${JSON.stringify(file)} cannot be written: ${error.message}.`);
  }
}

function argumentsOf(words) {
  const usage = 'usage: node examples/modular/subdivide.mjs [model.glb] [subdivided.glb] [--times 1..3] [--stats]';
  const options = { times: { type: 'string', default: '1' }, stats: { type: 'boolean', default: false } };
  try {
    const {
      values: { times, stats },
      positionals,
    } = parseArgs({ args: words, allowPositionals: true, options });
    if (positionals.length > 2) throw new Error(`There are ${positionals.length} files; give it a model and an output`);
    if (!/^[1-3]$/.test(times)) throw new Error(`--times is ${JSON.stringify(times)}; it is 1, 2 or 3`);
    const [model = fileURLToPath(new URL('../sample.glb', import.meta.url)), output = 'subdivided.glb'] = positionals;
    if (!/\.glb$/i.test(output)) throw new Error(`The output ${JSON.stringify(output)} does not end in .glb`);
    return { model, output, times: Number(times), stats };
  } catch (error) {
    throw new UserError(`${error.message.replace(/\.$/, '')}; ${usage}`);
  }
}

async function main(words) {
  const { model, output, times, stats } = argumentsOf(words);
  const { io, document } = await readModel(model);
  const adapter = await create().requestAdapter();
  const device = await adapter.requestDevice({ requiredFeatures: ['modular-pipelines'] });
  device.addEventListener('uncapturederror', ({ error }) => {
    console.error(error.message);
    process.exitCode = 1;
  });
  const subdivider = new Subdivider(device, times);
  const number = (value) => value.toLocaleString('en-US');
  let before = 0;
  let after = 0;
  let vertices = 0;
  for (const [i, mesh] of document.getRoot().listMeshes().entries()) {
    const normals = normalsOfPositions(mesh);
    for (const [k, primitive] of mesh.listPrimitives().entries()) {
      const name = `primitive ${k} of mesh ${i} ${JSON.stringify(mesh.getName())}`;
      if (primitive.getMode() < 4 || !primitive.getAttribute('POSITION')) continue; // skip points and lines
      const layout = layoutOf(primitive, name);
      const corners = cornersOf(primitive, layout, normals, name);
      if (corners.length === 0) continue;
      const subdivided = await subdivider.run(layout, corners);
      before += corners.length / layout.floats / 3;
      after += subdivided.length / layout.floats / 3;
      vertices += replace(document, primitive, layout, subdivided);
    }
  }
  if (before === 0) throw new UserError(`The model ${JSON.stringify(model)} has no triangles.`);
  // Subdivided accessors are no longer quantised.
  const isFloat = (accessor) => accessor.getArray() instanceof Float32Array;
  const positions = document
    .getRoot()
    .listMeshes()
    .flatMap((mesh) => mesh.listPrimitives())
    .map((primitive) => primitive.getAttribute('POSITION'));
  if (positions.every((accessor) => !accessor || isFloat(accessor)))
    document
      .getRoot()
      .listExtensionsUsed()
      .find((used) => used.extensionName === 'KHR_mesh_quantization')
      ?.dispose();
  writeWhole(output, await io.writeBinary(document));
  console.log(`${number(before)} triangles became ${number(after)}, with ${number(vertices)} vertices.`);
  if (stats) for (const table of subdivider.tables.values()) printStatistics(table);
  console.log(`Wrote ${output}.`);
  device.destroy();
}

await main(process.argv.slice(2)).catch((error) => {
  process.exitCode = 1;
  console.error(error instanceof UserError ? `subdivide: ${error.message}` : error);
  process.exit(); // worker threads may still be starting
});
