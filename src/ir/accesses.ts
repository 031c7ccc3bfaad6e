// How a program reaches what others write: surfaces, and buffers and images that it may write.

import { isAtomic, writesOutside, type OpName } from './ops';
import type { IrNode, IrProgram, IrResource, ValueId } from './program';
import { definitionsOf, forEachInstruction, forEachNode } from './walk';

export interface AccessUse {
  /** It loads or stores at all. */
  readonly accesses: boolean;
  /** The order of its invocations can be seen, since what one stores another loads or overwrites. */
  readonly ordered: boolean;
  /** It reads or writes buffers or images that it may write, and not its own pixel of images alone. */
  readonly shares: boolean;
  /** It writes to buffers or images. */
  readonly writes: boolean;
  /** The same, and it matters in which order tiles do so. */
  readonly serial: boolean;
}
export type Accessing = Pick<IrProgram, 'body' | 'resources' | 'inputs'>;

const found = new WeakMap<readonly IrNode[], AccessUse>();
export function accessUse(program: Accessing): AccessUse {
  let use = found.get(program.body);
  if (use === undefined) found.set(program.body, (use = findAccessUse(program)));
  return use;
}

function findAccessUse(program: Accessing): AccessUse {
  const { body, resources } = program;
  let accesses = false, ordered = false, shares = false, writes = false, serial = false;
  if (!resources.some(({ kind }) => ACCESSED.has(kind)))
    return { accesses, ordered, shares, writes, serial };
  const own = new OwnPixel(program), used = usedValues(body);
  /** The one operation that is done to a buffer, where that commutes with itself. */
  const operations = new Map<number, string>();
  forEachInstruction(body, ({ op, args, imm, results }) => {
    const resource = resources[imm];
    if (op === 'surface.load' || op === 'surface.store') {
      accesses = true;
      ordered ||= resource?.kind === 'surface' && resource.access !== 'read';
    } else if (op === 'image.load' || op === 'image.store') {
      const isOwn = own.isAt(args);
      accesses = true;
      ordered ||= op === 'image.store';
      writes ||= op === 'image.store';
      shares ||= !isOwn;
      serial ||= !isOwn;
    } else if (op.startsWith('storage.') || isAtomic(op)) {
      if (resource?.kind === 'counters') return;
      accesses = true;
      // One workgroup alone sees it.
      if (resource?.kind === 'workgroup') return;
      shares = true;
      if (op === 'storage.load' && !results.some((id) => used.has(id))) return;
      ordered ||= writesOutside(op);
      writes ||= writesOutside(op);
      const before = operations.get(imm) ?? op;
      operations.set(imm, op);
      serial ||= before !== op || !COMMUTING.has(op) || results.some((id) => used.has(id));
    }
  });
  return { accesses, ordered, shares, writes, serial: serial && writes };
}
const ACCESSED: ReadonlySet<IrResource['kind']> = new Set(['surface', 'storage', 'image', 'workgroup']);
/** Done in any order, they leave the same. */
export const COMMUTING: ReadonlySet<string> = new Set([
  'atomic.add', 'atomic.and', 'atomic.or', 'atomic.xor', 'atomic.minI32', 'atomic.maxI32', 'atomic.minU32',
  'atomic.maxU32',
]);

/** Operations that leave what they find where they are given 0, and the same in any order. */
const FROM_ZERO: ReadonlySet<OpName> = new Set<OpName>(['atomic.add', 'atomic.or', 'atomic.xor']);

/**
 * Storage buffers to which a program does one operation that starts from 0, without looking at results: that operation,
 * by entry of the resource table. Each worker may do it to a copy of its own, and join that to the buffer.
 */
export function collectedBuffers({ body, resources }: Accessing): ReadonlyMap<number, OpName> {
  const used = usedValues(body), found = new Map<number, OpName>(), others = new Set<number>();
  forEachInstruction(body, ({ op, imm, results }) => {
    if (!op.startsWith('storage.') && !isAtomic(op)) return;
    if (!FROM_ZERO.has(op) || (found.get(imm) ?? op) !== op || results.some((id) => used.has(id))) others.add(imm);
    else if (resources[imm]!.kind === 'storage') found.set(imm, op);
  });
  for (const entry of others) found.delete(entry);
  return found;
}

/** Whether a place is the pixel that the fragment is at: nobody else comes there before the pixel's tile is done. */
export class OwnPixel {
  constructor(private readonly program: Accessing, private readonly definitions = definitionsOf(program.body)) {}

  isAt(args: readonly ValueId[]): boolean {
    return this.isAcross(args) && this.definitions.get(args[2]!)?.op === 'const';
  }

  /** Of places in two dimensions. */
  isAcross(args: readonly ValueId[]): boolean {
    return this.isCoordinate(args[0]!, 0) && this.isCoordinate(args[1]!, 1);
  }

  /** A component of the position, rounded towards zero. */
  isCoordinate(id: ValueId, component: number): boolean {
    const definition = this.definitions.get(id);
    if (definition === undefined) return false;
    const { op, args, imm } = definition;
    switch (op) {
      case 'i32.fromF32': case 'u32.fromF32': case 'int.cast': case 'f32.floor': case 'f32.trunc':
        return this.isCoordinate(args[0]!, component);
      // No pixel lies beyond.
      case 'u32.min': return args.some((arg, k) => {
        const other = this.definitions.get(args[1 - k]!);
        return other?.op === 'const' && other.imm >>> 0 === 0x7fffffff && this.isCoordinate(arg, component);
      });
      case 'input': {
        const input = this.program.inputs[imm];
        return input?.kind === 'builtin' && input.builtin === 'position' && input.component === component;
      }
      default: return false;
    }
  }
}

/** Values that some node asks for. */
export function usedValues(nodes: readonly IrNode[]): ReadonlySet<ValueId> {
  const used = new Set<ValueId>();
  forEachNode(nodes, (node) => {
    if (node.kind === 'op') for (const id of node.args) used.add(id);
    else if (node.kind === 'if') used.add(node.condition);
  });
  return used;
}
