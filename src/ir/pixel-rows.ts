// Recognises buffers that store one element per pixel, row by row: `buffer[y * width + x]`. A fragment that accesses no
// other element is the only one to access its own, if the buffer has an element for every pixel. That condition is
// checked when a draw call is recorded.

import type { OwnPixel } from './accesses';
import type { ValueId } from './program';
import type { Definitions } from './walk';

export interface PixelRows {
  readonly resource: number;
  /** Elements per row: a constant, or a value that is uniform for the draw call. */
  readonly width: number | { readonly value: ValueId };
  readonly elementBytes: number;
  /** Length of the whole array in elements; null if the binding's size determines it. */
  readonly elements: number | null;
}

export const areSameRows = (a: PixelRows, b: PixelRows): boolean =>
  a.resource === b.resource
  && widthKey(a) === widthKey(b)
  && a.elementBytes === b.elementBytes
  && a.elements === b.elements;
const widthKey = ({ width }: PixelRows): string => (typeof width === 'number' ? `${width}` : `%${width.value}`);

/** Finds accesses to the elements of the fragment's own pixel. */
export class RowFinder {
  constructor(
    private readonly own: OwnPixel,
    private readonly definitions: Definitions
  ) {}

  /** Analyses a buffer offset; null if it may be anywhere. */
  of(resource: number, offset: ValueId): PixelRows | null {
    let base = offset;
    let member = 0;
    for (let sum = this.split(base, 'int.add'); sum !== null; sum = this.split(base, 'int.add')) {
      base = sum.id;
      member += sum.by;
    }
    const element = this.product(base);
    const clamped = element && this.definitions.get(this.plain(element.id));
    if (!clamped || clamped.op !== 'u32.min' || member >= element.by) return null;
    for (const [index, last] of [clamped.args, [...clamped.args].reverse()] as [ValueId, ValueId][]) {
      const width = this.widthOf(index);
      const constant = this.constant(last);
      if (width === null) continue;
      if (constant !== null) return { resource, width, elementBytes: element.by, elements: constant + 1 };
      if (this.isLast(last, resource, element.by)) return { resource, width, elementBytes: element.by, elements: null };
    }
    return null;
  }

  /** Row width in a pixel's index. */
  private widthOf(id: ValueId): PixelRows['width'] | null {
    const { op, args } = this.definitions.get(this.plain(id))!;
    if (op !== 'int.add') return null;
    for (const [row, column] of [args, [...args].reverse()] as [ValueId, ValueId][]) {
      if (!this.own.isCoordinate(column, 0)) continue;
      const known = this.product(row);
      if (known) return this.own.isCoordinate(known.id, 1) ? known.by : null;
      const product = this.definitions.get(this.plain(row))!;
      if (product.op !== 'int.mul') continue;
      for (const [y, value] of [product.args, [...product.args].reverse()] as [ValueId, ValueId][])
        if (this.own.isCoordinate(y, 1)) return { value };
    }
    return null;
  }

  /** Whether a value is the index of the last element of a buffer: its size ÷ the element size − 1. */
  private isLast(id: ValueId, resource: number, elementBytes: number): boolean {
    const { op, args } = this.definitions.get(id)!;
    if (op !== 'int.sub' || this.constant(args[1]!) !== 1) return false;
    const count = this.definitions.get(args[0]!)!;
    const by = this.constant(count.args[1] ?? -1);
    if (
      by === null
      || !(count.op === 'u32.div' ? by === elementBytes : count.op === 'u32.shr' && 2 ** by === elementBytes)
    )
      return false;
    const size = this.definitions.get(count.args[0]!)!;
    return size.op === 'buffer.size' && size.imm === resource;
  }

  /** Matches a value times a constant. */
  private product(id: ValueId): { readonly id: ValueId; readonly by: number } | null {
    const found = this.split(id, 'int.mul') ?? this.split(id, 'int.shl');
    return found && this.definitions.get(this.plain(id))!.op === 'int.shl'
      ? { id: found.id, by: 2 ** (found.by & 31) }
      : found;
  }

  /** Matches an operation with one constant operand; returns the other operand. */
  private split(id: ValueId, wanted: 'int.add' | 'int.mul' | 'int.shl'): { id: ValueId; by: number } | null {
    const {
      op,
      args: [a, b],
    } = this.definitions.get(this.plain(id))!;
    if (op !== wanted) return null;
    const second = this.constant(b!);
    const first = op === 'int.shl' ? null : this.constant(a!);
    return second !== null ? { id: a!, by: second } : first !== null ? { id: b!, by: first } : null;
  }

  private constant(id: ValueId): number | null {
    const definition = this.definitions.get(id);
    return definition?.op === 'const' ? definition.imm >>> 0 : null;
  }

  /** Looks through casts between integer types. */
  private plain(id: ValueId): ValueId {
    const { op, args } = this.definitions.get(id)!;
    return op === 'int.cast' ? this.plain(args[0]!) : id;
  }
}
