// Overload resolution for built-in functions (WGSL §6.1.3). Matches patterns against argument types and chooses the
// best match by conversion rank. The patterns of a function are parsed from builtin-table.ts when it is first used.

import { assert, unreachable } from '../base/assert';
import { CLASS_TEXT, SCALAR_CLASSES, SIGNATURES } from './builtin-table';
import type { ScalarClass } from './builtin-table';
import { layOutStruct } from './layout';
import { PREDECLARED_TYPES, STORAGE_TEXTURE_FAMILIES, TEXTURE_FAMILIES, texelScalar } from './predeclared';
import { matrixType, scalarOf, scalarRank, scalarType, textureType, U32, vectorType, VOID } from './type-store';
import type { Extent } from './type-store';
import type { Scalar, StorageTextureType, StructType, TextureType, Type } from './types';

/** A scalar, or the letter that stands for one. */
type ScalarPattern = { readonly letter: string } | { readonly scalar: Scalar };
type Dimension = Extent | string;

type Pattern =
  | { readonly kind: 'scalar'; readonly of: ScalarPattern }
  | { readonly kind: 'vector'; readonly size: Dimension; readonly of: ScalarPattern }
  | { readonly kind: 'matrix'; readonly columns: Dimension; readonly rows: Dimension; readonly of: ScalarPattern }
  | {
      readonly kind: 'texture';
      readonly dimension: TextureType['dimension'];
      readonly multisampled: boolean;
      readonly letter: string;
    }
  | {
      readonly kind: 'storage-texture';
      readonly dimension: StorageTextureType['dimension'];
      readonly multisampled: boolean;
    }
  /** A vec4 of the scalar type of the storage texture's format. */
  | { readonly kind: 'texel' }
  /** A texel with the mask of the samples that hold it, and their state. */
  | { readonly kind: 'loaded'; readonly isDepth: boolean }
  | { readonly kind: 'exact'; readonly type: Type };

interface Overload {
  readonly parameters: readonly Pattern[];
  readonly result: Pattern;
  readonly classes: ReadonlyMap<string, readonly Scalar[]>;
}

/** Overloads chosen by earlier calls, as a tree over argument types. */
interface Chosen {
  readonly next: Map<Type, Chosen>;
  match: Match | null;
}

interface Builtin {
  readonly overloads: readonly Overload[];
  /** For calls with only const-expressions as arguments, and for others. Matching types belong to no module. */
  readonly chosen: { readonly abstract: Chosen; readonly concrete: Chosen };
  readonly lines: readonly string[];
}

/** A chosen overload with its letters replaced. */
interface Match {
  readonly parameters: readonly Type[];
  readonly result: Type;
}

const cache = new Map<string, Builtin>();

export function isPatternBuiltin(name: string): boolean {
  return SIGNATURES.has(name);
}

function builtin(name: string): Builtin {
  let entry = cache.get(name);
  if (entry === undefined) {
    const lines = SIGNATURES.get(name);
    assert(lines !== undefined, `wgsl: no built-in function ${name}`);
    entry = {
      overloads: lines.flatMap(parseOverloads),
      lines,
      chosen: { abstract: { next: new Map(), match: null }, concrete: { next: new Map(), match: null } },
    };
    cache.set(name, entry);
  }
  return entry;
}

// ── Parsing the table ────────────────────────────────────────────────────────────────────────

function parseOverloads(line: string): Overload[] {
  if (!line.includes('*')) return [parseOverload(line)];
  return [parseOverload(line.replace(/([A-Z])\*/g, '$1')), parseOverload(line.replace(/([A-Z])\*/g, 'vecN<$1>'))];
}

function parseOverload(line: string): Overload {
  const [shape, letters = ''] = line.split('; ') as [string, string?];
  const [parameters, result] = shape.split(' -> ') as [string, string];
  const classes = new Map<string, readonly Scalar[]>();
  for (const entry of letters.split(', ')) {
    const [letter, name] = entry.split(' ');
    if (letter !== undefined && name !== undefined) classes.set(letter, SCALAR_CLASSES[name as ScalarClass]);
  }
  const list = parameters.slice(1, -1);
  return { parameters: list === '' ? [] : list.split(', ').map(parsePattern), result: parsePattern(result), classes };
}

