// The pipelines of a device in the shader cache. A pipeline's record has the interfaces of its shaders and the names of
// its stages. A stage's record has its bytecode and, once it was compiled, its WebAssembly. Neither has the IR: a
// pipeline that is found needs no part of the compiler.
import { unreachable } from '../../../base/assert';
import type { Atoms } from '../../../base/graph-codec';
import { WeakCache } from '../../../base/weak-cache';
import type { EncodedProgram } from '../../../codegen';
import type { JitModule } from '../../../codegen/jit';
import type { IrProgram, JoinedStages } from '../../../ir';
import { pathsOf, stagesOf, type StageShader } from '../../../mpipe';
import type { FragmentShader, PipelineShaders, SinkState } from '../../pipeline/pipeline-types';
import { EncodedStage, type LinkedPipeline, type LinkedState, type StageParts } from '../linker';
import { restoredProgram, storedProgram, type StoredProgram } from './program-records';
import type { ShaderCache } from './shader-cache';

/** A pipeline as the linker made it, or as it was found. */
export interface CachedPipeline {
  readonly shaders: PipelineShaders;
  readonly linked: LinkedPipeline;
}
/** A compute pipeline. `program`: before it was cut at its barriers. */
export interface CachedCompute {
  readonly program: IrProgram;
  readonly linked: EncodedStage;
}

/** A pipeline that the cache keeps. `linked`: null if it was not found there; `keep` then adds it. */
export interface PipelineSource {
  readonly linked: LinkedPipeline | null;
  keep(linked: LinkedPipeline): void;
}
export interface ComputeSource {
  readonly key: string;
  readonly linked: EncodedStage | null;
}

/** What code depends on, apart from shaders and pipelines. */
interface CodeEnvironment {
  /** The kernel's functions for compiled code; null if shaders are interpreted. */
  readonly inlines: Uint8Array | null;
  readonly sharedMemory: boolean;
  /** ShaderLimits.codeBytes. */
  readonly codeBytes: number;
}

interface StoredStage {
  readonly program: StoredProgram;
  readonly parts: StageParts;
  readonly encoded: EncodedProgram;
  readonly emitted: JitModule | null;
}
interface StoredFragment extends Pick<FragmentShader, 'blends'> {
  readonly table: Stored<StageShader>;
  readonly staged: Stored<JoinedStages> | null;
}
interface StoredPipeline {
  readonly vertex: Stored<StageShader>;
  readonly fragment: StoredFragment | null;
  readonly linked: LinkedPipeline;
}
interface StoredCompute {
  readonly program: StoredProgram;
  readonly linked: EncodedStage;
}
/** An object with a program, which is stored without its body. */
type Stored<T extends { readonly program: IrProgram }> = Omit<T, 'program'> & { readonly program: StoredProgram };

const stored = <T extends { readonly program: IrProgram }>(of: T): Stored<T> => ({
  ...of,
  program: storedProgram(of.program),
});
const restored = <T extends { readonly program: IrProgram }>(of: Stored<T>, whole: () => T): T =>
  ({ ...of, program: restoredProgram(of.program, () => whole().program) }) as unknown as T;

const storedFragment = ({ table, staged, blends }: FragmentShader): StoredFragment => ({
  table: stored(table),
  staged: staged && stored(staged),
  blends,
});
const restoredFragment = ({ table, staged, blends }: StoredFragment, whole: () => FragmentShader): FragmentShader => ({
  table: restored(table, () => whole().table),
  staged: staged && restored(staged, () => whole().staged!),
  blends,
});

/** All stages of a pipeline, in order. Parts of a divided fragment shader are among them. */
const allStages = (linked: LinkedPipeline): EncodedStage[] => [
  ...stagesOf(linked),
  ...pathsOf(linked).flatMap(({ leaf }) => leaf.pixel.stages),
];

/** Computes a value when it is first needed. */
function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

export class PipelineCache {
  /** Stages that were found, by their keys. */
  private readonly stages = new WeakCache<EncodedStage>();
  private readonly keys = new WeakMap<EncodedStage, string>();

  private readonly environment: string;
  /** How the device links the stages of a pipeline that was compiled after it had been found; set by the device. */
  link: (state: LinkedState) => LinkedPipeline = () => unreachable('render: no linker');
  linkCompute: (program: IrProgram) => EncodedStage = () => unreachable('render: no linker');

  constructor(
    readonly cache: ShaderCache,
    { inlines, ...options }: CodeEnvironment
  ) {
    this.environment = JSON.stringify([inlines && cache.digest(inlines), options]);
  }

  /** The key of a record that depends on the device's environment. */
  key(kind: string, ...inputs: readonly string[]): string {
    return this.cache.key(kind, this.environment, ...inputs);
  }

  /** `compile` makes the pipeline from its WGSL, if something is needed that the record lacks. */
  find(key: string, compile: () => CachedPipeline): CachedPipeline | null {
    const whole = lazy(compile);
    const restore = (value: object): CachedPipeline => {
      const { vertex, fragment, linked } = value as StoredPipeline;
      return {
        shaders: {
          vertex: restored(vertex, () => whole().shaders.vertex),
          fragment: fragment && restoredFragment(fragment, () => whole().shaders.fragment!),
        },
        linked,
      };
    };
    return this.cache.read(
      key,
      restore,
      this.atoms(() => allStages(whole().linked))
    );
  }

