// Analyses how a program accesses memory that other invocations can write: surfaces, writable buffers and images.

import { isAtomic, writesOutside, type OpName } from './ops';
import type { IrNode, IrProgram, IrResource, ValueId } from './program';
import { definitionsOf, forEachInstruction, forEachNode } from './walk';

export interface AccessUse {
  /** Whether the program loads or stores at all. */
  readonly accesses: boolean;
  /** Whether the order of invocations is observable, because one may load or overwrite what another stores. */
  readonly ordered: boolean;
  /** Whether the program accesses writable buffers or images, beyond its own pixel of an image. */
  readonly shares: boolean;
  /** Whether the program writes to buffers or images. */
  readonly writes: boolean;
  /** Whether the program writes to buffers or images, and the order in which tiles do so matters. */
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
  let accesses = false;
  let ordered = false;
  let shares = false;
  let writes = false;
  let serial = false;
  if (!resources.some(({ kind }) => ACCESSED.has(kind))) return { accesses, ordered, shares, writes, serial };
  const own = new OwnPixel(program);
  const used = usedValues(body);
  /**
   * For each buffer, the last operation applied to it. While all are the same commuting operation, order does not
   * matter.
   */
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
      // Only one workgroup sees this memory.
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
/** Operations that leave the same result in any order. */
export const COMMUTING: ReadonlySet<string> = new Set([
  'atomic.add',
  'atomic.and',
  'atomic.or',
  'atomic.xor',
  'atomic.minI32',
  'atomic.maxI32',
  'atomic.minU32',
  'atomic.maxU32',
]);

/** Commuting operations that leave memory unchanged when their operand is 0. */
const FROM_ZERO: ReadonlySet<OpName> = new Set<OpName>(['atomic.add', 'atomic.or', 'atomic.xor']);

/**
 * Finds the storage buffers on which a program performs only one kind of operation that starts from 0, and ignores its
 * results. Returns the operation for each such entry of the resource table. Each worker may apply it to a private copy
 * and merge that into the buffer.
 */
export function combinableBuffers({ body, resources }: Accessing): ReadonlyMap<number, OpName> {
  const used = usedValues(body);
  const found = new Map<number, OpName>();
  const others = new Set<number>();
  forEachInstruction(body, ({ op, imm, results }) => {
    if (!op.startsWith('storage.') && !isAtomic(op)) return;
    if (!FROM_ZERO.has(op) || (found.get(imm) ?? op) !== op || results.some((id) => used.has(id))) others.add(imm);
    else if (resources[imm]!.kind === 'storage') found.set(imm, op);
  });
  for (const entry of others) found.delete(entry);
  return found;
}

/** Recognises accesses to the fragment's own pixel. No other fragment accesses that pixel until the tile is done. */
export class OwnPixel {
  constructor(
    private readonly program: Accessing,
    private readonly definitions = definitionsOf(program.body)
  ) {}

  isAt(args: readonly ValueId[]): boolean {
    return this.isAcross(args) && this.definitions.get(args[2]!)?.op === 'const';
  }

  /** Compares only two dimensions. */
  isAcross(args: readonly ValueId[]): boolean {
    return this.isCoordinate(args[0]!, 0) && this.isCoordinate(args[1]!, 1);
  }

  /** Whether a value is a component of the position, rounded towards zero. */
  isCoordinate(id: ValueId, component: number): boolean {
    const definition = this.definitions.get(id);
    if (definition === undefined) return false;
    const { op, args, imm } = definition;
    switch (op) {
      case 'i32.fromF32':
      case 'u32.fromF32':
      case 'int.cast':
      case 'f32.floor':
      case 'f32.trunc':
        return this.isCoordinate(args[0]!, component);
      // No pixel coordinate exceeds this limit, so the minimum has no effect.
      case 'u32.min':
        return args.some((arg, k) => {
          const other = this.definitions.get(args[1 - k]!);
          return other?.op === 'const' && other.imm >>> 0 === 0x7fffffff && this.isCoordinate(arg, component);
        });
      case 'input': {
        const input = this.program.inputs[imm];
        return input?.kind === 'builtin' && input.builtin === 'position' && input.component === component;
      }
      default:
        return false;
    }
  }
}

/** Values that at least one node uses. */
export function usedValues(nodes: readonly IrNode[]): ReadonlySet<ValueId> {
  const used = new Set<ValueId>();
  forEachNode(nodes, (node) => {
    if (node.kind === 'op') for (const id of node.args) used.add(id);
    else if (node.kind === 'if') used.add(node.condition);
  });
  return used;
}
