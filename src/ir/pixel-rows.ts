// Buffers that have elements for pixels, row by row, `buffer[y * width + x]`: a fragment that accesses no others is
// alone at them, as far as the buffer has an element for every pixel. That is known when a draw is recorded.

import type { OwnPixel } from './accesses';
import type { ValueId } from './program';
import type { Definitions } from './walk';

export interface PixelRows {
  readonly resource: number;
  /** Elements of a row: a constant, or a value that is the same for the draw. */
  readonly width: number | { readonly value: ValueId };
  readonly elementBytes: number;
  /** Of the whole array; null: as many as are bound. */
  readonly elements: number | null;
}

export const areSameRows = (a: PixelRows, b: PixelRows): boolean => a.resource === b.resource
  && widthKey(a) === widthKey(b) && a.elementBytes === b.elementBytes && a.elements === b.elements;
const widthKey = ({ width }: PixelRows): string => (typeof width === 'number' ? `${width}` : `%${width.value}`);

/** Finds which accesses are to elements of the fragment's own pixel. */
export class RowFinder {
  constructor(private readonly own: OwnPixel, private readonly definitions: Definitions) {}

  /** Of an offset in a buffer; null: it may be anywhere. */
  of(resource: number, offset: ValueId): PixelRows | null {
    let base = offset, member = 0;
    for (let sum = this.split(base, 'int.add'); sum !== null; sum = this.split(base, 'int.add')) {
      base = sum.id;
      member += sum.by;
    }
    const element = this.product(base), clamped = element && this.definitions.get(this.plain(element.id));
    if (!clamped || clamped.op !== 'u32.min' || member >= element.by) return null;
    for (const [index, last] of [clamped.args, [...clamped.args].reverse()] as [ValueId, ValueId][]) {
      const width = this.widthOf(index), constant = this.constant(last);
      if (width === null) continue;
      if (constant !== null) return { resource, width, elementBytes: element.by, elements: constant + 1 };
      if (this.isLast(last, resource, element.by)) return { resource, width, elementBytes: element.by, elements: null };
    }
    return null;
  }

  /** Of a pixel's number in rows. */
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

  /** Whether a value is the number of a buffer's last element: its bytes ÷ those of an element − 1. */
  private isLast(id: ValueId, resource: number, elementBytes: number): boolean {
    const { op, args } = this.definitions.get(id)!;
    if (op !== 'int.sub' || this.constant(args[1]!) !== 1) return false;
    const count = this.definitions.get(args[0]!)!, by = this.constant(count.args[1] ?? -1);
    if (by === null || !(count.op === 'u32.div' ? by === elementBytes : count.op === 'u32.shr' && 2 ** by === elementBytes))
      return false;
    const size = this.definitions.get(count.args[0]!)!;
    return size.op === 'buffer.size' && size.imm === resource;
  }

  /** A value times a constant. */
  private product(id: ValueId): { readonly id: ValueId; readonly by: number } | null {
    const found = this.split(id, 'int.mul') ?? this.split(id, 'int.shl');
    return found && this.definitions.get(this.plain(id))!.op === 'int.shl'
      ? { id: found.id, by: 2 ** (found.by & 31) } : found;
  }

  /** The operand of an operation whose other one is a constant. */
  private split(id: ValueId, wanted: 'int.add' | 'int.mul' | 'int.shl'): { id: ValueId; by: number } | null {
    const { op, args: [a, b] } = this.definitions.get(this.plain(id))!;
    if (op !== wanted) return null;
    const second = this.constant(b!), first = op === 'int.shl' ? null : this.constant(a!);
    return second !== null ? { id: a!, by: second } : first !== null ? { id: b!, by: first } : null;
  }

  private constant(id: ValueId): number | null {
    const definition = this.definitions.get(id);
    return definition?.op === 'const' ? definition.imm >>> 0 : null;
  }

  /** Without changes of type. */
  private plain(id: ValueId): ValueId {
    const { op, args } = this.definitions.get(id)!;
    return op === 'int.cast' ? this.plain(args[0]!) : id;
  }
}