function parsePattern(text: string): Pattern {
  if (/^[A-Z]$/.test(text)) return { kind: 'scalar', of: { letter: text } };
  if (text === 'void') return { kind: 'exact', type: VOID };
  if (text === 'texel') return { kind: text };
  if (text.startsWith('loaded')) return { kind: 'loaded', isDepth: text === 'loaded depth' };
  const storage = STORAGE_TEXTURE_FAMILIES.get(text);
  if (storage !== undefined) return { kind: 'storage-texture', ...storage };
  const predeclared = PREDECLARED_TYPES.get(text);
  if (predeclared !== undefined)
    return predeclared.kind === 'scalar'
      ? { kind: 'scalar', of: { scalar: predeclared.scalar } }
      : { kind: 'exact', type: predeclared };
  const family = /^(\w+)<(\w+)>$/.exec(text);
  assert(family !== null, `wgsl: bad pattern ${text}`);
  return parseFamily(family[1]!, scalarPattern(family[2]!));
}

function scalarPattern(text: string): ScalarPattern {
  return /^[A-Z]$/.test(text) ? { letter: text } : { scalar: text as Scalar };
}

const dimension = (text: string): Dimension => (/\d/.test(text) ? (Number(text) as Extent) : text);

function parseFamily(family: string, of: ScalarPattern): Pattern {
  const vector = /^vec(.)$/.exec(family);
  if (vector !== null) return { kind: 'vector', size: dimension(vector[1]!), of };
  const matrix = /^mat(.)x(.)$/.exec(family);
  if (matrix !== null) return { kind: 'matrix', columns: dimension(matrix[1]!), rows: dimension(matrix[2]!), of };
  const texture = TEXTURE_FAMILIES.get(family);
  assert(texture !== undefined, `wgsl: bad pattern ${family}`);
  if ('letter' in of) return { kind: 'texture', ...texture, letter: of.letter };
  return { kind: 'exact', type: textureType(texture.dimension, of.scalar as 'f32', texture.multisampled) };
}

function candidateText(name: string, line: string): string {
  const [shape, letters] = line.split('; ') as [string, string?];
  const readable = shape
    .replace(/vec([234])<(f32|i32|u32)>/g, (_, size: string, scalar: string) => `vec${size}${scalar.charAt(0)}`)
    .replace(/ -> void$/, '')
    .replace(/loaded( depth)?$/, '{ value, mask, state }');
  if (letters === undefined) return name + readable;
  const where = letters.split(', ').map((entry) => {
    const [letter, scalarClass] = entry.split(' ') as [string, ScalarClass];
    const text = CLASS_TEXT[scalarClass];
    return `${letter} is ${text}${shape.includes(`${letter}*`) ? ' or a vector of it' : ''}`;
  });
  return `${name}${readable.replace(/\*/g, '')}, ${where.join(', ')}`;
}

/** The signatures of a built-in function, for the note under "no matching overload". */
export function candidatesOf(name: string): readonly string[] {
  return builtin(name).lines.map((line) => candidateText(name, line));
}

const loadedStructs = new Map<Type, StructType>();

/** Result type of textureLoadSample and textureLoadSamples. */
function loadedStruct(value: Type): StructType {
  let type = loadedStructs.get(value);
  if (type === undefined) {
    const members = [
      ['value', value],
      ['mask', U32],
      ['state', U32],
    ] as const;
    type = layOutStruct(
      `__texture_load_sample_result_${value.kind === 'scalar' ? 'depth' : scalarOf(value)}`,
      members.map(([name, member]) => ({ name, type: member, io: {}, align: null, size: null }))
    );
    loadedStructs.set(value, type);
  }
  return type;
}

// ── Matching ─────────────────────────────────────────────────────────────────────────────────

/** The current bindings of one overload's letters. */
class Solution {
  private readonly sizes = new Map<string, Extent>();
  private readonly wanted = new Map<string, Scalar[]>();
  private readonly solved = new Map<string, Scalar>();
  private texel: Scalar | null = null;
  rank = 0;

  private bindSize(size: Dimension, actual: Extent): boolean {
    if (typeof size === 'number') return size === actual;
    const bound = this.sizes.get(size);
    this.sizes.set(size, actual);
    return bound === undefined || bound === actual;
  }

  private wantScalar(of: ScalarPattern, actual: Scalar): boolean {
    if ('scalar' in of) {
      const rank = scalarRank(actual, of.scalar);
      this.rank += rank;
      return rank !== Infinity;
    }
    const list = this.wanted.get(of.letter);
    if (list === undefined) this.wanted.set(of.letter, [actual]);
    else list.push(actual);
    return true;
  }

