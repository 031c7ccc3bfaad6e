// Shader modules by what their checks depend on. Devices of a process share them, so that a second device checks and
// lowers nothing again. Modules in use are always found. Unused ones are kept while they are among those used most
// recently.
import { LruSet } from '../base/lru-set';
import type { ShaderLimits } from '../base/shader-limits';
import { WeakCache } from '../base/weak-cache';
import { sharedMath, type ShaderCache } from '../render';
import { ShaderProgram } from './front-end';

/** Characters of unused modules. A checked module takes about 200 bytes for each. */
const MAX_CHARACTERS = 1 << 17;

class SharedPrograms {
  private readonly known = new WeakCache<ShaderProgram>();
  private readonly recent = new LruSet<ShaderProgram>(MAX_CHARACTERS);

  constructor(private readonly cache: ShaderCache | null) {}

  find(code: string, features: ReadonlySet<string>, limits: ShaderLimits): ShaderProgram {
    const key = JSON.stringify([[...features].sort(), limits, code]);
    let program = this.known.get(key);
    if (!program)
      this.known.set(key, (program = new ShaderProgram(code, sharedMath, new Set(features), limits, this.cache)));
    this.recent.use(program, code.length);
    return program;
  }
}

const withoutCache = new SharedPrograms(null);
const withCache = new WeakMap<ShaderCache, SharedPrograms>();

/** The modules of the devices that use a shader cache, or of those that use none. */
export function sharedPrograms(cache: ShaderCache | null): SharedPrograms {
  if (!cache) return withoutCache;
  let programs = withCache.get(cache);
  if (!programs) withCache.set(cache, (programs = new SharedPrograms(cache)));
  return programs;
}
