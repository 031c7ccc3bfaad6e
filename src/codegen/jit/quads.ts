// Computes the inputs of fragment programs from the planes of a packer's entries, for packers of quads and blocks. It
// replaces the register writes of assembly/fragment/inputs/interpolate.ts within the program's own loop. The arithmetic
// is the same: c + ddx·dx + ddy·dy, with each step rounded, times the reciprocal of 1/w for perspective.
//
// Tried: also blending premultiplied colours in the same loop instead of writing them to registers; particles 81 → 88
// ms with one sample, 123 → 141 ms with four.

import { REGISTER_BYTES } from '../../../assembly/layout/limits';
import { POSITION_SHIFT } from '../../../assembly/layout/tile/tile-codes';
import {
  TRI_CONSTANT_BITS,
  TRI_CONSTANT_SHIFT,
  TRI_FLAG_AFFINE,
  TRI_FLAG_FRONT,
} from '../../../assembly/layout/pass/triangle-codes';
import { Entry, Packer, Tile, Triangle, Warp } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import { FLOAT_ONE_BITS } from '../../base/bits';
import type { IrInput, IrProgram } from '../../ir';
import { f32x4, i32, i32x4, v128, type I32, type Local, type V128 } from '../wasm/expression';
import type { Frame } from './frame';

const { sum, difference, product, quotient } = f32x4;

/**
 * Whether all inputs that a program reads are evaluated at pixel centres and follow from an entry's triangle and
 * position, or are in the register file. Shading rates are known only to the code that packs a warp.
 */
export function canInterpolate(program: IrProgram, used: readonly number[]): boolean {
  return (
    program.kind === 'fragment'
    && used.every((index) => {
      const input = program.inputs[index]!;
      if (input.kind === 'varying') return input.interpolation === 'flat' || input.sampling === 'center';
      return (
        isHeld(input)
        || (input.kind === 'builtin'
          && !('ofSample' in input && input.ofSample)
          && (input.builtin === 'position' || input.builtin === 'front_facing'))
      );
    })
  );
}

/**
 * Whether the caller of a warp writes the input into the register file: sample masks
 * (assembly/fragment/inputs/sample-masks.ts), contents of render targets (assembly/output/destination.ts) and links
 * (assembly/fragment/sets/remaining-sets.ts).
 */
const isHeld = (input: IrInput): boolean =>
  input.kind === 'destination'
  || input.kind === 'link'
  || (input.kind === 'builtin'
    && (input.builtin === 'sample_mask' || input.builtin === 'sample_depth' || input.builtin === 'sample_stencil'));

export class QuadInputs {
  private readonly entry: Local<'i32'>;
  private readonly triangle: Local<'i32'>;
  private readonly dx: Local<'v128'>;
  private readonly dy: Local<'v128'>;
  private readonly x: Local<'v128'>;
  private readonly y: Local<'v128'>;
  /** Pixel centres of the tile's first quad or, in a coarse warp, centres of its coarse pixels. */
  private readonly firstX: Local<'v128'>;
  private readonly firstY: Local<'v128'>;
  /** Address of Tile.quadPositions. */
  private readonly positions: Local<'i32'>;
  /** Planes, and later values, of perspective varyings. */
  private readonly perspective = new Map<number, Local<'v128'>>();
  /** Distance in words between the components (value, ddx, ddy) of the planes. */
  private readonly stride: number;
  /** Whether the program reads inputs that differ between pixels of a triangle, and whether some of them are planes. */
  private readonly usesPosition: boolean;
  private readonly usesPlanes: boolean;

  /** `used`: inputs that the program reads. `first`: for the second quad of an iteration, the inputs of the first. */
  constructor(
    private readonly program: IrProgram,
    private readonly frame: Frame,
    private readonly used: readonly number[],
    private readonly first: QuadInputs | null = null
  ) {
    const { writer } = frame;
    this.entry = writer.persistentLocal('i32');
    this.triangle = writer.persistentLocal('i32');
    this.dx = writer.persistentLocal('v128');
    this.dy = writer.persistentLocal('v128');
    this.x = writer.persistentLocal('v128');
    this.y = writer.persistentLocal('v128');
    this.firstX = first?.firstX ?? writer.persistentLocal('v128');
    this.firstY = first?.firstY ?? writer.persistentLocal('v128');
    this.positions = first?.positions ?? writer.persistentLocal('i32');
    const varyings = program.inputs.filter((input) => input.kind === 'varying').length;
    this.stride = ((varyings + 3) & ~3) * 4;
    this.usesPosition = used.some((index) => isPositioned(program.inputs[index]!));
    this.usesPlanes = used.some((index) => isPlane(program.inputs[index]!));
  }