  /** Finds a shader of a modular pipeline, which is linked later. `compile` makes it from its WGSL. */
  findShader(key: string, compile: () => StageShader): StageShader | null {
    const whole = lazy(compile);
    return this.cache.read(key, (value) => restored(value as Stored<StageShader>, whole));
  }

  keepShader(key: string, shader: StageShader): void {
    this.cache.write(key, () => stored(shader));
  }

  findFragment(key: string, compile: () => FragmentShader): FragmentShader | null {
    const whole = lazy(compile);
    return this.cache.read(key, (value) => restoredFragment(value as StoredFragment, whole));
  }

  keepFragment(key: string, shader: FragmentShader): void {
    this.cache.write(key, () => storedFragment(shader));
  }

  /** Finds the linked stages of a modular pipeline. */
  findTree(key: string, state: LinkedState): LinkedPipeline | null {
    const whole = lazy(() => allStages(this.link(state)));
    return this.cache.read(key, (value) => value as LinkedPipeline, this.atoms(whole));
  }

  keepTree(key: string, linked: LinkedPipeline): void {
    const stages = allStages(linked);
    this.cache.write(
      key,
      () => withoutState(linked),
      this.atoms(() => stages)
    );
    for (const stage of stages) this.keepStage(stage);
  }

  findCompute(key: string, compile: () => CachedCompute): CachedCompute | null {
    const whole = lazy(compile);
    const restore = (value: object): CachedCompute => {
      const { program, linked } = value as StoredCompute;
      return { program: restoredProgram(program, () => whole().program), linked };
    };
    return this.cache.read(
      key,
      restore,
      this.atoms(() => [whole().linked])
    );
  }

  /** Keeps a pipeline that was not found. */
  keep(key: string, { shaders: { vertex, fragment }, linked }: CachedPipeline): void {
    const stages = allStages(linked);
    const make = (): StoredPipeline => ({
      vertex: stored(vertex),
      fragment: fragment && storedFragment(fragment),
      linked: withoutState(linked),
    });
    this.cache.write(
      key,
      make,
      this.atoms(() => stages)
    );
    for (const stage of stages) this.keepStage(stage);
  }

  keepCompute(key: string, { program, linked }: CachedCompute): void {
    const make = (): StoredCompute => ({ program: storedProgram(program), linked });
    this.cache.write(
      key,
      make,
      this.atoms(() => [linked])
    );
    this.keepStage(linked);
  }

  /** Keeps a stage, or replaces its record after it was compiled. */
  keepStage(stage: EncodedStage): void {
    const make = (): StoredStage => {
      const { program, emission, patch, sets, coarse, others, isFurther, encoded, emitted } = stage;
      return {
        program: storedProgram(program),
        parts: { emission, patch, sets, coarse, others, isFurther },
        encoded,
        emitted,
      };
    };
    // The key needs the text of the whole program, so it is not computed before the record is written.
    this.cache.writeLater(() => ({ key: this.keyOf(stage), make, atoms: this.atoms(() => stage.others) }));
  }

  /** The code of an equal stage that was compiled before; null if there is none. */
  emittedFor(stage: EncodedStage): JitModule | null {
    const read = (value: object): JitModule | null => (value as StoredStage).emitted;
    return this.cache.read(
      this.keyOf(stage),
      read,
      this.atoms(() => stage.others)
    );
  }

  /** Stages by their numbers among `stages` and by their keys. */
  private atoms(stages: () => readonly EncodedStage[]): Atoms {
    return {
      pack: (object) => (object instanceof EncodedStage ? [stages().indexOf(object), this.keyOf(object)] : null),
      unpack: ([number, key]) => this.stage(key as string, () => stages()[number as number]!),
    };
  }

  /** Throws if the stage's record cannot be used. */
  private stage(key: string, whole: () => EncodedStage): EncodedStage {
    const known = this.stages.get(key);
    if (known) return known;
    const restore = (value: object): EncodedStage => {
      const { program, parts, encoded, emitted } = value as StoredStage;
      return new EncodedStage(
        restoredProgram(program, () => whole().program),
        parts.emission,
        parts.patch,
        parts,
        { encoded, emitted }
      );
    };
    const stage = this.cache.read(
      key,
      restore,
      this.atoms(() => whole().others)
    );
    if (!stage) throw new Error(`there is no record of stage ${key}`);
    this.stages.set(key, stage);
    this.keys.set(stage, key);
    return stage;
  }

  /** Identifies a stage by its program and everything else that its code depends on. */
  keyOf(stage: EncodedStage): string {
    let key = this.keys.get(stage);
    if (key === undefined) {
      const { program, emission, patch, sets, coarse, others, isFurther } = stage;
      const text = JSON.stringify([program, emission, patch, sets, coarse, isFurther]);
      this.keys.set(stage, (key = this.key('stage', text, ...others.map((other) => this.keyOf(other)))));
    }
    return key;
  }
}

/** A linked pipeline without the states after its shaders, which are no part of the record. */
function withoutState(linked: LinkedPipeline): LinkedPipeline {
  const { leaf, branches } = linked;
  return {
    ...linked,
    branches: branches.map(withoutState),
    leaf: leaf && { ...leaf, state: null as unknown as SinkState },
  };
}
