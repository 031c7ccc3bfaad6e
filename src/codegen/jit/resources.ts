// What a program reads of its resources with one value: words of a buffer, sizes of buffers, textures and surfaces.
// Every address is clamped to its own resource, with the results of the interpreter (assembly/warp/memory.ts,
// access.ts).

import { DIMENSION_CUBE_ARRAY } from '../../../assembly/layout/texture-codes';
import { Resource, Surface, Texture } from '../../../build/layout';
import type { Instruction, ValueId } from '../../ir';
import type { FunctionWriter, Local } from '../wasm/writer';
import type { Frame } from './frame';

const LANES = [0, 1, 2, 3] as const;

/** The values of the program that reads (values.ts): an offset is one of them. */
interface Reader {
  readonly frame: Frame;
  depth: number;
  end(): void;
  push(id: ValueId): void;
  pushWord(id: ValueId): void;
  isConvergent(id: ValueId): boolean;
}

export function pushResource(values: Reader, resource: number, field: number): void {
  const { writer } = values.frame;
  writer.get(values.frame.base('resources'));
  writer.memory('i32.load', resource * Resource.bytes + field);
}

/** The word at min(offset, size − 4) & ~3 in each lane; 0 when the binding has no word. */
export function pushBufferLoad(values: Reader, { args, imm }: Instruction): void {
  const offset = args[0]!;
  unlessEmpty(values, imm, () => {
    if (values.isConvergent(offset)) {
      pushWordAddress(values, offset, imm);
      values.frame.writer.memory('v128.load32_splat', 0);
    } else gatherWords(values, () => values.push(offset), imm);
  });
}

/** Leaves what `load` leaves, or zeros where the binding has no word. */
export function unlessEmpty(values: Reader, resource: number, load: () => void): void {
  const { writer } = values.frame;
  pushResource(values, resource, Resource.size);
  writer.i32(4);
  writer.op('i32.lt_u');
  writer.begin('if', 'v128');
  values.depth++;
  values.frame.splat(0);
  writer.else();
  load();
  values.end();
}

function pushWordAddress(values: Reader, offset: ValueId, resource: number): void {
  const { writer } = values.frame;
  const word = writer.local('i32');
  const last = writer.local('i32');
  values.pushWord(offset);
  writer.tee(word);
  pushResource(values, resource, Resource.size);
  writer.i32(-4);
  writer.op('i32.add');
  writer.tee(last);
  writer.get(word);
  writer.get(last);
  writer.op('i32.lt_u');
  writer.op('select');
  writer.i32(~3);
  writer.op('i32.and');
  pushResource(values, resource, Resource.address);
  writer.op('i32.add');
  writer.release(word);
  writer.release(last);
}

export function gatherWords(values: Reader, pushOffsets: () => void, resource: number): void {
  const { writer } = values.frame;
  const addresses = writer.local('v128');
  pushOffsets();
  pushResource(values, resource, Resource.size);
  writer.i32(-4);
  writer.op('i32.add');
  writer.op('i32x4.splat');
  writer.op('i32x4.min_u');
  values.frame.splat(~3);
  writer.op('v128.and');
  pushResource(values, resource, Resource.address);
  writer.op('i32x4.splat');
  writer.op('i32x4.add');
  writer.set(addresses);
  gather(writer, addresses, 0);
  writer.release(addresses);
}

/** The words at four addresses; lane k of them reads `stride`·k bytes further on. */
export function gather(writer: FunctionWriter, addresses: Local, stride: number): void {
  writer.get(addresses);
  writer.lane('i32x4.extract_lane', 0);
  writer.memory('v128.load32_zero', 0);
  const words = writer.local('v128');
  writer.set(words);
  for (const lane of LANES.slice(1)) {
    writer.get(addresses);
    writer.lane('i32x4.extract_lane', lane);
    writer.get(words);
    writer.memoryLane('v128.load32_lane', stride * lane, lane);
    writer.set(words);
  }
  writer.get(words);
  writer.release(words);
}

export function pushBufferSize(values: Reader, resource: number): void {
  pushResource(values, resource, Resource.size);
  values.frame.writer.op('i32x4.splat');
}

export function pushTextureField(
  values: Reader, op: 'texture.levels' | 'texture.layers' | 'texture.samples', resource: number
): void {
  const { writer } = values.frame;
  const field = {
    'texture.levels': Texture.levelCount, 'texture.layers': Texture.layers, 'texture.samples': Texture.samples,
  }[op];
  pushResource(values, resource, Resource.address);
  writer.memory('i32.load', field);
  if (op === 'texture.layers') {
    // A cube array has six layers a cube.
    writer.i32(6);
    writer.i32(1);
    pushResource(values, resource, Resource.address);
    writer.memory('i32.load', Texture.dimension);
    writer.i32(DIMENSION_CUBE_ARRAY);
    writer.op('i32.eq');
    writer.op('select');
    writer.op('i32.div_u');
  }
  writer.op('i32x4.splat');
}

const SURFACE_FIELDS = {
  'surface.width': Surface.width, 'surface.height': Surface.height, 'surface.samples': Surface.samples,
} as const;

export function pushSurfaceField(values: Reader, op: keyof typeof SURFACE_FIELDS, resource: number): void {
  const { writer } = values.frame;
  pushResource(values, resource, Resource.address);
  writer.memory('i32.load', SURFACE_FIELDS[op]);
  writer.op('i32x4.splat');
}
