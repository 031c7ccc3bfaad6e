// Writes the shader that calls a function: each invocation reads its arguments from words and writes its results.
import type { ShaderFunction, ShaderModuleVariable, ShaderType } from '../../index';
import type { Slot } from './bindings';
import { wordsOf } from './values';

/** Start of all names that are added to a module. */
const PREFIX = 'rasterloom_test_';
/** Place of the words, which modules hardly use. Resources of parameters are at the bindings from `PARAMETERS` on. */
const GROUP = 3;
const PARAMETERS = 700;
export const ENTRY = `${PREFIX}main`;
export const VERTEX_ENTRY = `${PREFIX}vertex`;
export const WORKGROUP_SIZE = 64;
/** Words before the arguments: the number of calls, 1 if quads have a call per pixel, and the quads in a row. */
export const HEADER = 3;

const words = (name: string, binding: number, access: 'read' | 'read_write'): Slot => ({
  name: `${PREFIX}${name}`,
  type: {
    name: 'array<u32>',
    kind: 'array',
    element: { name: 'u32', kind: 'scalar', scalar: 'u32' },
    count: null,
    stride: 4,
  },
  space: 'storage',
  access,
  group: GROUP,
  binding,
});
const ARGUMENTS = words('arguments', 998, 'read');
const RESULTS = words('results', 999, 'read_write');
export const OWN_SLOTS = [ARGUMENTS, RESULTS] as const;

/**
 * Where a function runs: many calls in a workgroup, each call in a workgroup of its own, or in the pixels of a picture,
 * of which each call has a quad or a pixel.
 */
export type Place = 'compute' | 'alone' | 'fragment';

export interface Wrapper {
  /** The module with an entry point behind it. Positions in the module stay the same, except in the first line. */
  readonly code: string;
  /** Characters before the first line of the module. */
  readonly shift: number;
  readonly place: Place;
  readonly argumentWords: number;
  readonly resultWords: number;
  /** The result, and what pointers hold after the call. */
  readonly results: readonly { readonly name: string | null; readonly type: ShaderType }[];
  /** Resources of parameters, by the index of the parameter. */
  readonly slots: ReadonlyMap<number, Slot>;
}

/** What a module needs to run each call in a workgroup of its own. */
const SHARES =
  /\benable\b[^;]*\bsubgroups\b|\b(workgroup|storage|texture)Barrier\b|\bvar\s*<\s*workgroup\b|ptr\s*<\s*workgroup\b/;
export const sharesWorkgroup = (code: string): boolean => SHARES.test(withoutComments(code));

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
    case 'atomic':
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

const hasAtomics = (type: ShaderType): boolean =>
  type.kind === 'atomic'
  || (type.kind === 'array' && hasAtomics(type.element))
  || (type.kind === 'struct' && type.members.some((member) => hasAtomics(member.type)));