  /** Runs before the loop over quads. */
  start(): void {
    const { writer, warp } = this.frame;
    writer.set(this.entry, i32.sum(i32.load(warp, Warp.packer), i32.constant(Packer.entries)));
    if (!this.usesPosition) return;
    const tile = i32.load(warp, Warp.tile);
    writer.set(this.firstX, v128.load(tile, Tile.centresX));
    writer.set(this.firstY, v128.load(tile, Tile.centresY));
    writer.set(this.positions, i32.sum(tile, i32.constant(Tile.quadPositions)));
  }

  /**
   * Sets the second quad's entry at the start of an iteration: the next entry, or the first quad's if there is none.
   */
  follow(hasEntry: I32): void {
    const next = i32.select(i32.constant(Entry.bytes), i32.constant(0), hasEntry);
    this.frame.writer.set(this.entry, i32.sum(this.first!.entry, next));
  }

  /** Advances at the end of an iteration by the given number of quads. */
  step(quads: number): void {
    this.frame.advance(this.entry, quads * Entry.bytes);
  }

  /** Runs before a quad's instructions; computes the position and the values that all varyings need. */
  prepare(): void {
    const { writer } = this.frame;
    writer.set(this.triangle, i32.load(this.entry, Entry.triangle));
    if (this.usesPosition) {
      const offset = i32.shiftLeft(i32.loadHalf(this.entry, Entry.index), i32.constant(POSITION_SHIFT));
      const both = writer.kept('v128', v128.loadSplat64(i32.sum(offset, this.positions)));
      this.position(v128.shuffle(both, both, [0, 0, 0, 0]), this.firstX, this.x, this.dx, Triangle.x0);
      this.position(v128.shuffle(both, both, [1, 1, 1, 1]), this.firstY, this.y, this.dy, Triangle.y0);
      writer.release(both);
    }
    this.perspectives();
  }

  /**
   * Computes the centres of the four pixels (all steps are exact) and, for planes, their distance from the planes'
   * origin.
   */
  private position(offset: V128, first: V128, centres: Local<'v128'>, distance: Local<'v128'>, origin: number): void {
    const { writer } = this.frame;
    writer.set(centres, sum(offset, first));
    if (this.usesPlanes) writer.set(distance, difference(centres, this.word(origin)));
  }

  /**
   * A word of the triangle in all lanes. V8 (11.3) does not fold offsets into this load; it would keep base and offset
   * in two registers.
   */
  private word(offset: number): V128 {
    return v128.loadSplat(i32.sum(this.triangle, i32.constant(offset)));
  }

  /** The value of a plane whose three words are `stride` bytes apart. */
  private plane(at: number, stride: number): V128 {
    const c = this.word(at);
    const ddx = this.word(at + stride);
    const ddy = this.word(at + 2 * stride);
    return sum(sum(product(ddx, this.dx), c), product(ddy, this.dy));
  }

  private get flags(): I32 {
    return i32.load(this.triangle, Triangle.flags);
  }

  /** Computes all perspective varyings and multiplies them by w unless w is 1 all over the triangle. */
  private perspectives(): void {
    const {
      frame,
      frame: { writer },
    } = this;
    const indices = this.used.filter((index) => isPerspective(this.program.inputs[index]!));
    if (indices.length === 0) return;
    for (const index of indices) this.perspective.set(index, writer.persistentLocal('v128'));
    const flags = writer.kept('i32', this.flags);
    for (const group of byLocation(this.program, indices)) this.group(group, flags);
    writer.if(i32.isZero(i32.and(flags, i32.constant(TRI_FLAG_AFFINE))), () => {
      const w = writer.kept('v128', quotient(frame.splat(FLOAT_ONE_BITS), this.plane(Triangle.w, 4)));
      for (const value of this.perspective.values()) writer.set(value, product(value, w));
      writer.release(w);
      writer.release(flags);
    });
  }

