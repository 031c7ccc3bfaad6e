// Decides whether the order of a fragment shader's quads is observable when the quads of a warp execute together, that
// is, each instruction for all quads in turn. No two quads of a warp are at the same position.
//
// If the order is not observable, the interpreter runs the quads together. A histogram of 1280×720 pixels took 40 ms
// instead of 157 ms, lists of fragments 79 instead of 237 ms, and sums per pixel 39 instead of 128 ms.

import { WORD } from '../base/bits';
import { COMMUTING, OwnPixel, usedValues, type Accessing } from './accesses';
import { isAtomic } from './ops';
import { areSameRows, RowFinder, type PixelRows } from './pixel-rows';
import type { Instruction, IrNode, ValueId } from './program';
import { definitionsOf, type Definitions } from './walk';

/** Maximum number of accesses to one resource that are analysed, because each is compared with each. */
const MAX_COMPARED_ACCESSES = 64;

/** What is known about a number: it is `rest` modulo `modulus`, or exactly `rest` if the modulus is 0. */
interface Residue {
  readonly modulus: number;
  readonly rest: number;
}
const ANY: Residue = { modulus: 1, rest: 0 };

interface Use {
  readonly op: string;
  /** Images: whether the access is to the fragment's own pixel. */
  readonly isOwn: boolean;
  readonly isInLoop: boolean;
  /** Whether the operation leaves the same contents in any order, and its result is unused. */
  readonly commutes: boolean;
  /** Offset of the word in the buffer. */
  readonly word: Residue;
  readonly rows: PixelRows | null;
}

/** Whether the order is seen, unseen, or unseen in draw calls whose buffers have an element for every pixel. */
export type QuadOrder = 'seen' | 'unseen' | readonly PixelRows[];

const found = new WeakMap<readonly IrNode[], QuadOrder>();
export function quadOrder(program: Accessing): QuadOrder {
  let order = found.get(program.body);
  if (order === undefined) found.set(program.body, (order = findOrder(program)));
  return order;
}

/**
 * If quads execute one after another, each resource sees all accesses of one quad before those of the next. The
 * contents are the same if the accesses of two quads belong to one instruction, touch different words, change nothing,
 * or commute.
 */
function findOrder(program: Accessing): QuadOrder {
  const rows: PixelRows[] = [];
  for (const uses of usesOf(program) ?? [[SEEN, SEEN]]) {
    if (uses.length > MAX_COMPARED_ACCESSES) return 'seen';
    for (const [a] of meetings(uses)) {
      if (!a) return 'seen';
      if (!rows.some((other) => areSameRows(other, a))) rows.push(a);
    }
  }
  return rows.length > 0 ? rows : 'unseen';
}
const SEEN: Use = { op: 'image.store', isOwn: false, isInLoop: true, commutes: false, word: ANY, rows: null };

/** Whether the order of several runs for the same pixel is observable when they execute together. */
export function exposesRunOrder(program: Accessing): boolean {
  let shows = runsSeen.get(program.body);
  if (shows === undefined) runsSeen.set(program.body, (shows = findRunOrder(program)));
  return shows;
}
const runsSeen = new WeakMap<readonly IrNode[], boolean>();

/**
 * Decides whether the order is observable. Unlike two quads, two runs for the same pixel conflict even on the pixel's
 * own elements. Only accesses to different words are independent.
 */
function findRunOrder(program: Accessing): boolean {
  const uses = usesOf(program);
  if (uses === null) return true;
  for (const ofResource of uses) {
    if (ofResource.length > MAX_COMPARED_ACCESSES) return true;
    const shared = ofResource.map((use): Use => ({ ...use, isOwn: false, rows: null }));
    if (!meetings(shared).next().done) return true;
  }
  return false;
}

/** Pairs of accesses to one resource that may conflict. Yields the rows to which both are confined, or null. */
function* meetings(uses: readonly Use[]): Generator<readonly [PixelRows | null]> {
  for (let i = 0; i < uses.length; i++)
    for (let k = i; k < uses.length; k++) {
      const a = uses[i]!;
      const b = uses[k]!;
      if (meet(a, b, i === k)) yield [a.rows && b.rows && areSameRows(a.rows, b.rows) ? a.rows : null];
    }
}

const isLoad = ({ op }: Use): boolean => op.endsWith('.load');

