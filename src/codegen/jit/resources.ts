// What a program reads of its resources with one value: words of a buffer, sizes of buffers, textures and surfaces.
// Every address is clamped to its own resource, with the results of the interpreter (assembly/warp/memory.ts,
// access.ts).

import { DIMENSION_CUBE_ARRAY } from '../../../assembly/layout/texture-codes';
import { Resource, Surface, Texture } from '../../../build/layout';
import type { Instruction, ValueId } from '../../ir';
import { choice, emitted, i32, i32x4, tee, v128, type I32, type Local, type V128 } from '../wasm/expression';
import type { FunctionWriter } from '../wasm/writer';
import type { Frame } from './frame';

/** The values of the program that reads (values.ts): an offset is one of them. */
interface Reader {
  readonly frame: Frame;
  value(id: ValueId): V128;
  word(id: ValueId): I32;
  isConvergent(id: ValueId): boolean;
}

export const resourceField = ({ resources }: Frame, resource: number, field: number): I32 => i32.load(
  resources, resource * Resource.bytes + field
);
const sizeOf = (frame: Frame, resource: number): I32 => resourceField(frame, resource, Resource.size);
const addressOf = (frame: Frame, resource: number): I32 => resourceField(frame, resource, Resource.address);

/** The word at min(offset, size − 4) & ~3 in each lane; 0 when the binding has no word. */
export function bufferLoad(values: Reader, { args, imm }: Instruction): V128 {
  const offset = args[0]!;
  return unlessEmpty(values.frame, imm, values.isConvergent(offset)
    ? wordForAll(values.frame, values.word(offset), imm)
    : gatherWords(values.frame, values.value(offset), imm));
}

/** The words, or zeros where the binding has no word. */
export const unlessEmpty = (frame: Frame, resource: number, words: V128): V128 => choice(
  i32.less(sizeOf(frame, resource), i32.constant(4)), frame.splat(0), words
);

/** The word at an offset on which all lanes agree. */
const wordForAll = (frame: Frame, offset: I32, resource: number): V128 => emitted((writer) => {
  const word = writer.local('i32');
  const last = writer.local('i32');
  const asked = tee(word, offset);
  const most = tee(last, i32.sum(sizeOf(frame, resource), i32.constant(-4)));
  const clamped = i32.and(i32.select(asked, most, i32.less(word, last)), i32.constant(~3));
  v128.loadSplat(i32.sum(clamped, addressOf(frame, resource))).write(writer);
  writer.release(word);
  writer.release(last);
});

/** The words at offsets of the lanes' own. */
export const gatherWords = (frame: Frame, offsets: V128, resource: number): V128 => emitted((writer) => {
  const addresses = writer.local('v128');
  const last = i32x4.splat(i32.sum(sizeOf(frame, resource), i32.constant(-4)));
  const clamped = v128.and(i32x4.min(offsets, last), frame.splat(~3));
  writer.set(addresses, i32x4.sum(clamped, i32x4.splat(addressOf(frame, resource))));
  gather(writer, addresses, 0);
  writer.release(addresses);
});

/** Leaves the words at four addresses on the stack; lane k of them reads `stride`·k bytes further on. */
export function gather(writer: FunctionWriter, addresses: Local<'v128'>, stride: number): void {
  const words = writer.kept('v128', v128.loadFirst(i32x4.lane(addresses, 0)));
  for (let lane = 1; lane < 4; lane++)
    writer.set(words, v128.loadLane(i32x4.lane(addresses, lane), words, stride * lane, lane));
  words.write(writer);
  writer.release(words);
}

export const bufferSize = (frame: Frame, resource: number): V128 => i32x4.splat(sizeOf(frame, resource));

const TEXTURE_FIELDS = {
  'texture.levels': Texture.levelCount, 'texture.layers': Texture.layers, 'texture.samples': Texture.samples,
} as const;

export function textureField(frame: Frame, op: keyof typeof TEXTURE_FIELDS, resource: number): V128 {
  const texture = addressOf(frame, resource);
  const field = i32.load(texture, TEXTURE_FIELDS[op]);
  if (op !== 'texture.layers') return i32x4.splat(field);
  const isCubes = i32.equal(i32.load(texture, Texture.dimension), i32.constant(DIMENSION_CUBE_ARRAY));
  // A cube array has six layers a cube.
  return i32x4.splat(i32.quotient(field, i32.select(i32.constant(6), i32.constant(1), isCubes)));
}

const SURFACE_FIELDS = {
  'surface.width': Surface.width, 'surface.height': Surface.height, 'surface.samples': Surface.samples,
} as const;

export const surfaceField = (frame: Frame, op: keyof typeof SURFACE_FIELDS, resource: number): V128 => i32x4.splat(
  i32.load(addressOf(frame, resource), SURFACE_FIELDS[op])
);