  accept(pattern: Pattern, type: Type): boolean {
    switch (pattern.kind) {
      case 'scalar':
        return type.kind === 'scalar' && this.wantScalar(pattern.of, type.scalar);
      case 'vector':
        return (
          type.kind === 'vector' && this.bindSize(pattern.size, type.size) && this.wantScalar(pattern.of, type.scalar)
        );
      case 'matrix':
        return (
          type.kind === 'matrix'
          && this.bindSize(pattern.columns, type.columns)
          && this.bindSize(pattern.rows, type.rows)
          && this.wantScalar(pattern.of, type.scalar)
        );
      case 'texture':
        if (
          type.kind !== 'texture'
          || type.dimension !== pattern.dimension
          || type.multisampled !== pattern.multisampled
          || type.sampled === 'depth'
          || type.sampled === 'external'
        )
          return false;
        this.solved.set(pattern.letter, type.sampled);
        this.texel = type.sampled;
        return true;
      case 'storage-texture':
        if (
          type.kind !== 'storage-texture'
          || type.dimension !== pattern.dimension
          || type.multisampled !== pattern.multisampled
        )
          return false;
        this.texel = texelScalar(type) ?? null;
        return true;
      case 'texel':
        return (
          type.kind === 'vector'
          && type.size === 4
          && this.texel !== null
          && this.wantScalar({ scalar: this.texel }, type.scalar)
        );
      case 'loaded':
        return false;
      case 'exact':
        return pattern.type === type || this.acceptConverted(pattern.type, type);
    }
  }

  private acceptConverted(wanted: Type, type: Type): boolean {
    if (wanted.kind !== 'vector' || type.kind !== 'vector' || wanted.size !== type.size) return false;
    return this.wantScalar({ scalar: wanted.scalar }, type.scalar);
  }

  /** Finds the cheapest scalar for each letter. */
  solve(classes: Overload['classes'], allowAbstract: boolean): boolean {
    for (const [letter, actual] of this.wanted) {
      let best: Scalar | null = null;
      let bestRank = Infinity;
      for (const candidate of classes.get(letter) ?? []) {
        if (!allowAbstract && (candidate === 'abstract-int' || candidate === 'abstract-float')) continue;
        const rank = actual.reduce((sum, scalar) => sum + scalarRank(scalar, candidate), 0);
        if (rank < bestRank) [best, bestRank] = [candidate, rank];
      }
      if (best === null) return false;
      this.solved.set(letter, best);
      this.rank += bestRank;
    }
    return true;
  }

  private scalar(of: ScalarPattern): Scalar {
    return 'scalar' in of ? of.scalar : this.solved.get(of.letter)!;
  }

  private extent(size: Dimension): Extent {
    return typeof size === 'number' ? size : this.sizes.get(size)!;
  }

  type(pattern: Pattern): Type {
    switch (pattern.kind) {
      case 'scalar':
        return scalarType(this.scalar(pattern.of));
      case 'vector':
        return vectorType(this.extent(pattern.size), this.scalar(pattern.of));
      case 'matrix':
        return matrixType(this.extent(pattern.columns), this.extent(pattern.rows), this.scalar(pattern.of));
      case 'texel':
        return vectorType(4, this.texel!);
      case 'loaded':
        return loadedStruct(pattern.isDepth ? scalarType('f32') : vectorType(4, this.texel!));
      case 'exact':
        return pattern.type;
      case 'texture':
      case 'storage-texture':
        return unreachable('wgsl: a texture is no result');
    }
  }
}

/**
 * The overload of `name` that accepts arguments of these types, or null. `allowAbstract`: all arguments are
 * const-expressions, so that the result may be abstract.
 */
export function chooseOverload(name: string, args: readonly Type[], allowAbstract: boolean): Match | null {
  const { chosen, overloads } = builtin(name);
  const first = allowAbstract ? chosen.abstract : chosen.concrete;
  let known: Chosen | undefined = first;
  for (let i = 0; i < args.length && known !== undefined; i++) known = known.next.get(args[i]!);
  if (known !== undefined && known.match !== null) return known.match;
  const match = findOverload(overloads, args, allowAbstract);
  if (match === null) return null;
  let at = first;
  for (const type of args) {
    const next: Chosen = at.next.get(type) ?? { next: new Map(), match: null };
    at.next.set(type, next);
    at = next;
  }
  at.match = match;
  return match;
}

function findOverload(overloads: readonly Overload[], args: readonly Type[], allowAbstract: boolean): Match | null {
  let best: { readonly overload: Overload; readonly solution: Solution } | null = null;
  for (const overload of overloads) {
    if (overload.parameters.length !== args.length) continue;
    const solution = new Solution();
    const fits =
      overload.parameters.every((pattern, i) => solution.accept(pattern, args[i]!))
      && solution.solve(overload.classes, allowAbstract);
    if (fits && (best === null || solution.rank < best.solution.rank)) best = { overload, solution };
  }
  if (best === null) return null;
  const { overload, solution } = best;
  const parameters = overload.parameters.map((pattern, i) =>
    pattern.kind === 'texture' || pattern.kind === 'storage-texture' ? args[i]! : solution.type(pattern)
  );
  return { parameters, result: solution.type(overload.result) };
}