function meet(a: Use, b: Use, isSame: boolean): boolean {
  if ((isLoad(a) && isLoad(b)) || (a.isOwn && b.isOwn) || (a.commutes && b.commutes && a.op === b.op)) return false;
  return isSame ? a.isInLoop : !areApart(a.word, b.word);
}

/**
 * Accesses to writable resources, grouped by resource; null if the program stores to samples of surfaces, which this
 * analysis does not cover.
 */
function usesOf(program: Accessing): Iterable<readonly Use[]> | null {
  const { body, resources } = program;
  const found = new Map<number, Use[]>();
  const definitions = definitionsOf(body);
  const own = new OwnPixel(program, definitions);
  const used = usedValues(body);
  const offsets = new Offsets(definitions);
  const rows = new RowFinder(own, definitions);
  let isKnown = true;
  const take = ({ op, imm, args, results }: Instruction, isInLoop: boolean): void => {
    if (op === 'surface.store') isKnown = false;
    const isImage = op === 'image.load' || op === 'image.store';
    if (!isImage && !op.startsWith('storage.') && !isAtomic(op)) return;
    const kind = resources[imm]?.kind;
    if (kind === 'counters' || kind === 'workgroup') return;
    const isUsed = results.some((id) => used.has(id));
    if (op === 'storage.load' && !isUsed) return;
    const uses = found.get(imm) ?? [];
    found.set(imm, uses);
    uses.push({
      op,
      isInLoop,
      isOwn: isImage && own.isAt(args),
      commutes: COMMUTING.has(op) && !isUsed,
      word: isImage ? ANY : wordOf(offsets.of(args[0]!)),
      rows: isImage ? null : rows.of(imm, args[0]!),
    });
  };
  const walk = (nodes: readonly IrNode[], isInLoop: boolean): void => {
    for (const node of nodes) {
      if (node.kind === 'op') take(node, isInLoop);
      else if (node.kind === 'if') {
        walk(node.then, isInLoop);
        walk(node.otherwise, isInLoop);
      } else if (node.kind !== 'leave') walk(node.body, isInLoop || node.kind === 'loop');
    }
  };
  walk(body, false);
  return isKnown ? found.values() : null;
}

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b));
const residue = (modulus: number, rest: number): Residue => ({ modulus, rest: modulus ? rest % modulus : rest });

/** A half lies within its word. */
function wordOf({ modulus, rest }: Residue): Residue {
  return modulus % WORD === 0 ? { modulus, rest: rest - (rest % WORD) } : ANY;
}

/** Whether two numbers can never be equal. */
function areApart(a: Residue, b: Residue): boolean {
  const modulus = commonDivisor(a.modulus, b.modulus);
  const apart = Math.abs(a.rest - b.rest);
  return modulus === 0 ? apart !== 0 : apart % modulus !== 0;
}

/**
 * Analyses byte offsets: element size times index, plus the offset of a member. The lowering clamps indices to their
 * array, so all offsets lie within the buffer, and no product or sum overflows.
 */
class Offsets {
  private readonly known = new Map<ValueId, Residue>();
  constructor(private readonly definitions: Definitions) {}

  of(id: ValueId): Residue {
    const known = this.known.get(id) ?? this.find(this.definitions.get(id)!);
    this.known.set(id, known);
    return known;
  }

  private find({ op, args, imm }: Instruction): Residue {
    switch (op) {
      case 'const':
        return { modulus: 0, rest: imm >>> 0 };
      case 'int.cast':
        return this.of(args[0]!);
      case 'int.add': {
        const a = this.of(args[0]!);
        const b = this.of(args[1]!);
        return residue(commonDivisor(a.modulus, b.modulus), a.rest + b.rest);
      }
      case 'int.mul':
        return this.times(args[0]!, this.of(args[1]!));
      case 'int.shl': {
        const { modulus, rest } = this.of(args[1]!);
        return this.times(args[0]!, modulus === 0 ? { modulus, rest: 2 ** (rest & 31) } : ANY);
      }
      default:
        return ANY;
    }
  }

  private times(id: ValueId, by: Residue): Residue {
    if (by.modulus !== 0 || by.rest === 0) return ANY;
    const { modulus, rest } = this.of(id);
    return residue(modulus * by.rest, rest * by.rest);
  }
}