/** Statements that assign the value whose words begin at `at`. */
function loadStatements(type: ShaderType, target: string, at: { word: number }): string {
  if (!hasAtomics(type)) return `${target} = ${loadExpression(type, at)};`;
  switch (type.kind) {
    case 'array':
      return Array.from({ length: type.count! }, (_, i) => loadStatements(type.element, `${target}[${i}]`, at)).join(
        ''
      );
    case 'struct':
      return type.members.map((member) => loadStatements(member.type, `${target}.${member.name}`, at)).join('');
    default:
      return `atomicStore(&${target}, ${loadExpression(type, at)});`;
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
    case 'atomic':
      return store(type.scalar, `atomicLoad(&${value})`);
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

/** Parameters as expressions, with the declarations and statements that they need. */
class Parameters {
  readonly declarations: string[] = [];
  readonly before: string[] = [];
  readonly slots = new Map<number, Slot>();
  /** Pointers whose targets are words. */
  readonly pointers: { readonly name: string; readonly type: ShaderType; readonly variable: string }[] = [];
  readonly at = { word: 0 };

  /** Loads a variable of the module. */
  assign({ name, type }: ShaderModuleVariable): void {
    wordsOf(type, `the variable ${name}`);
    this.before.push(loadStatements(type, name, this.at));
  }

  /** Makes a parameter. @returns its expression */
  add(index: number, { name, type }: ShaderFunction['parameters'][number], what: string): string {
    const variable = `${PREFIX}${index}`;
    const resource = resourceOf(type, variable, index);
    if (resource !== undefined) {
      const { space, access } = resource;
      const qualifier = space === 'handle' ? '' : space === 'storage' ? `<${space}, ${access}>` : `<${space}>`;
      this.declarations.push(
        `@group(${GROUP}) @binding(${resource.binding}) var${qualifier} ${variable}: ${resource.type.name};`
      );
      this.slots.set(index, resource);
      return type.kind === 'pointer' ? `&${variable}` : variable;
    }
    const target = type.kind === 'pointer' ? type.target : type;
    wordsOf(target, what);
    if (type.kind !== 'pointer') {
      this.before.push(`let ${variable} = ${loadExpression(type, this.at)};`);
      return variable;
    }
    if (type.space === 'function') this.before.push(`var ${variable}: ${target.name};`);
    else this.declarations.push(`var<${type.space}> ${variable}: ${target.name};`);
    this.before.push(loadStatements(target, variable, this.at));
    this.pointers.push({ name, type: target, variable });
    return `&${variable}`;
  }
}

/** The binding of a parameter that is no value: a texture, a sampler, or a pointer to a buffer. */
function resourceOf(type: ShaderType, name: string, index: number): Slot | undefined {
  const place = { name, group: GROUP, binding: PARAMETERS + index };
  switch (type.kind) {
    case 'texture':
    case 'storage-texture':
    case 'sampler':
      return { ...place, type, space: 'handle', access: 'read' };
    case 'pointer':
      if (type.space !== 'storage' && type.space !== 'uniform') return undefined;
      return { ...place, type: type.target, space: type.space, access: type.access };
    default:
      return undefined;
  }
}

/** Writes the shader for a function. @param assigned variables that get a value before each call */
export function wrapFunction(
  code: string,
  fn: ShaderFunction,
  assigned: readonly ShaderModuleVariable[],
  place: Place
): Wrapper {
  const given = new Parameters();
  for (const variable of assigned) given.assign(variable);
  const list = fn.parameters.map((each, i) => given.add(i, each, `${fn.name}: the parameter ${each.name}`));
  const to = { word: 0 };
  const after: string[] = [];
  const results: Wrapper['results'][number][] = [];
  // Tells whether the invocation was not discarded.
  if (place === 'fragment') after.push(`${PREFIX}results[${PREFIX}to + ${to.word++}u] = 1u;`);
  const call = `${fn.name}(${list.join()})`;
  if (fn.returns === null) given.before.push(`${call};`);
  else {
    wordsOf(fn.returns, `${fn.name}: the result`);
    given.before.push(`let ${PREFIX}result = ${call};`);
    after.push(storeStatements(fn.returns, `${PREFIX}result`, to));
    results.push({ name: null, type: fn.returns });
  }
  for (const { name, type, variable } of given.pointers) {
    after.push(storeStatements(type, variable, to));
    results.push({ name, type });
  }
  const argumentWords = given.at.word;
  const resultWords = Math.max(1, to.word);
  const wrapper = `
${OWN_SLOTS.map(declarationOf).join('\n')}
${given.declarations.join('\n')}
${START[place]}
let ${PREFIX}from = ${HEADER}u + ${PREFIX}call * ${argumentWords}u;
let ${PREFIX}to = ${PREFIX}call * ${resultWords}u;
${given.before.join('\n')}
${after.join('\n')}
}
`;
  // Arguments differ between invocations, even if those of the application do not.
  const prefix = place === 'fragment' ? 'diagnostic(off, derivative_uniformity);' : '';
  return {
    code: `${prefix}${code}\n${wrapper}`,
    shift: prefix.length,
    place,
    argumentWords,
    resultWords,
    results,
    slots: given.slots,
  };
}

const declarationOf = ({ name, type, access, group, binding }: Slot): string =>
  `@group(${group}) @binding(${binding}) var<storage, ${access}> ${name}: ${type.name};`;

const count = `${PREFIX}arguments[0]`;
const inRows = (id: string, wide: string): string => `let ${PREFIX}call = ${id}.y * ${wide} + ${id}.x;`;
/** Starts of the entry points, which find the number of the call. */
const START: Readonly<Record<Place, string>> = {
  compute: `
@compute @workgroup_size(${WORKGROUP_SIZE})
fn ${ENTRY}(@builtin(global_invocation_id) ${PREFIX}id: vec3u, @builtin(num_workgroups) ${PREFIX}groups: vec3u) {
${inRows(`${PREFIX}id`, `${PREFIX}groups.x * ${WORKGROUP_SIZE}u`)}
if (${PREFIX}call >= ${count}) { return; }`,
  alone: `
@compute @workgroup_size(1)
fn ${ENTRY}(@builtin(workgroup_id) ${PREFIX}id: vec3u, @builtin(num_workgroups) ${PREFIX}groups: vec3u) {
${inRows(`${PREFIX}id`, `${PREFIX}groups.x`)}
if (${PREFIX}call >= ${count}) { return; }`,
  // Invocations without a call of their own help to compute derivatives, and their writes have no effect.
  fragment: `
@vertex fn ${VERTEX_ENTRY}(@builtin(vertex_index) ${PREFIX}i: u32) -> @builtin(position) vec4f {
return vec4f(f32(${PREFIX}i & 1u) * 4 - 1, f32(${PREFIX}i >> 1u) * 4 - 1, 0, 1);
}
@fragment fn ${ENTRY}(@builtin(position) ${PREFIX}position: vec4f) {
let ${PREFIX}pixel = vec2u(${PREFIX}position.xy);
let ${PREFIX}lane = (${PREFIX}pixel.y & 1u) * 2u + (${PREFIX}pixel.x & 1u);
let ${PREFIX}quad = (${PREFIX}pixel.y >> 1u) * ${PREFIX}arguments[2] + (${PREFIX}pixel.x >> 1u);
let ${PREFIX}own = select(${PREFIX}quad, ${PREFIX}quad * 4u + ${PREFIX}lane, ${PREFIX}arguments[1] != 0u);
if (${PREFIX}own >= ${count} || (${PREFIX}arguments[1] == 0u && ${PREFIX}lane != 0u)) { discard; }
let ${PREFIX}call = min(${PREFIX}own, ${count} - 1u);`,
};

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
const withoutComments = (code: string): string => code.replace(/\/\/[^\n]*|\/\*[^]*?\*\//g, blank);

/**
 * Makes functions of entry points, so that they can be called: their attributes become spaces. Positions stay the same.
 */
export function withoutStages(code: string): string {
  const plain = withoutComments(code);
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
