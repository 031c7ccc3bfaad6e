// Which names at module scope a declaration is made of: what must be resolved before it. Names are found in the syntax
// alone, so that a chain of a hundred thousand declarations in any order is followed by a loop, not by recursion.

import type { Attribute, Expression, GlobalDeclaration } from '../syntax';
import type { Binding } from './context';

export type NamedDeclaration = Exclude<GlobalDeclaration, { kind: 'const_assert' }>;

/** A name at module scope. */
export interface Entry {
  readonly declaration: NamedDeclaration;
  /** null until resolved; 'open' while its own resolution runs. */
  binding: Binding | 'open' | null;
}

/** Attributes whose arguments are words of the language. */
const WITH_WORDS: ReadonlySet<string> = new Set(['builtin', 'interpolate', 'diagnostic']);

function visit(node: Expression, add: (name: string) => void): void {
  switch (node.kind) {
    case 'literal': return;
    case 'ident':
      add(node.name.text);
      for (const arg of node.template ?? []) visit(arg, add);
      return;
    case 'call':
      visit(node.callee, add);
      for (const arg of node.args) visit(arg, add);
      return;
    case 'index':
      visit(node.base, add);
      return visit(node.index, add);
    case 'member': return visit(node.base, add);
    case 'unary': return visit(node.operand, add);
    case 'binary':
      visit(node.left, add);
      return visit(node.right, add);
  }
}

/**
 * Those of `entries` that are not resolved yet, in the order in which they are resolved: attributes, types, values.
 * Bodies of functions come later.
 */
function dependenciesOf(declaration: NamedDeclaration, entries: ReadonlyMap<string, Entry>): Entry[] {
  const found: Entry[] = [];
  const add = (name: string): void => {
    const entry = entries.get(name);
    if (entry?.binding === null) found.push(entry);
  };
  const visitAttributes = (attributes: readonly Attribute[]): void => {
    for (const { name, args } of attributes)
      if (!WITH_WORDS.has(name.text)) for (const arg of args) visit(arg, add);
  };
  switch (declaration.kind) {
    case 'alias': visit(declaration.type, add); break;
    case 'struct':
      for (const member of declaration.members) {
        visitAttributes(member.attributes);
        visit(member.type, add);
      }
      break;
    case 'variable':
      visitAttributes(declaration.attributes);
      for (const word of declaration.template ?? []) visit(word, add);
      if (declaration.type !== null) visit(declaration.type, add);
      if (declaration.init !== null) visit(declaration.init, add);
      break;
    case 'function':
      visitAttributes(declaration.attributes);
      for (const parameter of declaration.parameters) {
        visit(parameter.type, add);
        visitAttributes(parameter.attributes);
      }
      if (declaration.returnType !== null) visit(declaration.returnType, add);
      visitAttributes(declaration.returnAttributes);
  }
  return found;
}

/** A declaration being resolved, and what it is made of, up to the next one to look at. */
interface Resolving {
  readonly entry: Entry;
  readonly made: readonly Entry[];
  next: number;
}

/** Resolves a declaration behind all that it is made of. */
export function resolveInOrder(
  first: Entry, entries: ReadonlyMap<string, Entry>, resolve: (declaration: NamedDeclaration) => Binding
): void {
  const made = dependenciesOf(first.declaration, entries);
  first.binding = 'open';
  if (made.length > 0) resolveBelow({ entry: first, made, next: 0 }, entries, resolve);
  else close(first, resolve);
}

function close(entry: Entry, resolve: (declaration: NamedDeclaration) => Binding): void {
  const binding = resolve(entry.declaration);
  // A cycle found on the way has already set the binding.
  if (entry.binding === 'open') entry.binding = binding;
}

function resolveBelow(
  first: Resolving, entries: ReadonlyMap<string, Entry>, resolve: (declaration: NamedDeclaration) => Binding
): void {
  const around = [first];
  for (let top = around.at(-1); top !== undefined; top = around.at(-1)) {
    const next = top.made[top.next++];
    if (next === undefined) {
      around.pop();
      close(top.entry, resolve);
    } else if (next.binding === null) {
      next.binding = 'open';
      around.push({ entry: next, made: dependenciesOf(next.declaration, entries), next: 0 });
    }
  }
}