  /**
   * Computes the planes of the varyings of one location. If none has a slope, as in a flat-coloured triangle, their
   * values suffice.
   */
  private group(indices: readonly number[], flags: I32): void {
    const { writer } = this.frame;
    const set = (valueAt: (at: number) => V128) => (): void => {
      for (const index of indices) writer.set(this.perspective.get(index)!, valueAt(Triangle.planes + index * 4));
    };
    const planes = isRun(indices) ? (): void => this.run(indices) : set((at) => this.plane(at, this.stride));
    if (indices.some((index) => index >= TRI_CONSTANT_BITS)) return planes();
    const mask = i32.constant(indices.reduce((bits, index) => bits | (1 << (TRI_CONSTANT_SHIFT + index)), 0));
    writer.if(
      i32.equal(i32.and(flags, mask), mask),
      set((at) => this.word(at)),
      planes
    );
  }

  /**
   * Computes three or four planes in a row pixel by pixel, and transposes the results. Three loads replace up to twelve
   * broadcasts, and pixels of a column or row share products: a pass of eight vec4f takes 0.81 of the time.
   */
  private run(indices: readonly number[]): void {
    const {
      triangle,
      frame: { writer },
    } = this;
    const first = Math.min(indices[0]!, this.stride / 4 - 4);
    const lane = indices[0]! - first;
    const at = Triangle.planes + first * 4;
    const spread = (from: Local<'v128'>, of: number): V128 => v128.shuffle(from, from, [of, of, of, of]);
    const value = writer.kept('v128', v128.load(triangle, at));
    const slopeX = writer.kept('v128', v128.load(triangle, at + this.stride));
    const slopeY = writer.kept('v128', v128.load(triangle, at + 2 * this.stride));
    const columns = [0, 1].map((of) => writer.kept('v128', sum(product(slopeX, spread(this.dx, of)), value)));
    const rows = [0, 2].map((of) => writer.kept('v128', product(slopeY, spread(this.dy, of))));
    const pixels = rows.flatMap((row) => columns.map((column) => writer.kept('v128', sum(column, row))));
    const both = (a: number, b: number, words: readonly number[]): V128 => v128.shuffle(pixels[a]!, pixels[b]!, words);
    const LOW = [0, 4, 1, 5];
    const HIGH = [2, 6, 3, 7];
    const halves = [both(0, 1, LOW), both(2, 3, LOW), both(0, 1, HIGH), both(2, 3, HIGH)].map((half) =>
      writer.kept('v128', half)
    );
    indices.forEach((index, k) => {
      const of = lane + k;
      const words = of & 1 ? [2, 3, 6, 7] : [0, 1, 4, 5];
      writer.set(this.perspective.get(index)!, v128.shuffle(halves[of & 2]!, halves[(of & 2) + 1]!, words));
    });
    for (const local of [value, slopeX, slopeY, ...columns, ...rows, ...pixels, ...halves]) writer.release(local);
  }

  /** The value of an input. */
  value(index: number): V128 {
    const input = this.program.inputs[index]!;
    if (input.kind === 'varying') {
      const at = Triangle.planes + index * 4;
      if (input.interpolation === 'perspective') return this.perspective.get(index)!;
      return input.interpolation === 'linear' ? this.plane(at, this.stride) : this.word(at);
    }
    if (isHeld(input)) return v128.load(this.frame.quads[this.first ? 1 : 0]!.registers, index * REGISTER_BYTES);
    if (input.kind !== 'builtin') return unreachable('jit: a fragment program has no attributes');
    if (input.builtin === 'front_facing')
      return i32x4.splat(i32.difference(i32.constant(0), i32.and(this.flags, i32.constant(TRI_FLAG_FRONT))));
    if (input.builtin !== 'position') return unreachable(`jit: ${input.builtin} is not known from an entry`);
    switch (input.component) {
      case 0:
        return this.x;
      case 1:
        return this.y;
      case 2:
        return this.plane(Triangle.z, 4);
      default:
        return this.plane(Triangle.w, 4);
    }
  }
}

/** Whether three or more planes are consecutive. */
const isRun = (indices: readonly number[]): boolean =>
  indices.length >= 3 && indices.at(-1)! - indices[0]! === indices.length - 1;

/** Indices of varyings, grouped by location. */
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

/** Whether the value depends on the position of the pixel in the triangle. */
const isPositioned = (input: IrInput): boolean =>
  input.kind === 'varying' ? input.interpolation !== 'flat' : input.kind === 'builtin' && input.builtin === 'position';
/** Whether the value is that of a plane at the pixel centres. */
const isPlane = (input: IrInput): boolean =>
  input.kind === 'varying'
    ? input.interpolation !== 'flat'
    : input.kind === 'builtin' && input.builtin === 'position' && input.component >= 2;
const isPerspective = (input: IrInput): boolean => input.kind === 'varying' && input.interpolation === 'perspective';
