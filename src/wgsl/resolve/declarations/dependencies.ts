// Finds the names at module scope on which a declaration depends and which must be resolved first. Names are found in
// the syntax only, so that even a chain of a hundred thousand declarations in any order is followed by a loop and not
// by recursion.

import type { Attribute, Expression, GlobalDeclaration } from '../../syntax';
import type { Binding } from '../context';

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
    case 'literal':
      return;
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
    case 'member':
      return visit(node.base, add);
    case 'unary':
      return visit(node.operand, add);
    case 'binary':
      visit(node.left, add);
      return visit(node.right, add);
  }
}

/**
 * The unresolved entries on which a declaration depends, in the order of resolution: attributes, types, values.
 * Function bodies are resolved later.
 */
function dependenciesOf(declaration: NamedDeclaration, entries: ReadonlyMap<string, Entry>): Entry[] {
  const found: Entry[] = [];
  const add = (name: string): void => {
    const entry = entries.get(name);
    if (entry?.binding === null) found.push(entry);
  };
  const visitAttributes = (attributes: readonly Attribute[]): void => {
    for (const { name, args } of attributes) if (!WITH_WORDS.has(name.text)) for (const arg of args) visit(arg, add);
  };
  switch (declaration.kind) {
    case 'alias':
      visit(declaration.type, add);
      break;
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

/** A declaration being resolved, its dependencies, and the index of the next one to visit. */
interface Resolving {
  readonly entry: Entry;
  readonly made: readonly Entry[];
  next: number;
}

/** Resolves a declaration after all its dependencies. */
export function resolveInOrder(
  first: Entry,
  entries: ReadonlyMap<string, Entry>,
  resolve: (declaration: NamedDeclaration) => Binding
): void {
  const made = dependenciesOf(first.declaration, entries);
  first.binding = 'open';
  if (made.length > 0) resolveBelow({ entry: first, made, next: 0 }, entries, resolve);
  else close(first, resolve);
}

function close(entry: Entry, resolve: (declaration: NamedDeclaration) => Binding): void {
  const binding = resolve(entry.declaration);
  // If a cycle was found in between, the binding is already set.
  if (entry.binding === 'open') entry.binding = binding;
}

function resolveBelow(
  first: Resolving,
  entries: ReadonlyMap<string, Entry>,
  resolve: (declaration: NamedDeclaration) => Binding
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
