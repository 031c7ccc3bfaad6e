// Reduces a failing program. Nodes are removed, branches and loops are replaced by their contents, and values by
// constants or their operands, as long as the program still fails. The rest is short enough to read.
import { validate, type Instruction, type IrNode, type IrProgram, type ScalarType, type ValueId } from '../../src/ir';
import { countNodes, forEachInstruction, forEachNode, leaves, mapArguments } from '../../src/ir/walk';

type List = readonly IrNode[];

/** Lists of a program in program order, each with a function that rebuilds the program with another list. */
function listsOf(program: IrProgram): { list: List; rebuilt: (list: List) => IrProgram }[] {
  const found: { list: List; rebuilt: (list: List) => IrProgram }[] = [];
  const visit = (list: List, rebuilt: (list: List) => IrProgram): void => {
    found.push({ list, rebuilt });
    list.forEach((node, index) => {
      const inside =
        (make: (inner: List) => IrNode) =>
        (inner: List): IrProgram =>
          rebuilt(list.with(index, make(inner)));
      if (node.kind === 'if') {
        visit(
          node.then,
          inside((then) => ({ ...node, then }))
        );
        visit(
          node.otherwise,
          inside((otherwise) => ({ ...node, otherwise }))
        );
      } else if (node.kind === 'block' || node.kind === 'loop') {
        visit(
          node.body,
          inside((body) => ({ ...node, body }))
        );
      }
    });
  };
  visit(program.body, (body) => ({ ...program, body }));
  return found;
}

/** Replacements of removed nodes: zeros for the values that others use. */
function zerosFor(program: IrProgram, removed: List): Instruction[] {
  const own = new Set<ValueId>();
  for (const node of removed) if (node.kind === 'op') for (const id of node.results) own.add(id);
  const used = new Set<ValueId>();
  forEachNode(program.body, (node) => {
    for (const id of node.kind === 'op' ? node.args : node.kind === 'if' ? [node.condition] : [])
      if (own.has(id)) used.add(id);
  });
  return [...used].map((id) => ({ kind: 'op', op: 'const', results: [id], args: [], imm: 0 }));
}

/** Programs with fewer nodes in one list: half of them first, single nodes last. */
function* withoutNodes(program: IrProgram): Generator<IrProgram> {
  for (const { list, rebuilt } of listsOf(program)) {
    for (let size = list.length; size >= 1; size = size >> 1) {
      for (let first = 0; first + size <= list.length; first += size) {
        const removed = list.slice(first, first + size);
        const zeros = zerosFor(program, removed);
        if (zeros.length < countNodes(removed))
          yield rebuilt([...list.slice(0, first), ...zeros, ...list.slice(first + size)]);
      }
    }
  }
}

/** Programs with a node replaced by its contents. */
function* unwrapped(program: IrProgram): Generator<IrProgram> {
  for (const { list, rebuilt } of listsOf(program)) {
    for (const [index, node] of list.entries()) {
      const into = (inner: List): IrProgram => rebuilt([...list.slice(0, index), ...inner, ...list.slice(index + 1)]);
      if (node.kind === 'if') {
        yield into(node.then);
        yield into(node.otherwise);
      }
      if ((node.kind === 'block' || node.kind === 'loop') && !leaves(node.body, node.label)) yield into(node.body);
      if (node.kind === 'loop') yield rebuilt(list.with(index, { ...node, kind: 'block' }));
    }
  }
}

const simple: Readonly<Record<ScalarType, readonly number[]>> = {
  bool: [0, 0xffffffff],
  i32: [0, 1],
  u32: [0, 1],
  f32: [0, 0x3f800000],
};

/** Programs with a result replaced by an argument or a constant. */
function* simplerValues(program: IrProgram): Generator<IrProgram> {
  for (const { list, rebuilt } of listsOf(program)) {
    for (const [index, node] of list.entries()) {
      if (node.kind !== 'op' || node.results.length !== 1) continue;
      const [result] = node.results as [ValueId];
      const type = program.values[result]!;
      if (node.op !== 'const') {
        for (const arg of node.args) {
          if (program.values[arg] !== type) continue;
          const short = rebuilt([...list.slice(0, index), ...list.slice(index + 1)]);
          yield { ...short, body: mapArguments(short.body, (id) => (id === result ? arg : id)) };
        }
      }
      const rank = node.op === 'const' ? simple[type].indexOf(node.imm) : -1;
      const better = rank < 0 ? simple[type] : simple[type].slice(0, rank);
      for (const imm of better)
        yield rebuilt(list.with(index, { kind: 'op', op: 'const', results: [result], args: [], imm }));
    }
  }
}

/** Merges equal constants at the start. */
function tidied(program: IrProgram): IrProgram {
  const first = new Map<string, ValueId>();
  const same = new Map<ValueId, ValueId>();
  const constants: Instruction[] = [];
  forEachInstruction(program.body, (instruction) => {
    if (instruction.op !== 'const') return;
    const key = `${program.values[instruction.results[0]!]} ${instruction.imm}`;
    if (!first.has(key)) {
      first.set(key, instruction.results[0]!);
      constants.push(instruction);
    }
    same.set(instruction.results[0]!, first.get(key)!);
  });
  const strip = (list: List): IrNode[] =>
    list.flatMap((node): IrNode[] => {
      switch (node.kind) {
        case 'op':
          return node.op === 'const' ? [] : [node];
        case 'if':
          return [{ ...node, then: strip(node.then), otherwise: strip(node.otherwise) }];
        case 'leave':
          return [node];
        default:
          return [{ ...node, body: strip(node.body) }];
      }
    });
  return { ...program, body: [...constants, ...mapArguments(strip(program.body), (id) => same.get(id) ?? id)] };
}

function isValid(program: IrProgram): boolean {
  try {
    validate(program);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the smallest program found that is valid and for which `fails` is still true. `fails` receives programs with
 * the outputs, inputs and resources of `program`, and should not count exceptions of other kinds as failures. At most
 * `attempts` programs are tried.
 */
export function reduce(program: IrProgram, fails: (program: IrProgram) => boolean, attempts = 20_000): IrProgram {
  let best = program;
  let left = attempts;
  const better = (candidate: IrProgram): boolean => left-- > 0 && isValid(candidate) && fails(candidate);
  const first = tidied(best);
  if (better(first)) best = first;
  for (let changed = true; changed && left > 0;) {
    changed = false;
    for (const step of [withoutNodes, unwrapped, simplerValues]) {
      for (let found = true; found && left > 0;) {
        found = false;
        for (const candidate of step(best)) {
          if (!better(candidate)) continue;
          const neat = tidied(candidate);
          best = better(neat) ? neat : candidate;
          changed = found = true;
          break;
        }
      }
    }
  }
  return best;
}
