// Writes the shader that calls a function: each invocation reads its arguments from words and writes its results.
import type { ShaderFunction, ShaderModuleVariable, ShaderType } from '../../index';
import { wordsOf } from './values';

/** Start of all names that are added to a module. */
const PREFIX = 'rasterloom_test_';
/** Place of the words, which modules hardly use. */
export const GROUP = 3;
export const ARGUMENTS = 998;
export const RESULTS = 999;
export const ENTRY = `${PREFIX}main`;
export const WORKGROUP_SIZE = 64;

export interface Wrapper {
  /** The module with an entry point behind it. Positions in the module stay the same. */
  readonly code: string;
  readonly argumentWords: number;
  readonly resultWords: number;
  /** The result, and what pointers hold after the call. */
  readonly results: readonly { readonly name: string | null; readonly type: ShaderType }[];
}

const loaded = (scalar: string, word: string): string => {
  if (scalar === 'u32') return word;
  if (scalar === 'bool') return `(${word} != 0u)`;
  return scalar === 'f16' ? `f16(bitcast<f32>(${word}))` : `bitcast<${scalar}>(${word})`;
};
const stored = (scalar: string, value: string): string => {
  if (scalar === 'bool') return `select(0u, 1u, ${value})`;
  return scalar === 'f16' ? `bitcast<u32>(f32(${value}))` : `bitcast<u32>(${value})`;
};

/** An expression of the value whose words begin at `at`. */
function loadExpression(type: ShaderType, at: { word: number }): string {
  const word = (): string => `${PREFIX}arguments[${PREFIX}from + ${at.word++}u]`;
  const list = (count: number, one: () => string): string =>
    `${type.name}(${Array.from({ length: count }, one).join()})`;
  switch (type.kind) {
    case 'scalar':
      return loaded(type.scalar, word());
    case 'vector':
      return list(type.size, () => loaded(type.scalar, word()));
    case 'matrix':
      return list(type.columns * type.rows, () => loaded(type.scalar, word()));
    case 'array':
      return list(type.count!, () => loadExpression(type.element, at));
    case 'struct':
      return `${type.name}(${type.members.map((member) => loadExpression(member.type, at)).join()})`;
    default:
      throw new TypeError(`the type ${type.name} has no values`);
  }
}

/** Statements that store a value. */
function storeStatements(type: ShaderType, value: string, at: { word: number }): string {
  const store = (scalar: string, part: string): string =>
    `${PREFIX}results[${PREFIX}to + ${at.word++}u] = ${stored(scalar, part)};`;
  const many = (count: number, one: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => one(i)).join('');
  switch (type.kind) {
    case 'scalar':
      return store(type.scalar, value);
    case 'vector':
      return many(type.size, (i) => store(type.scalar, `${value}[${i}]`));
    case 'matrix':
      return many(type.columns * type.rows, (i) =>
        store(type.scalar, `${value}[${Math.floor(i / type.rows)}][${i % type.rows}]`)
      );
    case 'array':
      return many(type.count!, (i) => storeStatements(type.element, `${value}[${i}]`, at));
    case 'struct':
      return type.members.map((member) => storeStatements(member.type, `${value}.${member.name}`, at)).join('');
    default:
      throw new TypeError(`the type ${type.name} has no values`);
  }
}

/** Writes the shader for a function. @param privates variables that get a value before each call */
export function wrapFunction(code: string, fn: ShaderFunction, privates: readonly ShaderModuleVariable[]): Wrapper {
  const at = { word: 0 };
  const before: string[] = [];
  const results: Wrapper['results'][number][] = [];
  let argumentWords = 0;
  for (const { name, type } of privates) {
    argumentWords += wordsOf(type, `the variable ${name}`);
    before.push(`${name} = ${loadExpression(type, at)};`);
  }
  const parameters = fn.parameters.map(({ name, type }, i) => {
    const what = `${fn.name}: the parameter ${name}`;
    if (type.kind === 'pointer' && type.space !== 'function')
      throw new TypeError(`${what} is a pointer to ${type.space}; only pointers to function variables can be passed`);
    const target = type.kind === 'pointer' ? type.target : type;
    argumentWords += wordsOf(target, what);
    before.push(`var ${PREFIX}${i} = ${loadExpression(target, at)};`);
    return type.kind === 'pointer' ? `&${PREFIX}${i}` : `${PREFIX}${i}`;
  });
  const to = { word: 0 };
  const after: string[] = [];
  const call = `${fn.name}(${parameters.join()})`;
  if (fn.returns === null) before.push(`${call};`);
  else {
    wordsOf(fn.returns, `${fn.name}: the result`);
    before.push(`let ${PREFIX}result = ${call};`);
    after.push(storeStatements(fn.returns, `${PREFIX}result`, to));
    results.push({ name: null, type: fn.returns });
  }
  fn.parameters.forEach(({ name, type }, i) => {
    if (type.kind !== 'pointer') return;
    after.push(storeStatements(type.target, `${PREFIX}${i}`, to));
    results.push({ name, type: type.target });
  });
  const wrapper = `
@group(${GROUP}) @binding(${ARGUMENTS}) var<storage, read> ${PREFIX}arguments: array<u32>;
@group(${GROUP}) @binding(${RESULTS}) var<storage, read_write> ${PREFIX}results: array<u32>;
@compute @workgroup_size(${WORKGROUP_SIZE})
fn ${ENTRY}(@builtin(global_invocation_id) ${PREFIX}id: vec3u, @builtin(num_workgroups) ${PREFIX}groups: vec3u) {
let ${PREFIX}call = ${PREFIX}id.y * ${PREFIX}groups.x * ${WORKGROUP_SIZE}u + ${PREFIX}id.x;
if (${PREFIX}call >= ${PREFIX}arguments[0]) { return; }
let ${PREFIX}from = 1u + ${PREFIX}call * ${argumentWords}u;
let ${PREFIX}to = ${PREFIX}call * ${Math.max(1, to.word)}u;
${before.join('\n')}
${after.join('\n')}
}
`;
  return { code: `${code}\n${wrapper}`, argumentWords, resultWords: Math.max(1, to.word), results };
}

/**
 * Makes functions of entry points, so that they can be called: their attributes become spaces. Positions stay the same.
 */
export function withoutStages(code: string): string {
  const plain = code.replace(/\/\/[^\n]*|\/\*[^]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '));
  const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
  let out = code;
  const header = /((?:@\w+\s*(?:\((?:[^()]|\([^()]*\))*\))?\s*)*)\bfn\s+[\p{XID_Start}_]\p{XID_Continue}*\s*\(/gu;
  for (const found of plain.matchAll(header)) {
    if (!/@(vertex|fragment|compute)\b/.test(found[1]!)) continue;
    const start = found.index;
    const end = plain.indexOf('{', start);
    const attributes = /@\w+(\s*\((?:[^()]|\([^()]*\))*\))?/g;
    const head = plain.slice(start, end);
    for (const attribute of head.matchAll(attributes)) {
      const at = start + attribute.index;
      out = out.slice(0, at) + blank(attribute[0]) + out.slice(at + attribute[0].length);
    }
  }
  return out;
}
