// Runs ES modules of the package as CommonJS, so that the package has one file for both. Older versions of Node, and
// test runners, cannot require ES modules.
import { readFileSync } from 'node:fs';

/** The statement with which a bundle without imports ends. */
const EXPORTS = /^export\s*\{([^{}]*)\}\s*;?\s*$/;

/** Code of a CommonJS file, or of a minified ES module that imports nothing, for a function with an `exports`. */
export function commonText(path: string): string {
  const text = readFileSync(path, 'latin1');
  if (path.endsWith('.cjs')) return text;
  const end = text.lastIndexOf('export');
  const names = EXPORTS.exec(text.slice(end))?.[1];
  if (names === undefined || text.startsWith('import')) throw new SyntaxError(`${path} is not a module of the package`);
  const statements = names.split(',').map((each) => {
    const [local, name = local] = each.trim().split(/\s+as\s+/) as [string, string?];
    return `exports.${name}=${local};`;
  });
  return `'use strict';${text.slice(0, end)}${statements.join('')}`;
}

/** Runs a module in this context, which may not be the main one. */
export function requireText(path: string): object {
  const exports = {};
  // `new Function` belongs to the context of this code; scripts of node:vm do not.
  (new Function('exports', `${commonText(path)}\n//# sourceURL=${path}`) as (exports: object) => void)(exports);
  return exports;
}
