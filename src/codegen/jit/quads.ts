// Inputs of fragment programs from the planes of a packer's entries: what assembly/fragment/interpolate.ts writes to
// registers, computed in the program's own loop for packers of quads and blocks. The same arithmetic: c + ddx·dx +
// ddy·dy, each step rounded, times the reciprocal of the plane of 1/w for perspective.
//
// Tried to blend premultiplied over in the same loop as well, instead of writing colours to registers: particles 81 →
// 88 ms at one sample, 123 → 141 at four.

import { POSITION_SHIFT } from '../../../assembly/layout/tile-codes';
import {
  TRI_CONSTANT_BITS, TRI_CONSTANT_SHIFT, TRI_FLAG_AFFINE, TRI_FLAG_FRONT,
} from '../../../assembly/layout/triangle-codes';
import { Entry, Packer, Tile, Triangle, Warp } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import type { IrInput, IrProgram } from '../../ir';
import type { Local } from '../wasm/writer';
import type { Frame, Words } from './frame';

/** Bits of 0.5 and 1.5. */
const HALF = 0x3f000000;
const ONE_AND_HALF = 0x3fc00000;
const CENTRES_X: Words = [HALF, ONE_AND_HALF, HALF, ONE_AND_HALF];
const CENTRES_Y: Words = [HALF, HALF, ONE_AND_HALF, ONE_AND_HALF];

/** Whether all inputs of a program are read at pixel centres and known from an entry's triangle and position. */
export function canInterpolate(program: IrProgram): boolean {
  return program.kind === 'fragment' && program.inputs.every((input) => {
    if (input.kind === 'varying') return input.interpolation === 'flat' || input.sampling === 'center';
    return input.kind === 'builtin' && (input.builtin === 'position' || input.builtin === 'front_facing');
  });
}

export class QuadInputs {
  private readonly entry: Local;
  private readonly triangle: Local;
  private readonly dx: Local;
  private readonly dy: Local;
  private readonly x: Local;
  private readonly y: Local;
  /** Pixel centres of the tile's first quad. */
  private readonly firstX: Local;
  private readonly firstY: Local;
  /** Address of Tile.quadPositions. */
  private readonly positions: Local;
  /** Planes, and then values, of perspective varyings. */
  private readonly perspective = new Map<number, Local>();
  /** Words between the parts (value, ddx, ddy) of the planes. */
  private readonly stride: number;

  /** `used`: inputs that the program reads. */
  constructor(
    private readonly program: IrProgram, private readonly frame: Frame, private readonly used: readonly number[]
  ) {
    const { writer } = frame;
    this.entry = writer.lasting('i32');
    this.triangle = writer.lasting('i32');
    this.dx = writer.lasting('v128');
    this.dy = writer.lasting('v128');
    this.x = writer.lasting('v128');
    this.y = writer.lasting('v128');
    this.firstX = writer.lasting('v128');
    this.firstY = writer.lasting('v128');
    this.positions = writer.lasting('i32');
    const varyings = program.inputs.filter((input) => input.kind === 'varying').length;
    this.stride = ((varyings + 3) & ~3) * 4;
  }

  /** Before the loop over quads. */
  start(): void {
    const { writer } = this.frame;
    writer.get(this.frame.warp);
    writer.memory('i32.load', Warp.packer);
    writer.i32(Packer.entries);
    writer.op('i32.add');
    writer.set(this.entry);
    if (!this.used.some((index) => !isFlat(this.program.inputs[index]!))) return;
    this.first(this.firstX, Tile.x, CENTRES_X);
    this.first(this.firstY, Tile.y, CENTRES_Y);
    this.tile();
    writer.i32(Tile.quadPositions);
    writer.op('i32.add');
    writer.set(this.positions);
  }

  private first(centres: Local, corner: number, offsets: Words): void {
    const { writer } = this.frame;
    this.tile();
    writer.memory('i32.load', corner);
    writer.op('f32.convert_i32_s');
    writer.op('f32x4.splat');
    this.frame.constant(offsets);
    writer.op('f32x4.add');
    writer.set(centres);
  }

  private tile(): void {
    this.frame.writer.get(this.frame.warp);
    this.frame.writer.memory('i32.load', Warp.tile);
  }

  /** At the end of each round. */
  step(): void { this.frame.advance(this.entry, Entry.bytes); }

  /** At the start of each round: position, and what varyings share. */
  prepare(): void {
    const { writer } = this.frame;
    writer.get(this.entry);
    writer.memory('i32.load', Entry.triangle);
    writer.set(this.triangle);
    if (this.used.some((index) => !isFlat(this.program.inputs[index]!))) {
      const both = writer.local('v128');
      writer.get(this.entry);
      writer.memory('i32.load16_u', Entry.index);
      writer.i32(POSITION_SHIFT);
      writer.op('i32.shl');
      writer.get(this.positions);
      writer.op('i32.add');
      writer.memory('v128.load64_splat', 0);
      writer.set(both);
      this.position(both, 0, this.firstX, this.x, this.dx, Triangle.x0);
      this.position(both, 1, this.firstY, this.y, this.dy, Triangle.y0);
      writer.release(both);
    }
    this.perspectives();
  }

  /** Centres of the four pixels (all steps are exact), and, for planes, how far they are from their origin. */
  private position(both: Local, lane: number, first: Local, centres: Local, distance: Local, origin: number): void {
    const { writer } = this.frame;
    writer.get(both);
    writer.get(both);
    writer.shuffleWords(lane, lane, lane, lane);
    writer.get(first);
    writer.op('f32x4.add');
    writer.set(centres);
    if (!this.used.some((index) => isPlane(this.program.inputs[index]!))) return;
    writer.get(centres);
    this.word(origin);
    writer.op('f32x4.sub');
    writer.set(distance);
  }

