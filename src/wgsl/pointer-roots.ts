// Finds the variables to which the pointers of a function body point.

import type { Expr, FunctionDef, Place, Stmt } from './hir';

/** The variable of a pointer or place. A parameter stands for the variable that is passed. */
export type Root = { readonly parameter: number } | { readonly local: number } | { readonly global: number };

/** Statements must be noted in text order. */
export class PointerRoots {
  /** The targets of parameters and `let`s that hold pointers. */
  private readonly roots = new Map<number, Root>();

  constructor({ locals, parameterCount }: FunctionDef) {
    for (let parameter = 0; parameter < parameterCount; parameter++)
      if (locals[parameter]!.type.kind === 'pointer') this.roots.set(parameter, { parameter });
  }

  note(stmt: Stmt): void {
    if (stmt.kind === 'let' && stmt.value.type.kind === 'pointer') this.roots.set(stmt.local, this.of(stmt.value));
  }

  ofPlace({ root }: Place): Root {
    if (root.root === 'pointer') return this.of(root.pointer);
    return root.root === 'global' ? { global: root.global } : { local: root.local };
  }

  of(pointer: Expr): Root {
    return pointer.op === 'address-of'
      ? this.ofPlace(pointer.place)
      : pointer.op === 'builtin'
        ? this.of(pointer.args[0]!)
        : pointer.op === 'local'
          ? (this.roots.get(pointer.local) ?? { local: pointer.local })
          : { local: -1 };
  }
}
