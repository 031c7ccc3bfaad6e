// Accesses to the textures, storage buffers, images and surfaces of a random IR program.
import {
  accessOperands,
  isAtomic,
  opInfo,
  ops,
  type OpName,
  type ScalarType,
  type TextureAccess,
  type ValueId,
} from '../../src/ir';
import { COMPARISON_SAMPLER, SAMPLER, SAMPLERS, TEXEL, TEXTURES } from './arbitrary.resources';
import type { Writer } from './arbitrary.writer';

const ATOMICS = (Object.keys(ops) as OpName[]).filter(isAtomic);

/** Coordinates, levels and derivatives: mostly within the range of textures. */
function operand(writer: Writer, type: ScalarType): ValueId {
  if (writer.random.chance(30)) return writer.value(type);
  return type === 'f32'
    ? writer.op('f32.fract', 'f32', [writer.value('f32')])
    : writer.op('int.and', type, [writer.value(type), writer.op('const', type, [], 7)]);
}

/** Reads a texture, or several with the same coordinates. */
export function readTextures(writer: Writer, depth: number): void {
  const { random } = writer;
  const which = random.below(TEXTURES.length);
  const resource = TEXTURES[which]!;
  const isDepth = resource.sampled === 'depth';
  // Implicit levels need derivatives, so they are only for instructions that all lanes reach.
  const modes =
    depth === 0 ? (['implicit', 'bias', 'level', 'grad', 'load'] as const) : (['level', 'grad', 'load'] as const);
  const cubeLoads = resource.dimension === 'cube';
  let mode: TextureAccess['mode'] = random.pick(modes);
  if (mode === 'load' && cubeLoads) mode = 'level';
  const compare = isDepth && mode !== 'load' && random.chance(50);
  const sampler = mode === 'load' ? -1 : compare ? COMPARISON_SAMPLER : SAMPLER;
  const shift = mode !== 'load' && !cubeLoads && random.chance(20);
  const offset = shift
    ? ([random.below(15) - 7, random.below(15) - 7, random.below(15) - 7] as const)
    : ([0, 0, 0] as const);
  const args = accessOperands(resource.dimension, { mode, compare }).map((type) => operand(writer, type));
  const members = which < 2 && random.chance(50) ? [1, 2] : [which + 1];
  for (const texture of members)
    writer.append({
      op: mode === 'load' ? 'texture.load' : 'texture.sample',
      results: writer.results('f32', 'f32', 'f32', 'f32'),
      args,
      imm: 0,
      texture: { mode, texture, sampler, offset, compare },
    });
}

/** Asks for the size of a texture, or the number of its levels, layers or samples. */
export function queryTexture(writer: Writer): void {
  const { random } = writer;
  const imm = 1 + random.below(TEXTURES.length);
  const op = random.pick(['texture.dimensions', 'texture.levels', 'texture.layers', 'texture.samples'] as const);
  if (op !== 'texture.dimensions') return void writer.op(op, 'u32', [], imm);
  const results = writer.results('u32', 'u32', 'u32');
  writer.append({ op, results, args: [random.chance(50) ? writer.uniform('u32') : writer.value('u32')], imm });
}

function accessImage(writer: Writer, imm: number): void {
  const { random } = writer;
  // Often the same texel, sometimes out of bounds.
  const place = [0, 1].map(() =>
    writer.op('int.and', 'i32', [writer.value('i32'), writer.op('const', 'i32', [], random.pick([1, 7, 7, 15]))])
  );
  const args = [...place, writer.op('const', 'i32', [], random.chance(90) ? 0 : 1)];
  if (random.chance(50)) {
    const texel = [0, 1, 2, 3].map(() => writer.value('f32'));
    return writer.effect('image.store', [...args, ...texel], imm);
  }
  const results = writer.results('f32', 'f32', 'f32', 'f32');
  writer.append({ op: 'image.load', results, args, imm });
  for (const id of results) if (random.chance(60)) writer.note(id);
}

/** Loads or stores a word of the storage buffer, changes it atomically, or accesses the image. */
export function accessStorage(writer: Writer): void {
  const { random } = writer;
  const imm = 1 + (writer.options.textures ? TEXTURES.length + SAMPLERS.length : 0) + (writer.options.surfaces ? 1 : 0);
  // Mostly in bounds, and often the same word.
  const offset = random.chance(10)
    ? writer.wordOffset()
    : writer.op('int.and', 'u32', [writer.value('u32'), writer.op('const', 'u32', [], random.pick([12, 60]))]);
  if (random.chance(30)) return accessImage(writer, imm + 1);
  const int = random.pick(['i32', 'u32'] as const);
  const choice = random.below(4);
  if (choice === 0 && random.chance(30)) {
    const half = writer.op('int.and', 'u32', [
      writer.value('u32'),
      writer.op('const', 'u32', [], random.pick([14, 62])),
    ]);
    return writer.effect('storage.storeHalf', [half, writer.value('u32')], imm);
  }
  if (choice === 0) return writer.effect('storage.store', [offset, writer.value(int)], imm);
  if (choice === 1) {
    const id = writer.op('storage.load', random.pick(['f32', 'i32', 'u32'] as const), [offset], imm);
    if (random.chance(60)) writer.note(id);
    return;
  }
  const op = random.pick(ATOMICS);
  const args = opInfo(op)
    .args.slice(1)
    .map(() => writer.value(int));
  const id = writer.op(op, int, [offset, ...args], imm);
  if (random.chance(50)) writer.note(id);
}

/** Loads or stores a texel of the surface, or asks for its size. */
export function accessSurface(writer: Writer): void {
  const { random } = writer;
  const imm = writer.options.textures ? 1 + TEXTURES.length + SAMPLERS.length : 1;
  if (random.chance(10))
    return void writer.op(random.pick(['surface.width', 'surface.height', 'surface.samples'] as const), 'u32', [], imm);
  // The value of an input has the input's number. Other texels are out of bounds: the order of accesses by different
  // lanes to one pixel depends on the engine.
  const texel = [TEXEL.x, TEXEL.y].map((input) =>
    random.chance(5) ? writer.op('const', 'i32', [], random.pick([0xffffffff, 0x80000000, 1000])) : input
  );
  const mask = random.chance(10)
    ? writer.value('u32')
    : writer.op('int.and', 'u32', [writer.value('u32'), writer.op('const', 'u32', [], 15)]);
  if (random.chance(50)) {
    const components = [0, 1, 2, 3].map(() => writer.value('f32'));
    return writer.effect('surface.store', [...texel, mask, ...components], imm);
  }
  const results = writer.results('f32', 'f32', 'f32', 'f32', 'u32', 'u32');
  writer.append({ op: 'surface.load', results, args: [...texel, mask], imm });
  for (const id of results) if (random.chance(60)) writer.note(id);
}