  /**
   * A word of the triangle in all lanes. V8 (11.3) folds no offset into this load: it would keep base and offset in a
   * register each.
   */
  private word(offset: number): void {
    const { writer } = this.frame;
    writer.get(this.triangle);
    writer.i32(offset);
    writer.op('i32.add');
    writer.memory('v128.load32_splat', 0);
  }

  /** c + ddx·dx + ddy·dy of the plane whose three words have a stride of `stride` bytes. */
  private plane(at: number, stride: number): void {
    const { writer } = this.frame;
    this.word(at + stride);
    writer.get(this.dx);
    writer.op('f32x4.mul');
    this.word(at);
    writer.op('f32x4.add');
    this.word(at + 2 * stride);
    writer.get(this.dy);
    writer.op('f32x4.mul');
    writer.op('f32x4.add');
  }

  /** All perspective varyings, times w where that is not one all over the triangle. */
  private perspectives(): void {
    const { writer } = this.frame;
    const indices = this.used.filter((index) => isPerspective(this.program.inputs[index]!));
    if (indices.length === 0) return;
    for (const index of indices) if (!this.perspective.has(index)) this.perspective.set(index, writer.lasting('v128'));
    const flags = writer.local('i32');
    writer.get(this.triangle);
    writer.memory('i32.load', Triangle.flags);
    writer.set(flags);
    for (const group of byLocation(this.program, indices)) this.group(group, flags);
    writer.get(flags);
    writer.i32(TRI_FLAG_AFFINE);
    writer.op('i32.and');
    writer.op('i32.eqz');
    writer.begin('if');
    const w = writer.local('v128');
    this.frame.splat(0x3f800000);
    this.plane(Triangle.w, 4);
    writer.op('f32x4.div');
    writer.set(w);
    for (const local of this.perspective.values()) {
      writer.get(local);
      writer.get(w);
      writer.op('f32x4.mul');
      writer.set(local);
    }
    writer.release(w);
    writer.release(flags);
    writer.end();
  }

  /** Planes of the varyings of one location; where none has slopes (a colour that its vertices share), their values. */
  private group(indices: readonly number[], flags: Local): void {
    const { writer } = this.frame;
    const each = (push: (index: number) => void): void => {
      for (const index of indices) {
        push(index);
        writer.set(this.perspective.get(index)!);
      }
    };
    const planes = (): void => each((index) => this.plane(Triangle.planes + index * 4, this.stride));
    if (indices.some((index) => index >= TRI_CONSTANT_BITS)) return planes();
    const mask = indices.reduce((bits, index) => bits | (1 << (TRI_CONSTANT_SHIFT + index)), 0);
    writer.get(flags);
    writer.i32(mask);
    writer.op('i32.and');
    writer.i32(mask);
    writer.op('i32.eq');
    writer.begin('if');
    each((index) => this.word(Triangle.planes + index * 4));
    writer.else();
    planes();
    writer.end();
  }

  /** Leaves an input on the stack. */
  push(index: number): void {
    const { writer } = this.frame;
    const input = this.program.inputs[index]!;
    if (input.kind === 'varying') {
      const at = Triangle.planes + index * 4;
      if (input.interpolation === 'perspective') return writer.get(this.perspective.get(index)!);
      if (input.interpolation === 'linear') return this.plane(at, this.stride);
      return this.word(at);
    }
    if (input.kind !== 'builtin') return unreachable('jit: a fragment program has no attributes');
    if (input.builtin === 'front_facing') return this.facing();
    if (input.builtin !== 'position') return unreachable(`jit: ${input.builtin} is not known from an entry`);
    switch (input.component) {
      case 0: return writer.get(this.x);
      case 1: return writer.get(this.y);
      case 2: return this.depth();
      default: return this.plane(Triangle.w, 4);
    }
  }

  private facing(): void {
    const { writer } = this.frame;
    writer.i32(0);
    writer.get(this.triangle);
    writer.memory('i32.load', Triangle.flags);
    writer.i32(TRI_FLAG_FRONT);
    writer.op('i32.and');
    writer.op('i32.sub');
    writer.op('i32x4.splat');
  }

  /** min(max(least, plane), most), with the IR's min and max. */
  private depth(): void {
    const { writer } = this.frame;
    this.word(Triangle.zMin);
    this.plane(Triangle.z, 4);
    writer.op('f32x4.pmax');
    this.word(Triangle.zMax);
    writer.op('f32x4.pmin');
  }
}

/** Indices of varyings, those of a location together. */
function byLocation(program: IrProgram, indices: readonly number[]): number[][] {
  const groups = new Map<number, number[]>();
  for (const index of indices) {
    const input = program.inputs[index]!;
    if (input.kind !== 'varying') continue;
    const group = groups.get(input.location);
    if (group === undefined) groups.set(input.location, [index]);
    else group.push(index);
  }
  return [...groups.values()];
}

const isFlat = (input: IrInput): boolean => (input.kind === 'varying' && input.interpolation === 'flat')
  || (input.kind === 'builtin' && input.builtin === 'front_facing');
/** Its value is that of a plane at the pixels' centres. */
const isPlane = (input: IrInput): boolean => (input.kind === 'varying'
  ? input.interpolation !== 'flat'
  : input.kind === 'builtin' && input.builtin === 'position' && input.component >= 2);
const isPerspective = (input: IrInput): boolean => input.kind === 'varying' && input.interpolation === 'perspective';
