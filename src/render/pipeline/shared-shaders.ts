// Linked stages are shared by the devices of a process whose code has the same form, so that a second device compiles
// nothing again. Stages that no pipeline uses are kept as long as they are among those used most recently.
import { ComputeLinker } from '../compute/compute-linker';
import { sharedMath } from '../shaders/constant-math';
import type { Toolchain } from '../shaders/engine';
import { Linker } from '../shaders/linker';
import { PipelineCache } from '../shaders/stored/pipeline-cache';
import type { ShaderCache } from '../shaders/stored/shader-cache';

export interface Linkers {
  readonly render: Linker;
  readonly compute: ComputeLinker;
}

/** Kinds of code that are kept. A process rarely has more than one. */
const MAX_KINDS = 4;
const known = new Map<string, Linkers>();

function linkersOf(kind: string): Linkers {
  const linkers = known.get(kind) ?? { render: new Linker(sharedMath), compute: new ComputeLinker() };
  known.delete(kind);
  known.set(kind, linkers);
  for (const oldest of known.keys()) {
    if (known.size <= MAX_KINDS) break;
    known.delete(oldest);
  }
  return linkers;
}

/** What emitted modules depend on, apart from shaders. */
interface CodeKind {
  /** Null if shaders are interpreted. */
  readonly toolchain: Toolchain | null;
  readonly sharedMemory: boolean;
  /** ShaderLimits.codeBytes. */
  readonly codeBytes: number;
}

export interface SharedShaders {
  readonly linkers: Linkers;
  /** Null without a shader cache. */
  readonly cache: PipelineCache | null;
}

/** What a device shares with others. */
export function sharedShaders({ toolchain, ...kind }: CodeKind, shaderCache: ShaderCache | null): SharedShaders {
  return {
    linkers: linkersOf(JSON.stringify([toolchain?.key, kind])),
    cache: shaderCache && new PipelineCache(shaderCache, { inlines: toolchain?.section ?? null, ...kind }),
  };
}
